/* SPDX-License-Identifier: MIT */
/*
 * Figures on the live page: the instruction with the most excess wavefronts in the last snapshot,
 * or excess sectors if there are none. Only if somebody reads the page.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "host_part.h"
#include "live_page.h"

static char **names; /* by function */
static size_t name_count;

void host_live_name(int32_t function, const char *name) {
    while (live_page_own() && name_count <= (size_t)function)
        if (!host_grow((void **)&names, &name_count, sizeof *names))
            return;
    if ((size_t)function < name_count)
        names[function] = strdup(name);
}

static uint64_t excess_of(const smp_instrument_site *site, bool of_sectors) {
    const uint64_t all = of_sectors ? site->sectors : site->wavefronts;
    const uint64_t ideal = of_sectors ? site->ideal_sectors : site->ideal;
    return all > ideal ? all - ideal : 0;
}

static const smp_instrument_site *worst_of(const smp_instrument_site *sites, size_t count,
                                           bool of_sectors) {
    const smp_instrument_site *worst = NULL;
    for (size_t i = 0; i < count; i++)
        if (excess_of(&sites[i], of_sectors) > (worst ? excess_of(worst, of_sectors) : 0))
            worst = &sites[i];
    return worst;
}

void host_live_worst(const smp_instrument_site *sites, size_t count) {
    live_page *page = live_page_own();
    if (!page)
        return;
    const smp_instrument_site *worst = worst_of(sites, count, false);
    const bool of_sectors = !worst;
    worst = of_sectors ? worst_of(sites, count, true) : worst;
    if (!worst || worst->function < 0 || (size_t)worst->function >= name_count)
        return;
    const char *name = names[worst->function];
    (void)snprintf(page->worst_kernel, sizeof page->worst_kernel, "%s", name ? name : "?");
    if (of_sectors)
        (void)snprintf(page->worst, sizeof page->worst, "+0x%x, excess sectors",
                       worst->offset_bytes);
    else
        (void)snprintf(page->worst, sizeof page->worst, "+0x%x, %u-way", worst->offset_bytes,
                       worst->ways);
}
