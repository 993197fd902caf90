/* SPDX-License-Identifier: MIT */
/*
 * Operands: literals, names, casts, sizeof, and what stands behind them: indices, members, calls.
 */
#include <stdio.h>
#include <string.h>

#include "function.h"
#include "layout.h"
#include "suggest.h"

static bool parse_parts(smp_parser *parser, uint32_t close, size_t position);

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
        *out = (smp_operand){.form = symbol->meaning == SMP_MEANS_POINTER ? SMP_FORM_POINTER
                                                                          : SMP_FORM_OBJECT,
                             .kind = SMP_I64,
                             .symbol = symbol,
                             .position = position,
                             .array = symbol->array,
                             .is_loose = true,
                             .is_hidden = true,
                             .shape = symbol->shape};
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

/* "<float>{}" behind a name that nothing declares: an object of some class. */
static bool is_object(const smp_parser *parser) {
    const smp_token *tokens = parser->tokens;
    bool is_scoped =
        parser->at >= 2 && smp_token_is_punct(&tokens[parser->at - 2], SMP_PUNCT2(':', ':'));
    if (!is_scoped || !smp_parser_is(parser, '<'))
        return false;
    return smp_token_is_punct(&tokens[smp_behind_bracket(tokens, parser->at, '<', '>')], '{');
}

static bool parse_object(smp_parser *parser, const smp_token *name, smp_operand *out) {
    smp_parser_return(parser, smp_behind_bracket(parser->tokens, parser->at, '<', '>'));
    smp_parser_next(parser);
    *out = value_of(SMP_DATA, name->position);
    return smp_emit_unknown(parser, SMP_REASON_CALL, name->text, name->length, name->position) &&
           parse_parts(parser, '}', name->position);
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

/* A name that is neither a type nor a cast; it is still the current token. */
static bool parse_name(smp_parser *parser, smp_operand *out) {
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

/* ---- Casts ----------------------------------------------------------------------------- */

/* What a cast makes of its operand. */
typedef struct cast_type {
    smp_type_use use;
    bool is_pointer, is_reference;
    smp_shape shape; /* of what it points to */
} cast_type;

/* "(*)[33]" behind a type: a pointer to an array. */
static bool parse_array_pointer(smp_parser *parser, cast_type *out) {
    smp_parser_next(parser);
    smp_parser_next(parser);
    if (!smp_parser_expect(parser, ')'))
        return false;
    out->is_pointer = true;
    while (smp_parser_accept(parser, '[')) {
        int64_t extent;
        if (out->shape.dim_count == SMP_SHAPE_DIMS_MAX)
            return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                   "more than %d dimensions", SMP_SHAPE_DIMS_MAX);
        if (!smp_expr_constant_in(parser, "the dimension", 1, 1 << 20, &extent) ||
            !smp_parser_expect(parser, ']'))
            return false;
        out->shape.dims[out->shape.dim_count++] = (uint32_t)extent;
    }
    return parser->status == SMP_OK;
}

static bool parse_cast_type(smp_parser *parser, cast_type *out) {
    *out = (cast_type){0};
    if (!smp_type_use_parse(parser, &out->use))
        return false;
    out->shape.type = out->use.type;
    smp_token next = smp_parser_peek(parser, 1);
    if (smp_parser_is(parser, '(') && next.kind == SMP_TOKEN_PUNCT && next.code == '*')
        return parse_array_pointer(parser, out);
    if (smp_parser_accept(parser, '*')) {
        out->is_pointer = true;
        while (smp_parser_accept_name(parser, "const") ||
               smp_parser_accept_name(parser, "__restrict__"))
            continue;
        if (smp_parser_is(parser, '*'))
            return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                                   "pointers to pointers are not understood");
    } else if (smp_parser_accept(parser, '&')) {
        out->is_reference = true;
    }
    return parser->status == SMP_OK;
}

