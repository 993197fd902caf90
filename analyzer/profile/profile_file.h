/* SPDX-License-Identifier: MIT */
/*
 * Profile files (.smprof): a header, then blocks that can each be read alone, so that a file that
 * was cut off is good up to its last whole block.
 *
 *   header  a skippable frame of zstd (magic 184D2A50) with "smprof", a zero, and the version (one
 *           byte): 2 where there are findings, so that a reader of version 1 refuses them; else 1
 *   block   a skippable frame (magic 184D2A51) with two little-endian 32-bit numbers, the packed
 * and the plain size; then a frame of zstd with checksum and that packed size. Its text is one line
 * of JSON: {"run": …}, {"finding": …}, {"kernel": …}, or at the end {"end": {"blocks": …}}
 *
 * zstdcat FILE prints all of it (schema/smprof.json). Kernels come in the order of
 * smp_profile_sort.
 */
#pragma once

#include <stdio.h>

#include "profile.h"

enum { SMP_PROFILE_VERSION = 2, SMP_PROFILE_BLOCK_MAX = 256 << 20 };

/* The unreadable parts of a file. */
typedef struct smp_profile_loss {
    uint32_t blocks; /* blocks with a wrong checksum or content */
    bool cut;        /* the file is truncated */
} smp_profile_loss;

/* Writes a sorted profile. SMP_E_WRITE or SMP_E_MEMORY. */
smp_status smp_profile_write(FILE *out, const smp_profile *profile, smp_error *error);

/* Adds the contents of `in` to *out, which must be sorted afterwards; *loss says what was
 * unreadable. SMP_E_SYNTAX if it is not a profile file, or of a newer version. */
smp_status smp_profile_read(FILE *in, smp_profile *out, smp_profile_loss *loss, smp_error *error);
