/* SPDX-License-Identifier: MIT */
/*
 * Statements become a tree whose nodes hold programs. Loops of the layout language, "for j =
 * 0:32:8", enclose everything up to "end"; their bounds are constants, so the number of iterations
 * is known.
 */
#include <string.h>

#include "lower.h"

/* ---- The tree ---- */

/* Gives a statement its place in the one that contains it. */
static void append(smp_layout *kernel, uint32_t index) {
    ct_statement *in = &kernel->statements[kernel->statements[index].parent];
    if (in->last != 0)
        kernel->statements[in->last].next = index;
    else
        in->first = index;
    in->last = index;
}

ct_statement *ct_statement_add(ct_lower *l, ct_statement_kind kind, size_t position) {
    smp_layout *kernel = &l->layout->kernel;
    const bool is_call = kind == CT_DO_CALL;
    if (!ct_has_room(l, position, kernel->statement_count - 1, CT_STATEMENTS_MAX - 1, "statements"))
        return NULL;
    const uint32_t index = kernel->statement_count++;
    kernel->statements[index] =
        (ct_statement){.kind = (uint8_t)kind, .parent = is_call ? l->owner : l->layout->open};
    if (!is_call && kind != CT_DO_PROGRAM)
        append(kernel, index);
    l->owner = is_call ? l->owner : index;
    return &kernel->statements[index];
}

static void open_statement(ct_draft *layout, const ct_statement *statement) {
    layout->open = (uint32_t)(statement - layout->kernel.statements);
}

static void close_statement(ct_draft *layout) {
    layout->open = layout->kernel.statements[layout->open].parent;
}

void ct_program_open(ct_lower *l) {
    ct_statement_add(l, CT_DO_PROGRAM, l->position);
    ct_program_begin(l);
}

bool ct_program_put(ct_lower *l) {
    if (l->status != SMP_OK)
        return false;
    ct_program_end(l, &l->layout->kernel.statements[l->owner].program);
    append(&l->layout->kernel, l->owner);
    return true;
}

/* ---- Conditions ---- */

static bool lower_condition(ct_lower *l, const ct_node *node, ct_program *out) {
    ct_operand value;
    ct_program_begin(l);
    ct_lower_expression(l, node, &value);
    if (l->tokens[node->first].code == '(')
        value.position = ct_begin(l, node);
    ct_operand_truth(l, &value);
    ct_program_end(l, out);
    return l->status == SMP_OK;
}

/* Lowers promises from `node` on; returns the first node after them. */
static const ct_node *lower_promises(ct_lower *l, const ct_node *node) {
    while (node && node->kind == CT_N_EXPECT && ct_lower_expect(l, node))
        node = node->next;
    return node;
}

/* Promises, a statement with its own scope, promises. *start (may be NULL) is the start of the
 * statement. */
static bool lower_branch(ct_lower *l, const ct_node *branch, size_t *start) {
    const ct_view outer = ct_scope_begin(l->layout);
    const ct_node *node = lower_promises(l, branch->child);
    if (start)
        *start = ct_position(l, branch->mark);
    if (node)
        ct_lower_statement(l, node);
    ct_scope_end(l->layout, outer);
    node = node ? lower_promises(l, node->next) : NULL;
    if (node && node->kind == CT_N_FAULT)
        ct_fail_fault(l, node->fault);
    return l->status == SMP_OK;
}

static void lower_block_branch(ct_lower *l, const ct_node *branch) {
    const ct_statement *block =
        branch ? ct_statement_add(l, CT_DO_BLOCK, ct_begin(l, branch)) : NULL;
    if (!block)
        return;
    open_statement(l->layout, block);
    lower_branch(l, branch, NULL);
    close_statement(l->layout);
}

/* Only the chosen branch is lowered. */
static bool lower_if_constant(ct_lower *l, const ct_node *node) {
    const ct_node *yes = node->child->next;
    const ct_node *chosen = ct_lower_constant(l, node->child, NULL) != 0 ? yes : yes->next;
    lower_block_branch(l, chosen);
    return l->status == SMP_OK;
}

