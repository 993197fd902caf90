/* SPDX-License-Identifier: MIT */
/* Collects the factors in the indices of all uses. */
#include "row_lengths.h"

#include <stdlib.h>

#include "layout_factor.h"
#include "shared_names.h"

enum { LENGTHS_MAX = 16, BYTES_MAX = 1 << 16 };

typedef struct gather {
    const host_scope *scope;
    const shared_names *names;
    uint32_t element_bytes;
    row_length list[LENGTHS_MAX];
    unsigned count;
} gather;

static void add(gather *to, host_span text, int64_t value, uint32_t element) {
    if (value < 2 || value * (int64_t)element > BYTES_MAX)
        return;
    const uint32_t bytes = (uint32_t)value * element;
    for (unsigned i = 0; i < to->count; i++)
        if (to->list[i].bytes == bytes) {
            to->list[i].uses++;
            return;
        }
    if (to->count < LENGTHS_MAX)
        to->list[to->count++] = (row_length){text, bytes, 1};
}

static void add_value(gather *to, unsigned name, host_span text, uint32_t element) {
    unsigned parameter;
    int64_t value;
    host_span argument;
    const bool is_own = element == to->element_bytes;
    if (!shared_parameter(&to->names->list[name], text, &parameter)) {
        if (layout_value(to->scope, text, &value))
            add(to, is_own ? text : (host_span){text.text, 0}, value, element);
        return;
    }
    for (unsigned i = 0; i < to->names->call_count; i++)
        if (to->names->calls[i].to == name &&
            host_part(to->names->calls[i].arguments, parameter, &argument) &&
            layout_value(to->scope, argument, &value))
            add(to, is_own ? argument : (host_span){text.text, 0}, value, element);
}

static void add_factors(gather *to, unsigned name, host_span index, uint32_t element) {
    layout_factor list[LAYOUT_FACTORS_MAX];
    const unsigned count = layout_factors(index, list);
    int64_t value;
    for (unsigned i = 0; i < count; i++) {
        host_span text = list[i].text;
        if (i + 1 < count && layout_one_product(&list[i], &list[i + 1]))
            continue; /* the last factor of a product is the row length */
        if (!list[i].is_shift) {
            add_value(to, name, text, element);
            continue;
        }
        text = (host_span){text.text + 2, text.length - 2};
        if (layout_value(to->scope, text, &value) && value > 0 && value < 16)
            add(to, (host_span){text.text, 0}, (int64_t)1 << value, element);
    }
}

static void add_uses(gather *to, unsigned number) {
    const shared_declaration *of = &to->names->list[number].of;
    const bool is_address = host_is(of->type, "char"); /* its factors usually count elements */
    const uint32_t written = is_address ? 0 : shared_type_bytes(to->scope->text, of->type);
    shared_use use;
    if (number > 0 && of->dims > 1)
        add_value(to, number, of->extent[of->dims - 1], written > 0 ? written : to->element_bytes);
    for (size_t at = 0; shared_use_next(to->scope->text, of, &at, &use);) {
        uint32_t element = use.is_cast ? shared_type_bytes(to->scope->text, use.type) : written;
        element = element > 0 ? element : to->element_bytes;
        if (use.count > 0 && (use.count == of->dims || use.is_cast))
            add_factors(to, number, use.index[use.count - 1], element);
    }
}

static int by_uses(const void *left, const void *right) {
    const row_length *a = left, *b = right;
    return (a->uses < b->uses) - (a->uses > b->uses);
}

unsigned row_lengths_find(const host_scope *scope, const shared_declaration *of,
                          uint32_t element_bytes, row_length out[ROW_LENGTHS_MAX]) {
    shared_names names;
    gather to = {.scope = scope, .names = &names, .element_bytes = element_bytes};
    if (!scope->text || element_bytes == 0)
        return 0;
    shared_names_find(scope->text, of, &names);
    for (unsigned i = 0; i < names.count; i++)
        add_uses(&to, i);
    if (!of->is_extern)
        add_factors(&to, 0, of->extent[of->dims - 1], element_bytes);
    qsort(to.list, to.count, sizeof *to.list, by_uses);
    const unsigned count = to.count < ROW_LENGTHS_MAX ? to.count : ROW_LENGTHS_MAX;
    for (unsigned i = 0; i < count; i++)
        out[i] = to.list[i];
    return count;
}
