/* SPDX-License-Identifier: MIT */
/*
 * A row for each label, with a bar for each series. The series are side by side if their bars stay
 * readable, else below each other; if even that is too narrow, each label gets its own line.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "terminal.h"
#include "text_buffer.h"

enum { BAR_LEAST = 8, BAR_MOST = 60, NOTE_BAR_LEAST = 20, GAP = 2, TEXT_SIZE = 64, INDENT = 2 };

typedef struct bar {
    bool has_value, has_mark, has_low, has_counted;
    double value, mark, low, counted, busy;
    char text[TEXT_SIZE];
} bar;

typedef struct row {
    const char *label, *note;
    bar bars[PLOT_SERIES_MAX];
} row;

/* The scale of one series. */
typedef struct scale {
    bool is_shown, is_log;
    double low, most; /* low, with is_log: the value where bars begin */
    unsigned text;    /* width of the longest text */
} scale;

typedef struct bars {
    const terminal *at;
    size_t series;
    row *rows; /* owned */
    size_t count;
    scale scales[PLOT_SERIES_MAX];
    unsigned label, note; /* widths of the longest label and note */
} bars;

/* ---- Rows ---- */

static row *find_row(bars *all, const char *label) {
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->rows[i].label, label) == 0)
            return &all->rows[i];
    if (!LIST_ROOM(all->rows, all->count))
        return NULL;
    all->rows[all->count].label = label;
    return &all->rows[all->count++];
}

/* Adds a column of the data, if the series has it. */
static void add(const chart_table *data, size_t from, const char *column, double *sum, bool *has) {
    double value;
    if (!column || !chart_value(data, from, column, &value))
        return;
    *sum += value;
    *has = true;
}

static void add_to_bar(const chart_table *data, size_t from, const plot_series *series, bar *to) {
    bool has_busy;
    add(data, from, series->value, &to->value, &to->has_value);
    add(data, from, series->mark, &to->mark, &to->has_mark);
    add(data, from, series->low, &to->low, &to->has_low);
    add(data, from, series->counted, &to->counted, &to->has_counted);
    add(data, from, series->busy, &to->busy, &has_busy);
}

static smp_status read_rows(bars *all, smp_error *error) {
    const terminal *at = all->at;
    for (size_t i = 0; i < at->data->count; i++) {
        row *to = find_row(all, chart_text(at->data, i, at->panel->x));
        if (!to)
            return smp_error_memory(error);
        to->note = at->panel->note ? chart_text(at->data, i, at->panel->note) : "";
        for (size_t s = 0; s < all->series; s++)
            if (terminal_takes(at, &at->panel->series[s], i))
                add_to_bar(at->data, i, &at->panel->series[s], &to->bars[s]);
    }
    return SMP_OK;
}

/* ---- Scales ---- */

static bool is_idle(const plot_series *series, const bar *one) {
    return series->busy && one->busy <= 0;
}

static void say_value(const plot_series *series, bar *one) {
    char value[32], low[32];
    text_buffer out = TEXT_BUFFER(one->text);
    terminal_number(one->value, value, sizeof value);
    terminal_number(one->low, low, sizeof low);
    if (!one->has_value)
        text_add(&out, "%s", series->none ? series->none : "-");
    else if (one->has_low && one->low < one->value)
        text_add(&out, "%s to %s", low, value);
    else
        text_add(&out, "%s", value);
    if (one->has_value && is_idle(series, one))
        text_add(&out, " %s", series->idle);
    if (one->has_counted && one->has_value && one->counted != one->value) {
        terminal_number(one->counted, value, sizeof value);
        text_add(&out, ", counted %s", value);
    }
}

static void stretch(double value, double *least, double *most) {
    if (value > 0 && (*least <= 0 || value < *least))
        *least = value;
    if (value > *most)
        *most = value;
}

