/* SPDX-License-Identifier: MIT */
/*
 * Profiles and annotated sources for pull requests: a table of the worst lines, and the source
 * around them as a diff in which hot lines are marked as removed, which colours them.
 */
#include <inttypes.h>
#include <string.h>

#include "profile_words.h"
#include "write_format.h"

enum { AROUND = 3 };

/* Writes a cell; characters that would end it, begin a tag, link or emphasis, or mention a user are
 * escaped. */
static void put_part(FILE *out, const char *text, size_t length) {
    for (size_t i = 0, bytes; i < length; i += bytes) {
        bytes = smp_visible_bytes(text + i, length - i);
        bytes = bytes > 0 ? bytes : 1;
        if (strchr("|<>*_\\`[]#~", text[i]))
            fputc('\\', out);
        if (text[i] == '@' || text[i] == '&')
            fprintf(out, "&#%d;", text[i]);
        else
            smp_visible_put(out, text + i, bytes);
    }
}

/* Writes Markdown; the texts in it are escaped. */
#define MD(out, ...) put_escaped(out, put_part, __VA_ARGS__)

/* `archs`: "sm_80: ", or "" for a single architecture. */
static void put_head(FILE *out, const smp_profile_sums *sums, const char *archs) {
    const struct {
        const char *unit;
        uint64_t excess, all;
    } rows[] = {{"wavefronts", smp_sums_excess(sums), sums->wavefronts},
                {"sectors", smp_sums_excess_sectors(sums), sums->sectors}};
    const char *before = archs, *verb = " are excess";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].all == 0)
            continue;
        fprintf(out, "%s**%s** of %s %s%s (%s)", before, smp_percent(rows[i].excess, rows[i].all),
                count_text(rows[i].all), rows[i].unit, verb, count_text(rows[i].excess));
        before = ", ", verb = "";
    }
    if (before == archs)
        fprintf(out, "%sno accesses", archs);
    fputs(".\n\n", out);
}

static void put_heads(FILE *out, const smp_ranking *ranking) {
    for (uint32_t i = 0, next; i < ranking->arch_count; i = next) {
        char name[SMP_ARCHS_TITLE_BYTES], archs[SMP_ARCHS_TITLE_BYTES + 16] = "";
        next = smp_archs_title(ranking, i, name);
        if (ranking->arch_count > 1)
            (void)snprintf(archs, sizeof archs, "`%s`: ", name);
        put_head(out, &ranking->archs[i].sums, archs);
    }
    if (ranking->arch_count == 0)
        put_head(out, &ranking->sums, "");
}

/* Writes a kernel with the script lines that launched it. `others`: further architectures. */
static void put_kernel(FILE *out, const smp_ranking *ranking, const smp_kernel_profile *kernel,
                       uint32_t others) {
    char text[300];
    smp_kernel_title(ranking, kernel, text, sizeof text);
    MD(out, " %s", text);
    if (others > 0)
        fprintf(out, " and %" PRIu32 " other%s", others, plural(others));
    for (uint32_t i = 0; i < kernel->caller_count; i++) {
        fputs(i == 0 ? "<br>called by " : ", ", out);
        MD(out, "%s", smp_frame_text(&kernel->callers[i]));
    }
    for (uint32_t i = 0; i < kernel->range_count; i++) {
        fputs(i == 0 ? "<br>in ranges " : ", ", out);
        MD(out, "%s", kernel->ranges[i]);
    }
    fputs(" |", out);
}

static void put_place(FILE *out, const smp_ranking *ranking, const smp_profile_line *line) {
    MD(out, " %s |", smp_place_text(line));
    put_kernel(out, ranking, line->kernel, line->others);
}

static void put_repair(FILE *out, const smp_profile_fix *fix) {
    const smp_seen_fix *change = fix->padding.kind != SMP_SEEN_NONE ? &fix->padding : &fix->swizzle;
    const bool is_hopeless = fix->obstacle[0] != '\0', has_change = change->kind != SMP_SEEN_NONE;
    char change_words[400] = "", wider_words[400] = "";
    if (has_change)
        smp_change_text(fix, change, change_words, sizeof change_words);
    if (fix->wider.site_count > 0)
        smp_wider_text(&fix->wider, wider_words, sizeof wider_words);
    MD(out, " %s%s%s%s |", is_hopeless ? "none: " : "", is_hopeless ? fix->obstacle : change_words,
       (is_hopeless || has_change) && wider_words[0] ? "; or " : "", wider_words);
}

void smp_md_findings(FILE *out, const smp_profile *profile) {
    char text[1024];
    if (profile->finding_count == 0)
        return;
    smp_findings_count_text(profile, text, sizeof text);
    fprintf(out, "**%s**\n\n| severity | finding | line | what | where |\n|---|---|---|---|---|\n",
            text);
    EACH(const smp_profile_finding, finding, profile->findings, profile->finding_count) {
        const smp_frame frame = {finding->at.file, finding->at.line};
        smp_finding_detail(profile, finding, text, sizeof text);
        fprintf(out, "| %s | %s |", finding->is_note ? "note" : "**error**",
                smp_finding_kind_name(finding->kind));
        MD(out, " %s | %s | %s |\n", frame.file ? smp_frame_text(&frame) : "", finding->message,
           text);
    }
    fputc('\n', out);
}

