/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the baseline of a gate, applied to a check that found nothing: no debt is found
 * then.
 */
#include "baseline.h"
#include "fuzz.h"
#include "fuzz_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    smp_baseline baseline = {0};
    smp_check check = {0};
    smp_error error;
    if (smp_baseline_read(fuzz_file(data, size), &baseline, &error) == SMP_OK &&
        smp_baseline_apply(&baseline, &check, &error) == SMP_OK)
        for (size_t i = 0; i < baseline.count; i++)
            if (baseline.debts[i].is_found)
                abort();
    (void)smp_baseline_paid(&baseline);
    smp_baseline_clear(&baseline);
    return 0;
}