static void set_scale(bars *all, size_t s) {
    enum { FAR = 20 };
    const plot_series *series = &all->at->panel->series[s];
    scale *to = &all->scales[s];
    double least = 0, most = 0, mark_least = 0, mark_most = 0;
    for (size_t i = 0; i < all->count; i++) {
        bar *one = &all->rows[i].bars[s];
        say_value(series, one);
        const unsigned length = (unsigned)strlen(one->text);
        to->text = length > to->text ? length : to->text;
        stretch(one->value, &least, &most);
        stretch(one->mark, &mark_least, &mark_most);
        if (!is_idle(series, one) && one->value > to->most)
            to->most = one->value;
    }
    to->is_log = series->is_wide && most > FAR * least;
    if (mark_most > (to->is_log ? most : to->most))
        to->most = mark_most;
    else if (to->is_log)
        to->most = most;
    stretch(mark_least, &least, &most);
    to->low = least / 1.5;
    to->is_shown = to->most > 0 || (!series->is_exceptions && most > 0);
}

static double share(const scale *of, double value) {
    if (value <= 0 || of->most <= 0)
        return 0;
    return of->is_log ? log(value / of->low) / log(of->most / of->low) : value / of->most;
}

/* ---- Drawing ---- */

/* Draws a bar in eighths of a cell; without Unicode, in whole cells. */
static void put_bar(canvas *on, smp_style style, unsigned x, unsigned y, double length) {
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    unsigned eighths = length > 0 ? (unsigned)(length * 8 + 0.5) : 0;
    if (length > 0 && eighths == 0)
        eighths = 1;
    for (; eighths > 0; x++) {
        const unsigned part = eighths > 8 ? 8 : eighths;
        canvas_put(on, x, y, style.unicode ? parts[part] : "#", terminal_color(0));
        eighths -= part;
    }
}

/* Draws the part of a bar between minimum and maximum. */
static void put_rest(canvas *on, smp_style style, unsigned x, unsigned y, double from, double to) {
    for (unsigned i = (unsigned)ceil(from); i < (unsigned)ceil(to); i++)
        canvas_put(on, x + i, y, style.unicode ? "▒" : "-", terminal_color(0));
}

/* Draws a dotted line of `length` columns that ends in a dot. */
static void put_dot(canvas *on, smp_style style, unsigned x, unsigned y, unsigned length) {
    for (unsigned i = 0; i + 1 < length; i++)
        canvas_put(on, x + i, y, style.unicode ? "·" : ".", terminal_color(0));
    canvas_put(on, x + length - 1, y, style.unicode ? "●" : "o", terminal_color(0));
}

/* Draws a bar of at most `wide` columns with its mark and number. */
static void draw_bar(const bars *all, canvas *on, const bar *one, size_t s, unsigned x, unsigned y,
                     unsigned wide) {
    const scale *of = &all->scales[s];
    const smp_style style = all->at->style;
    const bool is_drawn =
        one->has_value && (of->is_log || !is_idle(&all->at->panel->series[s], one));
    const double length = is_drawn ? share(of, one->value) * wide : 0;
    const double low = one->has_low ? share(of, one->low) * wide : length;
    unsigned end = (unsigned)ceil(length - 1e-9);
    if (length > 0 && of->is_log)
        put_dot(on, style, x, y, end);
    else if (length > 0) {
        put_rest(on, style, x, y, low, length);
        put_bar(on, style, x, y, low);
    }
    if (one->has_mark && one->mark > 0) {
        const unsigned at = (unsigned)ceil(share(of, one->mark) * wide - 1e-9);
        canvas_put(on, x + (at ? at - 1 : 0), y, style.unicode ? "┃" : "|", terminal_color(1));
        end = at > end ? at : end;
    }
    canvas_put(on, x + end + (end > 0), y, one->text, "");
}

