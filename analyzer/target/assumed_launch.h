/* SPDX-License-Identifier: MIT */
/*
 * Makes a launch for a kernel without one: from the <<<>>> in its file, its launch bounds and its
 * shared arrays, else from assumptions. Every assumption is named.
 */
#pragma once

#include "disassembly.h"
#include "emulate.h"
#include "host_text.h"
#include "launch_type.h"
#include "note.h"
#include "program_file.h"

/* What the user gives; zeros mean nothing. */
typedef struct smp_launch_wish {
    host_name known[HOST_NAMES_MAX]; /* values of names */
    unsigned known_count;
    uint32_t block[3], grid[3]; /* not given if [0] is 0 */
    bool is_try;                /* `block` is the caller's assumption */
    bool has_dynamic;
    uint32_t dynamic_bytes;    /* given if has_dynamic */
    int64_t extent;            /* assumed value of sizes; 0 means 1024 */
    unsigned launch;           /* index of the file's launch; below launch_count */
    bool has_seeds;            /* gives each array different random values */
    const uint8_t *parameters; /* those of a launch, for all that is no pointer; NULL: unknown */
    uint32_t parameter_bytes;
} smp_launch_wish;

/* A kernel, known by its machine code or its source. */
typedef struct smp_launch_subject {
    const char *name;      /* "void f<float, 4>(float*, int)"; without parameters for a source */
    uint32_t threads_most; /* from its launch bounds; 0 if not given */
    uint32_t shared_most;  /* bytes that a block may ask for; 0 if unknown */
    uint32_t threads_fit;  /* threads for which there are registers; 0 if unknown */
    uint32_t shared_bytes; /* static bytes; 0 for a source */
    bool reads_rows;       /* threadIdx.y */
    bool reads_blocks[2];  /* blockIdx.x, .y */
    bool uses_dynamic;     /* uses shared memory without a static array */
    const smp_parameter *parameters; /* NULL to use the source's declarations */
    uint32_t parameter_count;
} smp_launch_subject;

enum { POINTER_STARTS_MOST = 8 };

/* A parameter that points into its array, as with the argument "a + 50" or "&a[50]". */
typedef struct pointer_start {
    host_name name; /* with the bytes from the array's start, modulo 256 */
    char type[64];  /* of an element, as the text spells it */
} pointer_start;

typedef struct smp_assumed_launch {
    char *launch;  /* in the form of --launch; the caller frees it */
    char *assumed; /* "nx = 1024, block 32x8", or ""; the caller frees it */
    uint32_t block[3], grid[3], dynamic_bytes;
    host_name values[HOST_NAMES_MAX]; /* numeric parameters and other names */
    bool is_value_assumed[HOST_NAMES_MAX];
    unsigned value_count;
    host_name arrays[HOST_NAMES_MAX]; /* integer arrays, filled with random:0:value */
    unsigned array_count;
    bool is_block_assumed, is_grid_assumed; /* so a different one may be right */
    bool is_block_shown;   /* indices, a tile or launch bounds suggest the assumed block */
    bool is_block_of_rows; /* the kernel reads threadIdx.y */
    unsigned launch_count; /* launches in the file that fit the kernel */
    uint64_t inner;        /* by parameter: the argument in the file is a pointer plus an offset */
    pointer_start starts[POINTER_STARTS_MOST];
    unsigned start_count;
} smp_assumed_launch;

/* pointer_start.c: adds parameter `index` to the starts if its argument in the file points into an
 * array. Returns the bytes; 0 if it does not, or if that is unknown. */
uint32_t pointer_start_add(smp_assumed_launch *to, host_scope *scope, const host_launch *launch,
                           unsigned index, host_span name, const char *type,
                           uint32_t element_bytes);

/* The next thing to try if an assumption does not fit. False if there are no more. */
bool smp_launch_wish_other(const smp_assumed_launch *first, const smp_launch_wish *wish,
                           unsigned index, smp_launch_wish *out);

/* The bytes of an argument, from `offset` on, in the launch that gives wish->parameters; NULL if
 * that is none. */
const uint8_t *smp_launch_wish_bytes(const smp_launch_wish *wish, const smp_launch_subject *subject,
                                     unsigned index, uint32_t offset);
/* The value of a float or double, or of an integer, at `bytes`. */
double smp_launch_wish_real(const uint8_t *bytes, const smp_element_type *type);
int64_t smp_launch_wish_integer(const uint8_t *bytes, const smp_element_type *type);

/* Refuses a given value that would change nothing, because no such name exists or the compiler has
 * replaced it (SMP_E_USAGE). `text` comes from host_text_make; NULL without a source. */
smp_status smp_launch_wish_check(const smp_launch_wish *wish, const char *text, const char *path,
                                 smp_error *error);

/* `text` comes from host_text_make, or is "" for machine code without a source. SMP_E_SYNTAX names
 * a parameter that no assumption fits. */
smp_status smp_launch_assume(const smp_launch_subject *subject, const char *text,
                             const smp_launch_wish *wish, smp_assumed_launch *out,
                             smp_error *error);

/* Finds the kernel with that demangled name in `text` (from host_text_make), and the values of
 * names in it. False if there is none. */
bool smp_launch_scope(const char *demangled, const char *text, host_kernel *kernel,
                      host_scope *scope);

/* ---- assumed_instance.c ---- */

/* `file`: what is compiled for the source at `path`. Where that has kernels, but only as templates
 * without an instance, *code becomes that of assumed ones, which is noted. Templates beside other
 * kernels are noted, too, and left out. Fails with the compiler's message if it refuses the assumed
 * instances and *code has no kernel. */
smp_status smp_assume_instances(const char *path, const smp_program_file *file, bool always,
                                smp_code **code, smp_error *error);

/* ---- What an assumed launch cannot know: unknown_argument.c ---- */

/* Accesses fail because of pointers in an argument or array of unknown members, which is all zeros,
 * the size of an array, and what lies before it. */
/* Removes such findings and says in a note what to do instead. Returns why the launch ended early,
 * for the profile; NULL if none was removed. */
const char *unknown_argument_take(const char *name, const smp_assumed_launch *assumed,
                                  const smp_function *function, const smp_emu_memory *memory,
                                  smp_emulation *done, const note_sink *notes);
/* Adds the name that the source gives each parameter to its array: "argument 2 (sums)". */
void launch_arguments_name(const char *text, const char *demangled, smp_emu_memory *memory);
/* The same in the findings of a program, from the sources at which they are. */
void launch_findings_name(smp_profile *profile);
