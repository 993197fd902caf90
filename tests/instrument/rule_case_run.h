/* SPDX-License-Identifier: MIT */
/* One access by the rule, in the same words on the host and in device code. */
#pragma once

#include "rule_case.h"
#include "warp_rule.h"

WARP_CALL void run_shared(const smp_access *access, uint32_t lanes, uint32_t offset[WARP_SLOTS],
                          rule_result *out) {
    warp_banks banks;
    warp_cost cost;
    uint32_t width = access->width_bytes, times = access->op == SMP_ATOM_SHARED_CAS ? 2 : 1;
    warp_find_banks(lanes, offset, width, &banks);
    if (access->op == SMP_LD_SHARED || access->op == SMP_ST_SHARED ||
        access->op == SMP_RED_SHARED_INC) {
        uint32_t group = warp_group_size(lanes, &banks, width, access->op == SMP_LD_SHARED);
        cost = warp_cost_words(lanes, &banks, width, group);
    } else {
        cost = warp_cost_lanes(lanes, &banks, width);
    }
    *out = (rule_result){SMP_HAS_WAVEFRONTS, times * cost.wavefronts, times * cost.ideal, cost.ways,
                         0};
}

WARP_CALL void run_matrix(const smp_access *access, uint32_t lanes, uint32_t offset[WARP_SLOTS],
                          rule_result *out) {
    if (access->active_mask != WARP_ALL)
        return;
    warp_cost cost = warp_cost_matrix(lanes, offset);
    *out = (rule_result){SMP_HAS_WAVEFRONTS, cost.wavefronts, cost.ideal, cost.ways, 0};
}

WARP_CALL void run_copy(const smp_access *access, uint32_t lanes, uint64_t source[WARP_SLOTS],
                        uint32_t target[WARP_SLOTS], rule_result *out) {
    warp_cost cost;
    if (access->width_bytes > 8) {
        bool is_known = warp_bypass_sectors(lanes, source, target, &out->sectors);
        out->valid = is_known ? SMP_HAS_TRANSACTIONS : 0;
        return;
    }
    out->valid = SMP_HAS_TRANSACTIONS;
    out->sectors = warp_sectors(lanes, source, 64);
    if (!warp_cost_copy(lanes, source, target, access->width_bytes, &cost))
        return;
    out->valid |= SMP_HAS_WAVEFRONTS;
    out->wavefronts = cost.wavefronts;
    out->ideal = cost.ideal;
    out->ways = cost.ways;
}

WARP_CALL void run_sectors(uint32_t lanes, bool is_atomic, uint64_t address[WARP_SLOTS],
                           rule_result *out) {
    out->valid = SMP_HAS_TRANSACTIONS;
    if (!is_atomic)
        out->sectors = warp_sectors(lanes, address, 64);
    else if (!warp_packets(lanes, address, &out->sectors))
        out->valid = 0;
}

/* The lanes that call are those of the access. */
WARP_CALL void rule_case_run(const smp_access *access, uint32_t lanes, rule_result *out) {
    uint32_t offset[WARP_SLOTS];
    uint64_t address[WARP_SLOTS];
    smp_op op = access->op;
    bool is_cluster = op == SMP_LD_CLUSTER || op == SMP_ST_CLUSTER || op == SMP_ATOM_CLUSTER;
    FOR_LANES(s) {
        offset[s] = access->offset_bytes[warp_lane(s)];
        address[s] =
            is_cluster ? warp_cluster_address(offset[s]) : access->address_bytes[warp_lane(s)];
    }
    if (op >= SMP_LDMATRIX_X1 && op <= SMP_STMATRIX_X4_TRANS)
        run_matrix(access, lanes, offset, out);
    else if (op == SMP_CP_ASYNC)
        run_copy(access, lanes, address, offset, out);
    else if (is_cluster || op == SMP_LD_GLOBAL || op == SMP_ST_GLOBAL || op == SMP_RED_GLOBAL)
        run_sectors(lanes, op == SMP_RED_GLOBAL || op == SMP_ATOM_CLUSTER, address, out);
    else if (op != SMP_RED_SHARED || access->width_bytes != 8)
        run_shared(access, lanes, offset, out);
}
