/* SPDX-License-Identifier: MIT */
/*
 * The figures of a candidate, and one cost to rank candidates by.
 *
 * The cost is in cycles: how long the busiest unit of one multiprocessor would need for the whole
 * launch alone. The units are four schedulers, which each issue one warp instruction per cycle; the
 * data stage of L1 and shared memory, with one wavefront or four sectors of global memory per
 * cycle; and the path to L2, with two sectors per cycle. A fraction of the other units' time is
 * added, because no kernel overlaps all of it. A multiprocessor with few warps waits for memory:
 * its time grows as they fall short of HIDING_WARPS.
 *
 * The cost ignores DRAM, cache hits, and grids that do not fill the chip, which it cannot rank. On
 * a full chip it ranked fifty variants of a product nearly as an H200's times do
 * (docs/evidence/speed.md).
 */
#include "judged.h"

#define SCHEDULERS 4.0
#define L1_SECTORS 4.0
#define L2_SECTORS 2.0
#define BESIDE 0.25 /* fraction of the other units' time that is added */
#define HIDING_WARPS 16.0

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double cost_of(const judged_figures *of, uint32_t warps) {
    const double issue = (double)of->instructions / SCHEDULERS, sectors = (double)of->sums.sectors,
                 stage = (double)of->sums.wavefronts + sectors / L1_SECTORS,
                 l2 = sectors / L2_SECTORS, busiest = larger(issue, larger(stage, l2)),
                 all = busiest + BESIDE * (issue + stage + l2 - busiest),
                 held = warps > 0 && warps < HIDING_WARPS ? warps : HIDING_WARPS;
    return all * HIDING_WARPS / held;
}

static uint32_t most(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

judged_figures judged_figures_of(const judged *of) {
    judged_figures out = {0};
    uint32_t warps = 0;
    EACH(const smp_kernel_profile, kernel, of->profile.kernels, of->profile.kernel_count) {
        EACH(const smp_profile_site, site, kernel->sites, kernel->site_count)
            smp_sums_add_site(&out.sums, site);
    }
    for (uint32_t i = 0; i < of->count; i++) {
        const judged_kernel *kernel = &of->kernels[i];
        const uint32_t held = kernel->ran.resident * ((kernel->threads + 31) / 32);
        out.instructions += kernel->instructions;
        out.registers = most(out.registers, kernel->ran.registers);
        out.shared_bytes = most(out.shared_bytes, kernel->ran.shared_bytes);
        out.local_bytes = most(out.local_bytes, kernel->ran.local_bytes);
        if (i == 0 || kernel->ran.resident < out.resident)
            out.resident = kernel->ran.resident;
        if (i == 0 || held < warps)
            warps = held;
    }
    out.errors = smp_findings_errors(of->profile.findings, of->profile.finding_count);
    for (uint32_t i = 0; i < of->profile.finding_count; i++)
        out.races += of->profile.findings[i].kind == SMP_FINDING_RACE;
    out.cost = cost_of(&out, warps);
    return out;
}
