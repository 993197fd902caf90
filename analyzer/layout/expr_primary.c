/* SPDX-License-Identifier: MIT */
/*
 * Operands: literals, names, casts, sizeof, and what stands behind them: indices, members, calls.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

static smp_operand value_of(smp_kind kind, size_t position) {
    return (smp_operand){.form = SMP_FORM_VALUE, .kind = kind, .position = position};
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

bool smp_expr_parts(smp_parser *parser, const smp_type *type, uint32_t close, size_t position) {
    bool has_pointer = false;
    while (!smp_parser_is(parser, close)) {
        smp_operand part;
        if (!smp_expr_assignment(parser, &part) || !smp_operand_value(parser, &part) ||
            !smp_emit_drop(parser, position))
            return false;
        has_pointer |= part.form == SMP_FORM_POINTER && part.array >= 0;
        if (!smp_parser_accept(parser, ','))
            break;
    }
    return smp_class_check_constructor(parser, type, has_pointer, position) &&
           smp_parser_expect(parser, close);
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
               smp_expr_parts(parser, type.use.type, is_list ? '}' : ')', position);
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
               smp_expr_parts(parser, NULL, '}', token.position);
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
        return smp_expr_name(parser, out);
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
    smp_token next = smp_parser_peek(parser, 1);
    if (out->form == SMP_FORM_VALUE && out->type && out->type->class_of &&
        smp_token_is_punct(&next, '('))
        return smp_method_parse(parser, out);
    smp_parser_next(parser);
    *out = value_of(SMP_DATA, position);
    if (is_known && member.shape.dim_count == 0)
        out->type = member.shape.type;
    parser->has_effect |= smp_parser_is(parser, '(');
    if (!smp_parser_accept(parser, '('))
        return smp_emit_merge(parser, 1, position);
    return smp_emit_drop(parser, position) &&
           smp_emit_unknown(parser, SMP_REASON_CALL, name.text, name.length, position) &&
           smp_expr_parts(parser, NULL, ')', position);
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
    const bool is_struct =
        out->form == SMP_FORM_OBJECT && !out->is_root && out->shape.dim_count == 0;
    const smp_static *constant =
        is_struct && out->shape.type ? smp_class_static(out->shape.type, &parser->token) : NULL;
    if (!constant)
        return smp_place_member(parser, out);
    smp_parser_next(parser);
    return smp_emit_drop(parser, position) &&
           smp_class_push_static(parser, constant, position, out);
}

bool smp_expr_postfix(smp_parser *parser, smp_operand *out) {
    if (!parse_primary(parser, out))
        return false;
    for (;;) {
        bool is_new = parser->token.starts_line;
        bool is_below = is_new && !parser->goes_on, has = false;
        if (!is_new && (smp_parser_is(parser, '[') || smp_parser_is(parser, '(')) &&
            !smp_method_operator(parser, out, &has))
            return false;
        if (has)
            continue;
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
