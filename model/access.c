/* SPDX-License-Identifier: MIT */
/*
 * Accesses: which lanes count, and whether the hardware would execute the instruction at all.
 * It traps on an address that is not a multiple of the access width and on one outside the
 * memory that the block owns; both are errors here, never a guess.
 */
#include "mask.h"
#include "op.h"
#include "rule.h"

uint32_t smp_access_lanes(const smp_access *access) {
    return access->active_mask & op_lanes(&smp_op_table[access->op]);
}

/* Whether the access lies in its block's memory; for cluster operations, in that of the addressed
 * block. */
static smp_status check_offset(const smp_arch *arch, const smp_access *access, unsigned lane,
                               smp_error *error) {
    uint32_t offset = access->offset_bytes[lane];
    if (smp_op_table[access->op].space == SMP_SPACE_CLUSTER &&
        offset >> SMP_BLOCK_SHIFT < SMP_CLUSTER_BLOCKS_MAX)
        offset &= (1u << SMP_BLOCK_SHIFT) - 1;
    uint32_t limit = smp_block_bytes(arch);
    if (offset % access->width_bytes != 0)
        return smp_error_set(error, SMP_E_MISALIGNED, (int)lane,
                             "lane %u: offset %u is not a multiple of the width of %u bytes", lane,
                             offset, access->width_bytes);
    if (offset > limit - access->width_bytes)
        return smp_error_set(error, SMP_E_RANGE, (int)lane,
                             "lane %u: offset %u is beyond the %u bytes of shared memory that a "
                             "block can have on %s",
                             lane, offset, limit, arch->name);
    return SMP_OK;
}

static smp_status check_address(const smp_access *access, unsigned lane, smp_error *error) {
    uint64_t address = access->address_bytes[lane];
    if (address % access->width_bytes != 0)
        return smp_error_set(error, SMP_E_MISALIGNED, (int)lane,
                             "lane %u: address %llu is not a multiple of the width of %u bytes",
                             lane, (unsigned long long)address, access->width_bytes);
    return SMP_OK;
}

static smp_status check_lane(const smp_arch *arch, const smp_access *access, unsigned lane,
                             smp_error *error) {
    smp_space space = smp_op_table[access->op].space;
    smp_status status = SMP_OK;
    if (space != SMP_SPACE_GLOBAL)
        status = check_offset(arch, access, lane, error);
    if (status == SMP_OK && (space == SMP_SPACE_GLOBAL || space == SMP_SPACE_COPY))
        status = check_address(access, lane, error);
    return status;
}

static smp_status check_shape(const smp_arch *arch, const smp_access *access, smp_error *error) {
    if ((unsigned)access->op >= SMP_OP_COUNT)
        return smp_error_set(error, SMP_E_UNKNOWN_OP, -1, "operation %d is unknown",
                             (int)access->op);
    const smp_op_row *op = &smp_op_table[access->op];
    uint32_t width = access->width_bytes;
    if (width == 0 || (width & (width - 1)) != 0 || (op->widths & width) == 0)
        return smp_error_set(error, SMP_E_WIDTH, -1, "%s has no form of %u bytes per lane",
                             op->name, width);
    if (op_evidence(arch, op, width) == SMP_ABSENT)
        return smp_error_set(error, SMP_E_OP_UNAVAILABLE, -1,
                             "%s of %u bytes does not exist on %s (compute capability %u.%u)",
                             op->name, width, arch->name, arch->cc_major, arch->cc_minor);
    if (smp_access_lanes(access) == 0)
        return smp_error_set(error, SMP_E_MASK, -1, "no lane that gives an address is active");
    return SMP_OK;
}

/* True if all addresses in global memory are multiples of the width. All lanes are tested at once;
 * the lane at fault is looked for only if there is one. */
static bool is_aligned(const smp_access *access, uint32_t lanes) {
    uint64_t any = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        any |= (lanes >> lane & 1) != 0 ? access->address_bytes[lane] : 0;
    return (any & (access->width_bytes - 1)) == 0;
}

smp_status smp_access_check(const smp_arch *arch, const smp_access *access, smp_error *error) {
    smp_status status = check_shape(arch, access, error);
    if (status != SMP_OK)
        return status;
    if (smp_op_table[access->op].space == SMP_SPACE_GLOBAL &&
        is_aligned(access, smp_access_lanes(access)))
        return SMP_OK;
    for (uint32_t left = smp_access_lanes(access); left != 0; left &= left - 1) {
        status = check_lane(arch, access, lowest_lane(left), error);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}
