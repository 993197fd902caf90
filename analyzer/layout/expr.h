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
#ifndef SMP_EXPR_H
#define SMP_EXPR_H

#include "smp_model.h"

enum {
    SMP_EXPR_DEPTH_MAX = 100,  /* nested parentheses, operators and calls */
    SMP_EXPR_STACK_MAX = 128,  /* values waiting at once */
    SMP_EXPR_CODE_MAX = 65536, /* instructions of one layout */
    SMP_SLOTS_MAX = 512,
};

/* ---- Values ---------------------------------------------------------------------------- */

/* In C's order of conversion rank. An integer is kept in an int64_t, sign- or zero-extended; data
 * is whatever is no integer, and never known. */
typedef enum smp_kind { SMP_I32, SMP_U32, SMP_I64, SMP_U64, SMP_DATA } smp_kind;

/* The values of one variable in all lanes. */
typedef int64_t smp_lanes_value[SMP_LANES];

/* Lanes without a known value, and the instruction that it comes from. */
typedef struct smp_unknown {
    uint32_t lanes, origin;
} smp_unknown;

/* Why an instruction gives no known value. */
typedef enum smp_reason {
    SMP_REASON_NAME,    /* a name that nothing declares */
    SMP_REASON_FLOAT,   /* floating-point arithmetic */
    SMP_REASON_CALL,    /* what an unknown function returns */
    SMP_REASON_UNSET,   /* a variable before its first value */
    SMP_REASON_LOCAL,   /* elements of local arrays and structs */
    SMP_REASON_ADDRESS, /* an address as a number */
    SMP_REASON_GIVEN,   /* a parameter without a value */
    SMP_REASON_LANES,   /* exchanged with a lane that takes no part */
} smp_reason;

/* ---- Code ------------------------------------------------------------------------------ */

typedef enum smp_code_op {
    SMP_CODE_CONST, /* push value */
    SMP_CODE_SLOT,  /* push slot */
    SMP_CODE_NEG,
    SMP_CODE_NOT,
    SMP_CODE_LOGIC_NOT,
    SMP_CODE_CAST, /* slot: bits of the type cast to; kind: signedness */
    SMP_CODE_ABS,
    SMP_CODE_POPC,
    SMP_CODE_BREV,
    SMP_CODE_FFS,
    SMP_CODE_CLZ,
    SMP_CODE_LAST_UNARY = SMP_CODE_CLZ,
    SMP_CODE_ADD,
    SMP_CODE_SUB,
    SMP_CODE_MUL,
    SMP_CODE_DIV,
    SMP_CODE_MOD,
    SMP_CODE_SHL,
    SMP_CODE_SHR,
    SMP_CODE_AND,
    SMP_CODE_OR,
    SMP_CODE_XOR,
    SMP_CODE_EQ,
    SMP_CODE_NE,
    SMP_CODE_LT,
    SMP_CODE_LE,
    SMP_CODE_GT,
    SMP_CODE_GE,
    SMP_CODE_MIN,
    SMP_CODE_MAX,
    SMP_CODE_MUL24,
    SMP_CODE_MULHI,
    SMP_CODE_LAST_BINARY = SMP_CODE_MULHI,
    SMP_CODE_FUNNEL_L, /* low high shift */
    SMP_CODE_FUNNEL_R,
    SMP_CODE_FUNNEL_LC, /* the shift is at most 32 */
    SMP_CODE_FUNNEL_RC,
    SMP_CODE_PERMUTE, /* x y selector: __byte_perm */
    SMP_CODE_LAST_TERNARY = SMP_CODE_PERMUTE,
    SMP_CODE_AND_BEGIN, /* lanes where the top is true go on */
    SMP_CODE_OR_BEGIN,  /* lanes where the top is false go on */
    SMP_CODE_AND_END,
    SMP_CODE_OR_END,
    SMP_CODE_THEN,        /* c: lanes where the top is true go on */
    SMP_CODE_ELSE,        /* c a: the other lanes go on */
    SMP_CODE_PICK,        /* c a b -> c ? a : b */
    SMP_CODE_INDEX,       /* offset index -> offset + index x value, index below limit */
    SMP_CODE_MODE,        /* the same through the strides of dimension `slot` of the layout `mode`;
                             SMP_DIMS_MAX: of all together */
    SMP_CODE_SWIZZLE,     /* byte offset -> byte offset, through the swizzle of the layout `mode` */
    SMP_CODE_POSITION,    /* the same in a local array: an unknown index gives an unknown place */
    SMP_CODE_ELEMENT,     /* place -> value of `slot` + place, which is below limit */
    SMP_CODE_SET_ELEMENT, /* value place -> value in `slot` + place, which is below value; limit: as
                             of SET */
    SMP_CODE_UNKNOWN,     /* push; value: smp_reason, limit: length of `name` */
    SMP_CODE_MERGE,       /* `slot` operands -> unknown */
    SMP_CODE_SET,         /* value -> value in `slot`; limit: bits that it is cast to, or 0 */
    SMP_CODE_SWAP,
    SMP_CODE_DROP,
    SMP_CODE_SHUFFLE, /* value lane width -> value of that lane; slot: smp_shuffle */
    SMP_CODE_VOTE,    /* predicate -> ; slot: smp_vote */
    SMP_CODE_CALL,    /* runs statement `value`; `limit` instructions of it follow */
    SMP_CODE_BARRIER, /* of the block: all of its threads must get here */
    SMP_CODE_ACCESS,  /* access `slot`; value: smp_access_form; kind: SMP_ACCESS_HAS_... */
} smp_code_op;

