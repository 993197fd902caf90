/* SPDX-License-Identifier: MIT */
/*
 * Loops. Those of the layout language, "for j = 0:32:8", enclose everything up to "end"; their
 * bounds are constants, so the number of iterations is known.
 */
#include "lower.h"

/* Adds and opens a loop; `symbol` is its counter or NULL. */
static ct_statement *add_loop(ct_lower *l, const ct_symbol *symbol, size_t position) {
    ct_draft *layout = l->layout;
    if (layout->kernel.loop_count == SMP_LAYOUT_LOOPS_MAX) {
        (void)ct_fail(l, SMP_E_OVERFLOW, position, "more than %d loops", SMP_LAYOUT_LOOPS_MAX);
        return NULL;
    }
    ct_statement *added = ct_statement_add(l, CT_DO_LOOP, position);
    if (!added)
        return NULL;
    ct_loop *loop = &layout->kernel.loops[layout->kernel.loop_count];
    *loop = (ct_loop){.line = ct_line(l, position, NULL)};
    if (symbol && !symbol->varies) {
        loop->name = symbol->name;
        loop->slot = symbol->slot;
    }
    added->loop = layout->kernel.loop_count++;
    layout->open_loops |= UINT64_C(1) << added->loop;
    ct_statement_open(layout, added);
    return added;
}

void ct_loop_end(ct_draft *layout) {
    layout->open_loops &= ~(UINT64_C(1) << layout->kernel.statements[layout->open].loop);
    ct_statement_close(layout);
}

/* ---- Loops of C ---- */

bool ct_lower_while(ct_lower *l, const ct_node *node) {
    ct_program condition;
    ct_statement *loop = add_loop(l, NULL, ct_begin(l, node));
    if (!loop || !ct_lower_condition(l, node->child, &condition))
        return false;
    loop->program = condition;
    ct_statement_claim(l, loop);
    bool sound = ct_lower_branch(l, node->child->next);
    ct_loop_end(l->layout);
    return sound;
}

bool ct_lower_do(ct_lower *l, const ct_node *node) {
    ct_statement *loop = add_loop(l, NULL, ct_begin(l, node));
    if (!loop || !ct_lower_branch(l, node->child))
        return false;
    loop->tests_last = true;
    bool sound = ct_lower_condition(l, node->child->next, &loop->program);
    l->last_end = ct_end(l, node);
    ct_statement_claim(l, loop);
    ct_loop_end(l->layout);
    return sound;
}

/* An optional expression. */
static bool lower_step(ct_lower *l, const ct_node *node, ct_program *out) {
    ct_operand value;
    ct_program_begin(l, out);
    if (node->kind != CT_N_NONE) {
        if (!ct_lower_expression(l, node, &value))
            return false;
        if (value.atomic != 0)
            ct_access_reduce(l, &value);
    }
    ct_program_end(l, CT_DATA, out);
    return l->status == SMP_OK;
}

/* The first part of "for (...;...;...)" and the variable it sets. */
static bool lower_start(ct_lower *l, const ct_node *node, const ct_token *name,
                        ct_symbol **counter) {
    ct_scope *scope = &l->layout->scope;
    const size_t count = scope->count;
    ct_program program;
    if (node->kind == CT_N_VARIABLES || node->kind == CT_N_FAULT) {
        if (!ct_lower_statement(l, node))
            return false;
        *counter = scope->count > count ? &scope->symbols[count] : NULL;
    } else {
        if (!lower_step(l, node, &program))
            return false;
        l->last_end = l->tokens[node->end].end;
        if (program.count > 0 && !ct_program_add(l, &program))
            return false;
        *counter = ct_name_find(l, name);
    }
    if (*counter && (*counter)->meaning != CT_MEANS_INTEGER)
        *counter = NULL;
    return true;
}

/* "(int j = 0; j < 32; j += 8) statement". */
bool ct_lower_for(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    const ct_node *start = node->child, *test = start->next;
    ct_symbol *counter = NULL;
    ct_program condition = {0}, step;
    ct_operand value;
    size_t mark = ct_scope_begin(layout);
    if (!lower_start(l, start, &l->tokens[node->mark], &counter))
        return false;
    ct_statement *loop = add_loop(l, counter, ct_begin(l, node));
    if (!loop)
        return false;
    if (test->kind != CT_N_NONE) {
        ct_program_begin(l, &condition);
        if (!ct_lower_value(l, test, &value))
            return false;
        ct_program_end(l, value.kind, &condition);
    }
    const ct_node *body = test->next->next;
    if (!lower_step(l, test->next, &step))
        return false;
    loop->program = condition;
    loop->step = step;
    l->last_end = body->first > 0 ? l->tokens[body->first - 1].end : 0;
    ct_statement_claim(l, loop);
    bool sound = ct_lower_branch(l, body);
    ct_loop_end(layout);
    ct_scope_end(layout, mark);
    return sound;
}