static bool lower_if(ct_lower *l, const ct_node *node) {
    const ct_node *yes = node->child->next;
    const size_t access_start = l->access_start;
    ct_statement *added = ct_statement_add(l, CT_DO_IF, ct_begin(l, node));
    l->end = ct_end(l, node->child);
    if (!added || !lower_condition(l, node->child, &added->program))
        return false;
    open_statement(l->layout, added);
    const unsigned first_line = ct_unit_line(l->unit, access_start, NULL);
    const unsigned line = ct_unit_line(l->unit, ct_begin(l, yes), NULL);
    bool is_simple = line == first_line && l->tokens[yes->first].code != '{';
    l->access_start = is_simple ? access_start : ct_begin(l, yes);
    lower_block_branch(l, yes);
    lower_block_branch(l, yes->next);
    close_statement(l->layout);
    return l->status == SMP_OK;
}

/* ---- Loops ---- */

/* Adds and opens a loop; `symbol` is its counter or NULL. */
static ct_statement *add_loop(ct_lower *l, const ct_symbol *symbol, size_t position) {
    ct_draft *layout = l->layout;
    ct_statement *added = NULL;
    if (ct_has_room(l, position, layout->kernel.loop_count, SMP_LAYOUT_LOOPS_MAX, "loops"))
        added = ct_statement_add(l, CT_DO_LOOP, position);
    if (!added)
        return NULL;
    ct_loop *loop = &layout->kernel.loops[layout->kernel.loop_count];
    *loop = (ct_loop){.line = ct_unit_line(l->unit, position, NULL)};
    if (symbol && !symbol->varies) {
        loop->name = symbol->name;
        loop->slot = symbol->slot;
    }
    added->loop = layout->kernel.loop_count++;
    layout->open_loops |= UINT64_C(1) << added->loop;
    open_statement(layout, added);
    return added;
}

static void end_loop(ct_draft *layout) {
    layout->open_loops &= ~(UINT64_C(1) << layout->kernel.statements[layout->open].loop);
    close_statement(layout);
}

static bool lower_do(ct_lower *l, const ct_node *node) {
    ct_statement *loop = add_loop(l, NULL, ct_begin(l, node));
    if (!loop || !lower_branch(l, node->child, &l->access_start))
        return false;
    loop->tests_last = true;
    l->owner = l->layout->open;
    l->end = ct_end(l, node);
    lower_condition(l, node->child->next, &loop->program);
    end_loop(l->layout);
    return l->status == SMP_OK;
}

/* An optional expression whose value is not used. */
static void lower_effect(ct_lower *l, const ct_node *node) {
    ct_operand value;
    l->statement = node;
    if (node->kind != CT_N_NONE && ct_lower_expression(l, node, &value) && value.atomic != 0)
        ct_access_reduce(l, &value);
}

/* The first part of "for (...;...;...)"; returns the variable that it sets, or NULL. */
static ct_symbol *lower_start(ct_lower *l, const ct_node *node, const ct_token *name) {
    ct_scope *scope = &l->layout->scope;
    const uint32_t count = scope->count;
    ct_symbol *counter;
    if (node->kind == CT_N_VARIABLES || node->kind == CT_N_FAULT) {
        ct_lower_statement(l, node);
        counter = scope->count > count ? &scope->symbols[count] : NULL;
    } else {
        l->end = l->tokens[node->end].end;
        if (node->kind != CT_N_NONE) {
            ct_program_open(l);
            lower_effect(l, node);
            ct_program_put(l);
        }
        counter = ct_name_find(l, name);
    }
    return counter && counter->meaning == CT_MEANS_INTEGER ? counter : NULL;
}

/* "(int j = 0; j < 32; j += 8) statement"; of a while, the first part and the step are omitted. */
static bool lower_for(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    const ct_node *start = node->child, *test = start->next;
    const ct_view outer = ct_scope_begin(layout);
    const ct_symbol *counter = lower_start(l, start, &l->tokens[node->mark]);
    ct_statement *loop = add_loop(l, counter, ct_begin(l, node));
    if (!loop)
        return false;
    const ct_node *body = test->next->next;
    l->end = l->tokens[body->first - 1].end;
    if (test->kind != CT_N_NONE)
        lower_condition(l, test, &loop->program);
    ct_program_begin(l);
    lower_effect(l, test->next);
    ct_program_end(l, &loop->step);
    lower_branch(l, body, &l->access_start);
    end_loop(layout);
    ct_scope_end(layout, outer);
    return l->status == SMP_OK;
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
    const bool is_endless = r->op != CT_CODE_ADD && (r->step < 2 || r->start <= 0);
    r->falls = r->step < 0 || r->op == CT_CODE_DIV;
    const int64_t count = is_endless || r->step == 0 ? 0 : count_passes(r);
    *passes = (uint64_t)count;
    if (count > PASSES_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, position, "more than %lld iterations",
                       (long long)PASSES_MAX);
    return count > 0 || ct_fail(l, SMP_E_RANGE, position,
                                is_endless     ? "this loop would never end"
                                : r->step == 0 ? "the step is 0"
                                               : "this loop has no iteration");
}

