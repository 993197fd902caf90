/* SPDX-License-Identifier: MIT */
/*
 * Conditions behind #if, by C's rules for the preprocessor: every integer has 64 bits. A name has
 * the value of a constant that is declared outside, or none; what has none may stand where nothing
 * asks for it.
 */
#include "lex_macro.h"

enum { NESTED_MAX = 100 };

typedef struct number {
    uint64_t bits;
    bool is_unsigned, is_known;
} number;

typedef struct condition {
    const ct_source *source;
    const ct_token *tokens;
    uint32_t at, count;
    unsigned depth;
    bool is_sound;
} condition;

static number read_choice(condition *c);

static bool is_next(const condition *c, uint32_t code) {
    return c->at < c->count && ct_token_is_punct(&c->tokens[c->at], code);
}

static bool take(condition *c, uint32_t code) {
    const bool is_there = is_next(c, code);
    c->at += is_there;
    return is_there;
}

static number truth(bool value, bool is_known) {
    return (number){value, false, is_known};
}

static number fail(condition *c) {
    c->is_sound = false;
    return (number){0, false, false};
}

static number read_name(condition *c, const ct_token *token) {
    int64_t value = 0;
    if (ct_token_is(token, "true") || ct_token_is(token, "false"))
        return truth(token->length == 4, true);
    const ct_outside is = c->source->outside(c->source->user, token->word, &value);
    return (number){(uint64_t)value, false, is == CT_IS_VALUE};
}

static number read_operand(condition *c) {
    if (c->at >= c->count || c->depth > NESTED_MAX)
        return fail(c);
    const ct_token *token = &c->tokens[c->at++];
    if (token->kind == CT_TOKEN_NUMBER)
        return (number){token->value, token->number_kind == CT_U32 || token->number_kind == CT_U64,
                        true};
    if (token->kind == CT_TOKEN_NAME)
        return read_name(c, token);
    if (token->kind != CT_TOKEN_PUNCT)
        return fail(c);
    c->depth++;
    number value = token->code == '(' ? read_choice(c) : read_operand(c);
    c->depth--;
    switch (token->code) {
    case '(':
        return take(c, ')') ? value : fail(c);
    case '!':
        return truth(value.bits == 0, value.is_known);
    case '-':
        value.bits = 0 - value.bits;
        return value;
    case '~':
        value.bits = ~value.bits;
        return value;
    case '+':
        return value;
    default:
        return fail(c);
    }
}

/* Both are known. What wraps is computed without a sign; what has no value is not known. */
static number combine(ct_code_op op, number a, number b) {
    const bool compares = op >= CT_CODE_EQ && op <= CT_CODE_GE;
    const bool shifts = op == CT_CODE_SHL || op == CT_CODE_SHR;
    const bool is_unsigned = a.is_unsigned || (b.is_unsigned && !shifts);
    const bool wraps = op == CT_CODE_ADD || op == CT_CODE_SUB || op == CT_CODE_MUL;
    const uint8_t kind = is_unsigned || wraps ? CT_U64 : CT_I64;
    ct_expr_instruction items[] = {{.op = CT_CODE_CONST, .value = (int64_t)a.bits},
                                   {.op = CT_CODE_CONST, .value = (int64_t)b.bits},
                                   {.op = (uint8_t)op, .kind = kind}};
    const ct_expr_code code = {.count = 3, .items = items};
    int64_t value = 0;
    const bool is_known = ct_constant_run(&code, &(ct_program){.count = 3}, &value);
    return (number){(uint64_t)value, is_unsigned && !compares, is_known};
}

/* && and || ask for their right side only where the left one does not decide. */
static number join(ct_code_op op, number a, number b) {
    if (op == CT_CODE_AND_END)
        return a.is_known && a.bits == 0 ? truth(false, true)
                                         : truth(b.bits != 0, a.is_known && b.is_known);
    if (op == CT_CODE_OR_END)
        return a.is_known && a.bits != 0 ? truth(true, true)
                                         : truth(b.bits != 0, a.is_known && b.is_known);
    return a.is_known && b.is_known ? combine(op, a, b) : (number){0, false, false};
}

static number read_binary(condition *c, unsigned power) {
    number left = read_operand(c);
    const ct_operator *row;
    while (c->is_sound && c->at < c->count && (row = ct_operator_find(&c->tokens[c->at])) != NULL &&
           row->power >= power) {
        c->at++;
        left = join((ct_code_op)row->op, left, read_binary(c, row->power + 1u));
    }
    return left;
}

static number read_choice(condition *c) {
    const number asked = read_binary(c, CT_POWER_OR);
    if (!c->is_sound || !take(c, '?'))
        return asked;
    c->depth++;
    const number yes = read_choice(c);
    if (!take(c, ':'))
        return fail(c);
    const number no = read_choice(c);
    c->depth--;
    number out = asked.bits != 0 ? yes : no;
    out.is_known &= asked.is_known;
    out.is_unsigned = yes.is_unsigned || no.is_unsigned;
    return out;
}

bool ct_condition_value(const ct_source *source, const ct_token *tokens, uint32_t count,
                        int64_t *value) {
    condition c = {.source = source, .tokens = tokens, .count = count, .is_sound = true};
    const number out = read_choice(&c);
    *value = (int64_t)out.bits;
    return c.is_sound && out.is_known && c.at == count;
}
