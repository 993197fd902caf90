/* SPDX-License-Identifier: MIT */
/*
 * consumer.c: a program of another project, which predicts one access with the installed library.
 */
#include <smp_analyzer.h>

int main(void) {
    smp_pattern pattern = smp_pattern_default();
    smp_access access;
    smp_counts counts;
    pattern.stride = 33;
    if (smp_pattern_access(&pattern, &access, NULL) != SMP_OK ||
        smp_predict(smp_arch_find("sm_90"), &access, &counts) != SMP_OK)
        return 1;
    return counts.wavefronts_max == 1 ? 0 : 1;
}
