/* SPDX-License-Identifier: MIT */
/* Finds layout changes of an array in shared memory from a program's requests. */
#pragma once

#include "fix_seen.h"
#include "profile.h"
#include "profile_rank.h"
#include "smp_prediction.h"

/* ---- One wider access in the place of several ----
 *
 * Instructions of one kernel that are seen to ask for neighbouring addresses, lane by lane, where
 * all of them together are one aligned access of 8 or 16 bytes. That the program may join them
 * (nothing in between changes what they read) is not seen. */

enum { SMP_WIDER_SITES_MAX = 16 };

typedef struct smp_wider {
    const smp_profile_site *sites[SMP_WIDER_SITES_MAX]; /* by address; the first one remains */
    uint32_t site_count;                                /* 0 if there is none */
    uint32_t width_bytes;                               /* of the joined access */
    uint64_t before, after;                             /* wavefronts of these sites */
} smp_wider;

/* Finds accesses that `site`, a load or store of shared memory, can be joined with, and keeps the
 * width with the fewest wavefronts if that is an improvement. Every request of every site must be
 * known and have a counterpart in each of the others: same lanes, same count, addresses that differ
 * by the same number of bytes. */
void smp_wider_find(const smp_kernel_profile *kernel, const smp_profile_site *site, smp_wider *out);

/* Writes "one access of 16 bytes in the place of 4 of 4, at +0x200, +0x210 ..." and returns its
 * length. */
size_t smp_wider_words(const smp_wider *wider, char *text, size_t size);

/* ---- Another layout of an array ---- */

typedef struct smp_profile_fix {
    const smp_shared_array *array; /* the kernel's array; NULL for all of shared memory as one */
    smp_seen_fix padding, swizzle; /* kind SMP_SEEN_NONE if none was found */
    smp_wider wider;               /* for the site itself, not the array */
    uint32_t site_count;           /* whose requests were judged */
    uint64_t requests_lost;        /* requests of these sites that were not kept */
    char obstacle[240]; /* why no change of the array is offered; "" if nothing forbids it */
} smp_profile_fix;

/* Gathers the requests of all sites of `kernel` in the array of `site`'s worst request, and
 * searches for a layout without conflicts for all of them, and for a wider access instead of
 * `site`. The array's other instructions stay valid: bytes that one lane moves at once stay
 * together and aligned, and an instruction that is not followed (bulk copies, operands of warpgroup
 * matrices, barriers) forbids every change. SMP_E_MEMORY or SMP_OK. */
smp_status smp_profile_fix_site(const smp_kernel_profile *kernel, const smp_profile_site *site,
                                smp_profile_fix *out, smp_error *error);

/* The same for one of the kernel's arrays, in rows of `row_bytes`; 0 for the rows that the requests
 * suggest. */
smp_status smp_profile_fix_array(const smp_kernel_profile *kernel, const smp_shared_array *array,
                                 uint32_t row_bytes, smp_profile_fix *out, smp_error *error);

/* Writes "rows of 33 words instead of 32" or "element offset ^ ..." and returns its length. */
size_t smp_profile_fix_words(const smp_profile_fix *from, const smp_seen_fix *fix, char *text,
                             size_t size);

/* Predicts a request of a site of that array after `fix`; false if smp_request_report is, or if the
 * model has no rule for the changed request. */
bool smp_profile_fix_report(const smp_kernel_profile *kernel, const smp_profile_site *site,
                            const smp_profile_request *request, const smp_profile_fix *from,
                            const smp_seen_fix *fix, smp_prediction *out);

/* Finds repairs for the first `count` of the worst lines, in *out, which must be freed in any case.
 */
smp_status smp_profile_fixes(const smp_ranking *ranking, uint32_t count, smp_profile_fix **out,
                             smp_error *error);
