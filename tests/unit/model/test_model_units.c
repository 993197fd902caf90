/* SPDX-License-Identifier: MIT */
/*
 * The units of L1 beyond the accesses of `predict`, written again as plainly
 * as possible from model/FINDINGS.md alone, on random accesses.
 *
 * SMP_TEST_CASES and SMP_TEST_SEED change the number of cases and their seed.
 */
#include <inttypes.h>
#include <stdio.h>

#include "past_l1.h"
#include "reference.h"
#include "setting.h"
#include "smp_accesses.h"
#include "suite.h"

enum { FAR = 16 << 20, TEXT = 4096 };

static bool has(uint32_t lanes, unsigned lane) {
    return lanes >> lane & 1u;
}

/* ---- Random accesses ---- */

/* Lanes that meet: in few places, a step apart, in few lines, or anywhere. */
static void draw(smp_random *random, smp_op op, uint32_t width, smp_access *access) {
    static const uint32_t spans[] = {64, 256, 1024, 16384, FAR};
    const uint32_t span = spans[smp_random_below(random, 5)], places = span / width;
    const uint64_t base = (uint64_t)smp_random_below(random, FAR) * 256;
    const uint32_t step = smp_random_below(random, 40), kind = smp_random_below(random, 3);
    const uint32_t offset_span = spans[smp_random_below(random, 4)];
    *access = (smp_access){.op = op, .width_bytes = width};
    const uint32_t some = (uint32_t)smp_random_next(random),
                   halves = (uint32_t)smp_random_next(random);
    access->active_mask = smp_random_below(random, 3) == 0 ? SMP_ALL_LANES : some;
    if (smp_random_below(random, 4) == 0)
        access->active_mask &= halves & 0xf0f00f0fu;
    if (access->active_mask == 0)
        access->active_mask = 1u << smp_random_below(random, SMP_LANES);
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const uint64_t at = kind == 0 ? lane * step : smp_random_below(random, places);
        access->address_bytes[lane] = base + at * width;
        access->offset_bytes[lane] =
            kind == 1 ? lane * width : smp_random_below(random, offset_span / width) * width;
    }
}

static const char *show(const smp_access *access) {
    static char text[TEXT];
    int used = snprintf(text, sizeof text, "%u bytes, lanes %08x:", (unsigned)access->width_bytes,
                        (unsigned)access->active_mask);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (has(access->active_mask, lane))
            used += snprintf(text + used, sizeof text - (size_t)used, " %u:%" PRIu64 "/%u", lane,
                             access->address_bytes[lane], (unsigned)access->offset_bytes[lane]);
    return text;
}

static void expect(const smp_access *access, const char *what, unsigned model, unsigned words) {
    ck_assert_msg(model == words, "%s: %u by the model, %u by its words; %s", what, model, words,
                  show(access));
}

/* ---- Sets ---- */

/* Distinct values of address / piece of `lanes`; with `unit`, only those that are `unit` modulo
 * `units`. */
static unsigned pieces(const smp_access *access, uint32_t lanes, unsigned piece, unsigned units,
                       unsigned unit) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const uint64_t here = access->address_bytes[lane] / piece;
        bool counts = has(lanes, lane) && here % units == unit;
        for (unsigned lower = 0; lower < lane; lower++)
            if (has(lanes, lower) && access->address_bytes[lower] / piece == here)
                counts = false;
        count += counts;
    }
    return count;
}

/* The most distinct pieces on one of `units` units. */
static unsigned most_pieces(const smp_access *access, uint32_t lanes, unsigned piece,
                            unsigned units) {
    unsigned most = 0;
    for (unsigned unit = 0; unit < units; unit++) {
        const unsigned here = pieces(access, lanes, piece, units, unit);
        most = here > most ? here : most;
    }
    return most;
}

static unsigned groups_of(uint32_t width, unsigned narrowest) {
    return width <= narrowest ? 1 : width / narrowest;
}

/* Lanes of group `g` of `groups`. */
static uint32_t group_mask(unsigned g, unsigned groups) {
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (lane / (SMP_LANES / groups) == g)
            mask |= 1u << lane;
    return mask;
}

/* ---- 9: loads inside L1 ---- */

