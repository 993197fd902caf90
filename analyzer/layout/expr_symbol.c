/* SPDX-License-Identifier: MIT */
/*
 * Names in expressions: what is declared, built-in variables, constants and functions of structs,
 * names that nothing declares.
 */
#include <stdio.h>
#include <string.h>

#include "function.h"
#include "layout.h"
#include "suggest.h"

static smp_operand value_of(smp_kind kind, size_t position) {
    return (smp_operand){.form = SMP_FORM_VALUE, .kind = kind, .position = position};
}

/* ---- Names ----------------------------------------------------------------------------- */

static bool parse_builtin(smp_parser *parser, const smp_token *name, uint16_t slot,
                          unsigned dimensions, smp_operand *out) {
    static const char *const members[] = {"x", "y", "z"};
    *out = value_of(SMP_U32, name->position);
    parser->is_varying |= slot < SMP_SLOT_BLOCK || slot == SMP_SLOT_LANE || slot == SMP_SLOT_WARP;
    if (dimensions == 1)
        return smp_emit_slot(parser, slot, name->position);
    bool has_point = smp_parser_accept(parser, '.');
    for (unsigned i = 0; has_point && i < dimensions; i++) {
        if (smp_parser_accept_name(parser, members[i]))
            return smp_emit_slot(parser, (uint16_t)(slot + i), name->position);
    }
    return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "%.*s needs .x, .y or .z",
                           SMP_TOKEN_TEXT(*name));
}

/* An object that is in no memory that counts: nothing but what it is made of. */
static bool place_local(smp_parser *parser, smp_symbol *symbol, const smp_token *name,
                        smp_operand *out) {
    *out = (smp_operand){.form = SMP_FORM_OBJECT,
                         .array = SMP_ARRAY_LOCAL,
                         .symbol = symbol->value > 0 ? symbol : NULL,
                         .shape = symbol->shape,
                         .text_start = name->position,
                         .position = name->position};
    return smp_emit_constant(parser, 0, name->position);
}

static bool parse_symbol(smp_parser *parser, smp_symbol *symbol, const smp_token *name,
                         smp_operand *out) {
    size_t position = name->position;
    parser->is_varying |= symbol->varies;
    switch (symbol->meaning) {
    case SMP_MEANS_CONSTANT:
        *out = value_of(symbol->kind, position);
        out->type = symbol->shape.type;
        return smp_emit_constant(parser, symbol->value, position);
    case SMP_MEANS_INTEGER:
        *out = value_of(symbol->kind, position);
        out->form = SMP_FORM_SLOT;
        out->type = symbol->shape.type;
        out->symbol = symbol;
        return smp_emit_slot(parser, symbol->slot, position);
    case SMP_MEANS_POINTER:
    case SMP_MEANS_REFERENCE:
        *out = smp_place_pointer(symbol, position);
        if (symbol->meaning == SMP_MEANS_REFERENCE)
            out->form = SMP_FORM_OBJECT;
        return smp_emit_slot(parser, symbol->slot, position);
    case SMP_MEANS_LOCAL:
        return place_local(parser, symbol, name, out);
    case SMP_MEANS_ARRAY:
        return smp_place_array(parser, symbol->array, name, out);
    case SMP_MEANS_LAMBDA:
        return smp_lambda_use(parser, symbol, name, out);
    case SMP_MEANS_GROUP:
        return smp_group_use(parser, symbol, out);
    case SMP_MEANS_GIVEN:
        *out = value_of(symbol->kind, position);
        out->type = symbol->shape.type;
        return smp_emit_unknown(parser, SMP_REASON_GIVEN, name->text, name->length, position);
    default:
        return smp_parser_fail(parser, SMP_E_SYNTAX, position, "'%.*s' is no value",
                               SMP_TOKEN_TEXT(*name));
    }
}

bool smp_token_sets(const smp_token *token) {
    uint32_t code = token->code, last = code >> 8 != 0 ? code >> 8 : code;
    bool compares = code == SMP_PUNCT2('=', '=') || code == SMP_PUNCT2('!', '=') ||
                    code == SMP_PUNCT2('<', '=') || code == SMP_PUNCT2('>', '=');
    bool is_shift = code == SMP_PUNCT3('<', '<', '=') || code == SMP_PUNCT3('>', '>', '=');
    bool steps = code == SMP_PUNCT2('+', '+') || code == SMP_PUNCT2('-', '-');
    return token->kind == SMP_TOKEN_PUNCT && !token->starts_line && !compares &&
           (last == '=' || is_shift || steps);
}

