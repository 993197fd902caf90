/* SPDX-License-Identifier: MIT */
/*
 * CuTe's layouts as text: "Swizzle<3,3,3>", "(64,(8,2)):(1,(64,512))".
 */
#include <string.h>

#include "array_layout.h"
#include "function.h"
#include "parse.h"

/* No array of shared memory needs more, and sums of six products stay far from overflow. */
#define STRIDE_MAX (INT64_C(1) << 26)
#define EXTENT_MAX (INT64_C(1) << 26)

bool ct_swizzle_parse(ct_parser *parser, smp_swizzle *out) {
    size_t position = parser->token.position;
    int64_t number[3];
    ct_parser_next(parser);
    if (!ct_parser_expect(parser, '<'))
        return false;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && !ct_parser_expect(parser, ','))
            return false;
        bool negative = i == 2 && ct_parser_accept(parser, '-');
        if (parser->token.kind != CT_TOKEN_NUMBER || parser->token.value > 20)
            return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                                  "Swizzle<B,M,S> needs three numbers, at most 20");
        number[i] = negative ? -(int64_t)parser->token.value : (int64_t)parser->token.value;
        ct_parser_next(parser);
    }
    *out = (smp_swizzle){true, (uint8_t)number[0], (uint8_t)number[1], (int8_t)number[2]};
    int64_t distance = number[2] < 0 ? -number[2] : number[2];
    if (distance < number[0])
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "Swizzle<%d,%d,%d>: the shift must be at least the %d bits, or the "
                              "two bit fields overlap",
                              (int)number[0], (int)number[1], (int)number[2], (int)number[0]);
    return ct_parser_expect(parser, '>');
}

/* ---- shape:stride ---------------------------------------------------------------------- */

/* Numbers of one side, by dimension: (4,(2,8)) is {4} and {2,8}; ((2,(2,4)),3) is {2,2,4} and {3}:
 * what is nested more deeply takes its digits in the same order. */
typedef struct tuple {
    uint32_t dim_count;
    uint32_t count[SMP_DIMS_MAX];
    int64_t number[SMP_DIMS_MAX][SMP_LEAVES_MAX];
} tuple;

static bool parse_number(ct_parser *parser, bool is_shape, tuple *out) {
    unsigned d = out->dim_count - 1;
    if (out->count[d] == SMP_LEAVES_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                              "more than %d numbers in one dimension", SMP_LEAVES_MAX);
    return ct_expr_constant_in(parser, is_shape ? "the shape" : "the stride", is_shape ? 1 : 0,
                               is_shape ? EXTENT_MAX : STRIDE_MAX,
                               &out->number[d][out->count[d]++]);
}

/* True at a list: its ')' ends the number, where that of "(N + 1) * 2" does not. */
static bool is_list(const ct_parser *parser) {
    if (!ct_parser_is(parser, '('))
        return false;
    const ct_token *behind =
        &parser->tokens[ct_behind_bracket(parser->tokens, parser->at, '(', ')')];
    return behind->kind != CT_TOKEN_PUNCT || behind->starts_line || behind->code > 127 ||
           strchr("*/%+-&|^?<>", (int)behind->code) == NULL;
}

/* A number, or a list of them. */
static bool parse_numbers(ct_parser *parser, bool is_shape, unsigned depth, tuple *out) {
    if (!is_list(parser))
        return parse_number(parser, is_shape, out);
    if (depth == SMP_LEAVES_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position, "nested too deeply");
    ct_parser_next(parser);
    do {
        if (!parse_numbers(parser, is_shape, depth + 1, out))
            return false;
    } while (ct_parser_accept(parser, ','));
    return ct_parser_expect(parser, ')');
}

/* One dimension: a number, or "( number , ... )". */
static bool parse_dimension(ct_parser *parser, bool is_shape, tuple *out) {
    if (out->dim_count == SMP_DIMS_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                              "more than %d dimensions", SMP_DIMS_MAX);
    out->dim_count++;
    if (!is_list(parser))
        return parse_number(parser, is_shape, out);
    ct_parser_next(parser);
    do {
        if (!parse_numbers(parser, is_shape, 0, out))
            return false;
    } while (ct_parser_accept(parser, ','));
    return ct_parser_expect(parser, ')');
}

static bool parse_tuple(ct_parser *parser, bool is_shape, tuple *out) {
    memset(out, 0, sizeof *out);
    if (!is_list(parser))
        return parse_dimension(parser, is_shape, out);
    ct_parser_next(parser);
    do {
        if (!parse_dimension(parser, is_shape, out))
            return false;
    } while (ct_parser_accept(parser, ','));
    return ct_parser_expect(parser, ')');
}

static bool fill_mode(const tuple *shape, const tuple *stride, unsigned d, smp_mode *mode) {
    int64_t extent = 1;
    mode->leaf_count = shape->count[d];
    for (unsigned i = 0; i < shape->count[d]; i++) {
        mode->shape[i] = (uint32_t)shape->number[d][i];
        mode->stride[i] = stride->number[d][i];
        extent *= shape->number[d][i];
        if (extent > EXTENT_MAX)
            return false;
    }
    mode->extent = (uint32_t)extent;
    return true;
}

bool ct_mode_table_parse(ct_parser *parser, smp_mode_table *out) {
    size_t position = parser->token.position;
    tuple shape, stride;
    if (!parse_tuple(parser, true, &shape) || !ct_parser_expect(parser, ':') ||
        !parse_tuple(parser, false, &stride))
        return false;
    bool same = shape.dim_count == stride.dim_count &&
                memcmp(shape.count, stride.count, sizeof shape.count) == 0;
    if (!same)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "shape and stride have different profiles");
    out->dim_count = shape.dim_count;
    out->is_row_major = false;
    for (unsigned d = 0; d < shape.dim_count; d++) {
        if (!fill_mode(&shape, &stride, d, &out->dims[d]))
            return ct_parser_fail(parser, SMP_E_OVERFLOW, position, "shape too large");
    }
    return true;
}
