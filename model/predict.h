/* SPDX-License-Identifier: MIT */
/*
 * What the files of the model say to each other. Internal to model/.
 */
#ifndef SMP_PREDICT_H
#define SMP_PREDICT_H

#include "rule.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* SMP_SIMD=0 leaves out the vector code: same results, bit for bit (script/test runs both). */
#ifndef SMP_SIMD
#define SMP_SIMD 1
#endif
#if SMP_SIMD && defined(__x86_64__) && defined(__GNUC__)
#define SMP_HAS_AVX2 1
#else
#define SMP_HAS_AVX2 0
#endif

/* How the lanes of a request meet the banks; shifts are base-2 logarithms. */
typedef struct unit_shape {
    unsigned unit_shift;  /* bytes of a unit, 2 .. 4: of the access or the bank, the wider */
    unsigned bank_shift;  /* units side by side in a row of banks, 3 .. 5 */
    unsigned group_shift; /* lanes of a group, 3 .. 5; there are at most 32 units in all groups */
    bool lanes_merge;     /* lanes that want one unit share a pass */
} unit_shape;

/* What every offset must keep: the hardware traps on others. */
typedef struct offset_rule {
    uint32_t forbidden_bits; /* set where an offset is not a multiple of the width */
    uint32_t limit;          /* the last byte at which an access may begin */
} offset_rule;

#define SMP_KIB 1024u

/* For an access whose width is one of its operation's. */
static inline offset_rule offset_rule_of(const smp_arch *arch, const smp_access *access) {
    return (offset_rule){.forbidden_bits = access->width_bytes - 1,
                         .limit = arch->shared_block_kib * SMP_KIB - access->width_bytes};
}

/* The most passes that a bank needs in the group of lanes 8i .. 8i+7, as byte i, lowest first; and
 * whether all offsets keep the rule: if not, the passes are of no use. */
typedef struct group_ways {
    uint32_t of_eight;
    bool is_sound;
} group_ways;

/* bank_avx2.c: the same as the plain loops of bank.c. */
group_ways smp_ways_avx2(const uint32_t offsets[SMP_LANES], uint32_t lanes, const unit_shape *shape,
                         const offset_rule *rule);

/* The row of an operation. */
extern const smp_op_row smp_op_table[SMP_OP_COUNT];

extern const uint8_t smp_evidence_by_letter[128];

/* How well `op` is known at a width that it has. */
static inline smp_evidence op_evidence(const smp_arch *arch, const smp_op_row *op,
                                       unsigned width_bytes) {
    if (10 * arch->cc_major + arch->cc_minor < op->first_cc)
        return SMP_ABSENT;
    size_t width_class = width_bytes == 16 ? 2 : width_bytes == 8;
    char letter = op->evidence[width_class][arch->generation];
    uint8_t known = smp_evidence_by_letter[(unsigned char)letter & 127];
    return known == 0 ? SMP_OPEN : (smp_evidence)(known - 1);
}

/* Base-2 logarithm of a width of 1, 2, 4, 8 or 16 bytes. */
static inline unsigned width_log2(unsigned width_bytes) {
    return (unsigned)__builtin_ctz(width_bytes);
}

/* Bits set: without a compiler flag for it, __builtin_popcount is a call to a table look-up. */
static inline unsigned count_lanes(uint32_t mask) {
    if (mask == SMP_ALL_LANES)
        return SMP_LANES;
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}

/* Lanes that give an address: 0 .. lanes-1 of the operation. */
static inline uint32_t op_lanes(const smp_op_row *op) {
    return SMP_ALL_LANES >> (SMP_LANES - op->lanes);
}

static inline unsigned lowest_lane(uint32_t mask) {
    return (unsigned)__builtin_ctz(mask);
}

/* NVIDIA's own definition of the ideal takes a pass to be worth so many bytes on every chip. */
#define PASS_BYTES 128u

static inline void smp_set_ideal(const smp_op_row *op, uint32_t width_bytes, smp_counts *out) {
    uint32_t bytes = out->active_lanes * width_bytes;
    uint32_t ideal = op->passes * ((bytes + PASS_BYTES - 1) / PASS_BYTES);
    out->ideal = ideal < out->wavefronts_min ? ideal : out->wavefronts_min;
    out->excess = out->wavefronts_max - out->ideal;
    out->valid |= SMP_HAS_WAVEFRONTS;
}

/* PTX leaves matrix operations of partial warps undefined. */
static inline bool smp_is_partial_matrix(const smp_op_row *op, const smp_access *access) {
    return op->fixed_group != 0 && access->active_mask != SMP_ALL_LANES;
}

static inline bool smp_has_width(const smp_op_row *op, uint32_t width_bytes) {
    return width_bytes != 0 && (width_bytes & (width_bytes - 1)) == 0 &&
           (op->widths & width_bytes) != 0;
}

/* bank.c: the common case in one go: a request that the banks serve in groups of lanes. Sets
 * everything but `note`. False if the access is another one, or is unsound: the offsets are
 * checked along the way, for all lanes at once. *out is then of no use. */
bool smp_bank_predict(const smp_arch *arch, const smp_access *access, smp_counts *out);

/* half_warp.c: the same for CC 1.x, as a range over every choice that the hardware may make. */
void smp_half_warp_count(const smp_access *access, uint32_t lanes, smp_counts *out);

/* tag.c: which of the four tag banks of L1 each lane's line of 128 bytes maps to. */
typedef struct smp_tags {
    uint64_t line[SMP_LANES];
    uint8_t bank[SMP_LANES];
} smp_tags;

#define SMP_TAGS_NOTE                                                                              \
    "the lanes' addresses are more than 32 GiB apart: how L1 hashes the address bits above 34 is " \
    "not known"

/* Fills both arrays for `lanes`; false if the hash is not known for them. */
bool smp_tags_fill(const uint64_t addresses[SMP_LANES], uint32_t lanes, smp_tags *out);
/* The lanes that one wavefront of the tag stage takes: each bank takes the line of its lowest
 * waiting lane, and all lanes on these lines go along. */
uint32_t smp_tags_take(const smp_tags *tags, uint32_t waiting);

/* copy.c: the shared side of cp.async. */
void smp_copy_count(const smp_access *access, const smp_tags *tags, uint32_t lanes,
                    smp_counts *out);

/* coalesce.c: transactions and bytes of a request to global memory, or bounds of them. */
void smp_coalesce_count(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                        smp_counts *out);

/* coalesce.c: the same for 32-byte sectors of remote shared memory. */
void smp_cluster_count(const smp_access *access, uint32_t lanes, smp_counts *out);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
