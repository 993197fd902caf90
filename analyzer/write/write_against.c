/* SPDX-License-Identifier: MIT */
/* Two profiles side by side: as text, Markdown and JSON, and as the data of a page. */
#include <inttypes.h>
#include <string.h>

#include "json_text.h"
#include "profile_json.h"
#include "profile_words.h"

static void put_change(FILE *out, const char *label, uint64_t before, uint64_t after) {
    if (before == 0 && after == 0)
        return;
    fprintf(out, "    %-11s %14s -> %14s", label, count_text(before), count_text(after));
    if (before > 0 && after > 0 && before != after)
        fprintf(out, "   %.2f times", (double)after / (double)before);
    fputc('\n', out);
}

static void put_sums(FILE *out, const smp_profile_sums *before, const smp_profile_sums *after) {
    put_change(out, "wavefronts", before->wavefronts, after->wavefronts);
    put_change(out, "excess", smp_sums_excess(before), smp_sums_excess(after));
    put_change(out, "sectors", before->sectors, after->sectors);
    put_change(out, "ways", before->ways, after->ways);
}

static const char *word_of(const smp_against_line *line) {
    return !line->in_before               ? "new"
           : !line->in_after              ? "gone"
           : smp_against_change(line) > 0 ? "worse"
                                          : "better";
}

static bool is_same(const smp_against_line *line) {
    return line->in_before && line->in_after && smp_against_change(line) == 0;
}

/* Writes "3 lines unchanged". */
static void put_same(FILE *out, const smp_against *against) {
    uint32_t same = 0;
    for (uint32_t i = 0; i < against->line_count; i++)
        same += is_same(&against->lines[i]);
    fprintf(out, "%" PRIu32 " line%s unchanged", same, plural(same));
}

static void put_line(FILE *out, const smp_against_line *line) {
    const char *file = line->frame && line->frame->file ? line->frame->file : NULL;
    const char *name = smp_kernel_full_name(line->kernel);
    char shown[61];
    fprintf(out, "  %-6s ", word_of(line));
    if (file)
        put_visible(out, "%s in %s\n", smp_frame_text(line->frame),
                    smp_visible_copy(shown, 49, name));
    else
        fprintf(out, "%s\n", smp_visible_copy(shown, sizeof shown, name));
    put_sums(out, &line->before, &line->after);
}

/* "sm_90", or the number of architectures. */
static void archs_text(const smp_profile *profile, char text[32]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        bool is_new = profile->kernels[i].arch;
        for (uint32_t j = 0; j < i && is_new; j++)
            is_new = !profile->kernels[j].arch ||
                     strcmp(profile->kernels[j].arch->name, profile->kernels[i].arch->name) != 0;
        if (is_new && count++ == 0)
            (void)snprintf(text, 32, "%.31s", profile->kernels[i].arch->name);
    }
    if (count != 1)
        (void)snprintf(text, 32, "%" PRIu32 " architectures", count);
}

/* Returns true if the architectures differ; then the code or the rules may differ, too. */
static bool archs_differ(const smp_profile_view *view, char before[32], char after[32]) {
    archs_text(view->before, before);
    archs_text(view->profile, after);
    return view->before->kernel_count > 0 && view->profile->kernel_count > 0 &&
           strcmp(before, after) != 0;
}

/* Writes both counts: findings cannot be matched, as lines and code differ. */
static void put_findings_before(FILE *out, const smp_profile_view *view) {
    char text[100];
    if (view->before->finding_count == 0 && view->profile->finding_count == 0)
        return;
    smp_findings_count_text(view->before, text, sizeof text);
    fprintf(out, "before: %s\n", text);
    smp_findings_count_text(view->profile, text, sizeof text);
    fprintf(out, "after:  %s\n\n", text);
}

