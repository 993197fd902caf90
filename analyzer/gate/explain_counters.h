/* SPDX-License-Identifier: MIT */
/*
 * Explains a profiler's counts for shared memory, kernel by kernel. Internal to the analyzer. A
 * kernel's wavefronts are either needed (ideal), excess because of addresses, or lost in
 * arbitration. The profiler counts "bank conflicts" in hardware, but computes ideal and excess with
 * a model of addresses; the comparison separates the causes.
 */
#pragma once

#include "smp_model.h"

/* The kinds of requests, in the order of the output rows. */
enum { COUNTED_LOADS, COUNTED_STORES, COUNTED_ATOMICS, COUNTED_COPIES, COUNTED_KINDS };

/* id, metric as `ncu --page raw` names it. */
#define NCU_METRIC_LIST(X)                                                                  \
    X(NCU_REQUESTS, "smsp__sass_inst_executed_op_shared.sum")                               \
    X(NCU_REQUESTS_LD, "smsp__sass_inst_executed_op_shared_ld.sum")                         \
    X(NCU_REQUESTS_LDSM, "smsp__inst_executed_op_ldsm.sum")                                 \
    X(NCU_REQUESTS_ST, "smsp__sass_inst_executed_op_shared_st.sum")                         \
    X(NCU_REQUESTS_STSM, "smsp__inst_executed_op_shared_stsm.sum")                          \
    X(NCU_REQUESTS_ATOM, "smsp__inst_executed_op_shared_atom.sum")                          \
    X(NCU_REQUESTS_COPY, "smsp__inst_executed_op_ldgsts.sum")                               \
    X(NCU_WAVES_ALL, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")                      \
    X(NCU_WAVES_LD, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")                 \
    X(NCU_WAVES_ST, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")                 \
    X(NCU_WAVES_ATOM, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")             \
    X(NCU_WAVES_COPY, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum") \
    X(NCU_CONFLICTS, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")                  \
    X(NCU_CONFLICTS_LD, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")         \
    X(NCU_CONFLICTS_ST, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")         \
    X(NCU_CONFLICTS_ATOM, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum")     \
    X(NCU_CONFLICTS_COPY, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum")   \
    X(NCU_MODELLED, "memory_l1_wavefronts_shared")                                          \
    X(NCU_IDEAL, "memory_l1_wavefronts_shared_ideal")                                       \
    X(NCU_NWAY, "derived__memory_l1_conflicts_shared_nway")

typedef enum ncu_metric {
#define NCU_METRIC_ENUM(id, name) id,
    NCU_METRIC_LIST(NCU_METRIC_ENUM)
#undef NCU_METRIC_ENUM
        NCU_METRIC_COUNT
} ncu_metric;

extern const char *const ncu_metric_names[NCU_METRIC_COUNT];

/* One launch. */
typedef struct ncu_kernel {
    char *id, *name, *grid, *block; /* as in the file, pointing into its text */
    double value[NCU_METRIC_COUNT];
    uint32_t known; /* bit m if value[m] is known */
} ncu_kernel;

typedef struct ncu_export {
    char *text; /* the file's text */
    ncu_kernel *kernels;
    size_t count;
    size_t passed_over; /* lines that are not table rows */
} ncu_export;

/* ncu_read.c: reads an export of the raw or the details page; "-" is standard input. SMP_E_READ or
 * SMP_E_SYNTAX with the line. Always free it. */
smp_status ncu_export_read(const char *file, ncu_export *out, smp_error *error);
void ncu_export_free(ncu_export *export_);

/* Unknown values are NAN. */
typedef struct ncu_counted {
    double requests, wavefronts, conflicts;
} ncu_counted;

/* All remarks; sentence.h explains the slots. tests/unit/gate/test_remarks.c parses each remark and
 * checks it. */
#define SMP_REMARK_LIST(X)                                                                       \
    X(REMARK_NO_ACCESS, "No access of the block's own shared memory.")                           \
    X(REMARK_CONTRADICTION,                                                                      \
      "The numbers of requests contradict each other: counters of different passes saw "         \
      "different launches. Profile a larger launch.")                                            \
    X(REMARK_NO_EXCESS, "No address causes a bank conflict: every wavefront is needed.")         \
    X(REMARK_EXCESS,                                                                             \
      "{e} of {e} wavefronts ({e}%) are excess: the addresses of the {t} fall on few banks. "    \
      "The source page shows the lines (L1 Wavefronts Shared Excessive); 'smemprobe' with such " \
      "a line says why and on which GPU.")                                                       \
    X(REMARK_BEST_OF_ATOMICS,                                                                    \
      "A request takes {f} wavefronts at best: atomics of 8 bytes and compare-and-swap take "    \
      "two, wide accesses one for each 128 bytes. That part of \"n-way\", wavefronts / "         \
      "requests, is not a conflict.")                                                            \
    X(REMARK_BEST,                                                                               \
      "A request takes {f} wavefronts at best, on average: one for each 128 bytes that its "     \
      "lanes ask for. That part of \"n-way\", wavefronts / requests, is the width of the "       \
      "accesses, not a conflict.")                                                               \
    X(REMARK_ALL_OTHER,                                                                          \
      "None of the {e} reported conflicts is due to addresses: warps of blocks that share a "    \
      "multiprocessor lost arbitration, or other traffic was in the way. No padding removes "    \
      "them.")                                                                                   \
    X(REMARK_SOME_OTHER,                                                                         \
      "{e} of {e} reported conflicts are not due to addresses: warps of blocks that share a "    \
      "multiprocessor lost arbitration, or other traffic was in the way. No padding removes "    \
      "them.")                                                                                   \
    X(REMARK_LEFT_OUT,                                                                           \
      "The conflict counter leaves out {e} of the excess: it takes off one for every 128 bytes " \
      "that a full warp would ask for, also where lanes are inactive or read the same words.")   \
    X(REMARK_MODEL,                                                                              \
      "The hardware passed {e} wavefronts, {e} more than the profiler's model of the addresses " \
      "has (memory_l1_wavefronts_shared), which errs on loads of 8 and 16 bytes with inactive "  \
      "lanes.")

typedef enum remark_id {
#define REMARK_ENUM(id, row) id,
    SMP_REMARK_LIST(REMARK_ENUM)
#undef REMARK_ENUM
        REMARK_COUNT
} remark_id;

extern const char *const remark_rows[REMARK_COUNT];

enum { REMARKS_MAX = 8, REMARK_SIZE = 384 };

typedef struct ncu_explanation {
    ncu_counted kinds[COUNTED_KINDS], all; /* `all`: the sum of the kinds */
    double ideal, excess;                  /* from the profiler's model of addresses */
    double by_address, other;              /* the parts of all.conflicts */
    double other_traffic;                  /* wavefronts of shared memory that belong to no kind */
    bool misleads;                         /* NCU_NWAY exceeds every average degree */
    uint32_t missing;                      /* bit m if metric m is needed but missing */
    char remarks[REMARKS_MAX][REMARK_SIZE];
    unsigned remark_count;
} ncu_explanation;

extern const char *const counted_names[COUNTED_KINDS];

void ncu_explain(const ncu_kernel *kernel, ncu_explanation *out);
