/* SPDX-License-Identifier: MIT */
/*
 * Operands: literals, names, casts, sizeof, and what stands behind them: indices, members, calls.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

static ct_operand value_of(ct_kind kind, size_t position) {
    return (ct_operand){.form = CT_FORM_VALUE, .kind = kind, .position = position};
}

/* ---- Casts ----------------------------------------------------------------------------- */

/* What a cast makes of its operand. */
typedef struct cast_type {
    ct_type_use use;
    bool is_pointer, is_reference;
    smp_shape shape; /* of what it points to */
} cast_type;

/* "(*)[33]" behind a type: a pointer to an array. */
static bool parse_array_pointer(ct_parser *parser, cast_type *out) {
    ct_parser_next(parser);
    ct_parser_next(parser);
    if (!ct_parser_expect(parser, ')'))
        return false;
    out->is_pointer = true;
    while (ct_parser_accept(parser, '[')) {
        int64_t extent;
        if (out->shape.dim_count == SMP_SHAPE_DIMS_MAX)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                  "more than %d dimensions", SMP_SHAPE_DIMS_MAX);
        if (!ct_expr_constant_in(parser, "the dimension", 1, 1 << 20, &extent) ||
            !ct_parser_expect(parser, ']'))
            return false;
        out->shape.dims[out->shape.dim_count++] = (uint32_t)extent;
    }
    return parser->status == SMP_OK;
}

static bool parse_cast_type(ct_parser *parser, cast_type *out) {
    *out = (cast_type){0};
    if (!ct_type_use_parse(parser, &out->use))
        return false;
    out->shape.type = out->use.type;
    ct_token next = ct_parser_peek(parser, 1);
    if (ct_parser_is(parser, '(') && next.kind == CT_TOKEN_PUNCT && next.code == '*')
        return parse_array_pointer(parser, out);
    if (ct_parser_accept(parser, '*')) {
        out->is_pointer = true;
        while (ct_parser_accept_name(parser, "const") ||
               ct_parser_accept_name(parser, "__restrict__"))
            continue;
        if (ct_parser_is(parser, '*'))
            return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                                  "pointers to pointers are not understood");
    } else if (ct_parser_accept(parser, '&')) {
        out->is_reference = true;
    }
    return parser->status == SMP_OK;
}

static bool cast_pointer(ct_parser *parser, const cast_type *type, ct_operand *out,
                         size_t position) {
    bool is_place = out->form == CT_FORM_OBJECT || out->form == CT_FORM_POINTER;
    bool is_element = out->form == CT_FORM_OBJECT && ct_place_is_whole(parser->layout, out);
    if (is_place && !is_element)
        return ct_place_cast(parser, out, type->shape, position);
    if (out->form == CT_FORM_OBJECT && out->array == CT_ARRAY_LOCAL && !out->shape.type)
        return ct_place_address(parser, out, position);
    return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                          "only arrays and pointers to them can be cast to a pointer");
}

static bool cast_value(ct_parser *parser, const cast_type *type, ct_operand *out, size_t position) {
    if (!ct_operand_value(parser, out))
        return false;
    bool was_pointer = out->form == CT_FORM_POINTER;
    if (was_pointer && (!ct_emit_drop(parser, position) ||
                        !ct_emit_unknown(parser, CT_REASON_ADDRESS, "", 0, position)))
        return false;
    uint32_t atomic = type->use.is_void ? out->atomic : 0;
    bool is_reduction = out->is_reduction;
    *out = value_of(CT_DATA, position);
    out->atomic = atomic;
    out->is_reduction = is_reduction;
    parser->has_effect |= type->use.is_void;
    if (type->use.is_void || type->use.is_auto)
        return true;
    out->type = type->use.type;
    if (smp_type_is_integer(out->type))
        return ct_emit_cast(parser, out->type->integer, position, &out->kind);
    return ct_emit_merge(parser, 1, position);
}