/* The condition and the step, both in 64 bits. */
static bool emit_loop(ct_lower *l, const range *r, uint16_t slot, ct_statement *loop) {
    ct_program_begin(l);
    ct_emit_slot(l, slot);
    ct_emit_constant(l, r->stop);
    ct_emit_op(l, r->falls ? CT_CODE_GT : CT_CODE_LT, CT_I64, 2);
    ct_program_end(l, &loop->program);
    ct_program_begin(l);
    ct_emit_slot(l, slot);
    ct_emit_constant(l, r->step);
    ct_emit_op(l, r->op, CT_I64, 2);
    ct_emit_set(l, slot, NULL);
    ct_program_end(l, &loop->step);
    return l->status == SMP_OK;
}

static bool lower_range(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    const ct_token *name = &l->tokens[node->at];
    range r = {0};
    uint64_t passes = 0;
    l->position = name->position;
    if (!ct_new_name(l, name) || !lower_bounds(l, node, &r) ||
        !check_range(l, &r, name->position, &passes))
        return false;
    const ct_view outer = ct_scope_begin(layout);
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_INTEGER, ct_type_of_kind(CT_I32));
    symbol.is_const = true;
    ct_slot_new(l, &symbol.slot);
    ct_program_open(l);
    ct_emit_constant(l, r.start);
    ct_emit_set(l, symbol.slot, NULL);
    ct_program_put(l);
    ct_symbol_add(l, &symbol, name->position);
    ct_statement *loop = add_loop(l, &symbol, name->position);
    if (!loop || !emit_loop(l, &r, symbol.slot, loop))
        return false;
    loop->is_open = true;
    layout->kernel.loops[loop->loop].passes = passes;
    layout->loop_views[loop->loop] = outer;
    return true;
}

/* ---- Blocks and expressions ---- */

/* "end" of a loop of the layout language. */
static bool lower_end(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    const ct_statement *open = &layout->kernel.statements[layout->open];
    if (layout->open == l->block_open || !open->is_open)
        return ct_refuse(l, ct_begin(l, node), "no loop is open here");
    end_loop(layout);
    ct_scope_end(layout, layout->loop_views[open->loop]);
    return true;
}

static bool lower_block(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    const ct_view outer = ct_scope_begin(layout);
    const uint32_t block_open = l->block_open;
    l->block_open = layout->open;
    for (const ct_node *one = node->child; one && l->status == SMP_OK; one = one->next) {
        l->access_start = ct_begin(l, one);
        ct_lower_statement(l, one);
    }
    if (layout->open != l->block_open)
        ct_refuse(l, ct_position(l, node->mark), "a loop in this block has no 'end'");
    l->block_open = block_open;
    ct_scope_end(layout, outer);
    return l->status == SMP_OK;
}

/* True for an unknown name that does not begin an expression. */
static bool is_nonsense(const ct_lower *l, const ct_token *name) {
    const ct_token *next = &name[name->kind != CT_TOKEN_END];
    if (name->kind == CT_TOKEN_BAD && name->message)
        return false;
    if (name->kind != CT_TOKEN_NAME)
        return name->kind != CT_TOKEN_PUNCT || !strchr("*(&+-", (int)(name->code & 0xff));
    return next->kind != CT_TOKEN_PUNCT && !ct_type_named(name->word) &&
           !ct_layout_knows(l->layout, name->word) && !ct_call_is_known(name) &&
           !ct_builtin_find(name->word);
}

/* Checks that an expression statement has an effect. */
static bool check_effect(ct_lower *l, const ct_node *node, uint32_t accesses) {
    const size_t position = ct_begin(l, node);
    const ct_token *next = &l->tokens[node->mark];
    /* A misspelt promise must not become a variable: "expecways = 1"; CUDA's statements end with
     * ';'. */
    const bool is_cuda = next->code == ';' && !next->starts_line;
    if (l->has_new && !is_cuda && l->layout->kernel.access_count == accesses)
        return ct_refuse(l, position,
                         "this sets an undeclared name and accesses nothing: 'expect' makes a "
                         "promise, 'let' declares a name");
    if (!l->has_effect)
        return ct_refuse(l, position,
                         "this has no effect: expected an assignment or an access such as "
                         "'ld tile[threadIdx.x]'");
    if (l->has_stray && !l->has_known)
        return ct_refuse(l, position, "no name in this statement is declared");
    return true;
}

