/* SPDX-License-Identifier: MIT */
/*
 * What a layout holds: arrays, names, loops, accesses, and the code of their expressions. One
 * allocation of fixed size; texts are the caller's. Internal to the analyzer.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "expr.h"
#include "smp_layout.h"
#include "swizzle.h"
#include "type.h"

enum {
    SMP_ARRAYS_MAX = 32,
    SMP_VARIABLES_MAX = 32,
    SMP_ACCESSES_MAX = 128,
    SMP_EXPECTS_MAX = 12288, /* three of every access on every architecture, as fix writes them */
    SMP_LAYOUT_ARCHS_MAX = 32,
};

typedef struct smp_array {
    const char *name; /* in the caller's text */
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

/* A value of every thread, computed before the accesses that follow it. */
typedef struct smp_variable {
    smp_program program;
    uint16_t slot;
    unsigned line;
} smp_variable;

typedef struct smp_loop {
    const char *name;
    size_t length;
    int64_t start, stop, step;
    bool multiplies, divides; /* the step is a factor */
    bool is_single;           /* without braces: ends after one access */
    uint16_t slot;
    uint32_t count; /* iterations */
} smp_loop;

/* One address of an access: where, in which array. */
typedef struct smp_target {
    uint32_t array;
    smp_program program; /* byte offset in the array */
    size_t position;
    uint32_t size_bytes, align;
    bool is_float;
    bool checks_range; /* the indices alone do not keep it inside the array */
} smp_target;

typedef struct smp_request {
    const char *text;
    size_t length;
    unsigned line;
    smp_op op;
    uint32_t width_bytes, parts; /* parts: instructions that one object takes */
    bool is_implied;             /* from an assignment: the text is only the object */
    const char *not_modelled;    /* why, or NULL; static */
    bool has_guard, has_rank, has_source;
    smp_program guard, rank;
    smp_target target, source; /* source: the global side of a copy */
    uint32_t loops;            /* bit i: runs in loop i */
    uint32_t variable_count;   /* variables defined before it */
} smp_request;

typedef struct smp_expectation {
    uint32_t first, access; /* all accesses of one line */
    uint8_t field, relation;
    int64_t value;
    const smp_arch *arch; /* NULL: all */
    const char *text;
    size_t length;
    unsigned line;
} smp_expectation;

struct smp_layout {
    smp_scope scope;
    smp_type_table types;
    uint32_t slot_count;
    uint32_t array_count, loop_count, variable_count, access_count, arch_count;
    uint32_t expect_count, expect_room;
    uint32_t open_loops; /* bit i: loop i has not ended */
    uint32_t block[3], grid[3], block_index[3];
    bool has_block, has_grid, has_block_index;
    smp_array arrays[SMP_ARRAYS_MAX];
    smp_loop loops[SMP_LAYOUT_LOOPS_MAX];
    smp_variable variables[SMP_VARIABLES_MAX];
    smp_request accesses[SMP_ACCESSES_MAX];
    smp_expectation *expects; /* owned; room for expect_room */
    const smp_arch *archs[SMP_LAYOUT_ARCHS_MAX];
    smp_code code;
};

/* declaration.c: declarators after "shared" or "global" up to the end of the text. */
bool smp_declaration_parse(smp_parser *parser, smp_layout *layout, smp_space space, unsigned line);
/* Start of an array from the start of its memory: dynamic ones lie behind the static ones. */
uint64_t smp_array_base(const smp_layout *layout, const smp_array *array);
/* Shared memory that the arrays take, without open dynamic ones. */
uint64_t smp_layout_shared_size(const smp_layout *layout);
/* The latest array of that name, or -1. */
int smp_array_find(const smp_layout *layout, const char *name, size_t length);
/* True if an array, constant, variable or loop of that name exists. */
bool smp_layout_knows(const smp_layout *layout, const char *name, size_t length);

/* array_map.c: bytes from the array's start to element `index`, counted with the last dimension
 * fastest; digits[d] is its index in dimension d. */
int64_t smp_array_element(const smp_array *array, uint64_t index, uint32_t digits[SMP_DIMS_MAX]);

/* place.c: "tile[i][j]", "&p[i].x", "*(float4 *)&tile[i][j]" and their like. */
bool smp_place_parse(smp_parser *parser, const smp_layout *layout, smp_target *out);
/* The same as an operand: "tile[i] + 1" is read up to the plus. */
bool smp_object_parse(smp_parser *parser, const smp_layout *layout, smp_target *out);

/* assignment.c: "tile[i][j] = a[k];": its loads, then its store. `form` has what all of them share.
 */
bool smp_assignment_starts(const smp_parser *parser, const smp_layout *layout);
bool smp_assignment_parse(smp_parser *parser, smp_layout *layout, const smp_request *form);

/* request_split.c: how many instructions move the target, and how wide they are. */
bool smp_request_split(smp_parser *parser, smp_request *request);
/* access_text.c: one access, guard included. */
bool smp_request_parse(smp_parser *parser, smp_layout *layout, unsigned line);
/* True if the current token begins an access. */
bool smp_request_starts(const smp_parser *parser);

/* loop.c: what follows "for"; ends the latest open loop, whose variable goes out of scope; the
 * latest open loop or NULL; the value that follows. */
bool smp_loop_parse(smp_parser *parser, smp_layout *layout, unsigned line);
void smp_loop_close(smp_layout *layout);
smp_loop *smp_loop_latest(smp_layout *layout);
int64_t smp_loop_next(const smp_loop *loop, int64_t value);

/* names.c: takes a name that is still free; adds one; takes an architecture's name. */
bool smp_new_name_parse(smp_parser *parser, const smp_layout *layout, smp_token *name);
bool smp_symbol_add(smp_parser *parser, smp_layout *layout, smp_symbol symbol, size_t position);
bool smp_arch_parse(smp_parser *parser, const smp_arch **out);

/* Shown one request of an access; `ranks` are the blocks of the cluster that the lanes address,
 * NULL for the own one. A status other than SMP_OK stops. */
typedef smp_status (*smp_visit_fn)(void *user, const smp_access *access, const int64_t *ranks,
                                   const smp_request_place *place);
/* layout_eval.c: shows every request of access `index` and predicts none. On failure as
 * smp_layout_evaluate. */
smp_status smp_layout_visit(const smp_layout *layout, size_t index, smp_visit_fn visit, void *user,
                            unsigned *line, smp_error *error);

/* Asked before every iteration of every warp; false ends an evaluation with SMP_E_INTERRUPTED. */
typedef bool (*smp_going_fn)(void *user);
/* smp_layout_evaluate, for as long as `goes_on` says; it may be NULL. */
smp_status smp_layout_evaluate_while(const smp_layout *layout, const smp_arch *arch, size_t index,
                                     smp_going_fn goes_on, void *user, smp_totals *out,
                                     unsigned *line, smp_error *error);

/* expectation.c: "ways <= 1 [on sm_90]". */
bool smp_expectation_parse(smp_parser *parser, smp_layout *layout, unsigned line);

#endif
