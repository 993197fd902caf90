/* SPDX-License-Identifier: MIT */
/*
 * Layouts that a fix reads its text into.
 */
#include "fix.h"

smp_layout *fix_layout_new(const smp_fix *fix) {
    smp_layout *layout = smp_layout_new();
    if (layout && fix->beside)
        smp_layout_read_headers(layout, fix->beside);
    return layout;
}
