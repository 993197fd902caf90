/* SPDX-License-Identifier: MIT */
/*
 * The rule that runs on the GPU, compiled for the host, against the model: random accesses of every
 * operation and width, as many as SMP_RULE_ACCESSES says; not copies of 16 bytes through L1, which
 * the patch cannot tell from those past it.
 */
#include "rule_case_run.h"
#include "setting.h"
#include "smp_accesses.h"
#include "suite.h"

enum { ACCESSES = 500000 };

static void run(const smp_access *access, rule_result *out) {
    *out = (rule_result){0};
    rule_case_run(access, smp_access_lanes(access), out);
}

START_TEST(rule_is_the_models) {
    const smp_arch *arch = smp_arch_of_cc(9, 0);
    size_t op_count;
    const smp_op_row *ops = smp_ops(&op_count);
    uint64_t judged[SMP_OP_COUNT] = {0}, total = test_cases("SMP_RULE_ACCESSES", ACCESSES);
    smp_random random = {.state = 1};
    for (uint64_t i = 0; i < total;) {
        for (size_t op = 0; op < op_count; op++) {
            for (uint32_t width = 1; width <= 16; width *= 2) {
                smp_access access;
                rule_result result;
                if ((ops[op].widths & width) == 0 || op == SMP_CP_ASYNC_CA)
                    continue;
                smp_random_access(&random, ops[op].op, width, arch->shared_block_kib * 1024,
                                  &access);
                run(&access, &result);
                rule_case_check(arch, &access, &result);
                judged[op] += result.valid != 0;
                i++;
            }
        }
    }
    for (size_t op = 0; op < op_count; op++)
        ck_assert_msg(judged[op] * 2000 > total || op == SMP_CP_ASYNC_CA, "%s: judged %llu times",
                      ops[op].name, (unsigned long long)judged[op]);
}
END_TEST

/* No random access meets these. */
START_TEST(far_apart_is_not_judged) {
    smp_access access = {.op = SMP_RED_GLOBAL, .width_bytes = 4, .active_mask = 3};
    rule_result result;
    access.address_bytes[1] = UINT64_C(1) << 36;
    run(&access, &result);
    ck_assert_uint_eq(result.valid, 0);
    access.op = SMP_LD_GLOBAL;
    run(&access, &result);
    ck_assert_uint_eq(result.valid, SMP_HAS_TRANSACTIONS);
    ck_assert_uint_eq(result.sectors, 2);
}
END_TEST

/* Lanes 0 and 1 go first, on other lines in the two tag banks of the rest. Then lanes 2 and 3 want
 * one place: lane 2's pair of lines has the highest lane, 31, whose own place lane 0 has written,
 * so lane 2 is fetched and shares nothing with lane 4. */
START_TEST(a_pair_is_known_by_lanes_that_are_not_fetched) {
    static const uint32_t lane[] = {0, 1, 2, 3, 4, 31}, line[] = {0, 1, 5, 4, 4, 5},
                          target[] = {0, 1024, 32, 32, 48, 0};
    smp_access access = {.op = SMP_CP_ASYNC, .width_bytes = 16};
    rule_result result;
    for (unsigned i = 0; i < sizeof lane / sizeof *lane; i++) {
        access.active_mask |= 1u << lane[i];
        access.address_bytes[lane[i]] = line[i] * 128;
        access.offset_bytes[lane[i]] = target[i];
    }
    run(&access, &result);
    rule_case_check(smp_arch_of_cc(9, 0), &access, &result);
    ck_assert_uint_eq(result.sectors, 4);
}
END_TEST

/* The key of a copy, from the line of its lowest lane, as the patch has it. */
static bool key_of(const smp_access *access, uint32_t key[SMP_LANES]) {
    const uint32_t lanes = smp_access_lanes(access);
    return warp_copy_key(lanes, access->address_bytes, access->offset_bytes, access->width_bytes,
                         access->address_bytes[warp_lowest(lanes)] >> WARP_LINE_SHIFT, key);
}

/* A copy with that key that has nothing else of the first. */
static smp_access copy_of_key(const smp_access *of, const uint32_t key[SMP_LANES]) {
    const uint32_t bits = warp_copy_low_bits(of->width_bytes);
    smp_access out = *of;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        const uint32_t low = key[l] & ((1u << bits) - 1);
        const bool is_whole = of->width_bytes == 16;
        out.address_bytes[l] = (uint64_t)(key[l] >> bits) << WARP_LINE_SHIFT |
                               (is_whole ? 0 : (low >> 5) * sizeof(uint32_t));
        out.offset_bytes[l] = is_whole ? low * 16 : low % 32 * 4;
    }
    return out;
}

