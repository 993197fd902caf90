/* SPDX-License-Identifier: MIT */
/*
 * What to change of an array in shared memory, from the requests that a program made of it.
 */
#ifndef SMP_PROFILE_FIX_H
#define SMP_PROFILE_FIX_H

#include "fix_seen.h"
#include "profile_rank.h"
#include "profile_wider.h"
#include "smp_prediction.h"

typedef struct smp_profile_fix {
    const smp_shared_array *array; /* in the kernel; NULL: all of shared memory, as one */
    smp_seen_fix padding, swizzle; /* kind SMP_SEEN_NONE: none was found */
    smp_wider wider;               /* of the site itself, not of the array */
    uint32_t site_count;           /* whose requests were judged */
    uint64_t requests_lost;        /* of these sites, that were not kept */
    char obstacle[240]; /* why no change of the array is offered; "": nothing forbids it */
} smp_profile_fix;

/* Gathers the requests of all sites of `kernel` that lie in the array of `site`'s worst request,
 * and looks for what frees them together; and for a wider access in the place of `site`. What the
 * array's other instructions need stays: what one lane moves at once stays together and aligned,
 * and an instruction that is not followed (bulk copies, operands of warpgroups' matrices, barriers)
 * forbids every change. SMP_E_MEMORY or SMP_OK. */
smp_status smp_profile_fix_site(const smp_kernel_profile *kernel, const smp_profile_site *site,
                                smp_profile_fix *out, smp_error *error);

/* "rows of 33 words instead of 32", or "element offset ^ ...", of one of the two; its length. */
size_t smp_profile_fix_words(const smp_profile_fix *from, const smp_seen_fix *fix, char *text,
                             size_t size);

/* A request of a site of that array, as it would be after `fix`: false where smp_request_report is,
 * or where the model does not know the changed one. */
bool smp_profile_fix_report(const smp_kernel_profile *kernel, const smp_profile_site *site,
                            const smp_profile_request *request, const smp_profile_fix *from,
                            const smp_seen_fix *fix, smp_prediction *out);

/* Repairs for the first `count` of the worst lines, in *out, to be freed in any case. */
smp_status smp_profile_fixes(const smp_ranking *ranking, uint32_t count, smp_profile_fix **out,
                             smp_error *error);

#endif
