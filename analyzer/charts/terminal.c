/* SPDX-License-Identifier: MIT */
/* Charts in a terminal, panel by panel. */
#include "terminal.h"

#include <stdlib.h>

#include "sentence.h"

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

/* Prints panels below each other, but grids side by side. */
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
