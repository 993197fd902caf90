/* SPDX-License-Identifier: MIT */
/*
 * The bank map: banks from left to right, wavefronts from top to bottom. A full line uses every
 * bank; a short one with others below it is a bank conflict that anyone can see.
 *
 * The map shows one way to serve the request: in each wavefront every bank delivers the next of the
 * words that are wanted from it. In which order the hardware does it does not change the count.
 */
#include <stdio.h>
#include <string.h>

#include "write_report.h"

#define COLUMNS_MAX 32

/* What one bank must deliver in one group: words in order of the first lane that wants each. */
typedef struct column {
    unsigned count;
    uint32_t word[SMP_LANES], row[SMP_LANES];
    uint8_t lanes[SMP_LANES];
    bool is_pair[SMP_LANES]; /* two words that come at once (word_of) */
} column;

typedef struct painter {
    FILE *out;
    smp_style style;
    unsigned banks;
    unsigned rows_left, number;
    bool has_pairs; /* cells of two words */
} painter;

static void column_add(column *at, uint32_t word, uint32_t row, bool merge) {
    unsigned i = 0;
    while (merge && i < at->count && at->word[i] != word)
        i++;
    if (!merge)
        i = at->count;
    if (i == at->count) {
        at->word[at->count++] = word;
        at->row[i] = row;
        at->lanes[i] = 0;
        at->is_pair[i] = false;
    }
    at->lanes[i]++;
    at->is_pair[i] |= at->row[i] != row;
}

/* Kepler's 4-byte mode delivers words i and i+32 of a segment at once: one cell of the map. */
static bool is_folded(const smp_arch *arch) {
    return smp_bank_pairs_words(arch);
}

static void columns_fill(const smp_report *report, uint32_t lanes, uint32_t skip,
                         column columns[COLUMNS_MAX]) {
    const smp_arch *arch = &report->arch;
    uint32_t width = report->access.width_bytes;
    bool merge = smp_ops(NULL)[report->access.op].lanes_merge;
    uint32_t part = arch->shared_rule->half_warps ? 4 : width;
    for (unsigned i = 0; i < arch->banks; i++)
        columns[i].count = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if ((lanes >> lane & 1) == 0)
            continue;
        uint32_t start = report->access.offset_bytes[lane] + skip;
        for (uint32_t at = 0; at < part; at += arch->bank_bytes) {
            uint32_t offset = start + at;
            uint32_t row = offset / (arch->banks * (uint32_t)arch->bank_bytes);
            column_add(&columns[offset / arch->bank_bytes % arch->banks],
                       is_folded(arch) ? row / 2 : row, row, merge);
        }
    }
}

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

static void put_row(painter *brush, const column columns[], unsigned row, unsigned busy) {
    const char *side = brush->style.unicode ? "│" : "|";
    fprintf(brush->out, "%5u %s", ++brush->number, side);
    for (unsigned bank = 0; bank < brush->banks; bank++) {
        if (bank > 0)
            fputc(' ', brush->out);
        bool is_busy = row < columns[bank].count;
        put_cell(brush, is_busy ? columns[bank].lanes[row] : 0,
                 is_busy && columns[bank].is_pair[row], row == 0);
        brush->has_pairs |= is_busy && columns[bank].is_pair[row];
    }
    fprintf(brush->out, "%s %2u\n", side, busy);
    brush->rows_left--;
}

static unsigned busy_banks(const column columns[], unsigned banks, unsigned row) {
    unsigned busy = 0;
    for (unsigned bank = 0; bank < banks; bank++)
        busy += row < columns[bank].count;
    return busy;
}

/* Bank numbers above their columns, each over four cells of two characters. */
static void put_header(const painter *brush) {
    fputs(" wave  ", brush->out);
    for (unsigned bank = 0; bank < brush->banks; bank += 4)
        fprintf(brush->out, "%-8u", bank);
    fputs("busy\n", brush->out);
}

/* One group: its rows as long as there is room; returns how many wavefronts it has. */
static unsigned put_group(painter *brush, const smp_report *report, uint32_t lanes, uint32_t skip) {
    column columns[COLUMNS_MAX];
    columns_fill(report, lanes, skip, columns);
    unsigned rows = 0;
    for (unsigned bank = 0; bank < brush->banks; bank++)
        rows = columns[bank].count > rows ? columns[bank].count : rows;
    for (unsigned row = 0; row < rows && brush->rows_left > 0; row++)
        put_row(brush, columns, row, busy_banks(columns, brush->banks, row));
    return rows;
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
    painter brush = {out, style, report->arch.banks, rows, 0, false};
    uint32_t parts =
        report->arch.shared_rule->half_warps ? (report->access.width_bytes + 3) / 4 : 1;
    unsigned total = 0;
    put_header(&brush);
    for (unsigned i = 0; i < report->counts.group_count; i++)
        total += put_group(&brush, report, report->counts.groups[i].lanes, i % parts * 4);
    put_legend(&brush, total > rows ? total - rows : 0);
    if (smp_ops(NULL)[report->access.op].passes > 1)
        fputs("      each line twice: compare-and-swap makes each pass twice\n", out);
}
