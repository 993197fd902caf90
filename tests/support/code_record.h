/* SPDX-License-Identifier: MIT */
/*
 * What a compiled fix says of itself, one record after the other in a file. Written
 * by the C++ of code_source.c, read by the tests in C.
 */
#pragma once

#include <stdint.h>

enum { CODE_LANES = 32 };

typedef enum code_record_kind {
    CODE_ARRAY,  /* how an array is declared */
    CODE_ACCESS, /* one request of a warp: what each lane touches */
    CODE_WALK,   /* the same for up to 32 places of the whole index space */
    CODE_OUTSIDE /* an index outside its dimension */
} code_record_kind;

typedef struct code_record {
    uint32_t layout, kind;
    uint32_t number;      /* of the array or the access */
    uint32_t mask;        /* lanes that take part */
    uint32_t size, align; /* of the object, or of the array */
    uint32_t before_size; /* of the object as it was */
    uint32_t is_same;     /* the array's element type is that of before */
    /* Bytes from the start of the array of before; from the start of shared memory, or of the
     * dynamic part of it; from the start of the global array. */
    uint64_t before[CODE_LANES], after[CODE_LANES], global[CODE_LANES];
} code_record;