/* A slip in a promise must not make it a variable: "expectways = 1". */
static bool is_like_expect(const smp_token *name) {
    static const char *const words[] = {"expect"};
    char text[16];
    if (name->length >= 6 && memcmp(name->text, words[0], 6) == 0)
        return true;
    (void)snprintf(text, sizeof text, "%.*s", SMP_TOKEN_TEXT(*name));
    return suggest(text, words, 1) != NULL;
}

/* A name that nothing declares: data, as long as it decides no address. One that is assigned to is
 * a variable of the thread, declared outside of the text. */
static bool parse_unknown(smp_parser *parser, const smp_token *name, smp_operand *out) {
    if (parser->in_index == 0 && smp_token_sets(&parser->token)) {
        if (is_like_expect(name))
            return smp_parser_fail(parser, SMP_E_SYNTAX, name->position,
                                   "unknown name '%.*s'; did you mean 'expect'?",
                                   SMP_TOKEN_TEXT(*name));
        smp_symbol symbol = {
            .name = name->text, .length = name->length, .meaning = SMP_MEANS_LOCAL};
        smp_symbol *added = smp_symbol_add(parser, &symbol, name->position);
        parser->has_new = true;
        return added && place_local(parser, added, name, out);
    }
    bool is_indexed = smp_parser_is(parser, '[') && !parser->token.starts_line;
    if (is_indexed && parser->in_index > 0)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position,
                               "the values of '%.*s' are data and unknown here: write an "
                               "expression of the thread in its place",
                               SMP_TOKEN_TEXT(*name));
    if (is_indexed)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position, "no array '%.*s' is declared",
                               SMP_TOKEN_TEXT(*name));
    bool is_member = smp_parser_is(parser, '.') || smp_parser_is(parser, SMP_PUNCT2('-', '>'));
    if (is_member)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position,
                               "unknown name '%.*s' (nothing here declares it)",
                               SMP_TOKEN_TEXT(*name));
    parser->has_stray = true;
    *out = value_of(SMP_DATA, name->position);
    return smp_emit_unknown(parser, SMP_REASON_NAME, name->text, name->length, name->position);
}

/* "std::min", "cg::this_thread_block": the names before "::" say nothing here. */
static smp_token take_name(smp_parser *parser) {
    smp_token name = parser->token;
    smp_parser_next(parser);
    while (smp_parser_is(parser, SMP_PUNCT2(':', ':'))) {
        smp_parser_next(parser);
        if (parser->token.kind != SMP_TOKEN_NAME)
            break;
        name = parser->token;
        smp_parser_next(parser);
    }
    return name;
}

/* "<float>{}", "<float>()" behind a name that nothing declares: an object of some class. */
static bool is_object(const smp_parser *parser) {
    const smp_token *tokens = parser->tokens;
    bool is_scoped =
        parser->at >= 2 && smp_token_is_punct(&tokens[parser->at - 2], SMP_PUNCT2(':', ':'));
    if (!is_scoped || !smp_parser_is(parser, '<'))
        return false;
    const uint32_t behind = smp_behind_bracket(tokens, parser->at, '<', '>');
    return smp_token_is_punct(&tokens[behind], '{') ||
           (smp_token_is_punct(&tokens[behind], '(') &&
            smp_token_is_punct(&tokens[behind + 1], ')'));
}

static bool parse_object(smp_parser *parser, const smp_token *name, smp_operand *out) {
    smp_parser_return(parser, smp_behind_bracket(parser->tokens, parser->at, '<', '>'));
    const uint32_t close = smp_parser_is(parser, '(') ? ')' : '}';
    smp_parser_next(parser);
    *out = value_of(SMP_DATA, name->position);
    return smp_emit_unknown(parser, SMP_REASON_CALL, name->text, name->length, name->position) &&
           smp_expr_parts(parser, NULL, close, name->position);
}

/* "a::n": not what a kernel or a function calls n. */
static smp_symbol *find_outside(smp_parser *parser, const smp_token *name) {
    smp_scope *scope = &parser->layout->scope;
    const size_t count = scope->count;
    scope->count = parser->layout->has_kernel ? parser->layout->kernel_names
                   : parser->callee           ? scope->hidden_from
                                              : count;
    smp_symbol *found = smp_scope_find(scope, name->text, name->length);
    scope->count = count;
    return found;
}

bool smp_class_push_static(smp_parser *parser, const smp_static *constant, size_t position,
                           smp_operand *out) {
    const smp_integer_type type = constant->type->integer;
    *out = value_of(smp_type_kind(constant->type), position);
    out->type = constant->type;
    return smp_emit_constant(parser, smp_integer_cast(constant->value, type.bits, type.is_signed),
                             position);
}

