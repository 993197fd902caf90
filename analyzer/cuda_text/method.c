/* SPDX-License-Identifier: MIT */
/*
 * Methods: functions of the device (function_call.c) that also see the members of an object, as
 * names for parts of it. An object in memory is reached through these; one of the thread's own is
 * in registers, and what its members hold is not followed.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

/* ---- The object ----------------------------------------------------------------------------- */

/* Takes its offset from the stack into a variable. */
static bool keep_object(ct_parser *parser, const ct_operand *object, ct_self *self,
                        size_t position) {
    ct_expr_instruction set = {.op = CT_CODE_SET};
    *self = (ct_self){.type = object->shape.type, .has_object = true, .array = object->array};
    if (!ct_slot_new(parser, position, &self->slot))
        return false;
    set.slot = self->slot;
    ct_slots_add(&parser->writes, self->slot);
    return ct_emit(parser, set, position, 1) && ct_emit_drop(parser, position);
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

static bool call(ct_parser *parser, const ct_token *name, ct_operand *object, bool *has) {
    ct_self self;
    const size_t position = name->position;
    settle(object);
    return keep_object(parser, object, &self, position) &&
           ct_function_call_method(parser, name, &self, object, has);
}

bool ct_method_parse(ct_parser *parser, ct_operand *object) {
    const ct_token name = parser->token;
    bool has = false;
    ct_parser_next(parser);
    if (!call(parser, &name, object, &has))
        return false;
    return has || ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                                 "the method '%.*s' is not defined here as a __device__ function "
                                 "of such arguments; 'emulate' runs the machine code",
                                 CT_TOKEN_TEXT(name));
}

/* The word "operator" of "operator()" or "operator[]" in a struct's body, or 0. */
static uint32_t find_operator(const ct_parser *parser, const smp_type *type, uint32_t open) {
    const ct_class *of = type->class_of;
    const ct_token *tokens = parser->tokens;
    for (uint32_t at = of->body + 1; at < of->end; at++) {
        if (ct_token_is(&tokens[at], "operator") && ct_token_is_punct(&tokens[at + 1], open))
            return at;
        if (ct_token_is_punct(&tokens[at], '{'))
            at = ct_behind_bracket(tokens, at, '{', '}') - 1;
    }
    return 0;
}

bool ct_method_operator(ct_parser *parser, ct_operand *object, bool *has) {
    const bool is_index = ct_parser_is(parser, '[');
    const bool is_value = object->form == CT_FORM_VALUE && object->kind == CT_DATA;
    const smp_type *type = is_value                         ? object->type
                           : object->form == CT_FORM_OBJECT ? object->shape.type
                                                            : NULL;
    *has = false;
    if (!type || !type->class_of || type->class_of->tokens != parser->text ||
        (!is_value && (object->is_root || object->shape.dim_count > 0)))
        return true;
    const uint32_t word = find_operator(parser, type, is_index ? '[' : '(');
    if (word == 0)
        return true;
    ct_token name = parser->tokens[word];
    name.position = parser->token.position;
    name.code = is_index ? '[' : '('; /* which operator */
    if (!call(parser, &name, object, has))
        return false;
    return *has || ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                                  "this operator is not defined here for such arguments");
}

bool ct_method_static(ct_parser *parser, const smp_type *type, const ct_token *name,
                      ct_operand *out, bool *has) {
    const ct_self self = {.type = type, .array = CT_ARRAY_NONE};
    return ct_function_call_method(parser, name, &self, out, has);
}

/* ---- Its members ---------------------------------------------------------------------------- */

static bool names(const ct_parser *parser, const ct_definition *f, const char *name,
                  size_t length) {
    for (uint32_t i = f->list; i < f->end; i++) {
        const ct_token *token = &parser->tokens[i];
        if (token->kind == CT_TOKEN_NAME && token->length == length &&
            memcmp(token->text, name, length) == 0)
            return true;
    }
    return false;
}

/* A pointer to the part at `offset`, declared by that name; *out: what was declared. */
static bool bind_pointer(ct_parser *parser, const ct_self *self, ct_symbol *symbol, uint32_t offset,
                         ct_symbol **out) {
    const size_t position = parser->token.position;
    ct_operand place = {.form = CT_FORM_POINTER,
                        .kind = CT_I64,
                        .array = self->array,
                        .position = position,
                        .is_loose = true,
                        .is_hidden = true,
                        .shape = symbol->shape};
    symbol->meaning = CT_MEANS_POINTER;
    symbol->array = CT_ARRAY_NONE;
    if (!ct_emit_slot(parser, self->slot, position) ||
        !ct_emit_constant(parser, offset, position) ||
        !ct_emit_op(parser, CT_CODE_ADD, CT_I64, position, 2) ||
        !ct_slot_new(parser, position, &symbol->slot) ||
        !ct_operand_set(parser, symbol, &place, position) || !ct_emit_drop(parser, position))
        return false;
    *out = ct_symbol_add(parser, symbol, position);
    return *out != NULL;
}

static bool bind_member(ct_parser *parser, const ct_self *self, const smp_member *member) {
    ct_symbol *added, symbol = {.name = member->name,
                                .length = member->length,
                                .meaning = CT_MEANS_LOCAL,
                                .array = CT_ARRAY_LOCAL,
                                .shape = member->shape};
    if (self->array == CT_ARRAY_LOCAL)
        return ct_symbol_add(parser, &symbol, parser->token.position) != NULL;
    if (!bind_pointer(parser, self, &symbol, member->offset, &added))
        return false;
    added->meaning = CT_MEANS_REFERENCE;
    return true;
}

bool ct_method_bind(ct_parser *parser, const ct_definition *f, const ct_self *self) {
    const smp_type *type = self->type;
    ct_symbol *added, own = {.name = "this", .length = 4, .shape = {.type = type}};
    if (!ct_class_bind(parser, type))
        return false;
    for (uint32_t i = 0; self->has_object && i < type->member_count; i++) {
        const smp_member *member = &type->members[i];
        if (names(parser, f, member->name, member->length) && !bind_member(parser, self, member))
            return false;
    }
    return !self->has_object || !names(parser, f, own.name, own.length) ||
           bind_pointer(parser, self, &own, 0, &added);
}
