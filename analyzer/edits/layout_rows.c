/* SPDX-License-Identifier: MIT */
/*
 * Makes rows longer: in extents, in the products that step over rows, and in arguments that give a
 * row length.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout_writer.h"

static bool is_edited(const layout_writer *w, size_t at, size_t length) {
    EACH(const text_edit, one, w->edits->items, w->edits->count) {
        if (one->length > 0 && one->at < at + length && at < one->at + one->length)
            return true;
        if (one->length == 0 && one->at == at + length && one->text[0] == ' ') /* "N" + 1 */
            return true;
    }
    return false;
}

/* Replaces "32" by "33", "TILE + 1" by "TILE + 2" or "TILE", "TILE" by "TILE + 1". */
static void pad_text(const layout_writer *w, host_span extent, int32_t pad) {
    host_span last = extent;
    if (is_edited(w, layout_place(w->text, extent), extent.length))
        return;
    while (last.length > 0 && isdigit((unsigned char)extent.text[last.length - 1]))
        last.length--;
    const host_span digits = {extent.text + last.length, extent.length - last.length};
    host_span rest = host_trim(last);
    const bool ends_in_sum = rest.length > 0 && rest.text[rest.length - 1] == '+';
    if (text_is_number(digits) && ends_in_sum && (int32_t)strtol(digits.text, NULL, 10) == -pad) {
        rest = host_trim((host_span){rest.text, rest.length - 1});
        text_edits_add(w->edits, layout_place(w->text, rest) + rest.length,
                       (size_t)(digits.text + digits.length - rest.text) - rest.length, "%s", "");
    } else if (text_is_number(digits) && digits.length < 10 && (rest.length == 0 || ends_in_sum))
        text_edits_add(w->edits, layout_place(w->text, digits), digits.length, "%" PRIu32,
                       (uint32_t)strtoul(digits.text, NULL, 10) + (uint32_t)pad);
    else if (text_is_sum(extent))
        text_edits_add(w->edits, layout_place(w->text, extent) + extent.length, 0, " %c %d",
                       layout_sign(pad), abs(pad));
    else
        text_edits_add(w->edits, layout_place(w->text, extent), extent.length, "(%.*s) %c %d",
                       SPAN(extent), layout_sign(pad), abs(pad));
}

/* Replaces "TILE" by "(TILE + 1)" and "32" by "33". */
static void pad_factor(const layout_writer *w, const layout_factor *factor, uint32_t row,
                       int32_t pad) {
    const size_t at = layout_place(w->text, factor->text);
    if (is_edited(w, at, factor->text.length))
        return;
    if (factor->is_shift)
        text_edits_add(w->edits, at, factor->text.length, "* %" PRIu32, row + (uint32_t)pad);
    else if (text_is_number(factor->text))
        text_edits_add(w->edits, at, factor->text.length, "%" PRIu32, row + (uint32_t)pad);
    else
        text_edits_add(w->edits, at, factor->text.length, "(%.*s %c %d)", SPAN(factor->text),
                       layout_sign(pad), abs(pad));
}

static bool value_of(const layout_writer *w, host_span text, int64_t *value) {
    const host_scope scope = {.text = w->text};
    return layout_value(w->scope ? w->scope : &scope, text, value);
}

static bool is_value(const layout_writer *w, const layout_factor *factor, uint32_t row) {
    int64_t value;
    host_span text = factor->text;
    if (factor->is_shift)
        text = (host_span){text.text + 2, text.length - 2};
    if (row == 0 || !value_of(w, text, &value))
        return false;
    return factor->is_shift ? value >= 0 && value < 32 && (int64_t)row == (int64_t)1 << value
                            : value == (int64_t)row;
}

/* Returns the padding for a factor that is a row length, in elements of this name (of the array
 * for an address); 0 if it is no row length. */
