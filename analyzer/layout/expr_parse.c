/* SPDX-License-Identifier: MIT */
/*
 * Operator-precedence (Pratt) parser for expressions. It keeps no tree: as every operand knows its
 * type when it has been read, and a conversion is only a matter of how the operator reads
 * its operands, code is appended while parsing. Constant operations are folded on the way.
 */
#include <string.h>

#include "expr.h"
#include "type.h"

typedef struct infix_row {
    uint32_t code;
    uint8_t power; /* binds stronger than all smaller ones */
    uint8_t op;    /* smp_code_op */
} infix_row;

enum {
    POWER_CHOICE = 1,
    POWER_OR,
    POWER_AND,
    POWER_SHIFT = 9,
    POWER_PRODUCT = 11,
    POWER_COMPARE_FIRST = 7
};

static const infix_row infixes[] = {
    {SMP_PUNCT1('?'), POWER_CHOICE, SMP_CODE_PICK},
    {SMP_PUNCT2('|', '|'), POWER_OR, SMP_CODE_OR_END},
    {SMP_PUNCT2('&', '&'), POWER_AND, SMP_CODE_AND_END},
    {SMP_PUNCT1('|'), 4, SMP_CODE_OR},
    {SMP_PUNCT1('^'), 5, SMP_CODE_XOR},
    {SMP_PUNCT1('&'), 6, SMP_CODE_AND},
    {SMP_PUNCT2('=', '='), 7, SMP_CODE_EQ},
    {SMP_PUNCT2('!', '='), 7, SMP_CODE_NE},
    {SMP_PUNCT1('<'), 8, SMP_CODE_LT},
    {SMP_PUNCT2('<', '='), 8, SMP_CODE_LE},
    {SMP_PUNCT1('>'), 8, SMP_CODE_GT},
    {SMP_PUNCT2('>', '='), 8, SMP_CODE_GE},
    {SMP_PUNCT2('<', '<'), POWER_SHIFT, SMP_CODE_SHL},
    {SMP_PUNCT2('>', '>'), POWER_SHIFT, SMP_CODE_SHR},
    {SMP_PUNCT1('+'), 10, SMP_CODE_ADD},
    {SMP_PUNCT1('-'), 10, SMP_CODE_SUB},
    {SMP_PUNCT1('*'), 11, SMP_CODE_MUL},
    {SMP_PUNCT1('/'), 11, SMP_CODE_DIV},
    {SMP_PUNCT1('%'), 11, SMP_CODE_MOD},
};

static bool parse_binary(smp_parser *parser, unsigned power, smp_kind *kind);

static smp_kind common_kind(smp_kind a, smp_kind b) {
    return a > b ? a : b;
}

/* ---- Emission -------------------------------------------------------------------------- */

static bool foldable(const smp_parser *parser, const smp_instruction *instruction,
                     unsigned operands) {
    const smp_code *code = parser->code;
    bool computes = instruction->op > SMP_CODE_SLOT && instruction->op <= SMP_CODE_LAST_BINARY;
    if (!computes || code->count < operands)
        return false;
    for (unsigned i = 1; i <= operands; i++) {
        if (code->items[code->count - i].op != SMP_CODE_CONST)
            return false;
    }
    return true;
}

/* Replaces the last operation and its constant operands by its value. One that fails stays, for
 * it matters only if a lane gets there. */
static void fold(smp_parser *parser, unsigned operands) {
    smp_code *code = parser->code;
    smp_program program = {.start = code->count - operands - 1, .count = operands + 1};
    smp_lanes_value value;
    if (smp_program_run(code, &program, NULL, 1, value, NULL) != SMP_OK)
        return;
    code->count = program.start;
    code->items[code->count++] = (smp_instruction){.op = SMP_CODE_CONST, .value = value[0]};
}

bool smp_emit(smp_parser *parser, smp_instruction instruction, unsigned operands) {
    if (parser->status != SMP_OK)
        return false;
    size_t position = (size_t)instruction.position;
    if (parser->code->count == SMP_EXPR_CODE_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, position,
                               "more than %d operations in all expressions", SMP_EXPR_CODE_MAX);
    parser->stack = parser->stack - operands + 1;
    if (parser->stack >= SMP_EXPR_STACK_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, position, "expression nested too deeply");
    bool folds = operands > 0 && foldable(parser, &instruction, operands);
    parser->code->items[parser->code->count++] = instruction;
    if (folds)
        fold(parser, operands);
    return true;
}

static bool emit_op(smp_parser *parser, smp_code_op op, smp_kind kind, size_t position,
                    unsigned operands) {
    smp_instruction instruction = {
        .op = (uint8_t)op, .kind = (uint8_t)kind, .position = (int32_t)position};
    return smp_emit(parser, instruction, operands);
}

