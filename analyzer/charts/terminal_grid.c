/* SPDX-License-Identifier: MIT */
/*
 * Numbers by x (across) and y (down). Blocks are side by side while they fit, and continue below.
 */
#include <stdlib.h>
#include <string.h>

#include "put.h"
#include "terminal.h"

enum { X_MOST = 16, BLOCKS_MOST = 64, GAP = 1 };

typedef struct grid {
    const terminal *at;
    terminal_names blocks, x, y;
    unsigned wide[BLOCKS_MOST][X_MOST]; /* columns of each x, including a blank before it */
    unsigned left;                      /* columns for the names of y */
} grid;

static void measure(grid *to) {
    const terminal *at = to->at;
    const plot_panel *panel = at->panel;
    for (size_t b = 0; b < to->blocks.count; b++)
        for (size_t i = 0; i < to->x.count; i++)
            to->wide[b][i] = 1 + larger(2, (unsigned)strlen(to->x.texts[i]));
    for (size_t i = 0; i < at->data->count; i++) {
        const size_t x = terminal_index(&to->x, chart_text(at->data, i, panel->x));
        const size_t block = terminal_index(&to->blocks, chart_text(at->data, i, panel->each));
        const char *value = chart_text(at->data, i, panel->series[0].value);
        to->wide[block][x] = larger(to->wide[block][x], 1 + (unsigned)strlen(value));
    }
    to->left = larger((unsigned)strlen(panel->x_name), (unsigned)strlen(panel->y_name));
    for (size_t i = 0; i < to->y.count; i++)
        to->left = larger(to->left, (unsigned)strlen(to->y.texts[i]));
}

/* The column after number x of a block that begins at `from`. */
static unsigned end_of(const grid *of, size_t block, unsigned from, size_t x) {
    for (size_t i = 0; i <= x; i++)
        from += of->wide[block][i];
    return from;
}

/* The first column of a block in a line of blocks starting with `first`. */
static unsigned start_of(const grid *of, size_t first, size_t block) {
    unsigned at = of->left + GAP;
    for (size_t b = first; b < block; b++)
        at = end_of(of, b, at, of->x.count - 1) + GAP;
    return at;
}

/* Wraps a heading to the block's width and returns its number of lines; without a canvas it only
 * counts. */
static unsigned put_head(canvas *on, unsigned x, unsigned wide, const char *text) {
    unsigned at = 0, line = 0;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        char word[80];
        const unsigned length = (unsigned)strcspn(text, " ");
        (void)snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (at > 0 && at + 1 + length > wide) {
            line++;
            at = 0;
        }
        if (on)
            canvas_put(on, x + at + (at > 0), line, word, "\033[1m");
        at += length + (at > 0);
        text += length;
    }
    return line + 1;
}

static void put_right(canvas *on, unsigned end, unsigned y, const char *text, const char *color) {
    const unsigned length = (unsigned)strlen(text);
    canvas_put(on, end > length ? end - length : 0, y, text, color);
}

static void put_values(const grid *of, canvas *on, size_t first, size_t last, unsigned top) {
    const terminal *at = of->at;
    const plot_panel *panel = at->panel;
    for (size_t i = 0; i < at->data->count; i++) {
        const size_t block = terminal_index(&of->blocks, chart_text(at->data, i, panel->each));
        const size_t x = terminal_index(&of->x, chart_text(at->data, i, panel->x));
        const size_t y = terminal_index(&of->y, chart_text(at->data, i, panel->y));
        const char *text = chart_text(at->data, i, panel->series[0].value);
        if (block >= first && block < last)
            put_right(on, end_of(of, block, start_of(of, first, block), x), top + (unsigned)y,
                      text[0] ? text : "-", terminal_heat(strtod(text, NULL)));
    }
}

static void put_heads(const grid *of, canvas *on, size_t first, size_t last, unsigned head) {
    canvas_put(on, 0, head - 1, of->at->panel->x_name, "\033[2m");
    canvas_put(on, 0, head, of->at->panel->y_name, "\033[2m");
    for (size_t b = first; b < last; b++) {
        const unsigned from = start_of(of, first, b), end = start_of(of, first, b + 1);
        (void)put_head(on, from + 1, end - from - GAP - 1, of->blocks.texts[b]);
        for (size_t x = 0; x < of->x.count; x++)
            put_right(on, end_of(of, b, from, x), head, of->x.texts[x], "\033[2m");
    }
}

static smp_status draw(const grid *of, size_t first, size_t last, smp_error *error) {
    unsigned head = 1;
    canvas on;
    for (size_t b = first; b < last; b++)
        head = larger(head, put_head(NULL, 0, start_of(of, b, b + 1) - start_of(of, b, b) - GAP - 1,
                                     of->blocks.texts[b]));
    if (!canvas_open(&on, of->at->columns, head + 1 + (unsigned)of->y.count))
        return smp_error_memory(error);
    put_heads(of, &on, first, last, head);
    for (size_t y = 0; y < of->y.count; y++)
        put_right(&on, of->left, head + 1 + (unsigned)y, of->y.texts[y], "\033[2m");
    put_values(of, &on, first, last, head + 1);
    canvas_print(&on, of->at->style, of->at->out);
    canvas_close(&on);
    return SMP_OK;
}

/* Draws the blocks, as many per line as fit. */
static smp_status draw_all(const grid *of, smp_error *error) {
    smp_status status = SMP_OK;
    for (size_t from = 0, end; from < of->blocks.count && status == SMP_OK; from = end) {
        end = from + 1;
        while (end < of->blocks.count && start_of(of, from, end + 1) - GAP <= of->at->columns)
            end++;
        if (from > 0)
            fputc('\n', of->at->out);
        status = draw(of, from, end, error);
    }
    return status;
}

static void put_notes(const grid *of) {
    const terminal *at = of->at;
    const char *last = "";
    for (size_t i = 0; i < at->data->count; i++) {
        const char *block = chart_text(at->data, i, at->panel->each);
        if (strcmp(block, last) != 0)
            put_wrapped(at->out, "", "%.90s: %.90s", block,
                        chart_text(at->data, i, at->panel->note));
        last = block;
    }
}

smp_status terminal_grid(const terminal *at, smp_error *error) {
    grid all = {.at = at};
    smp_status status = terminal_distinct(at, at->panel->each, &all.blocks, error) ||
                                terminal_distinct(at, at->panel->x, &all.x, error) ||
                                terminal_distinct(at, at->panel->y, &all.y, error)
                            ? error->status
                            : SMP_OK;
    if (status == SMP_OK && (all.x.count > X_MOST || all.blocks.count > BLOCKS_MOST))
        status = smp_error_set(error, SMP_E_INTERNAL, -1, "a grid of too many columns");
    if (status == SMP_OK) {
        measure(&all);
        status = draw_all(&all, error);
    }
    if (status == SMP_OK && at->panel->note)
        put_notes(&all);
    free(all.blocks.texts);
    free(all.x.texts);
    free(all.y.texts);
    return status;
}
