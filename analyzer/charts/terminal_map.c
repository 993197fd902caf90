/* SPDX-License-Identifier: MIT */
/*
 * An array by its indices, with a number for each element and a star at marks. If numbers are too
 * wide it shows one letter per element; of even wider arrays it shows the columns that fit.
 */
#include <stdlib.h>
#include <string.h>

#include "terminal.h"
#include "text_buffer.h"

enum { NUMBER = 3, LETTER = 2 }; /* columns per element */

typedef struct map {
    const terminal *at;
    unsigned first_row, rows, first_column, columns; /* ranges in the data */
    unsigned begin, shown;                           /* columns that are shown */
    unsigned left, step; /* columns of the row number, and of an element */
    unsigned most;       /* the largest number */
    bool is_marked;
    unsigned mark_first, mark_last; /* first and last marked column */
} map;

static unsigned number(const map *of, size_t row, const char *column) {
    return (unsigned)strtoul(chart_text(of->at->data, row, column), NULL, 10);
}

/* Extends the range [*least, *most] to `value`. */
static void stretch(unsigned value, unsigned *least, unsigned *most) {
    *least = value < *least ? value : *least;
    *most = value > *most ? value : *most;
}

static void measure(map *to) {
    const plot_panel *panel = to->at->panel;
    const plot_series *series = &panel->series[0];
    unsigned row_last = 0, column_last = 0;
    to->first_row = to->first_column = to->mark_first = ~0u;
    for (size_t i = 0; i < to->at->data->count; i++) {
        const unsigned value = number(to, i, series->value), x = number(to, i, panel->x);
        stretch(number(to, i, panel->y), &to->first_row, &row_last);
        stretch(x, &to->first_column, &column_last);
        to->most = value > to->most ? value : to->most;
        if (number(to, i, series->mark) == 0)
            continue;
        to->is_marked = true;
        stretch(x, &to->mark_first, &to->mark_last);
    }
    to->rows = row_last - to->first_row + 1;
    to->columns = column_last - to->first_column + 1;
    to->left = row_last > 99 ? 6 : 5;
}

/* If not all columns fit, starts at the leftmost mark. */
static void choose_columns(map *to) {
    const unsigned room = to->at->columns - to->left;
    to->step = to->columns * NUMBER <= room ? NUMBER : LETTER;
    to->shown = room / to->step;
    to->begin = to->first_column;
    if (to->shown >= to->columns) {
        to->shown = to->columns;
        return;
    }
    const unsigned last = to->first_column + to->columns - to->shown;
    if (to->is_marked && to->mark_last >= to->first_column + to->shown)
        to->begin = to->mark_first < last ? to->mark_first : last;
}

static const char letters[] = "0123456789abcdefghijklmnopqrstuv";

static void put_element(const map *of, canvas *on, size_t i) {
    const plot_panel *panel = of->at->panel;
    const unsigned x = number(of, i, panel->x), y = number(of, i, panel->y);
    const unsigned value = number(of, i, panel->series[0].value);
    const bool is_marked = number(of, i, panel->series[0].mark) > 0;
    char text[16];
    if (x < of->begin || x >= of->begin + of->shown)
        return;
    if (of->step == NUMBER)
        (void)snprintf(text, sizeof text, "%2u%s", value, is_marked ? "*" : "");
    else
        (void)snprintf(text, sizeof text, "%c%s", letters[value % 32], is_marked ? "*" : "");
    canvas_put(on, of->left + (x - of->begin) * of->step, y - of->first_row + 1, text,
               is_marked ? "\033[1;38;5;172m" : "");
}

static smp_status draw(const map *of, smp_error *error) {
    canvas on;
    char text[16];
    if (!canvas_open(&on, of->at->columns, of->rows + 1))
        return smp_error_memory(error);
    for (unsigned x = of->begin; x < of->begin + of->shown; x++) {
        if (of->step == LETTER && x % 4 != 0)
            continue;
        (void)snprintf(text, sizeof text, of->step == NUMBER ? "%2u" : "%u", x);
        const unsigned column = of->left + (x - of->begin) * of->step;
        if (column + strlen(text) <= on.width)
            canvas_put(&on, column, 0, text, "\033[2m");
    }
    for (unsigned y = 0; y < of->rows; y++) {
        (void)snprintf(text, sizeof text, "%*u", (int)of->left - 2, y + of->first_row);
        canvas_put(&on, 0, y + 1, text, "\033[2m");
    }
    for (size_t i = 0; i < of->at->data->count; i++)
        put_element(of, &on, i);
    canvas_print(&on, of->at->style, of->at->out);
    canvas_close(&on);
    return SMP_OK;
}

static void put_legend(const map *of) {
    char text[200];
    text_buffer out = TEXT_BUFFER(text);
    const plot_series *series = &of->at->panel->series[0];
    if (of->is_marked)
        text_join(&out, "; ", "* %s", series->mark_name);
    if (of->step == LETTER && of->most > 9)
        text_join(&out, "; ", "a to %c are %s 10 to %u", letters[of->most % 32], series->name,
                  of->most);
    if (of->shown < of->columns && of->begin == of->first_column)
        text_join(&out, "; ", "columns %u to %u left out", of->begin + of->shown,
                  of->first_column + of->columns - 1);
    else if (of->shown < of->columns)
        text_join(&out, "; ", "columns %u to %u shown", of->begin, of->begin + of->shown - 1);
    if (out.length > 0)
        smp_wrapped_print(of->at->out, "", text);
}

smp_status terminal_map(const terminal *at, smp_error *error) {
    map all = {.at = at};
    if (at->data->count == 0)
        return SMP_OK;
    measure(&all);
    choose_columns(&all);
    smp_status status = draw(&all, error);
    if (status == SMP_OK)
        put_legend(&all);
    return status;
}
