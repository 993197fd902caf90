/* SPDX-License-Identifier: MIT */
/*
 * All architectures in the order of time, those with several bank modes once in each.
 */
#include "smp_report.h"

static size_t same_generation(const smp_arch *rows, size_t count, size_t first) {
    size_t next = first;
    while (next < count && rows[next].generation == rows[first].generation)
        next++;
    return next;
}

size_t smp_arch_modes(smp_arch out[SMP_ARCH_MODES_MAX]) {
    size_t count, made = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t first = 0; first < count;) {
        size_t next = same_generation(rows, count, first);
        for (size_t i = first; i < next && made < SMP_ARCH_MODES_MAX; i++)
            out[made++] = rows[i];
        for (size_t i = first; i < next && made < SMP_ARCH_MODES_MAX; i++) {
            if (rows[i].bank_bytes_alt != 0 &&
                smp_arch_with_bank_bytes(&rows[i], rows[i].bank_bytes_alt, &out[made]) == SMP_OK)
                made++;
        }
        first = next;
    }
    return made;
}
