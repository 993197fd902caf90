/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a layout file, with everything that `check` and `predict` do with it. Files with
 * loops and numbers of more than two digits are left out, for they may be slow by right.
 */
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "smp_analyzer.h"

static bool may_be_slow(const uint8_t *data, size_t size) {
    size_t run = 0;
    bool loops = false, large = false;
    for (size_t i = 0; i < size; i++) {
        bool is_digit = (data[i] >= '0' && data[i] <= '9') || (run > 0 && data[i] == '\'');
        run = is_digit || (run > 0 && data[i] >= 'a' && data[i] <= 'f') ? run + 1 : 0;
        large |= run > 2;
        loops |= i >= 2 && data[i] == 'r' && data[i - 1] == 'o' && data[i - 2] == 'f';
        loops |= data[i] == '<';
    }
    return loops && large;
}

static void evaluate(const smp_layout *layout, const smp_arch *arch) {
    for (size_t i = 0; i < smp_layout_access_count(layout) && i < 8; i++) {
        smp_totals totals;
        unsigned line;
        char text[256];
        smp_error error;
        if (smp_layout_evaluate(layout, arch, i, &totals, &line, &error) != SMP_OK)
            continue;
        (void)smp_request_place_format(layout, &totals.worst_place, text, sizeof text);
        for (size_t k = 0; k < smp_layout_expect_count(layout); k++)
            (void)smp_layout_expect_holds(layout, k, &totals, text, sizeof text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned line;
    smp_error error;
    if (may_be_slow(data, size))
        return 0;
    smp_layout *layout = smp_layout_new();
    if (!layout)
        return 0;
    (void)smp_layout_add_lines(layout, (const char *)data, size, &line, &error);
    evaluate(layout, smp_arch_find("sm_90"));
    evaluate(layout, smp_arch_find("sm_13"));
    for (size_t i = 0; i < smp_layout_arch_count(layout) && i < 2; i++)
        evaluate(layout, smp_layout_arch(layout, i));
    smp_layout_free(layout);
    return 0;
}
