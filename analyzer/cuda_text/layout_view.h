/* SPDX-License-Identifier: MIT */
/*
 * What other rooms of the analyzer read from a layout, besides smp_layout.h: its arrays, its
 * accesses and their requests. The layout owns everything returned here. Texts belong to the
 * caller of smp_layout_add and are not terminated.
 */
#pragma once

#include "smp_layout.h"
#include "stream.h"

enum { SMP_MEMBERS_MAX = 16, SMP_SHAPE_DIMS_MAX = 4, SMP_ARRAYS_MAX = 32 };

/* ---- CuTe's layouts ---- */

/* The layout of an array: shape:stride and Swizzle<B,M,S>. All numbers are in elements of the
 * array. */
enum { SMP_DIMS_MAX = 4, SMP_LEAVES_MAX = 6 };

/* Maps an index in one dimension to the sum of (digit x stride). The shapes give the digits, first
 * one fastest. */
typedef struct smp_mode {
    uint32_t extent; /* product of the shapes; 0 if unknown (first dimension only) */
    uint32_t leaf_count;
    uint32_t shape[SMP_LEAVES_MAX];
    int64_t stride[SMP_LEAVES_MAX];
} smp_mode;

/* CuTe: x ^ ((x & mask) >> shift). The mask has `bits` bits, starting at bit base + max(0, shift);
 * a negative shift shifts left. */
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
    bool is_row_major; /* the strides of a C array */
} smp_mode_table;

/* Offset of `index` in dimension `dim`, in elements. */
int64_t smp_mode_offset(const smp_mode_table *table, unsigned dim, int64_t index);
/* Applies the swizzle to the element that contains byte `offset`. */
int64_t smp_swizzle_bytes(const smp_mode_table *table, int64_t offset);

/* ---- Types ---- */

typedef struct smp_integer_type {
    uint8_t bits; /* 1 for bool, 0 if it is not an integer */
    bool is_signed;
} smp_integer_type;

struct smp_type;

/* A type with array dimensions, outermost first, as in float[4][2]. */
typedef struct smp_shape {
    const struct smp_type *type;
    uint32_t dim_count;
    uint32_t dims[SMP_SHAPE_DIMS_MAX];
} smp_shape;

typedef struct smp_member {
    const char *name; /* in the caller's text or static */
    size_t length;
    smp_shape shape;
    uint32_t offset;
} smp_member;

/* Each C++ type is one object: equal pointers mean equal types ("long" and "long long" differ). */
typedef struct smp_type {
    const char *name;
    size_t length;
    uint32_t size, align;
    smp_integer_type integer;
    const struct smp_type *element; /* component of a vector type */
    uint8_t lanes;                  /* components of a vector type: 1 to 4; otherwise 0 */
    bool is_float;                  /* atomics on it may compile to loops */
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
    const char *type_text; /* as written, with qualifiers: "volatile unsigned char" */
    size_t type_length;
    smp_mode_table table;
    bool is_volatile; /* "volatile" before "__shared__", and so not in type_text */
    bool is_dynamic;  /* extern: placed after all static arrays */
    bool is_unsized;  /* the first dimension is unknown */
    bool is_placed;   /* '@' set base_bytes */
    uint32_t align;
    uint64_t size_bytes; /* 0 if unsized */
    uint64_t base_bytes; /* from the start of its memory, or of the dynamic part if is_dynamic */
    unsigned line;
    size_t position;   /* of the declaration; 0 outside functions */
    uint64_t instance; /* of the template that declares it */
} smp_array;

/* Arrays in order of declaration. */
uint32_t smp_layout_array_count(const smp_layout *layout);
const smp_array *smp_layout_array(const smp_layout *layout, size_t index);
/* Index of the latest array called `name`, or -1. */
int smp_array_find(const smp_layout *layout, const char *name, size_t length);
/* Offset of an array in its memory; dynamic arrays follow the static ones. */
uint64_t smp_array_base(const smp_layout *layout, const smp_array *array);
/* Start of dynamic memory after `static_bytes` bytes of static arrays. */
uint64_t smp_dynamic_base(const smp_layout *layout, uint64_t static_bytes);
/* Byte offset of element `index` in the array, last dimension fastest; digits[d] is its index in
 * dimension d. */
