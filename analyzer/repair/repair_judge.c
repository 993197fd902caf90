/* SPDX-License-Identifier: MIT */
/* Judges whether a changed source does the same at a lower cost. */
#include <inttypes.h>
#include <string.h>

#include "repair.h"
#include "text_buffer.h"

/* A repair must save at least this share of the array's wavefronts. */
enum { GAIN_PER_CENT = 5 };

const smp_kernel_profile *repair_kernel_named(const proof_run *run, const char *name) {
    return FIND(one, run->profile.kernels, run->profile.kernel_count,
                strcmp(smp_kernel_full_name(one), name) == 0);
}

repair_figures repair_figures_of(const proof_run *run, const smp_kernel_profile *kernel) {
    const proof_kernel *ran = kernel ? proof_kernel_find(run, smp_kernel_full_name(kernel)) : NULL;
    repair_figures out = {.requests = 0};
    EACH(const smp_kernel_profile, of, run->profile.kernels, run->profile.kernel_count)
        for (uint32_t i = 0; (!kernel || of == kernel) && i < of->site_count; i++) {
            const smp_profile_site *site = &of->sites[i];
            out.wavefronts += site->wavefronts;
            out.ideal += site->ideal;
            out.sectors += site->sectors;
            out.ideal_sectors += site->ideal_sectors;
            if (!smp_space_has_banks(site->space))
                continue;
            out.requests += site->requests;
            out.ways = site->ways > out.ways ? site->ways : out.ways;
        }
    if (ran) {
        out.registers = ran->registers;
        out.local_bytes = ran->local_bytes;
        out.shared_bytes = ran->shared_bytes;
        out.resident = ran->resident;
    }
    return out;
}

/* Returns a kernel that needs more wavefronts than before, or NULL. */
static const smp_kernel_profile *worse_kernel(const repair_bench *s, const proof_run *run) {
    EACH(const smp_kernel_profile, before, s->now->profile.kernels, s->now->profile.kernel_count) {
        const smp_kernel_profile *after = repair_kernel_named(run, smp_kernel_full_name(before));
        if (after &&
            repair_figures_of(run, after).wavefronts > repair_figures_of(s->now, before).wavefronts)
            return before;
    }
    return NULL;
}

/* Whether the change saves too little of what it is meant to save. */
static bool saves_little(const repair_bench *s, const repair_figures *before,
                         const repair_figures *after, char why[PROOF_WHY]) {
    const uint64_t is = s->of_sectors ? after->sectors : after->wavefronts;
    const uint64_t was = s->of_sectors ? before->sectors : before->wavefronts;
    const uint64_t all =
        s->of_sectors ? repair_figures_of(s->now, s->kernel).sectors : s->wavefronts;
    if (is < was && (was - is) * 100 >= all * GAIN_PER_CENT)
        return false;
    char now[32], then[32];
    (void)text_grouped(is, now);
    (void)text_grouped(was, then);
    (void)snprintf(why, PROOF_WHY, "%s gain: %s -> %s %s", is < was ? "too small a" : "no", then,
                   now, s->of_sectors ? "sectors" : "wavefronts");
    return true;
}

/* Requests to the threads' own memory: spills and local arrays. */
static uint64_t local_requests(const smp_kernel_profile *kernel) {
    uint64_t sum = 0;
    for (uint32_t i = 0; kernel && i < kernel->site_count; i++)
        sum += kernel->sites[i].is_local ? kernel->sites[i].requests : 0;
    return sum;
}

/* Sets `why` if the run proves nothing. */
void repair_judge(const repair_bench *s, const proof_run *run, repair_try *tried) {
    char *why = tried->why;
    uint64_t bytes;
    const smp_kernel_profile *kernel = repair_kernel_named(run, smp_kernel_full_name(s->kernel));
    const repair_figures before = repair_figures_of(s->now, NULL),
                         after = repair_figures_of(run, NULL);
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
        (void)snprintf(why, PROOF_WHY, "%.120s would need more wavefronts than before",
                       smp_kernel_full_name(worse));
    else if (after.sectors > before.sectors &&
             (s->of_sectors ||
              (after.sectors - before.sectors) * 2 > before.wavefronts - after.wavefronts))
        (void)snprintf(why, PROOF_WHY, "it moves more sectors of global memory");
    else if (b->local_bytes > a->local_bytes && local_requests(kernel) > local_requests(s->kernel))
        (void)snprintf(why, PROOF_WHY,
                       "registers spill: %" PRIu32 " -> %" PRIu32 " bytes per thread",
                       a->local_bytes, b->local_bytes);
    else if (s->job->max_bytes > 0 && b->shared_bytes > s->job->max_bytes)
        (void)snprintf(why, PROOF_WHY,
                       "it needs %" PRIu32 " bytes of shared memory, more than "
                       "--max-bytes allows",
                       b->shared_bytes);
    else if (b->resident < a->resident &&
             b->wavefronts * a->resident >= a->wavefronts * b->resident)
        (void)snprintf(why, PROOF_WHY,
                       "only %" PRIu32 " instead of %" PRIu32
                       " blocks fit on a multiprocessor, which costs more than it saves",
                       b->resident, a->resident);
}

static bool is_race(const smp_profile_finding *one) {
    return one->kind == SMP_FINDING_RACE && !one->is_note;
}

/* Whether the kernel already has races on the array. Their number says little: it counts pairs of
 * lines, and the compiler gives accesses that it joins or moves to other lines. */
static bool had_race(const proof_run *first, const smp_profile_finding *race) {
    const char *array = race->array ? race->array : "";
    return ANY(one, first->profile.findings, first->profile.finding_count,
               is_race(one) && strcmp(one->kernel, race->kernel) == 0 &&
                   strcmp(one->array ? one->array : "", array) == 0);
}

void repair_judge_races(const proof_run *first, const proof_run *run, repair_try *tried) {
    for (uint32_t i = 0; i < run->profile.finding_count && tried->why[0] == '\0'; i++) {
        const smp_profile_finding *one = &run->profile.findings[i];
        if (is_race(one) && !had_race(first, one))
            (void)snprintf(tried->why, PROOF_WHY, "a race that the source does not have: %.150s",
                           one->message);
    }
}
