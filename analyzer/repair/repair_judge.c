/* SPDX-License-Identifier: MIT */
/*
 * Whether a changed source does the same, and costs less.
 */
#include <inttypes.h>
#include <string.h>

#include "repair.h"
#include "text_buffer.h"

/* Of an array's wavefronts, so much must go. */
enum { GAIN_PER_CENT = 5 };

const smp_kernel_profile *repair_kernel_named(const proof_run *run, const char *name) {
    for (uint32_t i = 0; i < run->profile.kernel_count; i++) {
        const smp_kernel_profile *one = &run->profile.kernels[i];
        if (strcmp(smp_kernel_full_name(one), name) == 0)
            return one;
    }
    return NULL;
}

repair_figures repair_figures_of(const proof_run *run, const smp_kernel_profile *kernel) {
    const proof_sums sums = proof_sums_of(run, kernel);
    const proof_kernel *of = kernel ? proof_kernel_find(run, smp_kernel_full_name(kernel)) : NULL;
    repair_figures out = {.wavefronts = sums.wavefronts,
                          .ideal = sums.ideal,
                          .sectors = sums.sectors,
                          .ideal_sectors = sums.ideal_sectors,
                          .ways = sums.ways};
    if (of) {
        out.registers = of->registers;
        out.local_bytes = of->local_bytes;
        out.shared_bytes = of->shared_bytes;
        out.resident = of->resident;
    }
    return out;
}

/* A kernel that asks for more of shared memory than before; NULL: none does. */
static const smp_kernel_profile *worse_kernel(const repair_bench *s, const proof_run *run) {
    for (uint32_t i = 0; i < s->now->profile.kernel_count; i++) {
        const smp_kernel_profile *before = &s->now->profile.kernels[i];
        const smp_kernel_profile *after = repair_kernel_named(run, smp_kernel_full_name(before));
        if (after &&
            proof_sums_of(run, after).wavefronts > proof_sums_of(s->now, before).wavefronts)
            return before;
    }
    return NULL;
}

/* Of what the repair is for. */
static bool saves_little(const repair_bench *s, const proof_sums *before, const proof_sums *after,
                         char why[PROOF_WHY]) {
    const uint64_t is = s->of_sectors ? after->sectors : after->wavefronts;
    const uint64_t was = s->of_sectors ? before->sectors : before->wavefronts;
    const uint64_t all = s->of_sectors ? proof_sums_of(s->now, s->kernel).sectors : s->wavefronts;
    if (is < was && (was - is) * 100 >= all * GAIN_PER_CENT)
        return false;
    char now[32], then[32];
    (void)text_grouped(is, now);
    (void)text_grouped(was, then);
    (void)snprintf(why, PROOF_WHY, "it saves %s: %s %s, %s before", is < was ? "little" : "nothing",
                   now, s->of_sectors ? "sectors" : "wavefronts", then);
    return true;
}

/* Why the run is no proof; "": it is. */
void repair_judge(const repair_bench *s, const proof_run *run, repair_try *tried) {
    char *why = tried->why;
    uint64_t bytes;
    const smp_kernel_profile *kernel = repair_kernel_named(run, smp_kernel_full_name(s->kernel));
    const proof_sums before = proof_sums_of(s->now, NULL), after = proof_sums_of(run, NULL);
    const proof_kernel *ran = kernel ? proof_kernel_find(run, smp_kernel_full_name(kernel)) : NULL;
    tried->has_run = ran && ran->blocks_run > 0;
    if (kernel)
        tried->after = repair_figures_of(run, kernel);
    const repair_figures *a = &tried->before, *b = &tried->after;
    const smp_kernel_profile *worse = worse_kernel(s, run);
    const smp_profile_finding *wrong = proof_first_error(run, false);
    if (wrong)
        (void)snprintf(why, PROOF_WHY, "%s: %.150s", smp_finding_kind_name(wrong->kind),
                       wrong->message);
    else if (!kernel)
        (void)snprintf(why, PROOF_WHY, "the kernel did not run");
    else if (!proof_equal(s->first, run, &bytes, why))
        tried->differs = true;
    else if (saves_little(s, &before, &after, why))
        ;
    else if (worse)
        (void)snprintf(why, PROOF_WHY, "%.120s would have more wavefronts than before",
                       smp_kernel_full_name(worse));
    else if (after.sectors > before.sectors)
        (void)snprintf(why, PROOF_WHY,
                       "it moves more of global memory: %" PRIu64 " sectors, %" PRIu64 " before",
                       after.sectors, before.sectors);
    else if (b->local_bytes > a->local_bytes)
        (void)snprintf(why, PROOF_WHY,
                       "registers spill: %" PRIu32 " bytes a thread, %" PRIu32 " before",
                       b->local_bytes, a->local_bytes);
    else if (s->job->max_bytes > 0 && b->shared_bytes > s->job->max_bytes)
        (void)snprintf(why, PROOF_WHY,
                       "it takes %" PRIu32 " bytes of shared memory, more than "
                       "--max-bytes",
                       b->shared_bytes);
    else if (b->resident < a->resident &&
             b->wavefronts * a->resident >= a->wavefronts * b->resident)
        (void)snprintf(why, PROOF_WHY,
                       "a multiprocessor holds %" PRIu32 " blocks, %" PRIu32
                       " before, which costs more than it saves",
                       b->resident, a->resident);
}

void repair_judge_races(const proof_run *first, const proof_run *run, repair_try *tried) {
    for (uint32_t i = 0; i < run->profile.finding_count && tried->why[0] == '\0'; i++) {
        const smp_profile_finding *one = &run->profile.findings[i];
        if (one->kind == SMP_FINDING_RACE && !one->is_note &&
            proof_races(run, one->kernel) > proof_races(first, one->kernel))
            (void)snprintf(tried->why, PROOF_WHY, "a race that the source does not have: %.150s",
                           one->message);
    }
}
