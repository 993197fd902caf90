/* SPDX-License-Identifier: MIT */
/*
 * What a thread computes, as code for a stack machine that runs all 32 lanes of a warp at once:
 * integers by C's rules, the offsets of objects in memory, and the accesses in their order.
 * Internal to the analyzer.
 *
 * Integers are int, unsigned, long long or unsigned long long; operands are brought to a common
 * type by C's usual arithmetic conversions (bool, char and short do not occur as operands: casts to
 * them truncate and give an int). threadIdx, blockIdx, blockDim, gridDim, laneid and warpid
 * are unsigned, as in CUDA; warpSize is int. Comparisons and logic give int 0 or 1. && || ?:
 * evaluate only the lanes that C would evaluate. Division by zero, signed overflow and shift counts
 * outside the type are errors in the lanes that are active; a left shift of a signed value wraps,
 * as in C++20; a right shift of one is arithmetic.
 *
 * What memory holds, floating-point arithmetic, and what unknown functions return is not followed:
 * such a lane's value is unknown, and so is all that is made of it. An unknown value that decides
 * an address, or whether a lane takes part in an access, is an error that names where it comes
 * from.
 */
#pragma once

#include <string.h>

#include "smp_model.h"

enum {
    CT_EXPR_STACK_MAX = 128,  /* values waiting at once */
    CT_EXPR_CODE_MAX = 65536, /* instructions of one layout */
    CT_SLOTS_MAX = 512,
};

#define CT_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* ---- Words ---- */

/* A piece of a text, which is not terminated. */
typedef struct ct_word {
    const char *text;
    size_t length;
} ct_word;

