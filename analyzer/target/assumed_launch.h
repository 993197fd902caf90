/* SPDX-License-Identifier: MIT */
/*
 * A launch for a kernel of which nobody said one: from the <<<>>> of its file, its launch bounds
 * and its shared arrays, else from assumptions, each of which is named.
 */
#pragma once

#include "disassembly.h"
#include "host_text.h"
#include "program_file.h"

/* What the user says of it; zeros: nothing. */
typedef struct smp_launch_wish {
    host_name known[HOST_NAMES_MAX]; /* values of names */
    unsigned known_count;
    uint32_t block[3], grid[3]; /* [0] is 0: not said */
    bool is_try;                /* `block` is an assumption of the caller's */
    int64_t extent;             /* that sizes are assumed to be; 0: 1024 */
    unsigned launch;            /* which of the file's; below launch_count */
    bool has_seeds;             /* no two arrays hold the same random values */
} smp_launch_wish;

/* A kernel, by its machine code or by its source. */
typedef struct smp_launch_subject {
    const char *name;      /* "void f<float, 4>(float*, int)"; of a source, without parameters */
    uint32_t threads_most; /* by its launch bounds; 0: not said */
    uint32_t threads_fit;  /* for which there are registers; 0: not known */
    uint32_t shared_bytes; /* of its arrays; 0 of a source, too */
    bool reads_rows;       /* threadIdx.y */
    bool reads_blocks[2];  /* blockIdx.x, .y */
    bool uses_dynamic;     /* shared memory without an array of its own */
    const smp_parameter *parameters; /* NULL: as the source declares them */
    uint32_t parameter_count;
} smp_launch_subject;

typedef struct smp_assumed_launch {
    char *launch;  /* as --launch takes it; the caller frees it */
    char *assumed; /* "nx = 1024, block 32x8"; "": nothing; the caller frees it */
    uint32_t block[3], grid[3], dynamic_bytes;
    host_name values[HOST_NAMES_MAX]; /* of parameters that are numbers, and other names */
    bool is_value_assumed[HOST_NAMES_MAX];
    unsigned value_count;
    host_name arrays[HOST_NAMES_MAX]; /* of integers, which are random:0:value */
    unsigned array_count;
    bool is_block_assumed, is_grid_assumed; /* so another one may be right */
    bool is_block_of_rows;                  /* the kernel reads threadIdx.y */
    unsigned launch_count;                  /* that the file has and that fit the kernel */
} smp_assumed_launch;

/* Number `index` of the wishes to try where what was assumed does not fit; false: that were all. */
bool smp_launch_wish_other(const smp_assumed_launch *first, const smp_launch_wish *wish,
                           unsigned index, smp_launch_wish *out);

/* A value that is given for nothing, or for what the compiler has replaced, would change nothing:
 * SMP_E_USAGE. `text`: of host_text_make; NULL: there is no source. */
smp_status smp_launch_wish_check(const smp_launch_wish *wish, const char *text, const char *path,
                                 smp_error *error);

/* `text`: of host_text_make, or "" for machine code without a source. SMP_E_SYNTAX names the
 * parameter that no assumption fits. */
smp_status smp_launch_assume(const smp_launch_subject *subject, const char *text,
                             const smp_launch_wish *wish, smp_assumed_launch *out,
                             smp_error *error);

/* The kernel of that demangled name in `text`, of host_text_make, and the values that names have in
 * it; false: it is not there. */
bool smp_launch_scope(const char *demangled, const char *text, host_kernel *kernel,
                      host_scope *scope);

/* ---- assumed_instance.c ---- */

/* `file`: what is compiled for the source at `path`. Where that has kernels, but only as templates
 * without an instance, *code becomes that of assumed ones, which is noted. Templates beside other
 * kernels are noted, too, and left out. */
void smp_assume_instances(const char *path, const smp_program_file *file, bool always,
                          smp_code **code);
