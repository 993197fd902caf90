/* SPDX-License-Identifier: MIT */
/*
 * Values over x as vertical bars and points, with nothing drawn between the values of x. A
 * logarithmic scale has at least one line for each doubling.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "put.h"
#include "terminal.h"
#include "text_buffer.h"

enum { SLOT_MOST = 6, LINES_MOST = 24, TICK_LINES = 3, TICKS_MOST = 5 };

typedef struct axes {
    const terminal *at;
    double *x; /* owned: values with a slot, in order */
    size_t count;
    double last;          /* the last value of x, which may have no slot */
    unsigned slot;        /* columns of a slot; with log_x of a doubling */
    unsigned doublings;   /* with log_x: number of doublings, plus one for values after the last */
    double most, y_step;  /* the largest value; without log_y, the step between ticks */
    double scale;         /* lines per doubling, or per unit */
    unsigned left, lines; /* columns left of the axis; lines above it */
    bool has_bars;
    unsigned points; /* number of point series */
} axes;

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Reads the distinct values of x in all panels, and the largest drawn value. */
static smp_status read_values(axes *to, smp_error *error) {
    const terminal *at = to->at;
    terminal all = *at;
    terminal_names names;
    all.only = NULL;
    smp_status status = terminal_distinct(at, at->panel->x, &names, error);
    for (size_t i = 0; i < names.count && status == SMP_OK; i++) {
        if (!LIST_ROOM(to->x, to->count))
            status = smp_error_memory(error);
        else if (names.texts[i][0] != '\0')
            to->x[to->count++] = strtod(names.texts[i], NULL);
    }
    free(names.texts);
    for (size_t s = 0; s < terminal_series(at->panel); s++)
        for (size_t i = 0; i < at->data->count; i++) {
            double value;
            if (terminal_takes(&all, &at->panel->series[s], i) &&
                chart_value(at->data, i, at->panel->series[s].value, &value) && value > to->most)
                to->most = value;
        }
    if (to->count > 1)
        qsort(to->x, to->count, sizeof *to->x, by_value);
    return status;
}

/* ---- Scales ---- */

static double doublings(double value) {
    return value > 1 ? log2(value) : 0;
}

/* Returns 1, 2 or 5 times a power of ten, so that at most TICKS_MOST steps reach `most`. */
static double round_step(double most) {
    static const double steps[] = {1, 2, 5};
    for (double ten = 1;; ten *= 10)
        for (size_t i = 0; i < 3; i++)
            if (most <= ten * steps[i] * TICKS_MOST)
                return ten * steps[i];
}

static void set_y(axes *to) {
    char text[32];
    if (to->at->panel->log_y) {
        const double top = ceil(doublings(to->most));
        to->scale = to->has_bars || 2 * top + 1 > LINES_MOST ? 1 : 2;
        if (top + 1 > LINES_MOST)
            to->scale = (LINES_MOST - 1) / top;
        to->lines = (unsigned)(top * to->scale + 0.5) + 1;
        terminal_number(exp2(top), text, sizeof text);
    } else {
        to->y_step = round_step(to->most);
        const double ticks = fmax(1, ceil(to->most / to->y_step));
        to->scale = TICK_LINES / to->y_step;
        to->lines = (unsigned)ticks * TICK_LINES;
        terminal_number(ticks * to->y_step, text, sizeof text);
    }
    to->left = (unsigned)strlen(text) + 2;
}

/* Gives every whole number between minimum and maximum a slot, if there is room. */
static smp_status fill_gaps(axes *to, size_t room, smp_error *error) {
    const double low = to->x[0], high = to->x[to->count - 1];
    if (high - low + 1 > (double)room || low != floor(low))
        return SMP_OK;
    to->count = 0;
    for (double x = low; x <= high; x++) {
        if (!LIST_ROOM(to->x, to->count))
            return smp_error_memory(error);
        to->x[to->count++] = x;
    }
    return SMP_OK;
}

