/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions of the device. The body is lowered once more for each call, as a block of
 * statements that hangs on the statement which calls. Its code stands behind the instruction that
 * runs the block, and is passed over where the calling expression goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"

enum { CALLS_NESTED_MAX = 12 };

/* ---- Results ---- */

/* "float", "int *", "T &" before the function's name. */
static bool lower_result(ct_lower *l, const ct_node *node, ct_callee *out) {
    out->use = (ct_type_use){.is_auto = true};
    if (node->child && !ct_lower_type_use(l, node->child, &out->use))
        return false;
    out->is_pointer = node->flags & CT_IS_POINTER;
    out->is_reference = node->flags & CT_IS_REFERENCE;
    out->is_known = !out->use.is_auto;
    out->result = (ct_symbol){.name = out->name.word,
                              .meaning = CT_MEANS_LOCAL,
                              .array = CT_ARRAY_NONE,
                              .shape = {.type = out->use.type}};
    return true;
}

/* A variable for the result, once its type is known. */
static bool open_result(ct_lower *l, ct_callee *callee, size_t position) {
    ct_symbol *result = &callee->result;
    if (result->meaning != CT_MEANS_LOCAL)
        return true;
    if (callee->is_pointer || callee->is_reference) {
        result->meaning = CT_MEANS_POINTER;
    } else if (smp_type_is_integer(callee->use.type)) {
        result->meaning = CT_MEANS_INTEGER;
        result->shape = (smp_shape){.type = callee->use.type};
        result->kind = ct_type_kind(callee->use.type);
    } else {
        return true;
    }
    return ct_slot_new(l, position, &result->slot);
}

static void take_auto(ct_callee *callee, const ct_operand *value) {
    if (callee->is_known)
        return;
    callee->is_known = true;
    callee->is_pointer = value->form == CT_FORM_POINTER;
    callee->use =
        (ct_type_use){.type = callee->is_pointer ? value->shape.type : ct_operand_type(value)};
    if (!callee->is_pointer)
        callee->result.shape.type = callee->use.type;
}

static bool set_result(ct_lower *l, ct_callee *callee, ct_operand *value) {
    size_t position = value->position;
    bool is_place = value->form == CT_FORM_OBJECT;
    bool sound = callee->is_reference && is_place ? ct_place_address(l, value, position)
                                                  : ct_operand_value(l, value);
    if (!sound)
        return false;
    take_auto(callee, value);
    return open_result(l, callee, position) &&
           (callee->result.meaning == CT_MEANS_LOCAL ||
            ct_operand_set(l, &callee->result, value, position));
}

bool ct_function_return(ct_lower *l, const ct_node *node) {
    ct_program program;
    ct_operand value;
    if (node->child) {
        ct_program_begin(l, &program);
        ct_lower_expression(l, node->child, &value);
        set_result(l, l->callee, &value);
        ct_program_end(l, CT_DATA, &program);
        l->last_end = ct_end(l, node->child);
        ct_program_add(l, &program);
    }
    return ct_statement_add(l, CT_DO_RETURN, ct_begin(l, node)) != NULL;
}

/* The result, as a value on the stack. */
static bool push_result(ct_lower *l, ct_callee *callee, size_t position, ct_operand *out) {
    ct_symbol *result = &callee->result;
    *out = ct_value_of(CT_DATA, NULL, position);
    l->is_varying |= result->varies;
    out->type = result->meaning == CT_MEANS_POINTER ? NULL : result->shape.type;
    if (result->meaning == CT_MEANS_LOCAL)
        return ct_emit_unknown(l, CT_REASON_CALL, result->name, position);
    if (result->meaning == CT_MEANS_POINTER) {
        out->form = callee->is_reference ? CT_FORM_OBJECT : CT_FORM_POINTER;
        out->array = result->array;
        out->shape = result->shape;
        out->is_loose = out->is_hidden = true;
    }
    out->kind = result->meaning == CT_MEANS_POINTER ? CT_I64 : result->kind;
    return ct_emit_slot(l, result->slot, position);
}

/* ---- Bodies ---- */

