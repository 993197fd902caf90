/* SPDX-License-Identifier: MIT */
/*
 * Tokens of the expression language: C's integer literals (decimal, hexadecimal, octal, binary,
 * digit separators, u and l suffixes), names, and operators of up to two characters. Bytes are
 * looked at one by one with their length known, so NUL and bytes above 127 are ordinary errors.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expr.h"

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
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

bool smp_parser_fail(smp_parser *parser, smp_status status, size_t position, const char *format,
                     ...) {
    if (parser->status != SMP_OK)
        return false;
    char message[sizeof parser->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    parser->status = smp_error_set(parser->error, status, (int)position, "%s", message);
    return false;
}

/* The base of the literal at text[at]; *at is moved behind its prefix. */
static unsigned literal_base(const smp_parser *parser, size_t *at) {
    if (*at + 1 >= parser->length || parser->text[*at] != '0')
        return 10;
    char c = parser->text[*at + 1];
    unsigned base = c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : is_name(c) ? 8 : 10;
    *at += base == 16 || base == 2 ? 2 : base == 8 ? 1 : 0;
    return base;
}

/* Suffixes u, l, ll in C's combinations. False if `length` characters are none of them. */
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

/* C's type of a literal: the first that holds it; a decimal one is never made unsigned. */
static smp_kind literal_kind(uint64_t value, unsigned base, bool is_unsigned, bool is_long) {
    bool may_unsigned = is_unsigned || base != 10;
    if (!is_long && !is_unsigned && value <= INT32_MAX)
        return SMP_I32;
    if (!is_long && may_unsigned && value <= UINT32_MAX)
        return SMP_U32;
    if (!is_unsigned && value <= INT64_MAX)
        return SMP_I64;
    return SMP_U64;
}

/* The x of "32x8": the number ends before it. */
static bool is_times(const smp_parser *parser, size_t at) {
    return at + 1 < parser->length && parser->text[at] == 'x' && is_digit(parser->text[at + 1]);
}

static void lex_number(smp_parser *parser, smp_token *token) {
    size_t at = token->position;
    unsigned base = literal_base(parser, &at);
    size_t digits = 0;
    uint64_t value = 0;
    bool overflow = false;
    for (; at < parser->length; at++) {
        if (parser->text[at] == '\'' && digits > 0)
            continue;
        int digit = digit_value(parser->text[at]);
        if (digit >= (int)base)
            break;
        overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
        digits++;
    }
    size_t suffix = at;
    while (at < parser->length && is_name(parser->text[at]) && !is_times(parser, suffix))
        at++;
    bool is_unsigned, is_long;
    bool sound = literal_suffix(parser->text + suffix, at - suffix, &is_unsigned, &is_long) &&
                 (digits > 0 || base == 8);
    token->length = at - token->position;
    token->kind = SMP_TOKEN_NUMBER;
    token->value = value;
    token->number_kind = literal_kind(value, base, is_unsigned, is_long);
    bool is_decimal = base == 10 && !is_unsigned;
    if (!sound)
        token->kind = SMP_TOKEN_BAD;
    else if (overflow || (is_decimal && value > INT64_MAX))
        token->code = 1;
}

static void lex_punct(const smp_parser *parser, smp_token *token) {
    static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "::"};
    const char *at = parser->text + token->position;
    size_t left = parser->length - token->position;
    token->kind = SMP_TOKEN_PUNCT;
    for (size_t i = 0; left >= 2 && i < sizeof pairs / sizeof pairs[0]; i++) {
        if (at[0] != pairs[i][0] || at[1] != pairs[i][1])
            continue;
        token->length = 2;
        token->code = SMP_PUNCT2(at[0], at[1]);
        return;
    }
    token->length = 1;
    token->code = SMP_PUNCT1((unsigned char)at[0]);
    if (at[0] == '\0' || strchr("+-*/%&|^~!<>?:()[]{}.,=;@", at[0]) == NULL)
        token->kind = SMP_TOKEN_BAD;
}

/* Reads the token at or after `position`. */
static smp_token lex(smp_parser *parser, size_t position) {
    const char *text = parser->text;
    while (position < parser->length && (text[position] == ' ' || text[position] == '\t'))
        position++;
    smp_token token = {.position = position};
    if (position >= parser->length)
        return token;
    if (is_digit(text[position])) {
        lex_number(parser, &token);
    } else if (is_name_start(text[position])) {
        token.kind = SMP_TOKEN_NAME;
        while (position < parser->length && is_name(text[position]))
            position++;
        token.length = position - token.position;
    } else {
        lex_punct(parser, &token);
    }
    return token;
}