static smp_status set_x(axes *to, smp_error *error) {
    const unsigned room = to->at->columns - to->left;
    if (to->count == 0)
        return SMP_OK;
    if (to->at->panel->log_x) {
        to->doublings = (unsigned)ceil(doublings(to->x[to->count - 1])) + 1;
        to->slot = room / to->doublings;
    } else {
        smp_status status = fill_gaps(to, room, error);
        if (status != SMP_OK)
            return status;
        to->last = to->x[to->count - 1];
        to->count = to->count < room ? to->count : room;
        to->slot = room / (unsigned)to->count;
    }
    to->slot = to->slot < 1 ? 1 : to->slot > SLOT_MOST ? SLOT_MOST : to->slot;
    return SMP_OK;
}

/* Sets the first column of x; false if it has no slot. */
static bool column_of(const axes *of, double x, unsigned *out) {
    if (of->at->panel->log_x) {
        *out = of->left + (unsigned)(doublings(x) * of->slot + 0.5);
        return true;
    }
    const double *found = bsearch(&x, of->x, of->count, sizeof x, by_value);
    *out = found ? of->left + (unsigned)(found - of->x) * of->slot : 0;
    return found;
}

/* Height of a bar in lines; 0 if nothing is drawn. */
static double height_of(const axes *of, double value) {
    if (value <= 0)
        return 0;
    return of->at->panel->log_y ? doublings(value) * of->scale + 1 : value * of->scale;
}

/* Canvas line of a bar's top. */
static unsigned line_of(const axes *of, double height) {
    const double up = ceil(height - 1e-9);
    return of->lines - (unsigned)(up < 1 ? 1 : up > of->lines ? of->lines : up);
}

/* ---- Drawing ---- */

static const char *point_of(const axes *of, size_t s) {
    static const char *const fancy[] = {"●", "◆", "▲", "■"}, *const plain[] = {"o", "x", "+", "*"};
    const size_t first = of->has_bars;
    return of->at->style.unicode ? fancy[(s - first) % 4] : plain[(s - first) % 4];
}

