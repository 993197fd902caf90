/* SPDX-License-Identifier: MIT */
/*
 * Integer arithmetic by recursive descent. Each step is checked against the range of signed or
 * unsigned 64-bit integers, so nothing wraps.
 */
#include "launch_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 64 };

typedef struct reader {
    const char *at;
    const char *wrong; /* NULL: no error so far */
    bool has_x;
    unsigned depth;
} reader;

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

static __int128 refuse(reader *r, const char *what) {
    if (!r->wrong)
        r->wrong = what;
    return 0;
}

static void skip_blanks(reader *r) {
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static const sign_row *sign_here(const reader *r, unsigned level) {
    if (strncmp(r->at, "->", 2) == 0 || strncmp(r->at, ">>>", 3) == 0)
        return NULL;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (signs[i].level == level && strncmp(r->at, signs[i].text, strlen(signs[i].text)) == 0 &&
            (signs[i].text[0] != 'x' || r->has_x))
            return &signs[i];
    return NULL;
}

static __int128 apply(reader *r, char sign, __int128 a, __int128 b) {
    __int128 out = 0;
    bool is_large = false;
    if ((sign == '/' || sign == '%') && b == 0)
        return refuse(r, "division by zero");
    if ((sign == 'l' || sign == 'r') && (b < 0 || b > 63))
        return refuse(r, "shifts are by 0 to 63 bits");
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
               ? refuse(r, "the result does not fit 64 bits")
               : out;
}

static __int128 read_sum(reader *r, unsigned level);

static __int128 read_digits(reader *r) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(r->at, &end, 0);
    if (errno == ERANGE)
        return refuse(r, "the number does not fit 64 bits");
    end += strspn(end, "uUlL");
    const bool goes_on = isalnum((unsigned char)*end) || *end == '_' || *end == '.';
    if (goes_on && *end != 'x') /* 32x8 belongs to the caller */
        return refuse(r, "a decimal or hexadecimal integer is expected here");
    r->at = end;
    return (__int128)value;
}

static __int128 read_one(reader *r) {
    skip_blanks(r);
    const char *from = r->at;
    if (isdigit((unsigned char)*from))
        return read_digits(r);
    if (*from != '(' && *from != '-' && *from != '+')
        return refuse(r, isalpha((unsigned char)*from) || *from == '_'
                             ? "a number is expected here; names have no value in a launch"
                             : "a number is expected here");
    if (r->depth == DEPTH_MOST)
        return refuse(r, "too many brackets and signs");
    r->at++;
    r->depth++;
    __int128 value = *from == '(' ? read_sum(r, 1) : read_one(r);
    r->depth--;
    if (*from == '(' && !r->wrong) {
        if (*r->at != ')')
            return refuse(r, "')' is expected here");
        r->at++;
    }
    return *from == '-' && !r->wrong ? apply(r, '-', 0, value) : value;
}

/* Operators of this level and of the tighter binding ones. */
static __int128 read_sum(reader *r, unsigned level) {
    const sign_row *next;
    __int128 value = level > HIGHEST ? read_one(r) : read_sum(r, level + 1);
    skip_blanks(r);
    while (level <= HIGHEST && !r->wrong && (next = sign_here(r, level))) {
        const char *from = r->at;
        r->at += strlen(next->text);
        const __int128 right = read_sum(r, level + 1);
        if (!r->wrong && (value = apply(r, next->means, value, right), r->wrong))
            r->at = from; /* reports an error at the operator */
    }
    return value;
}

const char *smp_launch_integer(const char **text, bool has_x, __int128 *out) {
    reader r = {.at = *text, .has_x = has_x};
    *out = read_sum(&r, 1);
    *text = r.at;
    return r.wrong;
}
