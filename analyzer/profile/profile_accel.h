/* SPDX-License-Identifier: MIT */
/*
 * Reads a kernel's NVBit trace, as Accel-Sim's tracer writes it, into a profile, and computes what
 * that simulator's rule makes of the same requests.
 *
 * Its rule (GPGPU-Sim 4, src/abstract_hardware_model.cc, warp_inst_t::generate_mem_accesses,
 * shared_space; 32 banks of 4 bytes, no limited broadcast, one part per warp, as in all its
 * configurations from SM2 on): a request takes as many cycles as the most distinct words on any
 * bank, where an active lane's word is that of its first byte, whatever its width. A generic
 * instruction accesses shared memory if the first active lane's address does.
 */
#pragma once

#include "accel_trace.h"
#include "profile.h"
#include "smp_trace.h"

/* One instruction of shared memory. */
typedef struct smp_accel_site {
    char kernel[48]; /* the beginning of its name */
    uint32_t pc;
    char opcode[SMP_ACCEL_OPCODE_MAX];
    uint64_t requests, theirs, ours, differ; /* cycles, wavefronts, requests on which they differ */
} smp_accel_site;

typedef struct smp_accel_sums {
    smp_accel_site *sites; /* freed by the owner */
    uint32_t site_count;
    uint64_t requests, theirs, ours, differ; /* sums over all of them */
    uint64_t bad_lines;
    /* the caller's; receives every request with an operation; may be NULL */
    smp_trace_writer *trace;
    uint64_t trace_rows, trace_left_out;
} smp_accel_sums;

/* Adds the kernel of a trace to *profile and *sums, including everything before an error. `arch`
 * selects the rules; NULL for those of the traced GPU. `bad_line` is called for each malformed
 * line. SMP_E_SYNTAX, SMP_E_UNKNOWN_ARCH, SMP_E_READ, SMP_E_WRITE (of the trace), SMP_E_MEMORY. */
smp_status smp_profile_read_accel(FILE *in, const smp_arch *arch, smp_profile *profile,
                                  smp_accel_sums *sums,
                                  void (*bad_line)(void *user, uint64_t line, const char *what),
                                  void *user, smp_error *error);
