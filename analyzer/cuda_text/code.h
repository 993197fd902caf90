/* SPDX-License-Identifier: MIT */
/*
 * Code for a stack machine that runs all 32 lanes of a warp at once: integers by C's rules,
 * offsets of objects in memory, and accesses in order. Internal to the analyzer.
 *
 * Integers are int, unsigned, long long or unsigned long long, converted by C's usual arithmetic
 * conversions. Operands are never bool, char or short: a cast to these truncates and gives an
 * int. threadIdx, blockIdx, blockDim, gridDim, laneid and warpid are unsigned, as in CUDA;
 * warpSize is int. Comparisons and logic give int 0 or 1. && || ?: evaluate only the lanes that
 * C would evaluate. Division by zero, signed overflow and shift counts outside the type are errors
 * in active lanes. A left shift of a signed value wraps, as in C++20; a right shift is arithmetic.
 *
 * Memory contents, floating-point values and results of unknown functions are unknown, and so is
 * everything computed from them. An unknown value that decides an address, or whether a lane
 * takes part in an access, is an error that names its origin.
 */
#pragma once

#include <string.h>

#include "list.h"
#include "smp_model.h"
#include "text_buffer.h" /* TEXT_CUT */

enum {
    CT_EXPR_STACK_MAX = 128,  /* depth of the stack */
    CT_EXPR_CODE_MAX = 65536, /* instructions of one layout */
    CT_SLOTS_MAX = 512,
};

#define CT_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* ---- Words ---- */

/* A piece of text, not terminated. */
typedef struct ct_word {
    const char *text;
    size_t length;
} ct_word;

