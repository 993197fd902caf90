/* SPDX-License-Identifier: MIT */
/*
 * Integer expressions in CUDA's own syntax, compiled to postfix code that is evaluated for all 32
 * lanes of a warp at once. Internal to the analyzer.
 *
 * Semantics: every value is int, unsigned, long long or unsigned long long; operands are brought
 * to a common type by C's usual arithmetic conversions (bool, char and short do not occur as
 * operands: casts to them truncate and give an int). threadIdx, blockIdx, blockDim, gridDim, laneid
 * and warpid are unsigned, as in CUDA; warpSize and loop variables are int. Comparisons and logic
 * give int 0 or 1. && || ?: evaluate only the lanes that C would evaluate. Division by zero, signed
 * overflow and shift counts outside the type are errors in the lanes that are active; a left shift
 * of a signed value wraps, as in C++20; a right shift of one is arithmetic.
 */
#ifndef SMP_EXPR_H
#define SMP_EXPR_H

#include "smp_model.h"

enum {
    SMP_EXPR_DEPTH_MAX = 100,  /* nested parentheses, operators and calls */
    SMP_EXPR_STACK_MAX = 128,  /* values waiting at once */
    SMP_EXPR_CODE_MAX = 16384, /* instructions of one layout */
    SMP_SYMBOLS_MAX = 96,
    SMP_SLOTS_MAX = 64,
};

/* ---- Values ---------------------------------------------------------------------------- */

/* In C's order of conversion rank. A value is kept in an int64_t, sign- or zero-extended. */
typedef enum smp_kind { SMP_I32, SMP_U32, SMP_I64, SMP_U64 } smp_kind;

/* The values of one variable in all lanes. */
typedef int64_t smp_lanes_value[SMP_LANES];

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
    SMP_CODE_LAST_BINARY = SMP_CODE_MAX,
    SMP_CODE_AND_BEGIN, /* lanes where the top is true go on */
    SMP_CODE_OR_BEGIN,  /* lanes where the top is false go on */
    SMP_CODE_AND_END,
    SMP_CODE_OR_END,
    SMP_CODE_THEN,    /* c: lanes where the top is true go on */
    SMP_CODE_ELSE,    /* c a: the other lanes go on */
    SMP_CODE_PICK,    /* c a b -> c ? a : b */
    SMP_CODE_INDEX,   /* offset index -> offset + index x value, index below limit */
    SMP_CODE_MODE,    /* the same through the strides of dimension `slot` of the layout `mode` */
    SMP_CODE_SWIZZLE, /* byte offset -> byte offset, through the swizzle of the layout `mode` */
} smp_code_op;

struct smp_mode_table;

typedef struct smp_instruction {
    uint8_t op;   /* smp_code_op */
    uint8_t kind; /* smp_kind that it is computed in */
    uint16_t slot;
    int32_t position; /* in the text, for messages */
    int64_t value;
    int64_t limit;
    const struct smp_mode_table *mode;
} smp_instruction;

/* All code of one layout, in one fixed array of the caller. */
typedef struct smp_code {
    uint32_t count;
    smp_instruction items[SMP_EXPR_CODE_MAX];
} smp_code;

/* One expression: a run of instructions. */
typedef struct smp_program {
    uint32_t start, count;
    smp_kind kind;
    uint64_t slots; /* bit s: slot s is read */
} smp_program;

/* ---- Names ----------------------------------------------------------------------------- */

typedef struct smp_symbol {
    const char *name; /* in the caller's text */
    size_t length;
    bool is_constant;
    smp_kind kind;
    int64_t value; /* of a constant */
    uint16_t slot; /* else */
} smp_symbol;

typedef struct smp_scope {
    size_t count;
    smp_symbol symbols[SMP_SYMBOLS_MAX];
} smp_scope;

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

const smp_symbol *smp_scope_find(const smp_scope *scope, const char *name, size_t length);

/* ---- Tokens ---------------------------------------------------------------------------- */

typedef enum smp_token_kind {
    SMP_TOKEN_END,
    SMP_TOKEN_NUMBER,
    SMP_TOKEN_NAME,
    SMP_TOKEN_PUNCT, /* code: its characters, first one in the low byte */
    SMP_TOKEN_BAD,
} smp_token_kind;

