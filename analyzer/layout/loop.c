/* SPDX-License-Identifier: MIT */
/*
 * Loops: "j = 0:32:8" and C's "(int j = 0; j < 32; j += 8) {". Bounds are constants, so that the
 * number of iterations is known.
 */
#include "layout.h"

#define LOOP_COUNT_MAX (1u << 20)

/* Iterations, or more than LOOP_COUNT_MAX. */
static uint32_t count_iterations(const smp_loop *loop) {
    uint32_t count = 0;
    int64_t value = loop->start;
    bool falls = loop->step < 0 || loop->divides;
    while (count <= LOOP_COUNT_MAX && (falls ? value > loop->stop : value < loop->stop)) {
        int64_t before = value;
        value = smp_loop_next(loop, value);
        count++;
        if (value == before)
            return LOOP_COUNT_MAX + 1;
    }
    return count;
}

int64_t smp_loop_next(const smp_loop *loop, int64_t value) {
    return loop->multiplies ? value * loop->step
           : loop->divides  ? value / loop->step
                            : value + loop->step;
}

/* "0:32:8": start, stop, step. */
static bool parse_range(smp_parser *parser, smp_loop *loop) {
    const int64_t least = INT32_MIN, most = INT32_MAX;
    if (!smp_expr_constant_in(parser, "the start", least, most, &loop->start) ||
        !smp_parser_expect(parser, ':') ||
        !smp_expr_constant_in(parser, "the stop", least, most, &loop->stop))
        return false;
    loop->step = 1;
    if (!smp_parser_accept(parser, ':'))
        return parser->status == SMP_OK;
    loop->multiplies = smp_parser_accept(parser, '*');
    loop->divides = !loop->multiplies && smp_parser_accept(parser, '/');
    return smp_expr_constant_in(parser, "the step", least, most, &loop->step);
}

/* "j < 32": the stop; an inclusive one is moved by one. */
static bool parse_condition(smp_parser *parser, const smp_token *name, smp_loop *loop) {
    char text[64];
    if (!smp_parser_accept_name(parser, smp_token_copy(parser, name, text, sizeof text)))
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "the condition must begin with the loop variable");
    uint32_t relation = parser->token.kind == SMP_TOKEN_PUNCT ? parser->token.code : 0;
    bool up = relation == '<' || relation == SMP_PUNCT2('<', '=');
    bool down = relation == '>' || relation == SMP_PUNCT2('>', '=');
    if (!up && !down)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "expected <, <=, > or >= here");
    smp_parser_next(parser);
    if (!smp_expr_constant_in(parser, "the stop", INT32_MIN, INT32_MAX, &loop->stop))
        return false;
    if (relation == SMP_PUNCT2('<', '='))
        loop->stop++;
    if (relation == SMP_PUNCT2('>', '='))
        loop->stop--;
    return smp_parser_expect(parser, ';');
}

/* "j += 8", "j++", "++j", "j /= 2", "j >>= 1", "j <<= 1" ... */
static bool parse_step(smp_parser *parser, const smp_token *name, smp_loop *loop) {
    char text[64];
    smp_token_copy(parser, name, text, sizeof text);
    uint32_t before = parser->token.kind == SMP_TOKEN_PUNCT ? parser->token.code : 0;
    bool is_prefix = before == '+' || before == '-';
    if (is_prefix && (!smp_parser_accept(parser, before) || !smp_parser_expect(parser, before)))
        return false;
    if (!smp_parser_accept_name(parser, text))
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "expected the loop variable");
    uint32_t code = parser->token.kind == SMP_TOKEN_PUNCT ? parser->token.code : 0;
    bool shifts_up = code == SMP_PUNCT2('<', '<'), shifts_down = code == SMP_PUNCT2('>', '>');
    loop->step = before == '-' ? -1 : 1;
    if (is_prefix)
        return smp_parser_expect(parser, ')');
    smp_parser_next(parser);
    bool doubles = (code == '+' || code == '-') && smp_parser_accept(parser, code);
    loop->step = code == '-' ? -1 : 1;
    if (doubles)
        return smp_parser_expect(parser, ')');
    int64_t amount;
    if (!smp_parser_expect(parser, '=') ||
        !smp_expr_constant_in(parser, "the step", 1, 1 << 30, &amount))
        return false;
    loop->multiplies = code == '*' || shifts_up;
    loop->divides = code == '/' || shifts_down;
    bool shifts = shifts_up || shifts_down;
    bool known = loop->multiplies || loop->divides || code == '+' || code == '-';
    if (!known || (shifts && amount > 30))
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "the step must be ++ -- += -= *= /= <<= or >>=");
    loop->step = shifts ? INT64_C(1) << amount : code == '-' ? -amount : amount;
    return smp_parser_expect(parser, ')');
}