/* The same copy elsewhere: other bits of all sources' lines, other rows of banks for targets. */
static void move_copy(smp_random *random, smp_access *access) {
    const uint64_t other = smp_random_next(random) >> 17 & ~UINT64_C(127);
    for (unsigned l = 0; l < SMP_LANES; l++) {
        access->address_bytes[l] ^= other;
        if (access->width_bytes < 16)
            access->offset_bytes[l] =
                access->offset_bytes[l] % 128 + smp_random_below(random, 256) * 128;
    }
}

START_TEST(a_copys_key_says_what_it_costs) {
    const smp_arch *arch = smp_arch_of_cc(9, 0);
    uint64_t total = test_cases("SMP_RULE_ACCESSES", ACCESSES) / 20, near = 0;
    smp_random random = {.state = 4};
    for (uint64_t i = 0; i < total; i++) {
        uint32_t key[SMP_LANES], moved_key[SMP_LANES];
        smp_access access, moved;
        rule_result own, other;
        smp_random_access(&random, SMP_CP_ASYNC, 4u << i % 3, arch->shared_block_kib * 1024,
                          &access);
        if (!key_of(&access, key))
            continue;
        near++;
        run(&access, &own);
        moved = copy_of_key(&access, key);
        run(&moved, &other);
        ck_assert_mem_eq(&own, &other, sizeof own);
        rule_case_check(arch, &moved, &own);
        moved = access;
        move_copy(&random, &moved);
        rule_case_check(arch, &moved, &own);
        ck_assert(key_of(&moved, moved_key));
        for (unsigned l = 0; l < SMP_LANES; l++)
            ck_assert((access.active_mask >> l & 1) == 0 || key[l] == moved_key[l]);
    }
    ck_assert_uint_gt(near, total / 2);
}
END_TEST

START_TEST(a_copy_of_far_lanes_has_no_key) {
    for (uint32_t width = 4; width <= 16; width *= 2) {
        smp_access access = {.op = SMP_CP_ASYNC, .width_bytes = width, .active_mask = 3};
        const unsigned most = WARP_LINE_SHIFT + 32 - warp_copy_low_bits(width);
        uint32_t key[SMP_LANES];
        access.address_bytes[1] = (UINT64_C(1) << most) - width;
        ck_assert(key_of(&access, key));
        access.address_bytes[1] += width;
        ck_assert(!key_of(&access, key));
    }
}
END_TEST

START_TEST(hash_is_the_sum_over_lanes) {
    smp_random random = {.state = 2};
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t offset[WARP_SLOTS];
        uint32_t sum = 0, lanes = (uint32_t)smp_random_next(&random) | 1u << i % 32;
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            offset[lane] = smp_random_next(&random) >> (i % 64);
            sum += (lanes >> lane & 1) != 0 ? smp_lane_hash(lane, offset[lane]) : 0;
        }
        ck_assert_uint_eq(warp_hash(lanes, offset), sum);
    }
}
END_TEST

/* Each word of a thread beside the same word of the other lanes: told by addresses. */
START_TEST(local_words_are_interleaved) {
    smp_random random = {.state = 3};
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t width = 1u << i % 5, offset[WARP_SLOTS], count = 0;
        uint32_t lanes = (uint32_t)smp_random_next(&random) | 1u << i % 32;
        uint64_t seen[SMP_LANES * 4];
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            offset[lane] = smp_random_below(&random, 1 + i % 9) * width;
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            for (uint32_t byte = 0; byte < width; byte += 4) {
                uint64_t word = (offset[lane] + byte) / 4;
                uint64_t sector = (word * SMP_LANES + lane) / 8;
                uint32_t at = 0;
                while (at < count && seen[at] != sector)
                    at++;
                if ((lanes >> lane & 1) != 0 && at == count)
                    seen[count++] = sector;
            }
        }
        ck_assert_uint_eq(warp_sectors_local(lanes, offset, width), count);
    }
}
END_TEST

int main(void) {
    return SUITE("warp_rule", TEST(rule_is_the_models), TEST(far_apart_is_not_judged),
                 TEST(a_pair_is_known_by_lanes_that_are_not_fetched),
                 TEST(a_copys_key_says_what_it_costs), TEST(a_copy_of_far_lanes_has_no_key),
                 TEST(hash_is_the_sum_over_lanes), TEST(local_words_are_interleaved));
}
