/* SPDX-License-Identifier: MIT */
/*
 * A kernel's machine code, decoded once for one launch: micro-operations over rows of 32 lanes.
 *
 * A row is one 32-bit value of each lane of a warp. A warp's file of rows holds its registers, then
 * its uniform registers (as rows of 32 equal values, so that both kinds of instruction share their
 * code), then rows to throw away (writes to RZ) and rows to compute in. A second file, of the
 * program, holds what does not change during a launch: zeros, immediates and constants, with
 * negation and absolute value already applied. So an operand is an offset into one of two files.
 */
#pragma once

#include "disassembly.h"

#define EMU_ALIGN 64

enum {
    ROW = SMP_LANES, /* values in a row */
    ROW_BYTES = 4 * ROW,
    ROW_UNIFORM = 256, /* UR0; UR62 is the last one up to 9.0, UR79 on 10.0 and 12.0 */
    ROW_SINK = 384,    /* 16 rows: what is written to RZ and URZ */
    ROW_SOURCE = 400,  /* 4 rows for each of 3 operands, changed by their modifiers */
    ROW_RESULT = 412,  /* 16 rows: results of some lanes only */
    ROW_RETURN = 428,  /* Rpc.LO and Rpc.HI, which code of 10.0 also keeps other values in */
    ROW_COUNT = 430,
    ROWS_ZERO = 16,     /* of the constant file */
    PREDICATE_TRUE = 7, /* PT; 8 to 14 are UP0 to UP6, 15 is UPT */
    PREDICATE_NOT = 16, /* in a predicate operand: negated */
    PREDICATES = 16,
    BARRIER_REGISTERS = 16, /* B0 to B15 */
    OPERANDS_CHANGED_ROWS = 4,
};

/* What is done to an operand before it is used. */
typedef enum emu_modifier {
    MODIFIER_NONE,
    MODIFIER_NEGATE, /* integer */
    MODIFIER_NOT,
    MODIFIER_FLOAT,  /* sign bits: absolute value, then negation; of rows of 32-bit floats */
    MODIFIER_DOUBLE, /* of the high row of a pair */
    MODIFIER_HALF,   /* two halves a row: swizzle, absolute value, negation */
} emu_modifier;

enum { SIGN_ABSOLUTE = 1, SIGN_NEGATE = 2 };
enum { HALF_BOTH, HALF_LOW, HALF_HIGH };

typedef struct emu_operand {
    int32_t offset;   /* bytes; bit 0: in the constant file */
    uint8_t modifier; /* emu_modifier */
    uint8_t sign;     /* SIGN_... */
    uint8_t half;     /* HALF_... */
    uint8_t rows;     /* 0: no operand; `offset` is that of zeros */
} emu_operand;

typedef struct emu_warp emu_warp;
typedef struct uop uop;

/* What an operation gets: rows of its operands, and masks of the lanes where predicates hold. */
typedef struct lane_args {
    uint32_t *d;
    const uint32_t *a, *b, *c;
    uint32_t p, q, r;      /* predicates in */
    uint32_t p_out, q_out; /* predicates out; of lanes that do not take part: anything */
    uint32_t exec;         /* lanes that take part */
    const uop *u;
    emu_warp *warp;
} lane_args;

typedef void (*lane_fn)(lane_args *x);
/* Runs the operations from `u` up to `end`, all of one kind, for `lanes` (fused_ops.c). */
typedef void (*run_fn)(emu_warp *warp, const uop *u, const uop *end, uint32_t lanes);

typedef enum uop_kind {
    UOP_UNKNOWN, /* poisons what it writes */
    UOP_LANES,   /* computes: `fn` */
    UOP_NOP,
    UOP_MEMORY,
    UOP_BSSY,
    UOP_BREAK,
    UOP_BMOV_TO_REGISTER,
    UOP_BMOV_TO_BARRIER,
    UOP_BMOV_BETWEEN, /* from `target` */
    UOP_BARRIER_RESULT,
    UOP_CLUSTER_ARRIVE,
    UOP_BRANCH, /* from here on: what decides where the group goes on, and whether */
    UOP_BRANCH_INDEXED,
    UOP_CALL,
    UOP_CALL_ADDRESS, /* in a pair of registers: of code, or of the driver's functions */
    UOP_RETURN,
    UOP_RETURN_ADDRESS,
    UOP_EXIT,
    UOP_BSYNC,
    UOP_WARPSYNC, /* imm: WARPSYNC_... */
    UOP_COLLECTIVE_END,
    UOP_BARRIER,
    UOP_CLUSTER_WAIT,
    UOP_YIELD,
    UOP_TRAP,
} uop_kind;

