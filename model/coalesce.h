/* SPDX-License-Identifier: MIT */
/* Transactions of global memory and of other blocks' shared memory. Internal to model/. */
#pragma once

#include "tag.h"

/* Transactions and bytes of a request to global memory, or bounds of them. */
void smp_coalesce_count(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                        smp_counts *out);

/* The same for 32-byte sectors of remote shared memory. */
void smp_cluster_count(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                       smp_counts *out);

/* The number of distinct blocks of 2^shift bytes that `lanes` fall in. */
unsigned smp_distinct_blocks(const uint64_t addresses[SMP_LANES], uint32_t lanes, unsigned shift);

/* coalesce_avx2.c: the number of distinct blocks of 2^shift bytes that `lanes` (at least one) fall
 * in; 0 if it cannot tell, because their numbers differ above 32 bits. */
unsigned smp_distinct_avx2(const uint64_t addresses[SMP_LANES], uint32_t lanes, unsigned shift);