/* ---- Loops of the layout language ---- */

#define PASSES_MAX (INT64_C(1) << 20)

typedef struct range {
    int64_t start, stop, step;
    ct_code_op op; /* value op step */
    bool falls;
} range;

static int64_t next_value(const range *r, int64_t value) {
    return r->op == CT_CODE_MUL   ? value * r->step
           : r->op == CT_CODE_DIV ? value / r->step
                                  : value + r->step;
}

/* Number of passes, or PASSES_MAX + 1. */
static int64_t count_passes(const range *r) {
    int64_t count = 0, value = r->start;
    while (count <= PASSES_MAX && (r->falls ? value > r->stop : value < r->stop)) {
        int64_t before = value;
        value = next_value(r, value);
        count++;
        if (value == before)
            return PASSES_MAX + 1;
    }
    return count;
}

/* "0:32:8": start, stop, step. */
static bool lower_bounds(ct_lower *l, const ct_node *node, range *r) {
    const int64_t least = INT32_MIN, most = INT32_MAX;
    const ct_node *stop = node->child->next;
    r->start = ct_lower_constant_in(l, node->child, "the start", least, most);
    r->stop = ct_lower_constant_in(l, stop, "the stop", least, most);
    r->step = stop->next ? ct_lower_constant_in(l, stop->next, "the step", least, most) : 1;
    r->op = node->mark == '*' ? CT_CODE_MUL : node->mark == '/' ? CT_CODE_DIV : CT_CODE_ADD;
    return l->status == SMP_OK;
}

static bool check_range(ct_lower *l, range *r, size_t position, uint64_t *passes) {
    if (r->op != CT_CODE_ADD && (r->step < 2 || r->start <= 0))
        return ct_fail(l, SMP_E_RANGE, position, "this loop would never end");
    if (r->step == 0)
        return ct_fail(l, SMP_E_RANGE, position, "the step is 0");
    r->falls = r->step < 0 || r->op == CT_CODE_DIV;
    int64_t count = count_passes(r);
    if (count == 0)
        return ct_fail(l, SMP_E_RANGE, position, "this loop has no iteration");
    if (count > PASSES_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, position, "more than %lld iterations",
                       (long long)PASSES_MAX);
    *passes = (uint64_t)count;
    return true;
}

static bool emit_start(ct_lower *l, const range *r, uint16_t slot, size_t position) {
    ct_program program;
    ct_program_begin(l, &program);
    return ct_emit_constant(l, r->start, position) && ct_emit_set(l, slot, NULL, position) &&
           ct_program_put(l, CT_I64, &program);
}

/* The condition and the step, both in 64 bits. */
static bool emit_loop(ct_lower *l, const range *r, uint16_t slot, size_t position,
                      ct_statement *loop) {
    ct_program_begin(l, &loop->program);
    ct_emit_slot(l, slot, position);
    ct_emit_constant(l, r->stop, position);
    ct_emit_op(l, r->falls ? CT_CODE_GT : CT_CODE_LT, CT_I64, position, 2);
    ct_program_end(l, CT_I32, &loop->program);
    ct_program_begin(l, &loop->step);
    ct_emit_slot(l, slot, position);
    ct_emit_constant(l, r->step, position);
    ct_emit_op(l, r->op, CT_I64, position, 2);
    ct_emit_set(l, slot, NULL, position);
    ct_program_end(l, CT_I64, &loop->step);
    return l->status == SMP_OK;
}

bool ct_lower_range(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    const ct_token *name = &l->tokens[node->at];
    range r = {0};
    uint64_t passes = 0;
    const size_t position = name->position;
    if (!ct_new_name(l, name) || !lower_bounds(l, node, &r) ||
        !check_range(l, &r, position, &passes))
        return false;
    l->last_end = ct_end(l, node);
    size_t mark = ct_scope_begin(layout);
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_INTEGER, ct_type_of_kind(CT_I32));
    symbol.is_const = true;
    if (!ct_slot_new(l, position, &symbol.slot) || !emit_start(l, &r, symbol.slot, position) ||
        !ct_symbol_add(l, &symbol, position))
        return false;
    ct_statement *loop = add_loop(l, &symbol, position);
    if (!loop || !emit_loop(l, &r, symbol.slot, position, loop))
        return false;
    loop->is_open = true;
    layout->kernel.loops[loop->loop].passes = passes;
    layout->loop_marks[loop->loop] = mark;
    return true;
}
