/* SPDX-License-Identifier: MIT */
/*
 * Prints random accesses of every operation and width that a counter sees, as lines of the batch
 * format, for `smemprobe probe - --record FILE`. Needs no GPU. `random_lines [EACH [SEED]]`.
 */
#include <stdlib.h>

#include "gpu_access.h"
#include "smp_analyzer.h"

static void print_lines(smp_op op, uint32_t width, unsigned long each, uint64_t seed) {
    gpu_random random = {seed + 1000 * (uint64_t)op + width};
    for (unsigned long i = 0; i < each; i++) {
        char line[SMP_BATCH_TEXT_MAX];
        smp_access access = gpu_random_access(&random, op, width);
        smp_batch_format(&access, line);
        puts(line);
    }
}

int main(int argc, char **argv) {
    unsigned long each = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 2026;
    const smp_arch *arch = smp_arch_find("sm_90");
    for (int op = 0; op < SMP_OP_COUNT; op++)
        for (uint32_t width = 1; width <= 16; width *= 2)
            if (smp_counter_of((smp_op)op) &&
                smp_op_evidence(arch, (smp_op)op, width) <= SMP_PUBLISHED)
                print_lines((smp_op)op, width, each, seed);
    return 0;
}
