/* SPDX-License-Identifier: MIT */
/*
 * plot bankmap: which bank each element of an array lies in, and which elements one access of a
 * warp touches.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "plot.h"
#include "text_buffer.h"

/* More cells could not be read. */
enum { ROWS_MAX = 64, COLUMNS_MAX = 72, LINE_COLUMNS = 32 };

typedef struct map {
    const smp_layout *layout;
    smp_arch arch;
    const smp_array *array;
    uint32_t rows, columns, row_length; /* shown; elements of a whole row */
    bool is_cut, is_marked;
    smp_totals totals; /* of the access, if is_marked */
    size_t access;     /* its index */
} map;

/* ---- What is shown ------------------------------------------------------------------------- */

static void set_size(map *to) {
    const smp_mode_table *table = &to->array->table;
    uint64_t total = 1;
    for (uint32_t d = 0; d < table->dim_count; d++)
        total *= table->dims[d].extent;
    uint32_t length =
        table->dim_count > 1 ? table->dims[table->dim_count - 1].extent : LINE_COLUMNS;
    uint64_t rows = (total + length - 1) / length;
    to->row_length = length;
    to->columns = length < COLUMNS_MAX ? length : COLUMNS_MAX;
    to->rows = rows < ROWS_MAX ? (uint32_t)rows : ROWS_MAX;
    to->is_cut = to->columns < length || to->rows < rows;
}

/* The first access of shared memory, whose array is shown; else the first shared array. */
static const smp_array *choose_array(const smp_layout *layout, size_t *access) {
    for (*access = 0; *access < layout->access_count; (*access)++) {
        const smp_array *array = &layout->arrays[layout->accesses[*access].target.array];
        if (array->space == SMP_SPACE_SHARED)
            return array;
    }
    for (uint32_t i = 0; i < layout->array_count; i++) {
        if (layout->arrays[i].space == SMP_SPACE_SHARED)
            return &layout->arrays[i];
    }
    return NULL;
}

/* ---- Marks -------------------------------------------------------------------------------- */

/* Lanes of the access that touch the element at `offset`; *first is the lowest. */
static unsigned count_lanes(const map *from, uint64_t offset, unsigned *first) {
    const smp_access *access = &from->totals.worst;
    uint32_t lanes = smp_access_lanes(access);
    unsigned count = 0;
    for (unsigned l = SMP_LANES; from->is_marked && l-- > 0;) {
        uint64_t start = access->offset_bytes[l] % (1u << SMP_BLOCK_SHIFT); /* in any block */
        if (!(lanes >> l & 1) || start + access->width_bytes <= offset ||
            start >= offset + from->array->table.element_bytes)
            continue;
        *first = l;
        count++;
    }
    return count;
}

/* No lane asks for bytes of the same word before `offset`: two halves of a word are one. */
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

static void put_element(plot *out, const map *from, uint32_t row, uint32_t column) {
    uint32_t digits[SMP_DIMS_MAX];
    unsigned lane = 0;
    uint64_t offset =
        smp_array_base(from->layout, from->array) +
        (uint64_t)smp_array_element(from->array, (uint64_t)row * from->row_length + column, digits);
    uint64_t word = offset / from->arch.bank_bytes;
    unsigned lanes = count_lanes(from, offset, &lane);
    fprintf(out->data, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%u,%" PRIu64 ",%u,", row, column,
            offset, (unsigned)(word % from->arch.banks), word / from->arch.banks, lanes);
    if (lanes > 0)
        fprintf(out->data, "%u", lane);
    fprintf(out->data, ",%d\n", lanes > 0 && begins_word(from, offset));
}

static void put_elements(plot *out, const map *from) {
    uint64_t count = 1;
    for (uint32_t d = 0; d < from->array->table.dim_count; d++)
        count *= from->array->table.dims[d].extent;
    fputs("row,column,offset_bytes,bank,bank_row,lanes,lane,is_new_word\n", out->data);
    for (uint32_t row = 0; row < from->rows; row++) {
        for (uint32_t column = 0; column < from->columns; column++) {
            if ((uint64_t)row * from->row_length + column < count)
                put_element(out, from, row, column);
        }
    }
}

