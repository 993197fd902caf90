/* SPDX-License-Identifier: MIT */
/*
 * Reads the output of `ncu --csv`. The raw page has one row per launch and one column per metric,
 * with a row of units below the names; the details page has one row per metric. Output of the
 * profiler ("==PROF== ...") and of the program may surround the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "csv_text.h"
#include "explain_counters.h"
#include "list.h"
#include "text_file.h"

const char *const ncu_metric_names[NCU_METRIC_COUNT] = {
#define NCU_METRIC_NAME(id, name) [id] = name,
    NCU_METRIC_LIST(NCU_METRIC_NAME)
#undef NCU_METRIC_NAME
};

enum { NONE = -1 };

/* Column numbers; NONE if there is no such column. */
typedef struct header {
    size_t cells; /* 0 before a header was read */
    int id, name, grid, block;
    int metric_name, metric_unit, metric_value; /* of the details page */
    int column[NCU_METRIC_COUNT];               /* of the raw page */
    size_t needed;                              /* cells of a row that hold all of the above */
} header;

/* The column of a cell; rows need at least that many cells. */
static int find_column(const csv_row *row, const char *text, header *out) {
    const int at = csv_find(row, text);
    if (at != NONE && (size_t)at >= out->needed)
        out->needed = (size_t)at + 1;
    return at;
}

/* Whether the row names the columns of a table. */
static bool read_header(const csv_row *row, header *out) {
    if (csv_find(row, "ID") == NONE || csv_find(row, "Kernel Name") == NONE)
        return false;
    *out = (header){.cells = row->count};
    out->id = find_column(row, "ID", out);
    out->name = find_column(row, "Kernel Name", out);
    out->grid = find_column(row, "Grid Size", out);
    out->block = find_column(row, "Block Size", out);
    out->metric_name = find_column(row, "Metric Name", out);
    out->metric_unit = find_column(row, "Metric Unit", out);
    out->metric_value = find_column(row, "Metric Value", out);
    for (int m = 0; m < NCU_METRIC_COUNT; m++)
        out->column[m] = find_column(row, ncu_metric_names[m], out);
    return true;
}

/* Refuses values that have digits but are not counts, since they would spoil every sum. */
static smp_status set_value(ncu_kernel *kernel, int metric, const char *text, unsigned line,
                            smp_error *error) {
    csv_value kind = csv_count(text, &kernel->value[metric]);
    if (kind == CSV_VALUE)
        kernel->known |= 1u << metric;
    if (kind != CSV_BAD_VALUE)
        return SMP_OK;
    return smp_error_set(error, SMP_E_SYNTAX, -1,
                         "line %u: %s is '%.30s', not a count such as 1048576 or 1,048,576.00",
                         line, ncu_metric_names[metric], text);
}

static char *cell(const csv_row *row, int column) {
    static char nothing[1];
    return column == NONE ? nothing : row->cells[column];
}

static smp_status add_kernel(ncu_export *out, const header *columns, const csv_row *row,
                             smp_error *error) {
    if (!LIST_ROOM(out->kernels, out->count))
        return smp_error_memory(error);
    out->kernels[out->count++] = (ncu_kernel){.id = cell(row, columns->id),
                                              .name = cell(row, columns->name),
                                              .grid = cell(row, columns->grid),
                                              .block = cell(row, columns->block)};
    return SMP_OK;
}

/* Scaled units (Kinst, Mbyte) have a prefix; the units of our metrics have none. */
static bool is_plain_unit(const char *unit) {
    static const char *const plain[] = {"", "inst", "sector", "sectors", "request"};
    return ROWS_FIND(plain, unit);
}

static smp_status check_unit(const char *unit, int metric, unsigned line, smp_error *error) {
    if (is_plain_unit(unit))
        return SMP_OK;
    return smp_error_set(error, SMP_E_SYNTAX, -1,
                         "line %u: %s is in units of '%.20s': export it with --print-units base",
                         line, ncu_metric_names[metric], unit);
}

/* Reads the row of units of a raw page, which has no ID. */
static smp_status read_units(const header *columns, const csv_row *row, smp_error *error) {
    smp_status status = SMP_OK;
    for (int m = 0; m < NCU_METRIC_COUNT && status == SMP_OK; m++)
        status = check_unit(cell(row, columns->column[m]), m, row->line, error);
    return status;
}

