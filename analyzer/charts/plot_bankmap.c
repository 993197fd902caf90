/* SPDX-License-Identifier: MIT */
/*
 * plot bankmap: the bank of each element of an array, and the elements that one access of a warp
 * touches.
 */
#include <inttypes.h>
#include <string.h>

#include "layout_view.h"
#include "plot.h"
#include "text_buffer.h"

/* More cells would be too small to read. */
enum { ROWS_MAX = 64, COLUMNS_MAX = 72, LINE_COLUMNS = 32 };

typedef struct map {
    const smp_layout *layout;
    smp_arch arch;
    const smp_array *array;
    uint32_t rows, columns, row_length; /* elements shown, and elements of a whole row */
    uint64_t first_row;                 /* first row shown */
    uint32_t first_column;
    bool is_cut, is_marked;
    smp_totals totals; /* costs of the access, with is_marked */
    size_t access;     /* index of the access */
} map;

/* Length of the array's name that fits into a title. */
static int name_length(const map *of) {
    return (int)(of->array->length < 40 ? of->array->length : 40);
}

/* ---- What is shown ---- */

static void set_size(map *to) {
    const smp_mode_table *table = &to->array->table;
    uint32_t length =
        table->dim_count > 1 ? table->dims[table->dim_count - 1].extent : LINE_COLUMNS;
    uint64_t rows = (smp_array_elements(to->array) + length - 1) / length;
    to->row_length = length;
    to->columns = length < COLUMNS_MAX ? length : COLUMNS_MAX;
    to->rows = rows < ROWS_MAX ? (uint32_t)rows : ROWS_MAX;
    to->is_cut = to->columns < length || to->rows < rows;
}

/* Compares by ways, then by excess. */
static bool is_worse(const smp_totals *a, const smp_totals *b) {
    return a->ways != b->ways ? a->ways > b->ways : a->excess > b->excess;
}

/* Chooses the array of the worst shared access, or else the first shared array. */
static smp_status choose_array(plot *out, map *to, smp_error *error) {
    const smp_layout *layout = to->layout;
    smp_status status = SMP_OK;
    for (size_t i = 0; i < smp_layout_access_count(layout) && status == SMP_OK; i++) {
        smp_totals totals;
        if (smp_layout_target(layout, i)->space != SMP_SPACE_SHARED)
            continue;
        status = smp_layout_evaluate(layout, &to->arch, i, &totals, &out->line, error);
        if (status != SMP_OK || (to->is_marked && !is_worse(&totals, &to->totals)))
            continue;
        to->array = smp_layout_target(layout, i);
        to->access = i;
        to->is_marked = true;
        to->totals = totals;
    }
    for (uint32_t i = 0; i < smp_layout_array_count(layout) && !to->array; i++)
        if (smp_layout_array(layout, i)->space == SMP_SPACE_SHARED)
            to->array = smp_layout_array(layout, i);
    return status;
}

/* ---- Marks ---- */

/* Counts the lanes that touch the element at `offset`; *first is the lowest. */
static unsigned count_lanes(const map *from, uint64_t offset, unsigned *first) {
    const smp_access *access = &from->totals.worst;
    uint32_t lanes = smp_access_lanes(access);
    unsigned count = 0;
    for (unsigned l = SMP_LANES; from->is_marked && l-- > 0;) {
        uint64_t start =
            access->offset_bytes[l] % (1u << SMP_BLOCK_SHIFT); /* offset within its block */
        if (!(lanes >> l & 1) || start + access->width_bytes <= offset ||
            start >= offset + from->array->table.element_bytes)
            continue;
        *first = l;
        count++;
    }
    return count;
}

/* Returns true if no lane touches an earlier byte of the word at `offset`, so that each word counts
 * once. */
static bool begins_word(const map *from, uint64_t offset) {
    const smp_access *access = &from->totals.worst;
    const uint64_t word = offset - offset % from->arch.bank_bytes;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        uint64_t start = access->offset_bytes[l] % (1u << SMP_BLOCK_SHIFT);
        if ((smp_access_lanes(access) >> l & 1) && start < offset &&
            start + access->width_bytes > word)
            return false;
    }
    return true;
}

