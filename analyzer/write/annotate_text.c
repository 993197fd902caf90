/* SPDX-License-Identifier: MIT */
/*
 * A source with what its lines cost in the margin. A line that costs more than it must begins with
 * '>', so that a pager finds the next one; below the worst stand reason and repair.
 */
#include <inttypes.h>
#include <string.h>

#include "profile_words.h"
#include "visible_text.h"
#include "write_annotate.h"
#include "write_report.h"

enum { TAB = 4 };

static uint64_t excess_of(const smp_profile_sums *sums) {
    return smp_sums_excess(sums) + smp_sums_excess_sectors(sums);
}

/* As hot as its part of the costliest line: half, a tenth, less. */
static const char *heat(const smp_annotation *of, const smp_profile_sums *sums) {
    const uint64_t excess = excess_of(sums);
    return excess == 0               ? NULL
           : excess >= of->most / 2  ? "\033[1;31m"
           : excess >= of->most / 10 ? "\033[31m"
                                     : "\033[33m";
}

static void put_number(FILE *out, bool applies, uint64_t value) {
    char text[SMP_COUNT_TEXT_MAX];
    fprintf(out, " %13s", applies ? smp_count_text(value, text) : "");
}

/* The text with tabs as blanks and nothing that a terminal would obey. */
static void put_code(FILE *out, const char *text, size_t length) {
    size_t column = 0;
    for (size_t i = 0, next; i < length; i = next) {
        next = i;
        while (next < length && text[next] != '\t')
            next++;
        smp_visible_put(out, text + i, next - i);
        column += next - i;
        if (next < length) {
            const size_t blanks = TAB - column % TAB;
            fprintf(out, "%*s", (int)blanks, "");
            column += blanks;
            next++;
        }
    }
}

static void put_line(FILE *out, const smp_annotation *of, const smp_annotated_line *line,
                     smp_style style) {
    const char *color = heat(of, &line->sums);
    fprintf(out, "%s%c", color ? smp_paint(style, color) : "", color ? '>' : ' ');
    put_number(out, line->sums.wavefronts > 0, smp_sums_excess(&line->sums));
    if (line->sums.ways > 0)
        fprintf(out, " %4" PRIu32, line->sums.ways);
    else
        fprintf(out, " %4s", "");
    put_number(out, line->sums.sectors > 0, smp_sums_excess_sectors(&line->sums));
    fprintf(out, "%s %6" PRIu32 " ", color ? smp_paint(style, "\033[0m") : "", line->number);
    if (line->text && line->length > 0) {
        fputc(' ', out);
        put_code(out, line->text, line->length);
    }
    fputc('\n', out);
}

/* Reason and repair of one of the worst lines. */
static void put_remark(FILE *out, const smp_profile_view *view, uint32_t number) {
    const smp_profile_line *line = &view->ranking->lines[view->ranking->worst[number]];
    const smp_profile_fix *fix = &view->fixes[number];
    char text[512];
    smp_report report;
    if (smp_site_report(line->kernel, line->sites[0], &report) &&
        smp_report_why(&report, text, sizeof text) > 0)
        smp_wrapped_print(out, "      why   ", text);
    if (fix->padding.kind != SMP_SEEN_NONE) {
        smp_change_text(fix, &fix->padding, text, sizeof text);
        smp_wrapped_print(out, "      fix   ", text);
    }
    if (fix->swizzle.kind != SMP_SEEN_NONE) {
        smp_change_text(fix, &fix->swizzle, text, sizeof text);
        smp_wrapped_print(out, fix->padding.kind != SMP_SEEN_NONE ? "      or    " : "      fix   ",
                          text);
    }
    if (fix->wider.site_count > 0) {
        const bool is_second =
            fix->padding.kind != SMP_SEEN_NONE || fix->swizzle.kind != SMP_SEEN_NONE;
        smp_wider_text(&fix->wider, text, sizeof text);
        smp_wrapped_print(out, is_second ? "      or    " : "      fix   ", text);
    }
}

static void put_head(FILE *out, const smp_annotation *of) {
    char a[SMP_COUNT_TEXT_MAX], b[SMP_COUNT_TEXT_MAX];
    smp_visible_put(out, of->file, strlen(of->file));
    fprintf(out, ": %s of %s wavefronts are excess", smp_count_text(smp_sums_excess(&of->sums), a),
            smp_count_text(of->sums.wavefronts, b));
    fprintf(out, ", %s of %s sectors\n", smp_count_text(smp_sums_excess_sectors(&of->sums), a),
            smp_count_text(of->sums.sectors, b));
    if (!of->source)
        fputs("the file is not here; its lines with figures:\n", out);
    fprintf(out, "\n  excess waves ways excess sectors  line\n");
}

void smp_annotate_text(FILE *out, const smp_annotate_view *view, smp_style style) {
    const smp_annotation *of = view->annotation;
    put_head(out, of);
    for (uint32_t i = 0; i < of->line_count; i++) {
        const smp_annotated_line *line = &of->lines[i];
        if (view->first > 0 && (line->number < view->first || line->number > view->last))
            continue;
        put_line(out, of, line, style);
        if (line->worst < view->profile->worst_lines)
            put_remark(out, view->profile, line->worst);
    }
}