/* imm2 of UOP_BRANCH. */
enum { BRANCH_ALWAYS, BRANCH_DIVIDED, BRANCH_CONVERGED, BRANCH_ANY };
/* imm2 of UOP_BRANCH_INDEXED: inside of a function, or of another one. */
enum { INDEXED_JUMP, INDEXED_CALL };

enum { WARPSYNC_PLAIN, WARPSYNC_EXCLUSIVE, WARPSYNC_COLLECTIVE };

/* A bit of imm2 of UOP_BARRIER: of the four warps of a warpgroup. */
enum { BARRIER_OF_WARPGROUP = 8 };
/* imm of UOP_NOP: which order it makes; imm2: how many groups may be left. */
typedef enum emu_order {
    ORDER_NONE,
    ORDER_LANES,       /* NOP: all that is left of __syncwarp() where lanes are together */
    ORDER_FENCE,       /* for all threads of the GPU */
    ORDER_FENCE_BLOCK, /* for those of the block */
    ORDER_INVALIDATE,  /* what a load has observed may be used from here on */
    ORDER_PROXY,
    ORDER_COPIES_COMMIT, /* of cp.async */
    ORDER_COPIES_WAIT,   /* and of bulk copies */
    ORDER_STORES_COMMIT,
    ORDER_MATRIX_WAIT,
    ORDER_LAUNCH_WAIT, /* for the launch in front */
    ORDER_LAUNCH_NEXT, /* the next one may begin */
} emu_order;

typedef enum memory_kind {
    MEMORY_LOAD,
    MEMORY_STORE,
    MEMORY_ATOMIC,
    MEMORY_MATRIX_LOAD,
    MEMORY_MATRIX_STORE,
    MEMORY_COPY,  /* global to shared */
    MEMORY_QUERY, /* which space an address is in */
    MEMORY_CONSTANT,
    MEMORY_SYNC,      /* a barrier in shared memory */
    MEMORY_TEXTURE,   /* and surfaces: texture_act */
    MEMORY_WARPGROUP, /* a matrix product with operands in shared memory */
    MEMORY_BULK_COPY, /* many bytes at once, from or to shared memory */
    MEMORY_TENSOR_COPY,
    MEMORY_ASYNC_STORE, /* arrives at a barrier of the block that it stores to */
} memory_kind;

typedef enum sync_op {
    SYNC_EXCHANGE,
    SYNC_ARRIVE,
    SYNC_TEST,   /* whether a phase is over */
    SYNC_COPIED, /* arrives when the thread's copies have */
} sync_op;

/* How many arrive, or how many bytes are awaited. */
typedef enum sync_count {
    COUNT_NONE,
    COUNT_ONE,
    COUNT_MINUS_ONE,
    COUNT_OPERAND,
    COUNT_MINUS, /* the operand, negated */
} sync_count;

/* `atomic` of MEMORY_TEXTURE. */
typedef enum texture_act {
    TEXTURE_SAMPLES,
    TEXTURE_FETCHES, /* by whole numbers */
    TEXTURE_GATHERS,
    SURFACE_LOADS,
    SURFACE_STORES,
} texture_act;

/* `type` of MEMORY_TEXTURE; the last two are layers, whose number comes before a place. */
typedef enum texture_shape_kind {
    SHAPE_LINE,
    SHAPE_PLANE,
    SHAPE_SPACE,
    SHAPE_CUBE,
    SHAPE_LINES,
    SHAPE_PLANES,
} texture_shape_kind;

typedef enum bulk_copy { BULK_TO_SHARED, BULK_FROM_SHARED, BULK_BETWEEN_BLOCKS } bulk_copy;

/* Elements of products of four warps. */
typedef enum warpgroup_type {
    WARPGROUP_F16,
    WARPGROUP_BF16,
    WARPGROUP_TF32,
    WARPGROUP_E4M3,
    WARPGROUP_E5M2,
    WARPGROUP_S8,
    WARPGROUP_U8,
    WARPGROUP_B1,
} warpgroup_type;

enum {
    WARPGROUP_NEGATES_A = 1,
    WARPGROUP_NEGATES_B = 2,
    WARPGROUP_TRANSPOSES_A = 4, /* rows are innermost in memory, not depth */
    WARPGROUP_TRANSPOSES_B = 8,
    WARPGROUP_SATURATES = 16,
    WARPGROUP_COMMITS = 32, /* the last of its group */
};

typedef enum memory_space {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
} memory_space;

typedef enum atomic_op {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCHANGE,
    ATOMIC_CAS,
    ATOMIC_POPC_INC,
    ATOMIC_CAST_SPIN,
} atomic_op;

typedef enum atomic_type {
    TYPE_U32,
    TYPE_S32,
    TYPE_U64,
    TYPE_S64,
    TYPE_F32,
    TYPE_F64,
    TYPE_F16X2,
    TYPE_BF16X2,
} atomic_type;

