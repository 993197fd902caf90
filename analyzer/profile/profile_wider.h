/* SPDX-License-Identifier: MIT */
/*
 * One wider access in the place of several: instructions of one kernel that are seen to ask for
 * neighbouring addresses, lane by lane, where all of them together are one aligned access of 8 or
 * 16 bytes. That the program may join them (nothing in between changes what they read) is not seen.
 */
#ifndef SMP_PROFILE_WIDER_H
#define SMP_PROFILE_WIDER_H

#include "profile.h"

enum { SMP_WIDER_SITES_MAX = 16 };

typedef struct smp_wider {
    const smp_profile_site *sites[SMP_WIDER_SITES_MAX]; /* by address; the first one stays */
    uint32_t site_count;                                /* 0: there is none */
    uint32_t width_bytes;                               /* of the one access */
    uint64_t before, after;                             /* wavefronts of these sites */
} smp_wider;

/* Looks for what `site`, a load or store of shared memory, can be joined with. Kept is the width
 * with the fewest wavefronts, if they are fewer than today. Every request of every site must be
 * known, and have its counterpart in each of the others: same lanes, same count, addresses that
 * differ by the same number of bytes. */
void smp_wider_find(const smp_kernel_profile *kernel, const smp_profile_site *site, smp_wider *out);

/* "one access of 16 bytes in the place of 4 of 4, at +0x200, +0x210 ...", its length. */
size_t smp_wider_words(const smp_wider *wider, char *text, size_t size);

#endif