typedef enum smp_shuffle {
    SMP_SHUFFLE_IDX,
    SMP_SHUFFLE_UP,
    SMP_SHUFFLE_DOWN,
    SMP_SHUFFLE_XOR
} smp_shuffle;
typedef enum smp_vote { SMP_VOTE_BALLOT, SMP_VOTE_ANY, SMP_VOTE_ALL, SMP_VOTE_ACTIVE } smp_vote;

enum {
    SMP_ACCESS_HAS_RANK = 1, /* it lies below */
    SMP_ACCESS_HAS_DATA = 2  /* an integer is read whose value may be given */
};

/* What an access takes from the stack -> leaves there. */
typedef enum smp_access_form {
    SMP_TAKES_OFFSET,  /* offset -> unknown */
    SMP_KEEPS_OFFSET,  /* offset -> offset */
    SMP_STORES_VALUE,  /* value offset -> value */
    SMP_TAKES_OPERAND, /* offset operand -> unknown */
    SMP_TAKES_SOURCE,  /* offset offset of the source -> unknown */
    SMP_READS_VALUE,   /* offset -> value: what is there is given */
} smp_access_form;

struct smp_mode_table;
typedef struct smp_parser smp_parser; /* parse.h */

typedef struct smp_expr_instruction {
    uint8_t op;   /* smp_code_op */
    uint8_t kind; /* smp_kind that it is computed in */
    uint16_t slot;
    int32_t position; /* in its line, for messages */
    uint32_t line;
    int64_t value;
    int64_t limit;
    union {
        const struct smp_mode_table *mode;
        const char *name; /* in the caller's text */
    };
} smp_expr_instruction;

/* All code of one layout: a list (base/list.h), whose items move where smp_emit adds one. */
typedef struct smp_expr_code {
    uint32_t count;
    smp_expr_instruction *items;
} smp_expr_code;

typedef struct smp_slot_set {
    uint64_t bits[SMP_SLOTS_MAX / 64];
} smp_slot_set;

void smp_slots_add(smp_slot_set *set, unsigned slot);
bool smp_slots_has(const smp_slot_set *set, unsigned slot);
bool smp_slots_meet(const smp_slot_set *a, const smp_slot_set *b);
void smp_slots_unite(smp_slot_set *set, const smp_slot_set *with);
bool smp_slots_empty(const smp_slot_set *set);