/* The most distinct words that `lanes`, at most 32 words together, want from one bank. */
static unsigned bank_cost(const smp_access *access, uint32_t lanes) {
    uint64_t words[SMP_LANES];
    unsigned count = 0, most = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        for (uint64_t byte = 0; has(lanes, lane) && byte < access->width_bytes; byte += 4) {
            const uint64_t word = (access->address_bytes[lane] + byte) / 4;
            bool is_new = true;
            for (unsigned i = 0; i < count; i++)
                is_new = is_new && words[i] != word;
            if (is_new)
                words[count++] = word;
        }
    for (unsigned bank = 0; bank < 32; bank++) {
        unsigned here = 0;
        for (unsigned i = 0; i < count; i++)
            here += words[i] % 32 == bank;
        most = here > most ? here : most;
    }
    return most;
}

/* The cost of a load of shared memory without the pair rule: by groups of 32, 16 or 8 lanes. */
static unsigned shared_cost(const smp_access *access, uint32_t lanes) {
    const unsigned groups = groups_of(access->width_bytes, 4);
    unsigned sum = 0;
    for (unsigned g = 0; g < groups; g++)
        sum += bank_cost(access, lanes & group_mask(g, groups));
    return sum;
}

static unsigned cost_by_tags(const smp_access *access, uint32_t lanes, unsigned *wavefronts) {
    unsigned sum = 0;
    *wavefronts = 0;
    for (uint32_t waiting = access->active_mask; waiting != 0; (*wavefronts)++) {
        const uint32_t taken = reference_tag_wavefront(access, waiting);
        sum += shared_cost(access, taken & lanes);
        waiting &= ~taken;
    }
    return sum;
}

static void check_load(const smp_arch *arch, const smp_access *access) {
    smp_l1_counts l1;
    unsigned tags;
    ck_assert_int_eq(smp_l1_predict(arch, access, &l1), SMP_OK);
    expect(access, "misses", l1.miss_wavefronts, cost_by_tags(access, SMP_ALL_LANES, &tags));
    expect(access, "lookups", l1.tag_wavefronts, tags);
    expect(access, "hits", l1.hit_wavefronts, shared_cost(access, access->active_mask));
}

/* Lanes on lines of which every asked 32 bytes are there. */
static uint32_t lanes_there(const smp_access *access, uint32_t present) {
    uint32_t there = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        bool is_there = has(access->active_mask, lane);
        for (unsigned other = 0; other < SMP_LANES; other++)
            if (has(access->active_mask, other) && !has(present, other) &&
                access->address_bytes[other] / 128 == access->address_bytes[lane] / 128)
                is_there = false;
        there |= (uint32_t)is_there << lane;
    }
    return there;
}

/* For 1 and 2 bytes: two parts, up to the first wavefront that must fetch, and after it. */
static unsigned cost_in_two_parts(const smp_access *access, uint32_t there) {
    uint32_t waiting = access->active_mask, before = 0;
    bool fetches = false;
    while (waiting != 0 && !fetches) {
        const uint32_t taken = reference_tag_wavefront(access, waiting);
        fetches = (taken & ~there) != 0;
        before |= taken;
        waiting &= ~taken;
    }
    const unsigned first = shared_cost(access, before & there);
    unsigned second = shared_cost(access, waiting & there);
    if (there == 0)
        return 0;
    if (waiting != 0 && second == 0)
        second = 1;
    return first + second;
}

static void check_partly(const smp_arch *arch, const smp_access *access, uint32_t wanted) {
    uint32_t present = 0, count;
    unsigned tags;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        for (unsigned other = 0; other < SMP_LANES; other++)
            if (has(wanted, other) &&
                access->address_bytes[lane] / 32 == access->address_bytes[other] / 32)
                present |= 1u << lane;
    const uint32_t there = lanes_there(access, present);
    const unsigned hits =
        access->width_bytes < 4 ? cost_in_two_parts(access, there) : shared_cost(access, there);
    ck_assert_int_eq(smp_l1_partly_predict(arch, access, present, &count), SMP_OK);
    expect(access, "partly", count, hits + cost_by_tags(access, ~there, &tags));
}

/* ---- 1: copies of 16 bytes ---- */

static void check_bypass(const smp_arch *arch, const smp_access *access) {
    smp_bypass_counts copy;
    unsigned rounds = 0, sectors = 0;
    reference_bypass(access, &rounds, &sectors);
    ck_assert_int_eq(smp_copy_bypass_predict(arch, access, &copy), SMP_OK);
    expect(access, "rounds of copies past L1", copy.tag_wavefronts, rounds);
    expect(access, "sectors of copies past L1", copy.sectors, sectors);
}

