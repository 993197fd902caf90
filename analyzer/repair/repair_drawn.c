/* SPDX-License-Identifier: MIT */
/*
 * Compares the kernels of a program on random numbers, with the launches that its text shows.
 */
#include "search.h"

enum { LIMIT_INSTRUCTIONS = 20000000 };

static proof_job drawn_job(const search *s) {
    proof_job job = s->job->proof;
    job.has_main = false;
    job.notes = NULL;
    job.file.notes = NULL;
    job.launch_limit = LIMIT_INSTRUCTIONS;
    return job;
}

/* Whether both ran the same blocks to their end. */
static bool are_alike(const proof_run *first, const proof_run *run) {
    bool out = first->count == run->count && !proof_first_error(first, false);
    for (uint32_t i = 0; i < first->count && out; i++)
        out = first->kernels[i].blocks_run > 0 &&
              first->kernels[i].blocks_run == run->kernels[i].blocks_run;
    return out;
}

/* Whether the original leaves the same again. */
static bool is_usable(search *s, const proof_job *job) {
    proof_run again = {.count = 0};
    smp_error ignored;
    uint64_t bytes;
    char why[PROOF_WHY];
    const bool is_same = s->drawn.code && are_alike(&s->drawn, &s->drawn) &&
                         proof_make(job, s->job->text, s->job->length, &s->drawn, true, &again,
                                    &ignored) == SMP_OK &&
                         are_alike(&s->drawn, &again) &&
                         proof_equal(&s->drawn, &again, &bytes, why);
    proof_clear(&again);
    return is_same;
}

/* Makes the run of the original. Leaves it without kernels if it proves nothing. */
static void draw_first(search *s, const proof_job *job) {
    smp_error ignored;
    s->is_drawn = true;
    if (proof_make(job, s->job->text, s->job->length, NULL, false, &s->drawn, &ignored) != SMP_OK ||
        !is_usable(s, job))
        proof_clear(&s->drawn);
}

smp_status search_compare_drawn(search *s, const char *text, size_t length, repair_try *tried) {
    proof_run run = {.count = 0};
    smp_error ignored;
    uint64_t bytes;
    char why[PROOF_WHY];
    if (!s->job->proof.has_main)
        return SMP_OK;
    const proof_job job = drawn_job(s);
    if (!s->is_drawn)
        draw_first(s, &job);
    if (s->drawn.count == 0)
        return SMP_OK;
    const smp_status status = proof_make(&job, text, length, &s->drawn, false, &run, &ignored);
    if (status == SMP_OK && are_alike(&s->drawn, &run) &&
        !proof_equal(&s->drawn, &run, &bytes, why)) {
        (void)snprintf(tried->why, PROOF_WHY, "on random numbers %.180s", why);
        tried->differs = true;
    }
    proof_clear(&run);
    return status == SMP_E_MEMORY ? status : SMP_OK;
}
