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

static ct_operand value_of(ct_kind kind, size_t position) {
    return (ct_operand){.form = CT_FORM_VALUE, .kind = kind, .position = position};
}

/* ---- Names ----------------------------------------------------------------------------- */

static bool parse_builtin(ct_parser *parser, const ct_token *name, uint16_t slot,
                          unsigned dimensions, ct_operand *out) {
    static const char *const members[] = {"x", "y", "z"};
    *out = value_of(CT_U32, name->position);
    parser->is_varying |= slot < CT_SLOT_BLOCK || slot == CT_SLOT_LANE || slot == CT_SLOT_WARP;
    if (dimensions == 1)
        return ct_emit_slot(parser, slot, name->position);
    bool has_point = ct_parser_accept(parser, '.');
    for (unsigned i = 0; has_point && i < dimensions; i++) {
        if (ct_parser_accept_name(parser, members[i]))
            return ct_emit_slot(parser, (uint16_t)(slot + i), name->position);
    }
    return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "%.*s needs .x, .y or .z",
                          CT_TOKEN_TEXT(*name));
}

/* An object that is in no memory that counts: nothing but what it is made of. */
static bool place_local(ct_parser *parser, ct_symbol *symbol, const ct_token *name,
                        ct_operand *out) {
    *out = (ct_operand){.form = CT_FORM_OBJECT,
                        .array = CT_ARRAY_LOCAL,
                        .symbol = symbol->value > 0 ? symbol : NULL,
                        .shape = symbol->shape,
                        .text_start = name->position,
                        .position = name->position};
    return ct_emit_constant(parser, 0, name->position);
}

static bool parse_symbol(ct_parser *parser, ct_symbol *symbol, const ct_token *name,
                         ct_operand *out) {
    size_t position = name->position;
    parser->is_varying |= symbol->varies;
    switch (symbol->meaning) {
    case CT_MEANS_CONSTANT:
        *out = value_of(symbol->kind, position);
        out->type = symbol->shape.type;
        return ct_emit_constant(parser, symbol->value, position);
    case CT_MEANS_INTEGER:
        *out = value_of(symbol->kind, position);
        out->form = CT_FORM_SLOT;
        out->type = symbol->shape.type;
        out->symbol = symbol;
        return ct_emit_slot(parser, symbol->slot, position);
    case CT_MEANS_POINTER:
    case CT_MEANS_REFERENCE:
        *out = ct_place_pointer(symbol, position);
        if (symbol->meaning == CT_MEANS_REFERENCE)
            out->form = CT_FORM_OBJECT;
        return ct_emit_slot(parser, symbol->slot, position);
    case CT_MEANS_LOCAL:
        return place_local(parser, symbol, name, out);
    case CT_MEANS_ARRAY:
        return ct_place_array(parser, symbol->array, name, out);
    case CT_MEANS_LAMBDA:
        return ct_lambda_use(parser, symbol, name, out);
    case CT_MEANS_GROUP:
        return ct_group_use(parser, symbol, out);
    case CT_MEANS_GIVEN:
        *out = value_of(symbol->kind, position);
        out->type = symbol->shape.type;
        return ct_emit_unknown(parser, CT_REASON_GIVEN, name->text, name->length, position);
    default:
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "'%.*s' is no value",
                              CT_TOKEN_TEXT(*name));
    }
}

/* A slip in a promise must not make it a variable: "expectways = 1". */
static bool is_like_expect(const ct_token *name) {
    static const char *const words[] = {"expect"};
    char text[16];
    if (name->length >= 6 && memcmp(name->text, words[0], 6) == 0)
        return true;
    (void)snprintf(text, sizeof text, "%.*s", CT_TOKEN_TEXT(*name));
    return suggest(text, words, 1) != NULL;
}

/* A name that nothing declares: data, as long as it decides no address. One that is assigned to is
 * a variable of the thread, declared outside of the text. */