/* One expression: a run of instructions that leaves one value. */
typedef struct smp_program {
    uint32_t start, count;
    smp_kind kind;
    smp_slot_set reads, writes;
} smp_program;

/* Slots of the built-in variables; the caller's follow. */
enum {
    SMP_SLOT_THREAD = 0,
    SMP_SLOT_BLOCK = 3,
    SMP_SLOT_BLOCK_DIM = 6,
    SMP_SLOT_GRID_DIM = 9,
    SMP_SLOT_LANE = 12,
    SMP_SLOT_WARP = 13,
    SMP_SLOT_FREE = 14,
};

/* ---- Built-in functions ---------------------------------------------------------------- */

typedef struct smp_expr_function {
    const char *name;
    smp_code_op op;
    uint8_t arguments;
    uint8_t bits; /* of the arguments, 0: any, by the usual conversions; 33: signed, of 32 */
} smp_expr_function;

const smp_expr_function *smp_function_find(const char *name, size_t length);
/* threadIdx and the like: *slot is that of .x, *dimensions 3, or 1 if it has no members. */
bool smp_builtin_find(const char *name, size_t length, uint16_t *slot, unsigned *dimensions);

/* ---- Evaluation ------------------------------------------------------------------------ */

/* One access that the lanes of `mask` make; offsets of the others are unspecified. `operand` is the
 * source of a copy, `ranks` the blocks of the cluster. */
typedef smp_status (*smp_access_fn)(void *user, unsigned site, uint32_t mask,
                                    const smp_lanes_value offset, const smp_lanes_value source,
                                    const smp_lanes_value ranks);

/* What the lanes of `mask` read there. */
typedef smp_status (*smp_read_fn)(void *user, unsigned site, uint32_t mask,
                                  const smp_lanes_value offset, smp_lanes_value out,
                                  smp_error *error);

/* Which lanes run, and which of them only perhaps, because of the instruction `doubt`. */
typedef struct smp_active {
    uint32_t mask, unsure, doubt;
} smp_active;

/* Runs a function's body for those lanes. */
typedef smp_status (*smp_call_fn)(void *user, uint32_t statement, const smp_active *active);

/* Lanes that are at a barrier. */
typedef smp_status (*smp_barrier_fn)(void *user, const smp_active *active,
                                     const smp_expr_instruction *at, smp_error *error);

/* The variables of a warp, and what happens to its accesses. */
typedef struct smp_lanes_state {
    smp_lanes_value *slots;
    smp_unknown *unknown;   /* of each slot */
    uint32_t mask;          /* lanes that run */
    uint32_t unsure;        /* of these: only perhaps, as data decides */
    uint32_t doubt;         /* the instruction that made them unsure */
    smp_access_fn access;   /* NULL: accesses are passed over */
    smp_read_fn read;       /* NULL: no data is given */
    smp_call_fn call;       /* NULL: nothing calls */
    smp_barrier_fn barrier; /* NULL: barriers are passed over */
    void *user;
    smp_error *error;
    uint32_t error_line;
    bool is_reported; /* the access function, or a call, filled the error */
} smp_lanes_state;

/* Runs `program`; values of lanes that do not run are unspecified. On failure error->position is in
 * line error_line and the message names the lane. */
smp_status smp_program_run(const smp_expr_code *code, const smp_program *program,
                           smp_lanes_state *state, smp_lanes_value out, smp_unknown *out_unknown);

/* The value in a type of so many bits; 1 is bool. */
int64_t smp_integer_cast(int64_t value, unsigned bits, bool is_signed);

/* Lanes whose value is not 0. */
uint32_t smp_lanes_true(const smp_lanes_value v);

/* "what is read from 'a' (line 3)", for an unknown value. */
void smp_origin_describe(const smp_expr_instruction *origin, char *text, size_t size);

#endif