int64_t smp_array_element(const smp_array *array, uint64_t index, uint32_t digits[SMP_DIMS_MAX]);
/* The number of elements. */
static inline uint64_t smp_array_elements(const smp_array *array) {
    uint64_t count = 1;
    for (uint32_t d = 0; d < array->table.dim_count; d++)
        count *= array->table.dims[d].extent;
    return count;
}
/* Gives the array `name`, a text that outlives the layout, its values as "data" does. Takes over
 * `values`, also after failure. */
smp_status smp_layout_add_data(smp_layout *layout, const char *name, int64_t *values, size_t count,
                               smp_error *error);
/* Arrays whose data are given ("data NAME = ..."); NULL if there is no such array. */
uint32_t smp_layout_data_count(const smp_layout *layout);
const smp_array *smp_layout_data_array(const smp_layout *layout, size_t index);

/* ---- Accesses ---- */

/* One address of an access. */
typedef struct smp_target {
    uint32_t array;
    size_t position; /* column in its line */
    uint32_t size_bytes, align;
    bool is_float;
    bool checks_range; /* index checks alone do not keep it inside the array */
} smp_target;

typedef struct smp_request {
    const char *text;
    size_t length;
    unsigned line, end_line; /* end_line: last line of its statement */
    uint32_t statement;
    smp_op op;
    uint32_t width_bytes, parts; /* parts: instructions per object */
    bool is_implied;             /* made by an assignment: the text is the object alone */
    bool is_hidden;              /* the text does not name the element: a pointer or macro does */
    bool is_increment; /* a reduction by 1, for which nvcc takes an instruction of its own */
    bool is_merged;    /* nvcc combines lanes that update one word: one of them makes the request */
    const char *not_modelled; /* static: why; may be NULL */
    bool has_rank, has_source;
    smp_target target, source; /* source: global side of a copy */
    uint64_t loops;            /* bit i: inside loop i */
} smp_request;

const smp_request *smp_layout_request(const smp_layout *layout, size_t index);

/* A load from constant memory whose index differs between threads: it is no request, and has no
 * cost here. At most 32 are kept. */
typedef struct smp_constant {
    const char *text;
    size_t length;
    unsigned line;
} smp_constant;

const smp_constant *smp_layout_constants(const smp_layout *layout, size_t *count);
/* Array accessed by access `index`; for a copy, the one in shared memory. */
const smp_array *smp_layout_target(const smp_layout *layout, size_t index);
bool smp_layout_has_kernel(const smp_layout *layout);

/* ---- Requests ---- */

/* Passes every request of access `index`, with its place and ranks, to `visit` without predicting.
 * Failures are reported as by smp_layout_evaluate. */
smp_status smp_layout_visit(const smp_layout *layout, size_t index, smp_visit_fn visit, void *user,
                            unsigned *line, smp_error *error);

/* Number of blocks in the grid. */
uint64_t smp_layout_block_count(const smp_layout *layout);
/* Evaluates later accesses in block `block` of the grid, counted x first. */
void smp_layout_go_to_block(smp_layout *layout, uint64_t block);
/* Encodes the cluster block addressed by each lane in its offset. */
void smp_access_place_in_blocks(smp_access *access, const int64_t *ranks);

typedef struct smp_layout_stream {
    const smp_layout *layout;
    unsigned *line; /* set on failure */
} smp_layout_stream;

/* Every request of every access, from an smp_layout_stream; `index` is the access. */
extern const smp_stream smp_stream_layout;

/* Called before every request; false ends the evaluation with SMP_E_INTERRUPTED. */
typedef bool (*smp_going_fn)(void *user);
/* Like smp_layout_evaluate, but stops when `goes_on` (may be NULL) returns false. */
smp_status smp_layout_evaluate_while(const smp_layout *layout, const smp_arch *arch, size_t index,
                                     smp_going_fn goes_on, void *user, smp_totals *out,
                                     unsigned *line, smp_error *error);
