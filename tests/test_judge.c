/* SPDX-License-Identifier: MIT */
/*
 * test_judge.c: what the emulator hands to the model is what its lanes did: a request in global
 * memory costs what the same addresses cost by smp_predict, in whatever order the lanes have them.
 */
#include <pthread.h>
#include <stdlib.h>

#include "judge.h"
#include "suite.h"

static uint64_t state = 88172645463325252u;

static uint32_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* One request of `op`, judged both ways; lanes before the first one, too. */
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
    ck_assert_msg(result.not_modelled == NULL, "%s", result.not_modelled);
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

int main(void) {
    Suite *suite = suite_create("judge");
    TCase *tests = tcase_create("judge");
    tcase_add_loop_test(tests, a_request_costs_what_its_addresses_cost, 0, 3);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
