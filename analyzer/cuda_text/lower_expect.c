/* SPDX-License-Identifier: MIT */
/*
 * Promises in a layout file: "expect ways <= 1" is about each access of the statement before it,
 * "expect excess == 0 on sm_90" only on that architecture. ways is that of the worst request; the
 * other counts are sums over all warps and iterations.
 */
#include <stdio.h>
#include <stdlib.h>

#include "list.h"
#include "lower.h"

typedef struct field_row {
    const char *name;
    uint32_t needs; /* SMP_HAS_... */
} field_row;

enum { WAYS, WAVEFRONTS, IDEAL, EXCESS, TRANSACTIONS, BYTES, REQUESTS };

static const field_row fields[] = {
    [WAYS] = {"ways", SMP_HAS_WAVEFRONTS},
    [WAVEFRONTS] = {"wavefronts", SMP_HAS_WAVEFRONTS},
    [IDEAL] = {"ideal", SMP_HAS_WAVEFRONTS},
    [EXCESS] = {"excess", SMP_HAS_WAVEFRONTS},
    [TRANSACTIONS] = {"transactions", SMP_HAS_TRANSACTIONS},
    [BYTES] = {"bytes", SMP_HAS_TRANSACTIONS},
    [REQUESTS] = {"requests", 0},
};

typedef struct relation_row {
    uint32_t code;
    bool less, equal, greater; /* which outcomes keep the promise */
} relation_row;

static const relation_row relations[] = {
    {CT_PUNCT2('<', '='), true, true, false},  {CT_PUNCT2('>', '='), false, true, true},
    {CT_PUNCT2('=', '='), false, true, false}, {CT_PUNCT2('!', '='), true, false, true},
    {CT_PUNCT1('<'), true, false, false},      {CT_PUNCT1('>'), false, false, true},
    {CT_PUNCT1('='), false, true, false},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* One more; most layouts have few, what fix writes for every architecture many. */
static bool make_room(ct_lower *l, smp_layout *layout, size_t position) {
    if (layout->expect_count == CT_EXPECTS_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, position, "more than %d expectations", CT_EXPECTS_MAX);
    return LIST_ROOM(layout->expects, layout->expect_count) || ct_fail_memory(l);
}

/* The first access of the statement or line that access `last` stands in. */
static uint32_t first_of_line(const smp_layout *layout, uint32_t last) {
    const smp_request *latest = &layout->accesses[last];
    uint32_t first = last;
    while (first > 0 && (layout->accesses[first - 1].statement == latest->statement ||
                         layout->accesses[first - 1].line == latest->line))
        first--;
    return first;
}

bool ct_lower_expect(ct_lower *l, const ct_node *node) {
    smp_layout *layout = &l->layout->kernel;
    const size_t position = ct_begin(l, node);
    const ct_node *bound = node->child;
    if (layout->access_count == 0)
        return ct_refuse(l, position, "'expect' is about the access before it, and there is none");
    if (!make_room(l, layout, position))
        return false;
    ct_expectation *expect = &layout->expects[layout->expect_count];
    *expect = (ct_expectation){.first = first_of_line(layout, layout->access_count - 1),
                               .access = layout->access_count - 1,
                               .text = l->unit->text + position,
                               .length = ct_end(l, node) - position,
                               .line = ct_line(l, position, NULL)};
    while (!ct_token_is(&l->tokens[node->at], fields[expect->field].name))
        expect->field++;
    while (!ct_token_is_punct(&l->tokens[node->at + 1], relations[expect->relation].code))
        expect->relation++;
    if (!ct_lower_constant_in(l, bound, "the bound", 0, INT64_MAX, &expect->value))
        return false;
    for (const ct_node *part = bound->next; part; part = part->next) {
        if (!(part->kind == CT_N_FAULT ? ct_fail_fault(l, part)
                                       : ct_lower_arch(l, part, &expect->arch)))
            return false;
    }
    layout->expect_count++;
    return true;
}

size_t smp_layout_expect_count(const smp_layout *layout) {
    return layout->expect_count;
}

void smp_layout_expect_at(const smp_layout *layout, size_t index, smp_layout_expect *out) {
    const ct_expectation *expect = &layout->expects[index];
    *out = (smp_layout_expect){.first = expect->first,
                               .access = expect->access,
                               .arch = expect->arch,
                               .text = expect->text,
                               .length = expect->length,
                               .line = expect->line};
}

/* Of a range, the end that keeps the promise less well. */
static uint64_t field_value(const smp_totals *totals, uint8_t field, bool upper) {
    switch (field) {
    case WAYS:
        return totals->ways;
    case WAVEFRONTS:
        return upper ? totals->wavefronts_max : totals->wavefronts_min;
    case IDEAL:
        return totals->ideal;
    case EXCESS:
        return totals->excess;
    case TRANSACTIONS:
        return totals->transactions;
    case BYTES:
        return totals->bytes;
    default:
        return totals->requests;
    }
}

bool smp_layout_expect_concerns(const smp_layout *layout, size_t index, size_t access) {
    const smp_space space = smp_ops(NULL)[layout->accesses[access].op].space;
    switch (fields[layout->expects[index].field].needs) {
    case SMP_HAS_WAVEFRONTS:
        return space == SMP_SPACE_SHARED || space == SMP_SPACE_COPY;
    case SMP_HAS_TRANSACTIONS:
        return space != SMP_SPACE_SHARED;
    default:
        return true;
    }
}

static bool keeps(const relation_row *relation, uint64_t value, uint64_t bound) {
    return (value < bound && relation->less) || (value == bound && relation->equal) ||
           (value > bound && relation->greater);
}

bool smp_layout_expect_holds(const smp_layout *layout, size_t index, const smp_totals *totals,
                             char *reason, size_t size) {
    const ct_expectation *expect = &layout->expects[index];
    const field_row *field = &fields[expect->field];
    const relation_row *relation = &relations[expect->relation];
    if ((totals->valid & field->needs) != field->needs) {
        const char *why = totals->note ? totals->note : "this operation has no such count";
        if (reason)
            snprintf(reason, size, "%s not known: %s", field->name, why);
        return false;
    }
    uint64_t high = field_value(totals, expect->field, true);
    uint64_t low = field_value(totals, expect->field, false);
    uint64_t bound = (uint64_t)expect->value;
    if (keeps(relation, high, bound) && keeps(relation, low, bound))
        return true;
    if (reason && low == high)
        snprintf(reason, size, "%s is %llu", field->name, (unsigned long long)high);
    else if (reason)
        snprintf(reason, size, "%s is %llu to %llu", field->name, (unsigned long long)low,
                 (unsigned long long)high);
    return false;
}
