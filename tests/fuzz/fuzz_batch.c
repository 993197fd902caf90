/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a batch line; what is accepted must survive formatting and is predicted on the
 * oldest and on a new architecture.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "smp_analyzer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    smp_access access, again;
    smp_counts counts;
    bool is_empty;
    char text[SMP_BATCH_TEXT_MAX], text_again[SMP_BATCH_TEXT_MAX];
    if (smp_batch_parse((const char *)data, size, &access, &is_empty, NULL) != SMP_OK || is_empty)
        return 0;
    size_t length = smp_batch_format(&access, text);
    if (smp_batch_parse(text, length, &again, &is_empty, NULL) != SMP_OK)
        abort();
    size_t length_again = smp_batch_format(&again, text_again);
    if (length != length_again || memcmp(text, text_again, length) != 0)
        abort();
    (void)smp_predict(smp_arch_find("sm_10"), &access, &counts);
    (void)smp_predict(smp_arch_find("sm_90"), &access, &counts);
    return 0;
}