static bool emit_constant(smp_parser *parser, int64_t value, size_t position) {
    smp_instruction instruction = {
        .op = SMP_CODE_CONST, .value = value, .position = (int32_t)position};
    return smp_emit(parser, instruction, 0);
}

static bool emit_slot(smp_parser *parser, uint16_t slot, size_t position) {
    smp_instruction instruction = {
        .op = SMP_CODE_SLOT, .slot = slot, .position = (int32_t)position};
    parser->slots |= UINT64_C(1) << slot;
    return smp_emit(parser, instruction, 0);
}

bool smp_expr_cast(smp_parser *parser, smp_integer_type type, size_t position, smp_kind *kind) {
    smp_instruction instruction = {.op = SMP_CODE_CAST,
                                   .slot = type.bits,
                                   .kind = type.is_signed ? SMP_I64 : SMP_U64,
                                   .position = (int32_t)position};
    *kind = type.bits < 32    ? SMP_I32
            : type.bits == 32 ? (type.is_signed ? SMP_I32 : SMP_U32)
                              : (type.is_signed ? SMP_I64 : SMP_U64);
    return smp_emit(parser, instruction, 1);
}

/* ---- Operands -------------------------------------------------------------------------- */

static bool parse_member(smp_parser *parser, const smp_token *name, uint16_t slot,
                         unsigned dimensions) {
    if (dimensions == 1)
        return emit_slot(parser, slot, name->position);
    static const char *const members[] = {"x", "y", "z"};
    bool has_point = smp_parser_accept(parser, '.');
    for (unsigned i = 0; has_point && i < dimensions; i++) {
        if (smp_parser_accept_name(parser, members[i]))
            return emit_slot(parser, (uint16_t)(slot + i), name->position);
    }
    return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "%.*s needs .x, .y or .z",
                           SMP_TOKEN_TEXT(parser, *name));
}

static bool parse_call(smp_parser *parser, const smp_token *name, const smp_function *function,
                       smp_kind *kind) {
    if (!smp_parser_expect(parser, '('))
        return false;
    smp_kind kinds[2] = {SMP_I32, SMP_I32};
    for (unsigned i = 0; i < function->arguments; i++) {
        if (i > 0 && !smp_parser_expect(parser, ','))
            return false;
        if (!parse_binary(parser, POWER_CHOICE, &kinds[i]))
            return false;
    }
    smp_kind computed = common_kind(kinds[0], kinds[1]);
    if (function->bits != 0)
        computed = function->bits == 64 ? SMP_U64 : SMP_U32;
    bool counts = function->bits != 0 && function->op != SMP_CODE_BREV;
    *kind = counts ? SMP_I32 : computed;
    return smp_parser_expect(parser, ')') &&
           emit_op(parser, function->op, computed, name->position, function->arguments);
}

static bool fail_unknown(smp_parser *parser, const smp_token *name) {
    if (smp_parser_is(parser, '['))
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position,
                               "the values of '%.*s' are data and unknown here: write an "
                               "expression of the thread in its place",
                               SMP_TOKEN_TEXT(parser, *name));
    return smp_parser_fail(parser, SMP_E_SYNTAX, name->position,
                           "unknown name '%.*s' (a constant comes from 'define')",
                           SMP_TOKEN_TEXT(parser, *name));
}

/* A name that is neither a type nor a cast; it is still the current token. */
static bool parse_name(smp_parser *parser, smp_kind *kind) {
    smp_token name = parser->token;
    const char *text = parser->text + name.position;
    smp_parser_next(parser);
    const smp_symbol *symbol = smp_scope_find(parser->scope, text, name.length);
    if (symbol) {
        *kind = symbol->kind;
        return symbol->is_constant ? emit_constant(parser, symbol->value, name.position)
                                   : emit_slot(parser, symbol->slot, name.position);
    }
    uint16_t slot;
    unsigned dimensions;
    if (smp_builtin_find(text, name.length, &slot, &dimensions)) {
        *kind = SMP_U32;
        return parse_member(parser, &name, slot, dimensions);
    }
    *kind = SMP_I32;
    if (smp_token_is_name(parser, &name, "warpSize"))
        return emit_constant(parser, SMP_LANES, name.position);
    if (smp_token_is_name(parser, &name, "true") || smp_token_is_name(parser, &name, "false"))
        return emit_constant(parser, name.length == 4, name.position);
    const smp_function *function = smp_function_find(text, name.length);
    if (function)
        return parse_call(parser, &name, function, kind);
    return fail_unknown(parser, &name);
}

