/* SPDX-License-Identifier: MIT */
/*
 * Methods: functions of the device that also see the members of an object, as names for parts of
 * it. An object in memory is reached through these; one of the thread's own is in registers, and
 * what its members hold is not followed.
 */
#include <string.h>

#include "lower.h"

/* ---- The object ---- */

/* Takes its offset from the stack into a variable. */
static bool keep_object(ct_lower *l, const ct_operand *object, ct_self *self, size_t position) {
    *self = (ct_self){.type = object->shape.type, .has_object = true, .array = object->array};
    return ct_emit_keep(l, &self->slot, position) && ct_emit_drop(l, position);
}

/* A struct that a function returned is in registers. */
static void settle(ct_operand *object) {
    if (object->form != CT_FORM_VALUE)
        return;
    object->form = CT_FORM_OBJECT;
    object->array = CT_ARRAY_LOCAL;
    object->symbol = NULL;
    object->shape = (smp_shape){.type = object->type};
}

static bool call(ct_lower *l, const ct_call *of, ct_operand *object) {
    ct_self self;
    settle(object);
    return !keep_object(l, object, &self, of->name.position) ||
           ct_function_call_method(l, of, &self, object);
}

bool ct_method_call(ct_lower *l, const ct_node *node, const ct_node *member, ct_operand *object) {
    const ct_call of = ct_call_of(l, member, node);
    if (!call(l, &of, object))
        ct_refuse(l, of.name.position,
                  "the method '%.*s' is not defined here as a __device__ function of such "
                  "arguments; 'emulate' runs the machine code",
                  CT_TOKEN_TEXT(of.name));
    return l->status == SMP_OK;
}

/* The word "operator" of "operator()" or "operator[]" in a struct's body, or 0. */
static uint32_t find_operator(const ct_lower *l, const smp_type *type, uint32_t open) {
    const ct_class *of = type->class_of;
    const ct_token *tokens = l->tokens;
    for (uint32_t at = of->body + 1; at < of->end; at = ct_behind_any(tokens, at, "{")) {
        if (ct_token_is(&tokens[at], "operator") && ct_token_is_punct(&tokens[at + 1], open))
            return at;
    }
    return 0;
}

bool ct_method_operator(ct_lower *l, const ct_node *node, ct_operand *object) {
    const bool is_index = node->kind == CT_N_INDEX;
    const bool is_value = object->form == CT_FORM_VALUE && object->kind == CT_DATA;
    const smp_type *type = is_value                         ? object->type
                           : object->form == CT_FORM_OBJECT ? object->shape.type
                                                            : NULL;
    if (!type || !type->class_of || type->class_of->text != l->unit->text ||
        (!is_value && (object->is_root || object->shape.dim_count > 0)))
        return false;
    const uint32_t word = find_operator(l, type, is_index ? '[' : '(');
    if (word == 0)
        return false;
    ct_call of = {.node = node, .first = node->child->next, .name = l->tokens[word]};
    of.name.position = ct_position(l, node->at);
    of.name.code = is_index ? '[' : '('; /* which operator */
    return call(l, &of, object) ||
           !ct_refuse(l, of.name.position, "this operator is not defined here for such arguments");
}

bool ct_method_static(ct_lower *l, const ct_call *of, const smp_type *type, ct_operand *out) {
    const ct_self self = {.type = type, .array = CT_ARRAY_NONE};
    return ct_function_call_method(l, of, &self, out);
}

/* ---- Its members ---- */

static bool names(const ct_lower *l, const ct_function *f, ct_word name) {
    for (uint32_t i = f->list; i < f->end; i++) {
        const ct_token *token = &l->tokens[i];
        if (token->kind == CT_TOKEN_NAME && ct_word_is(token->word, name))
            return true;
    }
    return false;
}

/* A pointer or reference to the part at `offset`. */
static bool bind_part(ct_lower *l, const ct_self *self, ct_symbol *symbol, uint32_t offset,
                      ct_meaning meaning) {
    const size_t position = ct_position(l, l->at);
    ct_operand place = {.form = CT_FORM_POINTER,
                        .kind = CT_I64,
                        .array = self->array,
                        .position = position,
                        .is_loose = true,
                        .is_hidden = true,
                        .shape = symbol->shape};
    symbol->array = CT_ARRAY_NONE;
    return ct_emit_slot(l, self->slot, position) && ct_emit_constant(l, offset, position) &&
           ct_emit_op(l, CT_CODE_ADD, CT_I64, position, 2) &&
           ct_variable_add(l, symbol, meaning, &place) && ct_emit_drop(l, position);
}

static bool bind_member(ct_lower *l, const ct_self *self, const smp_member *member) {
    ct_symbol symbol = {.name = {member->name, member->length},
                        .meaning = CT_MEANS_LOCAL,
                        .array = CT_ARRAY_LOCAL,
                        .shape = member->shape};
    if (self->array == CT_ARRAY_LOCAL)
        return ct_symbol_add(l, &symbol, ct_position(l, l->at)) != NULL;
    return bind_part(l, self, &symbol, member->offset, CT_MEANS_REFERENCE);
}

bool ct_method_bind(ct_lower *l, const ct_function *f, const ct_self *self) {
    const smp_type *type = self->type;
    ct_symbol own = {.name = {"this", 4}, .shape = {.type = type}};
    ct_class_bind(l, type);
    for (uint32_t i = 0; self->has_object && i < type->member_count; i++) {
        const smp_member *member = &type->members[i];
        if (names(l, f, (ct_word){member->name, member->length}) && !bind_member(l, self, member))
            return false;
    }
    return !self->has_object || !names(l, f, own.name) ||
           bind_part(l, self, &own, 0, CT_MEANS_POINTER);
}