static inline bool ct_word_is(ct_word a, ct_word b) {
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* One for messages: "%.*s". */
#define CT_WORD(word) (int)(word).length, (word).text

/* ---- Values ---- */

/* The types in which integers are computed, in C's order of conversion rank. An integer is kept in
 * an int64_t, sign- or zero-extended; data is whatever is no integer, and never known. */
typedef enum ct_kind { CT_I32, CT_U32, CT_I64, CT_U64, CT_DATA } ct_kind;

/* The values of one variable in all lanes. */
typedef int64_t ct_lanes_value[SMP_LANES];

/* Lanes without a known value, and the instruction that it comes from. */
typedef struct ct_unknown {
    uint32_t lanes, origin;
} ct_unknown;

/* Why an instruction gives no known value. */
typedef enum ct_reason {
    CT_REASON_NAME,    /* a name that nothing declares */
    CT_REASON_FLOAT,   /* floating-point arithmetic */
    CT_REASON_CALL,    /* what an unknown function returns */
    CT_REASON_UNSET,   /* a variable before its first value */
    CT_REASON_LOCAL,   /* elements of local arrays and structs */
    CT_REASON_ADDRESS, /* an address as a number */
    CT_REASON_GIVEN,   /* a parameter without a value */
} ct_reason;

/* ---- Code ---- */

typedef enum ct_code_op {
    CT_CODE_CONST, /* push value */
    CT_CODE_SLOT,  /* push slot */
    CT_CODE_NEG,
    CT_CODE_NOT,
    CT_CODE_LOGIC_NOT,
    CT_CODE_CAST, /* slot: bits of the type cast to; kind: signedness */
    CT_CODE_ABS,
    CT_CODE_LAST_UNARY = CT_CODE_ABS,
    CT_CODE_ADD,
    CT_CODE_SUB,
    CT_CODE_MUL,
    CT_CODE_DIV,
    CT_CODE_MOD,
    CT_CODE_SHL,
    CT_CODE_SHR,
    CT_CODE_AND,
    CT_CODE_OR,
    CT_CODE_XOR,
    CT_CODE_EQ,
    CT_CODE_NE,
    CT_CODE_LT,
    CT_CODE_LE,
    CT_CODE_GT,
    CT_CODE_GE,
    CT_CODE_MIN,
    CT_CODE_MAX,
    CT_CODE_LAST_BINARY = CT_CODE_MAX,
    CT_CODE_AND_BEGIN, /* lanes where the top is true go on */
    CT_CODE_OR_BEGIN,  /* lanes where the top is false go on */
    CT_CODE_AND_END,
    CT_CODE_OR_END,
    CT_CODE_THEN,    /* c: lanes where the top is true go on */
    CT_CODE_ELSE,    /* c a: the other lanes go on */
    CT_CODE_PICK,    /* c a b -> c ? a : b */
    CT_CODE_INDEX,   /* offset index -> offset + index x value, index below limit */
    CT_CODE_MODE,    /* the same through the strides of dimension `slot` of the layout `mode`;
                         SMP_DIMS_MAX: of all together */
    CT_CODE_SWIZZLE, /* byte offset -> byte offset, through the swizzle of the layout `mode` */
    CT_CODE_UNKNOWN, /* push; value: ct_reason, limit: length of `name` */
    CT_CODE_MERGE,   /* `slot` operands -> unknown */
    CT_CODE_SET,     /* value -> value in `slot`; limit: bits that it is cast to, or 0 */
    CT_CODE_SWAP,
    CT_CODE_DROP,
    CT_CODE_CALL,    /* runs statement `value`; `limit` instructions of it follow */
    CT_CODE_BARRIER, /* of the block: all of its threads must get here */
    CT_CODE_ACCESS,  /* access `slot`; value: ct_access_form; kind: CT_ACCESS_HAS_... */
} ct_code_op;

enum {
    CT_ACCESS_HAS_RANK = 1, /* it lies below */
    CT_ACCESS_HAS_DATA = 2  /* an integer is read whose value may be given */
};

/* What an access takes from the stack -> leaves there. */
typedef enum ct_access_form {
    CT_TAKES_OFFSET,  /* offset -> unknown */
    CT_KEEPS_OFFSET,  /* offset -> offset */
    CT_STORES_VALUE,  /* value offset -> value */
    CT_TAKES_OPERAND, /* offset operand -> unknown */
    CT_TAKES_SOURCE,  /* offset offset of the source -> unknown */
    CT_READS_VALUE,   /* offset -> value: what is there is given */
} ct_access_form;

struct smp_mode_table;

typedef struct ct_expr_instruction {
    uint8_t op;   /* ct_code_op */
    uint8_t kind; /* ct_kind that it is computed in */
    uint16_t slot;
    int32_t position; /* in its line, for messages */
    uint32_t line;
    int64_t value;
    int64_t limit;
    union {
        const struct smp_mode_table *mode;
        const char *name; /* in the caller's text */
    };
} ct_expr_instruction;

/* All code of one layout: a list (base/list.h), whose items move where ct_emit adds one. */
typedef struct ct_expr_code {
    uint32_t count;
    ct_expr_instruction *items;
} ct_expr_code;

typedef struct ct_slot_set {
    uint64_t bits[CT_SLOTS_MAX / 64];
} ct_slot_set;

void ct_slots_add(ct_slot_set *set, unsigned slot);
bool ct_slots_has(const ct_slot_set *set, unsigned slot);
bool ct_slots_meet(const ct_slot_set *a, const ct_slot_set *b);
void ct_slots_unite(ct_slot_set *set, const ct_slot_set *with);
bool ct_slots_empty(const ct_slot_set *set);

/* One expression: a run of instructions that leaves one value. */
typedef struct ct_program {
    uint32_t start, count;
    ct_kind kind;
    ct_slot_set reads, writes;
} ct_program;

/* Slots of the built-in variables; the caller's follow. */
enum {
    CT_SLOT_THREAD = 0,
    CT_SLOT_BLOCK = 3,
    CT_SLOT_BLOCK_DIM = 6,
    CT_SLOT_GRID_DIM = 9,
    CT_SLOT_LANE = 12,
    CT_SLOT_WARP = 13,
    CT_SLOT_FREE = 14,
};

/* ---- Evaluation ---- */

/* One access that the lanes of `mask` make; offsets of the others are unspecified. `operand` is the
 * source of a copy, `ranks` the blocks of the cluster. */
typedef smp_status (*ct_access_fn)(void *user, unsigned site, uint32_t mask,
                                   const ct_lanes_value offset, const ct_lanes_value source,
                                   const ct_lanes_value ranks);

/* What the lanes of `mask` read there. */
typedef smp_status (*ct_read_fn)(void *user, unsigned site, uint32_t mask,
                                 const ct_lanes_value offset, ct_lanes_value out, smp_error *error);

/* Which lanes run, and which of them only perhaps, because of the instruction `doubt`. */
typedef struct ct_active {
    uint32_t mask, unsure, doubt;
} ct_active;

/* Runs a function's body for those lanes. */
typedef smp_status (*ct_call_fn)(void *user, uint32_t statement, const ct_active *active);

/* Lanes that are at a barrier. */
typedef smp_status (*ct_barrier_fn)(void *user, const ct_active *active,
                                    const ct_expr_instruction *at, smp_error *error);

/* The variables of a warp, and what happens to its accesses. */
typedef struct ct_lanes_state {
    ct_lanes_value *slots;
    ct_unknown *unknown;   /* of each slot */
    uint32_t mask;         /* lanes that run */
    uint32_t unsure;       /* of these: only perhaps, as data decides */
    uint32_t doubt;        /* the instruction that made them unsure */
    ct_access_fn access;   /* NULL: accesses are passed over */
    ct_read_fn read;       /* NULL: no data is given */
    ct_call_fn call;       /* NULL: nothing calls */
    ct_barrier_fn barrier; /* NULL: barriers are passed over */
    void *user;
    smp_error *error;
    uint32_t error_line;
    bool is_reported; /* the access function, or a call, filled the error */
} ct_lanes_state;

/* Runs `program`; values of lanes that do not run are unspecified. On failure error->position is in
 * line error_line and the message names the lane. */
smp_status ct_program_run(const ct_expr_code *code, const ct_program *program,
                          ct_lanes_state *state, ct_lanes_value out, ct_unknown *out_unknown);

/* The value of a program of constants; false: it fails. */
bool ct_constant_run(const ct_expr_code *code, const ct_program *program, int64_t *value);

/* The value in a type of so many bits; 1 is bool. */
int64_t ct_integer_cast(int64_t value, unsigned bits, bool is_signed);

/* Lanes whose value is not 0. */
uint32_t ct_lanes_true(const ct_lanes_value v);

/* "what is read from 'a' (line 3)", for an unknown value. */
void ct_origin_describe(const ct_expr_instruction *origin, char *text, size_t size);
