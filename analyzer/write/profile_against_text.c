/* SPDX-License-Identifier: MIT */
/*
 * Two profiles side by side, for people.
 */
#include <inttypes.h>
#include <string.h>

#include "profile_against.h"
#include "profile_findings.h"
#include "profile_words.h"
#include "profile_write.h"
#include "visible_text.h"

static void put_change(FILE *out, const char *label, uint64_t before, uint64_t after) {
    if (before == 0 && after == 0)
        return;
    fprintf(out, "    %-11s %14" PRIu64 " -> %14" PRIu64, label, before, after);
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

static void put_line(FILE *out, const smp_against_line *line) {
    const char *file = line->frame && line->frame->file ? line->frame->file : NULL;
    const char *name = line->kernel->demangled ? line->kernel->demangled : line->kernel->name;
    char shown[61];
    fprintf(out, "  %-6s ", word_of(line));
    if (file) {
        smp_visible_text(out, smp_base_name(file));
        fprintf(out, ":%" PRIu32 " in %s\n", line->frame->line, smp_visible_copy(shown, 49, name));
    } else {
        fprintf(out, "%s\n", smp_visible_copy(shown, sizeof shown, name));
    }
    put_sums(out, &line->before, &line->after);
}

/* "sm_90", or how many there are. */
static void archs_text(const smp_profile *profile, char text[32]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        bool is_new = profile->kernels[i].arch != NULL;
        for (uint32_t j = 0; j < i && is_new; j++)
            is_new = !profile->kernels[j].arch ||
                     strcmp(profile->kernels[j].arch->name, profile->kernels[i].arch->name) != 0;
        if (is_new && count++ == 0)
            (void)snprintf(text, 32, "%.31s", profile->kernels[i].arch->name);
    }
    if (count != 1)
        (void)snprintf(text, 32, "%" PRIu32 " architectures", count);
}

/* What differs may then be the code of another chip, or its rules. */
static bool archs_differ(const smp_profile_view *view, char before[32], char after[32]) {
    archs_text(view->before, before);
    archs_text(view->profile, after);
    return view->before->kernel_count > 0 && view->profile->kernel_count > 0 &&
           strcmp(before, after) != 0;
}

/* Which of them are the same cannot be told: lines and code differ. */
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
    uint32_t same = 0;
    char before[32], after[32];
    smp_findings_text(out, view->profile, style);
    put_findings_before(out, view);
    fputs("all of it, before -> after\n", out);
    if (archs_differ(view, before, after))
        fprintf(out, "    of %22s -> %14s\n", before, after);
    put_sums(out, &against->before, &against->after);
    fputc('\n', out);
    for (uint32_t i = 0; i < against->line_count; i++) {
        const smp_against_line *line = &against->lines[i];
        const bool is_same = line->in_before && line->in_after && smp_against_change(line) == 0;
        same += is_same;
        if (!is_same)
            put_line(out, line);
    }
    fprintf(out, "  %" PRIu32 " line%s cost%s what %s did\n", same, same == 1 ? "" : "s",
            same == 1 ? "s" : "", same == 1 ? "it" : "they");
}

/* ---- Markdown ---- */

static void put_numbers(FILE *out, const smp_profile_sums *before, const smp_profile_sums *after) {
    const uint64_t pairs[4][2] = {{before->ways, after->ways},
                                  {before->wavefronts, after->wavefronts},
                                  {smp_sums_excess(before), smp_sums_excess(after)},
                                  {before->sectors, after->sectors}};
    for (int i = 0; i < 4; i++) {
        char a[SMP_COUNT_TEXT_MAX], b[SMP_COUNT_TEXT_MAX];
        fprintf(out, " %s | %s |", smp_count_text(pairs[i][0], a), smp_count_text(pairs[i][1], b));
    }
    fputc('\n', out);
}

void smp_against_md(FILE *out, const smp_profile_view *view, smp_style style) {
    (void)style;
    const smp_against *against = view->against;
    uint32_t same = 0;
    char before[32], after[32];
    if (archs_differ(view, before, after))
        fprintf(out, "Before: %s. After: %s.\n\n", before, after);
    smp_md_findings(out, view->profile);
    put_findings_before(out, view);
    fputs("| line | kernel | | ways before | after | wavefronts before | after | excess before | "
          "after | sectors before | after |\n"
          "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n| all of it | | |",
          out);
    put_numbers(out, &against->before, &against->after);
    for (uint32_t i = 0; i < against->line_count; i++) {
        const smp_against_line *line = &against->lines[i];
        if (line->in_before && line->in_after && smp_against_change(line) == 0) {
            same++;
            continue;
        }
        fputs("|", out);
        smp_md_place(out, view->ranking, line->frame, line->kernel);
        fprintf(out, " %s |", word_of(line));
        put_numbers(out, &line->before, &line->after);
    }
    fprintf(out, "\n%" PRIu32 " line%s cost%s what %s did.\n", same, same == 1 ? "" : "s",
            same == 1 ? "s" : "", same == 1 ? "it" : "they");
}
