/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a declaration in shared and in global memory; what is accepted is accessed at its
 * start and shown as a map.
 */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "smp_analyzer.h"

static void access_it(smp_layout *layout, const char *text) {
    smp_totals totals;
    unsigned line;
    smp_error error;
    if (smp_layout_add(layout, NULL, text, strlen(text), 1, &error) == SMP_OK)
        (void)smp_layout_evaluate(layout, smp_arch_find("sm_90"), 0, &totals, &line, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const keywords[] = {"shared", "global"};
    smp_error error;
    for (size_t i = 0; i < 2; i++) {
        smp_layout *layout = smp_layout_new();
        if (!layout)
            return 0;
        (void)smp_layout_add(layout, keywords[i], (const char *)data, size, 1, &error);
        (void)smp_layout_shared_bytes(layout);
        access_it(layout, "ld *(char *)a");
        access_it(layout, "ld a[laneid]");
        access_it(layout, "st a(0, laneid)");
        smp_layout_free(layout);
    }
    return 0;
}