static bool cast_pointer(smp_parser *parser, const cast_type *type, smp_operand *out,
                         size_t position) {
    bool is_place = out->form == SMP_FORM_OBJECT || out->form == SMP_FORM_POINTER;
    bool is_element = out->form == SMP_FORM_OBJECT && smp_place_is_whole(parser->layout, out);
    if (is_place && !is_element)
        return smp_place_cast(parser, out, type->shape, position);
    if (out->form == SMP_FORM_OBJECT && out->array == SMP_ARRAY_LOCAL && !out->shape.type)
        return smp_place_address(parser, out, position);
    return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                           "only arrays and pointers to them can be cast to a pointer");
}

static bool cast_value(smp_parser *parser, const cast_type *type, smp_operand *out,
                       size_t position) {
    if (!smp_operand_value(parser, out))
        return false;
    bool was_pointer = out->form == SMP_FORM_POINTER;
    if (was_pointer && (!smp_emit_drop(parser, position) ||
                        !smp_emit_unknown(parser, SMP_REASON_ADDRESS, "", 0, position)))
        return false;
    uint32_t atomic = type->use.is_void ? out->atomic : 0;
    bool is_reduction = out->is_reduction;
    *out = value_of(SMP_DATA, position);
    out->atomic = atomic;
    out->is_reduction = is_reduction;
    parser->has_effect |= type->use.is_void;
    if (type->use.is_void || type->use.is_auto)
        return true;
    out->type = type->use.type;
    if (smp_type_is_integer(out->type))
        return smp_emit_cast(parser, out->type->integer, position, &out->kind);
    return smp_emit_merge(parser, 1, position);
}

static bool apply_cast(smp_parser *parser, const cast_type *type, smp_operand *out,
                       size_t position) {
    if (type->is_pointer)
        return cast_pointer(parser, type, out, position);
    if (!type->is_reference)
        return cast_value(parser, type, out, position);
    return smp_place_address(parser, out, position) &&
           smp_place_cast(parser, out, type->shape, position) &&
           smp_place_follow(parser, out, position);
}

/* static_cast<int>(x) and the like, the name being taken. */
static bool parse_named_cast(smp_parser *parser, size_t position, smp_operand *out) {
    cast_type type;
    smp_parser_next(parser);
    return smp_parser_expect(parser, '<') && parse_cast_type(parser, &type) &&
           smp_parser_expect(parser, '>') && smp_parser_expect(parser, '(') &&
           smp_expr_parse(parser, out) && smp_parser_expect(parser, ')') &&
           apply_cast(parser, &type, out, position);
}

/* The rest of "float4{a, b}" and "(a, b)": its parts are read for nothing but their accesses. */
static bool parse_parts(smp_parser *parser, uint32_t close, size_t position) {
    while (!smp_parser_is(parser, close)) {
        smp_operand part;
        if (!smp_expr_value(parser, &part) || !smp_emit_drop(parser, position))
            return false;
        if (!smp_parser_accept(parser, ','))
            break;
    }
    return smp_parser_expect(parser, close);
}

/* int(x), float4{...}, and a cast's parenthesis in front of nothing else. */
static bool parse_function_cast(smp_parser *parser, smp_operand *out) {
    size_t position = parser->token.position;
    cast_type type = {0};
    if (!smp_type_use_parse(parser, &type.use))
        return false;
    bool is_list = smp_parser_is(parser, '{');
    if (!is_list && !smp_parser_is(parser, '('))
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "expected '(' behind a type");
    smp_parser_next(parser);
    if (!smp_type_is_integer(type.use.type)) {
        *out = value_of(SMP_DATA, position);
        out->type = type.use.type;
        return smp_emit_unknown(parser, SMP_REASON_FLOAT, "", 0, position) &&
               parse_parts(parser, is_list ? '}' : ')', position);
    }
    const uint32_t close = is_list ? '}' : ')';
    *out = value_of(SMP_I32, position);
    return (smp_parser_is(parser, close) ? smp_emit_constant(parser, 0, position)
                                         : smp_expr_parse(parser, out)) &&
           smp_parser_expect(parser, close) && cast_value(parser, &type, out, position);
}

