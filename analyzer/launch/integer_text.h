/* SPDX-License-Identifier: MIT */
/*
 * Integer expressions: operators and their precedence. What an operand is depends on the text: in a
 * launch a number, in a source also a name.
 */
#pragma once

#include <stdbool.h>

typedef struct integer_text {
    const char *at, *end;
    const char *wrong; /* the first error, found at `at`; NULL: none so far */
    bool has_x;        /* "x" multiplies, as in 32x8 */
    unsigned depth;    /* of brackets and signs in a launch */
    bool is_real;      /* an operand so far is a floating-point number; set by `operand` */
    bool has_rest;     /* a division of such numbers left a remainder, which the value lacks */
    bool is_lost;      /* an operator used such a value, so the result is wrong */
    /* Reads one operand, with its signs and brackets, and moves `at` behind it. */
    __int128 (*operand)(struct integer_text *in);
    void *user;
} integer_text;

/* Reads an expression up to the first character that continues none. The value, and every value in
 * it, fits 64 bits, signed or unsigned. */
__int128 integer_read(integer_text *in);
/* Sets the error if it is the first one. Returns 0. */
__int128 integer_refuse(integer_text *in, const char *what);
void integer_skip_blanks(integer_text *in);