/* The block hangs on the statement of the program that is lowered, once that is there. */
static uint32_t open_block(ct_lower *l, size_t position) {
    ct_draft *layout = l->layout;
    if (layout->kernel.statement_count == CT_STATEMENTS_MAX) {
        (void)ct_fail(l, SMP_E_OVERFLOW, position, "more than %d statements",
                      CT_STATEMENTS_MAX - 1);
        return 0;
    }
    uint32_t block = layout->kernel.statement_count++;
    layout->kernel.statements[block] = (ct_statement){.kind = CT_DO_CALL, .is_unclaimed = true};
    return block;
}

/* What the statements of a body set of those who call. */
static void add_writes(ct_lower *l, uint32_t block, uint32_t slots) {
    const ct_draft *layout = l->layout;
    for (uint32_t i = block; i < layout->kernel.statement_count; i++) {
        const ct_statement *s = &layout->kernel.statements[i];
        for (unsigned slot = 0; slot < slots; slot++) {
            if (ct_slots_has(&s->program.writes, slot) || ct_slots_has(&s->step.writes, slot))
                ct_slots_add(&l->writes, slot);
        }
    }
}

/* Lowers the body as at a statement's start. */
static bool lower_body(ct_lower *l, ct_function *f, ct_callee *callee, uint32_t block) {
    ct_draft *layout = l->layout;
    ct_lower outer = *l;
    const uint32_t open = layout->open, slots = layout->kernel.slot_count;
    layout->open = block;
    l->callee = callee;
    l->call_depth++;
    l->in_index = l->switches = 0;
    l->first_claim = layout->kernel.access_count;
    l->first_call = layout->kernel.statement_count;
    bool sound = ct_lower_statement(l, f->statement);
    layout->open = open;
    outer.status = l->status;
    outer.error_line = l->error_line;
    *l = outer;
    add_writes(l, block, slots);
    return sound;
}

static bool put_body(ct_lower *l, ct_function *f, ct_callee *callee, size_t position) {
    uint32_t block = open_block(l, position), at = l->code->count;
    ct_expr_instruction call = {.op = CT_CODE_CALL, .value = block};
    if (block == 0 || !ct_emit(l, call, position, 0))
        return false;
    l->stack--;
    lower_body(l, f, callee, block);
    l->code->items[at].limit = l->code->count - at - 1;
    return l->status == SMP_OK;
}

/* Everything behind the arguments, with the caller's names out of sight. */
static bool call_bound(ct_lower *l, const ct_call *call, ct_function *f, ct_callee *callee,
                       const ct_given_part *parts, unsigned part_count, ct_operand *arguments,
                       unsigned count) {
    ct_draft *layout = l->layout;
    ct_scope *scope = &layout->scope;
    size_t mark = ct_scope_begin(layout), from = scope->hidden_from, to = scope->hidden_to;
    const size_t later_from = scope->later_from, later_to = scope->later_to;
    uint32_t aliases = layout->types.alias_count;
    if (f->is_lambda) {
        scope->later_from = call->later;
        scope->later_to = scope->count;
    } else {
        scope->hidden_from = layout->kernel.has_kernel ? layout->kernel_names : scope->count;
        scope->hidden_to = scope->count;
    }
    bool sound = (!callee->self || ct_method_bind(l, f, callee->self)) &&
                 ct_bind_given(l, f->parts->child, parts, part_count) &&
                 ct_bind_all(l, f, arguments, count) && lower_result(l, f->result, callee) &&
                 put_body(l, f, callee, callee->name.position);
    scope->hidden_from = from;
    scope->hidden_to = to;
    scope->later_from = later_from;
    scope->later_to = later_to;
    layout->types.alias_count = aliases;
    ct_scope_end(layout, mark);
    return sound;
}

/* ---- Calls that are constants ---- */