/* int(x), static_cast<int>(x). */
static bool parse_function_cast(smp_parser *parser, smp_kind *kind) {
    size_t position = parser->token.position;
    bool is_static = smp_parser_accept_name(parser, "static_cast");
    smp_integer_type type;
    smp_kind operand;
    if (is_static && !smp_parser_expect(parser, '<'))
        return false;
    if (!smp_integer_type_parse(parser, &type))
        return false;
    if (is_static && !smp_parser_expect(parser, '>'))
        return false;
    return smp_parser_expect(parser, '(') && parse_binary(parser, POWER_CHOICE, &operand) &&
           smp_parser_expect(parser, ')') && smp_expr_cast(parser, type, position, kind);
}

static bool parse_unary(smp_parser *parser, smp_kind *kind);

/* "( ... )": a cast or a nested expression. */
static bool parse_parenthesis(smp_parser *parser, smp_kind *kind) {
    size_t position = parser->token.position;
    smp_parser_next(parser);
    if (smp_integer_type_starts(parser)) {
        smp_token after = smp_parser_peek(parser);
        bool is_call = after.kind == SMP_TOKEN_PUNCT && after.code == '(';
        smp_integer_type type;
        smp_kind operand;
        if (!is_call)
            return smp_integer_type_parse(parser, &type) && smp_parser_expect(parser, ')') &&
                   parse_unary(parser, &operand) && smp_expr_cast(parser, type, position, kind);
    }
    return parse_binary(parser, POWER_CHOICE, kind) && smp_parser_expect(parser, ')');
}

static bool parse_sizeof(smp_parser *parser, smp_kind *kind) {
    size_t position = parser->token.position;
    smp_parser_next(parser);
    const smp_type *type = NULL;
    *kind = SMP_U64;
    return smp_parser_expect(parser, '(') && smp_type_parse(parser, NULL, &type) &&
           smp_parser_expect(parser, ')') && emit_constant(parser, type->size, position);
}

static bool parse_primary(smp_parser *parser, smp_kind *kind) {
    smp_token token = parser->token;
    if (token.kind == SMP_TOKEN_NUMBER) {
        smp_parser_next(parser);
        *kind = token.number_kind;
        return emit_constant(parser, (int64_t)token.value, token.position);
    }
    if (smp_parser_is(parser, '('))
        return parse_parenthesis(parser, kind);
    if (smp_parser_is_name(parser, "sizeof"))
        return parse_sizeof(parser, kind);
    if (smp_parser_is_name(parser, "static_cast") || smp_integer_type_starts(parser))
        return parse_function_cast(parser, kind);
    if (token.kind == SMP_TOKEN_NAME)
        return parse_name(parser, kind);
    if (token.kind == SMP_TOKEN_END)
        return smp_parser_fail(parser, SMP_E_SYNTAX, token.position,
                               "expected a value, but the text ends here");
    return smp_parser_fail(parser, SMP_E_SYNTAX, token.position, "expected a value before '%.*s'",
                           SMP_TOKEN_TEXT(parser, token));
}

static bool parse_prefix(smp_parser *parser, smp_kind *kind) {
    size_t position = parser->token.position;
    uint32_t code = parser->token.kind == SMP_TOKEN_PUNCT ? parser->token.code : 0;
    bool is_prefix = code == '-' || code == '+' || code == '~' || code == '!';
    if (!is_prefix)
        return parse_primary(parser, kind);
    smp_parser_next(parser);
    if (!parse_unary(parser, kind))
        return false;
    if (code == '+')
        return true;
    smp_code_op op = code == '-' ? SMP_CODE_NEG : code == '~' ? SMP_CODE_NOT : SMP_CODE_LOGIC_NOT;
    smp_kind computed = *kind;
    if (code == '!')
        *kind = SMP_I32;
    return emit_op(parser, op, computed, position, 1);
}

/* Counts the nesting, so that no text can exhaust the stack. */
static bool enter(smp_parser *parser) {
    if (parser->status != SMP_OK)
        return false;
    if (parser->depth >= SMP_EXPR_DEPTH_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                               "expression nested too deeply");
    parser->depth++;
    return true;
}

static bool parse_unary(smp_parser *parser, smp_kind *kind) {
    if (!enter(parser))
        return false;
    bool sound = parse_prefix(parser, kind);
    parser->depth--;
    return sound;
}

/* ---- Operators ------------------------------------------------------------------------- */

static const infix_row *find_infix(const smp_parser *parser) {
    if (parser->token.kind != SMP_TOKEN_PUNCT)
        return NULL;
    for (size_t i = 0; i < sizeof infixes / sizeof infixes[0]; i++) {
        if (infixes[i].code == parser->token.code)
            return &infixes[i];
    }
    return NULL;
}

