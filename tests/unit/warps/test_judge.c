/* SPDX-License-Identifier: MIT */
/*
 * The emulator must pass its lanes' accesses to the model: a request to global memory
 * costs what smp_predict gives for the same addresses, in any order of lanes.
 */
#include <pthread.h>
#include <stdlib.h>

#include "judge.h"
#include "past_l1.h"
#include "suite.h"

static uint64_t state = 88172645463325252u;

static uint32_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* Judges one request of `op` both ways, also with offsets below lane 0's. */
static void judge_one(smp_op op) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    smp_profile_site result = {.op = op, .space = SMP_SPACE_GLOBAL, .width_bytes = 4};
    emu_site site = {.op = op, .space = SMP_SPACE_GLOBAL, .width_bytes = 4};
    emu_judge judge = {.arch = smp_arch_find("sm_90"),
                       .sites = &site,
                       .site_count = 1,
                       .results = &result,
                       .lock = &lock};
    smp_access access = {.op = op, .width_bytes = 4, .active_mask = draw() | 1u << draw() % 32};
    const uint64_t base = 0x7f0000000000ull + draw() % 4096 * 4ull;
    const uint32_t spread = 1u << draw() % 16;
    smp_counts counts;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        access.address_bytes[lane] = base + 4ull * (draw() % spread);
    ck_assert_int_eq(smp_predict(judge.arch, &access, &counts), SMP_OK);
    ck_assert_ptr_nonnull(emu_judge_global(&judge, 0, access.active_mask, access.address_bytes));
    emu_judge_flush(&judge);
    ck_assert_msg(!result.not_modelled, "%s", result.not_modelled);
    ck_assert_uint_eq(result.sectors, counts.transactions);
    free(site.tally->room);
    free(site.tally->index);
    free(site.tally);
    smp_site_clear(&result);
}

START_TEST(a_request_costs_what_its_addresses_cost) {
    static const smp_op ops[] = {SMP_LD_GLOBAL, SMP_ST_GLOBAL, SMP_RED_GLOBAL};
    for (unsigned i = 0; i < 3000; i++)
        judge_one(ops[_i]);
}
END_TEST

/* 16-byte copies, one request each; `far`: lane 31 of the last one is 64 GiB away. */
static void judge_copies(const char *arch, bool far, smp_profile_site *result, uint64_t *expected) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    emu_site site = {.op = SMP_CP_ASYNC, .space = SMP_SPACE_COPY, .width_bytes = 16};
    emu_judge judge = {.arch = smp_arch_find(arch),
                       .sites = &site,
                       .site_count = 1,
                       .results = result,
                       .lock = &lock};
    *result = (smp_profile_site){.op = SMP_CP_ASYNC, .space = SMP_SPACE_COPY, .width_bytes = 16};
    uint32_t most = 0;
    *expected = 0;
    for (unsigned i = 0; i < 1000; i++) {
        smp_access access = {.op = SMP_CP_ASYNC, .width_bytes = 16, .active_mask = SMP_ALL_LANES};
        smp_bypass_counts counts;
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            access.offset_bytes[lane] = draw() % (4u << i % 8) * 16;
            access.address_bytes[lane] = 0x7f0000000000ull + draw() % (4u << i % 10) * 16ull;
        }
        access.address_bytes[31] += far && i == 999 ? 1ull << 36 : 0;
        if (smp_copy_bypass_predict(judge.arch, &access, &counts) == SMP_OK)
            *expected += counts.sectors;
        most = counts.sectors > most ? counts.sectors : most;
        ck_assert_ptr_nonnull(emu_judge_shared(&judge, 0, access.active_mask, access.offset_bytes,
                                               access.address_bytes));
    }
    emu_judge_flush(&judge);
    ck_assert_uint_eq(result->worst.sectors, most);
    emu_tally *tally = site.tally;
    free(tally->room);
    free(tally->index);
    free(tally->sources);
    free(tally);
}

START_TEST(copies_past_l1_have_sectors_alone) {
    smp_profile_site result;
    uint64_t expected;
    judge_copies("sm_90", false, &result, &expected);
    ck_assert_ptr_null(result.not_modelled);
    ck_assert(smp_site_has_sectors(&result));
    ck_assert_uint_gt(expected, 1000);
    ck_assert_uint_eq(result.sectors, expected);
    ck_assert_uint_eq(result.wavefronts, 0);
    smp_site_clear(&result);
}
END_TEST

/* An unknown request, or a chip that was not measured, gives no figure. */
START_TEST(sectors_of_some_copies_are_not_said) {
    smp_profile_site result;
    uint64_t expected;
    judge_copies("sm_90", true, &result, &expected);
    ck_assert(!smp_site_has_sectors(&result));
    smp_site_clear(&result);
    judge_copies("sm_80", false, &result, &expected);
    ck_assert_uint_eq(expected, 0);
    ck_assert(!smp_site_has_sectors(&result));
    smp_site_clear(&result);
}
END_TEST

int main(void) {
    return SUITE("judge", TEST_EACH(a_request_costs_what_its_addresses_cost, 3),
                 TEST(copies_past_l1_have_sectors_alone),
                 TEST(sectors_of_some_copies_are_not_said));
}