/* Turns a token that cannot be read into the error that says so. */
static void refuse(smp_parser *parser) {
    const smp_token *token = &parser->token;
    unsigned char c = token->length > 0 ? (unsigned char)parser->text[token->position] : 0;
    if (token->kind == SMP_TOKEN_NUMBER && token->code != 0)
        smp_parser_fail(parser, SMP_E_OVERFLOW, token->position, "number too large for 64 bits");
    if (token->kind != SMP_TOKEN_BAD)
        return;
    if (is_digit((char)c))
        smp_parser_fail(parser, SMP_E_SYNTAX, token->position, "'%.*s' is not an integer",
                        SMP_TOKEN_TEXT(parser, *token));
    else if (c < 32 || c > 126)
        smp_parser_fail(parser, SMP_E_SYNTAX, token->position, "byte 0x%02x does not belong here",
                        c);
    else
        smp_parser_fail(parser, SMP_E_SYNTAX, token->position, "'%c' does not belong here", c);
}

void smp_parser_seek(smp_parser *parser, size_t position) {
    parser->token = lex(parser, position);
    refuse(parser);
    if (parser->status != SMP_OK)
        parser->token = (smp_token){.position = parser->token.position};
}

void smp_parser_init(smp_parser *parser, const char *text, size_t length, const smp_scope *scope,
                     smp_code *code, smp_error *error) {
    *parser =
        (smp_parser){.text = text, .length = length, .scope = scope, .code = code, .error = error};
    smp_parser_seek(parser, 0);
}

void smp_parser_next(smp_parser *parser) {
    smp_parser_seek(parser, parser->token.position + parser->token.length);
}

smp_token smp_parser_peek(const smp_parser *parser) {
    smp_parser copy = *parser;
    copy.error = NULL;
    smp_parser_next(&copy);
    return copy.token;
}

bool smp_parser_is(const smp_parser *parser, uint32_t punct) {
    return parser->token.kind == SMP_TOKEN_PUNCT && parser->token.code == punct;
}

bool smp_token_is_name(const smp_parser *parser, const smp_token *token, const char *name) {
    return token->kind == SMP_TOKEN_NAME && strlen(name) == token->length &&
           memcmp(parser->text + token->position, name, token->length) == 0;
}

bool smp_parser_is_name(const smp_parser *parser, const char *name) {
    return smp_token_is_name(parser, &parser->token, name);
}

bool smp_parser_accept(smp_parser *parser, uint32_t punct) {
    if (!smp_parser_is(parser, punct))
        return false;
    smp_parser_next(parser);
    return true;
}

bool smp_parser_accept_name(smp_parser *parser, const char *name) {
    if (!smp_parser_is_name(parser, name))
        return false;
    smp_parser_next(parser);
    return true;
}

const char *smp_token_copy(const smp_parser *parser, const smp_token *token, char *out,
                           size_t size) {
    size_t length = token->length < size ? token->length : size - 1;
    memcpy(out, parser->text + token->position, length);
    out[length] = '\0';
    return out;
}

/* "expected ... instead of ..." at the current token. */
static bool fail_expected(smp_parser *parser, const char *what) {
    if (parser->token.kind == SMP_TOKEN_END)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "expected %s, but the text ends here", what);
    return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                           "expected %s instead of '%.*s'", what,
                           SMP_TOKEN_TEXT(parser, parser->token));
}

bool smp_parser_expect(smp_parser *parser, uint32_t punct) {
    if (smp_parser_accept(parser, punct))
        return parser->status == SMP_OK;
    char what[8];
    snprintf(what, sizeof what, "'%c%.1s'", (char)(punct & 0xff), (char[]){(char)(punct >> 8), 0});
    return fail_expected(parser, what);
}

bool smp_parser_expect_end(smp_parser *parser) {
    smp_parser_accept(parser, ';');
    if (parser->token.kind == SMP_TOKEN_END)
        return parser->status == SMP_OK;
    return fail_expected(parser, "an operator or the end of the line");
}