/* c ? a : b, after c; right-associative. */
static bool parse_choice(smp_parser *parser, smp_kind *kind) {
    size_t position = parser->token.position;
    smp_kind condition = *kind, a, b;
    smp_parser_next(parser);
    if (!emit_op(parser, SMP_CODE_THEN, condition, position, 1) ||
        !parse_binary(parser, POWER_CHOICE, &a) || !smp_parser_expect(parser, ':') ||
        !emit_op(parser, SMP_CODE_ELSE, SMP_I32, position, 1) ||
        !parse_binary(parser, POWER_CHOICE, &b))
        return false;
    *kind = common_kind(a, b);
    return emit_op(parser, SMP_CODE_PICK, *kind, position, 3);
}

/* && and ||, after the left side. */
static bool parse_logic(smp_parser *parser, const infix_row *row, smp_kind *kind) {
    size_t position = parser->token.position;
    smp_code_op begin = row->op == SMP_CODE_AND_END ? SMP_CODE_AND_BEGIN : SMP_CODE_OR_BEGIN;
    smp_kind right;
    smp_parser_next(parser);
    if (!emit_op(parser, begin, *kind, position, 1) ||
        !parse_binary(parser, row->power + 1u, &right))
        return false;
    *kind = SMP_I32;
    return emit_op(parser, (smp_code_op)row->op, SMP_I32, position, 2);
}

static bool parse_infix(smp_parser *parser, const infix_row *row, smp_kind *kind) {
    if (row->power == POWER_CHOICE)
        return parse_choice(parser, kind);
    if (row->power <= POWER_AND)
        return parse_logic(parser, row, kind);
    size_t position = parser->token.position;
    smp_kind right;
    smp_parser_next(parser);
    if (!parse_binary(parser, row->power + 1u, &right))
        return false;
    smp_kind computed = row->power == POWER_SHIFT ? *kind : common_kind(*kind, right);
    bool compares = row->power >= POWER_COMPARE_FIRST && row->power < POWER_SHIFT;
    *kind = compares ? SMP_I32 : computed;
    return emit_op(parser, (smp_code_op)row->op, computed, position, 2);
}

static bool parse_operators(smp_parser *parser, unsigned power, smp_kind *kind) {
    if (!parse_unary(parser, kind))
        return false;
    for (;;) {
        const infix_row *row = find_infix(parser);
        if (!row || row->power < power)
            return parser->status == SMP_OK;
        if (!parse_infix(parser, row, kind))
            return false;
    }
}

static bool parse_binary(smp_parser *parser, unsigned power, smp_kind *kind) {
    if (!enter(parser))
        return false;
    bool sound = parse_operators(parser, power, kind);
    parser->depth--;
    return sound;
}

/* ---- Whole expressions ------------------------------------------------------------------ */

bool smp_expr_parse(smp_parser *parser, smp_kind *kind) {
    return parse_binary(parser, POWER_CHOICE, kind);
}

bool smp_expr_term(smp_parser *parser, smp_kind *kind) {
    return parse_binary(parser, POWER_PRODUCT, kind);
}

bool smp_expr_program(smp_parser *parser, smp_program *out) {
    *out = (smp_program){.start = parser->code->count};
    parser->stack = 0;
    parser->slots = 0;
    if (!smp_expr_parse(parser, &out->kind))
        return false;
    out->count = parser->code->count - out->start;
    out->slots = parser->slots;
    return true;
}

bool smp_expr_constant(smp_parser *parser, int64_t *value, smp_kind *kind) {
    size_t position = parser->token.position;
    smp_program program;
    if (!smp_expr_program(parser, &program))
        return false;
    if (program.slots != 0)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "this must be a constant, but differs between threads or blocks");
    smp_lanes_value lanes;
    smp_status status = smp_program_run(parser->code, &program, NULL, 1, lanes, parser->error);
    parser->code->count = program.start;
    if (status != SMP_OK) {
        parser->status = status;
        return false;
    }
    *value = lanes[0];
    *kind = program.kind;
    return true;
}

bool smp_expr_constant_in(smp_parser *parser, const char *what, int64_t least, int64_t most,
                          int64_t *value) {
    size_t position = parser->token.position;
    smp_kind kind;
    if (!smp_expr_constant(parser, value, &kind))
        return false;
    bool huge = kind == SMP_U64 && *value < 0;
    if (!huge && *value >= least && *value <= most)
        return true;
    if (huge)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, position, "%s is too large (at most %lld)",
                               what, (long long)most);
    return smp_parser_fail(parser, SMP_E_OVERFLOW, position, "%s is %lld, but must be %lld to %lld",
                           what, (long long)*value, (long long)least, (long long)most);
}
