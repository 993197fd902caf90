/* SPDX-License-Identifier: MIT */
/* Operations, a row each. Part of smp_model.h, which includes it. */
#ifndef SMP_MODEL_OP_H
#define SMP_MODEL_OP_H

#include "smp_arch.h"

typedef enum smp_op {
    SMP_LD_SHARED,
    SMP_ST_SHARED,
    SMP_ATOM_SHARED,
    SMP_ATOM_SHARED_CAS,
    SMP_RED_SHARED,
    SMP_RED_SHARED_INC,
    SMP_LDMATRIX_X1,
    SMP_LDMATRIX_X2,
    SMP_LDMATRIX_X4,
    SMP_LDMATRIX_X1_TRANS,
    SMP_LDMATRIX_X2_TRANS,
    SMP_LDMATRIX_X4_TRANS,
    SMP_STMATRIX_X1,
    SMP_STMATRIX_X2,
    SMP_STMATRIX_X4,
    SMP_STMATRIX_X1_TRANS,
    SMP_STMATRIX_X2_TRANS,
    SMP_STMATRIX_X4_TRANS,
    SMP_CP_ASYNC,    /* through L1; 16 bytes past it (.cg) */
    SMP_CP_ASYNC_CA, /* 16 bytes through L1 */
    SMP_LD_GLOBAL,
    SMP_ST_GLOBAL,
    SMP_RED_GLOBAL,
    SMP_LD_CLUSTER,
    SMP_ST_CLUSTER,
    SMP_ATOM_CLUSTER,
    SMP_OP_COUNT
} smp_op;

typedef enum smp_space {
    SMP_SPACE_SHARED,  /* the block's own shared memory: wavefronts */
    SMP_SPACE_COPY,    /* global to shared (cp.async): both sides */
    SMP_SPACE_GLOBAL,  /* global memory: transactions */
    SMP_SPACE_CLUSTER, /* another block's shared memory: sectors */
} smp_space;

typedef struct smp_op_row {
    smp_op op;           /* its own index */
    const char *name;    /* "ld.shared": the OP of the batch format */
    const char *summary; /* one line */
    const char *sass;    /* machine instruction on CC 9.0, "LDS" */
    smp_space space;
    bool is_load;        /* pair rule and 1.x broadcast apply to loads only */
    bool lanes_merge;    /* lanes on one word share a pass; false: each lane costs one */
    uint8_t passes;      /* every pass is made this many times (compare-and-swap: 2) */
    uint8_t lanes;       /* only lanes 0 .. lanes-1 give an address (ldmatrix.x1: 8) */
    uint8_t fixed_group; /* lanes a group whatever the width, 0: by the rule of the width */
    uint8_t widths;      /* bit i: 2^i bytes per lane are possible */
    uint8_t first_cc;    /* 10 x major + minor of the first CC that has it */
    /* Evidence letters (smp_evidence_letter) by width (up to 4, 8, 16 bytes a lane) and by
     * generation, oldest first. */
    char evidence[3][SMP_GENERATION_COUNT + 1];
    const char *source;
    const char *note; /* what a user should know, or NULL */
} smp_op_row;

/* True for a copy past L1 (.cg): no wavefronts, and sectors by a rule of its own. */
bool smp_op_bypasses_l1(smp_op op, uint32_t width_bytes);

/* All rows in the order of smp_op; *count (may be NULL) is set. */
const smp_op_row *smp_ops(size_t *count);
/* Finds a row by its name; also "ld", "st", "atom", "red", "cas" for the shared ones. NULL if none.
 */
const smp_op_row *smp_op_find(const char *name);
/* How well `op` at `width_bytes` is known on `arch`. */
smp_evidence smp_op_evidence(const smp_arch *arch, smp_op op, unsigned width_bytes);
/* The fewest wavefronts that `lanes` active lanes can need. smp_counts.ideal is the smaller of this
 * and the wavefronts themselves. */
uint32_t smp_op_ideal(smp_op op, uint32_t lanes, uint32_t width_bytes);
/* Cycles per request below which in-kernel clocks measure something other than its wavefronts; 0:
 * unknown. */
double smp_clock_floor(const smp_arch *arch, smp_op op, unsigned width_bytes);

#endif
