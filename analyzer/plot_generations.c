/* SPDX-License-Identifier: MIT */
/*
 * Architectures for charts: in the order of time, in every bank mode, and named as ranges.
 */
#include <string.h>

#include "plot.h"

static size_t same_generation(const smp_arch *rows, size_t count, size_t first) {
    size_t next = first;
    while (next < count && rows[next].generation == rows[first].generation)
        next++;
    return next;
}

size_t plot_all_archs(smp_arch out[PLOT_ARCHS_MAX]) {
    size_t count, made = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t first = 0; first < count;) {
        size_t next = same_generation(rows, count, first);
        for (size_t i = first; i < next && made < PLOT_ARCHS_MAX; i++)
            out[made++] = rows[i];
        for (size_t i = first; i < next && made < PLOT_ARCHS_MAX; i++) {
            if (rows[i].bank_bytes_alt != 0 &&
                smp_arch_with_bank_bytes(&rows[i], rows[i].bank_bytes_alt, &out[made]) == SMP_OK)
                made++;
        }
        first = next;
    }
    return made;
}

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