/* ---- Texts -------------------------------------------------------------------------------- */

static void describe_array(plot *out, const map *from) {
    const smp_mode_table *table = &from->array->table;
    char dims[80], swizzle[40] = "";
    text_buffer list = TEXT_BUFFER(dims);
    for (uint32_t d = 0; d < table->dim_count; d++)
        text_add(&list, "[%" PRIu32 "]", table->dims[d].extent);
    if (table->swizzle.present)
        (void)snprintf(swizzle, sizeof swizzle, ", Swizzle<%u,%u,%d>", table->swizzle.bits,
                       table->swizzle.base, table->swizzle.shift);
    (void)snprintf(out->title, sizeof out->title,
                   "The bank of each element of %.*s%s%s, on %s (%s)",
                   (int)(from->array->length < 40 ? from->array->length : 40), from->array->name,
                   dims, swizzle, from->arch.name, from->arch.family);
    (void)snprintf(out->provenance, sizeof out->provenance,
                   "smemprobe %s, model; elements of %" PRIu32 " byte%s%s, %u banks of %u bytes%s",
                   SMP_VERSION, table->element_bytes, table->element_bytes == 1 ? "" : "s",
                   table->element_bytes > from->arch.bank_bytes ? " (the first of their banks)"
                                                                : "",
                   from->arch.banks, from->arch.bank_bytes,
                   from->is_cut ? "; only the beginning of the array is shown" : "");
    plot_set(out, "array", "%.*s", (int)(from->array->length < 40 ? from->array->length : 40),
             from->array->name);
    plot_set(out, "rows", "%" PRIu32, from->rows);
    plot_set(out, "cells", "%" PRIu32, from->columns);
    plot_set(out, "banks", "%u", from->arch.banks);
    plot_set(out, "marked", "%d", from->is_marked);
}

static void describe_access(plot *out, const map *from) {
    const smp_totals *totals = &from->totals;
    const smp_counts *counts = &totals->worst_counts;
    char place[120], cost[80] = "not modelled";
    smp_layout_access access;
    if (!from->is_marked) {
        (void)snprintf(out->subtitle, sizeof out->subtitle, "numbers are banks");
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
    (void)snprintf(out->subtitle, sizeof out->subtitle, "marked: %.*s, %.60s: %s",
                   (int)(access.length < 80 ? access.length : 80), access.text, place, cost);
}

/* ---- The chart ----------------------------------------------------------------------------- */

static smp_status make(plot *out, map *to, smp_error *error) {
    to->arch = out->ask->arch;
    to->layout = out->ask->layout;
    to->array = choose_array(to->layout, &to->access);
    if (!to->array)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "plot bankmap: no shared array; give one: --shared "
                             "'float tile[32][33]'");
    if (to->array->is_unsized)
        return smp_error_set(error, SMP_E_USAGE, -1, "plot bankmap: '%.*s' has no size; declare it",
                             (int)(to->array->length < 40 ? to->array->length : 40),
                             to->array->name);
    set_size(to);
    to->is_marked = to->access < to->layout->access_count;
    if (!to->is_marked)
        return SMP_OK;
    return smp_layout_evaluate(to->layout, &to->arch, to->access, &to->totals, &out->line, error);
}

/* Looks at arch and layout. */
static smp_status fill(plot *out, smp_error *error) {
    map to;
    memset(&to, 0, sizeof to);
    smp_status status = make(out, &to, error);
    if (status != SMP_OK)
        return status;
    describe_array(out, &to);
    describe_access(out, &to);
    put_elements(out, &to);
    return SMP_OK;
}

const plot_kind plot_bankmap = {
    .name = "bankmap",
    .summary = "the bank of each element, and what an access touches",
    .operands = "[ACCESS|FILE.smp]",
    .operands_max = 1,
    .fill = fill,
};
