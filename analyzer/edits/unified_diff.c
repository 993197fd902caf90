/* SPDX-License-Identifier: MIT */
/*
 * Compares two texts line by line by the shortest edit script (E. Myers, "An O(ND) difference
 * algorithm and its variations", 1986), and writes hunks with three lines of context.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "text_edit.h"

enum { AROUND = 3 };

typedef struct lines {
    const char **at; /* first byte of each line; at[count] is the end */
    size_t count;
} lines;

/* One step of the edit script: a line that is unchanged, deleted or inserted. */
typedef struct step {
    char sign; /* ' ', '-', '+' */
    size_t before, after;
} step;

typedef struct way {
    lines before, after;
    step *steps;
    size_t count;
} way;

static bool split(const char *text, size_t length, lines *out) {
    const char *end = text + length;
    while (text < end) {
        if (!LIST_ROOM(out->at, out->count))
            return false;
        out->at[out->count++] = text;
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        text = newline ? newline + 1 : end;
    }
    if (!LIST_ROOM(out->at, out->count))
        return false;
    out->at[out->count] = end;
    return true;
}

static bool is_same(const way *w, size_t a, size_t b) {
    const size_t length = (size_t)(w->before.at[a + 1] - w->before.at[a]);
    return length == (size_t)(w->after.at[b + 1] - w->after.at[b]) &&
           memcmp(w->before.at[a], w->after.at[b], length) == 0;
}

/* Follows unchanged lines from (a, a - k) on. */
static size_t slide(const way *w, size_t a, int64_t k) {
    size_t b = (size_t)((int64_t)a - k);
    while (a < w->before.count && b < w->after.count && is_same(w, a, b))
        a++, b++;
    return a;
}

/* Whether the furthest path to diagonal k with d edits comes from k + 1, by an inserted line. */
static bool comes_from_above(const int64_t *reach, int64_t k, int64_t d) {
    return k == -d || (k != d && reach[k - 1] < reach[k + 1]);
}

/* Collects the steps from the end backwards. `trace` holds the reach before each d. */
static bool walk_back(way *w, int64_t *const *trace, int64_t d) {
    size_t a = w->before.count, b = w->after.count;
    for (; d >= 0; d--) {
        const int64_t k = (int64_t)a - (int64_t)b;
        const bool is_above = d > 0 && comes_from_above(trace[d], k, d);
        const int64_t from = d == 0 ? 0 : is_above ? trace[d][k + 1] : trace[d][k - 1] + 1;
        const size_t stop = (size_t)from;
        while (a > stop) {
            if (!LIST_ROOM(w->steps, w->count))
                return false;
            w->steps[w->count++] = (step){' ', --a, --b};
        }
        if (d == 0)
            break;
        if (!LIST_ROOM(w->steps, w->count))
            return false;
        if (is_above)
            w->steps[w->count++] = (step){'+', a, --b};
        else
            w->steps[w->count++] = (step){'-', --a, b};
    }
    return true;
}

/* Saves the reach from diagonal -d - 1 to d + 1. */
static bool keep(int64_t ***trace, int64_t d, const int64_t *reach) {
    const size_t size = (size_t)(2 * d + 3);
    int64_t *copy = malloc(size * sizeof *copy);
    if (!copy || !LIST_ROOM(*trace, (size_t)d)) {
        free(copy);
        return false;
    }
    memcpy(copy, reach - d - 1, size * sizeof *copy);
    (*trace)[d] = copy + d + 1;
    return true;
}