static bool apply_cast(ct_parser *parser, const cast_type *type, ct_operand *out, size_t position) {
    if (type->is_pointer)
        return cast_pointer(parser, type, out, position);
    if (!type->is_reference)
        return cast_value(parser, type, out, position);
    return ct_place_address(parser, out, position) &&
           ct_place_cast(parser, out, type->shape, position) &&
           ct_place_follow(parser, out, position);
}

/* static_cast<int>(x) and the like, the name being taken. */
static bool parse_named_cast(ct_parser *parser, size_t position, ct_operand *out) {
    cast_type type;
    ct_parser_next(parser);
    return ct_parser_expect(parser, '<') && parse_cast_type(parser, &type) &&
           ct_parser_expect(parser, '>') && ct_parser_expect(parser, '(') &&
           ct_expr_parse(parser, out) && ct_parser_expect(parser, ')') &&
           apply_cast(parser, &type, out, position);
}

bool ct_expr_parts(ct_parser *parser, const smp_type *type, uint32_t close, size_t position) {
    bool has_pointer = false;
    while (!ct_parser_is(parser, close)) {
        ct_operand part;
        if (!ct_expr_assignment(parser, &part) || !ct_operand_value(parser, &part) ||
            !ct_emit_drop(parser, position))
            return false;
        has_pointer |= part.form == CT_FORM_POINTER && part.array >= 0;
        if (!ct_parser_accept(parser, ','))
            break;
    }
    return ct_class_check_constructor(parser, type, has_pointer, position) &&
           ct_parser_expect(parser, close);
}

/* int(x), float4{...}, and a cast's parenthesis in front of nothing else. */
static bool parse_function_cast(ct_parser *parser, ct_operand *out) {
    size_t position = parser->token.position;
    cast_type type = {0};
    if (!ct_type_use_parse(parser, &type.use))
        return false;
    bool is_list = ct_parser_is(parser, '{');
    if (!is_list && !ct_parser_is(parser, '('))
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "expected '(' behind a type");
    ct_parser_next(parser);
    if (!smp_type_is_integer(type.use.type)) {
        *out = value_of(CT_DATA, position);
        out->type = type.use.type;
        return ct_emit_unknown(parser, CT_REASON_FLOAT, "", 0, position) &&
               ct_expr_parts(parser, type.use.type, is_list ? '}' : ')', position);
    }
    const uint32_t close = is_list ? '}' : ')';
    *out = value_of(CT_I32, position);
    return (ct_parser_is(parser, close) ? ct_emit_constant(parser, 0, position)
                                        : ct_expr_parse(parser, out)) &&
           ct_parser_expect(parser, close) && cast_value(parser, &type, out, position);
}

/* "( ... )": a cast or a nested expression. */
static bool parse_parenthesis(ct_parser *parser, ct_operand *out) {
    size_t position = parser->token.position;
    uint32_t inner = parser->at + 1;
    ct_parser_next(parser);
    if (ct_type_starts(parser)) {
        cast_type type;
        if (!parse_cast_type(parser, &type))
            return false;
        if (ct_parser_accept(parser, ')'))
            return ct_expr_unary(parser, out) && apply_cast(parser, &type, out, position);
        ct_parser_return(parser, inner);
    }
    unsigned in_index = parser->in_index;
    bool in_template = parser->in_template;
    parser->in_index = 0;
    parser->in_template = false;
    bool sound = ct_expr_parse(parser, out) && ct_parser_expect(parser, ')');
    parser->in_index = in_index;
    parser->in_template = in_template;
    return sound;
}

/* ---- sizeof ---------------------------------------------------------------------------- */

/* Bytes of what an operand is. */
static uint64_t size_of(const ct_parser *parser, const ct_operand *operand) {
    if (operand->form == CT_FORM_POINTER)
        return 8;
    if (operand->form != CT_FORM_OBJECT) {
        const smp_type *type = ct_operand_type(operand);
        return type ? type->size : 0;
    }
    if (!operand->is_root)
        return operand->shape.type ? smp_shape_size(operand->shape) : 0;
    const smp_array *array = &parser->layout->kernel.arrays[operand->array];
    uint64_t bytes = array->is_unsized ? 0 : array->type->size;
    for (uint32_t d = operand->used; d < array->table.dim_count; d++)
        bytes *= array->table.dims[d].extent;
    return bytes;
}

