/* SPDX-License-Identifier: MIT */
/*
 * A source with the cost of each line in the margin. A costly line begins with '>', so that a pager
 * can search for the next one. The reason and the repair stand below the worst lines.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile_words.h"
#include "style.h"
#include "visible_text.h"
#include "write_format.h"

enum { TAB = 4, NUMBERS = 13, READABLE = 100, CODE_LEAST = 20, HANG = 4 };

/* Width of the numbers, and of the whole line where it is known. */
typedef struct margin {
    int excess, sectors, columns;
} margin;

/* Color by the line's share of the costliest line: half, a tenth, less. */
static const char *heat(const smp_annotation *of, const smp_profile_sums *sums) {
    const uint64_t excess = smp_sums_loss(sums);
    return excess == 0               ? NULL
           : excess >= of->most / 2  ? "\033[1;31m"
           : excess >= of->most / 10 ? "\033[31m"
                                     : "\033[33m";
}

static void put_number(FILE *out, int columns, bool applies, uint64_t value) {
    fprintf(out, " %*s", columns, applies ? count_text(value) : "");
}

static int longer(int columns, uint64_t value) {
    const int length = (int)strlen(count_text(value));
    return length > columns ? length : columns;
}

/* Columns shrink to the widest number in a narrow terminal. */
static margin margin_of(FILE *out, const smp_annotation *of) {
    margin all = {NUMBERS, NUMBERS, smp_columns_known(out)};
    if (all.columns == 0 || all.columns >= READABLE)
        return all;
    all.excess = (int)strlen("excess");
    all.sectors = (int)strlen("sectors");
    for (uint32_t i = 0; i < of->line_count; i++) {
        all.excess = longer(all.excess, smp_sums_excess(&of->lines[i].sums));
        all.sectors = longer(all.sectors, smp_sums_excess_sectors(&of->lines[i].sums));
    }
    return all;
}

/* Writes code with tabs expanded and control characters escaped. */
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

/* Wraps code to the terminal, each line behind the margin. */
static void put_narrow_code(FILE *out, int columns, int at, const char *text, size_t length) {
    char *shown = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&shown, &size);
    if (!memory) {
        put_code(out, text, length);
        fputc('\n', out);
        return;
    }
    put_code(memory, text, length);
    if (fclose(memory) != 0 || !shown)
        return;
    const int indent = (int)strspn(shown, " "), hang = at + indent + HANG;
    fold_rest(out, columns, at, hang + CODE_LEAST < columns ? hang : at, shown, size);
    free(shown);
}

static void put_figures(FILE *out, const smp_annotation *of, const smp_annotated_line *line,
                        const margin *room, smp_style style) {
    const char *color = heat(of, &line->sums);
    fprintf(out, "%s%c", color ? smp_paint(style, color) : "", color ? '>' : ' ');
    put_number(out, room->excess, line->sums.wavefronts > 0, smp_sums_excess(&line->sums));
    put_number(out, 4, line->sums.ways > 0, line->sums.ways);
    put_number(out, room->sectors, line->sums.sectors > 0, smp_sums_excess_sectors(&line->sums));
    fprintf(out, "%s", color ? smp_paint(style, "\033[0m") : "");
}

/* Writes figures, line number and code; the figures get a line of their own where they leave no
 * room for code. */
static void put_line(FILE *out, const smp_annotation *of, const smp_annotated_line *line,
                     const margin *room, smp_style style) {
    const int figures = 1 + 1 + room->excess + 1 + 4 + 1 + room->sectors, number = 1 + 6 + 2;
    const bool is_above = room->columns > 0 && figures + number + CODE_LEAST > room->columns;
    if (!is_above || line->sums.wavefronts > 0 || line->sums.sectors > 0) {
        put_figures(out, of, line, room, style);
        fprintf(out, "%s", is_above ? "\n" : "");
    }
    fprintf(out, " %6" PRIu32 " ", line->number);
    if (!line->text || line->length == 0) {
        fputc('\n', out);
        return;
    }
    fputc(' ', out);
    if (room->columns > 0)
        put_narrow_code(out, room->columns, is_above ? number : figures + number, line->text,
                        line->length);
    else {
        put_code(out, line->text, line->length);
        fputc('\n', out);
    }
}

/* Writes the reason and the repair of one of the worst lines. */
static void put_remark(FILE *out, const smp_profile_view *view, uint32_t number) {
    const smp_profile_line *line = smp_ranking_worst(view->ranking, number);
    const smp_profile_fix *fix = &view->fixes[number];
    char text[512];
    smp_prediction report;
    if (smp_site_report(line->kernel, line->sites[0], &report) &&
        smp_prediction_why(&report, text, sizeof text) > 0)
        smp_wrapped_print(out, "      why     ", text);
    const uint32_t same = smp_fix_shown_before(view, number);
    bool has_change = same != number;
    if (has_change)
        put_visible(out, "      advice  as for %s\n",
                    smp_place_text(smp_ranking_worst(view->ranking, same)));
    else
        has_change =
            smp_changes_put(out, fix, NULL, "      advice  ", "      or      ", (smp_style){0});
    if (fix->obstacle[0] != '\0')
        smp_wrapped_print(out, "      no advice ", fix->obstacle);
    smp_wider_put(out, &fix->wider, has_change ? "      or      " : "      advice  ");
}

static void put_head(FILE *out, const smp_annotation *of, const margin *room) {
    put_visible(out, "%s: %s of %s wavefronts are excess, %s of %s sectors\n", of->file,
                count_text(smp_sums_excess(&of->sums)), count_text(of->sums.wavefronts),
                count_text(smp_sums_excess_sectors(&of->sums)), count_text(of->sums.sectors));
    if (!of->source)
        fputs("the file is not here; its lines with figures:\n", out);
    if (room->excess == NUMBERS)
        fprintf(out, "\n  excess waves ways excess sectors  line\n");
    else
        fprintf(out, "excess wavefronts and sectors per line:\n\n  %*s ways %*s   line\n",
                room->excess, "excess", room->sectors, "sectors");
}

void smp_annotate_text(FILE *out, const smp_annotate_view *view, smp_style style) {
    const smp_annotation *of = view->annotation;
    const margin room = margin_of(out, of);
    smp_findings_text(out, view->profile->profile, style);
    put_head(out, of, &room);
    EACH(const smp_annotated_line, line, of->lines, of->line_count) {
        if (view->first > 0 && (line->number < view->first || line->number > view->last))
            continue;
        put_line(out, of, line, &room, style);
        if (line->worst < view->profile->worst_lines)
            put_remark(out, view->profile, line->worst);
    }
}