void smp_against_text(FILE *out, const smp_profile_view *view, smp_style style) {
    const smp_against *against = view->against;
    char before[32], after[32];
    smp_findings_text(out, view->profile, style);
    put_findings_before(out, view);
    fputs("total, before -> after\n", out);
    if (archs_differ(view, before, after))
        fprintf(out, "    of %22s -> %14s\n", before, after);
    if (against->before_file)
        put_visible(out, "    %s is compared with %s\n", against->after_file, against->before_file);
    put_sums(out, &against->before, &against->after);
    fputc('\n', out);
    for (uint32_t i = 0; i < against->line_count; i++)
        if (!is_same(&against->lines[i]))
            put_line(out, &against->lines[i]);
    fputs("  ", out);
    put_same(out, against);
    fputc('\n', out);
}

/* ---- Markdown ---- */

static void put_numbers(FILE *out, const smp_profile_sums *before, const smp_profile_sums *after) {
    const uint64_t pairs[4][2] = {{before->ways, after->ways},
                                  {before->wavefronts, after->wavefronts},
                                  {smp_sums_excess(before), smp_sums_excess(after)},
                                  {before->sectors, after->sectors}};
    for (int i = 0; i < 4; i++)
        fprintf(out, " %s | %s |", count_text(pairs[i][0]), count_text(pairs[i][1]));
    fputc('\n', out);
}

void smp_against_md(FILE *out, const smp_profile_view *view, smp_style style) {
    (void)style;
    const smp_against *against = view->against;
    char before[32], after[32];
    if (archs_differ(view, before, after))
        fprintf(out, "Before: %s. After: %s.\n\n", before, after);
    if (against->before_file)
        put_visible(out, "%s is compared with %s.\n\n", against->after_file, against->before_file);
    smp_md_findings(out, view->profile);
    put_findings_before(out, view);
    fputs("| line | kernel | | ways before | after | wavefronts before | after | excess before | "
          "after | sectors before | after |\n"
          "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n| total | | |",
          out);
    put_numbers(out, &against->before, &against->after);
    EACH(const smp_against_line, line, against->lines, against->line_count) {
        if (is_same(line))
            continue;
        fputs("|", out);
        smp_md_place(out, view->ranking, line->frame, line->kernel);
        fprintf(out, " %s |", word_of(line));
        put_numbers(out, &line->before, &line->after);
    }
    fputc('\n', out);
    put_same(out, against);
    fputs(".\n", out);
}

static json_t *sums_json(const smp_profile_sums *sums) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "requests", (json_int_t)sums->requests,
                     "wavefronts", (json_int_t)sums->wavefronts, "ideal", (json_int_t)sums->ideal,
                     "sectors", (json_int_t)sums->sectors, "ideal_sectors",
                     (json_int_t)sums->ideal_sectors, "ways", (json_int_t)sums->ways);
}

static json_t *changed_json(const smp_against_line *line) {
    char title[200];
    const smp_frame *frame = line->frame;
    smp_kernel_short_name(line->kernel, title, sizeof title);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "kernel", json_text_of(title), "name",
                     json_text_of(line->kernel->name), "file",
                     json_text_or_null(frame ? frame->file : NULL), "line",
                     json_count(frame, frame ? frame->line : 0), "before",
                     line->in_before ? sums_json(&line->before) : json_null(), "after",
                     line->in_after ? sums_json(&line->after) : json_null());
}

static json_t *findings_json(const smp_profile *profile) {
    json_t *out = json_array();
    for (uint32_t i = 0; i < profile->finding_count; i++)
        json_push(out, smp_finding_to_json(&profile->findings[i]));
    return out;
}

json_t *smp_against_to_json(const smp_profile_view *view) {
    const smp_profile *before = view->before;
    json_t *lines = json_array();
    for (uint32_t i = 0; i < view->against->line_count; i++)
        json_push(lines, changed_json(&view->against->lines[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "run",
                     before->run_count > 0 ? smp_run_to_json(&before->runs[0]) : json_null(),
                     "before", sums_json(&view->against->before), "after",
                     sums_json(&view->against->after), "lines", lines, "findings_before",
                     findings_json(before), "findings", findings_json(view->profile));
}

void smp_against_json(FILE *out, const smp_profile_view *view, smp_style style) {
    (void)style;
    json_t *root = smp_against_to_json(view);
    json_set(root, "schema_version", json_integer(SMP_PROFILE_SCHEMA_VERSION));
    json_put(out, root, JSON_ENSURE_ASCII);
}
