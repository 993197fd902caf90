/* SPDX-License-Identifier: MIT */
/*
 * Integer arithmetic by recursive descent. Each step is checked against the range of signed or
 * unsigned 64-bit integers, so nothing wraps.
 */
#include "integer_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "launch_text.h"

enum { DEPTH_MOST = 64 };

typedef struct sign_row {
    char text[3];
    char means; /* l and r are the shifts */
    uint8_t level;
} sign_row;

static const sign_row signs[] = {
    {"<<", 'l', 1}, {">>", 'r', 1}, {"+", '+', 2}, {"-", '-', 2},
    {"*", '*', 3},  {"/", '/', 3},  {"%", '%', 3}, {"x", '*', 3},
};
enum { HIGHEST = 3 };

__int128 integer_refuse(integer_text *r, const char *what) {
    if (!r->wrong)
        r->wrong = what;
    return 0;
}

void integer_skip_blanks(integer_text *r) {
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool is_here(const integer_text *r, const char *what) {
    const size_t length = strlen(what);
    return (size_t)(r->end - r->at) >= length && memcmp(r->at, what, length) == 0;
}

static const sign_row *sign_here(const integer_text *r, unsigned level) {
    if (is_here(r, "->") || is_here(r, ">>>"))
        return NULL;
    return FIND(one, signs, sizeof signs / sizeof signs[0],
                one->level == level && is_here(r, one->text) && (one->text[0] != 'x' || r->has_x));
}

static __int128 apply(integer_text *r, char sign, __int128 a, __int128 b) {
    __int128 out = 0;
    bool is_large = false;
    if ((sign == '/' || sign == '%') && b == 0)
        return integer_refuse(r, "division by zero");
    if ((sign == 'l' || sign == 'r') && (b < 0 || b > 63))
        return integer_refuse(r, "shifts are by 0 to 63 bits");
    const bool has_rest = r->is_real && sign == '/' && a % b != 0;
    r->is_lost |= r->has_rest || (has_rest && (a < 0 || b < 0));
    r->has_rest |= has_rest;
    switch (sign) {
    case '+':
        out = a + b;
        break;
    case '-':
        out = a - b;
        break;
    case '/':
        out = a / b;
        break;
    case '%':
        out = a % b;
        break;
    case 'r':
        out = a >> b;
        break;
    default:
        is_large = __builtin_mul_overflow(a, sign == 'l' ? (__int128)1 << b : b, &out);
    }
    return is_large || out > UINT64_MAX || out < INT64_MIN
               ? integer_refuse(r, "the result does not fit 64 bits")
               : out;
}

/* Operators of this level and of the tighter binding ones. */
static __int128 read_sum(integer_text *r, unsigned level) {
    const sign_row *next;
    __int128 value = level > HIGHEST ? r->operand(r) : read_sum(r, level + 1);
    integer_skip_blanks(r);
    while (level <= HIGHEST && !r->wrong && (next = sign_here(r, level))) {
        const char *from = r->at;
        r->at += strlen(next->text);
        const __int128 right = read_sum(r, level + 1);
        if (!r->wrong && (value = apply(r, next->means, value, right), r->wrong))
            r->at = from; /* reports an error at the operator */
    }
    return value;
}

__int128 integer_read(integer_text *r) {
    return read_sum(r, 1);
}

/* ---- In a launch ---- */

static __int128 read_digits(integer_text *r) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(r->at, &end, 0);
    if (errno == ERANGE)
        return integer_refuse(r, "the number does not fit 64 bits");
    end += strspn(end, "uUlL");
    const bool goes_on = isalnum((unsigned char)*end) || *end == '_' || *end == '.';
    if (goes_on && *end != 'x') /* 32x8 belongs to the caller */
        return integer_refuse(r, "a decimal or hexadecimal integer is expected here");
    r->at = end;
    return (__int128)value;
}

static __int128 read_one(integer_text *r) {
    integer_skip_blanks(r);
    const char *from = r->at;
    if (isdigit((unsigned char)*from))
        return read_digits(r);
    if (*from != '(' && *from != '-' && *from != '+')
        return integer_refuse(r, isalpha((unsigned char)*from) || *from == '_'
                                     ? "a number is expected here; names have no value in a launch"
                                     : "a number is expected here");
    if (r->depth == DEPTH_MOST)
        return integer_refuse(r, "too many brackets and signs");
    r->at++;
    r->depth++;
    __int128 value = *from == '(' ? integer_read(r) : read_one(r);
    r->depth--;
    if (*from == '(' && !r->wrong) {
        if (*r->at != ')')
            return integer_refuse(r, "')' is expected here");
        r->at++;
    }
    return *from == '-' && !r->wrong ? apply(r, '-', 0, value) : value;
}

const char *smp_launch_integer(const char **text, bool has_x, __int128 *out) {
    integer_text r = {
        .at = *text, .end = *text + strlen(*text), .has_x = has_x, .operand = read_one};
    *out = integer_read(&r);
    *text = r.at;
    return r.wrong;
}
