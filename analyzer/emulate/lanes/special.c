/* SPDX-License-Identifier: MIT */
/*
 * Special registers, as S2R, CS2R and S2UR read them (others of PTX are in constant bank 0, which
 * banks.c fills).
 *
 * Registers without a meaning on a CPU have these values:
 *   %warpid           the warp's number in its block (a GPU may give any that is unique there)
 *   %nwarpid          warps that an SM of the chip holds
 *   %smid, %nsmid     0, 1: one SM runs everything
 *   %gridid           0; %current_graph_exec: 0
 *   %clock, %clock64, %globaltimer
 *                     64 times the warp instructions that this block or its cluster has run
 *   %pm0 ... %pm7     0
 *   %total_smem_size  bytes of static and dynamic shared memory, in the chip's allocation unit
 *   SR_CgaSize        0: code for 10.0 uses it to find cluster values in constant bank 0
 */
#include "engine.h"
#include "lanes.h"

static uint32_t thread_at(const emu_warp *warp, unsigned lane, unsigned axis) {
    const uint32_t *block = warp->block->worker->run->launch->block;
    uint32_t thread = warp->index * SMP_LANES + lane;
    return axis == 0   ? thread % block[0]
           : axis == 1 ? thread / block[0] % block[1]
                       : thread / block[0] / block[1];
}

static uint64_t clock_of(const emu_warp *warp) {
    return warp->block->worker->steps << 6;
}

uint32_t emu_special(const emu_warp *warp, uint32_t which, unsigned lane) {
    const smp_launch *launch = warp->block->worker->run->launch;
    if (which <= SPECIAL_TID_Z)
        return thread_at(warp, lane, which);
    if (which <= SPECIAL_CTAID_Z)
        return warp->block->at[which - SPECIAL_CTAID_X];
    if (which <= SPECIAL_NTID_Z)
        return launch->block[which - SPECIAL_NTID_X];
    if (which <= SPECIAL_NCTAID_Z)
        return launch->grid[which - SPECIAL_NCTAID_X];
    switch (which) {
    case SPECIAL_LANE:
        return lane;
    case SPECIAL_LT_MASK:
        return (1u << lane) - 1;
    case SPECIAL_LE_MASK:
        return SMP_ALL_LANES >> (31 - lane);
    case SPECIAL_GT_MASK:
        return ~(SMP_ALL_LANES >> (31 - lane));
    case SPECIAL_GE_MASK:
        return SMP_ALL_LANES << lane;
    case SPECIAL_EQ_MASK:
        return 1u << lane;
    case SPECIAL_SHARED_HIGH:
        return (uint32_t)(EMU_SHARED_WINDOW >> 32);
    case SPECIAL_CLUSTER_RANK:
        return warp->block->rank;
    case SPECIAL_TID:
        return thread_at(warp, lane, 0) | thread_at(warp, lane, 1) << 16 |
               thread_at(warp, lane, 2) << 26;
    case SPECIAL_WARP: /* its low byte is another field */
        return warp->index << 8;
    case SPECIAL_WARPS:
        return launch->arch->sm_threads / SMP_LANES << 8;
    case SPECIAL_SHARED_SIZE:
        return emu_shared_size(warp->block->worker->run->program->function, launch);
    case SPECIAL_CLOCK:
        return (uint32_t)clock_of(warp);
    case SPECIAL_CLOCK_HIGH:
        return (uint32_t)(clock_of(warp) >> 32);
    default:
        return 0;
    }
}

uint32_t emu_shared_size(const smp_function *f, const smp_launch *launch) {
    const smp_arch *arch = launch->arch;
    const uint32_t unit = arch->shared_unit_bytes > 0 ? arch->shared_unit_bytes : 1;
    const uint32_t bytes =
        arch->shared_reserved_bytes + f->shared_bytes + launch->dynamic_shared_bytes;
    return (bytes + unit - 1) / unit * unit;
}

/* A thread's position on one axis, or all three in one word (SPECIAL_TID), for every lane. */
static void fill_thread(const emu_warp *warp, uint32_t *d, uint32_t which) {
    const uint32_t *block = warp->block->worker->run->launch->block;
    uint32_t at[3];
    for (unsigned axis = 0; axis < 3; axis++)
        at[axis] = thread_at(warp, 0, axis);
    for (unsigned l = 0; l < ROW; l++) {
        d[l] = which == SPECIAL_TID ? at[0] | at[1] << 16 | at[2] << 26 : at[which - SPECIAL_TID_X];
        if (++at[0] < block[0])
            continue;
        at[0] = 0;
        if (++at[1] < block[1])
            continue;
        at[1] = 0;
        at[2]++;
    }
}

/* imm: which register. The second word of a pair is the high half of a clock, or 0. */
void smp_lanes_s2r(lane_args *x) {
    const uint32_t which = x->u->imm, width = x->warp->block->worker->run->launch->block[0];
    const bool is_thread = which <= SPECIAL_TID_Z || which == SPECIAL_TID;
    if (which >= SPECIAL_LT_MASK && which <= SPECIAL_EQ_MASK) {
        for (unsigned l = 0; l < ROW; l++)
            x->d[l] = emu_special(x->warp, which, l);
    } else if (is_thread && (which == SPECIAL_TID || width % ROW != 0)) {
        fill_thread(x->warp, x->d, which);
    } else { /* all threads of a warp are in one row */
        const uint32_t first = emu_special(x->warp, which, 0);
        const uint32_t step = which == SPECIAL_TID_X || which == SPECIAL_LANE;
        EACH_LANE x->d[l] = first + step * l;
    }
    const uint32_t high = which == SPECIAL_CLOCK ? emu_special(x->warp, SPECIAL_CLOCK_HIGH, 0) : 0;
    if (x->u->d_rows == 2)
        lanes_fill(x->d + ROW, high);
}
