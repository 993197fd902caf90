/* SPDX-License-Identifier: MIT */
/*
 * Generated functions that map an index to the place of the element, where they are inserted, and
 * the reason why a layout cannot be written.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout_writer.h"
#include "source_words.h"

bool layout_refuse(const layout_writer *w, size_t at, const char *what) {
    const host_span name = w->names->list[w->name].of.name;
    (void)snprintf(w->why, LAYOUT_WHY, "line %u uses %.*s %s", shared_line(w->text, at),
                   TEXT_CUT(name.text, name.length, 60), what);
    return false;
}

bool layout_is_nested(const layout_writer *w, const shared_use *use) {
    shared_use inner;
    shared_declaration within = w->names->list[w->name].of;
    within.scope_end = use->end;
    size_t at = use->begin + within.name.length;
    return shared_use_next(w->text, &within, &at, &inner);
}

size_t layout_function_begin(const char *text, size_t at) {
    for (const char *open = text + at; (open = host_around(text, open, "{}", ""));)
        at = (size_t)(open - text); /* the last brace that opens outside any function */
    at = source_behind_last(text, at, ";}#");
    while (at > 0 && text[at] != '\0' && text[at - 1] != '\n')
        at++;
    return at > 0 ? at : source_behind_blanks(text, 0);
}

static bool is_same(const layout_change *a, const layout_change *b) {
    return a->row == b->row && a->pad == b->pad &&
           (a->kind == LAYOUT_PAD ||
            (a->kind == LAYOUT_TURN ? a->rows == b->rows
                                    : a->mask == b->mask && a->unit == b->unit));
}

/* Names the function "tile_at", with a number if that name is taken. */
static void name_helper(const layout_writer *w, layout_helper *of) {
    const host_span base = w->names->list[0].of.name;
    const int length = (int)(base.length < 100 ? base.length : 100);
    bool is_new = false;
    for (unsigned number = 1; !is_new; number++) {
        (void)snprintf(of->name, sizeof of->name, number == 1 ? "%.*s_at" : "%.*s_at%u", length,
                       base.text, number);
        is_new = !host_has_name(w->text, of->name);
        for (const layout_helper *other = w->helpers->list; is_new && other < of; other++)
            is_new = strcmp(other->name, of->name) != 0;
    }
}

/* Returns the helper function for names with these elements. */
static const layout_helper *helper_for(const layout_writer *w) {
    layout_helpers *all = w->helpers;
    const size_t at = layout_function_begin(w->text, w->names->list[w->name].of.begin);
    unsigned i = 0;
    while (i < all->count && !is_same(&all->list[i].change, w->change))
        i++;
    if (i == LAYOUT_HELPERS_MAX) /* cannot happen: a name has at most two kinds of elements */
        i--;
    layout_helper *of = &all->list[i];
    if (i == all->count) {
        *of = (layout_helper){.change = *w->change, .at = at};
        all->count++;
        name_helper(w, of);
    }
    of->at = at < of->at ? at : of->at;
    return of;
}

void layout_call_helper(const layout_writer *w, host_span index) {
    const size_t at = layout_place(w->text, index);
    const bool is_closed = *index.text == '(' && shared_behind(w->text, at) == at + index.length;
    text_edits_add(w->edits, at, 0, "%s%s", helper_for(w)->name, is_closed ? "" : "(");
    if (!is_closed)
        text_edits_add(w->edits, at + index.length, 0, ")");
}

char layout_sign(int32_t pad) {
    return pad < 0 ? '-' : '+';
}

void layout_times_text(uint32_t factor, char out[24]) {
    out[0] = '\0';
    if (factor > 1)
        (void)snprintf(out, 24, " * %" PRIu32, factor);
}

static void write_body(const layout_change *change, char *out, size_t size) {
    char times[24], place[64] = "i";
    layout_times_text((uint32_t)abs(change->pad), times);
    if (change->pad != 0)
        (void)snprintf(place, sizeof place, "i %c i / %" PRIu32 "%s", layout_sign(change->pad),
                       change->row, times);
    layout_times_text(change->unit, times);
    if (change->kind == LAYOUT_TURN)
        (void)snprintf(out, size, "i %% %" PRIu32 " * %" PRIu32 " + i / %" PRIu32, change->row,
                       change->rows, change->row);
    else if (change->kind == LAYOUT_XOR)
        (void)snprintf(out, size, "%s%s%s ^ (i / %" PRIu32 " & %" PRIu32 ")%s",
                       change->pad != 0 ? "(" : "", place, change->pad != 0 ? ")" : "",
                       change->row * (change->over > 1 ? change->over : 1), change->mask, times);
    else
        (void)snprintf(out, size, "%s", place);
}

void layout_insert(const char *text, size_t at, const char *lines, text_edits *edits) {
    const bool is_first = at == 0 || text[at - 1] != '\n' || !isspace((unsigned char)text[at]);
    text_edits_add(edits, at, 0, "%s%s%s", is_first ? "" : "\n", lines, is_first ? "\n" : "");
}

static void write_helper(const char *text, const layout_helper *of, text_edits *edits) {
    char body[128], lines[384];
    write_body(&of->change, body, sizeof body);
    (void)snprintf(lines, sizeof lines,
                   "__device__ static inline unsigned %s(unsigned i) {\n    return %s;\n}\n",
                   of->name, body);
    layout_insert(text, of->at, lines, edits);
}

void layout_helpers_write(const char *text, const layout_helpers *helpers, text_edits *edits) {
    for (unsigned i = 0; i < helpers->count; i++)
        write_helper(text, &helpers->list[i], edits);
}

bool layout_scale(const char *text, host_span type, layout_change *change) {
    uint32_t bytes = shared_type_bytes(text, type);
    const bool is_raw = change->element_bytes == 1 && !host_is(type, "auto");
    if (bytes == 0 && !is_raw) /* auto or T: assumed to be those of the array; the run checks it */
        return true;
    bytes = bytes > 0 ? bytes : 4; /* raw bytes that hold a T, usually words */
    const uint32_t row = change->row * change->element_bytes,
                   unit = change->unit * change->element_bytes;
    const int32_t pad = change->pad * (int32_t)change->element_bytes;
    if (row % bytes != 0 || pad % (int32_t)bytes != 0 || row < bytes)
        return false;
    change->row = row / bytes;
    change->pad = pad / (int32_t)bytes;
    change->unit = unit > bytes ? unit / bytes : 1;
    while (change->mask * change->unit >= change->row) /* the elements are wider than assumed */
        change->mask >>= 1;
    return change->kind != LAYOUT_XOR || change->mask > 0;
}
