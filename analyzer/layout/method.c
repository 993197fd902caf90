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
static bool keep_object(smp_parser *parser, const smp_operand *object, smp_self *self,
                        size_t position) {
    smp_expr_instruction set = {.op = SMP_CODE_SET};
    *self = (smp_self){.type = object->shape.type, .has_object = true, .array = object->array};
    if (!smp_slot_new(parser, position, &self->slot))
        return false;
    set.slot = self->slot;
    smp_slots_add(&parser->writes, self->slot);
    return smp_emit(parser, set, position, 1) && smp_emit_drop(parser, position);
}

/* A struct that a function returned is in registers. */
static void settle(smp_operand *object) {
    if (object->form != SMP_FORM_VALUE)
        return;
    object->form = SMP_FORM_OBJECT;
    object->array = SMP_ARRAY_LOCAL;
    object->symbol = NULL;
    object->shape = (smp_shape){.type = object->type};
}

static bool call(smp_parser *parser, const smp_token *name, smp_operand *object, bool *has) {
    smp_self self;
    const size_t position = name->position;
    settle(object);
    return keep_object(parser, object, &self, position) &&
           smp_function_call_method(parser, name, &self, object, has);
}

bool smp_method_parse(smp_parser *parser, smp_operand *object) {
    const smp_token name = parser->token;
    bool has = false;
    smp_parser_next(parser);
    if (!call(parser, &name, object, &has))
        return false;
    return has || smp_parser_fail(parser, SMP_E_SYNTAX, name.position,
                                  "the method '%.*s' is not defined here as a __device__ function "
                                  "of such arguments; 'emulate' runs the machine code",
                                  SMP_TOKEN_TEXT(name));
}

/* The word "operator" of "operator()" or "operator[]" in a struct's body, or 0. */
static uint32_t find_operator(const smp_parser *parser, const smp_type *type, uint32_t open) {
    const smp_class *of = type->class_of;
    const smp_token *tokens = parser->tokens;
    for (uint32_t at = of->body + 1; at < of->end; at++) {
        if (smp_token_is(&tokens[at], "operator") && smp_token_is_punct(&tokens[at + 1], open))
            return at;
        if (smp_token_is_punct(&tokens[at], '{'))
            at = smp_behind_bracket(tokens, at, '{', '}') - 1;
    }
    return 0;
}

bool smp_method_operator(smp_parser *parser, smp_operand *object, bool *has) {
    const bool is_index = smp_parser_is(parser, '[');
    const bool is_value = object->form == SMP_FORM_VALUE && object->kind == SMP_DATA;
    const smp_type *type = is_value                          ? object->type
                           : object->form == SMP_FORM_OBJECT ? object->shape.type
                                                             : NULL;
    *has = false;
    if (!type || !type->class_of || type->class_of->tokens != parser->text ||
        (!is_value && (object->is_root || object->shape.dim_count > 0)))
        return true;
    const uint32_t word = find_operator(parser, type, is_index ? '[' : '(');
    if (word == 0)
        return true;
    smp_token name = parser->tokens[word];
    name.position = parser->token.position;
    name.code = is_index ? '[' : '('; /* which operator */
    if (!call(parser, &name, object, has))
        return false;
    return *has || smp_parser_fail(parser, SMP_E_SYNTAX, name.position,
                                   "this operator is not defined here for such arguments");
}

bool smp_method_static(smp_parser *parser, const smp_type *type, const smp_token *name,
                       smp_operand *out, bool *has) {
    const smp_self self = {.type = type, .array = SMP_ARRAY_NONE};
    return smp_function_call_method(parser, name, &self, out, has);
}

/* ---- Its members ---------------------------------------------------------------------------- */

static bool names(const smp_parser *parser, const smp_definition *f, const char *name,
                  size_t length) {
    for (uint32_t i = f->list; i < f->end; i++) {
        const smp_token *token = &parser->tokens[i];
        if (token->kind == SMP_TOKEN_NAME && token->length == length &&
            memcmp(token->text, name, length) == 0)
            return true;
    }
    return false;
}

/* A pointer to the part at `offset`, declared by that name; *out: what was declared. */
static bool bind_pointer(smp_parser *parser, const smp_self *self, smp_symbol *symbol,
                         uint32_t offset, smp_symbol **out) {
    const size_t position = parser->token.position;
    smp_operand place = {.form = SMP_FORM_POINTER,
                         .kind = SMP_I64,
                         .array = self->array,
                         .position = position,
                         .is_loose = true,
                         .is_hidden = true,
                         .shape = symbol->shape};
    symbol->meaning = SMP_MEANS_POINTER;
    symbol->array = SMP_ARRAY_NONE;
    if (!smp_emit_slot(parser, self->slot, position) ||
        !smp_emit_constant(parser, offset, position) ||
        !smp_emit_op(parser, SMP_CODE_ADD, SMP_I64, position, 2) ||
        !smp_slot_new(parser, position, &symbol->slot) ||
        !smp_operand_set(parser, symbol, &place, position) || !smp_emit_drop(parser, position))
        return false;
    *out = smp_symbol_add(parser, symbol, position);
    return *out != NULL;
}

static bool bind_member(smp_parser *parser, const smp_self *self, const smp_member *member) {
    smp_symbol *added, symbol = {.name = member->name,
                                 .length = member->length,
                                 .meaning = SMP_MEANS_LOCAL,
                                 .array = SMP_ARRAY_LOCAL,
                                 .shape = member->shape};
    if (self->array == SMP_ARRAY_LOCAL)
        return smp_symbol_add(parser, &symbol, parser->token.position) != NULL;
    if (!bind_pointer(parser, self, &symbol, member->offset, &added))
        return false;
    added->meaning = SMP_MEANS_REFERENCE;
    return true;
}

bool smp_method_bind(smp_parser *parser, const smp_definition *f, const smp_self *self) {
    const smp_type *type = self->type;
    smp_symbol *added, own = {.name = "this", .length = 4, .shape = {.type = type}};
    if (!smp_class_bind(parser, type))
        return false;
    for (uint32_t i = 0; self->has_object && i < type->member_count; i++) {
        const smp_member *member = &type->members[i];
        if (names(parser, f, member->name, member->length) && !bind_member(parser, self, member))
            return false;
    }
    return !self->has_object || !names(parser, f, own.name, own.length) ||
           bind_pointer(parser, self, &own, 0, &added);
}
