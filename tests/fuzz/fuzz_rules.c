/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the rules of --gate, which then judge a profile of nothing: each rule decides on no
 * line.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "profile_filter.h"
#include "profile_gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const smp_profile_filter everything;
    smp_profile nothing = {0};
    smp_profile_gate gate = {.all = {-1, -1}};
    smp_ranking ranking;
    smp_error error;
    size_t unused = 0;
    char text[64];
    if (smp_profile_rank(&everything, &nothing, &ranking, &error) != SMP_OK)
        abort();
    const smp_status status = smp_gate_parse("f", (const char *)data, size, &gate, &error);
    while (status == SMP_OK && smp_gate_unused(&gate, &ranking, unused) > 0)
        unused++;
    if (status == SMP_OK && unused != gate.rule_count)
        abort();
    (void)smp_gate_unseen(&gate, &ranking, text, sizeof text);
    smp_gate_clear(&gate);
    smp_ranking_clear(&ranking);
    smp_profile_clear(&nothing);
    return 0;
}
