/* SPDX-License-Identifier: MIT */
/*
 * Methods: functions of the device that also see the members of an object, as names for parts of
 * it. An object in memory is reached through these; one of the thread's own is in registers, and
 * what its members hold is not followed. Lambdas: functions that see the names of the block that
 * declares them. What one takes as copies must not change behind it: then it is the same as by
 * reference.
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

/* ---- What it takes ---- */

/* True if the mention at `at` may change what it names. */
static bool may_change(const ct_token *tokens, uint32_t at) {
    const ct_token *before = &tokens[at - 1], *behind = &tokens[at + 1];
    const bool opens = ct_token_is_one_of(before, "(,"), ends = ct_token_is_one_of(behind, "),");
    /* "f(x)" may take it by reference, "&x" and "&r = x" by address. */
    const bool refers = ct_token_is_one_of(before, "&=");
    return ct_token_steps(before) || ct_token_sets(behind) || (opens && ends) ||
           (refers && (ct_token_is_punct(behind, ';') || ends));
}

/* True if the variable may change where the lambda can still be called. */
static bool changes_behind(const ct_lower *l, const ct_function *f, const ct_token *name,
                           const ct_symbol *symbol) {
    const ct_token *tokens = l->tokens;
    const ct_symbol *array = symbol->meaning == CT_MEANS_LOCAL ? symbol : NULL;
    unsigned depth = 1;
    for (uint32_t at = f->end; tokens[at].kind != CT_TOKEN_END && depth > 0; at++) {
        depth += ct_token_is_punct(&tokens[at], '{');
        depth -= ct_token_is_punct(&tokens[at], '}');
        const bool is_mention = ct_token_same(&tokens[at], name);
        if (is_mention && (array ? ct_local_array_changes(l, array, at) : may_change(tokens, at)))
            return true;
    }
    return false;
}

/* A copy of a variable that changes later would have to be kept. */
static bool check_copy(ct_lower *l, const ct_function *f, const ct_token *name) {
    const ct_symbol *symbol = ct_name_find(l, name);
    const bool is_variable =
        symbol && (symbol->meaning == CT_MEANS_INTEGER || symbol->meaning == CT_MEANS_POINTER ||
                   (symbol->meaning == CT_MEANS_LOCAL && symbol->value > 0));
    if (!is_variable || symbol->is_const || !changes_behind(l, f, name, symbol))
        return true;
    return ct_refuse(l, name->position,
                     "the lambda has a copy of '%.*s', which may change behind it: write [&] if "
                     "that is meant, or let 'emulate' run the machine code",
                     CT_TOKEN_TEXT(*name));
}

/* "[&]", "[=]", "[&a, b]": what is copied is looked at. */
static bool check_captures(ct_lower *l, const ct_function *f) {
    const ct_token *tokens = l->tokens;
    const uint32_t end = ct_behind_bracket(tokens, f->head, '[', ']') - 1;
    bool copies_all = false;
    for (uint32_t at = f->head + 1; at < end; at++) {
        const bool is_reference = ct_token_is_punct(&tokens[at], '&');
        copies_all |= ct_token_is_punct(&tokens[at], '=');
        at += is_reference && tokens[at + 1].kind == CT_TOKEN_NAME;
        const bool is_name = tokens[at].kind == CT_TOKEN_NAME;
        if (is_name && ct_token_is_punct(&tokens[at + 1], '='))
            return ct_refuse(l, tokens[at].position,
                             "a value that a lambda keeps by a name of its own is not followed: "
                             "declare it before");
        if (is_name && !is_reference && !check_copy(l, f, &tokens[at]))
            return false;
        if (ct_token_is_punct(&tokens[at + 1], ','))
            at++;
    }
    for (uint32_t at = f->body; copies_all && at < f->end; at++) {
        if (tokens[at].kind == CT_TOKEN_NAME && !check_copy(l, f, &tokens[at]))
            return false;
    }
    return true;
}

/* ---- Declaration and call ---- */

bool ct_lambda_declare(ct_lower *l, const ct_node *lambda, const ct_token *name) {
    const ct_function *f = ct_lambda_find(l->unit, lambda->mark);
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_LAMBDA, NULL);
    symbol.value = lambda->mark;
    symbol.is_const = true;
    return f && check_captures(l, f) && ct_symbol_add(l, &symbol, name->position) != NULL;
}

bool ct_lambda_use(ct_lower *l, const ct_symbol *lambda, const ct_node *call, const ct_token *name,
                   ct_operand *out) {
    ct_function *f = ct_lambda_find(l->unit, (uint32_t)lambda->value);
    if (!call || !f)
        return ct_refuse(l, name->position,
                         "the lambda '%.*s' is called here, but not passed on: write a __device__ "
                         "function, or let 'emulate' run the machine code",
                         CT_TOKEN_TEXT(*name));
    const ct_call of = {.node = call,
                        .first = call->child->next,
                        .name = *name,
                        .later = (size_t)(lambda - l->layout->scope.symbols)};
    return ct_function_call_lambda(l, &of, f, out);
}
