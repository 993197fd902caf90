/* SPDX-License-Identifier: MIT */
/*
 * NVBit traces written by Accel-Sim's tracer, one kernel per file: .trace, and .traceg, grouped by
 * thread block in post-processing. Format: accel-sim-framework, util/tracer_nvbit/README.md
 * ("Traces format") and gpu-simulator/trace-parser/trace_parser.cc; tracer versions up to 4.
 */
#pragma once

#include <stdio.h>

#include "smp_model.h"

enum { SMP_ACCEL_PC_MAX = 1 << 26 }; /* a kernel of 64 MiB */
enum { SMP_ACCEL_NAME_MAX = 4096, SMP_ACCEL_OPCODE_MAX = 64, SMP_ACCEL_VERSION_MAX = 4 };

/* The head of the trace; 0 and "" for missing entries. */
typedef struct smp_accel_kernel {
    char name[SMP_ACCEL_NAME_MAX];
    char nvbit[32];
    uint32_t grid[3], block[3], shared_bytes;
    unsigned binary_version; /* 70: sm_70 */
    unsigned tracer_version;
    uint64_t shared_base, local_base; /* start of their windows in generic addresses */
} smp_accel_kernel;

/* A warp instruction that accesses memory. The addresses of inactive lanes are 0. */
typedef struct smp_accel_row {
    uint32_t pc, mask;
    char opcode[SMP_ACCEL_OPCODE_MAX];
    uint64_t address[SMP_LANES];
} smp_accel_row;

typedef struct smp_accel_reader smp_accel_reader;

/* Reads the head. SMP_E_SYNTAX: not such a trace, or a newer version; error->position is the line,
 * counted from 0, or -1. The caller keeps `in`. */
smp_status smp_accel_open(FILE *in, smp_accel_reader **out, smp_accel_kernel *kernel,
                          smp_error *error);
/* The next instruction that accesses memory with at least one lane; *at_end if there is none.
 * SMP_E_SYNTAX: line error->position, counted from 0, cannot be parsed, and the next call continues
 * after it; or a block or warp has fewer instructions than announced. SMP_E_READ, SMP_E_MEMORY. */
smp_status smp_accel_next(smp_accel_reader *reader, smp_accel_row *out, bool *at_end,
                          smp_error *error);
/* `reader` may be NULL. */
void smp_accel_free(smp_accel_reader *reader);
