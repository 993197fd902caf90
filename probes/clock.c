/* SPDX-License-Identifier: MIT */
/*
 * clock.c: what cycles say about wavefronts, the second witness.
 *
 * Eight warps repeat the access side by side. Where the data stage is what they wait for, one
 * wavefront costs one cycle. Below a floor, which depends on the operation, they wait for
 * something else: issue, the return of results, the exchange unit of atomics. Floors were read
 * off 200 random accesses a row on GH100 against the counters, with a margin; above them all
 * cycles were within 0.28 of the count. Loads and stores of global memory, of other blocks and
 * copies have no such row: their cycles follow other stages.
 */
#include <stddef.h>

#include "smp_probes.h"

#define SMALL (1u | 2u | 4u)

typedef struct floor_row {
    smp_op op;
    uint32_t widths; /* mask of bytes a lane */
    double cycles;
} floor_row;

static const floor_row rows[] = {
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

static const floor_row *find_row(const smp_access *access) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == access->op && (rows[i].widths & access->width_bytes) != 0)
            return &rows[i];
    return NULL;
}

smp_reading smp_clock_reading(int cc_major, int cc_minor, const smp_access *access, double cycles) {
    const floor_row *row = cc_major == 9 && cc_minor == 0 ? find_row(access) : NULL;
    smp_reading reading = {true, SMP_NOT_COUNTED, false, true, cycles};
    if (!row)
        return reading;
    reading.is_at_most = cycles <= row->cycles;
    reading.count = (uint64_t)((reading.is_at_most ? row->cycles : cycles) + 0.5);
    return reading;
}
