/* SPDX-License-Identifier: MIT */
/*
 * The bank map: which lanes each bank serves in each wavefront. It shows one way to serve a
 * request: in each wavefront every bank delivers the next of the words that are wanted from it. In
 * which order the hardware does it does not change the count. Of a copy the map shows the banks
 * that it writes; its wavefronts are fixed by those that it reads, too (copy.c).
 */
#include <string.h>

#include "copy.h"
#include "op.h"

/* The words that one bank must deliver in one group, in order of the first lane that wants each. */
typedef struct column {
    unsigned count;
    uint32_t word[SMP_LANES];
    smp_map_cell cells[SMP_LANES];
} column;

static void column_add(column *at, uint32_t word, uint32_t row, unsigned lane, bool merge) {
    unsigned i = merge ? 0 : at->count;
    while (i < at->count && at->word[i] != word)
        i++;
    if (i == at->count) {
        at->word[at->count] = word;
        at->cells[at->count++] = (smp_map_cell){.row = row};
    }
    at->cells[i].lanes |= 1u << lane;
    at->cells[i].is_pair |= at->cells[i].row != row;
}

static void columns_fill(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                         uint32_t skip, column columns[SMP_LANES]) {
    const bool merge = smp_op_table[access->op].lanes_merge;
    const uint32_t part = arch->shared_rule->half_warps ? 4 : access->width_bytes;
    for (unsigned i = 0; i < arch->banks; i++)
        columns[i].count = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if ((lanes >> lane & 1) == 0)
            continue;
        const uint32_t start = access->offset_bytes[lane] + skip;
        for (uint32_t at = 0; at < part; at += arch->bank_bytes) {
            const uint32_t offset = start + at;
            const uint32_t row = offset / (arch->banks * (uint32_t)arch->bank_bytes);
            /* Two words of one segment are one cell. */
            column_add(&columns[offset / arch->bank_bytes % arch->banks],
                       smp_bank_pairs_words(arch) ? row / 2 : row, row, lane, merge);
        }
    }
}

static void take_row(const smp_arch *arch, const column columns[], unsigned row, smp_map_row *out) {
    memset(out, 0, sizeof *out);
    for (unsigned bank = 0; bank < arch->banks; bank++) {
        if (row >= columns[bank].count)
            continue;
        out->cells[bank] = columns[bank].cells[row];
        out->busy++;
    }
}

/* The wavefronts of one group of a copy. */
static size_t copy_rows(const smp_arch *arch, const smp_access *access, uint32_t group,
                        smp_map_row rows[SMP_LANES]) {
    uint32_t served[SMP_LANES];
    const unsigned count = smp_copy_served(access, access->active_mask, group, served);
    for (unsigned i = 0; i < count; i++) {
        column columns[SMP_LANES];
        columns_fill(arch, access, served[i], 0, columns);
        take_row(arch, columns, 0, &rows[i]);
    }
    return count;
}

/* The wavefronts of one group, in each of which every bank serves the next word wanted from it. */
static size_t bank_rows(const smp_arch *arch, const smp_access *access, uint32_t group,
                        uint32_t skip, smp_map_row rows[SMP_LANES]) {
    column columns[SMP_LANES];
    unsigned height = 0;
    columns_fill(arch, access, group, skip, columns);
    for (unsigned bank = 0; bank < arch->banks; bank++)
        height = columns[bank].count > height ? columns[bank].count : height;
    for (unsigned row = 0; row < height; row++)
        take_row(arch, columns, row, &rows[row]);
    return height;
}

size_t smp_bank_map(const smp_arch *arch, const smp_access *access, const smp_counts *counts,
                    smp_map_row *rows, size_t max) {
    const bool is_copy = smp_op_table[access->op].space == SMP_SPACE_COPY;
    const uint32_t parts = arch->shared_rule->half_warps ? (access->width_bytes + 3) / 4 : 1;
    size_t total = 0;
    for (unsigned group = 0; group < counts->group_count; group++) {
        smp_map_row own[SMP_LANES];
        const uint32_t lanes = counts->groups[group].lanes;
        const size_t height = is_copy ? copy_rows(arch, access, lanes, own)
                                      : bank_rows(arch, access, lanes, group % parts * 4, own);
        for (size_t row = 0; row < height && total + row < max; row++) {
            rows[total + row] = own[row];
            rows[total + row].group = group;
            rows[total + row].is_first = row == 0;
        }
        total += height;
    }
    return total;
}
