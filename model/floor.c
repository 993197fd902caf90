/* SPDX-License-Identifier: MIT */
/*
 * Floors of the clock: what cycles can't tell apart.
 *
 * Eight warps repeat an access side by side. Where the data stage is what they wait for, one
 * wavefront costs one cycle. Below a floor, which depends on the operation, they wait for
 * something else: issue, the return of results, the exchange unit of atomics. Floors were read
 * off 200 random accesses a row against the counters, with a margin; above them all cycles were
 * within 0.28 of the count. Loads and stores of global memory, of other blocks and copies have no
 * such row: their cycles follow other stages.
 */
#include "rule.h"

#define SMALL (1u | 2u | 4u)

typedef struct floor_row {
    smp_op op;
    uint32_t widths; /* mask of bytes a lane */
    double cycles;
} floor_row;

struct smp_clock_floors {
    size_t count;
    const floor_row *rows;
};

static const floor_row gh100_rows[] = {
    {SMP_LD_SHARED, SMALL, 2.2},       {SMP_LD_SHARED, 8, 2.45},
    {SMP_LD_SHARED, 16, 4.25},         {SMP_ST_SHARED, SMALL, 1.45},
    {SMP_ST_SHARED, 8, 2.3},           {SMP_ST_SHARED, 16, 4.25},
    {SMP_ATOM_SHARED, 4, 8.6},         {SMP_ATOM_SHARED, 8, 15.7},
    {SMP_ATOM_SHARED_CAS, 4, 8.9},     {SMP_ATOM_SHARED_CAS, 8, 16.7},
    {SMP_RED_SHARED, 4, 2.6},          {SMP_LDMATRIX_X1, 16, 2.75},
    {SMP_LDMATRIX_X2, 16, 2.92},       {SMP_LDMATRIX_X4, 16, 4.3},
    {SMP_LDMATRIX_X1_TRANS, 16, 2.75}, {SMP_LDMATRIX_X2_TRANS, 16, 2.92},
    {SMP_LDMATRIX_X4_TRANS, 16, 4.3},  {SMP_STMATRIX_X1, 16, 2.2},
    {SMP_STMATRIX_X2, 16, 2.6},        {SMP_STMATRIX_X4, 16, 4.35},
    {SMP_STMATRIX_X1_TRANS, 16, 2.2},  {SMP_STMATRIX_X2_TRANS, 16, 2.6},
    {SMP_STMATRIX_X4_TRANS, 16, 4.35},
};

const smp_clock_floors smp_clock_floors_gh100 = {sizeof gh100_rows / sizeof gh100_rows[0],
                                                 gh100_rows};

double smp_clock_floor(const smp_arch *arch, smp_op op, unsigned width_bytes) {
    const smp_clock_floors *floors = arch->clock_floors;
    for (size_t i = 0; floors && i < floors->count; i++)
        if (floors->rows[i].op == op && (floors->rows[i].widths & width_bytes) != 0)
            return floors->rows[i].cycles;
    return 0;
}
