/* SPDX-License-Identifier: MIT */
/* What an operation's row says about one access: its lanes, widths, evidence and ideal. Internal to
 * model/. */
#pragma once

#include "smp_model.h"

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

/* Lanes that give an address: 0 .. lanes-1 of the operation. */
static inline uint32_t op_lanes(const smp_op_row *op) {
    return SMP_ALL_LANES >> (SMP_LANES - op->lanes);
}

/* The bytes of one pass in NVIDIA's own definition of the ideal, on every chip. */
#define PASS_BYTES 128u

static inline uint32_t op_ideal(const smp_op_row *op, uint32_t lanes, uint32_t width_bytes) {
    uint32_t bytes = lanes * width_bytes;
    return op->passes * ((bytes + PASS_BYTES - 1) / PASS_BYTES);
}

/* Ideal and excess of a request whose wavefronts are set. */
static inline void smp_set_ideal(const smp_op_row *op, uint32_t width_bytes, smp_counts *out) {
    uint32_t ideal = op_ideal(op, out->active_lanes, width_bytes);
    out->ideal = ideal < out->wavefronts_min ? ideal : out->wavefronts_min;
    out->excess = out->wavefronts_max - out->ideal;
    out->valid |= SMP_HAS_WAVEFRONTS;
}

/* Appends a group of lanes with the fewest and the most passes that it takes. */
static inline void smp_add_group(smp_counts *out, uint32_t lanes, unsigned ways, unsigned fewest,
                                 unsigned most) {
    out->groups[out->group_count++] = (smp_group){.lanes = lanes,
                                                  .ways = (uint8_t)ways,
                                                  .wavefronts_min = (uint8_t)fewest,
                                                  .wavefronts_max = (uint8_t)most};
    out->wavefronts_min += fewest;
    out->wavefronts_max += most;
    out->ways = ways > out->ways ? ways : out->ways;
}

/* PTX leaves matrix operations of partial warps undefined. */
static inline bool smp_is_partial_matrix(const smp_op_row *op, const smp_access *access) {
    return op->fixed_group != 0 && access->active_mask != SMP_ALL_LANES;
}

static inline bool smp_has_width(const smp_op_row *op, uint32_t width_bytes) {
    return width_bytes != 0 && (width_bytes & (width_bytes - 1)) == 0 &&
           (op->widths & width_bytes) != 0;
}
