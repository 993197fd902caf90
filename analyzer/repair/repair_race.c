/* SPDX-License-Identifier: MIT */
/*
 * Searches for changes that order a source's races. For each race, changes are tried from the
 * likeliest on; the first that leaves fewer races and no other finding is kept.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "order_edit.h"
#include "profile_rank.h"
#include "search.h"
#include "visible_text.h"

static bool is_ours(const search *s, const smp_profile_finding *race) {
    const char *name = s->now->copy ? s->now->copy : s->job->proof.file.path;
    return race->at.file && strcmp(smp_base_name(race->at.file), smp_base_name(name)) == 0;
}

static void name_kernel(const search *s, const smp_profile_finding *race, char *out, size_t size) {
    const smp_kernel_profile *kernel = smp_finding_kernel_of(&s->now->profile, race);
    out[0] = '\0';
    if (kernel)
        smp_kernel_short_name(kernel, out, size);
}

/* Copies the text of the race's line, because insertions change line numbers. */
static void copy_line(const search *s, const smp_profile_finding *race, char out[80]) {
    const char *at = s->text, *end = s->text + s->length;
    for (uint32_t i = 1; at && i < race->at.line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    (void)snprintf(out, 80, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
}

static bool is_given_up(const search *s, const smp_profile_finding *race) {
    char kernel[80], code[80];
    name_kernel(s, race, kernel, sizeof kernel);
    copy_line(s, race, code);
    return ANY(one, s->out->advice, s->out->advice_count,
               strcmp(one->code, code) == 0 && strcmp(one->kernel, kernel) == 0 &&
                   strcmp(one->array, race->array ? race->array : "") == 0);
}

/* Endless waits come first, because what follows them has not run. */
static const smp_profile_finding *next_race(const search *s) {
    const smp_profile_finding *first = NULL;
    EACH(const smp_profile_finding, one, s->now->profile.findings, s->now->profile.finding_count)
        if (proof_is_race(one) && !is_given_up(s, one) && (!first || proof_is_stuck(one)))
            first = one;
    return first;
}

/* Whether the same kernel has an endless wait, so that a repair of this race cannot be judged. */
static bool is_behind_stuck(const search *s, const smp_profile_finding *race) {
    bool any = false;
    for (uint32_t i = 0; i < s->now->profile.finding_count && !proof_is_stuck(race); i++) {
        const smp_profile_finding *one = &s->now->profile.findings[i];
        any |= proof_is_stuck(one) && strcmp(one->kernel, race->kernel) == 0;
    }
    return any;
}

static smp_status give_up(search *s, const smp_profile_finding *race) {
    repair *out = s->out;
    if (!LIST_ROOM(out->advice, out->advice_count))
        return smp_error_memory(s->error);
    repair_advice *to = &out->advice[out->advice_count++];
    *to = (repair_advice){.line = search_line(s, race->at.line)};
    name_kernel(s, race, to->kernel, sizeof to->kernel);
    copy_line(s, race, to->code);
    (void)snprintf(to->array, sizeof to->array, "%s", race->array ? race->array : "");
    (void)snprintf(to->text, sizeof to->text, "%s%s%s%s", is_ours(s, race) ? "" : "in ",
                   is_ours(s, race) ? ""
                   : race->at.file  ? smp_base_name(race->at.file)
                                    : "",
                   is_ours(s, race) ? "" : ": ", race->missing ? race->missing : race->message);
    return SMP_OK;
}

/* Accepts fewer races without any other finding. */
static void judge(const search *s, const proof_run *run, repair_try *tried) {
    const smp_profile_finding *wrong = proof_first_error(run, true);
    uint64_t bytes;
    char why[PROOF_WHY];
    tried->races_after = proof_races(run, NULL);
    tried->has_run = run->count == s->first.count && run->count > 0;
    for (uint32_t i = 0; i < run->count; i++)
        tried->has_run &= run->kernels[i].blocks_run > 0 || s->now->kernels[i].blocks_run == 0;
    if (wrong)
        (void)snprintf(tried->why, PROOF_WHY, "%s: %.150s", smp_finding_kind_name(wrong->kind),
                       wrong->message);
    else if (!tried->has_run)
        (void)snprintf(tried->why, PROOF_WHY, "it did not finish");
    else if (tried->races_after >= tried->races_before)
        (void)snprintf(tried->why, PROOF_WHY, "%" PRIu32 " race%s, as many as before",
                       tried->races_after, tried->races_after == 1 ? "" : "s");
    tried->differs = !proof_equal(&s->first, run, &bytes, why);
}

/* Number of races of the text as it is written, or UINT32_MAX if that cannot be run. */
static uint32_t plain_races(const search *s, const char *text, size_t length) {
    proof_job job = s->job->proof;
    proof_run run = {.count = 0};
    smp_error ignored;
    job.is_plain = true;
    const bool has_run = proof_make(&job, text, length, &s->first, false, &run, &ignored) == SMP_OK;
    const uint32_t out =
        has_run && !proof_first_error(&run, true) ? proof_races(&run, NULL) : UINT32_MAX;
    proof_clear(&run);
    return out;
}

/* The compiler moves accesses across a barrier's first half, so that a barrier in the wrong place
 * may order them in this machine code. Without optimization, statements keep their order. */
static void judge_as_written(const search *s, const char *text, size_t length, repair_try *tried) {
    const uint32_t before = plain_races(s, s->text, s->length);
    const uint32_t after = before > 0 && before != UINT32_MAX ? plain_races(s, text, length) : 0;
    if (after >= before && after != UINT32_MAX && after > 0)
        (void)snprintf(tried->why, PROOF_WHY,
                       "without optimization (-G) %" PRIu32 " race%s, as many as before", after,
                       after == 1 ? "" : "s");
}

/* ---- One change ---- */

enum { INSERTED_MOST = 32 };

/* Lines that were inserted, by their place in the best version, in the order of the tries. */
typedef struct inserted {
    struct {
        size_t at, length;
        size_t number; /* index of its try */
    } list[INSERTED_MOST];
    unsigned count;
} inserted;

/* Text at `at` has become longer by `more` bytes. */
static void move_inserted(inserted *in, size_t at, size_t more) {
    for (unsigned i = 0; i < in->count; i++)
        if (in->list[i].at >= at)
            in->list[i].at += more;
}

/* `length` and `also`: sizes of what was inserted. */
/* Only insertions at one place may be dropped later; a change of two places stays whole. */
static void keep_inserted(inserted *in, const order_change *change, size_t length, size_t also,
                          size_t number) {
    move_inserted(in, change->at, length - change->length);
    move_inserted(in, change->also_at, also);
    if (change->length > 0 || change->also[0] != '\0' || in->count == INSERTED_MOST)
        return;
    in->list[in->count].at = change->at;
    in->list[in->count].length = length;
    in->list[in->count++].number = number;
}

/* Writes, compiles and runs one change, and keeps it if it is proven. */
static smp_status try_one(search *s, const char *kernel, const order_change *change, inserted *in,
                          bool *is_taken) {
    text_edits edits = {.count = 0};
    proof_run run = {.count = 0};
    size_t length = 0;
    repair_try *tried = search_begin_try(s, kernel, change->words, search_line(s, change->line));
    if (tried)
        search_correct(s, tried->change, sizeof tried->change);
    text_edits_add(&edits, change->at, change->length, "%s", change->text);
    if (change->also[0] != '\0')
        text_edits_add(&edits, change->also_at, 0, "%s", change->also);
    const size_t added = text_edit_size(change->text, s->text, change->at),
                 also = text_edit_size(change->also, s->text, change->also_at);
    char *text = tried ? text_edits_apply(&edits, s->text, s->length, &length) : NULL;
    text_edits_clear(&edits);
    if (!text)
        return smp_error_memory(s->error);
    tried->races_before = proof_races(s->now, NULL);
    smp_status status = proof_make(&s->job->proof, text, length, &s->first, false, &run, s->error);
    if (status == SMP_OK)
        judge(s, &run, tried);
    if (status == SMP_OK && tried->why[0] == '\0')
        judge_as_written(s, text, length, tried);
    status = search_end_try(s, status, tried, &run, text, length);
    *is_taken = tried->is_kept;
    if (*is_taken)
        keep_inserted(in, change, added, also, s->out->try_count - 1);
    return status;
}

static smp_status repair_one(search *s, const smp_profile_finding *race, inserted *in) {
    order_change list[ORDER_CHANGES_MAX];
    char kernel[80];
    bool is_taken = false;
    smp_status status = SMP_OK;
    name_kernel(s, race, kernel, sizeof kernel);
    const unsigned count = is_ours(s, race) && !is_behind_stuck(s, race)
                               ? order_changes_find(s->text, s->blank, race, list)
                               : 0;
    for (unsigned i = 0; status == SMP_OK && !is_taken && i < count; i++) {
        if (!search_goes_on(s, list[i].words))
            return SMP_OK;
        status =
            try_one(s, kernel, &list[i], in, &is_taken); /* if taken, `race` is no longer valid */
    }
    return status == SMP_OK && !is_taken && s->out->end == REPAIR_DONE ? give_up(s, race) : status;
}

/* ---- What later changes made needless ---- */

/* Whether a version without one of the insertions has no more races, compiled either way. */
static bool is_needless(const search *s, const proof_run *run, const char *text, size_t length) {
    repair_try without = {.races_before = proof_races(s->now, NULL) + 1};
    judge(s, run, &without);
    return without.why[0] == '\0' &&
           plain_races(s, text, length) <= plain_races(s, s->text, s->length);
}

static smp_status drop_one(search *s, inserted *in, unsigned number) {
    const size_t at = in->list[number].at, gone = in->list[number].length;
    repair_try *tried = &s->out->tries[in->list[number].number];
    text_edits edits = {.count = 0};
    proof_run run = {.count = 0};
    size_t length = 0;
    text_edits_add(&edits, at, gone, "%s", "");
    char *text = text_edits_apply(&edits, s->text, s->length, &length);
    text_edits_clear(&edits);
    if (!text)
        return smp_error_memory(s->error);
    smp_status status = proof_make(&s->job->proof, text, length, &s->first, false, &run, s->error);
    if (status == SMP_OK && is_needless(s, &run, text, length) &&
        search_goes_on(s, tried->change)) {
        tried->is_kept = false;
        (void)snprintf(tried->why, PROOF_WHY, "the other changes do without it");
        move_inserted(in, at + 1, 0 - gone);
        return search_take(s, &run, text, length);
    }
    proof_clear(&run);
    free(text);
    return status == SMP_E_MEMORY ? status : SMP_OK;
}

smp_status repair_races(search *s) {
    const smp_profile_finding *race;
    smp_status status = SMP_OK;
    inserted in = {.count = 0};
    while (status == SMP_OK && s->out->end == REPAIR_DONE && (race = next_race(s)))
        status = repair_one(s, race, &in);
    for (unsigned i = 0; status == SMP_OK && i + 1 < in.count; i++) /* the last one is needed */
        if (search_goes_on(s, s->out->tries[in.list[i].number].change))
            status = drop_one(s, &in, i);
    if (proof_races(s->now, NULL) == 0) /* some may have followed from others */
        s->out->advice_count = 0;
    return status;
}