static void put_bar(const axes *of, canvas *on, unsigned x, double height) {
    static const char *const parts[] = {"", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const bool is_fancy = of->at->style.unicode;
    unsigned eighths = (unsigned)(height * 8 + 0.5);
    if (!is_fancy)
        eighths = (unsigned)(height + 0.5) * 8;
    eighths = eighths < 1 ? 1 : eighths;
    for (unsigned line = of->lines; eighths > 0 && line-- > 0;) {
        const unsigned part = eighths > 8 ? 8 : eighths;
        const unsigned wide = of->slot > 1 ? of->slot - 1 : 1;
        for (unsigned i = 0; i < wide; i++)
            canvas_put(on, x + i, line, is_fancy ? parts[part] : "#", terminal_color(0));
        eighths -= part;
    }
}

static void put_point(const axes *of, canvas *on, size_t s, unsigned x, double height) {
    const bool beside = !of->has_bars && !of->at->panel->log_x && of->slot >= of->points;
    const unsigned across = of->has_bars ? (of->slot > 1 ? (of->slot - 2) / 2 : 0)
                            : beside     ? (unsigned)s
                                         : 0;
    const double at = of->at->panel->log_y ? floor(height + 0.5) : height;
    canvas_put(on, x + across, line_of(of, at), point_of(of, s), terminal_color(s));
}

static void draw_series(const axes *of, canvas *on, size_t s) {
    const terminal *at = of->at;
    const plot_series *series = &at->panel->series[s];
    for (size_t i = 0; i < at->data->count; i++) {
        double x, value;
        unsigned column;
        if (!terminal_takes(at, series, i) || !chart_value(at->data, i, at->panel->x, &x) ||
            !chart_value(at->data, i, series->value, &value) || !column_of(of, x, &column))
            continue;
        const double height = height_of(of, value);
        if (height > 0 && series->is_point)
            put_point(of, on, s, column, height);
        else if (height > 0)
            put_bar(of, on, column, height);
    }
}

static void draw_y(const axes *of, canvas *on) {
    const char *side = of->at->style.unicode ? "│" : "|";
    const double step = of->at->panel->log_y ? 1 : of->y_step;
    for (unsigned line = 0; line <= of->lines; line++)
        canvas_put(on, of->left - 1, line,
                   line < of->lines        ? side
                   : of->at->style.unicode ? "└"
                                           : "+",
                   "\033[2m");
    for (double tick = of->at->panel->log_y ? 0 : step;; tick += step) {
        char text[32];
        const double value = of->at->panel->log_y ? exp2(tick) : tick;
        const double height = height_of(of, value);
        if (height > of->lines + 0.5)
            return;
        terminal_number(value, text, sizeof text);
        canvas_put(on, of->left - 2 - (unsigned)strlen(text), line_of(of, height), text, "");
    }
}

/* Slots between labels: a power of two that keeps them apart. */
static unsigned tick_step(const axes *of) {
    char text[32];
    terminal_number(of->x[of->count - 1], text, sizeof text);
    unsigned step = 1;
    while (step * of->slot < strlen(text) + 1)
        step *= 2;
    return step;
}

static void put_tick(const axes *of, canvas *on, double x, unsigned y) {
    char text[32];
    unsigned column;
    terminal_number(x, text, sizeof text);
    if (column_of(of, x, &column) && column + strlen(text) <= on->width)
        canvas_put(on, column, y, text, "");
}

static void draw_x(const axes *of, canvas *on) {
    const unsigned slots = of->at->panel->log_x ? of->doublings : (unsigned)of->count;
    const unsigned end = of->left + slots * of->slot;
    for (unsigned x = of->left; x < end; x++)
        canvas_put(on, x, of->lines, of->at->style.unicode ? "─" : "-", "\033[2m");
    if (!of->at->is_last)
        return;
    if (of->at->panel->log_x) {
        for (double x = 1; x / 2 < of->x[of->count - 1]; x *= 2)
            put_tick(of, on, x, of->lines + 1);
        return;
    }
    const unsigned step = tick_step(of);
    const bool is_whole = of->x[of->count - 1] - of->x[0] == (double)(of->count - 1);
    for (size_t i = 0; i < of->count; i++)
        if (is_whole ? fmod(of->x[i], step) == 0 : i % step == 0)
            put_tick(of, on, of->x[i], of->lines + 1);
}

static void put_legend(const axes *of) {
    char text[200], label[32];
    text_buffer out = TEXT_BUFFER(text);
    const plot_panel *panel = of->at->panel;
    for (size_t s = 0; s < terminal_series(panel); s++) {
        double value;
        bool is_there = false;
        for (size_t i = 0; i < of->at->data->count && !is_there; i++)
            is_there = terminal_takes(of->at, &panel->series[s], i) &&
                       chart_value(of->at->data, i, panel->series[s].value, &value);
        if (is_there || !panel->series[s].is_exceptions)
            text_join(&out, "; ", "%s %s",
                      panel->series[s].is_point ? point_of(of, s)
                      : of->at->style.unicode   ? "█"
                                                : "#",
                      is_there ? panel->series[s].name : "");
        if (!is_there && !panel->series[s].is_exceptions)
            text_add(&out, "%s: none", panel->series[s].name);
    }
    (void)snprintf(label, sizeof label, "%*s", (int)of->left, "");
    if (panel->x_name)
        smp_wrapped_print(of->at->out, label, panel->x_name);
    smp_wrapped_print(of->at->out, label, text);
    if (of->last <= of->x[of->count - 1])
        return;
    put_wrapped(of->at->out, label, "values above %.0f, up to %.0f, need a wider terminal",
                of->x[of->count - 1], of->last);
}

static smp_status draw(const axes *of, smp_error *error) {
    canvas on;
    if (!canvas_open(&on, of->at->columns, of->lines + 1 + of->at->is_last))
        return smp_error_memory(error);
    draw_x(of, &on);
    draw_y(of, &on);
    for (size_t s = 0; s < terminal_series(of->at->panel); s++)
        draw_series(of, &on, s);
    canvas_print(&on, of->at->style, of->at->out);
    canvas_close(&on);
    return SMP_OK;
}

smp_status terminal_columns(const terminal *at, smp_error *error) {
    axes all = {.at = at};
    for (size_t s = 0; s < terminal_series(at->panel); s++) {
        all.has_bars = all.has_bars || !at->panel->series[s].is_point;
        all.points += at->panel->series[s].is_point;
    }
    smp_status status = read_values(&all, error);
    set_y(&all);
    if (status == SMP_OK)
        status = set_x(&all, error);
    if (status == SMP_OK && all.count > 0)
        status = draw(&all, error);
    if (status == SMP_OK && at->is_last && all.count > 0)
        put_legend(&all);
    free(all.x);
    return status;
}
