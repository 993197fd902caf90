/* SPDX-License-Identifier: MIT */
/*
 * The last stage: a kernel as statements, arrays and accesses, evaluated for the 32 lanes of
 * each warp. Text is used for messages only.
 */
#pragma once

#include "code.h"
#include "layout_view.h"

enum {
    CT_ACCESSES_MAX = 256,
    CT_STATEMENTS_MAX = 2048,
    CT_DATA_MAX = 16,
    CT_DATA_DRAWS = 32,
    CT_LAYOUT_ARCHS_MAX = 32,
    CT_CONSTANTS_MAX = 32,
};

/* ---- Statements ---- */

typedef enum ct_statement_kind {
    CT_DO_BLOCK,
    CT_DO_PROGRAM,
    CT_DO_IF,   /* program: the condition; one or two blocks */
    CT_DO_LOOP, /* program: the condition; step; the body's statements */
    CT_DO_BREAK,
    CT_DO_CONTINUE,
    CT_DO_RETURN,
    CT_DO_CALL, /* a function's body; its parent is the calling statement */
} ct_statement_kind;

/* Statements are numbered in source order. Number 0 is the outermost block; as a link it means
 * none. */
typedef struct ct_statement {
    uint8_t kind;
    bool tests_last; /* do ... while */
    bool is_open;    /* a loop around everything that follows */
    uint32_t loop;
    uint32_t parent, next, first, last; /* first and last child */
    ct_program program, step;           /* a condition without instructions is true */
} ct_statement;

typedef struct ct_loop {
    ct_word name; /* loop counter; text is NULL if there is none */
    uint16_t slot;
    uint64_t passes; /* 0 if not known from the text */
    unsigned line;
} ct_loop;

/* ---- The kernel ---- */

/* Contents of an array that decide addresses: "data NAME = random:0:255". */
typedef struct ct_data {
    ct_word name;  /* of the array */
    unsigned line; /* of the statement */
    int32_t column;
    bool is_drawn; /* random, otherwise from a file */
    int64_t low, high;
    uint64_t seed;   /* of uniform draws from low to high */
    int64_t *values; /* from a file; owned */
    double *shares;  /* Zipf's law: cumulative share of 0 to i; owned */
    size_t count;    /* of values or shares */
} ct_data;

typedef struct ct_expectation {
    smp_layout_expect shown;
    uint8_t field, relation; /* relation: a ct_code_op; CT_CODE_CONST for '=' */
    int64_t value;
} ct_expectation;

/* What the threads of a block do: a text with all names resolved. */
struct smp_layout {
    uint32_t slot_count, array_count, loop_count, access_count, statement_count, data_count;
    uint32_t block[3], grid[3], block_index[3];
    uint32_t arch_count, expect_count;
    bool has_kernel;
    const smp_arch *archs[CT_LAYOUT_ARCHS_MAX];
    ct_expectation *expects; /* owned */
    smp_array arrays[SMP_ARRAYS_MAX];
    ct_data data[CT_DATA_MAX];
    ct_loop loops[SMP_LAYOUT_LOOPS_MAX];
    uint32_t constant_count;
    smp_constant constants[CT_CONSTANTS_MAX];
    ct_expr_code code;
    /* Last: uninitialised from their counts on. */
    ct_statement statements[CT_STATEMENTS_MAX];
    smp_request accesses[CT_ACCESSES_MAX];
};

/* ---- Arrays ---- */

static inline uint64_t ct_round_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}
/* End of the static arrays in `space`. */
uint64_t ct_space_end(const smp_layout *kernel, smp_space space);

/* ---- Data ---- */

void ct_data_clear(ct_data *data);
/* The data of array `name`, or NULL. */
const ct_data *ct_data_find(const smp_layout *kernel, ct_word name);

/* ---- Evaluation ---- */

/* eval_run.c: runs one warp and visits its accesses in order. Only statements that matter for
 * access `index` run. `place` is the current position. */
#define CT_WALK_ALL SIZE_MAX        /* all statements, all accesses */
#define CT_WALK_NONE (SIZE_MAX - 1) /* no access */
typedef struct ct_walk ct_walk;
struct ct_walk {
    const smp_layout *kernel;
    smp_status (*visit)(ct_walk *run, const ct_access *access);
    void *user;
    smp_error *error;
    unsigned line; /* line of the error */
    uint32_t threads;
    uint32_t warp; /* the current warp */
    size_t index;
    uint64_t passes;
    bool (*goes_on)(void *user); /* asked now and then in long loops; may be NULL */
    void *going_user;
    uint32_t draw;      /* number of the draw of random data */
    bool has_read;      /* given data */
    bool has_drawn;     /* random data */
    bool is_first_pass; /* open loops run once: only values are wanted */
    smp_request_place place;
    uint64_t needed[CT_STATEMENTS_MAX / 64];
    ct_lanes_state state;
    uint32_t returned, gone_unsure; /* lanes that have returned; lanes that may have returned */
    ct_unknown unknown[CT_SLOTS_MAX];
    ct_lanes_value slots[CT_SLOTS_MAX];
};
void ct_walk_init(ct_walk *run, const smp_layout *kernel, size_t index, smp_error *error);
/* Also runs the statements that set the variables in `wanted`. */
void ct_walk_need(ct_walk *run, const ct_slot_set *wanted);
smp_status ct_walk_warp(ct_walk *run, uint32_t warp);
/* Fails with a message, followed by the warp and iteration. */
smp_status ct_walk_fail(ct_walk *run, smp_status status, int position, unsigned line,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Mask of the threads of a warp. */
uint32_t ct_walk_lanes(const ct_walk *run, uint32_t warp);

/* Evaluates a program that is not part of the kernel in each lane of a warp. */
smp_status ct_program_value(const smp_layout *kernel, uint32_t warp, const ct_program *program,
                            int64_t values[SMP_LANES], smp_error *error);
