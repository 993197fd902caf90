/* SPDX-License-Identifier: MIT */
/*
 * The bank map: banks from left to right, wavefronts from top to bottom. A full row uses every
 * bank; a sparse row with others below it is a bank conflict.
 */

#include "write_prediction.h"

typedef struct painter {
    FILE *out;
    smp_style style;
    unsigned banks;
    unsigned number;
    bool has_pairs; /* cells have two words */
    bool is_narrow; /* no blank between banks */
    bool has_sums;  /* busy banks are counted behind each row */
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
    fprintf(brush->out, "%*u %s", brush->has_sums ? 5 : 3, ++brush->number, side);
    for (unsigned bank = 0; bank < brush->banks; bank++) {
        const smp_map_cell *cell = &row->cells[bank];
        if (bank > 0 && !brush->is_narrow)
            fputc(' ', brush->out);
        put_cell(brush, (unsigned)__builtin_popcount(cell->lanes), cell->is_pair, row->is_first);
        brush->has_pairs |= cell->is_pair;
    }
    fputs(side, brush->out);
    if (brush->has_sums)
        fprintf(brush->out, " %2u", row->busy);
    fputc('\n', brush->out);
}

/* Writes every fourth bank number above its column. */
static void put_header(const painter *brush) {
    fputs(brush->has_sums ? " wave  " : "     ", brush->out);
    for (unsigned bank = 0; bank < brush->banks; bank += 4)
        fprintf(brush->out, "%-*u", brush->is_narrow ? 4 : 8, bank);
    fputs(brush->has_sums ? brush->is_narrow ? " busy\n" : "busy\n" : "\n", brush->out);
}

static void put_legend(const painter *brush, unsigned hidden) {
    bool fancy = brush->style.unicode;
    const char *between = brush->is_narrow ? "\n      " : "   ";
    if (hidden > 0)
        fprintf(brush->out, "      %s %u more\n", fancy ? "⋮" : ":", hidden);
    if (brush->style.color)
        fprintf(brush->out,
                "      \033[32m%s\033[0m first pass%s\033[31m%s\033[0m waits for another pass\n",
                fancy ? "■" : "#", between, fancy ? "■" : "#");
    fprintf(brush->out, "      %s one lane's word%s%s one word for several lanes%s%s idle bank\n",
            fancy ? "■" : "#", between, fancy ? "◆" : "*", between, fancy ? "·" : ".");
    if (brush->has_pairs)
        smp_wrapped_print(brush->out, fancy ? "      ▣ " : "      % ",
                          "two words of one 64-word segment, read together");
}

void smp_bankmap_print(FILE *out, const smp_prediction *report, smp_style style, unsigned rows) {
    const int columns = smp_columns(out), cells = 2 * (int)report->arch.banks;
    painter brush = {.out = out, .style = style, .banks = report->arch.banks};
    brush.is_narrow = columns < 7 + cells + 4;
    brush.has_sums = columns >= 7 + (brush.is_narrow ? cells / 2 + 5 : cells + 4);
    smp_map_row map[SMP_MAP_ROWS_MAX];
    const size_t total = smp_bank_map(&report->arch, &report->access, &report->counts, map, rows);
    put_header(&brush);
    for (size_t i = 0; i < total && i < rows; i++)
        put_row(&brush, &map[i]);
    put_legend(&brush, total > rows ? (unsigned)total - rows : 0);
    if (smp_ops(NULL)[report->access.op].passes > 1)
        smp_wrapped_print(out, "      ",
                          "each row counts twice: compare-and-swap takes every pass twice");
}