/* An expression whose size alone is asked for: nothing of it runs. */
static bool measure(ct_parser *parser, uint64_t *bytes) {
    ct_operand operand;
    uint32_t count = parser->code->count, accesses = parser->layout->kernel.access_count;
    unsigned stack = parser->stack;
    size_t position = parser->token.position;
    ct_slot_set reads = parser->reads, writes = parser->writes;
    bool was_unrun = parser->is_unrun;
    parser->is_unrun = true;
    if (!ct_expr_unary(parser, &operand))
        return false;
    parser->is_unrun = was_unrun;
    *bytes = size_of(parser, &operand);
    parser->code->count = count;
    parser->layout->kernel.access_count = accesses;
    parser->stack = stack;
    parser->reads = reads;
    parser->writes = writes;
    return *bytes > 0 ||
           ct_parser_fail(parser, SMP_E_SYNTAX, position, "the size of this is not known");
}

static bool parse_sizeof(ct_parser *parser, ct_operand *out) {
    size_t position = parser->token.position;
    uint64_t bytes = 0;
    *out = value_of(CT_U64, position);
    ct_parser_next(parser);
    uint32_t at = parser->at;
    bool is_list = ct_parser_accept(parser, '(');
    cast_type type;
    if (!is_list || !ct_type_starts(parser)) {
        ct_parser_return(parser, at);
        return measure(parser, &bytes) && ct_emit_constant(parser, (int64_t)bytes, position);
    }
    if (!parse_cast_type(parser, &type) || !ct_parser_expect(parser, ')'))
        return false;
    if (!type.is_pointer && !type.use.type)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "the size of this is not known");
    return ct_emit_constant(parser, type.is_pointer ? 8 : type.use.type->size, position);
}

/* ---- Operands -------------------------------------------------------------------------- */

static bool parse_primary(ct_parser *parser, ct_operand *out) {
    static const char *const casts[] = {"static_cast", "reinterpret_cast", "const_cast"};
    ct_token token = parser->token;
    *out = value_of(token.number_kind, token.position);
    if (token.kind == CT_TOKEN_NUMBER) {
        out->type = token.text[0] == '\'' ? ct_type_char() : NULL;
        ct_parser_next(parser);
        return ct_emit_constant(parser, (int64_t)token.value, token.position);
    }
    if (token.kind == CT_TOKEN_FLOAT || token.kind == CT_TOKEN_STRING) {
        char last = token.text[token.length - 1];
        ct_parser_next(parser);
        out->kind = CT_DATA;
        if (token.kind == CT_TOKEN_FLOAT && last != 'l' && last != 'L')
            out->type = ct_type_float(last != 'f' && last != 'F');
        return ct_emit_unknown(parser, CT_REASON_FLOAT, "", 0, token.position);
    }
    if (ct_parser_is(parser, '('))
        return parse_parenthesis(parser, out);
    if (parser->in_arguments && ct_parser_accept(parser, '{')) {
        out->kind = CT_DATA;
        return ct_emit_unknown(parser, CT_REASON_LOCAL, token.text, token.length, token.position) &&
               ct_expr_parts(parser, NULL, '}', token.position);
    }
    if (ct_parser_is_name(parser, "sizeof"))
        return parse_sizeof(parser, out);
    for (size_t i = 0; i < sizeof casts / sizeof casts[0]; i++) {
        if (ct_parser_is_name(parser, casts[i]))
            return parse_named_cast(parser, token.position, out);
    }
    if (ct_type_starts(parser))
        return parse_function_cast(parser, out);
    if (token.kind == CT_TOKEN_NAME)
        return ct_expr_name(parser, out);
    if (ct_parser_is(parser, '['))
        return ct_parser_fail(parser, SMP_E_SYNTAX, token.position,
                              "a lambda is understood as 'auto f = [&](...) { ... };' and called "
                              "by that name: else write a __device__ function, or let 'emulate' "
                              "run the machine code");
    if (token.kind == CT_TOKEN_END)
        return ct_parser_fail(parser, SMP_E_SYNTAX,
                              parser->last_end > 0 ? parser->last_end : token.position,
                              "expected a value, but the text ends here");
    return ct_parser_fail(parser, SMP_E_SYNTAX, token.position, "expected a value before '%.*s'",
                          CT_TOKEN_TEXT(token));
}

