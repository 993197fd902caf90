/* SPDX-License-Identifier: MIT */
/*
 * Two profiles side by side, for programs: what a page embeds, and the same as a document.
 */
#include "profile_against_json.h"

#include "json_text.h"
#include "profile_against.h"
#include "profile_json.h"
#include "profile_words.h"

static json_t *sums_json(const smp_profile_sums *sums) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "requests", (json_int_t)sums->requests,
                     "wavefronts", (json_int_t)sums->wavefronts, "ideal", (json_int_t)sums->ideal,
                     "sectors", (json_int_t)sums->sectors, "ideal_sectors",
                     (json_int_t)sums->ideal_sectors, "ways", (json_int_t)sums->ways);
}

static json_t *changed_json(const smp_against_line *line) {
    char title[200];
    json_t *out = json_object();
    smp_kernel_short_name(line->kernel, title, sizeof title);
    json_set(out, "kernel", json_text_of(title));
    json_set(out, "name", json_text_of(line->kernel->name));
    json_set(out, "file", json_text_or_null(line->frame ? line->frame->file : NULL));
    json_set(out, "line", line->frame ? json_count(true, line->frame->line) : json_null());
    json_set(out, "before", line->in_before ? sums_json(&line->before) : json_null());
    json_set(out, "after", line->in_after ? sums_json(&line->after) : json_null());
    return out;
}

static json_t *findings_json(const smp_profile *profile) {
    json_t *out = json_array();
    for (uint32_t i = 0; i < profile->finding_count; i++)
        json_push(out, smp_finding_to_json(&profile->findings[i]));
    return out;
}

json_t *smp_against_to_json(const smp_profile_view *view) {
    const smp_profile *before = view->before;
    json_t *out = json_object(), *lines = json_array();
    for (uint32_t i = 0; i < view->against->line_count; i++)
        json_push(lines, changed_json(&view->against->lines[i]));
    json_set(out, "run", before->run_count > 0 ? smp_run_to_json(&before->runs[0]) : json_null());
    json_set(out, "before", sums_json(&view->against->before));
    json_set(out, "after", sums_json(&view->against->after));
    json_set(out, "lines", lines);
    json_set(out, "findings_before", findings_json(before));
    json_set(out, "findings", findings_json(view->profile));
    return out;
}

void smp_against_json(FILE *out, const smp_profile_view *view, smp_style style) {
    (void)style;
    json_t *root = smp_against_to_json(view);
    json_set(root, "schema_version", json_integer(SMP_PROFILE_SCHEMA_VERSION));
    json_put(out, root, JSON_ENSURE_ASCII);
}
