/* SPDX-License-Identifier: MIT */
/*
 * Loops of the layout language: "for j = 0:32:8" runs around all that follows, until "end". Bounds
 * are constants, so that the number of iterations is known.
 */
#include "layout.h"

#define PASSES_MAX (INT64_C(1) << 20)

typedef struct range {
    int64_t start, stop, step;
    bool multiplies, divides; /* the step is a factor */
    bool falls;
} range;

static int64_t next_value(const range *r, int64_t value) {
    return r->multiplies ? value * r->step : r->divides ? value / r->step : value + r->step;
}

/* Passes, or more than PASSES_MAX. */
static int64_t count_passes(const range *r) {
    int64_t count = 0, value = r->start;
    while (count <= PASSES_MAX && (r->falls ? value > r->stop : value < r->stop)) {
        int64_t before = value;
        value = next_value(r, value);
        count++;
        if (value == before)
            return PASSES_MAX + 1;
    }
    return count;
}

/* "0:32:8": start, stop, step. */
static bool parse_range(ct_parser *parser, range *r) {
    const int64_t least = INT32_MIN, most = INT32_MAX;
    if (!ct_expr_constant_in(parser, "the start", least, most, &r->start) ||
        !ct_parser_expect(parser, ':') ||
        !ct_expr_constant_in(parser, "the stop", least, most, &r->stop))
        return false;
    r->step = 1;
    if (!ct_parser_accept(parser, ':'))
        return parser->status == SMP_OK;
    r->multiplies = ct_parser_accept(parser, '*');
    r->divides = !r->multiplies && ct_parser_accept(parser, '/');
    return ct_expr_constant_in(parser, "the step", least, most, &r->step);
}

static bool check_range(ct_parser *parser, range *r, size_t position, uint64_t *passes) {
    bool is_factor = r->multiplies || r->divides;
    if (is_factor && (r->step < 2 || r->start <= 0))
        return ct_parser_fail(parser, SMP_E_RANGE, position, "this loop would never end");
    if (r->step == 0)
        return ct_parser_fail(parser, SMP_E_RANGE, position, "the step is 0");
    r->falls = r->step < 0 || r->divides;
    int64_t count = count_passes(r);
    if (count == 0)
        return ct_parser_fail(parser, SMP_E_RANGE, position, "this loop has no iteration");
    if (count > PASSES_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %lld iterations",
                              (long long)PASSES_MAX);
    *passes = (uint64_t)count;
    return true;
}

static bool emit_set(ct_parser *parser, uint16_t slot, size_t position, ct_program *program) {
    ct_expr_instruction set = {.op = CT_CODE_SET, .slot = slot};
    ct_slots_add(&parser->writes, slot);
    if (!ct_emit(parser, set, position, 1))
        return false;
    ct_program_end(parser, CT_I64, program);
    return true;
}

static bool emit_start(ct_parser *parser, const range *r, uint16_t slot, size_t position) {
    ct_program program;
    ct_program_begin(parser, &program);
    return ct_emit_constant(parser, r->start, position) &&
           emit_set(parser, slot, position, &program) && ct_program_add(parser, &program);
}

/* The condition and the step, both in 64 bits. */
static bool emit_loop(ct_parser *parser, const range *r, uint16_t slot, size_t position,
                      ct_statement *loop) {
    ct_code_op compare = r->falls ? CT_CODE_GT : CT_CODE_LT;
    ct_code_op step = r->multiplies ? CT_CODE_MUL : r->divides ? CT_CODE_DIV : CT_CODE_ADD;
    ct_program_begin(parser, &loop->program);
    if (!ct_emit_slot(parser, slot, position) || !ct_emit_constant(parser, r->stop, position) ||
        !ct_emit_op(parser, compare, CT_I64, position, 2))
        return false;
    ct_program_end(parser, CT_I32, &loop->program);
    ct_program_begin(parser, &loop->step);
    return ct_emit_slot(parser, slot, position) && ct_emit_constant(parser, r->step, position) &&
           ct_emit_op(parser, step, CT_I64, position, 2) &&
           emit_set(parser, slot, position, &loop->step);
}

bool ct_range_loop_parse(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    ct_token name;
    range r = {0};
    uint64_t passes = 0;
    size_t position = parser->token.position;
    if (!ct_new_name_parse(parser, &name) || !ct_parser_expect(parser, '=') ||
        !parse_range(parser, &r) || !ct_parser_expect_end(parser) ||
        !check_range(parser, &r, position, &passes))
        return false;
    size_t mark = ct_scope_begin(layout);
    ct_symbol symbol = {.name = name.text,
                        .length = name.length,
                        .meaning = CT_MEANS_INTEGER,
                        .kind = CT_I32,
                        .shape = {.type = ct_type_of_kind(CT_I32)},
                        .is_const = true};
    if (!ct_slot_new(parser, position, &symbol.slot) ||
        !emit_start(parser, &r, symbol.slot, position) || !ct_symbol_add(parser, &symbol, position))
        return false;
    ct_statement *loop = ct_loop_add(parser, &symbol, position);
    if (!loop || !emit_loop(parser, &r, symbol.slot, position, loop))
        return false;
    loop->is_open = true;
    layout->kernel.loops[loop->loop].passes = passes;
    layout->kernel.loops[loop->loop].mark = mark;
    return true;
}
