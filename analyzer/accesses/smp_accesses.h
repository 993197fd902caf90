/* SPDX-License-Identifier: MIT */
/*
 * Ways to make accesses: a stride, a line of the batch format, random ones.
 *
 * Functions that parse report the position of an error in an smp_error; nothing here prints.
 */
#ifndef SMP_ACCESSES_H
#define SMP_ACCESSES_H

#include "smp_model.h"

SMP_API_BEGIN

#define SMP_PATTERN_TEXT_MAX 160

/* A constant stride over the lanes: lane l is at offset_bytes + l x stride x width_bytes. */
typedef struct smp_pattern {
    smp_op op;
    uint32_t width_bytes;
    uint32_t stride; /* in elements of width_bytes */
    uint32_t offset_bytes;
    uint32_t active_mask;
} smp_pattern;

/* Stride 1, width 4, offset 0, ld.shared, all lanes. */
smp_pattern smp_pattern_default(void);
/* Fills *out; SMP_E_OVERFLOW if a lane's offset does not fit. */
smp_status smp_pattern_access(const smp_pattern *pattern, smp_access *out, smp_error *error);
/* Writes the canonical text and returns its length: the options of the pattern, omitting defaults
 * except op, width and stride: "--op ld --width 4 --stride 33". */
size_t smp_pattern_format(const smp_pattern *pattern, char text[SMP_PATTERN_TEXT_MAX]);
/* The inverse: smp_pattern_parse(smp_pattern_format(x)) is x. Options may come in any order, each
 * at most once, separated by one blank; defaults are those of smp_pattern_default. error->position
 * is a position in `text`. */
smp_status smp_pattern_parse(const char *text, smp_pattern *out, smp_error *error);

/* One line of the batch format, "OP WIDTH MASK OFF0 ... OFF31 [: GOFF0 ... GOFF31]", offsets in
 * bytes. `length` excludes the newline. A blank or comment line gives SMP_OK with *is_empty true.
 * error->position is the column, counted from 0. SMP_E_SYNTAX, SMP_E_UNKNOWN_OP, SMP_E_WIDTH or
 * SMP_E_OVERFLOW, or SMP_E_MASK (no lane). */
smp_status smp_batch_parse(const char *line, size_t length, smp_access *out, bool *is_empty,
                           smp_error *error);
/* Writes the canonical line, without newline, and returns its length. `text` holds at least
 * SMP_BATCH_TEXT_MAX bytes. */
#define SMP_BATCH_TEXT_MAX 1152
size_t smp_batch_format(const smp_access *access, char *text);

/* Random accesses from a seed, designed to find errors: strides, permutations, few banks, few
 * words, pairs of lanes and near misses of pairs, sparse masks, rows of a matrix, lanes inside one
 * word, and addresses around the edges of sectors and segments. */

/* splitmix64; any seed will do. */
typedef struct smp_random {
    uint64_t state;
} smp_random;

/* The next 64 bits. */
uint64_t smp_random_next(smp_random *random);
/* The next number in 0 .. limit-1; limit at least 1. */
uint32_t smp_random_below(smp_random *random, uint32_t limit);

/* Fills *out with a valid access of `op` and `width_bytes`: aligned, inside `limit_bytes` of shared
 * memory, with at least one lane that gives an address. Entries of inactive lanes are garbage. */
void smp_random_access(smp_random *random, smp_op op, unsigned width_bytes, uint32_t limit_bytes,
                       smp_access *out);
/* The same, with the global addresses of all lanes in one aligned block of `span_bytes`. */
void smp_random_access_within(smp_random *random, smp_op op, unsigned width_bytes,
                              uint32_t limit_bytes, uint64_t span_bytes, smp_access *out);

SMP_API_END
#endif
