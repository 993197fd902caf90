/* SPDX-License-Identifier: MIT */
/*
 * The hardware counter of each operation, and what else it counts. Metric names are those that
 * CUPTI 13's host API lists for GH100.
 */
#include <stddef.h>

#include "smp_probes.h"

#define SHARED "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
#define GLOBAL "l1tex__t_sectors_pipe_lsu_mem_global_op_"
#define CLUSTER "l1tex__t_sectors_pipe_lsu_mem_dshared_op_"

#define ARBITRATION "passes lost in arbitration, where blocks share a multiprocessor"
#define REMOTE ARBITRATION "; each remote atomic that is sent, once"

#define ROW_LD(op)                                                                            \
    {                                                                                         \
        op, SHARED "ld.sum", NULL, "wavefronts", "passes of the data stage for LDS and LDSM", \
            ARBITRATION, 75                                                                   \
    }
#define ROW_ST(op)                                                                            \
    {                                                                                         \
        op, SHARED "st.sum", NULL, "wavefronts", "passes of the data stage for STS and STSM", \
            ARBITRATION, 75                                                                   \
    }
#define ROW_ATOM(op) \
    { op, SHARED "atom.sum", NULL, "wavefronts", "passes of the data stage for ATOMS", REMOTE, 75 }

#define ROW_COPY(op, what, also)                                                                   \
    {                                                                                              \
        op, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",                                      \
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum", "wavefronts", what, also, 80 \
    }

static const smp_counter rows[] = {
    ROW_LD(SMP_LD_SHARED),
    ROW_ST(SMP_ST_SHARED),
    ROW_ATOM(SMP_ATOM_SHARED),
    ROW_ATOM(SMP_ATOM_SHARED_CAS),
    ROW_ATOM(SMP_RED_SHARED),
    ROW_ATOM(SMP_RED_SHARED_INC),
    ROW_LD(SMP_LDMATRIX_X1),
    ROW_LD(SMP_LDMATRIX_X2),
    ROW_LD(SMP_LDMATRIX_X4),
    ROW_LD(SMP_LDMATRIX_X1_TRANS),
    ROW_LD(SMP_LDMATRIX_X2_TRANS),
    ROW_LD(SMP_LDMATRIX_X4_TRANS),
    ROW_ST(SMP_STMATRIX_X1),
    ROW_ST(SMP_STMATRIX_X2),
    ROW_ST(SMP_STMATRIX_X4),
    ROW_ST(SMP_STMATRIX_X1_TRANS),
    ROW_ST(SMP_STMATRIX_X2_TRANS),
    ROW_ST(SMP_STMATRIX_X4_TRANS),
    ROW_COPY(SMP_CP_ASYNC, "passes of the data stage for LDGSTS of 4 and 8 bytes",
             "every other access of shared memory; nothing of 16 bytes, which bypass the data "
             "stage"),
    ROW_COPY(SMP_CP_ASYNC_CA, "passes of the data stage for LDGSTS of 16 bytes through L1",
             "every other access of shared memory"),
    {SMP_LD_GLOBAL, GLOBAL "ld.sum", NULL, "sectors", "sectors looked up for global loads", "", 75},
    {SMP_ST_GLOBAL, GLOBAL "st.sum", NULL, "sectors", "sectors looked up for global stores", "",
     75},
    {SMP_RED_GLOBAL, GLOBAL "red.sum", NULL, "sectors", "sectors looked up for global reductions",
     "", 75},
    {SMP_LD_CLUSTER, CLUSTER "ld.sum", NULL, "sectors",
     "sectors looked up for loads of another block's shared memory", "", 90},
    {SMP_ST_CLUSTER, CLUSTER "st.sum", NULL, "sectors",
     "sectors looked up for stores to another block's shared memory", "", 90},
    {SMP_ATOM_CLUSTER, CLUSTER "atom.sum", NULL, "sectors",
     "sectors looked up for atomics on another block's shared memory", "", 90},
};

const smp_counter *smp_counters(size_t *count) {
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

const smp_counter *smp_counter_of(smp_op op) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == op)
            return &rows[i];
    return NULL;
}

const smp_counter *smp_counter_sees(smp_op op, uint32_t width_bytes) {
    /* 16-byte copies bypass the data stage; reductions of 8 bytes are compiled to a loop. */
    bool is_unseen =
        smp_op_bypasses_l1(op, width_bytes) || (op == SMP_RED_SHARED && width_bytes == 8);
    return is_unseen ? NULL : smp_counter_of(op);
}

smp_reading smp_clock_reading(const smp_arch *arch, const smp_access *access, double cycles) {
    double floor = arch ? smp_clock_floor(arch, access->op, access->width_bytes) : 0;
    smp_reading reading = {true, SMP_NOT_COUNTED, false, true, cycles};
    if (floor == 0)
        return reading;
    reading.is_at_most = cycles <= floor;
    reading.count = (uint64_t)((reading.is_at_most ? floor : cycles) + 0.5);
    return reading;
}