/* ".name" behind a value that is data, with a call's arguments: it stays data. */
static bool parse_data_member(ct_parser *parser, ct_operand *out) {
    size_t position = parser->token.position;
    ct_parser_next(parser);
    if (parser->token.kind != CT_TOKEN_NAME)
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "expected a member's name");
    ct_token name = parser->token;
    smp_member member;
    bool is_known = out->type && ct_type_member(out->type, name.text, name.length, &member);
    ct_token next = ct_parser_peek(parser, 1);
    if (out->form == CT_FORM_VALUE && out->type && out->type->class_of &&
        ct_token_is_punct(&next, '('))
        return ct_method_parse(parser, out);
    ct_parser_next(parser);
    *out = value_of(CT_DATA, position);
    if (is_known && member.shape.dim_count == 0)
        out->type = member.shape.type;
    parser->has_effect |= ct_parser_is(parser, '(');
    if (!ct_parser_accept(parser, '('))
        return ct_emit_merge(parser, 1, position);
    return ct_emit_drop(parser, position) &&
           ct_emit_unknown(parser, CT_REASON_CALL, name.text, name.length, position) &&
           ct_expr_parts(parser, NULL, ')', position);
}

static bool parse_member(ct_parser *parser, ct_operand *out) {
    bool is_arrow = ct_parser_is(parser, CT_PUNCT2('-', '>'));
    bool is_opaque =
        out->form == CT_FORM_OBJECT && out->array == CT_ARRAY_LOCAL && !out->shape.type;
    if ((out->form == CT_FORM_VALUE && out->kind == CT_DATA) || is_opaque)
        return parse_data_member(parser, out);
    size_t position = parser->token.position;
    ct_parser_next(parser);
    if (is_arrow && !ct_place_follow(parser, out, position))
        return false;
    const bool is_struct =
        out->form == CT_FORM_OBJECT && !out->is_root && out->shape.dim_count == 0;
    const ct_static *constant =
        is_struct && out->shape.type ? ct_class_static(out->shape.type, &parser->token) : NULL;
    if (!constant)
        return ct_place_member(parser, out);
    ct_parser_next(parser);
    return ct_emit_drop(parser, position) && ct_class_push_static(parser, constant, position, out);
}

bool ct_expr_postfix(ct_parser *parser, ct_operand *out) {
    if (!parse_primary(parser, out))
        return false;
    for (;;) {
        bool is_new = parser->token.starts_line;
        bool is_below = is_new && !parser->goes_on, has = false;
        if (!is_new && (ct_parser_is(parser, '[') || ct_parser_is(parser, '(')) &&
            !ct_method_operator(parser, out, &has))
            return false;
        if (has)
            continue;
        if (!is_new && ct_parser_is(parser, '[')) {
            ct_parser_next(parser);
            if (!ct_place_index(parser, out, ']'))
                return false;
        } else if (!is_new && out->is_root && out->used == 0 && ct_parser_is(parser, '(')) {
            ct_parser_next(parser);
            bool sound = ct_place_index(parser, out, ')');
            while (sound && ct_parser_accept(parser, ','))
                sound = ct_place_index(parser, out, ')');
            if (!sound)
                return false;
        } else if (!is_below &&
                   (ct_parser_is(parser, '.') || ct_parser_is(parser, CT_PUNCT2('-', '>')))) {
            if (!parse_member(parser, out))
                return false;
        } else {
            return parser->status == SMP_OK;
        }
    }
}
