/* SPDX-License-Identifier: MIT */
/*
 * Random arrays with accesses whose elements a test computes by itself, as text for
 * `fix` and as requests of a warp in any form. Nothing here asks the solver.
 */
#pragma once

#include "smp_accesses.h"
#include "smp_fix.h"

enum { FIX_PROBLEM_ACCESSES = 3, FIX_PROBLEM_WARPS = 2, FIX_PROBLEM_TEXT = 2048 };

/* (x * threadIdx.x + y * threadIdx.y + add) % modulus * scale */
typedef struct problem_index {
    uint32_t x, y, add, modulus, scale;
} problem_index;

typedef struct problem_access {
    smp_op op;
    bool is_flat;   /* through a pointer to the first element; `column` is the element's number */
    bool is_remote; /* of the block of the cluster that `rank` says */
    uint32_t width, member;
    problem_index row, column, rank;
    char name[128]; /* as it stands in the text */
} problem_access;

/* shared T t[rows][columns], or t[columns] where rows is 0 */
typedef struct fix_problem {
    char array;       /* its name, one letter */
    uint32_t members; /* of T, a struct of this many floats; 0: T is no struct */
    bool is_placed;   /* by '@' */
    uint64_t place_bytes;
    uint32_t element, rows, columns, access_count, warps;
    problem_access access[FIX_PROBLEM_ACCESSES];
    smp_arch arch;
    char text[FIX_PROBLEM_TEXT];
} fix_problem;

void fix_problem_draw(smp_random *random, fix_problem *out);
/* A second array, "u", beside the first: the text of `first` gets its lines, too. */
void fix_problem_draw_beside(smp_random *random, fix_problem *first, fix_problem *out);

/* The place of element (row, column), in elements. */
uint32_t fix_problem_place(const fix_problem *p, const smp_fix_form *form, uint32_t row,
                           uint32_t column);

typedef struct problem_cost {
    bool fits;                /* no vector is torn or misaligned */
    bool is_misaligned;       /* of a width that is no multiple */
    uint32_t ways;            /* of the worst request */
    uint64_t excess, sectors; /* sectors: of other blocks' memory */
    uint64_t floor;           /* of the excess: a pass for each group of lanes; 1.x */
} problem_cost;

/* The place of an element in a form. */
uint32_t fix_problem_bytes(const fix_problem *p, const smp_fix_form *form);
/* The cost of one access, over all warps, in a form on `arch`, by the tests' own reference. */
problem_cost fix_problem_cost(const fix_problem *p, const problem_access *access,
                              const smp_fix_form *form, const smp_arch *arch);
/* The request of one warp; false if a vector is torn. */
bool fix_problem_request(const fix_problem *p, const problem_access *access, uint32_t warp,
                         const smp_fix_form *form, smp_access *out);

/* Reads "[32][33]", "Swizzle<5,0,5>", "(c + r * 2) % 24", "i + i / 8", "i ^ (i>>5 & 0x3)" and what
 * they are put together from, as a form of `p`; false if it is none of them. */
bool fix_problem_form(const fix_problem *p, const char *text, size_t length, smp_fix_form *out);
