/* SPDX-License-Identifier: MIT */
/*
 * Writing layouts: the declaration of a padded array of several dimensions, else each use.
 */
#include "layout_edit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shared_names.h"
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
                       is_primary(extent) ? " + %.*s / %" PRIu32 " * %" PRIu32
                                          : " + (%.*s) / %" PRIu32 " * %" PRIu32,
                       (int)extent.length, extent.text, change->row, change->pad);
}

/* Another place that says the row's length, as a parameter does; a template's is deduced. */
static void pad_other(const char *text, const shared_declaration *of, host_span other,
                      const layout_change *change, text_edits *edits) {
    const host_span own = of->extent[of->dims - 1];
    host_scope scope = {.text = text, .at = other.text};
    int64_t value;
    if (other.length == 0)
        return;
    const bool is_alike =
        own.length == other.length && memcmp(own.text, other.text, own.length) == 0;
    if (is_alike || (host_value(&scope, other, &value) && scope.assumed_count == 0 &&
                     value == (int64_t)change->row))
        pad_extent(text, other, change->pad, edits);
}

/* wmma::load_matrix_sync(fragment, &tile[0][k], 64) says the row's length, too. */
static void pad_leading(const char *text, const shared_declaration *of, const layout_change *change,
                        text_edits *edits) {
    host_span name, arguments, leading;
    shared_use use;
    for (size_t at = of->end; shared_use_next(text, of, &at, &use);)
        if (shared_use_call(text, &use, &name, &arguments) &&
            (host_is(name, "load_matrix_sync") || host_is(name, "store_matrix_sync")) &&
            host_part(arguments, 2, &leading))
            pad_other(text, of, leading, change, edits);
}

/* ---- Uses ---- */

/* A function that says where an element lies; names of equal elements share one. */
typedef struct helper {
    char name[140];
    layout_change change; /* in their elements */
    size_t at;            /* in front of all that call it */
} helper;

typedef struct helpers {
    helper list[SHARED_NAMES_MAX];
    unsigned count;
} helpers;

