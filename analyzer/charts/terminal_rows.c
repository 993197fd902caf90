/* SPDX-License-Identifier: MIT */
/* Shared by all panels: colours, numbers, and the rows of a series. */
#include <math.h>
#include <string.h>

#include "list.h"
#include "put.h"
#include "terminal.h"

/* The colours of plots/theme.gp among a terminal's 256. */
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
