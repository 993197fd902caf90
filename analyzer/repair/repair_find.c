/* SPDX-License-Identifier: MIT */
/* Repairs a file: the first run, the searches, and the patch. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "message_lines.h"
#include "search.h"
#include "seconds.h"
#include "visible_text.h"

/* Returns a kernel whose machine code differs from the profile's, or any kernel if the profile has
 * none of them; NULL if all match. */
static const smp_kernel_profile *other_kernel(const search *s) {
    const smp_profile *profiled = s->job->profiled;
    uint32_t known = 0;
    for (uint32_t i = 0; profiled && i < s->first.profile.kernel_count; i++) {
        const smp_kernel_profile *own = &s->first.profile.kernels[i];
        bool is_there = false, is_same = false;
        EACH(const smp_kernel_profile, other, profiled->kernels, profiled->kernel_count) {
            const bool is_named = strcmp(own->name, other->name) == 0 && own->arch == other->arch;
            is_there |= is_named;
            is_same |= is_named && own->code_hash == other->code_hash;
        }
        if (is_there && !is_same)
            return own;
        known += is_same;
    }
    return profiled && known == 0 && s->first.profile.kernel_count > 0 ? s->first.profile.kernels
                                                                       : NULL;
}

/* Whether the source has what --races repairs: an endless wait, or a race. Other findings may
 * follow from it, such as an index that is read too early; no repair may leave any. */
static bool is_racy(const search *s) {
    return s->job->proof.races && proof_races(&s->first) > 0;
}

/* Says why a kernel did not run to its end. */
static void name_end(const search *s, const proof_kernel *of) {
    const smp_kernel_profile *kernel = repair_kernel_named(&s->first, of->name);
    char time[64];
    (void)snprintf(time, sizeof time, "did not finish in %.0f s (--time)", s->job->seconds);
    (void)snprintf(s->out->refused, sizeof s->out->refused, "%.80s %.200s", of->name,
                   kernel && kernel->not_seen ? kernel->not_seen : time);
}

/* " (a.cu:12)", or "" if the place is not known. */
static const char *place_of(const search *s, const smp_profile_finding *wrong, char out[80]) {
    out[0] = '\0';
    if (wrong && wrong->at.file && wrong->at.line > 0 && !s->first.copy)
        (void)snprintf(out, 80, " (%.60s:%" PRIu32 ")", smp_base_name(wrong->at.file),
                       wrong->at.line);
    return out;
}

/* Whether the first run is a sound basis for comparison. */
static bool is_sound(search *s) {
    char *why = s->out->refused;
    const size_t size = sizeof s->out->refused;
    const smp_profile_finding *wrong = proof_first_error(&s->first, s->job->proof.races);
    char place[80];
    if (!search_goes_on(s, ""))
        (void)snprintf(why, size, "%s before the source had run",
                       s->out->end == REPAIR_INTERRUPTED ? "interrupted" : "out of time (--time)");
    else if (wrong && !is_racy(s))
        (void)snprintf(
            why, size, "it must run without findings before it can be changed: %s%s, %.150s%s",
            smp_finding_kind_name(wrong->kind), place_of(s, wrong, place), wrong->message,
            wrong->kind == SMP_FINDING_UNINITIALISED && !s->job->proof.races
                ? "; a race can be the reason (smemprobe fix --races)"
                : "");
    else if (other_kernel(s))
        (void)snprintf(why, size,
                       "the machine code of %.120s differs from the profile: the source has "
                       "changed, or was compiled with other flags (give them after --)",
                       other_kernel(s)->name);
    else if (s->first.count == 0)
        (void)snprintf(why, size,
                       "no kernel ran (exit status %d); arguments of main follow a second --",
                       s->first.exit_status);
    s->out->is_whole = true;
    for (uint32_t i = 0; i < s->first.left.launch_count; i++) {
        s->out->launches_seen += s->first.left.launches[i].is_seen;
        if (!s->first.left.launches[i].is_whole && why[0] == '\0' && !is_racy(s))
            (void)snprintf(why, size, "%.80s did not finish", s->first.left.launches[i].kernel);
    }
    for (uint32_t i = 0; i < s->first.count; i++) {
        if (s->first.kernels[i].blocks_run == 0 && why[0] == '\0' && !is_racy(s))
            name_end(s, &s->first.kernels[i]);
        s->out->is_whole &= s->first.kernels[i].blocks_run == s->first.kernels[i].blocks;
    }
    return why[0] == '\0';
}

static smp_status begin(search *s) {
    const repair_job *job = s->job;
    const smp_status status =
        proof_make(&job->proof, job->text, job->length, NULL, false, &s->first, s->error);
    s->now = &s->first;
    s->text = malloc(job->length + 1);
    s->blank = host_text_make(job->text, job->length);
    s->length = job->length;
    if (!s->text || !s->blank)
        return smp_error_memory(s->error);
    memcpy(s->text, job->text, job->length + 1);
    return status;
}

/* Every line ends with a newline, also the last of a file. */
static bool keep_change(void *user, const char *name, size_t first, size_t count, const char *text,
                        size_t length) {
    repair *out = user;
    if (!LIST_ROOM(out->changes, out->change_count))
        return false;
    repair_change *to = &out->changes[out->change_count++];
    *to = (repair_change){(uint32_t)first, (uint32_t)count, malloc(length + 2), ""};
    (void)snprintf(to->file, sizeof to->file, "%s", name);
    if (to->text)
        (void)sprintf(to->text, "%.*s%s", (int)length, text,
                      length > 0 && text[length - 1] != '\n' ? "\n" : "");
    return to->text;
}

