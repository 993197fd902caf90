/* SPDX-License-Identifier: MIT */
/*
 * CUDA's scalar and vector types with their sizes and alignments, and C's conversions between them.
 */
#pragma once

#include "layout_view.h"
#include "lex.h"

/* The type with a one-word name such as "float4", or NULL. */
const smp_type *ct_type_named(ct_word name);
/* The type of words such as "unsigned long"; NULL if they do not form one. */
const smp_type *ct_type_of_words(const ct_token *words, uint32_t count);
/* Finds a member of a struct or vector type. */
bool ct_type_member(const smp_type *type, ct_word name, smp_member *out);
/* `type` may be NULL. */
bool smp_type_is_integer(const smp_type *type);
/* The type of a value of kind `kind`; NULL for data. */
const smp_type *ct_type_of_kind(ct_kind kind);
/* ct_type_pointer: a struct member; its target is not followed. */
extern const smp_type ct_type_bool, ct_type_char, ct_type_float, ct_type_double, ct_type_pointer;
/* A type of 1, 2, 4, 8 or 16 bytes with the same alignment, or NULL. */
const smp_type *ct_type_of_bytes(uint32_t bytes);
/* The type of a + b if at least one is not an integer; NULL if unknown. Both may be NULL. */
const smp_type *ct_type_common(const smp_type *a, const smp_type *b);
/* Kind of a loaded element: data or an integer. */
ct_kind ct_type_kind(const smp_type *type);
ct_kind ct_integer_kind(smp_integer_type type);
