/* SPDX-License-Identifier: MIT */
/*
 * CUDA's scalar and vector types with their real sizes and alignments, and structs made of them.
 * Internal to the analyzer.
 */
#ifndef SMP_TYPE_H
#define SMP_TYPE_H

#include "expr.h"

enum {
    SMP_MEMBERS_MAX = 16,
    SMP_STATICS_MAX = 8,
    SMP_STRUCTS_MAX = 24,
    SMP_ALIASES_MAX = 48,
    SMP_SHAPE_DIMS_MAX = 4,
    SMP_PARTS_MAX = 6, /* arguments of a class template */
};

struct smp_type;

typedef struct smp_integer_type {
    uint8_t bits; /* 1 is bool; 0: none */
    bool is_signed;
} smp_integer_type;

/* A type with array dimensions, outermost first: float[4][2]. */
typedef struct smp_shape {
    const struct smp_type *type;
    uint32_t dim_count;
    uint32_t dims[SMP_SHAPE_DIMS_MAX];
} smp_shape;

typedef struct smp_member {
    const char *name; /* in the caller's text, or static */
    size_t length;
    smp_shape shape;
    uint32_t offset;
} smp_member;

struct smp_class;

/* One object a type of C++: the same pointer is the same type ("long" and "long long" are two). */
typedef struct smp_type {
    const char *name;
    size_t length;
    uint32_t size, align;
    smp_integer_type integer;
    const struct smp_type *element;   /* of a vector type */
    uint8_t lanes;                    /* of a vector type: 1 to 4, else 0 */
    bool is_float;                    /* atomics on it may be compiled to loops */
    const struct smp_class *class_of; /* of a struct of the text; else NULL */
    uint32_t member_count;
    smp_member members[SMP_MEMBERS_MAX];
} smp_type;

/* A type as it stands in a declaration. */
typedef struct smp_type_use {
    bool is_auto, is_void, is_const;
    const smp_type *type; /* NULL for auto and void, and where a template's type is not known */
} smp_type_use;

/* One of "<4, float>". */
typedef struct smp_given_part {
    bool is_type;
    smp_type_use use;
    int64_t value;
    smp_kind kind;
} smp_given_part;

/* "static constexpr int N = 4;" */
typedef struct smp_static {
    const char *name;
    size_t length;
    int64_t value;
    smp_kind kind;
    const smp_type *type;
} smp_static;

/* What a struct has besides its members: where its body is among the tokens, for its methods, its
 * constants, and what its template is given. */
typedef struct smp_class {
    const char *tokens; /* the text whose tokens these are */
    uint32_t head;      /* of the template, plus 1; 0: it is none */
    uint32_t body, end;
    unsigned part_count, static_count;
    smp_given_part parts[SMP_PARTS_MAX];
    smp_static statics[SMP_STATICS_MAX];
} smp_class;

/* "typedef TYPE NAME;" */
typedef struct smp_alias {
    const char *name;
    size_t length;
    smp_type_use use;
} smp_alias;

/* Types that one layout declares. */
typedef struct smp_type_table {
    uint32_t count, alias_count;
    smp_type structs[SMP_STRUCTS_MAX];
    smp_class classes[SMP_STRUCTS_MAX]; /* of each of them */
    smp_alias aliases[SMP_ALIASES_MAX];
} smp_type_table;

uint64_t smp_shape_size(smp_shape shape);

/* True if a type begins at the current token. */
bool smp_type_starts(const smp_parser *parser);
/* The type that the current token names; NULL: none. */
const smp_type *smp_type_find(const smp_parser *parser);
/* Parses a type of one or more words ("unsigned long long", "float4", "struct P"), with qualifiers
 * before and behind it. */
bool smp_type_use_parse(smp_parser *parser, smp_type_use *out);
/* The same, of a type that has a size. */
bool smp_type_parse(smp_parser *parser, smp_type_use *out);
/* "struct [name] { members }", struct being the current token; adds it to the table. */
bool smp_struct_parse(smp_parser *parser, const smp_type **out);
/* True if the current token begins a struct with a body. */
bool smp_struct_starts(const smp_parser *parser);
/* "NAME = TYPE" behind "using", "TYPE NAME" behind "typedef". */
bool smp_alias_parse(smp_parser *parser);
bool smp_typedef_parse(smp_parser *parser);
bool smp_alias_add(smp_parser *parser, const smp_alias *alias, size_t position);
/* The member of a struct or a vector type; false if there is none. */
bool smp_type_member(const smp_type *type, const char *name, size_t length, smp_member *out);
/* __align__(N), alignas(N), any number of them; *align is raised. */
bool smp_align_parse(smp_parser *parser, uint32_t *align);
/* True of integers; `type` may be NULL. */
bool smp_type_is_integer(const smp_type *type);
/* The type of a value of that kind; NULL for data. */
const smp_type *smp_type_of_kind(smp_kind kind);
const smp_type *smp_type_bool(void);
/* A member that is one; what it points to is not followed. */
const smp_type *smp_type_pointer(void);
/* One of 1, 2, 4, 8 or 16 bytes that is aligned to them; NULL: there is none. */
const smp_type *smp_type_of_bytes(uint32_t bytes);
const smp_type *smp_type_char(void);
/* Of a floating-point literal. */
const smp_type *smp_type_float(bool is_double);
/* The type of a + b where one of both is no integer; NULL: not known. Both may be NULL. */
const smp_type *smp_type_common(const smp_type *a, const smp_type *b);
/* The type of an element that is loaded, as an operand: data, or an integer. */
smp_kind smp_type_kind(const smp_type *type);

#endif
