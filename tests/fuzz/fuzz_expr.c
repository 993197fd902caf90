/* SPDX-License-Identifier: MIT */
/* Any bytes as an integer expression, evaluated in a full and in a partial warp. */
#include "fuzz.h"
#include "smp_analyzer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char surroundings[] = "block 8x5x1\ndefine N = 32\nfor j = -3:3";
    int64_t values[SMP_LANES];
    const char *type;
    unsigned line;
    smp_error error;
    smp_layout *layout = smp_layout_new();
    if (!layout)
        return 0;
    (void)smp_layout_add_lines(layout, surroundings, sizeof surroundings - 1, &line, &error);
    for (uint32_t warp = 0; warp < 3; warp++)
        (void)smp_layout_value(layout, warp, (const char *)data, size, values, &type, &error);
    smp_layout_free(layout);
    return 0;
}
