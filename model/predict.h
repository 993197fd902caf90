/* SPDX-License-Identifier: MIT */
/*
 * What the files of the model say to each other. Internal to model/.
 */
#ifndef SMP_PREDICT_H
#define SMP_PREDICT_H

#include "rule.h"

/* Compiles a function for plain and for AVX2 machines; the loader picks. Sanitizers and the
 * static analyzer run before the loader's choice, or do not know it. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang_analyzer__)
#define FOR_EACH_CPU __attribute__((target_clones("avx2", "default")))
#else
#define FOR_EACH_CPU
#endif

/* The row of an operation. */
extern const smp_op_row smp_op_table[SMP_OP_COUNT];

/* Base-2 logarithm of a width of 1, 2, 4, 8 or 16 bytes. */
static inline unsigned width_log2(unsigned width_bytes) {
    return (unsigned)__builtin_ctz(width_bytes);
}

static inline unsigned count_lanes(uint32_t mask) {
    return (unsigned)__builtin_popcount(mask);
}

static inline unsigned lowest_lane(uint32_t mask) {
    return (unsigned)__builtin_ctz(mask);
}

/* bank.c: wavefronts of a request that is served in groups of lanes. `lanes` gives an address;
 * `group_lanes` is 8, 16 or 32. Sets groups, ways and wavefronts. */
void smp_bank_count(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                    unsigned group_lanes, bool lanes_merge, unsigned passes, smp_counts *out);

/* bank.c: true if the pair rule holds for these lanes of a wide load. */
bool smp_bank_pairs(const smp_access *access, uint32_t lanes);

/* half_warp.c: the same for CC 1.x, as a range over every choice that the hardware may make. */
void smp_half_warp_count(const smp_access *access, uint32_t lanes, smp_counts *out);

/* coalesce.c: transactions and bytes of a request to global memory. */
void smp_coalesce_count(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                        smp_counts *out);

/* coalesce.c: distinct 32-byte sectors of remote shared memory. */
void smp_cluster_count(const smp_access *access, uint32_t lanes, smp_counts *out);

#endif