/* "(int j = 0; j < 32; j += 8) {", the parenthesis being taken. */
static bool parse_c_loop(smp_parser *parser, smp_layout *layout, smp_token *name, smp_loop *loop) {
    smp_integer_type type;
    if (smp_integer_type_starts(parser) && !smp_integer_type_parse(parser, &type))
        return false;
    if (!smp_new_name_parse(parser, layout, name) || !smp_parser_expect(parser, '=') ||
        !smp_expr_constant_in(parser, "the start", INT32_MIN, INT32_MAX, &loop->start) ||
        !smp_parser_expect(parser, ';') || !parse_condition(parser, name, loop) ||
        !parse_step(parser, name, loop))
        return false;
    loop->is_single = !smp_parser_accept(parser, '{');
    return parser->status == SMP_OK;
}

static bool check_loop(smp_parser *parser, smp_loop *loop, size_t position) {
    bool is_factor = loop->multiplies || loop->divides;
    if (is_factor && (loop->step < 2 || loop->start <= 0))
        return smp_parser_fail(parser, SMP_E_RANGE, position, "this loop would never end");
    if (loop->step == 0)
        return smp_parser_fail(parser, SMP_E_RANGE, position, "the step is 0");
    loop->count = count_iterations(loop);
    if (loop->count == 0)
        return smp_parser_fail(parser, SMP_E_RANGE, position, "this loop has no iteration");
    if (loop->count > LOOP_COUNT_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %u iterations",
                               LOOP_COUNT_MAX);
    return true;
}

bool smp_loop_parse(smp_parser *parser, smp_layout *layout, unsigned line) {
    (void)line;
    smp_token name;
    size_t position = parser->token.position;
    if (layout->loop_count == SMP_LAYOUT_LOOPS_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d loops",
                               SMP_LAYOUT_LOOPS_MAX);
    smp_loop *loop = &layout->loops[layout->loop_count];
    *loop = (smp_loop){.slot = (uint16_t)layout->slot_count};
    bool is_c = smp_parser_accept(parser, '(');
    bool sound = is_c ? parse_c_loop(parser, layout, &name, loop)
                      : smp_new_name_parse(parser, layout, &name) &&
                            smp_parser_expect(parser, '=') && parse_range(parser, loop);
    if (!sound || !smp_parser_expect_end(parser) || !check_loop(parser, loop, position))
        return false;
    smp_symbol symbol = {
        .name = parser->text + name.position, .length = name.length, .slot = loop->slot};
    loop->name = symbol.name;
    loop->length = symbol.length;
    if (!smp_symbol_add(parser, layout, symbol, name.position))
        return false;
    layout->open_loops |= 1u << layout->loop_count++;
    layout->slot_count++;
    return true;
}

void smp_loop_close(smp_layout *layout) {
    uint32_t latest = 31u - (uint32_t)__builtin_clz(layout->open_loops);
    layout->open_loops &= ~(1u << latest);
    for (size_t i = 0; i < layout->scope.count; i++) {
        smp_symbol *symbol = &layout->scope.symbols[i];
        if (!symbol->is_constant && symbol->slot >= layout->loops[latest].slot)
            symbol->length = 0;
    }
}

smp_loop *smp_loop_latest(smp_layout *layout) {
    if (layout->open_loops == 0)
        return NULL;
    return &layout->loops[31u - (uint32_t)__builtin_clz(layout->open_loops)];
}