static bool parse_unknown(ct_parser *parser, const ct_token *name, ct_operand *out) {
    if (parser->in_index == 0 && ct_token_sets(&parser->token)) {
        if (is_like_expect(name))
            return ct_parser_fail(parser, SMP_E_SYNTAX, name->position,
                                  "unknown name '%.*s'; did you mean 'expect'?",
                                  CT_TOKEN_TEXT(*name));
        ct_symbol symbol = {.name = name->text, .length = name->length, .meaning = CT_MEANS_LOCAL};
        ct_symbol *added = ct_symbol_add(parser, &symbol, name->position);
        parser->has_new = true;
        return added && place_local(parser, added, name, out);
    }
    bool is_indexed = ct_parser_is(parser, '[') && !parser->token.starts_line;
    if (is_indexed && parser->in_index > 0)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name->position,
                              "the values of '%.*s' are data and unknown here: write an "
                              "expression of the thread in its place",
                              CT_TOKEN_TEXT(*name));
    if (is_indexed)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name->position, "no array '%.*s' is declared",
                              CT_TOKEN_TEXT(*name));
    bool is_member = ct_parser_is(parser, '.') || ct_parser_is(parser, CT_PUNCT2('-', '>'));
    if (is_member)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name->position,
                              "unknown name '%.*s' (nothing here declares it)",
                              CT_TOKEN_TEXT(*name));
    parser->has_stray = true;
    *out = value_of(CT_DATA, name->position);
    return ct_emit_unknown(parser, CT_REASON_NAME, name->text, name->length, name->position);
}

/* "std::min", "cg::this_thread_block": the names before "::" say nothing here. */
static ct_token take_name(ct_parser *parser) {
    ct_token name = parser->token;
    ct_parser_next(parser);
    while (ct_parser_is(parser, CT_PUNCT2(':', ':'))) {
        ct_parser_next(parser);
        if (parser->token.kind != CT_TOKEN_NAME)
            break;
        name = parser->token;
        ct_parser_next(parser);
    }
    return name;
}

/* "<float>{}", "<float>()" behind a name that nothing declares: an object of some class. */
static bool is_object(const ct_parser *parser) {
    const ct_token *tokens = parser->tokens;
    bool is_scoped =
        parser->at >= 2 && ct_token_is_punct(&tokens[parser->at - 2], CT_PUNCT2(':', ':'));
    if (!is_scoped || !ct_parser_is(parser, '<'))
        return false;
    const uint32_t behind = ct_behind_bracket(tokens, parser->at, '<', '>');
    return ct_token_is_punct(&tokens[behind], '{') ||
           (ct_token_is_punct(&tokens[behind], '(') && ct_token_is_punct(&tokens[behind + 1], ')'));
}

static bool parse_object(ct_parser *parser, const ct_token *name, ct_operand *out) {
    ct_parser_return(parser, ct_behind_bracket(parser->tokens, parser->at, '<', '>'));
    const uint32_t close = ct_parser_is(parser, '(') ? ')' : '}';
    ct_parser_next(parser);
    *out = value_of(CT_DATA, name->position);
    return ct_emit_unknown(parser, CT_REASON_CALL, name->text, name->length, name->position) &&
           ct_expr_parts(parser, NULL, close, name->position);
}

/* "a::n": not what a kernel or a function calls n. */
static ct_symbol *find_outside(ct_parser *parser, const ct_token *name) {
    ct_scope *scope = &parser->layout->scope;
    const size_t count = scope->count;
    scope->count = parser->layout->has_kernel ? parser->layout->kernel_names
                   : parser->callee           ? scope->hidden_from
                                              : count;
    ct_symbol *found = ct_scope_find(scope, name->text, name->length);
    scope->count = count;
    return found;
}

bool ct_class_push_static(ct_parser *parser, const ct_static *constant, size_t position,
                          ct_operand *out) {
    const smp_integer_type type = constant->type->integer;
    *out = value_of(ct_type_kind(constant->type), position);
    out->type = constant->type;
    return ct_emit_constant(parser, ct_integer_cast(constant->value, type.bits, type.is_signed),
                            position);
}

/* The struct before "::", which is taken with it; NULL: there is none, and nothing is taken. */
static bool parse_qualifier(ct_parser *parser, const smp_type **out) {
    const uint32_t start = parser->at;
    *out = NULL;
    for (;;) {
        const ct_token *tokens = &parser->tokens[parser->at];
        const bool is_scope = ct_token_is_punct(&tokens[1], CT_PUNCT2(':', ':'));
        const bool is_template =
            ct_token_is_punct(&tokens[1], '<') && ct_class_is_template(parser, tokens);
        if (is_template)
            return ct_class_parse(parser, out) && ct_parser_expect(parser, CT_PUNCT2(':', ':'));
        if (!is_scope || tokens[0].kind != CT_TOKEN_NAME)
            break;
        const smp_type *type = ct_type_find(parser);
        ct_parser_next(parser);
        ct_parser_next(parser);
        if (type && type->class_of) {
            *out = type;
            return true;
        }
    }
    ct_parser_return(parser, start);
    return true;
}

