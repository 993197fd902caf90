/* SPDX-License-Identifier: MIT */
/*
 * histogram_plan.c: how many bins, copies and blocks a histogram is made with.
 */
#include "histogram.h"

enum { WARPS = SMP_HISTOGRAM_THREADS / SMP_LANES, CLUSTER_MAX = 16 };

/* At least 2, so that the kernel can divide by it (histogram.cu). */
static uint32_t part_of(uint32_t bins, uint32_t cluster) {
    const uint32_t part = (uint32_t)smp_divide_up(bins, cluster);
    return part < 2 ? 2 : part;
}

static uint32_t cluster_of(const smp_kernel_case *problem, uint32_t bins) {
    uint32_t cluster = problem->cluster;
    if (cluster)
        return cluster;
    for (cluster = 1; cluster < CLUSTER_MAX; cluster *= 2)
        if (part_of(bins, cluster) * sizeof(uint32_t) <= SMP_HISTOGRAM_SHARED_MAX)
            break;
    return cluster;
}

static uint32_t copies_of(uint64_t bins) {
    const uint64_t fit = SMP_HISTOGRAM_COPIES_BYTES / (bins * sizeof(uint32_t));
    return fit > WARPS ? WARPS : fit > 0 ? (uint32_t)fit : 1;
}

smp_histogram_plan smp_histogram_plan_of(const smp_kernel_case *problem, uint32_t copies,
                                         uint32_t cluster) {
    smp_histogram_plan plan = {.bins = (uint32_t)problem->rows};
    const uint64_t chunks =
        smp_divide_up(problem->columns / SMP_HISTOGRAM_EACH, SMP_HISTOGRAM_THREADS);
    const uint64_t blocks = chunks > SMP_HISTOGRAM_BLOCKS ? SMP_HISTOGRAM_BLOCKS : chunks;
    plan.copies = copies ? copies : copies_of(plan.bins);
    plan.cluster = cluster ? cluster : cluster_of(problem, plan.bins);
    plan.blocks = (uint32_t)(smp_divide_up(blocks ? blocks : 1, plan.cluster) * plan.cluster);
    plan.part = part_of(plan.bins, plan.cluster);
    uint64_t words = plan.cluster > 1 ? plan.part : (uint64_t)plan.bins * plan.copies;
    plan.shared_bytes = (words > plan.part ? words : plan.part) * sizeof(uint32_t);
    return plan;
}