static smp_status read_raw(ncu_export *out, const header *columns, const csv_row *row,
                           smp_error *error) {
    smp_status status = add_kernel(out, columns, row, error);
    for (int m = 0; m < NCU_METRIC_COUNT && status == SMP_OK; m++)
        status = set_value(&out->kernels[out->count - 1], m, cell(row, columns->column[m]),
                           row->line, error);
    return status;
}

static smp_status read_detail(ncu_export *out, const header *columns, const csv_row *row,
                              smp_error *error) {
    const bool is_next =
        out->count == 0 || strcmp(out->kernels[out->count - 1].id, cell(row, columns->id)) != 0;
    smp_status status = is_next ? add_kernel(out, columns, row, error) : SMP_OK;
    for (int m = 0; m < NCU_METRIC_COUNT && status == SMP_OK; m++) {
        if (strcmp(ncu_metric_names[m], cell(row, columns->metric_name)) != 0)
            continue;
        status = check_unit(cell(row, columns->metric_unit), m, row->line, error);
        if (status == SMP_OK)
            status = set_value(&out->kernels[out->count - 1], m, cell(row, columns->metric_value),
                               row->line, error);
    }
    return status;
}

static bool is_number(const char *text) {
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* Whether the row has all required cells: the details page omits the cells of missing rules. */
static bool is_whole(const header *columns, const csv_row *row) {
    return columns->metric_value == NONE ? row->count == columns->cells
                                         : row->count >= columns->needed;
}

/* Reads one row of the file, of any kind. */
static smp_status take_row(ncu_export *out, header *columns, const csv_row *row, smp_error *error) {
    if (read_header(row, columns))
        return SMP_OK;
    const bool in_table = columns->cells > 0 && row->count > 1;
    if (in_table && is_whole(columns, row) && is_number(row->cells[columns->id]))
        return columns->metric_name == NONE ? read_raw(out, columns, row, error)
                                            : read_detail(out, columns, row, error);
    if (in_table && is_whole(columns, row) && row->cells[columns->id][0] == '\0')
        return read_units(columns, row, error);
    if (in_table && is_number(row->cells[0]))
        return smp_error_set(error, SMP_E_SYNTAX, -1, "line %u has %zu cells, the header %zu",
                             row->line, row->count, columns->cells);
    const bool is_empty = row->count == 1 && row->cells[0][0] == '\0';
    out->passed_over += !is_empty && strncmp(row->cells[0], "==", 2) != 0;
    return SMP_OK;
}

static smp_status read_rows(size_t length, ncu_export *out, header *columns, smp_error *error) {
    csv_text text = {out->text, out->text + length, 1};
    csv_row row = {0};
    smp_status status;
    for (;;) {
        status = csv_next(&text, &row, error);
        if (status != SMP_OK || row.count == 0)
            break;
        status = take_row(out, columns, &row, error);
        if (status != SMP_OK)
            break;
    }
    free(row.cells);
    return status;
}

/* Recognises the output of `ncu -o` by its name, or by bytes that no text contains. */
static bool is_report(const char *file, const char *text, size_t length) {
    const size_t name = strlen(file), ending = strlen(".ncu-rep");
    bool is_named = name > ending && strcmp(file + name - ending, ".ncu-rep") == 0;
    return is_named || memchr(text, '\0', length);
}

smp_status ncu_export_read(const char *file, ncu_export *out, smp_error *error) {
    header columns = {0};
    size_t length;
    memset(out, 0, sizeof *out);
    smp_status status = smp_text_read(file, &out->text, &length, error);
    if (status == SMP_OK && is_report(file, out->text, length))
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "a report in the profiler's own format; export it: ncu --import FILE "
                             "--page raw --csv --log-file counters.csv");
    if (status == SMP_OK)
        status = read_rows(length, out, &columns, error);
    if (status == SMP_OK && columns.cells == 0)
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "not a CSV export of Nsight Compute: no line begins \"ID\",... "
                             "and has \"Kernel Name\"");
    if (status == SMP_OK && out->count == 0)
        return smp_error_set(error, SMP_E_SYNTAX, -1, "the table has no kernels");
    return status;
}

void ncu_export_free(ncu_export *export_) {
    free(export_->text);
    free(export_->kernels);
}
