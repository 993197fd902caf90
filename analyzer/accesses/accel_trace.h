/* SPDX-License-Identifier: MIT */
/*
 * accel_trace.h: traces of NVBit as the tracer of Accel-Sim writes them, one kernel a file: .trace,
 * and .traceg, which its post-processing has grouped by thread block. Format: accel-sim-framework,
 * util/tracer_nvbit/README.md ("Traces format") and gpu-simulator/trace-parser/trace_parser.cc;
 * tracer versions up to 4.
 */
#pragma once

#include <stdio.h>

#include "smp_model.h"

enum { SMP_ACCEL_PC_MAX = 1 << 26 }; /* a kernel of 64 MiB */
enum { SMP_ACCEL_NAME_MAX = 4096, SMP_ACCEL_OPCODE_MAX = 64, SMP_ACCEL_VERSION_MAX = 4 };

/* The head of the trace; 0 and "" for what it does not say. */
typedef struct smp_accel_kernel {
    char name[SMP_ACCEL_NAME_MAX];
    char nvbit[32];
    uint32_t grid[3], block[3], shared_bytes;
    unsigned binary_version; /* 70: sm_70 */
    unsigned tracer_version;
    uint64_t shared_base, local_base; /* of their windows in generic addresses */
} smp_accel_kernel;

/* A warp instruction that accesses memory. The addresses of inactive lanes are 0. */
typedef struct smp_accel_row {
    uint32_t pc, mask;
    char opcode[SMP_ACCEL_OPCODE_MAX];
    uint64_t address[SMP_LANES];
} smp_accel_row;

typedef struct smp_accel_reader smp_accel_reader;

/* Reads what stands in front of the instructions. SMP_E_SYNTAX: no such trace, or a newer one;
 * error->position is its line, counted from 0, or -1. `in` stays the caller's. */
smp_status smp_accel_open(FILE *in, smp_accel_reader **out, smp_accel_kernel *kernel,
                          smp_error *error);
/* The next instruction that accesses memory with at least one lane; *at_end: there is none.
 * SMP_E_SYNTAX: line error->position, counted from 0, cannot be understood, and the next call goes
 * on behind it; or a block or warp has fewer instructions than it says. SMP_E_READ, SMP_E_MEMORY.
 */
smp_status smp_accel_next(smp_accel_reader *reader, smp_accel_row *out, bool *at_end,
                          smp_error *error);
/* Takes NULL. */
void smp_accel_free(smp_accel_reader *reader);
