/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a .cu file where there is no compiler: its host text is read for launches, what is
 * open is assumed, and each kernel runs by the source model. Texts with loops or numbers of more
 * than two digits are left out beside the seeds, for they may be slow by right.
 */
#include <ctype.h>

#include "fuzz.h"
#include "fuzz_file.h"
#include "source_run.h"

enum { DIGITS_MAX = 4 };

static bool may_be_slow(const uint8_t *data, size_t size) {
    size_t run = 0;
    for (size_t i = 0; i < size; i++) {
        run = isxdigit(data[i]) ? run + 1 : 0;
        if (run > DIGITS_MAX)
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    smp_profile profile = {0};
    smp_error error;
    unsigned refused = 0;
    if (may_be_slow(data, size))
        return 0;
    const smp_source_job job = {
        .file = {.path = fuzz_file(data, size), .text = (const char *)data, .length = size},
        .arch = smp_arch_find("sm_90")};
    (void)smp_source_run(&job, &profile, &refused, &error);
    smp_profile_clear(&profile);
    return 0;
}
