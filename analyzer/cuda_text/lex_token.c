/* SPDX-License-Identifier: MIT */
/*
 * Tokens: C's integer literals (decimal, hexadecimal, octal, binary, digit separators, u and l
 * suffixes), floating-point literals, characters, strings, names and operators. Texts have a
 * known length, so NUL and bytes above 127 are ordinary errors.
 */
#include <stdio.h>
#include <string.h>

#include "lex.h"
#include "list.h"
#include "suggest.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(char c) {
    return is_name_start(c) || is_digit(c);
}

static int digit_value(char c) {
    const int lower = c | 0x20; /* of a letter */
    return is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

/* The base of the literal at text[*at]; moves *at past its prefix. */
static unsigned literal_base(const char *text, size_t length, size_t *at) {
    if (*at + 1 >= length || text[*at] != '0')
        return 10;
    char c = text[*at + 1];
    unsigned base = c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : is_name(c) ? 8 : 10;
    *at += base == 16 || base == 2 ? 2 : base == 8 ? 1 : 0;
    return base;
}

/* Parses a suffix of u, l and ll; false if it is not one. */
static bool literal_suffix(const char *text, size_t length, bool *is_unsigned, bool *is_long) {
    size_t u = 0, l = 0;
    for (size_t i = 0; i < length; i++) {
        u += text[i] == 'u' || text[i] == 'U';
        l += text[i] == 'l' || text[i] == 'L';
    }
    *is_unsigned = u == 1;
    *is_long = l > 0;
    bool together = l < 2 || length < 3 || text[1] == 'l' || text[1] == 'L';
    return u <= 1 && l <= 2 && u + l == length && together;
}

/* C's type of a literal: the first that holds it. Decimal literals are never unsigned. */
static ct_kind literal_kind(uint64_t value, unsigned base, bool is_unsigned, bool is_long) {
    const bool may_unsigned = is_unsigned || base != 10;
    return !is_long && !is_unsigned && value <= INT32_MAX    ? CT_I32
           : !is_long && may_unsigned && value <= UINT32_MAX ? CT_U32
           : !is_unsigned && value <= INT64_MAX              ? CT_I64
                                                             : CT_U64;
}

/* True at the x of "32x8", which is a token of its own. */
static bool is_times(const char *text, size_t length, size_t at) {
    return at + 1 < length && text[at] == 'x' && is_digit(text[at + 1]);
}

static void read_integer(const char *text, size_t length, ct_token *token) {
    size_t at = token->position;
    unsigned base = literal_base(text, length, &at);
    size_t digits = 0;
    uint64_t value = 0;
    bool overflow = false;
    for (; at < length; at++) {
        if (text[at] == '\'' && digits > 0)
            continue;
        int digit = digit_value(text[at]);
        if (digit >= (int)base)
            break;
        overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
        digits++;
    }
    size_t suffix = at;
    while (at < length && is_name(text[at]) && !is_times(text, length, suffix))
        at++;
    bool is_unsigned, is_long;
    bool sound = literal_suffix(text + suffix, at - suffix, &is_unsigned, &is_long) &&
                 (digits > 0 || base == 8);
    token->length = at - token->position;
    token->kind = CT_TOKEN_NUMBER;
    token->value = value;
    token->number_kind = literal_kind(value, base, is_unsigned, is_long);
    bool is_decimal = base == 10 && !is_unsigned;
    if (!sound || overflow || (is_decimal && value > INT64_MAX))
        token->kind = CT_TOKEN_BAD;
    if (sound && token->kind == CT_TOKEN_BAD)
        token->message = "number too large for 64 bits";
}

static size_t skip_digits(const char *text, size_t length, size_t at) {
    while (at < length && is_digit(text[at]))
        at++;
    return at;
}

/* Length of a literal such as "1.5f", "1e-3" or ".5", or 0. */
static size_t float_length(const char *text, size_t length, size_t start) {
    size_t at = skip_digits(text, length, start), digits = at - start;
    bool has_point = at < length && text[at] == '.', has_exponent = false;
    if (has_point) {
        size_t behind = skip_digits(text, length, at + 1);
        digits += behind - at - 1;
        at = behind;
    }
    if (digits > 0 && at < length && (text[at] == 'e' || text[at] == 'E')) {
        size_t sign = at + 1 < length && (text[at + 1] == '-' || text[at + 1] == '+');
        size_t behind = skip_digits(text, length, at + 1 + sign);
        has_exponent = behind > at + 1 + sign;
        at = has_exponent ? behind : at;
    }
    if (digits == 0 || (!has_point && !has_exponent))
        return 0;
    bool has_suffix = at < length && strchr("fFlL", text[at]) && text[at] != '\0';
    return at + has_suffix - start;
}

/* 'a' is a number, "..." a string. */
static void read_quoted(const char *text, size_t length, ct_token *token) {
    size_t at = token->position + 1;
    char quote = text[token->position];
    while (at < length && text[at] != quote && text[at] != '\n')
        at += text[at] == '\\' && at + 1 < length ? 2 : 1;
    bool is_closed = at < length && text[at] == quote;
    token->length = is_closed ? at + 1 - token->position : 1;
    token->kind = is_closed ? CT_TOKEN_STRING : CT_TOKEN_BAD;
    if (!is_closed || quote != '\'')
        return;
    static const char escapes[] = "0abtnvfr\\'\"", values[] = "\0\a\b\t\n\v\f\r\\'\"";
    const char *first = &text[token->position + 1];
    const char *escape = token->length == 4 && *first == '\\' ? strchr(escapes, first[1]) : NULL;
    const bool is_plain = escape || (token->length == 3 && *first > ' ' - 1);
    token->kind = is_plain ? CT_TOKEN_NUMBER : CT_TOKEN_BAD;
    token->value =
        escape ? (unsigned char)values[escape - escapes] : (is_plain ? (unsigned char)*first : 0);
    token->message = is_plain ? NULL : "only plain character literals are supported";
}

/* The longest matching operator. */
static void read_punct(const char *text, size_t length, ct_token *token) {
    static const char *const longer[] = {
        "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->",
        "::",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    const char *at = text + token->position;
    size_t left = length - token->position;
    token->kind = CT_TOKEN_PUNCT;
    for (size_t i = 0; i < CT_COUNT(longer); i++) {
        size_t size = strlen(longer[i]);
        if (left < size || memcmp(at, longer[i], size) != 0)
            continue;
        token->length = size;
        for (size_t k = 0; k < size; k++)
            token->code |= (uint32_t)(unsigned char)at[k] << (8 * k);
        return;
    }
    token->length = 1;
    token->code = CT_PUNCT1((unsigned char)at[0]);
    if (at[0] == '\0' || !strchr("+-*/%&|^~!<>?:()[]{}.,=;@", at[0]))
        token->kind = CT_TOKEN_BAD;
}

static void read_any(const char *text, size_t length, ct_token *token) {
    size_t at = token->position;
    size_t floating = is_digit(text[at]) || text[at] == '.' ? float_length(text, length, at) : 0;
    if (floating > 0) {
        token->kind = CT_TOKEN_FLOAT;
        token->length = floating;
    } else if (is_digit(text[at])) {
        read_integer(text, length, token);
    } else if (text[at] == '"' || text[at] == '\'') {
        read_quoted(text, length, token);
    } else if (at > 0 && is_digit(text[at - 1]) && is_times(text, length, at)) {
        token->kind = CT_TOKEN_PUNCT;
        token->code = 'x';
        token->length = 1;
    } else if (is_name_start(text[at])) {
        token->kind = CT_TOKEN_NAME;
        while (at < length && is_name(text[at]))
            at++;
        token->length = at - token->position;
    } else {
        read_punct(text, length, token);
    }
}

size_t ct_behind_blanks(const char *text, size_t length, size_t at) {
    while (at < length && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at;
}

ct_token ct_token_read(const char *text, size_t length, size_t position) {
    position = ct_behind_blanks(text, length, position);
    ct_token token = {.position = position, .end = position};
    if (position >= length)
        return token;
    read_any(text, length, &token);
    token.text = text + position;
    token.end = position + token.length;
    return token;
}

bool ct_token_is(const ct_token *token, const char *words) {
    for (const char *word = words; token->kind == CT_TOKEN_NAME && *word;) {
        const size_t length = strcspn(word, " ");
        if (length == token->length && memcmp(word, token->text, length) == 0)
            return true;
        word += length + (word[length] == ' ');
    }
    return false;
}

bool ct_token_is_one_of(const ct_token *token, const char *marks) {
    return token->code > 0 && token->code < 128 && strchr(marks, (int)token->code);
}

const char *ct_token_suggest(const ct_token *token, const char *const *words, size_t count) {
    char text[41];
    (void)snprintf(text, sizeof text, "%.*s", CT_TOKEN_TEXT(*token));
    return suggest(text, words, count);
}

bool ct_token_same(const ct_token *a, const ct_token *b) {
    return a->kind == CT_TOKEN_NAME && a->length == b->length &&
           memcmp(a->text, b->text, a->length) == 0;
}

static const ct_operator operators[] = {
    {'?', CT_POWER_CHOICE, CT_CODE_PICK},
    {CT_PUNCT2('|', '|'), CT_POWER_OR, CT_CODE_OR_END},
    {CT_PUNCT2('&', '&'), CT_POWER_AND, CT_CODE_AND_END},
    {'|', 4, CT_CODE_OR},
    {'^', 5, CT_CODE_XOR},
    {'&', 6, CT_CODE_AND},
    {CT_PUNCT2('=', '='), 7, CT_CODE_EQ},
    {CT_PUNCT2('!', '='), 7, CT_CODE_NE},
    {'<', 8, CT_CODE_LT},
    {CT_PUNCT2('<', '='), 8, CT_CODE_LE},
    {'>', 8, CT_CODE_GT},
    {CT_PUNCT2('>', '='), 8, CT_CODE_GE},
    {CT_PUNCT2('<', '<'), 9, CT_CODE_SHL},
    {CT_PUNCT2('>', '>'), 9, CT_CODE_SHR},
    {'+', 10, CT_CODE_ADD},
    {'-', 10, CT_CODE_SUB},
    {'*', 11, CT_CODE_MUL},
    {'/', 11, CT_CODE_DIV},
    {'%', 11, CT_CODE_MOD},
};

const ct_operator *ct_operator_find(uint32_t code) {
    return FIND(one, operators, CT_COUNT(operators), one->code == code);
}

bool ct_token_assigns(const ct_token *token) {
    return token->code != 0 && token->text[token->length - 1] == '=' &&
           !ct_operator_find(token->code);
}

ct_code_op ct_operator_op(const ct_token *token) {
    const unsigned behind = ct_token_assigns(token) ? 8 * ((unsigned)token->length - 1) : 32;
    const ct_operator *row =
        ct_operator_find(token->code & (uint32_t)((UINT64_C(1) << behind) - 1));
    return row ? (ct_code_op)row->op : CT_CODE_CONST;
}

bool ct_token_steps(const ct_token *token) {
    return token->code == CT_PUNCT2('+', '+') || token->code == CT_PUNCT2('-', '-');
}

uint32_t ct_scope_length(const ct_token *tokens, uint32_t at) {
    uint32_t count = 0;
    while (tokens[at + count].kind == CT_TOKEN_NAME &&
           tokens[at + count + 1].code == CT_PUNCT2(':', ':'))
        count += 2;
    return count;
}

uint32_t ct_behind(const ct_token *tokens, uint32_t at, const char *marks) {
    if (tokens[at].kind == CT_TOKEN_END || !ct_token_is_one_of(&tokens[at], marks))
        return at + (tokens[at].kind != CT_TOKEN_END);
    const uint32_t open = tokens[at].code, close = open == '(' ? ')' : open + 2;
    for (unsigned depth = 0; tokens[at].kind != CT_TOKEN_END; at++) {
        if (open == '<' && tokens[at].code == '(')
            at = ct_behind(tokens, at, "(") - 1;
        const bool is_shift = open == '<' && tokens[at].code == CT_PUNCT2('>', '>');
        depth += tokens[at].code == open;
        depth -= tokens[at].code == close;
        depth -= is_shift ? (depth > 1 ? 2 : depth) : 0;
        if (depth == 0)
            return at + 1;
    }
    return at;
}
