/* SPDX-License-Identifier: MIT */
/* The live page: the line that wastes most so far. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "live_page.h"
#include "profile_rank.h"
#include "runtime.h"

static uint64_t excess_of(const smp_profile_site *site) {
    return smp_space_has_banks(site->space) ? site->wavefronts - site->ideal
                                            : site->sectors - site->ideal_sectors;
}

void rt_live_show(const smp_profile *profile) {
    static time_t shown; /* at most once a second */
    live_page *page = live_page_own();
    const smp_kernel_profile *kernel = NULL;
    const smp_profile_site *worst = NULL;
    if (!page || time(NULL) == shown)
        return;
    shown = time(NULL);
    EACH_SITE(of, site, profile) {
        if (excess_of(site) <= (worst ? excess_of(worst) : 0))
            continue;
        worst = site;
        kernel = of;
    }
    if (!worst)
        return;
    const smp_frame *frame = smp_site_user_frame(worst);
    (void)snprintf(page->worst_kernel, sizeof page->worst_kernel, "%s",
                   smp_kernel_full_name(kernel));
    if (frame)
        (void)snprintf(page->worst, sizeof page->worst, " line %u", frame->line);
    else
        (void)snprintf(page->worst, sizeof page->worst, "+0x%x", worst->offset_bytes);
    const size_t length = strlen(page->worst);
    if (worst->ways > 1)
        (void)snprintf(page->worst + length, sizeof page->worst - length, ", %u-way", worst->ways);
}
