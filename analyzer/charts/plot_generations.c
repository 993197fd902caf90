/* SPDX-License-Identifier: MIT */
/*
 * Architectures for charts: in the order of time, in every bank mode, and named as ranges.
 */
#include <string.h>

#include "plot.h"

void plot_archs_label(const smp_arch *first, const smp_arch *last, char *text, size_t size) {
    char until[16] = "", families[48], mode[24] = "";
    bool is_one = first->cc_major == last->cc_major && first->cc_minor == last->cc_minor;
    if (!is_one)
        (void)snprintf(until, sizeof until, " - %u.%u", last->cc_major, last->cc_minor);
    bool is_family = strcmp(first->family, last->family) == 0;
    (void)snprintf(families, sizeof families, "%.20s%s%.20s", first->family, is_family ? "" : " - ",
                   is_family ? "" : last->family);
    if (first->bank_bytes_alt != 0)
        (void)snprintf(mode, sizeof mode, " (%u-byte banks)", first->bank_bytes);
    (void)snprintf(text, size, "%u.%u%s %s%s", first->cc_major, first->cc_minor, until, families,
                   mode);
}
