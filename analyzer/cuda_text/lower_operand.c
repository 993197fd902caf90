/* SPDX-License-Identifier: MIT */
/*
 * What an expression has left on the stack: values, objects that are loaded, pointers as numbers;
 * and expressions that must be constant.
 */
#include <stdio.h>
#include <string.h>

#include "lower.h"

static ct_kind common_kind(ct_kind a, ct_kind b) {
    return a > b ? a : b;
}

ct_operand ct_value_of(ct_kind kind, const smp_type *type, size_t position) {
    return (ct_operand){.form = CT_FORM_VALUE, .kind = kind, .type = type, .position = position};
}

const smp_type *ct_operand_type(const ct_operand *operand) {
    if (operand->form == CT_FORM_OBJECT)
        return operand->is_root || operand->shape.dim_count > 0 ? NULL : operand->shape.type;
    if (operand->form == CT_FORM_POINTER)
        return NULL;
    return operand->type ? operand->type : ct_type_of_kind(operand->kind);
}

static bool load(ct_lower *l, ct_operand *operand) {
    const smp_type *type = operand->shape.type;
    size_t position = operand->position;
    bool sound;
    if (ct_local_array_is_element(operand))
        return ct_local_array_read(l, operand, position);
    if (operand->array == CT_ARRAY_LOCAL) {
        ct_token name = ct_token_read(l->unit->text, l->unit->length, operand->text_start);
        sound = ct_emit_drop(l, position) &&
                ct_emit_unknown(l, CT_REASON_LOCAL, name.text, name.length, position);
    } else {
        bool is_given = ct_data_is_given(&l->layout->kernel, operand);
        sound = ct_access_load(l, operand, is_given ? CT_READS_VALUE : CT_TAKES_OFFSET);
    }
    *operand = ct_value_of(ct_type_kind(type), type, position);
    return sound;
}

bool ct_operand_value(ct_lower *l, ct_operand *operand) {
    if (l->status != SMP_OK)
        return false;
    if (operand->form == CT_FORM_SLOT)
        operand->form = CT_FORM_VALUE;
    if (operand->form != CT_FORM_OBJECT)
        return true;
    if (ct_place_is_whole(l, operand))
        return load(l, operand);
    return ct_place_decay(l, operand, operand->position);
}

/* A pointer as a number is not known. */
bool ct_operand_number(ct_lower *l, ct_operand *operand) {
    if (!ct_operand_value(l, operand))
        return false;
    if (operand->form != CT_FORM_POINTER)
        return true;
    size_t position = operand->position;
    *operand = ct_value_of(CT_U64, NULL, position);
    return ct_emit_drop(l, position) && ct_emit_unknown(l, CT_REASON_ADDRESS, "", 0, position);
}

/* The same as a condition: a pointer into an array is not null. */
bool ct_operand_truth(ct_lower *l, ct_operand *operand) {
    if (!ct_operand_value(l, operand))
        return false;
    size_t position = operand->position;
    if (operand->form != CT_FORM_POINTER || operand->array < 0)
        return ct_operand_number(l, operand);
    *operand = ct_value_of(CT_I32, ct_type_bool(), position);
    return ct_emit_drop(l, position) && ct_emit_constant(l, 1, position);
}

bool ct_operand_combine(ct_lower *l, ct_code_op op, ct_kind left, ct_kind right, size_t position,
                        ct_kind *out) {
    bool shifts = op == CT_CODE_SHL || op == CT_CODE_SHR;
    bool compares = op >= CT_CODE_EQ && op <= CT_CODE_GE;
    ct_kind computed = shifts && right != CT_DATA ? left : common_kind(left, right);
    *out = compares ? CT_I32 : computed;
    if (computed == CT_DATA)
        return ct_emit_merge(l, 2, position);
    return ct_emit_op(l, op, computed, position, 2);
}

bool ct_lower_value(ct_lower *l, const ct_node *node, ct_operand *out) {
    return ct_lower_expression(l, node, out) && ct_operand_value(l, out);
}

bool ct_lower_number(ct_lower *l, const ct_node *node, ct_operand *out) {
    return ct_lower_expression(l, node, out) && ct_operand_number(l, out);
}

/* ---- Constants ---- */

/* Runs a program that needs no variables. */
static bool run_constant(ct_lower *l, const ct_program *program, size_t position, int64_t *value) {
    ct_lanes_value lanes;
    ct_unknown unknown;
    ct_lanes_state state = {.mask = 1, .error = l->error};
    smp_status status = ct_program_run(l->code, program, &state, lanes, &unknown);
    if (status != SMP_OK) {
        l->status = status;
        l->error_line = state.error_line;
        return false;
    }
    *value = lanes[0];
    if (unknown.lanes == 0)
        return true;
    const ct_expr_instruction *from = &l->code->items[unknown.origin];
    char text[120];
    ct_origin_describe(from, text, sizeof text);
    if (from->op == CT_CODE_UNKNOWN && from->value == CT_REASON_NAME)
        return ct_refuse(l, position, "unknown name '%.*s' (a constant comes from 'define')",
                         (int)(from->limit < 40 ? from->limit : 40), from->name);
    return ct_refuse(l, position, "this must be a constant, but depends on %s", text);
}