/* Draws series `from` to `to` of all rows, the first at column `left`. */
static smp_status draw(const bars *all, size_t from, size_t to, unsigned left, smp_error *error) {
    const unsigned step = left == INDENT ? 2 : 1, columns = all->at->columns;
    const unsigned head = !!all->at->panel->series[from].name;
    unsigned shown = 0, used = 0, x = left;
    canvas on;
    for (size_t s = from; s < to; s++) {
        shown += all->scales[s].is_shown;
        used += all->scales[s].is_shown ? all->scales[s].text + 1 + GAP : 0;
    }
    if (!canvas_open(&on, columns, (unsigned)all->count * step + head))
        return smp_error_memory(error);
    const bool has_note = all->note > 0 && shown == 1 && step == 1 &&
                          left + used + NOTE_BAR_LEAST + all->note <= columns;
    unsigned wide = (columns + GAP - left - used - (has_note ? all->note + GAP : 0)) / shown;
    wide = wide < BAR_MOST ? wide : BAR_MOST;
    for (size_t s = from; s < to; s++) {
        if (!all->scales[s].is_shown)
            continue;
        if (head)
            canvas_put(&on, x, 0, all->at->panel->series[s].name, "\033[1m");
        for (size_t i = 0; i < all->count; i++)
            draw_bar(all, &on, &all->rows[i].bars[s], s, x, (unsigned)i * step + head + (step - 1),
                     wide);
        x += wide + 1 + all->scales[s].text + GAP;
    }
    for (size_t i = 0; i < all->count; i++) {
        canvas_put(&on, 0, (unsigned)i * step + head, all->rows[i].label, "");
        if (has_note)
            canvas_put(&on, x, (unsigned)i * step + head, all->rows[i].note, "\033[2m");
    }
    canvas_print(&on, all->at->style, all->at->out);
    canvas_close(&on);
    return SMP_OK;
}

/* Columns that a series needs, without labels. */
static unsigned least_columns(const bars *all, size_t s) {
    const char *name = all->at->panel->series[s].name;
    return larger(all->scales[s].text + 1 + BAR_LEAST, name ? (unsigned)strlen(name) : 0) + GAP;
}

static smp_status arrange(const bars *all, smp_error *error) {
    const unsigned left = all->label + GAP, columns = all->at->columns + GAP;
    unsigned together = left, widest = 0;
    smp_status status = SMP_OK;
    bool is_first = true;
    for (size_t s = 0; s < all->series; s++) {
        const unsigned needs = all->scales[s].is_shown ? least_columns(all, s) : 0;
        together += needs;
        widest = larger(widest, needs);
    }
    if (together <= columns)
        return draw(all, 0, all->series, left, error);
    for (size_t s = 0; s < all->series && status == SMP_OK; s++) {
        if (!all->scales[s].is_shown)
            continue;
        if (!is_first)
            fputc('\n', all->at->out);
        is_first = false;
        status = draw(all, s, s + 1, left + widest <= columns ? left : INDENT, error);
    }
    return status;
}

/* Writes a legend for what the subtitle does not explain. */
static void put_legend(const bars *all) {
    const plot_series *series = all->at->panel->series;
    bool has_rest = false, has_log = false;
    char text[160];
    text_buffer out = TEXT_BUFFER(text);
    for (size_t s = 0; s < all->series; s++) {
        has_log = has_log || (all->scales[s].is_shown && all->scales[s].is_log);
        for (size_t i = 0; i < all->count; i++)
            has_rest = has_rest || (all->rows[i].bars[s].has_low &&
                                    all->rows[i].bars[s].low < all->rows[i].bars[s].value);
    }
    const bool is_unicode = all->at->style.unicode;
    if (series[0].mark_name)
        text_join(&out, "; ", "%s %s", is_unicode ? "┃" : "|", series[0].mark_name);
    if (has_rest)
        text_join(&out, "; ", "%s possible, as the hardware chooses", is_unicode ? "▒" : "-");
    if (has_log)
        text_join(&out, "; ", "%s on a logarithmic scale", is_unicode ? "●" : "o");
    if (out.length > 0)
        smp_wrapped_print(all->at->out, "", text);
}

smp_status terminal_bars(const terminal *at, smp_error *error) {
    bars all = {.at = at, .series = terminal_series(at->panel)};
    smp_status status = read_rows(&all, error);
    for (size_t s = 0; s < all.series; s++)
        set_scale(&all, s);
    for (size_t i = 0; i < all.count; i++) {
        all.label = larger(all.label, (unsigned)strlen(all.rows[i].label));
        all.note = larger(all.note, (unsigned)strlen(all.rows[i].note));
    }
    if (status == SMP_OK)
        status = arrange(&all, error);
    if (status == SMP_OK)
        put_legend(&all);
    free(all.rows);
    return status;
}
