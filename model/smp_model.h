/* SPDX-License-Identifier: MIT */
/*
 * smp_model.h: what one warp-level memory instruction costs, computed.
 *
 * Words used here, in the sense that NVIDIA's documents and profilers give them:
 *   request     one instruction executed by one warp.
 *   bank        one of the parallel, 4- or 8-byte-wide columns of shared memory.
 *   word        what one bank delivers in one pass; its index is offset / bank bytes.
 *   row         one word of every bank: banks x bank bytes consecutive bytes.
 *   wavefront   one pass of the data stage (older tools say transaction).
 *   group       the lanes that are served together; a wide access has several groups.
 *   ways        in one group, the most distinct words on one bank (for atomics: the most
 *               lanes); for a request, the worst group. 1 is free of conflicts.
 *   ideal       min(wavefronts, ceil(lanes x bytes / 128)), twice that for compare-and-swap.
 *   excess      wavefronts - ideal: what a better address pattern would save.
 *   sector      32 consecutive, aligned bytes of global or remote shared memory.
 *
 * The model is pure: no input or output, no allocation, no mutable globals. Every struct
 * belongs to the caller; every string that a struct points to is static. All functions are
 * safe to call from several threads.
 *
 * What the model assumes is listed at the head of model/predict.c; each hardware fact names
 * its source in arch.c, op.c and rule.c.
 */
#ifndef SMP_MODEL_H
#define SMP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a public header begins and ends with: C names, which the shared library exports. */
#ifdef __cplusplus
#define SMP_C_BEGIN extern "C" {
#define SMP_C_END }
#else
#define SMP_C_BEGIN
#define SMP_C_END
#endif
#if defined(__GNUC__)
#define SMP_API_BEGIN SMP_C_BEGIN _Pragma("GCC visibility push(default)")
#define SMP_API_END _Pragma("GCC visibility pop") SMP_C_END
#else
#define SMP_API_BEGIN SMP_C_BEGIN
#define SMP_API_END SMP_C_END
#endif

SMP_API_BEGIN

#define SMP_VERSION "0.1.0"
#define SMP_LANES 32
#define SMP_GROUPS_MAX 8
#define SMP_ALL_LANES 0xffffffffu
/* Blocks of a cluster, and where their number begins in an address of shared memory. */
#define SMP_CLUSTER_BLOCKS_MAX 16
#define SMP_BLOCK_SHIFT 24

/* ---- Status ---- */

/* One row a status: name, exit status of the command line, message. */
#define SMP_STATUS_LIST(X)                                                      \
    X(SMP_OK, 0, "success")                                                     \
    X(SMP_E_USAGE, 2, "wrong usage")                                            \
    X(SMP_E_UNKNOWN_ARCH, 2, "unknown architecture")                            \
    X(SMP_E_UNKNOWN_OP, 2, "unknown operation")                                 \
    X(SMP_E_WIDTH, 2, "width not available for this operation")                 \
    X(SMP_E_MASK, 2, "no lane is active")                                       \
    X(SMP_E_OP_UNAVAILABLE, 3, "operation does not exist on this architecture") \
    X(SMP_E_BANK_MODE, 2, "bank mode not available on this architecture")       \
    X(SMP_E_MISALIGNED, 3, "address not aligned to the access width")           \
    X(SMP_E_RANGE, 3, "address outside the block's shared memory")              \
    X(SMP_E_OVERFLOW, 2, "number too large")                                    \
    X(SMP_E_EXISTS, 2, "output file exists")                                    \
    X(SMP_E_NO_GNUPLOT, 2, "gnuplot not found")                                 \
    X(SMP_E_SYNTAX, 3, "syntax error")                                          \
    X(SMP_E_READ, 3, "input could not be read")                                 \
    X(SMP_E_WRITE, 3, "output could not be written")                            \
    X(SMP_E_NOT_MODELLED, 0, "not modelled")                                    \
    X(SMP_E_COUNTERS_LOCKED, 4, "GPU performance counters are locked")          \
    X(SMP_E_NOT_BUILT, 77, "built without the CUDA toolkit")                    \
    X(SMP_E_NO_DRIVER, 77, "no NVIDIA driver")                                  \
    X(SMP_E_NO_GPU, 77, "no NVIDIA GPU")                                        \
    X(SMP_E_DRIVER_OLD, 5, "NVIDIA driver older than the CUDA runtime")         \
    X(SMP_E_NO_CUPTI, 5, "libcupti not found")                                  \
    X(SMP_E_PROFILER_BUSY, 5, "another profiler is attached to the GPU")        \
    X(SMP_E_CHIP, 5, "GPU not supported by the profiler library")               \
    X(SMP_E_CUDA, 5, "CUDA error")                                              \
    X(SMP_E_CUPTI, 5, "CUPTI error")                                            \
    X(SMP_E_RESULT, 5, "kernel result differs from the CPU reference")          \
    X(SMP_E_MEMORY, 5, "out of memory")                                         \
    X(SMP_E_INTERRUPTED, 130, "interrupted")                                    \
    X(SMP_E_INTERNAL, 5, "internal error")

