/* SPDX-License-Identifier: MIT */
/*
 * Searches for changes that order a source's races. For each race, changes are tried from the
 * likeliest on; the first that leaves fewer races and no other finding is kept. A write hides what
 * an earlier write of the same bytes races with, so that a change may leave as many races: in place
 * of its own, one that it hid. It stays if a later change leaves fewer.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "order_edit.h"
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

enum { LINE_BYTES = 80 };

/* Copies a line of `text`, because insertions change line numbers. */
static void copy_line(const char *text, uint32_t line, char out[LINE_BYTES]) {
    const char *at = text;
    for (uint32_t i = 1; at && i < line; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    (void)snprintf(out, LINE_BYTES, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
}

static bool is_given_up(const search *s, const smp_profile_finding *race) {
    char kernel[80], code[LINE_BYTES];
    name_kernel(s, race, kernel, sizeof kernel);
    copy_line(s->text, race->at.line, code);
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
    copy_line(s->text, race->at.line, to->code);
    (void)snprintf(to->array, sizeof to->array, "%s", race->array ? race->array : "");
    (void)snprintf(to->text, sizeof to->text, "%s%s%s%s", is_ours(s, race) ? "" : "in ",
                   is_ours(s, race) ? ""
                   : race->at.file  ? smp_base_name(race->at.file)
                                    : "",
                   is_ours(s, race) ? "" : ": ", race->missing ? race->missing : race->message);
    if (is_ours(s, race))
        search_correct(s, to->text, sizeof to->text);
    return SMP_OK;
}

/* Whether `b` of `text` may be the race `a` of the best version. True also if one of its lines is
 * no longer in the text, so that it cannot be told. */
static bool may_be_same_race(const search *s, const smp_profile_finding *a,
                             const smp_profile_finding *b, const char *text) {
    char first[2][LINE_BYTES], second[2][LINE_BYTES];
    copy_line(s->text, a->at.line, first[0]);
    copy_line(s->text, a->other.line, first[1]);
    copy_line(text, b->at.line, second[0]);
    copy_line(text, b->other.line, second[1]);
    if (!strstr(text, first[0]) || !strstr(text, first[1]))
        return true;
    const bool is_turned = strcmp(first[0], second[0]) != 0;
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(first[0], second[is_turned]) == 0 &&
           strcmp(first[1], second[!is_turned]) == 0;
}

/* Whether `run`, of `text`, has fewer races than `before`, or as many, but another one in place of
 * `race`, which hid it. `race`: NULL if the text is meant to repair none. */
static bool is_progress(const search *s, const smp_profile_finding *race, const proof_run *run,
                        const char *text, uint32_t before) {
    const uint32_t after = proof_races(run);
    return after < before || (after == before && race && race->kind == SMP_FINDING_RACE &&
                              !ANY(one, run->profile.findings, run->profile.finding_count,
                                   proof_is_race(one) && may_be_same_race(s, race, one, text)));
}

/* Finds a note that the original does not have: warps that wait at different barriers. */
static const smp_profile_finding *new_note(const search *s, const proof_run *run) {
    const smp_profile *now = &run->profile, *first = &s->first.profile;
    return FIND(one, now->findings, now->finding_count,
                one->is_note && one->kind == SMP_FINDING_BARRIER &&
                    !ANY(had, first->findings, first->finding_count,
                         had->is_note && had->kind == SMP_FINDING_BARRIER));
}

static void say_as_many(repair_try *tried, const char *how, uint32_t races) {
    (void)snprintf(tried->why, PROOF_WHY, "%s%" PRIu32 " race%s, as many as before", how, races,
                   races == 1 ? "" : "s");
}

/* Accepts progress without any other finding. */
static void judge(const search *s, const smp_profile_finding *race, const proof_run *run,
                  const char *text, repair_try *tried) {
    const smp_profile_finding *error = proof_first_error(run, true),
                              *wrong = error ? error : new_note(s, run);
    uint64_t bytes;
    char why[PROOF_WHY];
    tried->races_after = proof_races(run);
    tried->has_run = run->count == s->first.count && run->count > 0;
    for (uint32_t i = 0; i < run->count; i++)
        tried->has_run &= run->kernels[i].blocks_run > 0 || s->now->kernels[i].blocks_run == 0;
    if (wrong)
        (void)snprintf(tried->why, PROOF_WHY, "%s: %.150s", smp_finding_kind_name(wrong->kind),
                       wrong->message);
    else if (!tried->has_run)
        (void)snprintf(tried->why, PROOF_WHY, "it did not finish");
    else if (!is_progress(s, race, run, text, tried->races_before))
        say_as_many(tried, "", tried->races_after);
    tried->differs = !proof_equal(&s->first, run, &bytes, why);
}

/* Runs the text as it is written. Returns its number of races, or UINT32_MAX if that cannot be
 * run; the caller clears *run in any case. */
static uint32_t plain_races(const search *s, const char *text, size_t length, proof_run *run) {
    proof_job job = s->job->proof;
    smp_error ignored;
    job.is_plain = true;
    const bool has_run = proof_make(&job, text, length, &s->first, false, run, &ignored) == SMP_OK;
    return has_run && !proof_first_error(run, true) ? proof_races(run) : UINT32_MAX;
}

static uint32_t plain_count(const search *s, const char *text, size_t length) {
    proof_run run = {.count = 0};
    const uint32_t out = plain_races(s, text, length, &run);
    proof_clear(&run);
    return out;
}

/* The compiler moves accesses across a barrier's first half, so that a barrier in the wrong place
 * may order them in this machine code. Without optimization, statements keep their order. */
static void judge_as_written(const search *s, const smp_profile_finding *race, const char *text,
                             size_t length, repair_try *tried) {
    const uint32_t before = plain_count(s, s->text, s->length);
    proof_run run = {.count = 0};
    if (before == 0 || before == UINT32_MAX)
        return;
    const uint32_t after = plain_races(s, text, length, &run);
    if (after != UINT32_MAX && !is_progress(s, race, &run, text, before))
        say_as_many(tried, "without optimization (-G) ", after);
    proof_clear(&run);
}

/* ---- One change ---- */

enum { INSERTED_MOST = 32, REPLACED_BYTES = 32 };

/* What was inserted, by its place in the best version, in the order of the tries. */
typedef struct inserted {
    struct {
        size_t at, length;
        char replaced[REPLACED_BYTES]; /* the text that it replaced */
        size_t number;                 /* index of its try */
    } list[INSERTED_MOST];
    unsigned count;
} inserted;

/* Text at `at` has become longer by `more` bytes. */
static void move_inserted(inserted *in, size_t at, size_t more) {
    for (unsigned i = 0; i < in->count; i++)
        if (in->list[i].at >= at)
            in->list[i].at += more;
}

/* `length` and `also`: sizes of what was inserted. A change of two places, or of much text, is not
 * noted: it cannot be dropped later. */
static void keep_inserted(inserted *in, const order_change *change, const char *replaced,
                          size_t length, size_t also, size_t number) {
    move_inserted(in, change->at, length - change->length);
    move_inserted(in, change->also_at, also);
    if (change->length >= REPLACED_BYTES || change->also[0] != '\0' || in->count == INSERTED_MOST)
        return;
    in->list[in->count].at = change->at;
    in->list[in->count].length = length;
    (void)snprintf(in->list[in->count].replaced, REPLACED_BYTES, "%s", replaced);
    in->list[in->count++].number = number;
}

/* The last version with fewer races than all before it. */
typedef struct surest {
    char *text; /* NULL: it is the best version, as no change since left as many */
    size_t length, try_count;
    inserted in;
    unsigned as_many; /* changes since that left as many */
} surest;

enum { AS_MANY_MOST = 4 }; /* so that a search that only uncovers races ends */

typedef struct ordering {
    search *s;
    inserted in;
    surest sure;
} ordering;

/* Notes the best version before a change that leaves as many races, and forgets it if the change
 * leaves fewer. */
static smp_status keep_sure(ordering *o, bool is_less) {
    if (is_less) {
        free(o->sure.text);
        o->sure.text = NULL;
        return SMP_OK;
    }
    if (o->sure.text) {
        o->sure.as_many++;
        return SMP_OK;
    }
    o->sure = (surest){.text = strndup(o->s->text, o->s->length),
                       .length = o->s->length,
                       .try_count = o->s->out->try_count - 1,
                       .in = o->in,
                       .as_many = 1};
    return o->sure.text ? SMP_OK : smp_error_memory(o->s->error);
}

/* Writes, compiles and runs one change for `race`, and keeps it if it is proven. */
static smp_status try_one(ordering *o, const smp_profile_finding *race, const char *kernel,
                          const order_change *change, bool *is_taken) {
    search *s = o->s;
    text_edits edits = {.count = 0};
    proof_run run = {.count = 0};
    size_t length = 0;
    char replaced[REPLACED_BYTES];
    const smp_profile_finding *hides =
        o->sure.text && o->sure.as_many == AS_MANY_MOST ? NULL : race;
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
    (void)snprintf(replaced, sizeof replaced, "%.*s", (int)change->length, s->text + change->at);
    tried->races_before = proof_races(s->now);
    smp_status status = proof_make(&s->job->proof, text, length, &s->first, false, &run, s->error);
    if (status == SMP_OK)
        judge(s, hides, &run, text, tried);
    if (status == SMP_OK && tried->why[0] == '\0')
        judge_as_written(s, hides, text, length, tried);
    if (status == SMP_OK && tried->why[0] == '\0')
        status = keep_sure(o, tried->races_after < tried->races_before);
    status = search_end_try(s, status, tried, &run, text, length);
    *is_taken = tried->is_kept;
    if (*is_taken)
        keep_inserted(&o->in, change, replaced, added, also, s->out->try_count - 1);
    return status;
}

static smp_status repair_one(ordering *o, const smp_profile_finding *race) {
    search *s = o->s;
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
        /* if taken, `race` is no longer valid */
        status = try_one(o, race, kernel, &list[i], &is_taken);
    }
    return status == SMP_OK && !is_taken && s->out->end == REPAIR_DONE ? give_up(s, race) : status;
}

/* Makes `text` the best version again, which it takes over. */
static smp_status take_again(search *s, char *text, size_t length, bool is_first) {
    proof_run run = {.count = 0};
    smp_status status =
        is_first ? SMP_OK
                 : proof_make(&s->job->proof, text, length, &s->first, false, &run, s->error);
    if (status != SMP_OK) {
        proof_clear(&run);
        free(text);
        return status;
    }
    status = search_take(s, &run, text, length);
    if (is_first)
        s->now = &s->first;
    for (const smp_profile_finding *race; status == SMP_OK && (race = next_race(s));)
        status = give_up(s, race);
    return status;
}

/* Goes back to the last version that had fewer races, if the changes since left as many. A
 * search that was ended early keeps them, as the run that it takes could not end either. */
static smp_status return_to_sure(ordering *o) {
    search *s = o->s;
    const repair_try *tries = s->out->tries;
    const bool is_first = o->sure.text && !ANY(one, tries, o->sure.try_count, one->is_kept);
    if (!o->sure.text || (!is_first && s->out->end != REPAIR_DONE))
        return SMP_OK;
    char *text = o->sure.text;
    o->sure.text = NULL;
    o->in = o->sure.in;
    for (size_t i = o->sure.try_count; i < s->out->try_count; i++) {
        repair_try *tried = &s->out->tries[i];
        if (tried->is_kept)
            say_as_many(tried, "", tried->races_after);
        tried->is_kept = false;
    }
    return take_again(s, text, o->sure.length, is_first);
}

/* ---- What later changes made needless ---- */

/* Whether a version without one of the insertions has no more races, compiled either way. */
static bool is_needless(const search *s, const proof_run *run, const char *text, size_t length) {
    repair_try without = {.races_before = proof_races(s->now) + 1};
    judge(s, NULL, run, text, &without);
    return without.why[0] == '\0' &&
           plain_count(s, text, length) <= plain_count(s, s->text, s->length);
}

static smp_status drop_one(ordering *o, unsigned number) {
    search *s = o->s;
    const size_t at = o->in.list[number].at, gone = o->in.list[number].length;
    const char *replaced = o->in.list[number].replaced;
    repair_try *tried = &s->out->tries[o->in.list[number].number];
    text_edits edits = {.count = 0};
    proof_run run = {.count = 0};
    size_t length = 0;
    text_edits_add(&edits, at, gone, "%s", replaced);
    char *text = text_edits_apply(&edits, s->text, s->length, &length);
    text_edits_clear(&edits);
    if (!text)
        return smp_error_memory(s->error);
    smp_status status = proof_make(&s->job->proof, text, length, &s->first, false, &run, s->error);
    if (status == SMP_OK && is_needless(s, &run, text, length) &&
        search_goes_on(s, tried->change)) {
        tried->is_kept = false;
        (void)snprintf(tried->why, PROOF_WHY, "the other changes do without it");
        move_inserted(&o->in, at + 1, strlen(replaced) - gone);
        return search_take(s, &run, text, length);
    }
    proof_clear(&run);
    free(text);
    return status == SMP_E_MEMORY ? status : SMP_OK;
}

smp_status repair_races(search *s) {
    const smp_profile_finding *race;
    smp_status status = SMP_OK;
    ordering o = {.s = s};
    while (status == SMP_OK && s->out->end == REPAIR_DONE && (race = next_race(s)))
        status = repair_one(&o, race);
    if (status == SMP_OK)
        status = return_to_sure(&o);
    for (unsigned i = 0; status == SMP_OK && i + 1 < o.in.count; i++) /* the last one is needed */
        if (search_goes_on(s, s->out->tries[o.in.list[i].number].change))
            status = drop_one(&o, i);
    if (proof_races(s->now) == 0) /* some may have followed from others */
        s->out->advice_count = 0;
    free(o.sure.text);
    return status;
}