/* Byte offset of an element in shared memory. */
static uint64_t element_offset(const map *from, uint64_t element) {
    uint32_t digits[SMP_DIMS_MAX];
    return smp_array_base(from->layout, from->array) +
           (uint64_t)smp_array_element(from->array, element, digits);
}

/* Start of a window of `shown` out of `all` that contains the marks from first to last. */
static uint64_t window_start(uint64_t first, uint64_t last, uint64_t shown, uint64_t all) {
    if (last < shown)
        return 0;
    return first < all - shown ? first : all - shown;
}

/* Moves the window to the marks; only for arrays that fit into a block's memory. */
static void find_marks(map *to) {
    uint64_t count = smp_array_elements(to->array);
    uint64_t rows = (count + to->row_length - 1) / to->row_length;
    uint64_t top = UINT64_MAX, bottom = 0, left = UINT64_MAX, right = 0;
    if (!to->is_marked || !to->is_cut || count > 1u << SMP_BLOCK_SHIFT)
        return;
    for (uint64_t i = 0; i < count; i++) {
        unsigned lane;
        if (count_lanes(to, element_offset(to, i), &lane) == 0)
            continue;
        uint64_t row = i / to->row_length, column = i % to->row_length;
        top = row < top ? row : top;
        bottom = row > bottom ? row : bottom;
        left = column < left ? column : left;
        right = column > right ? column : right;
    }
    if (top == UINT64_MAX)
        return;
    to->first_row = window_start(top, bottom, to->rows, rows);
    to->first_column = (uint32_t)window_start(left, right, to->columns, to->row_length);
}

static void put_element(plot *out, const map *from, uint64_t row, uint32_t column) {
    unsigned lane = 0;
    uint64_t offset = element_offset(from, row * from->row_length + column);
    uint64_t word = offset / from->arch.bank_bytes;
    unsigned lanes = count_lanes(from, offset, &lane);
    fprintf(out->data, "%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%u,%" PRIu64 ",%u,", row, column,
            offset, (unsigned)(word % from->arch.banks), word / from->arch.banks, lanes);
    if (lanes > 0)
        fprintf(out->data, "%u", lane);
    fprintf(out->data, ",%d\n", lanes > 0 && begins_word(from, offset));
}

static void put_elements(plot *out, const map *from) {
    uint64_t count = smp_array_elements(from->array);
    fputs("row,column,offset_bytes,bank,bank_row,lanes,lane,is_new_word\n", out->data);
    for (uint32_t r = 0; r < from->rows; r++) {
        for (uint32_t c = 0; c < from->columns; c++) {
            uint64_t row = from->first_row + r;
            uint32_t column = from->first_column + c;
            if (row * from->row_length + column < count)
                put_element(out, from, row, column);
        }
    }
}

/* ---- Texts ---- */

/* Says which part of the array is shown. */
static void describe_cut(const map *from, char *out, size_t size) {
    if (from->first_row > 0 || from->first_column > 0)
        (void)snprintf(out, size,
                       "; rows %" PRIu64 " to %" PRIu64 " and columns %" PRIu32 " to %" PRIu32
                       " of the array are shown",
                       from->first_row, from->first_row + from->rows - 1, from->first_column,
                       from->first_column + from->columns - 1);
    else
        (void)snprintf(out, size, "%s",
                       from->is_cut ? "; only the beginning of the array is shown" : "");
}

