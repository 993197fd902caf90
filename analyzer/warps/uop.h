/* SPDX-License-Identifier: MIT */
/*
 * A kernel's machine code, decoded once for one launch: micro-operations over rows of 32 lanes.
 *
 * A row is one 32-bit value for each lane of a warp. A warp's file of rows holds its registers,
 * then its uniform registers (as rows of 32 equal values, so that both kinds of instruction share
 * their code), then rows for discarded writes (RZ) and scratch rows. A second file, owned by the
 * program, holds what is constant during a launch: zeros, immediates and constants, with negation
 * and absolute value already applied. So an operand is an offset into one of two files.
 */
#pragma once

#include "disassembly.h"

#define EMU_ALIGN 64

enum {
    ROW = SMP_LANES, /* values in a row */
    ROW_BYTES = 4 * ROW,
    ROW_UNIFORM = 256, /* UR0; the last is UR62 up to 9.0, UR79 on 10.0 and 12.0 */
    ROW_SINK = 384,    /* 16 rows: writes to RZ and URZ */
    ROW_SOURCE = 400,  /* 4 rows for each of 3 operands, after their modifiers */
    ROW_RESULT = 412,  /* 16 rows: results when some lanes are inactive */
    ROW_RETURN = 428,  /* Rpc.LO and Rpc.HI, where code for 10.0 also keeps other values */
    ROW_COUNT = 430,
    ROWS_ZERO = 16,     /* in the constant file */
    PREDICATE_TRUE = 7, /* PT; 8 to 14 are UP0 to UP6, 15 is UPT */
    PREDICATE_NOT = 16, /* in a predicate operand: inverted */
    PREDICATES = 16,
    BARRIER_REGISTERS = 16, /* B0 to B15 */
    OPERANDS_CHANGED_ROWS = 4,
};

/* Applied to an operand before use. */
typedef enum emu_modifier {
    MODIFIER_NONE,
    MODIFIER_NEGATE, /* integer */
    MODIFIER_NOT,
    MODIFIER_FLOAT,  /* sign bits: absolute value, then negation; rows of 32-bit floats */
    MODIFIER_DOUBLE, /* the same for the high row of a pair */
    MODIFIER_HALF,   /* two halves per word: swizzle, absolute value, negation */
} emu_modifier;

enum { SIGN_ABSOLUTE = 1, SIGN_NEGATE = 2 };
enum { HALF_BOTH, HALF_LOW, HALF_HIGH };

typedef struct emu_operand {
    int32_t offset;   /* in bytes; bit 0: in the constant file */
    uint8_t modifier; /* emu_modifier */
    uint8_t sign;     /* SIGN_... */
    uint8_t half;     /* HALF_... */
    uint8_t rows;     /* 0: no operand; `offset` is that of zeros */
} emu_operand;

/* Whether both are the same registers or constants, or both none. */
static inline bool emu_is_one_operand(const emu_operand *a, const emu_operand *b) {
    return a->rows == b->rows && (a->rows == 0 || a->offset == b->offset);
}

typedef struct emu_warp emu_warp;
typedef struct uop uop;

/* Arguments of an operation: rows of its operands, and lane masks of its predicates. */
typedef struct lane_args {
    uint32_t *d;
    const uint32_t *a, *b, *c;
    uint32_t p, q, r;      /* input predicates */
    uint32_t p_out, q_out; /* output predicates; undefined for inactive lanes */
    uint32_t exec;         /* active lanes */
    const uop *u;
    emu_warp *warp;
} lane_args;

typedef void (*lane_fn)(lane_args *x);
/* Runs the operations from `u` up to `end`, all of one kind, for `lanes` (fused_ops.c). */
typedef void (*run_fn)(emu_warp *warp, const uop *u, const uop *end, uint32_t lanes);