/* The struct before "::", which is taken with it; NULL: there is none, and nothing is taken. */
static bool parse_qualifier(smp_parser *parser, const smp_type **out) {
    const uint32_t start = parser->at;
    *out = NULL;
    for (;;) {
        const smp_token *tokens = &parser->tokens[parser->at];
        const bool is_scope = smp_token_is_punct(&tokens[1], SMP_PUNCT2(':', ':'));
        const bool is_template =
            smp_token_is_punct(&tokens[1], '<') && smp_class_is_template(parser, tokens);
        if (is_template)
            return smp_class_parse(parser, out) && smp_parser_expect(parser, SMP_PUNCT2(':', ':'));
        if (!is_scope || tokens[0].kind != SMP_TOKEN_NAME)
            break;
        const smp_type *type = smp_type_find(parser);
        smp_parser_next(parser);
        smp_parser_next(parser);
        if (type && type->class_of) {
            *out = type;
            return true;
        }
    }
    smp_parser_return(parser, start);
    return true;
}

/* "T::N" and "T::f(...)" of a struct; *has: it is one of these. */
static bool parse_of_struct(smp_parser *parser, smp_operand *out, bool *has) {
    const uint32_t start = parser->at;
    const smp_type *type;
    *has = false;
    if (!parse_qualifier(parser, &type))
        return false;
    if (!type)
        return true;
    const smp_token name = parser->token;
    const smp_static *constant = smp_class_static(type, &name);
    smp_parser_next(parser);
    if (constant) {
        *has = parser->has_known = true;
        return smp_class_push_static(parser, constant, name.position, out);
    }
    if (smp_parser_is(parser, '(') && !smp_method_static(parser, type, &name, out, has))
        return false;
    if (*has)
        return true;
    if (type->class_of->head > 0)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name.position,
                               "'%.*s' is no constant and no __device__ function of this class "
                               "that is followed; 'emulate' runs the machine code",
                               SMP_TOKEN_TEXT(name));
    smp_parser_return(parser, start);
    return true;
}

/* A name that is neither a type nor a cast; it is still the current token. */
bool smp_expr_name(smp_parser *parser, smp_operand *out) {
    bool is_of_struct;
    if (!parse_of_struct(parser, out, &is_of_struct) || is_of_struct)
        return parser->status == SMP_OK;
    smp_token name = take_name(parser);
    bool is_scoped = parser->at >= 2 &&
                     smp_token_is_punct(&parser->tokens[parser->at - 2], SMP_PUNCT2(':', ':'));
    smp_symbol *symbol = is_scoped ? find_outside(parser, &name)
                                   : smp_scope_find(&parser->layout->scope, name.text, name.length);
    int array = smp_array_find(parser->layout, name.text, name.length);
    uint16_t slot;
    unsigned dimensions;
    bool is_builtin = smp_builtin_find(name.text, name.length, &slot, &dimensions);
    bool is_call = !parser->token.starts_line &&
                   (smp_parser_is(parser, '(') ||
                    (smp_parser_is(parser, '<') && smp_function_is_template(parser, &name)));
    parser->has_known |= symbol || array >= 0 || is_builtin || is_call;
    if (is_scoped && is_call) /* what a block declares has no scope */
        return smp_expr_call(parser, &name, out);
    if (symbol)
        return parse_symbol(parser, symbol, &name, out);
    if (array >= 0)
        return smp_place_array(parser, array, &name, out);
    if (is_builtin)
        return parse_builtin(parser, &name, slot, dimensions, out);
    *out = value_of(SMP_I32, name.position);
    if (smp_token_is(&name, "warpSize"))
        return smp_emit_constant(parser, SMP_LANES, name.position);
    if (smp_token_is(&name, "INT_MAX"))
        return smp_emit_constant(parser, INT32_MAX, name.position);
    if (smp_token_is(&name, "INT_MIN"))
        return smp_emit_constant(parser, INT32_MIN, name.position);
    if (smp_token_is(&name, "true") || smp_token_is(&name, "false")) {
        out->type = smp_type_bool();
        return smp_emit_constant(parser, name.length == 4, name.position);
    }
    if (smp_token_is(&name, "nullptr") || smp_token_is(&name, "NULL"))
        return smp_emit_constant(parser, 0, name.position);
    if (is_call || smp_call_is_known(&name))
        return smp_expr_call(parser, &name, out);
    if (is_object(parser))
        return parse_object(parser, &name, out);
    const uint32_t behind =
        smp_parser_is(parser, '<') ? smp_behind_bracket(parser->tokens, parser->at, '<', '>') : 0;
    if (behind > 0 && smp_token_is_punct(&parser->tokens[behind], SMP_PUNCT2(':', ':')))
        return smp_parser_fail(parser, SMP_E_SYNTAX, name.position,
                               "class templates such as '%.*s' are not followed; 'emulate' runs "
                               "the machine code",
                               SMP_TOKEN_TEXT(name));
    return parse_unknown(parser, &name, out);
}