static int32_t pad_of(const layout_writer *w, const layout_factor *factor, uint32_t *row) {
    const layout_change *own = w->change, *whole = w->whole;
    const shared_declaration *of = &w->names->list[w->name].of;
    const shared_declaration *array = &w->names->list[0].of;
    const bool is_last = whole->row_text.length == 0 && array->dims > 1 && !whole->is_inner;
    const host_span named = is_last ? array->extent[array->dims - 1] : whole->row_text;
    const bool is_named = named.length > 0 && host_same(named, factor->text);
    *row = own->row;
    if (is_value(w, factor, own->row) || (is_named && own->row == whole->row))
        return own->pad;
    *row = whole->row;
    return host_is(of->type, "char") && (is_named || is_value(w, factor, whole->row)) ? whole->pad
                                                                                      : 0;
}

bool layout_has_row(const layout_writer *w, host_span index) {
    layout_factor list[LAYOUT_FACTORS_MAX];
    uint32_t row;
    for (unsigned i = layout_factors(index, list); i > 0; i--)
        if (pad_of(w, &list[i - 1], &row) != 0)
            return true;
    return false;
}

/* Lengthens the arguments that callers pass for one parameter. */
static bool lengthen_arguments(const layout_writer *w, unsigned parameter) {
    host_span argument;
    bool has_any = false;
    EACH(const shared_call, call, w->names->calls, w->names->call_count) {
        if (call->to != w->name || !host_part(call->arguments, parameter, &argument))
            continue;
        layout_writer caller = *w;
        caller.name = call->from;
        has_any |= call->from != w->name && layout_lengthen(&caller, argument);
    }
    return has_any;
}

static bool lengthen(const layout_writer *w, const layout_factor *factor, bool is_factor) {
    unsigned parameter;
    uint32_t row;
    if (shared_parameter(&w->names->list[w->name], factor->text, &parameter))
        return lengthen_arguments(w, parameter);
    const int32_t pad = pad_of(w, factor, &row);
    if (pad != 0 && is_factor)
        pad_factor(w, factor, row, pad);
    else if (pad != 0)
        pad_text(w, factor->text, pad);
    return pad != 0;
}

bool layout_lengthen(const layout_writer *w, host_span length) {
    const layout_factor factor = {length, false};
    return length.length > 0 && lengthen(w, &factor, false);
}

bool layout_lengthen_factors(const layout_writer *w, host_span index) {
    layout_factor list[LAYOUT_FACTORS_MAX];
    const layout_factor itself = {index, false};
    const unsigned count = layout_factors(index, list);
    bool has_any = count == 0 && text_is_primary(index) && lengthen(w, &itself, true);
    for (unsigned i = count; i > 0; i--) { /* the last factor of a product */
        bool is_done = false;
        for (unsigned k = i; k < count && !is_done; k++)
            is_done = list[k].text.length == 0 && layout_one_product(&list[i - 1], &list[k]);
        if (!is_done && lengthen(w, &list[i - 1], true)) {
            has_any = true;
            list[i - 1].text.length = 0; /* done; this marks its product */
        }
    }
    return has_any;
}

static void spread_extent(const layout_writer *w, host_span extent) {
    char *end;
    const layout_change *change = w->change;
    const unsigned long size = strtoul(extent.text, &end, 10);
    const size_t at = layout_place(w->text, extent);
    const bool is_closed = text_is_sum(extent);
    if (text_is_number(extent) && change->row > 0) {
        text_edits_add(w->edits, at, extent.length, "%lu",
                       size + (size + change->row - 1) / change->row * (unsigned long)change->pad);
        return;
    }
    char times[24];
    layout_times_text((uint32_t)abs(change->pad), times);
    text_edits_add(w->edits, at, 0, is_closed ? "" : "(");
    text_edits_add(
        w->edits, at + extent.length, 0,
        text_is_primary(extent) ? "%s %c %.*s / %" PRIu32 "%s" : "%s %c (%.*s) / %" PRIu32 "%s",
        is_closed ? "" : ")", layout_sign(change->pad), SPAN(extent), change->row, times);
}

/* Lengthens the row itself if there are several dimensions, else the product that counts rows. */
void layout_lengthen_extent(const layout_writer *w, host_span extent) {
    if (w->names->list[0].of.dims > 1 && !w->whole->is_inner)
        pad_text(w, extent, w->change->pad);
    else if (!layout_lengthen_factors(w, extent))
        spread_extent(w, extent);
}
