/* SPDX-License-Identifier: MIT */
/*
 * explain_counters.h: what a profiler counted of shared memory, kernel by kernel, and what that
 * means. Internal to the analyzer.
 *
 * Of a kernel's wavefronts some are needed (ideal), some are excess because of addresses, and some
 * are passes lost in arbitration. The profiler counts "bank conflicts" in hardware, ideal and
 * excess by a model of the instructions' addresses; the two are set against each other.
 */
#ifndef SMP_EXPLAIN_COUNTERS_H
#define SMP_EXPLAIN_COUNTERS_H

#include "smp_model.h"

/* What can be asked of memory: the order of the rows that are shown. */
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
    char *id, *name, *grid, *block; /* as the file has them; inside its text */
    double value[NCU_METRIC_COUNT];
    uint32_t known; /* bit m: value[m] is there */
} ncu_kernel;

typedef struct ncu_export {
    char *text; /* of the file */
    ncu_kernel *kernels;
    size_t count, room;
    size_t passed_over; /* lines that are no row of a table */
} ncu_export;

/* ncu_read.c: reads an export, of the raw or the details page; "-" is standard input. SMP_E_READ or
 * SMP_E_SYNTAX with the line. Free it also after failure. */
smp_status ncu_export_read(const char *file, ncu_export *out, smp_error *error);
void ncu_export_free(ncu_export *export_);

/* What is not known is NAN. */
typedef struct counted {
    double requests, wavefronts, conflicts;
} counted;

enum { REMARKS_MAX = 8, REMARK_SIZE = 384 };

typedef struct ncu_explanation {
    counted kinds[COUNTED_KINDS], all; /* `all`: the sum of the kinds */
    double ideal, excess;              /* by the profiler's model of the addresses */
    double by_address, other;          /* the parts of all.conflicts */
    double other_traffic;              /* wavefronts of shared memory that no kind accounts for */
    bool misleads;                     /* NCU_NWAY is more than any average degree */
    uint32_t missing;                  /* bit m: a metric that would be needed */
    char remarks[REMARKS_MAX][REMARK_SIZE];
    unsigned remark_count;
} ncu_explanation;

extern const char *const counted_names[COUNTED_KINDS];

void ncu_explain(const ncu_kernel *kernel, ncu_explanation *out);

#endif
