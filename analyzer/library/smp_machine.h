/* SPDX-License-Identifier: MIT */
/*
 * Runs a launch of a kernel's machine code on the CPU, from bytes: its results and the cost of its
 * accesses.
 *
 * A launch ends when all blocks finish, at a fault of the kernel, at a limit, or when the caller
 * cancels it; the profile always holds what ran until then. Only device code runs. It reaches only
 * the arrays that it is given, no other memory of the process, and opens no file; a launch given as
 * text opens the files that it names (@FILE, -> FILE).
 *
 * nvdisasm (and for PTX ptxas) is found in PATH, CUDA_HOME and the usual places, and runs as a
 * process that reads a file in TMPDIR; its output is cached in ~/.cache/smemprobe.
 */
#ifndef SMP_MACHINE_H
#define SMP_MACHINE_H

#include <stddef.h>
#include <stdio.h>

#include "smp_model.h"
#include "smp_profile.h"

SMP_API_BEGIN

struct smp_trace_writer; /* defined in smp_trace.h */

/* Size of a struct in this library's headers (or smp_trace.h), by its type name; 0 if there is no
 * such struct. */
size_t smp_machine_abi_size(const char *type);

/* ---- Code ---- */

typedef struct smp_code smp_code;

/* Opens a cubin, which must outlive *out, or PTX text, which is compiled for `arch` (NULL: its
 * .target). SMP_E_READ if it is neither, or ptxas rejects it. */
smp_status smp_machine_open(const void *bytes, size_t size, const smp_arch *arch, smp_code **out,
                            smp_error *error);
/* `code` may be NULL. */
void smp_machine_close(smp_code *code);
/* Compute capability of the code: 10 x major + minor. */
uint32_t smp_machine_cc(const smp_code *code);
/* The mangled name of kernel `index`, from 0; NULL after the last. It is valid as long as the code.
 * `demangled` may be NULL. */
const char *smp_machine_kernel(const smp_code *code, size_t index, const char **demangled);

/* ---- A launch ---- */

/* An argument: its bytes, or an array whose address the kernel gets. */
typedef struct smp_machine_value {
    const void *bytes;
    size_t size;
    /* If not NULL, the caller's memory that the kernel reads; after the launch it holds what the
     * kernel wrote. The kernel sees it at a multiple of 256, as from cudaMalloc. Arrays that
     * overlap are one array for it, which starts where the first of them in memory does. */
    void *array;
    size_t array_bytes;
} smp_machine_value;

typedef struct smp_machine_launch {
    /* The whole launch as on the command line, "k<<<4, 128>>>(float[1024] = iota, 7)"; NULL: use
     * the fields below. */
    const char *text;
    const char *kernel;                     /* mangled or not; a template may omit its arguments */
    uint32_t grid[3], block[3], cluster[3]; /* cluster 0: the kernel's own */
    uint32_t shared_bytes;                  /* dynamic shared memory */
    bool is_cooperative;
    const smp_machine_value *values;
    size_t value_count;
} smp_machine_launch;

/* All zero: defaults. */
typedef struct smp_machine_options {
    const smp_arch *arch; /* architecture whose rules apply; NULL for the code's own */
    uint32_t threads;     /* CPU threads; 0 for all cores */
    uint64_t block_instructions,
        instructions; /* most warp instructions of a block, and of all blocks; 0: 10^9 and 10^11 */
    double seconds;   /* time limit, without compilers and nvdisasm, or 0 */
    uint64_t memory_bytes; /* limit for arrays and blocks, not for race detection; when it is short,
                              fewer threads run. 0: none */
    bool races;            /* also look for races */
    FILE *printed;         /* output of the kernel's printf; NULL to discard it */
    struct smp_trace_writer *trace; /* also receives every access, or NULL */
    /* Called on the calling thread with the numbers of started and of all blocks. Returning false
     * cancels the launch within milliseconds. May be NULL. */
    smp_progress_fn progress;
    void *user;
} smp_machine_options;

typedef enum smp_machine_ended {
    SMP_MACHINE_WHOLE,        /* every block finished */
    SMP_MACHINE_FAULT,        /* the kernel failed; the profile's findings say how */
    SMP_MACHINE_INSTRUCTIONS, /* an instruction limit was reached; a finding says where */
    SMP_MACHINE_TIME,
    SMP_MACHINE_CANCELLED
} smp_machine_ended;

typedef struct smp_machine_end {
    smp_machine_ended by;
    uint64_t blocks_begun, blocks; /* clusters, if the launch has them */
    uint64_t warp_instructions, thread_instructions;
    uint64_t trace_rows;
    double seconds;
} smp_machine_end;

/* Runs the launch and adds its costs and findings to *profile. `options`, `profile` and `end` may
 * be NULL. Statuses: SMP_E_SYNTAX (the launch text, an unknown kernel, arguments that do not fit),
 * SMP_E_RANGE (a launch that the chip refuses), SMP_E_UNKNOWN_ARCH (no rules for the code),
 * SMP_E_READ (no nvdisasm, or a file named in the text), SMP_E_MEMORY (also when
 * options->memory_bytes is exceeded), SMP_E_WRITE (the trace). */
smp_status smp_machine_run(smp_code *code, const smp_machine_launch *launch,
                           const smp_machine_options *options, smp_profile *profile,
                           smp_machine_end *end, smp_error *error);

SMP_API_END

#endif
