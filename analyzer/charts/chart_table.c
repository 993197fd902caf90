/* SPDX-License-Identifier: MIT */
/* Reads CSV into cells that are found by column name. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "text_file.h"

smp_status chart_table_read(FILE *data, chart_table *out, smp_error *error) {
    size_t length = 0;
    memset(out, 0, sizeof *out);
    rewind(data);
    smp_status status = smp_text_read_stream(data, &out->text, &length, error);
    csv_text at = {out->text, out->text ? out->text + length : NULL, 1};
    if (status == SMP_OK)
        status = csv_next(&at, &out->names, error);
    while (status == SMP_OK && at.at < at.end) {
        if (!LIST_ROOM(out->rows, out->count))
            return smp_error_memory(error);
        status = csv_next(&at, &out->rows[out->count++], error);
    }
    return status;
}

void chart_table_free(chart_table *table) {
    for (size_t i = 0; i < table->count; i++)
        free(table->rows[i].cells);
    free(table->rows);
    free(table->names.cells);
    free(table->text);
}

static const char *cell(const chart_table *table, size_t row, const char *name, size_t length) {
    const csv_row *names = &table->names, *cells = &table->rows[row];
    for (size_t i = 0; i < names->count && i < cells->count; i++)
        if (strncmp(names->cells[i], name, length) == 0 && names->cells[i][length] == '\0')
            return cells->cells[i];
    return "";
}

const char *chart_text(const chart_table *table, size_t row, const char *column) {
    return cell(table, row, column, strlen(column));
}

bool chart_value(const chart_table *table, size_t row, const char *columns, double *out) {
    bool has_any = false;
    *out = 0;
    while (*columns != '\0') {
        const size_t length = strcspn(columns, "+");
        const char *text = cell(table, row, columns, length);
        has_any = has_any || text[0] != '\0';
        *out += strtod(text, NULL);
        columns += length + (columns[length] == '+');
    }
    return has_any;
}