typedef enum uop_kind {
    /* Poisons what it writes; imm: memory may be written, too. If it reads a constant beyond the
     * end of bank 3, `target` is its place and imm2 its size in bytes. */
    UOP_UNKNOWN,
    UOP_LANES, /* computes by `fn` */
    UOP_NOP,
    UOP_MEMORY,
    UOP_BSSY,
    UOP_BREAK,
    UOP_BMOV_TO_REGISTER,
    UOP_BMOV_TO_BARRIER,
    UOP_BMOV_BETWEEN, /* from `target` */
    UOP_BARRIER_RESULT,
    UOP_CLUSTER_ARRIVE,
    UOP_BRANCH, /* from here on: decides where the group continues, and whether */
    UOP_BRANCH_INDEXED,
    UOP_CALL,
    UOP_CALL_ADDRESS, /* to the address in a register pair: code or a driver function */
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
/* imm2 of UOP_BRANCH_INDEXED: within the function, or a call. */
enum { INDEXED_JUMP, INDEXED_CALL };

enum { WARPSYNC_PLAIN, WARPSYNC_EXCLUSIVE, WARPSYNC_COLLECTIVE };

/* A bit of imm2 of UOP_BARRIER: the barrier of a warpgroup. */
enum { BARRIER_OF_WARPGROUP = 8 };
/* imm of UOP_NOP: the order that it establishes; imm2: how many groups may stay pending. */
typedef enum emu_order {
    ORDER_NONE,
    ORDER_LANES,       /* NOP: what remains of __syncwarp() where lanes have converged */
    ORDER_FENCE,       /* for all threads of the GPU */
    ORDER_FENCE_BLOCK, /* for the threads of the block */
    ORDER_INVALIDATE,  /* values observed by loads may be used from here on */
    ORDER_PROXY,
    ORDER_COPIES_COMMIT, /* for cp.async */
    ORDER_COPIES_WAIT,   /* for cp.async and bulk copies */
    ORDER_STORES_COMMIT,
    ORDER_MATRIX_WAIT,
    ORDER_LAUNCH_WAIT, /* waits for the previous launch */
    ORDER_LAUNCH_NEXT, /* lets the next launch begin */
} emu_order;

typedef enum memory_kind {
    MEMORY_LOAD,
    MEMORY_STORE,
    MEMORY_ATOMIC,
    MEMORY_MATRIX_LOAD,
    MEMORY_MATRIX_STORE,
    MEMORY_COPY,  /* global to shared */
    MEMORY_QUERY, /* asks which space an address is in */
    MEMORY_CONSTANT,
    MEMORY_SYNC,      /* a barrier in shared memory */
    MEMORY_TEXTURE,   /* and surfaces: texture_act */
    MEMORY_WARPGROUP, /* a matrix product with operands in shared memory */
    MEMORY_BULK_COPY, /* many bytes, from or to shared memory */
    MEMORY_TENSOR_COPY,
    MEMORY_ASYNC_STORE, /* signals a barrier of the block that it stores to */
} memory_kind;

typedef enum sync_op {
    SYNC_EXCHANGE,
    SYNC_ARRIVE,
    SYNC_TEST,   /* has the phase completed */
    SYNC_COPIED, /* arrives once the thread's copies have completed */
} sync_op;

/* Source of the number of arrivals or of expected bytes. */
typedef enum sync_count {
    COUNT_NONE,
    COUNT_ONE,
    COUNT_MINUS_ONE,
    COUNT_OPERAND,
    COUNT_MINUS, /* the operand, negated */
} sync_count;

/* `act` of MEMORY_TEXTURE. */
typedef enum texture_act {
    TEXTURE_SAMPLES,
    TEXTURE_FETCHES, /* integer coordinates */
    TEXTURE_GATHERS,
    SURFACE_LOADS,
    SURFACE_STORES,
} texture_act;

/* `type` of MEMORY_TEXTURE; the last two are layered: the layer comes before the coordinates. */
typedef enum texture_shape_kind {
    SHAPE_LINE,
    SHAPE_PLANE,
    SHAPE_SPACE,
    SHAPE_CUBE,
    SHAPE_LINES,
    SHAPE_PLANES,
} texture_shape_kind;

typedef enum bulk_copy { BULK_TO_SHARED, BULK_FROM_SHARED, BULK_BETWEEN_BLOCKS } bulk_copy;

/* Element types of matrix products; floats come first. */
typedef enum matrix_type {
    MATRIX_F16,
    MATRIX_BF16,
    MATRIX_TF32,
    MATRIX_E4M3,
    MATRIX_E5M2,
    MATRIX_S8,
    MATRIX_U8,
    MATRIX_B1,
} matrix_type;

/* imm of a warp's: bytes along the depth, types of A and B, rows of A / 8. */
#define MATRIX_SHAPE(bytes, a, b, blocks) \
    ((uint32_t)(bytes) | (uint32_t)(a) << 8 | (uint32_t)(b) << 12 | (uint32_t)(blocks) << 16)

enum {
    MATRIX_NEGATES_A = 1,
    MATRIX_NEGATES_B = 2,
    MATRIX_TRANSPOSES_A = 4, /* rows are contiguous in memory, instead of depth */
    MATRIX_TRANSPOSES_B = 8,
    MATRIX_SATURATES = 16,
    MATRIX_COMMITS = 32, /* last of its group */
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
    uint8_t scale; /* left shift of the base */
    bool is_wide;  /* the base is a pair */
    bool is_uniform_wide;
    bool is_base_unsigned;
} memory_address;

/* The fields that loads and stores use share a cache line. */
typedef struct uop_memory {
    _Alignas(EMU_ALIGN) memory_address at;
    memory_kind kind;
    memory_space space;
    uint32_t sites;      /* index of this instruction's first site slot */
    uint8_t width_bytes; /* per lane */
    uint8_t extend;      /* for loads below 4 bytes: 0 zero-extends, 1 sign-extends */
    bool is_strong;      /* in the memory model: it may order what blocks do */
    bool is_narrow;      /* ... only for threads of one block */
    memory_address from; /* global side of a copy */
    uint8_t matrices;
    bool is_transposed;
    bool returns; /* an atomic whose result is used */
    uint8_t act;  /* atomic_op; of barriers sync_op; of textures texture_act */
    uint8_t type;
    uint8_t arrivals, transactions; /* sync_count */
    uint8_t bulk;                   /* bulk_copy */
    bool leaves;                    /* barriers: an arriving thread drops out */
    bool is_multicast;              /* bulk copies */
    bool reduces;                   /* copies and stores: reduces by `act` and `type` */
    bool fills_zeros; /* copies: the low bits of the address count zero-filled bytes */
    uint8_t bank;     /* for MEMORY_CONSTANT */
    uint16_t columns; /* for matrix products */
    uint8_t type_b;   /* for matrix products: matrix_type, as `type` is for A; MATRIX_... */
    uint8_t flags;
    uint8_t depth; /* for matrix products; for tensor copies: dimensions */
    bool is_half;  /* sums are halves */
    uint8_t query; /* 'S', 'L', 'G', or 'D' for the cluster's shared memory */
} uop_memory;

struct uop {
    uint8_t kind;
    uint8_t guard; /* predicate index, with PREDICATE_NOT */
    uint8_t p, q, r, p_out, q_out;
    uint8_t d_rows;
    bool ignores_exec; /* uniform: executed for all lanes of the row */
    int32_t d;         /* in bytes, in the warp's file */
    union {
        struct {
            emu_operand a, b, c;
        };
        emu_operand sources[3]; /* the same */
    };
    lane_fn fn;
    run_fn run;              /* NULL: use `fn` */
    uint32_t run_length;     /* operations from this one on that can run together */
    uint32_t straight;       /* length of the straight-line code from this one on */
    uint32_t imm, imm2;      /* depends on the operation */
    uint32_t target;         /* instruction index */
    int32_t memory;          /* index into uop_memory, or -1 */
    uint32_t series;         /* load_chains.h: number plus 1, or 0 */
    int32_t series_distance; /* in bytes, from the addresses of its first member */
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
    uint32_t registers, uniform_registers; /* rows that instructions use */
    emu_bank banks[EMU_BANKS];
    const uint64_t *address; /* of symbols that are variables; else 0 */
    uint64_t *own_address;   /* the same, if owned by the program */
    uint8_t grid_barrier[64];
    uint32_t reserved_place,
        reserved_bytes; /* the part of reserved shared memory that code may use */
    uint8_t *
        parameters; /* bank 0 up to and including the parameters, if the code takes their address */
} emu_program;

/* What a memory instruction does; NULL for another instruction. */
static inline const uop_memory *emu_memory_of(const emu_program *program, const uop *u) {
    return u->memory >= 0 ? &program->memory[u->memory] : NULL;
}