typedef struct smp_token {
    smp_token_kind kind;
    uint32_t code;
    size_t position, length;
    uint64_t value;       /* of a number */
    smp_kind number_kind; /* by C's rules for literals */
} smp_token;

#define SMP_PUNCT1(a) ((uint32_t)(a))
#define SMP_PUNCT2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)

/* ---- Parser ---------------------------------------------------------------------------- */

/* Reads one text. The first error sticks: `status` is set, and everything after it fails. */
typedef struct smp_parser {
    const char *text;
    size_t length;
    smp_token token; /* the next one, not yet taken */
    const smp_scope *scope;
    smp_code *code;
    smp_error *error; /* may be NULL */
    smp_status status;
    unsigned depth, stack, stack_max;
    uint64_t slots; /* read by the program being parsed */
} smp_parser;

void smp_parser_init(smp_parser *parser, const char *text, size_t length, const smp_scope *scope,
                     smp_code *code, smp_error *error);
/* Takes the current token and reads the next. */
void smp_parser_next(smp_parser *parser);
/* Goes to `position` of the text and reads the token there. */
void smp_parser_seek(smp_parser *parser, size_t position);
/* The token after the current one. */
smp_token smp_parser_peek(const smp_parser *parser);
bool smp_parser_is(const smp_parser *parser, uint32_t punct);
bool smp_parser_is_name(const smp_parser *parser, const char *name);
bool smp_token_is_name(const smp_parser *parser, const smp_token *token, const char *name);
/* Takes the token if it is that one. */
bool smp_parser_accept(smp_parser *parser, uint32_t punct);
bool smp_parser_accept_name(smp_parser *parser, const char *name);
/* Takes it, or fails with "expected 'what'". */
bool smp_parser_expect(smp_parser *parser, uint32_t punct);
/* Fails unless the text ends here; a final ';' is allowed. */
bool smp_parser_expect_end(smp_parser *parser);
/* Fails at `position`; always false. */
bool smp_parser_fail(smp_parser *parser, smp_status status, size_t position, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
/* Copies a token, cut to fit, and returns `out`. */
const char *smp_token_copy(const smp_parser *parser, const smp_token *token, char *out,
                           size_t size);
/* The text of a token, for messages: "%.*s". */
#define SMP_TOKEN_TEXT(parser, token) \
    (int)((token).length < 40 ? (token).length : 40), (parser)->text + (token).position

/* Parses one expression and appends its code; *kind is its type. */
bool smp_expr_parse(smp_parser *parser, smp_kind *kind);
/* One summand: stops before + and -, and before all that binds weaker. */
bool smp_expr_term(smp_parser *parser, smp_kind *kind);
/* An expression as a whole program. */
bool smp_expr_program(smp_parser *parser, smp_program *out);
/* Parses an expression that must be constant; leaves no code. */
bool smp_expr_constant(smp_parser *parser, int64_t *value, smp_kind *kind);
/* The same, within [least, most]; `what` names it in the message. */
bool smp_expr_constant_in(smp_parser *parser, const char *what, int64_t least, int64_t most,
                          int64_t *value);

struct smp_integer_type;
/* Appends the conversion of the value on top to `type`. */
bool smp_expr_cast(smp_parser *parser, struct smp_integer_type type, size_t position,
                   smp_kind *kind);
/* Appends one instruction; folds constants. `operands` are taken from the stack, one is left. */
bool smp_emit(smp_parser *parser, smp_instruction instruction, unsigned operands);

/* ---- Built-in functions ---------------------------------------------------------------- */

typedef struct smp_function {
    const char *name;
    smp_code_op op;
    uint8_t arguments;
    uint8_t bits; /* of the argument, 0: any, by the usual conversions */
} smp_function;

const smp_function *smp_function_find(const char *name, size_t length);
/* threadIdx and the like: *slot is that of .x, *dimensions 3, or 1 if it has no members. */
bool smp_builtin_find(const char *name, size_t length, uint16_t *slot, unsigned *dimensions);

/* ---- Evaluation ------------------------------------------------------------------------ */

/* Evaluates `program` in the lanes of `mask`; `slots` are the variables. The values of other lanes
 * are unspecified. On failure error->position is in the program's text and the message names
 * the lane. */
smp_status smp_program_run(const smp_code *code, const smp_program *program,
                           const smp_lanes_value *slots, uint32_t mask, smp_lanes_value out,
                           smp_error *error);

#endif
