/* SPDX-License-Identifier: MIT */
/*
 * Loads from global memory inside L1, as measured on GH100 (model/FINDINGS.md, 9).
 *
 * L1 and shared memory are one set of banks, so a load whose lines are all in L1 costs the data
 * stage what a load of shared memory at the same addresses would: in each group of lanes, the most
 * distinct words on one bank. (The pair rule for wide loads of shared memory is not seen here.) The
 * tag stage has looked the lines up four at a time before (tag.c); lanes that it took apart come
 * together again. Lines that must be fetched first do not: each wavefront of the tag stage then
 * reads its own. Where a request has both, the lanes on lines that are complete in L1 go together,
 * and the others by wavefronts of the tag stage. cp.async, which reads and writes the same banks,
 * does likewise.
 */
#include "copy.h"
#include "mask.h"
#include "op.h"
#include "tag.h"

enum { BANKS = 32 };

/* The most distinct words of `lanes` on one bank. */
static unsigned most_words(const smp_access *access, uint32_t lanes) {
    uint64_t words[BANKS][SMP_LANES];
    unsigned count[BANKS] = {0}, most = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint64_t first = access->address_bytes[lowest_lane(lanes)];
        for (uint64_t word = first / 4; word <= (first + access->width_bytes - 1) / 4; word++) {
            const unsigned bank = (unsigned)(word % BANKS);
            unsigned at = 0;
            while (at < count[bank] && words[bank][at] != word)
                at++;
            if (at == count[bank])
                words[bank][count[bank]++] = word;
            most = count[bank] > most ? count[bank] : most;
        }
    }
    return most;
}

/* The same, group of lanes by group. */
static unsigned count_passes(const smp_arch *arch, const smp_access *access, uint32_t lanes) {
    const unsigned group_lanes = arch->shared_rule->group_lanes[__builtin_ctz(access->width_bytes)];
    const uint32_t group = SMP_ALL_LANES >> (SMP_LANES - group_lanes);
    unsigned passes = 0;
    for (unsigned first = 0; first < SMP_LANES; first += group_lanes)
        passes += most_words(access, lanes & (group << first));
    return passes;
}

smp_status smp_l1_predict(const smp_arch *arch, const smp_access *access, smp_l1_counts *out) {
    smp_tags tags;
    *out = (smp_l1_counts){0};
    const smp_status status = smp_tags_of(arch, access, access->op == SMP_LD_GLOBAL, &tags);
    if (status != SMP_OK)
        return status;
    out->hit_wavefronts = count_passes(arch, access, access->active_mask);
    for (uint32_t waiting = access->active_mask; waiting != 0; out->tag_wavefronts++) {
        const uint32_t taken = smp_tags_take(&tags, waiting);
        out->miss_wavefronts += count_passes(arch, access, taken);
        waiting &= ~taken;
    }
    return SMP_OK;
}

/* Lanes on lines that lack some lane's sector. */
static uint32_t lanes_to_fetch(const smp_tags *tags, uint32_t lanes, uint32_t present) {
    uint32_t fetch = 0;
    for (uint32_t left = lanes & ~present; left != 0; left &= left - 1)
        for (uint32_t all = lanes; all != 0; all &= all - 1)
            if (tags->line[lowest_lane(all)] == tags->line[lowest_lane(left)])
                fetch |= 1u << lowest_lane(all);
    return fetch;
}

static bool is_copy(const smp_access *access) {
    return smp_op_table[access->op].space == SMP_SPACE_COPY &&
           !smp_op_bypasses_l1(access->op, access->width_bytes);
}

static unsigned passes_of(const smp_arch *arch, const smp_access *access, uint32_t lanes) {
    if (is_copy(access))
        return smp_copy_passes(access, lanes);
    return count_passes(arch, access, lanes);
}

/* Loads of 1 and 2 bytes keep the lanes that need not wait in two parts: those up to the first
 * wavefront of the tag stage with a line to fetch, and those after it, which take one pass even if
 * there are none. */
static unsigned count_split(const smp_arch *arch, const smp_access *access, const smp_tags *tags,
                            uint32_t fetch) {
    uint32_t waiting = access->active_mask, before = 0;
    if ((access->active_mask & ~fetch) == 0)
        return 0;
    for (bool is_met = false; waiting != 0 && !is_met;) {
        const uint32_t taken = smp_tags_take(tags, waiting);
        before |= taken & ~fetch;
        is_met = (taken & fetch) != 0;
        waiting &= ~taken;
    }
    const unsigned behind = count_passes(arch, access, waiting & ~fetch);
    return count_passes(arch, access, before) + (waiting != 0 && behind == 0 ? 1 : behind);
}

smp_status smp_l1_partly_predict(const smp_arch *arch, const smp_access *access, uint32_t present,
                                 uint32_t *wavefronts) {
    smp_tags tags;
    *wavefronts = 0;
    const smp_status status =
        smp_tags_of(arch, access, access->op == SMP_LD_GLOBAL || is_copy(access), &tags);
    if (status != SMP_OK)
        return status;
    const uint32_t fetch = lanes_to_fetch(&tags, access->active_mask, present);
    if (access->width_bytes < 4)
        *wavefronts = count_split(arch, access, &tags, fetch);
    else
        *wavefronts = passes_of(arch, access, access->active_mask & ~fetch);
    for (uint32_t waiting = access->active_mask; waiting != 0;) {
        const uint32_t taken = smp_tags_take(&tags, waiting);
        *wavefronts += passes_of(arch, access, taken & fetch);
        waiting &= ~taken;
    }
    return SMP_OK;
}
