/* SPDX-License-Identifier: MIT */
/*
 * consumer.c: a program of another project, which uses the installed library: it predicts one
 * access, and evaluates a layout as a compiler or a linter would.
 */
#include <string.h>

#include <smp_analyzer.h>

static const char source[] = "shared float tile[32][32]\n"
                             "block 32x8\n"
                             "for j = 0:32:8\n"
                             "ld tile[threadIdx.x][threadIdx.y + j]\n";

static bool predicts_a_stride(const smp_arch *arch) {
    smp_pattern pattern = smp_pattern_default();
    smp_access access;
    smp_counts counts;
    pattern.stride = 33;
    return smp_pattern_access(&pattern, &access, NULL) == SMP_OK &&
           smp_predict(arch, &access, &counts) == SMP_OK && counts.wavefronts_max == 1;
}

static bool evaluates_a_layout(const smp_arch *arch) {
    smp_layout *layout = smp_layout_new();
    smp_totals totals;
    smp_error error;
    unsigned line = 0;
    bool good = layout &&
                smp_layout_add_lines(layout, source, strlen(source), &line, &error) == SMP_OK &&
                smp_layout_evaluate(layout, arch, 0, &totals, &line, &error) == SMP_OK &&
                totals.requests == 32 && totals.ways == 32 && totals.warps_alike;
    smp_layout_free(layout);
    return good;
}

int main(void) {
    const smp_arch *arch = smp_arch_find("hopper");
    return arch && predicts_a_stride(arch) && evaluates_a_layout(arch) ? 0 : 1;
}
