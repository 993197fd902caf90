/* SPDX-License-Identifier: MIT */
/*
 * CUDA's scalar and vector types with their real sizes and alignments, and what C makes of them.
 */
#pragma once

#include "code.h"
#include "layout_view.h"

/* The type of one word, as "float4"; NULL: there is none of that name. */
const smp_type *ct_type_named(ct_word name);
/* C's integer words: how often each of these stands there; NULL: they are not a type. */
typedef struct ct_type_words {
    unsigned is_unsigned, is_signed, chars, shorts, ints, longs;
} ct_type_words;
const smp_type *ct_type_of_words(const ct_type_words *words);
/* The member of a struct or a vector type; false if there is none. */
bool ct_type_member(const smp_type *type, ct_word name, smp_member *out);
/* True of integers; `type` may be NULL. */
bool smp_type_is_integer(const smp_type *type);
/* The type of a value of that kind; NULL for data. */
const smp_type *ct_type_of_kind(ct_kind kind);
/* Pointer: a member that is one; what it points to is not followed. */
extern const smp_type ct_type_bool, ct_type_char, ct_type_float, ct_type_double, ct_type_pointer;
/* One of 1, 2, 4, 8 or 16 bytes that is aligned to them; NULL: there is none. */
const smp_type *ct_type_of_bytes(uint32_t bytes);
/* The type of a + b where one of both is no integer; NULL: not known. Both may be NULL. */
const smp_type *ct_type_common(const smp_type *a, const smp_type *b);
/* What an element that is loaded is as an operand: data, or an integer. */
ct_kind ct_type_kind(const smp_type *type);
ct_kind ct_integer_kind(smp_integer_type type);
