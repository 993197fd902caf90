/* SPDX-License-Identifier: MIT */
/* Walks the rows of the model. */
#include "combinations.h"

#include <assert.h>

static combination_list list;

static bool is_known(const smp_arch *arch, smp_op op, unsigned width_bytes) {
    smp_evidence evidence = smp_op_evidence(arch, op, width_bytes);
    return evidence != SMP_OPEN && evidence != SMP_ABSENT;
}

static void collect_arch(const smp_arch *arch) {
    for (unsigned op = 0; op < SMP_OP_COUNT; op++) {
        for (unsigned width = 1; width <= 16; width *= 2) {
            if (!is_known(arch, (smp_op)op, width))
                continue;
            assert(list.count < COMBINATIONS_MAX);
            list.entries[list.count++] =
                (combination){.arch = *arch, .op = (smp_op)op, .width_bytes = width};
        }
    }
}

const combination_list *combinations_collect(int major) {
    size_t count = 0;
    const smp_arch *rows = smp_archs(&count);
    list.count = 0;
    for (size_t i = 0; i < count; i++) {
        smp_arch other;
        if (major != 0 && rows[i].cc_major != major)
            continue;
        collect_arch(&rows[i]);
        if (smp_arch_with_bank_bytes(&rows[i], 8, &other) == SMP_OK)
            collect_arch(&other);
    }
    return &list;
}