static bool find_way(way *w) {
    const int64_t most = (int64_t)(w->before.count + w->after.count);
    int64_t *room = calloc((size_t)(2 * most + 3), sizeof *room), **trace = NULL, kept = 0;
    int64_t *reach = room ? room + most + 1 : NULL;
    bool is_fine = room, is_done = false;
    for (int64_t d = 0; is_fine && !is_done && d <= most; d++) {
        is_fine = keep(&trace, d, reach);
        kept += is_fine;
        for (int64_t k = -d; is_fine && !is_done && k <= d; k += 2) {
            const int64_t from = d == 0                          ? 0
                                 : comes_from_above(reach, k, d) ? reach[k + 1]
                                                                 : reach[k - 1] + 1;
            reach[k] = (int64_t)slide(w, (size_t)from, k);
            is_done =
                reach[k] == (int64_t)w->before.count && reach[k] - k == (int64_t)w->after.count;
        }
    }
    is_fine = is_fine && walk_back(w, trace, kept - 1);
    for (int64_t d = 0; d < kept; d++)
        free(trace[d] - d - 1);
    free(trace);
    free(room);
    return is_fine;
}

/* Step i, counted from the beginning. */
static const step *at_step(const way *w, size_t i) {
    return &w->steps[w->count - 1 - i];
}

static void put_range(FILE *out, char sign, size_t first, size_t count) {
    fprintf(out, count == 1 ? "%c%zu" : "%c%zu,%zu", sign, first + (count > 0), count);
}

static void put_line(FILE *out, const way *w, const step *s) {
    const lines *of = s->sign == '+' ? &w->after : &w->before;
    const size_t number = s->sign == '+' ? s->after : s->before;
    const size_t length = (size_t)(of->at[number + 1] - of->at[number]);
    fputc(s->sign, out);
    (void)fwrite(of->at[number], 1, length, out);
    if (of->at[number][length - 1] != '\n')
        fputs("\n\\ No newline at end of file\n", out);
}

static void put_hunk(FILE *out, const way *w, size_t from, size_t to) {
    size_t gone = 0, come = 0;
    for (size_t i = from; i < to; i++) {
        gone += at_step(w, i)->sign != '+';
        come += at_step(w, i)->sign != '-';
    }
    fputs("@@ ", out);
    put_range(out, '-', at_step(w, from)->before, gone);
    fputc(' ', out);
    put_range(out, '+', at_step(w, from)->after, come);
    fputs(" @@\n", out);
    for (size_t i = from; i < to; i++)
        put_line(out, w, at_step(w, i));
}

static void put_hunks(FILE *out, const way *w) {
    size_t i = 0;
    while (i < w->count) {
        size_t first = i;
        while (first < w->count && at_step(w, first)->sign == ' ')
            first++;
        if (first == w->count)
            return;
        const size_t from = first - i > AROUND ? first - AROUND : i;
        size_t last = first; /* after the last change of the hunk */
        for (size_t k = first; k < w->count && k - last <= (size_t)2 * AROUND; k++)
            if (at_step(w, k)->sign != ' ')
                last = k + 1;
        const size_t to = w->count - last > AROUND ? last + AROUND : w->count;
        put_hunk(out, w, from, to);
        i = to;
    }
}

static bool tell_changes(const way *w, const char *name, line_change_fn *told, void *user) {
    for (size_t i = 0; i < w->count; i++) {
        const step *first = at_step(w, i);
        size_t gone = 0, come = 0;
        for (; i < w->count && at_step(w, i)->sign != ' '; i++) {
            gone += at_step(w, i)->sign == '-';
            come += at_step(w, i)->sign == '+';
        }
        const char *text = w->after.at[first->after], *end = w->after.at[first->after + come];
        if (gone + come > 0 &&
            !told(user, name, first->before + 1, gone, text, (size_t)(end - text)))
            return false;
    }
    return true;
}

bool unified_diff(FILE *out, const char *name, const char *before, size_t before_length,
                  const char *after, size_t after_length, line_change_fn *told, void *user) {
    way w = {.count = 0};
    const bool is_equal = before_length == after_length && memcmp(before, after, after_length) == 0;
    bool is_fine = is_equal || (split(before, before_length, &w.before) &&
                                split(after, after_length, &w.after) && find_way(&w));
    if (is_fine && !is_equal) {
        fprintf(out, "--- a/%s\n+++ b/%s\n", name, name);
        put_hunks(out, &w);
    }
    is_fine = is_fine && (!told || tell_changes(&w, name, told, user));
    free(w.before.at);
    free(w.after.at);
    free(w.steps);
    return is_fine;
}