/* Writes the difference of one of the joined files. */
static bool write_part(FILE *file, const search *s, unsigned index) {
    const repair_job *job = s->job;
    char name[PATCH_NAME_BYTES];
    size_t before_length, after_length;
    char *before = joined_part(job->text, job->length, index, &before_length);
    char *after = joined_part(s->text, s->length, index, &after_length);
    patch_name_of(index > 0 ? job->joined->paths[index] : job->proof.file.path, name);
    const bool is_fine =
        before && after &&
        unified_diff(file, name, before, before_length, after, after_length, keep_change, s->out);
    free(before);
    free(after);
    return is_fine;
}

static smp_status write_patch(search *s) {
    repair *out = s->out;
    size_t length;
    FILE *file = open_memstream(&out->patch, &length);
    bool is_fine = file;
    for (unsigned i = 0; is_fine && i < (s->job->joined ? s->job->joined->count : 1); i++)
        is_fine = s->job->joined ? write_part(file, s, i)
                                 : unified_diff(file, s->job->name, s->job->text, s->job->length,
                                                s->text, s->length, keep_change, out);
    if (!file || fclose(file) != 0 || !is_fine)
        return smp_error_memory(s->error);
    out->text = s->text;
    out->length = s->length;
    s->text = NULL;
    return SMP_OK;
}

static void put_line(text_buffer *out, unsigned line, const void *user) {
    const joined *of = user;
    unsigned index;
    text_add(out, "%u", joined_line(of, line, &index));
    if (index > 0)
        text_add(out, " of %s", smp_base_name(of->paths[index]));
}

/* Converts each "line 12" in a message; lines of headers get their name. */
static void joined_correct(const joined *of, char *message, size_t size) {
    message_lines_convert(message, size, put_line, of);
}

/* Gives lines of joined headers their own numbers and name. */
static void name_headers(const joined *of, repair *out) {
    EACH(repair_try, one, out->tries, out->try_count) {
        char change[LAYOUT_WORDS];
        unsigned index;
        one->line = joined_line(of, one->line, &index);
        joined_correct(of, one->change, sizeof one->change);
        joined_correct(of, one->why, sizeof one->why);
        (void)snprintf(change, sizeof change, "%s", one->change);
        if (index > 0 && !strstr(change, smp_base_name(of->paths[index])))
            (void)snprintf(one->change, sizeof one->change, "%.60s: %.90s",
                           smp_base_name(of->paths[index]), change);
    }
    EACH(repair_advice, one, out->advice, out->advice_count) {
        unsigned index;
        one->line = joined_line(of, one->line, &index);
        joined_correct(of, one->text, sizeof one->text);
        if (index > 0) {
            const size_t used = strlen(one->text);
            (void)snprintf(one->text + used, sizeof one->text - used, " (in %.60s)",
                           smp_base_name(of->paths[index]));
        }
    }
}

static smp_status finish(search *s) {
    char why[PROOF_WHY];
    if (s->job->joined)
        name_headers(s->job->joined, s->out);
    s->out->kernels = s->first.count;
    s->out->is_program = s->job->proof.has_main;
    s->out->launches = s->first.left.launch_count;
    s->out->races_before = proof_races(s->is_raced ? &s->raced : &s->first);
    s->out->races_after = s->is_raced ? s->out->races_before : proof_races(s->now);
    s->out->before = repair_figures_of(&s->first, NULL);
    s->out->after = repair_figures_of(s->now, NULL);
    if (s->now == &s->first)
        return SMP_OK;
    s->out->is_same = proof_equal(&s->first, s->now, &s->out->bytes_compared, why);
    s->out->printed = proof_left_printed(&s->first.left);
    for (size_t i = 0; i < s->out->try_count; i++)
        if (s->out->tries[i].is_kept) {
            s->out->bytes_drawn = s->out->tries[i].bytes_drawn;
            s->out->races_after = s->out->tries[i].races_after;
        }
    return write_patch(s);
}

static smp_status look(search *s) {
    if (s->job->proof.races)
        return repair_races(s);
    const smp_status status = repair_arrays(s);
    return status == SMP_OK && s->out->refused[0] == '\0' ? repair_global(s) : status;
}

/* Limit for a block when waits are changed, since a changed wait may never end. */
enum { STEPS_MOST = 50 * 1000 * 1000 };

smp_status repair_find(const repair_job *asked, repair *out, smp_error *error) {
    repair_job limited = *asked;
    if (limited.proof.races && limited.proof.block_limit == 0)
        limited.proof.block_limit = STEPS_MOST;
    const repair_job *job = &limited;
    search s = {.job = job, .out = out, .begun = seconds_now(), .error = error};
    memset(out, 0, sizeof *out);
    limited.proof.grouped = s.grouped;
    smp_status status = begin(&s);
    const bool looks = status == SMP_OK && is_sound(&s);
    if (looks)
        status = look(&s);
    if (status == SMP_OK)
        status = finish(&s);
    proof_clear(&s.first);
    proof_clear(&s.best);
    proof_clear(&s.raced);
    proof_clear(&s.drawn);
    if (s.gpu_state == GPU_OPEN)
        gpu_driver_close(&s.gpu);
    free(s.text);
    free(s.blank);
    return status;
}

void repair_clear(repair *of) {
    free(of->tries);
    free(of->advice);
    free(of->text);
    free(of->patch);
    for (size_t i = 0; i < of->change_count; i++)
        free(of->changes[i].text);
    free(of->changes);
    memset(of, 0, sizeof *of);
}
