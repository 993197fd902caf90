/* SPDX-License-Identifier: MIT */
/*
 * Charts in a terminal, panel by panel, and what the forms of panels share: colours, numbers, and
 * which rows a series takes.
 */
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "put.h"
#include "sentence.h"

/* The colours of the pictures (plots/theme.gp), from the 256 colours of terminals. */
const char *terminal_color(size_t series) {
    static const char *const colors[] = {"\033[38;5;32m", "\033[38;5;172m", "\033[38;5;36m",
                                         "\033[38;5;160m"};
    return colors[series % (sizeof colors / sizeof colors[0])];
}

/* From grey over blue to red, readable on light and dark. */
const char *terminal_heat(double amount) {
    static const char *const colors[] = {"",
                                         "\033[38;5;67m",
                                         "\033[38;5;32m",
                                         "\033[38;5;98m",
                                         "\033[38;5;172m",
                                         "\033[38;5;166m",
                                         "\033[1;38;5;160m"};
    const double level = amount > 1 ? log2(amount) : 0;
    return colors[level > 6 ? 6 : (int)level];
}

void terminal_number(double value, char *text, size_t size) {
    const double rounded = value >= 1e4 ? round(value) : round(value * 10) / 10;
    const double rest = rounded - floor(rounded);
    if (value == floor(value) || value >= 1e4) {
        (void)snprintf(text, size, "%s", count_text((uint64_t)rounded));
    } else if (value < 10) {
        (void)snprintf(text, size, "%.2f", value);
    } else {
        (void)snprintf(text, size, "%s.%.0f", count_text((uint64_t)rounded), rest * 10);
    }
}

bool terminal_takes(const terminal *at, const plot_series *series, size_t row) {
    double is, with;
    if (at->only && strcmp(chart_text(at->data, row, at->panel->each), at->only) != 0)
        return false;
    if (series->keep == PLOT_EVERY)
        return true;
    if (series->keep == PLOT_TEXT)
        return strcmp(chart_text(at->data, row, series->column), series->with) == 0;
    return chart_value(at->data, row, series->column, &is) &&
           chart_value(at->data, row, series->with, &with) &&
           (is == with) == (series->keep == PLOT_SAME);
}

size_t terminal_series(const plot_panel *panel) {
    size_t count = 0;
    while (count < PLOT_SERIES_MAX && panel->series[count].value)
        count++;
    return count;
}

size_t terminal_index(const terminal_names *names, const char *text) {
    size_t i = 0;
    while (i < names->count && strcmp(names->texts[i], text) != 0)
        i++;
    return i;
}

smp_status terminal_distinct(const terminal *at, const char *column, terminal_names *out,
                             smp_error *error) {
    *out = (terminal_names){NULL, 0};
    for (size_t row = 0; row < at->data->count; row++) {
        const char *text = chart_text(at->data, row, column);
        if (terminal_index(out, text) < out->count)
            continue;
        if (!LIST_ROOM(out->texts, out->count))
            return smp_error_memory(error);
        out->texts[out->count++] = text;
    }
    return SMP_OK;
}

static void put_heading(const terminal *at) {
    char text[120];
    text_buffer said = TEXT_BUFFER(text);
    smp_slot slot = SMP_NUMBER(at->only ? strtoull(at->only, NULL, 10) : 0);
    smp_say(&said, at->panel->heading, &slot);
    smp_wrapped_paint(at->out, "", text, smp_paint(at->style, "\033[1m"));
}

static smp_status put_panel(const terminal *at, smp_error *error) {
    if (at->panel->heading)
        put_heading(at);
    switch (at->panel->form) {
    case PLOT_BARS:
        return terminal_bars(at, error);
    case PLOT_COLUMNS:
        return terminal_columns(at, error);
    case PLOT_GRID:
        return terminal_grid(at, error);
    default:
        return terminal_map(at, error);
    }
}

/* Prints panels one below the other, but grids side by side. */
static smp_status put_panels(terminal *at, smp_error *error) {
    terminal_names each = {NULL, 0};
    if (!at->panel->each || at->panel->form == PLOT_GRID)
        return put_panel(at, error);
    smp_status status = terminal_distinct(at, at->panel->each, &each, error);
    for (size_t i = 0; i < each.count && status == SMP_OK; i++) {
        at->only = each.texts[i];
        at->is_last = i + 1 == each.count;
        status = put_panel(at, error);
    }
    free(each.texts);
    return status;
}

smp_status plot_print(const plot *what, const plot_panel *panels, const plot_target *target,
                      FILE *out, smp_error *error) {
    chart_table table;
    smp_status status = chart_table_read(what->data, &table, error);
    for (const plot_panel *panel = panels; status == SMP_OK && panel->form != PLOT_END; panel++) {
        terminal at = {out, target->style, target->columns, &table, panel, NULL, true};
        if (panel > panels)
            fputc('\n', out);
        status = put_panels(&at, error);
    }
    chart_table_free(&table);
    return status;
}