/* "( ... )": a cast or a nested expression. */
static bool parse_parenthesis(smp_parser *parser, smp_operand *out) {
    size_t position = parser->token.position;
    uint32_t inner = parser->at + 1;
    smp_parser_next(parser);
    if (smp_type_starts(parser)) {
        cast_type type;
        if (!parse_cast_type(parser, &type))
            return false;
        if (smp_parser_accept(parser, ')'))
            return smp_expr_unary(parser, out) && apply_cast(parser, &type, out, position);
        smp_parser_return(parser, inner);
    }
    unsigned in_index = parser->in_index;
    bool in_template = parser->in_template;
    parser->in_index = 0;
    parser->in_template = false;
    bool sound = smp_expr_parse(parser, out) && smp_parser_expect(parser, ')');
    parser->in_index = in_index;
    parser->in_template = in_template;
    return sound;
}

/* ---- sizeof ---------------------------------------------------------------------------- */

/* Bytes of what an operand is. */
static uint64_t size_of(const smp_parser *parser, const smp_operand *operand) {
    if (operand->form == SMP_FORM_POINTER)
        return 8;
    if (operand->form != SMP_FORM_OBJECT) {
        const smp_type *type = smp_operand_type(operand);
        return type ? type->size : 0;
    }
    if (!operand->is_root)
        return operand->shape.type ? smp_shape_size(operand->shape) : 0;
    const smp_array *array = &parser->layout->arrays[operand->array];
    uint64_t bytes = array->is_unsized ? 0 : array->type->size;
    for (uint32_t d = operand->used; d < array->table.dim_count; d++)
        bytes *= array->table.dims[d].extent;
    return bytes;
}

/* An expression whose size alone is asked for: nothing of it runs. */
static bool measure(smp_parser *parser, uint64_t *bytes) {
    smp_operand operand;
    uint32_t count = parser->code->count, accesses = parser->layout->access_count;
    unsigned stack = parser->stack;
    size_t position = parser->token.position;
    smp_slot_set reads = parser->reads, writes = parser->writes;
    bool was_unrun = parser->is_unrun;
    parser->is_unrun = true;
    if (!smp_expr_unary(parser, &operand))
        return false;
    parser->is_unrun = was_unrun;
    *bytes = size_of(parser, &operand);
    parser->code->count = count;
    parser->layout->access_count = accesses;
    parser->stack = stack;
    parser->reads = reads;
    parser->writes = writes;
    return *bytes > 0 ||
           smp_parser_fail(parser, SMP_E_SYNTAX, position, "the size of this is not known");
}

static bool parse_sizeof(smp_parser *parser, smp_operand *out) {
    size_t position = parser->token.position;
    uint64_t bytes = 0;
    *out = value_of(SMP_U64, position);
    smp_parser_next(parser);
    uint32_t at = parser->at;
    bool is_list = smp_parser_accept(parser, '(');
    cast_type type;
    if (!is_list || !smp_type_starts(parser)) {
        smp_parser_return(parser, at);
        return measure(parser, &bytes) && smp_emit_constant(parser, (int64_t)bytes, position);
    }
    if (!parse_cast_type(parser, &type) || !smp_parser_expect(parser, ')'))
        return false;
    if (!type.is_pointer && !type.use.type)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position, "the size of this is not known");
    return smp_emit_constant(parser, type.is_pointer ? 8 : type.use.type->size, position);
}

/* ---- Operands -------------------------------------------------------------------------- */