/* ---- 12: textures ---- */

/* For each of four banks (chosen by the line's number alone), the line of its lowest lane. */
static uint32_t texture_lookup(const smp_access *access, uint32_t waiting) {
    uint32_t taken = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        bool goes = has(waiting, lane);
        for (unsigned lower = 0; lower < lane; lower++)
            if (has(waiting, lower) &&
                access->address_bytes[lower] / 128 % 4 == access->address_bytes[lane] / 128 % 4) {
                goes =
                    goes && access->address_bytes[lower] / 128 == access->address_bytes[lane] / 128;
                break; /* the lowest of the bank */
            }
        taken |= (uint32_t)goes << lane;
    }
    return taken;
}

/* Rule 1: the odd lanes whose even neighbour, in the same wavefront, wants other 8 bytes of the
 * same quarter: bits 3 and 5 of the address. */
static uint32_t texture_behind(const smp_access *access, uint32_t taken) {
    uint32_t behind = 0;
    for (unsigned lane = 1; lane < SMP_LANES; lane += 2) {
        const uint64_t here = access->address_bytes[lane] / 8;
        const uint64_t there = access->address_bytes[lane - 1] / 8;
        if (has(taken, lane) && has(taken, lane - 1) && here != there && here % 2 == there % 2 &&
            here / 4 % 2 == there / 4 % 2)
            behind |= 1u << lane;
    }
    return behind;
}

static void check_texture(const smp_arch *arch, const smp_access *access) {
    smp_texture_counts texture;
    const unsigned lanes = access->width_bytes == 16 ? 4 : 8, groups = SMP_LANES / lanes;
    unsigned requests = 0, sectors = 0, tags = 0, data = 0;
    for (unsigned g = 0; g < groups; g++) {
        const uint32_t group = access->active_mask & group_mask(g, groups);
        const uint32_t low = group & group_mask(2 * g, 2 * groups);
        const uint32_t high = group & group_mask(2 * g + 1, 2 * groups);
        const bool no_one_behind =
            (low == 0 || high == 0) && texture_lookup(access, group) == group;
        requests += group != 0;
        sectors += pieces(access, group, 32, 1, 0);
        for (uint32_t waiting = group; waiting != 0; tags++) {
            const uint32_t taken = texture_lookup(access, waiting);
            const uint32_t behind = no_one_behind ? 0 : texture_behind(access, taken);
            if (access->width_bytes == 16)
                data += most_pieces(access, taken, 16, 8);
            else
                data += most_pieces(access, taken & ~behind, 8, 16) +
                        most_pieces(access, behind, 8, 16);
            waiting &= ~taken;
        }
    }
    ck_assert_int_eq(smp_texture_predict(arch, access, &texture), SMP_OK);
    expect(access, "texture requests", texture.requests, requests);
    expect(access, "texture sectors", texture.sectors, sectors);
    expect(access, "texture lookups", texture.tag_wavefronts, tags);
    expect(access, "texture data", texture.data_wavefronts, data);
}

static void check_constants(const smp_arch *arch, const smp_access *access) {
    uint32_t requests;
    ck_assert_int_eq(smp_constant_requests(arch, access, &requests), SMP_OK);
    expect(access, "constants", requests, pieces(access, access->active_mask, 1, 1, 0));
}

/* ---- 4: atomics that are loops ---- */

/* The lanes of `lanes` that are the lowest on their bank of 4 or 8 bytes. */
static uint32_t lowest_on_banks(const smp_access *access, uint32_t lanes) {
    const unsigned width = access->width_bytes, banks = 128 / width;
    uint32_t lowest = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        bool wins = has(lanes, lane);
        for (unsigned lower = 0; lower < lane; lower++)
            if (has(lanes, lower) && access->offset_bytes[lower] / width % banks ==
                                         access->offset_bytes[lane] / width % banks)
                wins = false;
        lowest |= (uint32_t)wins << lane;
    }
    return lowest;
}

