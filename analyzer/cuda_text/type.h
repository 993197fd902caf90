/* SPDX-License-Identifier: MIT */
/*
 * CUDA's scalar and vector types with their real sizes and alignments, and structs made of them.
 * Internal to the analyzer.
 */
#ifndef CT_TYPE_H
#define CT_TYPE_H

#include "code.h"
#include "layout_view.h"

enum {
    CT_STATICS_MAX = 8,
    CT_STRUCTS_MAX = 24,
    CT_ALIASES_MAX = 48,
    CT_PARTS_MAX = 6, /* arguments of a class template */
};

/* A type as it stands in a declaration. */
typedef struct ct_type_use {
    bool is_auto, is_void, is_const;
    const smp_type *type; /* NULL for auto and void, and where a template's type is not known */
} ct_type_use;

/* One of "<4, float>". */
typedef struct ct_given_part {
    bool is_type;
    ct_type_use use;
    int64_t value;
    ct_kind kind;
} ct_given_part;

/* "static constexpr int N = 4;" */
typedef struct ct_static {
    const char *name;
    size_t length;
    int64_t value;
    ct_kind kind;
    const smp_type *type;
} ct_static;

/* What a struct has besides its members: where its body is among the tokens, for its methods, its
 * constants, and what its template is given. */
typedef struct ct_class {
    const char *tokens; /* the text whose tokens these are */
    uint32_t head;      /* of the template, plus 1; 0: it is none */
    uint32_t body, end;
    unsigned part_count, static_count;
    ct_given_part parts[CT_PARTS_MAX];
    ct_static statics[CT_STATICS_MAX];
} ct_class;

/* "typedef TYPE NAME;" */
typedef struct ct_alias {
    const char *name;
    size_t length;
    ct_type_use use;
} ct_alias;

/* Types that one layout declares. */
typedef struct ct_type_table {
    uint32_t count, alias_count;
    smp_type structs[CT_STRUCTS_MAX];
    ct_class classes[CT_STRUCTS_MAX]; /* of each of them */
    ct_alias aliases[CT_ALIASES_MAX];
} ct_type_table;

/* True if a type begins at the current token. */
bool ct_type_starts(const ct_parser *parser);
/* The type that the current token names; NULL: none. */
const smp_type *ct_type_find(const ct_parser *parser);
/* Parses a type of one or more words ("unsigned long long", "float4", "struct P"), with qualifiers
 * before and behind it. */
bool ct_type_use_parse(ct_parser *parser, ct_type_use *out);
/* The same, of a type that has a size. */
bool ct_type_parse(ct_parser *parser, ct_type_use *out);
/* "struct [name] { members }", struct being the current token; adds it to the table. */
bool ct_struct_parse(ct_parser *parser, const smp_type **out);
/* True if the current token begins a struct with a body. */
bool ct_struct_starts(const ct_parser *parser);
/* "NAME = TYPE" behind "using", "TYPE NAME" behind "typedef". */
bool ct_alias_parse(ct_parser *parser);
bool ct_typedef_parse(ct_parser *parser);
bool ct_alias_add(ct_parser *parser, const ct_alias *alias, size_t position);
/* The member of a struct or a vector type; false if there is none. */
bool ct_type_member(const smp_type *type, const char *name, size_t length, smp_member *out);
/* __align__(N), alignas(N), any number of them; *align is raised. */
bool ct_align_parse(ct_parser *parser, uint32_t *align);
/* True of integers; `type` may be NULL. */
bool smp_type_is_integer(const smp_type *type);
/* The type of a value of that kind; NULL for data. */
const smp_type *ct_type_of_kind(ct_kind kind);
const smp_type *ct_type_bool(void);
/* A member that is one; what it points to is not followed. */
const smp_type *ct_type_pointer(void);
/* One of 1, 2, 4, 8 or 16 bytes that is aligned to them; NULL: there is none. */
const smp_type *ct_type_of_bytes(uint32_t bytes);
const smp_type *ct_type_char(void);
/* Of a floating-point literal. */
const smp_type *ct_type_float(bool is_double);
/* The type of a + b where one of both is no integer; NULL: not known. Both may be NULL. */
const smp_type *ct_type_common(const smp_type *a, const smp_type *b);
/* The type of an element that is loaded, as an operand: data, or an integer. */
ct_kind ct_type_kind(const smp_type *type);

#endif