static bool parse_primary(smp_parser *parser, smp_operand *out) {
    static const char *const casts[] = {"static_cast", "reinterpret_cast", "const_cast"};
    smp_token token = parser->token;
    *out = value_of(token.number_kind, token.position);
    if (token.kind == SMP_TOKEN_NUMBER) {
        out->type = token.text[0] == '\'' ? smp_type_char() : NULL;
        smp_parser_next(parser);
        return smp_emit_constant(parser, (int64_t)token.value, token.position);
    }
    if (token.kind == SMP_TOKEN_FLOAT || token.kind == SMP_TOKEN_STRING) {
        char last = token.text[token.length - 1];
        smp_parser_next(parser);
        out->kind = SMP_DATA;
        if (token.kind == SMP_TOKEN_FLOAT && last != 'l' && last != 'L')
            out->type = smp_type_float(last != 'f' && last != 'F');
        return smp_emit_unknown(parser, SMP_REASON_FLOAT, "", 0, token.position);
    }
    if (smp_parser_is(parser, '('))
        return parse_parenthesis(parser, out);
    if (parser->in_arguments && smp_parser_accept(parser, '{')) {
        out->kind = SMP_DATA;
        return smp_emit_unknown(parser, SMP_REASON_LOCAL, token.text, token.length,
                                token.position) &&
               parse_parts(parser, '}', token.position);
    }
    if (smp_parser_is_name(parser, "sizeof"))
        return parse_sizeof(parser, out);
    for (size_t i = 0; i < sizeof casts / sizeof casts[0]; i++) {
        if (smp_parser_is_name(parser, casts[i]))
            return parse_named_cast(parser, token.position, out);
    }
    if (smp_type_starts(parser))
        return parse_function_cast(parser, out);
    if (token.kind == SMP_TOKEN_NAME)
        return parse_name(parser, out);
    if (smp_parser_is(parser, '['))
        return smp_parser_fail(parser, SMP_E_SYNTAX, token.position,
                               "a lambda is understood as 'auto f = [&](...) { ... };' and called "
                               "by that name: else write a __device__ function, or let 'emulate' "
                               "run the machine code");
    if (token.kind == SMP_TOKEN_END)
        return smp_parser_fail(parser, SMP_E_SYNTAX,
                               parser->last_end > 0 ? parser->last_end : token.position,
                               "expected a value, but the text ends here");
    return smp_parser_fail(parser, SMP_E_SYNTAX, token.position, "expected a value before '%.*s'",
                           SMP_TOKEN_TEXT(token));
}

/* ".name" behind a value that is data, with a call's arguments: it stays data. */
static bool parse_data_member(smp_parser *parser, smp_operand *out) {
    size_t position = parser->token.position;
    smp_parser_next(parser);
    if (parser->token.kind != SMP_TOKEN_NAME)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "expected a member's name");
    smp_token name = parser->token;
    smp_member member;
    bool is_known = out->type && smp_type_member(out->type, name.text, name.length, &member);
    smp_parser_next(parser);
    *out = value_of(SMP_DATA, position);
    if (is_known && member.shape.dim_count == 0)
        out->type = member.shape.type;
    parser->has_effect |= smp_parser_is(parser, '(');
    if (!smp_parser_accept(parser, '('))
        return smp_emit_merge(parser, 1, position);
    return smp_emit_drop(parser, position) &&
           smp_emit_unknown(parser, SMP_REASON_CALL, name.text, name.length, position) &&
           parse_parts(parser, ')', position);
}

static bool parse_member(smp_parser *parser, smp_operand *out) {
    bool is_arrow = smp_parser_is(parser, SMP_PUNCT2('-', '>'));
    bool is_opaque =
        out->form == SMP_FORM_OBJECT && out->array == SMP_ARRAY_LOCAL && !out->shape.type;
    if ((out->form == SMP_FORM_VALUE && out->kind == SMP_DATA) || is_opaque)
        return parse_data_member(parser, out);
    size_t position = parser->token.position;
    smp_parser_next(parser);
    if (is_arrow && !smp_place_follow(parser, out, position))
        return false;
    return smp_place_member(parser, out);
}

bool smp_expr_postfix(smp_parser *parser, smp_operand *out) {
    if (!parse_primary(parser, out))
        return false;
    for (;;) {
        bool is_new = parser->token.starts_line;
        bool is_below = is_new && !parser->goes_on;
        if (!is_new && smp_parser_is(parser, '[')) {
            smp_parser_next(parser);
            if (!smp_place_index(parser, out, ']'))
                return false;
        } else if (!is_new && out->is_root && out->used == 0 && smp_parser_is(parser, '(')) {
            smp_parser_next(parser);
            bool sound = smp_place_index(parser, out, ')');
            while (sound && smp_parser_accept(parser, ','))
                sound = smp_place_index(parser, out, ')');
            if (!sound)
                return false;
        } else if (!is_below &&
                   (smp_parser_is(parser, '.') || smp_parser_is(parser, SMP_PUNCT2('-', '>')))) {
            if (!parse_member(parser, out))
                return false;
        } else {
            return parser->status == SMP_OK;
        }
    }
}