static void check_loop(const smp_arch *arch, const smp_access *access, uint32_t unchanged) {
    const unsigned groups = access->width_bytes / 4;
    smp_loop_counts loop;
    unsigned turns = 0, atomics = 0, loads = 0;
    for (uint32_t waiting = access->active_mask; waiting != 0; turns++) {
        smp_access load = *access;
        smp_counts counts;
        uint32_t done = 0;
        load.op = SMP_LD_SHARED;
        load.active_mask = waiting;
        ck_assert_int_eq(smp_predict(arch, &load, &counts), SMP_OK);
        loads += counts.wavefronts_max;
        for (unsigned g = 0; g < groups; g++) {
            const uint32_t tries = lowest_on_banks(access, waiting & group_mask(g, groups));
            uint32_t loses = 0; /* an earlier lane of the previous half has changed its word */
            for (unsigned lane = 0; lane < SMP_LANES; lane++)
                for (unsigned other = 0; other < SMP_LANES; other++)
                    if (has(done & ~unchanged, other) &&
                        access->offset_bytes[other] == access->offset_bytes[lane])
                        loses |= 1u << lane;
            atomics += tries != 0 ? 2 : 0;
            done |= tries & ~loses;
        }
        waiting &= ~done;
    }
    ck_assert_int_eq(smp_atomic_loop_predict(arch, access, unchanged, &loop), SMP_OK);
    expect(access, "turns", loop.turns, turns);
    expect(access, "atomic wavefronts", loop.atomic_wavefronts, atomics);
    expect(access, "load wavefronts", loop.load_wavefronts, loads);
}

/* ---- Copies ---- */

/* Copies through L1, lanes by rule 1 of section 1: those there together, the rest by wavefronts. */
static unsigned copy_passes(const smp_access *access, uint32_t lanes) {
    const unsigned width = access->width_bytes, groups = width / 4;
    unsigned passes = 0;
    for (unsigned g = 0; g < groups; g++)
        for (uint32_t left = lanes & group_mask(g, groups); left != 0; passes++) {
            uint32_t served = 0;
            for (unsigned lane = 0; lane < SMP_LANES; lane++) {
                bool goes = has(left, lane);
                for (unsigned lower = 0; lower < lane; lower++)
                    if (has(left, lower) && (access->address_bytes[lower] % 128 / width ==
                                                 access->address_bytes[lane] % 128 / width ||
                                             access->offset_bytes[lower] % 128 / width ==
                                                 access->offset_bytes[lane] % 128 / width))
                        goes = false;
                served |= (uint32_t)goes << lane;
            }
            left &= ~served;
        }
    return passes;
}

static void check_copy_partly(const smp_arch *arch, const smp_access *access, uint32_t present) {
    const uint32_t there = lanes_there(access, present);
    unsigned passes = copy_passes(access, there);
    uint32_t count;
    for (uint32_t waiting = access->active_mask; waiting != 0;) {
        const uint32_t taken = reference_tag_wavefront(access, waiting);
        passes += copy_passes(access, taken & ~there);
        waiting &= ~taken;
    }
    ck_assert_int_eq(smp_l1_partly_predict(arch, access, present, &count), SMP_OK);
    expect(access, "copies partly", count, passes);
}

static void check_widths(smp_random *random, const smp_arch *arch) {
    smp_access access;
    for (uint32_t width = 1; width <= 16; width *= 2) {
        draw(random, SMP_LD_GLOBAL, width, &access);
        check_load(arch, &access);
        check_partly(arch, &access, (uint32_t)smp_random_next(random));
        check_texture(arch, &access);
        if (width != 2 && width != 16)
            check_constants(arch, &access);
    }
}

START_TEST(rules_are_their_words) {
    smp_random random = {test_setting("SMP_TEST_SEED", 1) + 77};
    const smp_arch *arch = smp_arch_find("sm_90");
    smp_access access;
    for (uint64_t i = test_cases("SMP_TEST_CASES", 1000000) / 400; i > 0; i--) {
        check_widths(&random, arch);
        draw(&random, SMP_CP_ASYNC, 16, &access);
        check_bypass(arch, &access);
        for (uint32_t width = 4; width <= 8; width *= 2) {
            draw(&random, SMP_ATOM_SHARED, width, &access);
            check_loop(arch, &access, (uint32_t)(smp_random_next(&random) & 0x11111111u));
            draw(&random, SMP_CP_ASYNC, width, &access);
            check_copy_partly(arch, &access, (uint32_t)smp_random_next(&random));
        }
        draw(&random, SMP_CP_ASYNC_CA, 16, &access);
        check_copy_partly(arch, &access, (uint32_t)smp_random_next(&random));
    }
}
END_TEST

int main(void) {
    return SUITE("model_units", TEST(rules_are_their_words));
}