/* The variable is none; its first value says perhaps why. */
static bool fail_symbol(ct_lower *l, const ct_symbol *symbol, size_t position) {
    const ct_expr_code *code = l->code;
    const ct_expr_instruction *unknown = NULL;
    char text[200];
    for (uint32_t i = 0; i < code->count; i++) {
        const ct_expr_instruction *in = &code->items[i];
        if (in->op == CT_CODE_SET && in->slot == symbol->slot)
            break;
        if (in->op == CT_CODE_SET || in->op == CT_CODE_DROP)
            unknown = NULL; /* of another statement */
        else if (in->op == CT_CODE_UNKNOWN && in->value != CT_REASON_UNSET)
            unknown = in;
    }
    if (unknown && unknown->value == CT_REASON_GIVEN)
        return ct_refuse(
            l, position,
            "this must be a constant; the value of '%.*s' is not given: define %.*s = ...",
            (int)unknown->limit, unknown->name, (int)unknown->limit, unknown->name);
    if (unknown)
        ct_origin_describe(unknown, text, sizeof text);
    else
        (void)snprintf(text, sizeof text, "what is known only as threads run");
    return ct_refuse(l, position,
                     "this must be a constant, but '%.*s' is a variable that depends on %s",
                     (int)symbol->length, symbol->name, text);
}

/* What is no constant in the code from `start` on. */
static bool fail_variable(ct_lower *l, uint32_t start, size_t position) {
    const ct_scope *scope = &l->layout->scope;
    for (uint32_t i = start; i < l->code->count; i++) {
        const ct_expr_instruction *in = &l->code->items[i];
        const unsigned slot = in->slot;
        if (in->op == CT_CODE_ACCESS)
            return ct_refuse(l, position, "this must be a constant, but memory is read for it");
        if (in->op != CT_CODE_SLOT)
            continue;
        if (slot >= CT_SLOT_BLOCK_DIM && slot < CT_SLOT_LANE)
            return ct_refuse(
                l, position,
                "this must be a constant: write a number for the size of the block or grid");
        if (slot < CT_SLOT_FREE)
            return ct_refuse(l, position, "this must be a constant, but differs between %s",
                             slot >= CT_SLOT_BLOCK && slot < CT_SLOT_BLOCK_DIM ? "blocks"
                                                                               : "threads");
        for (size_t k = scope->count; k-- > 0;) {
            if (scope->symbols[k].meaning == CT_MEANS_INTEGER && scope->symbols[k].slot == slot)
                return fail_symbol(l, &scope->symbols[k], position);
        }
    }
    return ct_refuse(l, position, "this must be a constant, but depends on variables");
}

bool ct_lower_constant(ct_lower *l, const ct_node *node, int64_t *value, ct_kind *kind) {
    const size_t position = ct_begin(l, node);
    const ct_mark before = ct_look(l);
    ct_operand operand;
    ct_program program = {.start = l->code->count};
    memset(&l->reads, 0, sizeof l->reads);
    memset(&l->writes, 0, sizeof l->writes);
    if (!ct_lower_number(l, node, &operand))
        return false;
    bool is_constant = ct_slots_empty(&l->reads) && ct_slots_empty(&l->writes) &&
                       l->layout->kernel.access_count == before.accesses;
    if (!is_constant)
        return fail_variable(l, program.start, position);
    ct_program_end(l, operand.kind, &program);
    bool sound = run_constant(l, &program, position, value);
    if (sound && operand.kind == CT_DATA)
        sound = ct_refuse(l, position, "this must be an integer");
    l->code->count = before.code;
    l->stack = before.stack;
    l->reads = before.reads;
    l->writes = before.writes;
    *kind = operand.kind;
    return sound;
}

bool ct_lower_constant_in(ct_lower *l, const ct_node *node, const char *what, int64_t least,
                          int64_t most, int64_t *value) {
    const size_t position = ct_begin(l, node);
    ct_kind kind;
    if (!ct_lower_constant(l, node, value, &kind))
        return false;
    bool huge = kind == CT_U64 && *value < 0;
    if (!huge && *value >= least && *value <= most)
        return true;
    if (huge)
        return ct_fail(l, SMP_E_OVERFLOW, position, "%s is too large (at most %lld)", what,
                       (long long)most);
    return ct_fail(l, SMP_E_OVERFLOW, position, "%s is %lld, but must be %lld to %lld", what,
                   (long long)*value, (long long)least, (long long)most);
}
