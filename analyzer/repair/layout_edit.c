/* SPDX-License-Identifier: MIT */
/*
 * Writing layouts: the declaration of a padded array of several dimensions, else each use.
 */
#include "layout_edit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text_buffer.h"

const char *layout_words(const shared_declaration *of, const layout_change *change,
                         char out[LAYOUT_WORDS]) {
    text_buffer words = text_buffer_over(out, LAYOUT_WORDS);
    text_add(&words, "%.*s: ", (int)(of->name.length < 60 ? of->name.length : 60), of->name.text);
    if (change->kind == LAYOUT_XOR && change->unit > 1)
        text_add(&words, "swizzle, column ^ (row & %" PRIu32 ") * %" PRIu32, change->mask,
                 change->unit);
    else if (change->kind == LAYOUT_XOR)
        text_add(&words, "swizzle, column ^ (row & %" PRIu32 ")", change->mask);
    else if (of->dims > 1 && change->row > 0)
        text_add(&words, "rows of %" PRIu32 " instead of %" PRIu32, change->row + change->pad,
                 change->row);
    else if (of->dims > 1)
        text_add(&words, "rows longer by %" PRIu32, change->pad);
    else
        text_add(&words, "%" PRIu32 " unused behind every %" PRIu32, change->pad, change->row);
    return out;
}

/* ---- Pieces of expressions ---- */

static bool is_number(host_span text) {
    for (size_t i = 0; i < text.length; i++)
        if (!isdigit((unsigned char)text.text[i]))
            return false;
    return text.length > 0;
}

/* A name, a number or a member. */
static bool is_primary(host_span text) {
    for (size_t i = 0; i < text.length; i++)
        if (!host_is_word(text.text[i]) && text.text[i] != '.')
            return false;
    return true;
}

/* Binds tighter than + does: no operator below it. */
static bool is_sum(host_span text) {
    for (size_t i = 0; i < text.length; i++)
        if (strchr("<>&|^?=!,", text.text[i]))
            return false;
    return true;
}

/* To write it twice would do something twice. */
static bool acts(host_span text) {
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.text[i], next = i + 1 < text.length ? text.text[i + 1] : '\0',
                   before = i > 0 ? text.text[i - 1] : '\0';
        if ((c == '+' && next == '+') || (c == '-' && next == '-') ||
            (c == '=' && next != '=' && !strchr("=<>!", before)))
            return true;
    }
    return false;
}

static size_t place(const char *text, host_span span) {
    return (size_t)(span.text - text);
}

/* ---- The declaration ---- */

/* "32" becomes "33", "TILE + 1" "TILE + 2", "TILE" "TILE + 1". */
static void pad_extent(const char *text, host_span extent, uint32_t pad, text_edits *edits) {
    host_span last = extent;
    while (last.length > 0 && isdigit((unsigned char)extent.text[last.length - 1]))
        last.length--;
    const host_span digits = {extent.text + last.length, extent.length - last.length};
    host_span rest = host_trim(last);
    const bool ends_in_sum = rest.length > 0 && rest.text[rest.length - 1] == '+';
    if (is_number(digits) && digits.length < 10 && (rest.length == 0 || ends_in_sum))
        text_edits_add(edits, place(text, digits), digits.length, "%lu",
                       strtoul(digits.text, NULL, 10) + pad);
    else if (is_sum(extent))
        text_edits_add(edits, place(text, extent) + extent.length, 0, " + %" PRIu32, pad);
    else
        text_edits_add(edits, place(text, extent), extent.length, "(%.*s) + %" PRIu32,
                       (int)extent.length, extent.text, pad);
}

static void spread_extent(const char *text, host_span extent, const layout_change *change,
                          text_edits *edits) {
    char *end;
    const unsigned long size = strtoul(extent.text, &end, 10);
    if (is_number(extent) && change->row > 0)
        text_edits_add(edits, place(text, extent), extent.length, "%lu",
                       size + (size + change->row - 1) / change->row * change->pad);
    else
        text_edits_add(edits, place(text, extent) + extent.length, 0,
                       is_primary(extent) ? " + %.*s / %" PRIu32 "%s%.0d"
                                          : " + (%.*s) / %" PRIu32 "%s%.0d",
                       (int)extent.length, extent.text, change->row, change->pad > 1 ? " * " : "",
                       change->pad > 1 ? (int)change->pad : 0);
}

/* ---- Uses ---- */

typedef struct writer {
    const char *text;
    const shared_declaration *of;
    const layout_change *change;
    text_edits *edits;
    char *why;
} writer;

static bool refuse(const writer *w, size_t at, const char *what) {
    (void)snprintf(w->why, LAYOUT_WHY, "line %u uses %.*s %s", shared_line(w->text, at),
                   (int)(w->of->name.length < 60 ? w->of->name.length : 60), w->of->name.text,
                   what);
    return false;
}