static inline bool ct_word_is(ct_word a, ct_word b) {
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static inline ct_word ct_word_of(const char *text) {
    return (ct_word){text, strlen(text)};
}

/* For messages: "%.*s". */
#define CT_WORD(word) (int)(word).length, (word).text

/* ---- Values ---- */

/* Types of integer arithmetic in C's order of conversion rank. An int64_t holds the integer, sign-
 * or zero-extended. CT_DATA is anything else and is always unknown. */
typedef enum ct_kind { CT_I32, CT_U32, CT_I64, CT_U64, CT_DATA } ct_kind;
extern const char *const ct_kind_names[]; /* "unsigned"; "float" for data */

/* Values of one variable in all lanes. */
typedef int64_t ct_lanes_value[SMP_LANES];

/* Lanes whose value is unknown, and the instruction that made it so. */
typedef struct ct_unknown {
    uint32_t lanes, origin;
} ct_unknown;

/* Why a value is unknown. */
typedef enum ct_reason {
    CT_REASON_NAME,    /* an undeclared name */
    CT_REASON_FLOAT,   /* floating-point arithmetic */
    CT_REASON_CALL,    /* the result of an unknown function */
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
    CT_CODE_CAST, /* slot: bits of the target type; kind: its signedness */
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
    CT_CODE_OR_BEGIN, /* c: lanes where c is false stay active */
    CT_CODE_AND_END,  /* c a -> c && a */
    CT_CODE_OR_END,
    CT_CODE_THEN,  /* c: lanes where c is true stay active */
    CT_CODE_ELSE,  /* c a: the other lanes become active */
    CT_CODE_PICK,  /* c a b -> c ? a : b */
    CT_CODE_INDEX, /* offset index -> offset + index x value; index < limit */
    CT_CODE_MODE,  /* the same, by the strides of dimension `slot` of `mode`; SMP_DIMS_MAX: a linear
                      index */
    CT_CODE_SWIZZLE, /* byte offset -> byte offset, by the swizzle of `mode` */
    CT_CODE_UNKNOWN, /* push; value: ct_reason, limit: length of `name` */
    CT_CODE_MERGE,   /* `slot` operands -> unknown */
    CT_CODE_SET,     /* value -> value, stored in `slot`; limit: bits it is cast to, or 0 */
    CT_CODE_SWAP,
    CT_CODE_DROP,
    CT_CODE_CALL,   /* runs statement `value`, whose code is the next `limit` instructions */
    CT_CODE_ACCESS, /* access `slot`; value: ct_access_form; kind: CT_ACCESS_HAS_... */
} ct_code_op;

static inline bool ct_op_compares(ct_code_op op) {
    return op >= CT_CODE_EQ && op <= CT_CODE_GE;
}

enum {
    CT_ACCESS_HAS_RANK = 1, /* the rank is below the operands */
    CT_ACCESS_HAS_DATA = 2  /* reads an integer whose value may be given */
};

/* Effect of an access on the stack. */
typedef enum ct_access_form {
    CT_TAKES_OFFSET,  /* offset -> unknown */
    CT_KEEPS_OFFSET,  /* offset -> offset */
    CT_STORES_VALUE,  /* value offset -> value */
    CT_TAKES_OPERAND, /* offset operand -> unknown */
    CT_TAKES_SOURCE,  /* offset offset of the source -> unknown */
    CT_READS_VALUE,   /* offset -> value: the array's data are given */
} ct_access_form;

struct smp_mode_table;

typedef struct ct_expr_instruction {
    uint8_t op;   /* ct_code_op */
    uint8_t kind; /* ct_kind of the operation */
    uint16_t slot;
    int32_t position; /* column, for messages */
    uint32_t line;
    int64_t value;
    int64_t limit;
    union {
        const struct smp_mode_table *mode;
        const char *name; /* in the caller's text */
    };
} ct_expr_instruction;

/* All code of a layout: a list (base/list.h). ct_emit may move its items. */
typedef struct ct_expr_code {
    uint32_t count;
    ct_expr_instruction *items;
} ct_expr_code;

typedef struct ct_slot_set {
    uint64_t bits[CT_SLOTS_MAX / 64];
} ct_slot_set;

void ct_slots_add(ct_slot_set *set, unsigned slot);
bool ct_slots_meet(const ct_slot_set *a, const ct_slot_set *b);
void ct_slots_unite(ct_slot_set *set, const ct_slot_set *with);

/* One expression: instructions that leave one value. */
typedef struct ct_program {
    uint32_t start, count;
    ct_slot_set reads, writes;
} ct_program;

/* Slots of the built-in variables; others follow. */
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

/* An access made by the lanes of `mask`; the values of other lanes are unspecified. */
typedef struct ct_access {
    unsigned site;
    uint32_t mask;
    const int64_t *offset, *source, *ranks; /* source: of a copy; ranks: blocks of the cluster */
} ct_access;
typedef smp_status (*ct_access_fn)(void *user, const ct_access *access);

/* Reads given data in the lanes of `mask`. */
typedef smp_status (*ct_read_fn)(void *user, unsigned site, uint32_t mask,
                                 const ct_lanes_value offset, ct_lanes_value out, smp_error *error);

/* Active lanes; those in `unsure` are active only if the unknown value of instruction `doubt` says
 * so. */
typedef struct ct_active {
    uint32_t mask, unsure, doubt;
} ct_active;

/* Runs a function's body in the active lanes. */
typedef smp_status (*ct_call_fn)(void *user, uint32_t statement, const ct_active *active);

/* Variables of a warp, and handlers for its accesses. */
typedef struct ct_lanes_state {
    ct_lanes_value *slots;
    ct_unknown *unknown;
    ct_active active;
    ct_access_fn access; /* NULL: ignore accesses */
    ct_read_fn read;     /* NULL: no data given */
    ct_call_fn call;     /* NULL: ignore calls */
    void *user;
    smp_error *error;
    uint32_t error_line;
    bool is_reported; /* the access handler or a call has filled `error` */
} ct_lanes_state;

/* Runs `program`; values of inactive lanes are unspecified. On failure error->position is a column
 * in error_line, and the message names the lane. */
smp_status ct_program_run(const ct_expr_code *code, const ct_program *program,
                          ct_lanes_state *state, ct_lanes_value out, ct_unknown *out_unknown);

/* Converts a value to a type of `bits` bits; 1 is bool. */
int64_t ct_integer_cast(int64_t value, unsigned bits, bool is_signed);

/* Lanes with a value other than 0. */
uint32_t ct_lanes_true(const ct_lanes_value v);

/* Describes the origin of an unknown value: "what is read from 'a' (line 3)". */
void ct_origin_describe(const ct_expr_instruction *origin, char *text, size_t size);
/* True if the value is unknown for this reason. */
static inline bool ct_origin_is(const ct_expr_instruction *origin, ct_reason reason) {
    return origin->op == CT_CODE_UNKNOWN && origin->value == (int64_t)reason;
}
/* Its name for messages: "%.*s"; and the message for an undeclared one. */
#define CT_ORIGIN_NAME(origin) TEXT_CUT((origin)->name, (int)(origin)->limit, 40)
#define CT_NAME_UNKNOWN "unknown name '%.*s' ('define' makes a constant, 'for' a loop)"
