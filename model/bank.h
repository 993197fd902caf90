/* SPDX-License-Identifier: MIT */
/* Banks of compute capability 2.0 and later. Internal to model/. */
#pragma once

#include "smp_model.h"

/* SMP_SIMD=0 leaves out the vector code: same results, bit for bit (tests/CMakeLists.txt runs
 * both). */
#ifndef SMP_SIMD
#define SMP_SIMD 1
#endif
#if SMP_SIMD && defined(__x86_64__) && defined(__GNUC__)
#define SMP_HAS_AVX2 1
#else
#define SMP_HAS_AVX2 0
#endif

/* How the lanes of a request map to the banks; shifts are base-2 logarithms. */
typedef struct unit_shape {
    unsigned unit_shift;  /* bytes of a unit, 2 .. 4: of the access or the bank, the wider */
    unsigned bank_shift;  /* units side by side in a row of banks, 3 .. 5 */
    unsigned group_shift; /* lanes of a group, 3 .. 5; there are at most 32 units in all groups */
    bool lanes_merge;     /* lanes that want one unit share a pass */
} unit_shape;

/* What every offset must obey: the hardware traps on others. */
typedef struct offset_rule {
    uint32_t forbidden_bits; /* set where an offset is not a multiple of the width */
    uint32_t limit;          /* the last byte at which an access may begin */
} offset_rule;

/* The most passes that a bank needs in the group of lanes 8i .. 8i+7, as byte i, lowest first; and
 * whether all offsets obey the rule. If not, the passes are invalid. */
typedef struct group_ways {
    uint32_t of_eight;
    bool is_sound;
} group_ways;

/* bank_avx2.c: the same as the plain loops of bank.c. */
group_ways smp_ways_avx2(const uint32_t offsets[SMP_LANES], uint32_t lanes, const unit_shape *shape,
                         const offset_rule *rule);

/* The number of lanes served together, for an access to the block's own shared memory of which
 * `lanes` count; *paired: twice as many as the width alone gives. */
unsigned smp_bank_group_lanes(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                              bool *paired);

/* How accesses of an operation at one of its widths map to the banks under a plain rule (rule.h);
 * *may_pair: those whose lanes agree in pairs are served in groups of twice the size. */
void smp_bank_shape(const smp_arch *arch, const smp_op_row *op, unsigned width_bytes,
                    unit_shape *shape, offset_rule *rule, bool *may_pair);

/* The common case in one step: a request that the banks serve in groups of lanes. Sets everything
 * but `note`. False if the access is another one or unsound (the offsets are checked on the way,
 * for all lanes at once); *out is then invalid. */
bool smp_bank_predict(const smp_arch *arch, const smp_access *access, smp_counts *out);
