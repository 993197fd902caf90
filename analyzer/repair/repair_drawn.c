/* SPDX-License-Identifier: MIT */
/* Compares the kernels of a program on random numbers, each with the shape of its first launch and
 * all arguments that are no arrays. */
#include "search.h"

enum { LIMIT_INSTRUCTIONS = 20000000 };

/* `left` is what a run of the program left, with the shapes of its launches. */
static proof_job drawn_job(const search *s, const proof_left *left) {
    proof_job job = s->job->proof;
    job.has_main = false;
    job.notes = NULL;
    job.file.notes = NULL;
    job.launch_limit = job.block_limit = LIMIT_INSTRUCTIONS;
    job.shaped = left;
    return job;
}

/* Whether all kernels ended without a finding, else `why`. */
static bool is_sound(const proof_run *run, char why[PROOF_WHY]) {
    const smp_profile_finding *wrong = proof_first_error(run, false);
    if (wrong && wrong->kind == SMP_FINDING_LIMIT) {
        (void)snprintf(why, PROOF_WHY, "a block does not end in %d instructions",
                       LIMIT_INSTRUCTIONS);
        return false;
    }
    if (wrong) {
        (void)snprintf(why, PROOF_WHY, "%s: %.150s", smp_finding_kind_name(wrong->kind),
                       wrong->message);
        return false;
    }
    for (uint32_t i = 0; i < run->count; i++)
        if (run->kernels[i].blocks_run == 0) {
            (void)snprintf(why, PROOF_WHY, "%.80s does not end in %d instructions",
                           run->kernels[i].name, LIMIT_INSTRUCTIONS);
            return false;
        }
    return true;
}

/* Runs the kernels of the original twice. Sets `why` if the two runs differ. Numbers that serve as
 * indices may be too large at first. */
static smp_status draw_first(search *s, char why[PROOF_WHY]) {
    static const int64_t extents[] = {0, 32};
    proof_job job = drawn_job(s, &s->first.left);
    proof_run again = {.count = 0};
    smp_error error;
    uint64_t bytes;
    bool is_usable = false;
    smp_status status = SMP_OK;
    for (size_t i = 0; status == SMP_OK && !is_usable && i < sizeof extents / sizeof *extents;
         i++) {
        proof_clear(&s->drawn);
        job.wish.extent = extents[i];
        why[0] = '\0';
        status = proof_make(&job, s->job->text, s->job->length, NULL, false, &s->drawn, &error);
        is_usable = status == SMP_OK && is_sound(&s->drawn, why);
    }
    if (is_usable)
        status = proof_make(&job, s->job->text, s->job->length, &s->drawn, true, &again, &error);
    if (status != SMP_OK)
        (void)snprintf(why, PROOF_WHY, "%.190s", error.message);
    else if (why[0] == '\0' && !proof_equal(&s->drawn, &again, &bytes, why))
        (void)snprintf(why, PROOF_WHY, "two runs of the unchanged source differ");
    proof_clear(&again);
    return status == SMP_E_MEMORY ? status : SMP_OK;
}

/* Whether two equal runs show that the results are equal: bytes other than 0, or printed words. */
static bool shows_equal(const search *s, const proof_run *run, uint64_t drawn_bytes) {
    char why[PROOF_WHY];
    uint64_t left_bytes;
    (void)proof_equal(&s->first, run, &left_bytes, why);
    return left_bytes + drawn_bytes + proof_left_printed(&s->first.left).words > 0;
}

smp_status search_compare_drawn(search *s, const proof_run *run, const char *text, size_t length,
                                repair_try *tried) {
    proof_run drawn = {.count = 0};
    smp_error error;
    uint64_t bytes = 0;
    char why[PROOF_WHY] = "";
    smp_status status = SMP_OK;
    const bool is_comparable = s->job->proof.has_main && s->grouped[0] == '\0';
    if (is_comparable && !s->is_drawn)
        status = draw_first(s, s->out->undrawn);
    s->is_drawn |= is_comparable;
    if (status == SMP_OK && is_comparable && s->out->undrawn[0] == '\0') {
        const proof_job job = drawn_job(s, &run->left);
        status = proof_make(&job, text, length, &s->drawn, false, &drawn, &error);
        if (status != SMP_OK)
            (void)snprintf(why, sizeof why, "%.150s", error.message);
        else if (is_sound(&drawn, why))
            tried->differs = !proof_equal(&s->drawn, &drawn, &bytes, why);
    }
    if (why[0] != '\0')
        (void)snprintf(tried->why, PROOF_WHY, "on random numbers %.180s", why);
    else if (!shows_equal(s, run, bytes))
        (void)snprintf(tried->why, PROOF_WHY,
                       "no results to compare: memory is left unwritten or 0%s",
                       s->job->proof.has_main ? "" : "; fill arrays: float[64] = random:-1:1");
    tried->bytes_drawn = bytes;
    proof_clear(&drawn);
    return status == SMP_E_MEMORY ? status : SMP_OK;
}