/* An address: register + uniform register + number. */
typedef struct memory_address {
    emu_operand base;    /* rows 0: none */
    emu_operand uniform; /* rows 0: none */
    int64_t offset_bytes;
    uint8_t scale; /* the base is shifted left by so many bits */
    bool is_wide;  /* the base is a pair */
    bool is_uniform_wide;
    bool is_base_unsigned;
} memory_address;

/* What a load or store asks for is in one line of the CPU's cache. */
typedef struct uop_memory {
    _Alignas(EMU_ALIGN) memory_address at;
    memory_kind kind;
    memory_space space;
    uint32_t sites;      /* first of this instruction's site slots */
    uint8_t width_bytes; /* per lane */
    uint8_t extend;      /* of loads below 4 bytes: 0 zeros, 1 sign */
    bool is_strong;      /* in the memory model: it may order what blocks do */
    bool is_narrow;      /* ... of threads of one block only */
    memory_address from; /* the global side of a copy */
    uint8_t matrices;
    bool is_transposed;
    bool returns;                   /* an atomic whose result is used */
    uint8_t atomic, type;           /* `atomic` of barriers: sync_op */
    uint8_t arrivals, transactions; /* sync_count */
    uint8_t bulk;                   /* bulk_copy */
    bool leaves;  /* of barriers: who arrives comes no more; of bulk copies: to several blocks */
    bool reduces; /* of copies and stores: by `atomic` and `type` */
    bool fills_zeros; /* of copies: the address's low bits are bytes that are zero instead */
    uint8_t bank;     /* of MEMORY_CONSTANT */
    uint16_t columns; /* of matrix products */
    uint8_t type_b;   /* of matrix products: warpgroup_type, as `type` is of A; WARPGROUP_... */
    uint8_t flags;
    uint8_t depth; /* of matrix products; of tensor copies: dimensions */
    bool is_half;  /* sums are halves */
    uint8_t query; /* 'S', 'L', 'G' */
} uop_memory;

struct uop {
    uint8_t kind;
    uint8_t guard; /* predicate index, with PREDICATE_NOT */
    uint8_t p, q, r, p_out, q_out;
    uint8_t d_rows;
    bool ignores_exec; /* uniform: all lanes of the row, whoever is active */
    int32_t d;         /* bytes in the warp's file */
    emu_operand a, b, c;
    lane_fn fn;
    run_fn run;              /* NULL: through `fn` */
    uint32_t run_length;     /* how many from this one on can run together */
    uint32_t straight;       /* how many from this one on come one after the other */
    uint32_t imm, imm2;      /* by operation */
    uint32_t target;         /* instruction index */
    int32_t memory;          /* index into uop_memory; -1: none */
    uint32_t series;         /* load_chains.h: its number plus 1; 0: of none */
    int32_t series_distance; /* in bytes, from its first member's addresses */
    uint16_t series_place;   /* 0: the first member */
};

typedef struct emu_bank {
    uint8_t *bytes;
    uint32_t size_bytes;
} emu_bank;

enum { EMU_BANKS = 8 };

typedef struct emu_program {
    const smp_code *code;
    const smp_function *function;
    uint32_t cc;
    uop *uops;
    uint32_t count;
    uop_memory *memory;
    uint32_t memory_count;
    struct emu_chain *series;
    uint32_t *series_members, series_count;
    uint32_t *constants; /* rows */
    uint32_t constant_rows, constant_room;
    uint32_t registers, uniform_registers; /* rows that instructions name */
    uint32_t unknown_count;                /* instructions without a meaning here */
    emu_bank banks[EMU_BANKS];
    const uint64_t *address; /* of symbols that are variables; else 0 */
    uint64_t *own_address;   /* where they are the program's own */
    uint8_t grid_barrier[64];
    uint32_t reserved_place, reserved_bytes; /* of reserved shared memory, what code may use */
    uint8_t *parameters; /* bank 0 up to them, where the code asks for their address */
} emu_program;

/* Decodes the function; banks must be filled. SMP_E_MEMORY or SMP_OK: an instruction without a
 * meaning is UOP_UNKNOWN. */
smp_status emu_decode(emu_program *program, smp_error *error);
void emu_program_clear(emu_program *program);

/* A constant as rows of the program's file: its offset; -1: out of memory. */
int32_t emu_constant(emu_program *program, const uint32_t *values, unsigned rows);

/* fused_ops.c: After decoding: operations on constants alone become constants; what has a function
 * here gets it, and how many of one kind follow one another. False: out of memory. */
bool emu_plan(emu_program *program);

/* Applies an operand's modifier. */
void emu_modify(const emu_operand *operand, const uint32_t *in, uint32_t *out);