typedef enum smp_status {
#define SMP_STATUS_ENUM(name, exit_status, message) name,
    SMP_STATUS_LIST(SMP_STATUS_ENUM)
#undef SMP_STATUS_ENUM
        SMP_STATUS_COUNT
} smp_status;

/* Name, as in "SMP_E_WIDTH"; static string, never NULL. */
const char *smp_status_name(smp_status status);
/* One line without a full stop; static string, never NULL. */
const char *smp_status_message(smp_status status);
/* The exit status of a program that ends with it (README.md, "For programs"). */
int smp_status_exit(smp_status status);

/* What went wrong, and where: `position` is a column in a text (0-based) or a lane, -1 if
 * neither applies. `message` is a whole clear line without a full stop. */
typedef struct smp_error {
    smp_status status;
    int position;
    char message[256];
} smp_error;

/* Fills *error (may be NULL) from a printf format and returns `status`. */
smp_status smp_error_set(smp_error *error, smp_status status, int position, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
/* The same with SMP_E_MEMORY and "out of memory". */
smp_status smp_error_memory(smp_error *error);

/* Called from time to time by functions that take long; returning false stops them. */
typedef bool (*smp_progress_fn)(void *user, size_t done, size_t total);

/* ---- Evidence ---- */

/* How well a rule is known for one operation on one generation, best first. A prediction
 * whose evidence is ASSUMED must be shown as such; OPEN is never shown as a number. */
typedef enum smp_evidence {
    SMP_MEASURED,   /* 'M' by this project's probes, recorded in probes/recorded */
    SMP_DOCUMENTED, /* 'D' by NVIDIA */
    SMP_PUBLISHED,  /* 'P' measured and published by others */
    SMP_ASSUMED,    /* 'A' carried over from a neighbouring generation */
    SMP_OPEN,       /* '?' no rule is known, or it depends on data */
    SMP_ABSENT,     /* '-' the operation does not exist there */
    SMP_EVIDENCE_COUNT
} smp_evidence;

/* "measured", "documented", ...; static. */
const char *smp_evidence_name(smp_evidence evidence);
/* The letter used in tables. */
char smp_evidence_letter(smp_evidence evidence);

/* ---- Architectures ---- */

typedef enum smp_generation {
    SMP_TESLA,     /* CC 1.x */
    SMP_FERMI,     /* 2.x */
    SMP_KEPLER,    /* 3.x */
    SMP_MAXWELL,   /* 5.x */
    SMP_PASCAL,    /* 6.x */
    SMP_VOLTA,     /* 7.0, 7.2 */
    SMP_TURING,    /* 7.5 */
    SMP_AMPERE,    /* 8.0, 8.6, 8.7 */
    SMP_ADA,       /* 8.9 */
    SMP_HOPPER,    /* 9.0 */
    SMP_BLACKWELL, /* 10.x, 11.0, 12.x */
    SMP_GENERATION_COUNT
} smp_generation;

/* How a global-memory request is split into transactions (rule.c). */
typedef enum smp_global_rule {
    SMP_GLOBAL_STRICT,   /* 1.0, 1.1: all or nothing in a half-warp */
    SMP_GLOBAL_SEGMENTS, /* 1.2, 1.3: shrinking segments in a half-warp */
    SMP_GLOBAL_LINES,    /* 2.x: 128-byte lines for cached loads, else 32-byte segments */
    SMP_GLOBAL_SECTORS,  /* 3.x and later: 32-byte sectors over the warp */
} smp_global_rule;

/* Widths 1, 2, 4, 8, 16 bytes a lane, by their base-2 logarithm. */
#define SMP_WIDTH_COUNT 5

/* How shared memory groups and merges the lanes of a request: one row for each kind of hardware
 * (rule.c). */
typedef struct smp_shared_rule {
    const char *name;
    /* Lanes that are served together, by log2 of the width. */
    uint8_t group_lanes[SMP_WIDTH_COUNT];
    /* Passes that a group may need in addition to those for its words, by log2 of the width. They
     * count as ways. */
    uint8_t extra_passes[SMP_WIDTH_COUNT];
    /* Bytes that one pass can deliver: offsets that differ by this many fall on the same bank. More
     * than banks x bank bytes in Kepler's 4-byte mode: see smp_bank_pairs_words. */
    uint16_t period_bytes;
    /* Wide loads whose lanes agree in pairs are served in groups of twice as many lanes. */
    bool pair_rule;
    /* CC 1.x: each half-warp makes a request for each 4 bytes, and each step broadcasts one word,
     * so counts are ranges (half_warp.c). */
    bool half_warps;
    const char *source;
} smp_shared_rule;

/* Cycles below which clocks cannot tell counts apart, by operation and width (model/floor.c). */
typedef struct smp_clock_floors smp_clock_floors;

typedef struct smp_arch {
    const char *name;     /* "sm_90" */
    const char *family;   /* "Hopper" */
    const char *chips;    /* other names it answers to, separated by blanks: "GH100 H100 H200" */
    const char *products; /* their names, separated by commas: "RTX 4090, RTX 4080" */
    smp_generation generation;
    uint8_t cc_major, cc_minor;
    uint8_t banks;
    uint8_t bank_bytes;             /* 4 or 8, in the bank mode in force */
    uint8_t bank_bytes_alt;         /* the other mode that the chip can be set to, 0 if none */
    uint8_t request_lanes;          /* lanes of one request: 16 or 32 */
    uint16_t shared_sm_kib;         /* shared memory of one SM, at the largest carve-out */
    uint16_t shared_block_kib;      /* the most that one block can have (opt-in where needed) */
    uint16_t shared_static_kib;     /* the most without opt-in */
    const char *carveouts_kib;      /* sizes that can be configured, "0 8 16 32 64 100" */
    uint16_t shared_unit_bytes;     /* blocks get shared memory in multiples of this */
    uint16_t shared_reserved_bytes; /* by the system, in front of each block's own memory */
    uint16_t sm_threads, sm_blocks; /* the most that one SM holds at once */
    uint32_t sm_registers;
    uint16_t register_unit; /* warps get registers in multiples of this; 0: not modelled */
    const char *nvcc;       /* "90" where a build holds machine code for it by default, or NULL */
    const smp_shared_rule *shared_rule;
    smp_global_rule global_rule;
    const smp_clock_floors *clock_floors; /* NULL: not measured on it */
    const char *l1_source;                /* of smp_l1_predict; NULL: no rule is known */
    const char *wgmma_source;             /* of smp_wgmma_wavefronts; NULL: no such operation */
    smp_evidence evidence;                /* of the bank layout */
    const char *source;                   /* document and section, or the recorded probe */
} smp_arch;

/* All rows, oldest first; *count is set. */
const smp_arch *smp_archs(size_t *count);

/* Finds a row by "sm_90", "sm_90a", "compute_90", "9.0", "90", a family ("hopper": its first row),
 * a chip ("GH100") or a product ("RTX 4090", "rtx4090", "4090"), without regard to case; NULL if
 * there is none, or if products of several architectures have that name. */
const smp_arch *smp_arch_find(const char *name);

/* The same; products of one name, such as "GT 730", give up to `max` rows, oldest first. */
size_t smp_arch_find_all(const char *name, const smp_arch **rows, size_t max);

/* The row of a compute capability, or NULL. */
const smp_arch *smp_arch_of_cc(int major, int minor);

/* Copies `row` into *out with bank mode `bank_bytes` (4 or 8) in force. SMP_E_BANK_MODE if
 * the chip has no such mode. */
smp_status smp_arch_with_bank_bytes(const smp_arch *row, unsigned bank_bytes, smp_arch *out);

enum { SMP_ARCH_MODES_MAX = 64 };

/* Every architecture, those with several bank modes once in each, by generation; returns how many.
 */
size_t smp_arch_modes(smp_arch out[SMP_ARCH_MODES_MAX]);

/* True where a pass delivers two words of each bank: words i and i+32 of one aligned segment of 64
 * words (Kepler in 4-byte mode). */
bool smp_bank_pairs_words(const smp_arch *arch);

/* Adding a multiple of this many bytes to all offsets of a request changes no count. */
uint32_t smp_bank_grain_bytes(const smp_arch *arch);

/* Blocks that one SM holds at once, as its threads, shared memory and registers allow; 0: a block
 * does not fit. `registers`: per thread, counted from CC 3.0 on; 0: unknown, not counted. */
uint32_t smp_resident_blocks(const smp_arch *arch, uint32_t threads, uint32_t shared_bytes,
                             uint32_t registers);

/* ---- Operations ---- */

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
    SMP_CP_ASYNC,
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

/* ---- Accesses ---- */

/* One request: what 32 lanes ask for in one instruction. Entries of inactive lanes are ignored. */
typedef struct smp_access {
    smp_op op;
    uint32_t width_bytes; /* per lane: 1, 2, 4, 8, 16; 16 for matrix operations (one row) */
    uint32_t active_mask; /* bit l: lane l is active */
    /* Into shared memory; unused by global operations. Of cluster operations, bits 24 to 27 are the
     * block of the cluster, as in the machine's own addresses. */
    uint32_t offset_bytes[SMP_LANES];
    uint64_t address_bytes[SMP_LANES]; /* global memory: ld/st/red.global, source of cp.async */
} smp_access;

/* Lanes whose address counts: the active ones; of matrix operations only the first 8 x matrices. */
uint32_t smp_access_lanes(const smp_access *access);

/* Checks that the hardware would execute `access` on `arch`: width, mask, alignment, range,
 * operation. On failure *error (may be NULL) names the lane and the limit. */
smp_status smp_access_check(const smp_arch *arch, const smp_access *access, smp_error *error);

/* One access of a stream. What the source of the stream does not know is 0 or NULL. */
typedef struct smp_occurrence {
    const smp_access *access;
    uint64_t times;       /* warps that make it; at least 1 */
    size_t index;         /* of the line, statement or combination that makes it */
    const char *site;     /* name of its place in the program */
    const int64_t *ranks; /* blocks of the cluster that the lanes address; NULL: the own one */
    const struct smp_pattern *pattern;     /* that makes it (smp_accesses.h) */
    const struct smp_request_place *place; /* warp and iteration (smp_layout.h) */
} smp_occurrence;

/* Called for each access of a stream; *seen is valid during the call. A status other than SMP_OK
 * ends the stream, whose function returns that status. The visitor has then filled *error, and the
 * stream may put the place in front of the message. */
typedef smp_status (*smp_visit_fn)(void *user, const smp_occurrence *seen, smp_error *error);

/* ---- Prediction ---- */

enum {
    SMP_HAS_WAVEFRONTS = 1u << 0,   /* wavefronts_min/max, ideal, excess, ways, groups */
    SMP_HAS_TRANSACTIONS = 1u << 1, /* transactions, bytes */
    SMP_HAS_BOUNDS = 1u << 2,       /* transactions_min/max: all that is known of them */
};

typedef struct smp_group {
    uint32_t lanes; /* mask of the lanes that it serves */
    uint8_t ways;
    uint8_t wavefronts_min, wavefronts_max;
} smp_group;

/* What a request costs. A field is meaningful only if its bit in `valid` is set; nothing
 * unknown is ever left as a plausible 0. */
typedef struct smp_counts {
    uint32_t valid; /* SMP_HAS_... */
    smp_evidence evidence;
    const char *note;      /* why not modelled, or a caveat; NULL if none; static */
    uint32_t active_lanes; /* lanes whose address counts */
    uint32_t wavefronts_min, wavefronts_max; /* differ only where the hardware may choose */
    uint32_t ideal;
    uint32_t excess; /* wavefronts_max - ideal */
    uint32_t ways;
    uint32_t transactions;                       /* sectors, lines or segments */
    uint32_t bytes;                              /* that these move */
    uint32_t transactions_min, transactions_max; /* with SMP_HAS_BOUNDS */
    bool paired;                                 /* the pair rule for wide loads merged groups */
    uint32_t group_count;
    smp_group groups[SMP_GROUPS_MAX]; /* the first group_count are set */
} smp_counts;

/* Predicts what `access` costs on `arch`. Fills *out and returns SMP_OK; SMP_E_NOT_MODELLED
 * where no rule is known (out->note says why); or the status of smp_access_check. */
smp_status smp_predict(const smp_arch *arch, const smp_access *access, smp_counts *out);

/* True where lanes of CC 1.x wait for each other although `ways` is 1. A step there serves all
 * lanes on one word, the broadcast word, and one lane of each other bank, so a half-warp in which
 * lanes share several words takes several steps. */
bool smp_counts_take_steps(const smp_arch *arch, const smp_counts *counts);

/* What a load from global memory costs inside L1, in wavefronts; its sectors are smp_predict's. */
typedef struct smp_l1_counts {
    uint32_t tag_wavefronts;  /* of the tag stage, which looks up at most four lines at once */
    uint32_t hit_wavefronts;  /* of the data stage, if all lines are in L1 */
    uint32_t miss_wavefronts; /* of the data stage, if none is */
} smp_l1_counts;

/* Fills *out for SMP_LD_GLOBAL. SMP_E_NOT_MODELLED for other operations, where no rule was measured
 * (smp_arch.l1_source), and for lanes more than 32 GiB apart; or the status of smp_access_check. */
smp_status smp_l1_predict(const smp_arch *arch, const smp_access *access, smp_l1_counts *out);

/* Wavefronts of the data stage where L1 has some of the lines. `present`: the mask of the lanes
 * whose sector is in L1. For SMP_LD_GLOBAL, and for SMP_CP_ASYNC through L1 (4, 8, and as `.ca` 16
 * bytes). Errors as above. */
smp_status smp_l1_partly_predict(const smp_arch *arch, const smp_access *access, uint32_t present,
                                 uint32_t *wavefronts);

/* An atomic on shared memory that is compiled to a loop: additions to float and to pairs of
 * halves (4 bytes), to double and to integers of 64 bits (8 bytes). */
typedef struct smp_loop_counts {
    uint32_t turns; /* of the loop, until every lane has updated its word */
    uint32_t atomic_wavefronts, load_wavefronts; /* of all turns */
} smp_loop_counts;

/* Fills *out for SMP_ATOM_SHARED or SMP_RED_SHARED of 4 or 8 bytes of one warp alone; if other
 * warps update the same words, these counts are the least. `unchanged`: the mask of the lanes that
 * leave their word as it is (add 0), which matters for 8 bytes. Errors as above. */
smp_status smp_atomic_loop_predict(const smp_arch *arch, const smp_access *access,
                                   uint32_t unchanged, smp_loop_counts *out);

/* A fetch from a texture of one dimension in linear memory (tex1Dfetch). */
typedef struct smp_texture_counts {
    uint32_t requests; /* groups that have active lanes */
    uint32_t sectors;
    uint32_t tag_wavefronts;
    uint32_t data_wavefronts; /* a warp's first fetch sometimes takes one more */
} smp_texture_counts;

/* Fills *out from the width (1 to 16), mask and addresses of a SMP_LD_GLOBAL. Errors as above. */
smp_status smp_texture_predict(const smp_arch *arch, const smp_access *access,
                               smp_texture_counts *out);

/* Requests that one load of indexed constants (LDC) makes to their cache: one for each different
 * address. The access is a SMP_LD_GLOBAL of 1, 4 or 8 bytes whose addresses are offsets into
 * constant memory. Errors as above. */
smp_status smp_constant_requests(const smp_arch *arch, const smp_access *access, uint32_t *out);

/* Wavefronts that the tensor cores take to read the operands of one wgmma from shared memory: 64
 * rows, `columns` columns (N: 8, 16 ... 256) and 32 bytes of K; B, and also A if it lies there.
 * Their layout does not matter. SMP_E_OP_UNAVAILABLE where there is no wgmma, SMP_E_NOT_MODELLED
 * for other N. */
smp_status smp_wgmma_wavefronts(const smp_arch *arch, uint32_t columns, bool a_is_shared,
                                uint32_t *out);

/* The fewest sectors that can hold what the lanes of an access of `width_bytes` a lane ask for;
 * never more than its transactions. */
uint32_t smp_ideal_sectors(const smp_counts *counts, uint32_t width_bytes);

/* ---- Many accesses ---- */

typedef enum smp_number {
    SMP_NUMBER_U32,
    SMP_NUMBER_I32,
    SMP_NUMBER_U64,
    SMP_NUMBER_I64,
} smp_number;

/* A number for each lane of each row, anywhere in memory: lane l of row r is at `data` + r x
 * row_stride_bytes + l x lane_stride_bytes, aligned or not. */
typedef struct smp_lane_array {
    const void *data;
    ptrdiff_t row_stride_bytes, lane_stride_bytes;
    smp_number number;
} smp_lane_array;

/* Rows of 32 lanes, one row per access. `ops`, `widths` and `masks` have a number for each row;
 * where one of them is NULL, `op`, `width_bytes` or `active_mask` holds for all rows. */
typedef struct smp_many {
    smp_op op;
    uint32_t width_bytes;
    uint32_t active_mask;
    const uint8_t *ops;
    const uint8_t *widths;
    const uint32_t *masks;
    smp_lane_array offsets;   /* of global operations: their addresses */
    smp_lane_array addresses; /* source of cp.async; else unused */
} smp_many;

/* smp_counts without groups and note: what is not in `valid` is 0. */
typedef struct smp_row_counts {
    uint32_t transactions, bytes;
    uint16_t wavefronts_min, wavefronts_max, ideal, excess, ways;
    uint16_t transactions_min, transactions_max;
    uint8_t active_lanes;
    uint8_t valid;    /* SMP_HAS_... */
    uint8_t evidence; /* smp_evidence */
    uint8_t status;   /* smp_status: SMP_OK, SMP_E_NOT_MODELLED, or what is wrong with the row */
} smp_row_counts;

/* smp_predict for rows first .. first + count - 1; out[i] is of row first + i. Returns how many
 * rows are wrong, and sets *first_bad and *error (either may be NULL) to the first of these; the
 * others are predicted all the same. Slices of one array may run side by side. */
size_t smp_predict_many(const smp_arch *arch, const smp_many *many, size_t first, size_t count,
                        smp_row_counts *out, size_t *first_bad, smp_error *error);

/* Row `row` as the access that smp_predict_many predicts. Fails if a number is out of range
 * (SMP_E_RANGE, with the lane in error->position), if the operation is unknown, or if a copy has no
 * source. */
smp_status smp_many_access(const smp_many *many, size_t row, smp_access *out, smp_error *error);

/* Where one lane's first byte falls. */
typedef struct smp_lane {
    uint32_t offset_bytes;
    uint8_t bank;
    uint8_t group; /* index into smp_counts.groups (of a 1.x wide access: its first request) */
    uint32_t row;  /* offset / (banks x bank bytes) */
} smp_lane;

/* Fills all 32 entries (inactive lanes too) for an access of shared memory that passed
 * smp_access_check. SMP_E_NOT_MODELLED for operations without banks. */
smp_status smp_lanes(const smp_arch *arch, const smp_access *access, smp_lane out[SMP_LANES]);

enum { SMP_MAP_ROWS_MAX = 4 * SMP_LANES };

/* What one bank does in one wavefront. */
typedef struct smp_map_cell {
    uint32_t lanes; /* mask of the lanes that the bank serves; 0: it is idle */
    uint32_t row;   /* of the word, as in smp_lane; of a pair, that of its first word */
    bool is_pair;   /* two words that come at once (smp_bank_pairs_words) */
} smp_map_cell;

/* One wavefront of a request. */
typedef struct smp_map_row {
    uint32_t group;                /* index into smp_counts.groups */
    bool is_first;                 /* of its group */
    uint32_t busy;                 /* banks that are not idle */
    smp_map_cell cells[SMP_LANES]; /* the first `banks` of the architecture count */
} smp_map_row;

/* The wavefronts of an access of shared memory, or of the shared side of a copy, whose `counts`
 * smp_predict gave: which lanes each bank serves in each. Fills the first `max` rows and returns
 * how many there are, at most SMP_MAP_ROWS_MAX; compare-and-swap makes each twice. It shows one way
 * to serve the request; the hardware may take the words in another order. */
size_t smp_bank_map(const smp_arch *arch, const smp_access *access, const smp_counts *counts,
                    smp_map_row *rows, size_t max);

/* Greatest common divisor; smp_gcd(0, n) = n. */
uint32_t smp_gcd(uint32_t a, uint32_t b);

SMP_API_END
#endif