/* " & 31", unless there are no more rows. */
static void mask_text(const layout_change *change, char out[24]) {
    const bool is_all = change->rows > 0 && change->rows <= change->mask + 1;
    out[0] = '\0';
    if (!is_all)
        (void)snprintf(out, 24, " & %" PRIu32, change->mask);
}

/* The column of "tile[row][column]" turned by its row. */
static void turn_column(const writer *w, const shared_use *use) {
    const host_span column = use->index[use->count - 1], row = use->index[use->count - 2];
    const layout_change *change = w->change;
    const char *open = is_primary(row) ? "" : "(", *close = is_primary(row) ? "" : ")";
    char mask[24], times[24] = "";
    mask_text(change, mask);
    const bool has_group = mask[0] != '\0';
    if (change->unit > 1)
        (void)snprintf(times, sizeof times, " * %" PRIu32, change->unit);
    text_edits_add(w->edits, place(w->text, column), column.length,
                   is_primary(column) ? "%.*s ^ %s%s%.*s%s%s%s%s" : "(%.*s) ^ %s%s%.*s%s%s%s%s",
                   (int)column.length, column.text, has_group ? "(" : "", open, (int)row.length,
                   row.text, close, mask, has_group ? ")" : "", times);
}

/* The one index goes through a function. */
static void call_helper(const writer *w, const shared_use *use) {
    text_edits_add(w->edits, place(w->text, use->index[0]), 0, "%.*s_at(", (int)w->of->name.length,
                   w->of->name.text);
    text_edits_add(w->edits, place(w->text, use->index[0]) + use->index[0].length, 0, ")");
}

static bool write_use(const writer *w, const shared_use *use) {
    size_t at = 0;
    shared_use inner;
    if (use->count < w->of->dims)
        return refuse(w, use->begin, "without an index for each dimension");
    shared_declaration within = *w->of;
    within.scope_end = use->end;
    at = use->begin + w->of->name.length;
    if (shared_use_next(w->text, &within, &at, &inner))
        return refuse(w, use->begin, "in an index of its own");
    if (w->of->dims == 1) {
        call_helper(w, use);
        return true;
    }
    if (acts(use->index[use->count - 2]))
        return refuse(w, use->begin, "with an index that changes something");
    turn_column(w, use);
    return true;
}

/* Where the function that holds `at` begins, with what stands in front of it. */
static size_t function_begin(const char *text, size_t at) {
    int depth = 0;
    size_t begin = at, outer = 0;
    for (size_t i = 0; i < at; i++) { /* the last bracket that opens outside of any function */
        const bool opens_space = text[i] == '{' && depth == 0;
        if (opens_space)
            outer = i;
        depth += (text[i] == '{') - (text[i] == '}');
    }
    for (begin = depth > 0 ? outer : at; begin > 0; begin--)
        if (strchr(";}#", text[begin - 1]))
            break;
    if (begin > 0 && text[begin - 1] == '#') /* a directive ends with its line */
        while (text[begin] != '\0' && text[begin - 1] != '\n')
            begin++;
    while (isspace((unsigned char)text[begin]))
        begin++;
    return begin;
}

static void write_helper(const writer *w) {
    const layout_change *change = w->change;
    const int length = (int)w->of->name.length;
    const char *name = w->of->name.text;
    const size_t at = function_begin(w->text, w->of->begin);
    char times[24] = "";
    const uint32_t factor = change->kind == LAYOUT_XOR ? change->unit : change->pad;
    if (factor > 1)
        (void)snprintf(times, sizeof times, " * %" PRIu32, factor);
    if (change->kind == LAYOUT_XOR)
        text_edits_add(w->edits, at, 0,
                       "__device__ static inline unsigned %.*s_at(unsigned i) {\n"
                       "    return i ^ (i / %" PRIu32 " & %" PRIu32 ")%s;\n}\n\n",
                       length, name, change->row, change->mask, times);
    else
        text_edits_add(w->edits, at, 0,
                       "__device__ static inline unsigned %.*s_at(unsigned i) {\n"
                       "    return i + i / %" PRIu32 "%s;\n}\n\n",
                       length, name, change->row, times);
}

bool layout_write(const char *text, const shared_declaration *of, const layout_change *change,
                  text_edits *edits, char why[LAYOUT_WHY]) {
    const writer w = {text, of, change, edits, why};
    size_t at = of->end;
    shared_use use;
    why[0] = '\0';
    if (change->kind == LAYOUT_PAD && of->dims > 1) {
        pad_extent(text, of->extent[of->dims - 1], change->pad, edits);
        return true;
    }
    if (change->kind == LAYOUT_PAD)
        spread_extent(text, of->extent[0], change, edits);
    if (of->dims == 1)
        write_helper(&w);
    while (shared_use_next(text, of, &at, &use))
        if (!write_use(&w, &use))
            return false;
    return true;
}