/* True if the call, its body included, can neither see nor change anything but its own. */
static bool is_pure(const ct_lower *l, const ct_mark *was) {
    const ct_draft *layout = l->layout;
    if (layout->kernel.access_count != was->accesses || layout->kernel.array_count != was->arrays)
        return false;
    for (uint32_t i = was->code; i < l->code->count; i++) {
        const ct_expr_instruction *in = &l->code->items[i];
        bool is_variable = in->op == CT_CODE_SLOT || in->op == CT_CODE_SET ||
                           in->op == CT_CODE_ELEMENT || in->op == CT_CODE_SET_ELEMENT;
        if (in->op == CT_CODE_SHUFFLE || in->op == CT_CODE_VOTE || in->op == CT_CODE_BARRIER ||
            (is_variable && in->slot < was->slots))
            return false;
    }
    return true;
}

/* A call of which nothing but constants decides the value is that constant: constexpr. */
static bool fold_call(ct_lower *l, const ct_mark *was, ct_operand *out) {
    int64_t value;
    const ct_program program = {.start = was->code, .count = l->code->count - was->code};
    if (out->form != CT_FORM_VALUE || out->kind == CT_DATA || !is_pure(l, was) ||
        !ct_walk_constant(&l->layout->kernel, &program, &value))
        return true;
    ct_take_back(l, was);
    return ct_emit_constant(l, value, out->position);
}

/* ---- Calls ---- */

/* Head and body, which are read when the first call asks for them. */
static bool read_function(ct_lower *l, ct_function *f, const smp_type *type) {
    if (!f->has_head || !f->is_read) {
        ct_known *own = ct_function_known(l, type);
        const ct_known *known = own ? own : l->unit->known;
        ct_function_read_head(l->unit, f, known);
        if (f->has_head)
            ct_function_read_body(l->unit, f, known);
        free(own);
    }
    if (!f->result || !f->statement)
        return ct_fail_memory(l);
    const ct_node *last = f->parts->last;
    if (last && last->kind == CT_N_FAULT)
        return ct_fail_fault(l, last);
    return f->result->kind != CT_N_FAULT || ct_fail_fault(l, f->result);
}

/* The call of one that is known, behind its template's values. */
static bool call_known(ct_lower *l, const ct_call *call, ct_function *f, const ct_given_part *parts,
                       unsigned part_count, const ct_mark *was, const ct_self *self,
                       ct_operand *out) {
    ct_operand arguments[CT_ARGUMENTS_MAX];
    ct_callee callee = {.name = call->name, .self = self};
    unsigned count;
    if (l->call_depth == CALLS_NESTED_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, call->name.position,
                       "'%.*s' calls itself, or calls are nested too deeply here; 'emulate' runs "
                       "the machine code",
                       CT_TOKEN_TEXT(call->name));
    if (!read_function(l, f, self ? self->type : NULL) ||
        !ct_lower_arguments(l, call, f, arguments, &count))
        return false;
    const size_t last_end = l->last_end;
    l->last_end = ct_end(l, call->node);
    if (!call_bound(l, call, f, &callee, parts, part_count, arguments, count))
        return false;
    l->last_end = last_end;
    l->has_effect = l->has_known = true;
    return push_result(l, &callee, call->name.position, out) && fold_call(l, was, out);
}

bool ct_function_call_method(ct_lower *l, const ct_call *call, const ct_self *self,
                             ct_operand *out) {
    ct_given_part parts[CT_ARGUMENTS_MAX];
    unsigned part_count = 0;
    const ct_mark was = ct_look(l);
    ct_lower_given(l, call->given, parts, &part_count);
    ct_function *f = ct_function_choose(l, call, self ? self->type : NULL);
    if (f)
        call_known(l, call, f, parts, part_count, &was, self, out);
    return f || l->status != SMP_OK;
}

/* In a method, its class's come first. */
bool ct_function_call(ct_lower *l, const ct_call *call, ct_operand *out) {
    const ct_self *self = l->callee ? l->callee->self : NULL;
    return (self && ct_function_call_method(l, call, self, out)) ||
           ct_function_call_method(l, call, NULL, out);
}

bool ct_function_call_lambda(ct_lower *l, const ct_call *call, ct_function *f, ct_operand *out) {
    const ct_mark was = ct_look(l);
    return call_known(l, call, f, NULL, 0, &was, NULL, out);
}