static void describe_array(plot *out, const map *from) {
    const smp_mode_table *table = &from->array->table;
    char dims[80], swizzle[40] = "", cut[120];
    text_buffer list = TEXT_BUFFER(dims);
    for (uint32_t d = 0; d < table->dim_count; d++)
        text_add(&list, "[%" PRIu32 "]", table->dims[d].extent);
    if (table->swizzle.present)
        (void)snprintf(swizzle, sizeof swizzle, ", Swizzle<%u,%u,%d>", table->swizzle.bits,
                       table->swizzle.base, table->swizzle.shift);
    PLOT_TEXT(out->title, "The bank of each element of %.*s%s%s, on %s (%s)", name_length(from),
              from->array->name, dims, swizzle, from->arch.name, from->arch.family);
    describe_cut(from, cut, sizeof cut);
    PLOT_TEXT(out->provenance,
              "smemprobe %s, model; elements of %" PRIu32 " byte%s%s, %u banks of %u bytes%s",
              SMP_VERSION, table->element_bytes, table->element_bytes == 1 ? "" : "s",
              table->element_bytes > from->arch.bank_bytes ? " (the first of their banks)" : "",
              from->arch.banks, from->arch.bank_bytes, cut);
    plot_set(out, "array", "%.*s", name_length(from), from->array->name);
    plot_set(out, "rows", "%" PRIu32, from->rows);
    plot_set(out, "cells", "%" PRIu32, from->columns);
    plot_set(out, "first_row", "%" PRIu64, from->first_row);
    plot_set(out, "first_column", "%" PRIu32, from->first_column);
    plot_set(out, "banks", "%u", from->arch.banks);
    plot_set(out, "marked", "%d", from->is_marked);
}

static void describe_access(plot *out, const map *from) {
    const smp_totals *totals = &from->totals;
    const smp_counts *counts = &totals->worst_counts;
    char place[120], cost[80] = "not modelled";
    smp_layout_access access;
    if (!from->is_marked) {
        PLOT_TEXT(out->subtitle, "numbers are banks");
        return;
    }
    smp_layout_access_at(from->layout, from->access, &access);
    smp_request_place_format(from->layout, &totals->worst_place, place, sizeof place);
    bool is_far = totals->status == SMP_OK && !(counts->valid & SMP_HAS_WAVEFRONTS);
    if (is_far)
        (void)snprintf(cost, sizeof cost, "%" PRIu32 " sectors", counts->transactions);
    else if (totals->status == SMP_OK && counts->ways > 1)
        (void)snprintf(cost, sizeof cost, "%u-way conflict, %" PRIu32 " wavefronts", counts->ways,
                       counts->wavefronts_max);
    else if (totals->status == SMP_OK)
        (void)snprintf(cost, sizeof cost, "conflict-free, %" PRIu32 " wavefront%s",
                       counts->wavefronts_max, counts->wavefronts_max == 1 ? "" : "s");
    PLOT_TEXT(out->subtitle, "%.*s, %.60s: %s", TEXT_CUT(access.text, access.length, 80), place,
              cost);
}

/* ---- The chart ---- */

static smp_status make(plot *out, map *to, smp_error *error) {
    to->arch = out->ask->arch;
    to->layout = out->ask->layout;
    if (choose_array(out, to, error))
        return error->status;
    if (!to->array)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "plot bankmap: no shared array; give one: --shared "
                             "'float tile[32][33]'");
    if (to->array->is_unsized)
        return smp_error_set(error, SMP_E_USAGE, -1, "plot bankmap: '%.*s' has no size; declare it",
                             name_length(to), to->array->name);
    set_size(to);
    find_marks(to);
    return SMP_OK;
}

/* Uses `arch` and `layout`. */
static smp_status fill(plot *out, smp_error *error) {
    map to;
    memset(&to, 0, sizeof to);
    if (make(out, &to, error))
        return error->status;
    describe_array(out, &to);
    describe_access(out, &to);
    put_elements(out, &to);
    return SMP_OK;
}

static const plot_panel panels[] = {{.form = PLOT_MAP,
                                     .x = "column",
                                     .y = "row",
                                     .series = {{.name = "banks",
                                                 .value = "bank",
                                                 .mark = "lanes",
                                                 .mark_name = "touched by the access"}}},
                                    {.form = PLOT_END}};

const plot_kind plot_bankmap = {
    .name = "bankmap",
    .summary = "the bank of each element, and the elements that an access touches",
    .operands = "[ACCESS|FILE.smp]",
    .operands_max = 1,
    .fill = fill,
    .panels = panels,
};