/* "T::N" and "T::f(...)" of a struct; *has: it is one of these. */
static bool parse_of_struct(ct_parser *parser, ct_operand *out, bool *has) {
    const uint32_t start = parser->at;
    const smp_type *type;
    *has = false;
    if (!parse_qualifier(parser, &type))
        return false;
    if (!type)
        return true;
    const ct_token name = parser->token;
    const ct_static *constant = ct_class_static(type, &name);
    ct_parser_next(parser);
    if (constant) {
        *has = parser->has_known = true;
        return ct_class_push_static(parser, constant, name.position, out);
    }
    if (ct_parser_is(parser, '(') && !ct_method_static(parser, type, &name, out, has))
        return false;
    if (*has)
        return true;
    if (type->class_of->head > 0)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                              "'%.*s' is no constant and no __device__ function of this class "
                              "that is followed; 'emulate' runs the machine code",
                              CT_TOKEN_TEXT(name));
    ct_parser_return(parser, start);
    return true;
}

/* A name that is neither a type nor a cast; it is still the current token. */
bool ct_expr_name(ct_parser *parser, ct_operand *out) {
    bool is_of_struct;
    if (!parse_of_struct(parser, out, &is_of_struct) || is_of_struct)
        return parser->status == SMP_OK;
    ct_token name = take_name(parser);
    bool is_scoped =
        parser->at >= 2 && ct_token_is_punct(&parser->tokens[parser->at - 2], CT_PUNCT2(':', ':'));
    ct_symbol *symbol = is_scoped ? find_outside(parser, &name)
                                  : ct_scope_find(&parser->layout->scope, name.text, name.length);
    int array = smp_array_find(parser->layout, name.text, name.length);
    uint16_t slot;
    unsigned dimensions;
    bool is_builtin = ct_builtin_find(name.text, name.length, &slot, &dimensions);
    bool is_call = !parser->token.starts_line &&
                   (ct_parser_is(parser, '(') ||
                    (ct_parser_is(parser, '<') && ct_function_is_template(parser, &name)));
    parser->has_known |= symbol || array >= 0 || is_builtin || is_call;
    if (is_scoped && is_call) /* what a block declares has no scope */
        return ct_expr_call(parser, &name, out);
    if (symbol)
        return parse_symbol(parser, symbol, &name, out);
    if (array >= 0)
        return ct_place_array(parser, array, &name, out);
    if (is_builtin)
        return parse_builtin(parser, &name, slot, dimensions, out);
    *out = value_of(CT_I32, name.position);
    if (ct_token_is(&name, "warpSize"))
        return ct_emit_constant(parser, SMP_LANES, name.position);
    if (ct_token_is(&name, "INT_MAX"))
        return ct_emit_constant(parser, INT32_MAX, name.position);
    if (ct_token_is(&name, "INT_MIN"))
        return ct_emit_constant(parser, INT32_MIN, name.position);
    if (ct_token_is(&name, "true") || ct_token_is(&name, "false")) {
        out->type = ct_type_bool();
        return ct_emit_constant(parser, name.length == 4, name.position);
    }
    if (ct_token_is(&name, "nullptr") || ct_token_is(&name, "NULL"))
        return ct_emit_constant(parser, 0, name.position);
    if (is_call || ct_call_is_known(&name))
        return ct_expr_call(parser, &name, out);
    if (is_object(parser))
        return parse_object(parser, &name, out);
    const uint32_t behind =
        ct_parser_is(parser, '<') ? ct_behind_bracket(parser->tokens, parser->at, '<', '>') : 0;
    if (behind > 0 && ct_token_is_punct(&parser->tokens[behind], CT_PUNCT2(':', ':')))
        return ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                              "class templates such as '%.*s' are not followed; 'emulate' runs "
                              "the machine code",
                              CT_TOKEN_TEXT(name));
    return parse_unknown(parser, &name, out);
}
