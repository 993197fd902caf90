/* SPDX-License-Identifier: MIT */
/*
 * smp_machine.h: machine code from bytes, run on the CPU: one launch of a kernel, what it computes,
 * and what its accesses cost.
 *
 * A launch ends by itself, by a fault of the kernel, by a limit, or because its caller wants no
 * more of it; what ran until then is in the profile in any case. Only device code runs. It reaches
 * the arrays that it is given and no other memory of the process, and opens no file; a launch as
 * text opens those that it names (@FILE, -> FILE).
 *
 * nvdisasm (and for PTX ptxas) is found in PATH, CUDA_HOME and the usual places, and runs as a
 * process that reads a file in TMPDIR; what it printed is kept in ~/.cache/smemprobe.
 */
#ifndef SMP_MACHINE_H
#define SMP_MACHINE_H

#include <stddef.h>
#include <stdio.h>

#include "smp_model.h"
#include "smp_profile.h"

SMP_API_BEGIN

struct smp_trace_writer; /* smp_trace.h */

/* Bytes of a struct of this library's headers (and smp_trace.h's), by the name of its type, as it
 * was built; 0: there is none. */
size_t smp_machine_abi_size(const char *type);

/* ---- Code ---- */

typedef struct smp_code smp_code;

/* A cubin, which must live as long as *out, or the text of PTX, which is compiled for `arch` (NULL:
 * for the one that its .target names). SMP_E_READ: it is neither, or ptxas says what is wrong. */
smp_status smp_machine_open(const void *bytes, size_t size, const smp_arch *arch, smp_code **out,
                            smp_error *error);
/* Takes NULL. */
void smp_machine_close(smp_code *code);
/* 10 x major + minor of what it was compiled for. */
uint32_t smp_machine_cc(const smp_code *code);
/* The kernel of that number, from 0, as it is mangled; NULL: there are no more. It lives as long as
 * the code. `demangled` may be NULL. */
const char *smp_machine_kernel(const smp_code *code, size_t index, const char **demangled);

/* ---- A launch ---- */

/* An argument: its bytes as the kernel takes them, or the address of an array. */
typedef struct smp_machine_value {
    const void *bytes;
    size_t size;
    /* Where not NULL: memory of the caller that the kernel reads, and that holds what it wrote when
     * the launch is over. An array within one of an argument before is a part of that. */
    void *array;
    size_t array_bytes;
} smp_machine_value;

typedef struct smp_machine_launch {
    /* All of it as on the command line, "k<<<4, 128>>>(float[1024] = iota, 7)"; NULL: as below. */
    const char *text;
    const char *kernel; /* mangled or not, of a template also without its arguments */
    uint32_t grid[3], block[3], cluster[3]; /* cluster of 0: as the kernel says */
    uint32_t shared_bytes;                  /* dynamic shared memory */
    bool is_cooperative;
    const smp_machine_value *values;
    size_t value_count;
} smp_machine_launch;

/* All zero: as usual. */
typedef struct smp_machine_options {
    const smp_arch *arch; /* whose rules judge the accesses; NULL: the code's own */
    uint32_t threads;     /* of the CPU; 0: all cores */
    uint64_t block_instructions, instructions; /* warp instructions of a block, and of all blocks,
                                                  at most; 0: 10^9, 10^11 */
    double seconds;        /* at most, compilers and nvdisasm aside; 0: no limit */
    uint64_t memory_bytes; /* at most, of arrays and blocks (not of what looking for races keeps);
                              fewer threads run where that is short. 0: no limit */
    bool races;            /* looks for them, too */
    FILE *printed;         /* for the kernel's printf; NULL: nowhere */
    struct smp_trace_writer *trace; /* every access goes there, too; NULL: nowhere */
    /* Called by the calling thread, with blocks that have begun and all blocks; false ends the
     * launch within milliseconds. NULL: nobody. */
    smp_progress_fn progress;
    void *user;
} smp_machine_options;

typedef enum smp_machine_ended {
    SMP_MACHINE_WHOLE,        /* every block came to its end */
    SMP_MACHINE_FAULT,        /* the kernel did what none may: the profile's findings say what */
    SMP_MACHINE_INSTRUCTIONS, /* a limit of instructions; a finding says where it was */
    SMP_MACHINE_TIME,
    SMP_MACHINE_CANCELLED
} smp_machine_ended;

typedef struct smp_machine_end {
    smp_machine_ended by;
    uint64_t blocks_begun, blocks; /* clusters, where there are some */
    uint64_t warp_instructions, thread_instructions;
    uint64_t trace_rows;
    double seconds;
} smp_machine_end;

/* Runs it and adds to *profile what it cost and what was found. `options`, `profile` and `end` may
 * be NULL. Statuses: SMP_E_SYNTAX (the launch's text, a kernel that is not there, arguments that do
 * not fit), SMP_E_RANGE (a launch that the chip refuses), SMP_E_UNKNOWN_ARCH (no rules for the
 * code), SMP_E_READ (no nvdisasm, a file of the text), SMP_E_MEMORY (also of
 * options->memory_bytes), SMP_E_WRITE (the trace). */
smp_status smp_machine_run(smp_code *code, const smp_machine_launch *launch,
                           const smp_machine_options *options, smp_profile *profile,
                           smp_machine_end *end, smp_error *error);

SMP_API_END

#endif
