/* SPDX-License-Identifier: MIT */
/*
 * The prediction: which rule applies to a request, and what it costs.
 *
 * What the model assumes:
 *   1. One request is judged alone. Requests of other warps, and of the same warp before and after
 *      it, change when it is served, not how many passes it takes.
 *   2. A request costs what its addresses ask for. Data never matters, except where an
 *      instruction is compiled to a loop; those are not modelled and say so.
 *   3. Lanes that are inactive cost nothing, and neither do their addresses.
 *   4. Every address is a multiple of the width and inside the block's memory; the hardware
 *      traps otherwise, and the model returns an error.
 *   5. Offsets count from the start of the block's shared memory, which itself starts at bank 0.
 *   6. Shared memory: lanes are served in groups (rule.c); the passes of a group are the most
 *      distinct words on one bank (bank.c), on CC 1.x a range (half_warp.c). Wide loads whose
 *      lanes agree in pairs are served in groups of twice the size. Atomics do not merge lanes.
 *   7. Global memory, and shared memory of other blocks: transactions (coalesce.c). Copies from
 *      global to shared memory: both sides (copy.c), or past L1 sectors alone (bypass.c).
 *   8. ideal is NVIDIA's own definition, which takes a pass to be worth 128 bytes on every chip. On
 *      3.x, where one is worth 256 of doubles, its old profiler took those (model/FINDINGS.md, 14).
 */
#include <string.h>

#include "bank.h"
#include "coalesce.h"
#include "copy.h"
#include "half_warp.h"
#include "mask.h"
#include "op.h"
#include "past_l1.h"

static void count_half_warps(const smp_access *access, uint32_t lanes, smp_counts *out) {
    smp_half_warp_count(access, lanes, out);
    smp_set_ideal(&smp_op_table[access->op], access->width_bytes, out);
}

static void leave_open(smp_counts *out, const char *note) {
    out->evidence = SMP_OPEN;
    out->note = note;
}

enum { SECTOR_BYTES = 32 };

/* Copies of 16 bytes bypass L1: what arrives is written to shared memory without the load-store
 * unit's data stage, so there is no wavefront, and no two lanes wait for a bank. */
static void count_bypass(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                         smp_counts *out) {
    smp_bypass_counts copy;
    smp_coalesce_count(arch, access, lanes, out);
    if (arch->l1_source) {
        if (smp_copy_bypass_predict(arch, access, &copy) != SMP_OK) {
            out->valid = 0;
            leave_open(out, SMP_TAGS_NOTE);
            return;
        }
        out->transactions = copy.sectors;
        out->bytes = copy.sectors * SECTOR_BYTES;
    }
    out->ways = 1;
    smp_set_ideal(&smp_op_table[access->op], access->width_bytes, out);
}

static void count_copy(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                       smp_counts *out) {
    smp_tags tags;
    if (out->evidence == SMP_OPEN)
        return;
    if (smp_op_bypasses_l1(access->op, access->width_bytes)) {
        count_bypass(arch, access, lanes, out);
        return;
    }
    smp_coalesce_count(arch, access, lanes, out);
    if (!smp_tags_fill(access->address_bytes, lanes, &tags)) {
        leave_open(out, SMP_TAGS_NOTE);
        return;
    }
    smp_copy_count(access, &tags, lanes, out);
    smp_set_ideal(&smp_op_table[access->op], access->width_bytes, out);
}

/* All accesses that bank.c does not handle. */
static void count_request(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                          smp_counts *out) {
    const smp_op_row *op = &smp_op_table[access->op];
    if (op->space == SMP_SPACE_COPY)
        count_copy(arch, access, lanes, out);
    else if (out->evidence == SMP_OPEN)
        return;
    else if (smp_is_partial_matrix(op, access))
        leave_open(out,
                   "a matrix operation needs all 32 lanes: PTX leaves a partial warp undefined, "
                   "and GH100 then moves nothing");
    else if (op->space == SMP_SPACE_SHARED)
        count_half_warps(access, lanes, out);
    else if (op->space == SMP_SPACE_GLOBAL)
        smp_coalesce_count(arch, access, lanes, out);
    else
        smp_cluster_count(arch, access, lanes, out);
}

static void reset(smp_counts *out) {
    memset(out, 0, offsetof(smp_counts, groups));
    out->evidence = SMP_OPEN;
}

/* All other accesses, in the order in which a reader would ask. */
__attribute__((noinline)) static smp_status
predict_other(const smp_arch *arch, const smp_access *access, smp_counts *out) {
    reset(out);
    smp_status status = smp_access_check(arch, access, NULL);
    if (status != SMP_OK)
        return status;

    const smp_op_row *op = &smp_op_table[access->op];
    uint32_t lanes = access->active_mask & op_lanes(op);
    out->active_lanes = count_lanes(lanes);
    out->evidence = op_evidence(arch, op, access->width_bytes);
    if (out->evidence == SMP_OPEN)
        out->note = op->note;
    count_request(arch, access, lanes, out);
    bool is_known = (out->valid & (SMP_HAS_WAVEFRONTS | SMP_HAS_TRANSACTIONS)) != 0;
    return is_known ? SMP_OK : SMP_E_NOT_MODELLED;
}

smp_status smp_predict(const smp_arch *arch, const smp_access *access, smp_counts *out) {
    reset(out);
    return smp_bank_predict(arch, access, out) ? SMP_OK : predict_other(arch, access, out);
}

uint32_t smp_gcd(uint32_t a, uint32_t b) {
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool smp_counts_take_steps(const smp_arch *arch, const smp_counts *counts) {
    unsigned served = 0;
    for (unsigned i = 0; i < counts->group_count; i++)
        served += counts->groups[i].lanes != 0;
    return arch->shared_rule->half_warps && counts->ways == 1 && counts->wavefronts_max > served;
}