static bool lower_plain(ct_lower *l, const ct_node *node) {
    ct_operand value;
    const ct_node *expression = node->child;
    const ct_token *first = &l->tokens[node->first];
    const bool declares = first->kind == CT_TOKEN_NAME && first[1].kind == CT_TOKEN_NAME;
    if (is_nonsense(l, first))
        return l->layout->kernel.has_kernel && declares
                   ? ct_refuse_name(l, first, "'%.*s' is neither a known type nor a statement")
                   : ct_refuse(l, ct_begin(l, node),
                               "expected a statement: shared, global, block, for, define, ld, "
                               "st, expect ...");
    l->end = ct_end(l, node);
    ct_program_open(l);
    const uint32_t accesses = l->layout->kernel.access_count;
    l->has_effect = l->has_known = l->has_stray = l->has_new = false;
    l->statement = expression;
    ct_lower_expression(l, expression, &value);
    if (value.atomic != 0) {
        smp_request *request = ct_access_reduce(l, &value);
        request->text = l->unit->text + l->access_start;
        request->length = ct_end(l, expression) - l->access_start;
    }
    if (expression->next)
        return ct_fail_fault(l, expression->next->fault);
    return check_effect(l, node, accesses) && ct_program_put(l);
}

/* ---- One statement ---- */

/* break, continue and return. */
static bool lower_jump(ct_lower *l, const ct_node *node) {
    const ct_token *word = &l->tokens[node->at];
    const ct_statement_kind kind = ct_token_is(word, "break")      ? CT_DO_BREAK
                                   : ct_token_is(word, "continue") ? CT_DO_CONTINUE
                                                                   : CT_DO_RETURN;
    if (kind == CT_DO_RETURN && l->callee)
        return ct_function_return(l, node);
    if (kind != CT_DO_RETURN && l->layout->open_loops == 0)
        return ct_refuse(l, ct_begin(l, node), "no loop is open here");
    if (node->child)
        return ct_refuse_name(l, &l->tokens[node->child->first],
                              "expected an operator or the end of the line instead of '%.*s'");
    return ct_statement_add(l, kind, ct_begin(l, node));
}

static bool lower_declared_struct(ct_lower *l, const ct_node *node) {
    const smp_type *type;
    return ct_lower_struct(l, node, &type);
}

static ct_statement_fn *const lowered_by[] = {
    [CT_N_BLOCK] = lower_block,
    [CT_N_EXPRESSION] = lower_plain,
    [CT_N_IF] = lower_if,
    [CT_N_IF_CONSTANT] = lower_if_constant,
    [CT_N_DO] = lower_do,
    [CT_N_FOR] = lower_for,
    [CT_N_RANGE] = lower_range,
    [CT_N_END] = lower_end,
    [CT_N_JUMP] = lower_jump,
    [CT_N_VARIABLES] = ct_lower_variables,
    [CT_N_ARRAYS] = ct_lower_arrays,
    [CT_N_ACCESS] = ct_lower_access,
    [CT_N_STRUCT] = lower_declared_struct,
    [CT_N_ENUM] = ct_lower_enum,
    [CT_N_ALIAS] = ct_lower_alias,
    [CT_N_KERNEL] = ct_lower_kernel,
    [CT_N_DEFINE] = ct_lower_define,
    [CT_N_DIMS] = ct_lower_dim_statement,
    [CT_N_ARCHS] = ct_lower_archs,
    [CT_N_EXPECT] = ct_lower_expect,
    [CT_N_DATA] = ct_lower_data,
};

bool ct_lower_statement(ct_lower *l, const ct_node *node) {
    if (l->status != SMP_OK)
        return false;
    ct_statement_fn *const lower =
        node->kind < CT_COUNT(lowered_by) ? lowered_by[node->kind] : NULL;
    if (node->kind != CT_N_NONE)
        (void)(lower ? lower(l, node) : ct_fail_fault(l, node->fault));
    return l->status == SMP_OK;
}
