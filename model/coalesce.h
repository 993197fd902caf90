/* SPDX-License-Identifier: MIT */
/*
 * Transactions of global memory and of other blocks' shared memory. Internal to model/.
 */
#ifndef SMP_COALESCE_H
#define SMP_COALESCE_H

#include "smp_model.h"

/* Transactions and bytes of a request to global memory, or bounds of them. */
void smp_coalesce_count(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                        smp_counts *out);

/* The same for 32-byte sectors of remote shared memory. */
void smp_cluster_count(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                       smp_counts *out);

#endif
