/* SPDX-License-Identifier: MIT */
/*
 * What other rooms of the analyzer read of a layout beside smp_layout.h: its arrays, its accesses,
 * and the requests that these make. Everything belongs to the layout and lives as long as it; texts
 * are the caller's and not terminated.
 */
#pragma once

#include "smp_layout.h"
#include "stream.h"

enum { SMP_MEMBERS_MAX = 16, SMP_SHAPE_DIMS_MAX = 4, SMP_ARRAYS_MAX = 32 };

/* ---- CuTe's layouts ---- */

/* An array that is no plain row-major one: shape:stride, and Swizzle<B,M,S>. All numbers count
 * elements of the array. */
enum { SMP_DIMS_MAX = 4, SMP_LEAVES_MAX = 6 };

/* Index in one dimension -> sum of (digit x stride), digits by the shapes, the first fastest. */
typedef struct smp_mode {
    uint32_t extent; /* product of the shapes; 0: unknown (only the first dimension) */
    uint32_t leaf_count;
    uint32_t shape[SMP_LEAVES_MAX];
    int64_t stride[SMP_LEAVES_MAX];
} smp_mode;

/* CuTe: x ^ ((x & mask) >> shift), the mask having `bits` bits from bit base + max(0, shift); a
 * negative shift goes the other way. */
typedef struct smp_swizzle {
    bool present;
    uint8_t bits, base;
    int8_t shift;
} smp_swizzle;

typedef struct smp_mode_table {
    uint32_t dim_count;
    smp_mode dims[SMP_DIMS_MAX];
    smp_swizzle swizzle;
    uint32_t element_bytes;
    bool is_row_major; /* strides are those of a C array */
} smp_mode_table;

/* Offset in elements of `index` in dimension `dim`. */
int64_t smp_mode_offset(const smp_mode_table *table, unsigned dim, int64_t index);
/* The same of an index into all dimensions together, the first one fastest. */
int64_t smp_mode_table_offset(const smp_mode_table *table, int64_t index);
/* Swizzles the element that byte `offset` lies in. */
int64_t smp_swizzle_bytes(const smp_mode_table *table, int64_t offset);
/* Elements that the table reaches: the largest offset + 1, rounded up to whole swizzle atoms. */
int64_t smp_mode_table_span(const smp_mode_table *table);
/* Sets the strides of a C array over the extents. */
void smp_mode_table_row_major(smp_mode_table *table);

/* ---- Types ---- */

typedef struct smp_integer_type {
    uint8_t bits; /* 1 is bool; 0: none */
    bool is_signed;
} smp_integer_type;

struct smp_type;

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

/* One object a type of C++: the same pointer is the same type ("long" and "long long" are two). */
typedef struct smp_type {
    const char *name;
    size_t length;
    uint32_t size, align;
    smp_integer_type integer;
    const struct smp_type *element; /* of a vector type */
    uint8_t lanes;                  /* of a vector type: 1 to 4, else 0 */
    bool is_float;                  /* atomics on it may be compiled to loops */
    uint32_t member_count;
    smp_member members[SMP_MEMBERS_MAX];
} smp_type;

uint64_t smp_shape_size(smp_shape shape);

/* ---- Arrays ---- */

typedef struct smp_array {
    const char *name;
    size_t length;
    smp_space space; /* SMP_SPACE_SHARED or SMP_SPACE_GLOBAL */
    const smp_type *type;
    const char *type_text; /* as it was written, with its qualifiers: "volatile unsigned char" */
    size_t type_length;
    smp_mode_table table;
    bool is_dynamic; /* extern: behind all others */
    bool is_unsized; /* the first dimension is open */
    bool is_placed;  /* base_bytes was given by '@' */
    uint32_t align;
    uint64_t size_bytes; /* 0 if unsized */
    uint64_t base_bytes; /* from the start of its memory; of a dynamic one, of the dynamic part */
    unsigned line;
} smp_array;

/* Arrays in the order of their declarations, one behind the other. */
uint32_t smp_layout_array_count(const smp_layout *layout);
const smp_array *smp_layout_array(const smp_layout *layout, size_t index);
/* The latest array of that name, or -1. */
int smp_array_find(const smp_layout *layout, const char *name, size_t length);
/* Start of an array from the start of its memory: dynamic ones lie behind the static ones. */
uint64_t smp_array_base(const smp_layout *layout, const smp_array *array);
/* Where dynamic memory begins behind so many bytes of static arrays. */
uint64_t smp_dynamic_base(const smp_layout *layout, uint64_t static_bytes);
/* Bytes from the array's start to element `index`, counted with the last dimension fastest;
 * digits[d] is its index in dimension d. */
int64_t smp_array_element(const smp_array *array, uint64_t index, uint32_t digits[SMP_DIMS_MAX]);
/* Arrays whose data are given ("data NAME = ..."); NULL: no array has that name. */
uint32_t smp_layout_data_count(const smp_layout *layout);
const smp_array *smp_layout_data_array(const smp_layout *layout, size_t index);

/* ---- Accesses ---- */

/* One address of an access: where, in which array. */
typedef struct smp_target {
    uint32_t array;
    size_t position; /* in its line */
    uint32_t size_bytes, align;
    bool is_float;
    bool checks_range; /* the indices alone do not keep it inside the array */
} smp_target;

typedef struct smp_request {
    const char *text;
    size_t length;
    unsigned line, end_line; /* end_line: where its statement ends */
    uint32_t statement;
    smp_op op;
    uint32_t width_bytes, parts; /* parts: instructions that one object takes */
    bool is_implied;             /* from an assignment: the text is only the object */
    bool is_hidden;              /* the text does not show the element: a pointer, a macro */
    const char *not_modelled;    /* why, or NULL; static */
    bool has_rank, has_source;
    smp_target target, source; /* source: the global side of a copy */
    uint64_t loops;            /* bit i: runs in loop i */
} smp_request;

const smp_request *smp_layout_request(const smp_layout *layout, size_t index);
/* The array that access `index` reaches; of a copy, in shared memory. */
const smp_array *smp_layout_target(const smp_layout *layout, size_t index);
bool smp_layout_has_kernel(const smp_layout *layout);

/* ---- Requests ---- */

/* Shows every request of access `index` with its place and ranks, and predicts none. On failure as
 * smp_layout_evaluate. */
smp_status smp_layout_visit(const smp_layout *layout, size_t index, smp_visit_fn visit, void *user,
                            unsigned *line, smp_error *error);

/* How many blocks the grid has. */
uint64_t smp_layout_block_count(const smp_layout *layout);
/* From now on, accesses are those of that block of the grid, counted x first. */
void smp_layout_go_to_block(smp_layout *layout, uint64_t block);
/* Puts the blocks of the cluster that the lanes address into their offsets. */
void smp_access_place_in_blocks(smp_access *access, const int64_t *ranks);

typedef struct smp_layout_stream {
    const smp_layout *layout;
    unsigned *line; /* set on failure, as above */
} smp_layout_stream;

/* Every request of every access (`index`), from an smp_layout_stream. */
extern const smp_stream smp_stream_layout;

/* Asked before every request; false ends an evaluation with SMP_E_INTERRUPTED. */
typedef bool (*smp_going_fn)(void *user);
/* smp_layout_evaluate, for as long as `goes_on` says; it may be NULL. */
smp_status smp_layout_evaluate_while(const smp_layout *layout, const smp_arch *arch, size_t index,
                                     smp_going_fn goes_on, void *user, smp_totals *out,
                                     unsigned *line, smp_error *error);
