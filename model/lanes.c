/* SPDX-License-Identifier: MIT */
/*
 * Where each lane falls: its bank, its row, its group. The groups are those that the counting goes
 * by (bank.c, half_warp.c, copy.c), and are asked for there.
 */

#include "bank.h"
#include "copy.h"
#include "half_warp.h"
#include "op.h"

/* Groups of lanes: how many lanes each has, and how many requests follow each other for it. */
typedef struct grouping {
    unsigned lanes, requests;
} grouping;

/* `access` is sound and its operation exists; no lanes if no rule is known. */
static grouping grouping_of(const smp_arch *arch, const smp_access *access) {
    const smp_op_row *op = &smp_op_table[access->op];
    uint32_t lanes = smp_access_lanes(access), width = access->width_bytes;
    smp_tags tags;
    bool paired;
    if (op_evidence(arch, op, width) == SMP_OPEN || smp_is_partial_matrix(op, access))
        return (grouping){0};
    if (op->space == SMP_SPACE_COPY)
        return !smp_op_bypasses_l1(access->op, width) &&
                       smp_tags_fill(access->address_bytes, lanes, &tags)
                   ? (grouping){smp_copy_group_lanes(width), 1}
                   : (grouping){0};
    if (op->space != SMP_SPACE_SHARED)
        return (grouping){0};
    if (arch->shared_rule->half_warps)
        return (grouping){SMP_HALF_WARP_LANES, smp_half_warp_requests(width)};
    return (grouping){smp_bank_group_lanes(arch, access, lanes, &paired), 1};
}

smp_status smp_lanes(const smp_arch *arch, const smp_access *access, smp_lane out[SMP_LANES]) {
    smp_status status = smp_access_check(arch, access, NULL);
    if (status != SMP_OK)
        return status;
    grouping groups = grouping_of(arch, access);
    if (groups.lanes == 0)
        return SMP_E_NOT_MODELLED;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint32_t offset = access->offset_bytes[lane];
        out[lane].offset_bytes = offset;
        out[lane].bank = (uint8_t)(offset / arch->bank_bytes % arch->banks);
        out[lane].row = offset / (arch->banks * (uint32_t)arch->bank_bytes);
        out[lane].group = (uint8_t)(lane / groups.lanes * groups.requests);
    }
    return SMP_OK;
}
