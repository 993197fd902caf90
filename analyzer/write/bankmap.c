/* SPDX-License-Identifier: MIT */
/*
 * The bank map: banks from left to right, wavefronts from top to bottom. A full line uses every
 * bank; a short one with others below it is a bank conflict that anyone can see.
 */
#include <stdio.h>

#include "write_report.h"

typedef struct painter {
    FILE *out;
    smp_style style;
    unsigned banks;
    unsigned number;
    bool has_pairs; /* cells of two words */
} painter;

static void put_cell(const painter *brush, unsigned lanes, bool is_pair, bool first) {
    const char *mark = lanes == 0   ? (brush->style.unicode ? "·" : ".")
                       : is_pair    ? (brush->style.unicode ? "▣" : "%")
                       : lanes == 1 ? (brush->style.unicode ? "■" : "#")
                                    : (brush->style.unicode ? "◆" : "*");
    const char *color = lanes == 0 ? "\033[2m" : first ? "\033[32m" : "\033[31m";
    if (brush->style.color)
        fprintf(brush->out, "%s%s\033[0m", color, mark);
    else
        fputs(mark, brush->out);
}

static void put_row(painter *brush, const smp_map_row *row) {
    const char *side = brush->style.unicode ? "│" : "|";
    fprintf(brush->out, "%5u %s", ++brush->number, side);
    for (unsigned bank = 0; bank < brush->banks; bank++) {
        const smp_map_cell *cell = &row->cells[bank];
        if (bank > 0)
            fputc(' ', brush->out);
        put_cell(brush, (unsigned)__builtin_popcount(cell->lanes), cell->is_pair, row->is_first);
        brush->has_pairs |= cell->is_pair;
    }
    fprintf(brush->out, "%s %2u\n", side, row->busy);
}

/* Bank numbers above their columns, each over four cells of two characters. */
static void put_header(const painter *brush) {
    fputs(" wave  ", brush->out);
    for (unsigned bank = 0; bank < brush->banks; bank += 4)
        fprintf(brush->out, "%-8u", bank);
    fputs("busy\n", brush->out);
}

static void put_legend(const painter *brush, unsigned hidden) {
    bool fancy = brush->style.unicode;
    if (hidden > 0)
        fprintf(brush->out, "      %s %u more\n", fancy ? "⋮" : ":", hidden);
    fprintf(brush->out, "      %s one lane's word   %s one word for several lanes   %s idle bank\n",
            fancy ? "■" : "#", fancy ? "◆" : "*", fancy ? "·" : ".");
    if (brush->has_pairs)
        fprintf(brush->out, "      %s two words of one segment of 64, which come at once\n",
                fancy ? "▣" : "%");
}

void smp_bankmap_print(FILE *out, const smp_report *report, smp_style style, unsigned rows) {
    painter brush = {out, style, report->arch.banks, 0, false};
    smp_map_row map[SMP_MAP_ROWS_MAX];
    const size_t total = smp_bank_map(&report->arch, &report->access, &report->counts, map, rows);
    put_header(&brush);
    for (size_t i = 0; i < total && i < rows; i++)
        put_row(&brush, &map[i]);
    put_legend(&brush, total > rows ? (unsigned)total - rows : 0);
    if (smp_ops(NULL)[report->access.op].passes > 1)
        fputs("      each line twice: compare-and-swap makes each pass twice\n", out);
}