void smp_md_place(FILE *out, const smp_ranking *ranking, const smp_frame *frame,
                  const smp_kernel_profile *kernel) {
    MD(out, " %s |", frame ? smp_frame_text(frame) : "");
    put_kernel(out, ranking, kernel, 0);
}

static void put_row(FILE *out, const smp_profile_view *view, uint32_t number) {
    const smp_profile_line *line = smp_ranking_worst(view->ranking, number);
    char why[512] = "";
    smp_prediction report;
    fputs("|", out);
    put_place(out, view->ranking, line);
    if (line->sums.ways > 0)
        fprintf(out, " %" PRIu32, line->sums.ways);
    else
        fputs(" -", out);
    fprintf(out, " | %s | %s |", count_text(smp_sums_excess(&line->sums)),
            count_text(smp_sums_excess_sectors(&line->sums)));
    if (smp_site_report(line->kernel, line->sites[0], &report))
        (void)smp_prediction_why(&report, why, sizeof why);
    MD(out, " %s |", why);
    put_repair(out, &view->fixes[number]);
    fputc('\n', out);
}

static void put_table_head(FILE *out) {
    fputs("| line | kernel | ways | excess wavefronts | excess sectors | why | advice |\n"
          "|---|---|---:|---:|---:|---|---|\n",
          out);
}

void smp_profile_md(FILE *out, const smp_profile_view *view, smp_style style) {
    (void)style;
    smp_md_findings(out, view->profile);
    put_heads(out, view->ranking);
    if (view->worst_lines == 0)
        return;
    put_table_head(out);
    for (uint32_t i = 0; i < view->worst_lines; i++)
        put_row(out, view, i);
}

/* ---- An annotated source ---- */

static bool is_hot(const smp_annotated_line *line) {
    return smp_sums_loss(&line->sums) > 0;
}

static bool is_shown(const smp_annotate_view *view, uint32_t index) {
    const smp_annotation *of = view->annotation;
    if (view->first > 0)
        return of->lines[index].number >= view->first && of->lines[index].number <= view->last;
    const uint32_t from = index > AROUND ? index - AROUND : 0;
    for (uint32_t i = from; i < of->line_count && i <= index + AROUND; i++)
        if (is_hot(&of->lines[i]))
            return true;
    return false;
}

/* Returns a fence longer than any run of backquotes in the source. */
static int fence_length(const smp_annotate_view *view) {
    int most = 2, run = 0;
    for (uint32_t i = 0; i < view->annotation->line_count; i++) {
        const smp_annotated_line *line = &view->annotation->lines[i];
        for (size_t j = 0; j < line->length && is_shown(view, i); j++) {
            run = line->text[j] == '`' ? run + 1 : 0;
            most = run > most ? run : most;
        }
        run = 0;
    }
    return most + 1;
}

static void put_fence(FILE *out, int length, const char *language) {
    while (length-- > 0)
        fputc('`', out);
    fprintf(out, "%s\n", language);
}

static void put_line(FILE *out, const smp_annotated_line *line) {
    const uint64_t waves = smp_sums_excess(&line->sums);
    const uint64_t sectors = smp_sums_excess_sectors(&line->sums);
    fprintf(out, "%c %12s ", is_hot(line) ? '-' : ' ',
            waves > 0     ? count_text(waves)
            : sectors > 0 ? count_text(sectors)
                          : "");
    fprintf(out, "%-9s %5" PRIu32 "  ",
            waves > 0     ? "waves"
            : sectors > 0 ? "sectors"
                          : "",
            line->number);
    if (line->text)
        smp_visible_put(out, line->text, line->length);
    fputc('\n', out);
}

void smp_annotate_md(FILE *out, const smp_annotate_view *view, smp_style style) {
    const smp_annotation *of = view->annotation;
    const int fence = fence_length(view);
    uint32_t last = UINT32_MAX;
    (void)style;
    smp_md_findings(out, view->profile->profile);
    put_head(out, &of->sums, "");
    put_table_head(out);
    for (uint32_t i = 0; i < of->line_count; i++)
        if (is_shown(view, i) && of->lines[i].worst < view->profile->worst_lines)
            put_row(out, view->profile, of->lines[i].worst);
    fputc('\n', out);
    put_fence(out, fence, "diff");
    for (uint32_t i = 0; i < of->line_count; i++) {
        if (!is_shown(view, i))
            continue;
        if (last != UINT32_MAX && last + 1 != i)
            fputs("  ...\n", out);
        put_line(out, &of->lines[i]);
        last = i;
    }
    put_fence(out, fence, "");
}
