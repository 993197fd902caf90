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
    const ct_outside is = c->source->outside(c->source->user, token->text, token->length, &value);
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

static bool is_less(number a, number b) {
    return a.is_unsigned || b.is_unsigned ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits;
}

static number divide(uint32_t code, number a, number b) {
    const bool is_unsigned = a.is_unsigned || b.is_unsigned;
    const bool is_over = !is_unsigned && (int64_t)a.bits == INT64_MIN && (int64_t)b.bits == -1;
    if (b.bits == 0 || is_over)
        return (number){0, is_unsigned, false};
    if (is_unsigned)
        return (number){code == '/' ? a.bits / b.bits : a.bits % b.bits, true, true};
    const int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
    return (number){(uint64_t)(code == '/' ? x / y : x % y), false, true};
}

static number shift(uint32_t code, number a, number b) {
    if (b.bits >= 64)
        return (number){0, a.is_unsigned, false};
    if (code == CT_PUNCT2('<', '<'))
        a.bits <<= b.bits;
    else
        a.bits = a.is_unsigned ? a.bits >> b.bits : (uint64_t)((int64_t)a.bits >> b.bits);
    return a;
}

/* Both are known. */
static number combine(uint32_t code, number a, number b) {
    number out = {0, a.is_unsigned || b.is_unsigned, true};
    switch (code) {
    case CT_PUNCT2('=', '='):
        return truth(a.bits == b.bits, true);
    case CT_PUNCT2('!', '='):
        return truth(a.bits != b.bits, true);
    case '<':
        return truth(is_less(a, b), true);
    case '>':
        return truth(is_less(b, a), true);
    case CT_PUNCT2('<', '='):
        return truth(!is_less(b, a), true);
    case CT_PUNCT2('>', '='):
        return truth(!is_less(a, b), true);
    case CT_PUNCT2('<', '<'):
    case CT_PUNCT2('>', '>'):
        return shift(code, a, b);
    case '/':
    case '%':
        return divide(code, a, b);
    default:
        out.bits = code == '|'   ? a.bits | b.bits
                   : code == '^' ? a.bits ^ b.bits
                   : code == '&' ? a.bits & b.bits
                   : code == '+' ? a.bits + b.bits
                   : code == '-' ? a.bits - b.bits
                                 : a.bits * b.bits;
        return out;
    }
}

/* && and || ask for their right side only where the left one does not decide. */
static number join(uint32_t code, number a, number b) {
    if (code == CT_PUNCT2('&', '&'))
        return a.is_known && a.bits == 0 ? truth(false, true)
                                         : truth(b.bits != 0, a.is_known && b.is_known);
    if (code == CT_PUNCT2('|', '|'))
        return a.is_known && a.bits != 0 ? truth(true, true)
                                         : truth(b.bits != 0, a.is_known && b.is_known);
    return a.is_known && b.is_known ? combine(code, a, b) : (number){0, false, false};
}

static number read_binary(condition *c, unsigned power) {
    number left = read_operand(c);
    const ct_operator *row;
    while (c->is_sound && c->at < c->count && (row = ct_operator_find(&c->tokens[c->at])) != NULL &&
           row->power >= power) {
        c->at++;
        left = join(row->code, left, read_binary(c, row->power + 1u));
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