typedef struct writer {
    const char *text;
    const shared_declaration *of; /* the name whose uses are written */
    const layout_change *change;  /* in its elements */
    host_span base;               /* the array's name */
    helpers *helpers;
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

/* " * 4"; nothing for 1. */
static void times_text(uint32_t factor, char out[24]) {
    out[0] = '\0';
    if (factor > 1)
        (void)snprintf(out, 24, " * %" PRIu32, factor);
}

/* The column of "tile[row][column]" turned by its row. */
static void turn_column(const writer *w, const shared_use *use) {
    const host_span column = use->index[use->count - 1], row = use->index[use->count - 2];
    const layout_change *change = w->change;
    const char *open = is_primary(row) ? "" : "(", *close = is_primary(row) ? "" : ")";
    char mask[24], times[24];
    mask_text(change, mask);
    times_text(change->unit, times);
    const bool has_group = mask[0] != '\0';
    if (host_is(row, "0"))
        return;
    text_edits_add(w->edits, place(w->text, column), column.length,
                   is_primary(column) ? "%.*s ^ %s%s%.*s%s%s%s%s" : "(%.*s) ^ %s%s%.*s%s%s%s%s",
                   (int)column.length, column.text, has_group ? "(" : "", open, (int)row.length,
                   row.text, close, mask, has_group ? ")" : "", times);
}

/* In front of the function that holds `at`, and of its comment where something stands before. */
static size_t function_begin(const char *text, size_t at) {
    int depth = 0;
    size_t begin = at, outer = 0;
    for (size_t i = 0; i < at; i++) { /* the last bracket that opens outside of any function */
        if (text[i] == '{' && depth == 0)
            outer = i;
        depth += (text[i] == '{') - (text[i] == '}');
    }
    for (begin = depth > 0 ? outer : at; begin > 0; begin--)
        if (strchr(";}#", text[begin - 1]))
            break;
    while (begin > 0 && text[begin] != '\0' && text[begin - 1] != '\n')
        begin++;
    while (begin == 0 && isspace((unsigned char)text[at = begin]))
        for (begin = at; isspace((unsigned char)text[begin]);)
            begin++;
    return begin;
}

static bool is_same(const layout_change *a, const layout_change *b) {
    return a->row == b->row && a->pad == b->pad && a->mask == b->mask && a->unit == b->unit;
}

/* "tile_at", or with the first number that makes it a name of its own. */
static void name_helper(const writer *w, helper *of) {
    const int length = (int)(w->base.length < 100 ? w->base.length : 100);
    bool is_new = false;
    for (unsigned number = 1; !is_new; number++) {
        (void)snprintf(of->name, sizeof of->name, number == 1 ? "%.*s_at" : "%.*s_at%u", length,
                       w->base.text, number);
        is_new = !host_has_name(w->text, of->name);
        for (const helper *other = w->helpers->list; is_new && other < of; other++)
            is_new = strcmp(other->name, of->name) != 0;
    }
}

/* The function of names with such elements. */
static const helper *helper_for(const writer *w) {
    helpers *all = w->helpers;
    const size_t at = function_begin(w->text, w->of->begin);
    unsigned i = 0;
    while (i < all->count && !is_same(&all->list[i].change, w->change))
        i++;
    helper *of = &all->list[i];
    if (i == all->count) {
        *of = (helper){.change = *w->change, .at = at};
        all->count++;
        name_helper(w, of);
    }
    of->at = at < of->at ? at : of->at;
    return of;
}

/* The one index goes through a function. */
static void call_helper(const writer *w, const shared_use *use) {
    text_edits_add(w->edits, place(w->text, use->index[0]), 0, "%s(", helper_for(w)->name);
    text_edits_add(w->edits, place(w->text, use->index[0]) + use->index[0].length, 0, ")");
}

static bool write_use(const writer *w, const shared_use *use) {
    shared_use inner;
    if (shared_use_passes(w->text, w->of, use)) /* to a name whose uses are written */
        return true;
    shared_declaration within = *w->of;
    within.scope_end = use->end;
    size_t at = use->begin + w->of->name.length;
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

static void write_helper(const char *text, const helper *of, text_edits *edits) {
    const layout_change *change = &of->change;
    char times[24], mask[24] = "";
    const bool is_first =
        of->at == 0 || text[of->at - 1] != '\n' || !isspace((unsigned char)text[of->at]);
    times_text(change->kind == LAYOUT_XOR ? change->unit : change->pad, times);
    if (change->kind == LAYOUT_XOR)
        (void)snprintf(mask, sizeof mask, " & %" PRIu32 ")", change->mask);
    text_edits_add(edits, of->at, 0,
                   "%s__device__ static inline unsigned %s(unsigned i) {\n"
                   "    return i %si / %" PRIu32 "%s%s;\n}\n%s",
                   is_first ? "" : "\n", of->name, change->kind == LAYOUT_XOR ? "^ (" : "+ ",
                   change->row, mask, times, is_first ? "\n" : "");
}

static bool write_uses(const writer *w) {
    shared_use use;
    for (size_t at = w->of->end; shared_use_next(w->text, w->of, &at, &use);)
        if (!write_use(w, &use))
            return false;
    return true;
}

/* In the elements of a pointer to another type. False: it is not known what that is. */
static bool scale(layout_change *change, host_span type) {
    const uint32_t bytes = shared_element_bytes(type);
    if (bytes == 0)
        return host_is(type, "auto") || host_is(type, "T");
    const uint32_t row = change->row * change->element_bytes,
                   unit = change->unit * change->element_bytes,
                   pad = change->pad * change->element_bytes;
    if (row % bytes != 0 || pad % bytes != 0)
        return false;
    change->row = row / bytes;
    change->pad = pad / bytes;
    change->unit = unit > bytes ? unit / bytes : 1;
    while (change->mask * change->unit >= change->row) /* elements are wider than was thought */
        change->mask >>= 1;
    return change->kind == LAYOUT_PAD || change->mask > 0;
}

/* Every use under every name. */
static bool write_names(const char *text, const shared_names *names, const layout_change *change,
                        text_edits *edits, char why[LAYOUT_WHY]) {
    helpers called = {.count = 0};
    for (unsigned i = 0; i < names->count; i++) {
        layout_change own = *change;
        const writer w = {text, &names->list[i], &own, names->list[0].name, &called, edits, why};
        if (i > 0 && w.of->dims == 1 && !scale(&own, w.of->type))
            return refuse(&w, w.of->begin, "as something whose elements are not known here");
        if (!write_uses(&w))
            return false;
    }
    for (unsigned i = 0; i < called.count; i++)
        write_helper(text, &called.list[i], edits);
    return true;
}

/* The bytes of the launches of the kernel that declares it, which are in this file. */
static bool spread_launches(const char *text, const shared_declaration *of,
                            const layout_change *change, text_edits *edits) {
    const uint32_t row = change->row * change->element_bytes,
                   more = change->pad * change->element_bytes;
    bool has_any = false;
    host_launch launch;
    host_kernel kernel;
    host_span bytes;
    for (const char *at = text; host_launch_next(text, &at, &launch);) {
        const char *angle = memchr(launch.name.text, '<', launch.name.length);
        const host_span name = {launch.name.text,
                                angle ? (size_t)(angle - launch.name.text) : launch.name.length};
        if (!host_kernel_find(text, name, &kernel) || of->name.text < kernel.body.text ||
            of->name.text >= kernel.body.text + kernel.body.length)
            continue;
        if (!host_part(launch.configuration, 2, &bytes))
            return false;
        has_any = true;
        text_edits_add(edits, place(text, bytes), bytes.length,
                       is_primary(bytes) ? "%.*s / %" PRIu32 " * %" PRIu32
                                         : "(%.*s) / %" PRIu32 " * %" PRIu32,
                       (int)bytes.length, bytes.text, row, row + more);
    }
    return has_any;
}

bool layout_write(const char *text, const shared_declaration *of, const layout_change *change,
                  text_edits *edits, char why[LAYOUT_WHY]) {
    shared_names names;
    const writer w = {text, of, change, of->name, NULL, edits, why};
    why[0] = '\0';
    shared_names_find(text, of, &names);
    if (change->kind == LAYOUT_PAD && of->dims > 1) {
        pad_extent(text, of->extent[of->dims - 1], change->pad, edits);
        for (unsigned i = 1; i < names.count; i++)
            pad_other(text, of, names.list[i].extent[of->dims - 1], change, edits);
        pad_leading(text, of, change, edits);
        return true;
    }
    if (names.lost > 0)
        return refuse(&w, names.lost, "without an index for each dimension");
    if (change->kind == LAYOUT_PAD && of->is_extern && names.count > 1)
        return refuse(&w, names.list[1].begin, "in parts, which padding would move");
    if (change->kind == LAYOUT_PAD && of->is_extern && !spread_launches(text, of, change, edits))
        return refuse(&w, of->begin, "with bytes that are given elsewhere");
    if (change->kind == LAYOUT_PAD && !of->is_extern)
        spread_extent(text, of->extent[0], change, edits);
    return write_names(text, &names, change, edits, why);
}
