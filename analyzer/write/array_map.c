/* SPDX-License-Identifier: MIT */
/*
 * The map of a whole array: banks from left to right, rows of memory from top to bottom. Each bank
 * shows the last index of the element in it as one letter; where elements are smaller than a bank,
 * the number of the word in its row. It shows what padding or a swizzle does to a column: follow
 * one letter through the banks. Dots are outside the array.
 */

#include "layout_view.h"
#include "write_format.h"

#define ROWS_MAX 12u
#define BANKS_MAX 32u
/* Elements are read in order until every cell is filled, but no more than this. */
#define ELEMENTS_MAX 65536u

typedef struct cell {
    bool used;
    uint32_t row, column; /* first and last index of the element */
} cell;

/* Finds the first element that begins in each bank word. */
static void fill_cells(const smp_layout *layout, const smp_arch *arch, const smp_array *array,
                       cell cells[ROWS_MAX][BANKS_MAX]) {
    uint64_t row_bytes = (uint64_t)arch->banks * arch->bank_bytes;
    uint64_t base = smp_array_base(layout, array), first_row = base / row_bytes;
    uint32_t size = array->table.element_bytes;
    uint32_t per_word = size < arch->bank_bytes ? arch->bank_bytes / size : 1;
    const uint32_t last = array->table.dim_count > 0 ? array->table.dim_count - 1 : 0;
    const uint64_t all = smp_array_elements(array);
    for (uint32_t i = all < ELEMENTS_MAX ? (uint32_t)all : ELEMENTS_MAX; i-- > 0;) {
        uint32_t digits[SMP_DIMS_MAX] = {0};
        uint64_t offset = base + (uint64_t)smp_array_element(array, i, digits);
        uint64_t row = offset / row_bytes - first_row;
        cell at = {true, digits[0], digits[last] / per_word};
        if (row < ROWS_MAX)
            cells[row][offset / arch->bank_bytes % arch->banks] = at;
    }
}

static void put_header(FILE *out, const smp_array *array, const smp_arch *arch, uint64_t base) {
    const smp_mode_table *table = &array->table;
    fprintf(out, "%.*s", (int)array->length, array->name);
    for (uint32_t d = 0; d < table->dim_count; d++)
        fprintf(out, "[%u]", table->dims[d].extent);
    fprintf(out, " at byte %llu, %llu bytes", (unsigned long long)base,
            (unsigned long long)array->size_bytes);
    if (table->swizzle.present)
        fprintf(out, ", Swizzle<%u,%u,%d>", table->swizzle.bits, table->swizzle.base,
                table->swizzle.shift);
    fprintf(out, ": column in each bank\n row bank");
    for (unsigned bank = 0; bank < arch->banks; bank += 4)
        fprintf(out, bank == 0 ? " %u" : "%8u", bank);
    fputc('\n', out);
}

/* Digits and letters for the columns of a row; wider rows repeat them. */
static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static void put_line(FILE *out, const smp_arch *arch, const cell cells[BANKS_MAX], uint64_t row) {
    const cell *first = NULL;
    fprintf(out, "%5llu   ", (unsigned long long)row);
    for (unsigned bank = 0; bank < arch->banks; bank++) {
        if (!cells[bank].used) {
            fputs(" .", out);
            continue;
        }
        if (!first)
            first = &cells[bank];
        fprintf(out, " %c", digits[cells[bank].column % (sizeof digits - 1)]);
    }
    if (first)
        fprintf(out, " row %u", first->row);
    fputc('\n', out);
}

static void print_array(FILE *out, const smp_layout *layout, const smp_arch *arch,
                        const smp_array *array) {
    cell cells[ROWS_MAX][BANKS_MAX] = {{{0}}};
    uint64_t row_bytes = (uint64_t)arch->banks * arch->bank_bytes;
    uint64_t base = smp_array_base(layout, array), first = base / row_bytes;
    uint64_t last = (base + array->size_bytes - 1) / row_bytes;
    fill_cells(layout, arch, array, cells);
    put_header(out, array, arch, base);
    for (uint64_t row = first; row <= last && row - first < ROWS_MAX; row++)
        put_line(out, arch, cells[row - first], row);
    if (last - first >= ROWS_MAX)
        fprintf(out, "    : %llu more\n", (unsigned long long)(last - first + 1 - ROWS_MAX));
}

void smp_array_map_print(FILE *out, const smp_layout *layout, const smp_arch *arch) {
    for (uint32_t i = 0; i < smp_layout_array_count(layout); i++) {
        const smp_array *array = smp_layout_array(layout, i);
        if (array->space != SMP_SPACE_SHARED || array->is_unsized)
            continue;
        print_array(out, layout, arch, array);
        fputc('\n', out);
    }
}
