/* SPDX-License-Identifier: MIT */
/*
 * The model against the naive reference of tests/support on random accesses
 * over every architecture, bank mode, operation and width that the model claims to know, and on
 * every state that a half-warp of CC 1.x reads can be in. A failure is shrunk before it is shown.
 *
 * SMP_TEST_CASES and SMP_TEST_SEED change the number of cases and their seed.
 */
#include <string.h>

#include "agreement.h"
#include "combinations.h"
#include "setting.h"
#include "smp_accesses.h"
#include "suite.h"

enum { HALF_WARP = REFERENCE_HALF_WARP };

static void expect_agreement(const smp_arch *arch, smp_access *access, const char *what) {
    char text[AGREEMENT_TEXT_MAX];
    if (agreement_holds(smp_predict, arch, access))
        return;
    agreement_shrink(smp_predict, arch, access);
    agreement_explain(smp_predict, arch, access, text);
    ck_abort_msg("%s: %s", what, text);
}

static void run_random(const combination_list *list, uint64_t cases, uint64_t seed) {
    smp_random random = {seed};
    ck_assert_uint_gt(list->count, 0);
    for (uint64_t i = 0; i < cases; i++) {
        const combination *entry = &list->entries[i % list->count];
        smp_access access;
        smp_random_access(&random, entry->op, entry->width_bytes,
                          entry->arch.shared_block_kib * 1024u, &access);
        expect_agreement(&entry->arch, &access, "random access");
    }
}

START_TEST(every_row_agrees_with_the_reference) {
    run_random(combinations_collect(0), test_cases("SMP_TEST_CASES", 1000000),
               test_setting("SMP_TEST_SEED", 1));
}
END_TEST

START_TEST(cc_1_agrees_with_the_reference) {
    run_random(combinations_collect(1), test_cases("SMP_TEST_CASES", 1000000) / 8,
               test_setting("SMP_TEST_SEED", 1) + 1);
}
END_TEST

/* ---- Every state of a half-warp of CC 1.x reads ---- */

/* lanes[bank][word]: how many lanes want it, words and banks in falling order. */
typedef struct half_warp {
    unsigned banks;
    unsigned words[HALF_WARP];
    unsigned lanes[HALF_WARP][HALF_WARP];
} half_warp;

typedef struct enumeration {
    smp_random random;
    unsigned long states, step; /* every step-th state is checked */
} enumeration;

static void shuffle(smp_random *random, unsigned *values, unsigned count) {
    for (unsigned i = count; i > 1; i--) {
        unsigned j = smp_random_below(random, i);
        unsigned swapped = values[i - 1];
        values[i - 1] = values[j];
        values[j] = swapped;
    }
}

/* The state as an access: which bank, which words and which lanes is left to chance. */
static void check_state(enumeration *all, const half_warp *state) {
    unsigned lane_of[HALF_WARP], bank_of[HALF_WARP], row_of[HALF_WARP], next = 0;
    smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4};
    for (unsigned i = 0; i < HALF_WARP; i++)
        lane_of[i] = bank_of[i] = row_of[i] = i;
    shuffle(&all->random, lane_of, HALF_WARP);
    shuffle(&all->random, bank_of, HALF_WARP);
    shuffle(&all->random, row_of, HALF_WARP);
    for (unsigned bank = 0; bank < state->banks; bank++) {
        for (unsigned word = 0; word < state->words[bank]; word++) {
            for (unsigned i = 0; i < state->lanes[bank][word]; i++) {
                unsigned lane = lane_of[next++] + (all->states % 2 ? HALF_WARP : 0);
                access.active_mask |= 1u << lane;
                access.offset_bytes[lane] = row_of[word] * 64 + bank_of[bank] * 4;
            }
        }
    }
    if (all->states++ % all->step == 0)
        expect_agreement(smp_arch_of_cc(1, 3), &access, "state of a half-warp");
}

static int compare_banks(const half_warp *state, unsigned a, unsigned b) {
    for (unsigned i = 0; i < HALF_WARP; i++)
        if (state->lanes[a][i] != state->lanes[b][i])
            return state->lanes[a][i] < state->lanes[b][i] ? -1 : 1;
    return 0;
}

static void next_bank(enumeration *all, half_warp *state, unsigned lanes_left);

/* Continues the last bank with words of at most `most` lanes, or closes it. */
static void next_word(enumeration *all, half_warp *state, unsigned most, unsigned lanes_left) {
    unsigned bank = state->banks - 1, word = state->words[bank];
    if (word > 0 && (bank == 0 || compare_banks(state, bank, bank - 1) <= 0))
        next_bank(all, state, lanes_left);
    for (unsigned lanes = 1; lanes <= most && lanes <= lanes_left; lanes++) {
        state->lanes[bank][word] = lanes;
        state->words[bank] = word + 1;
        next_word(all, state, lanes, lanes_left - lanes);
        state->lanes[bank][word] = 0;
        state->words[bank] = word;
    }
}

static void next_bank(enumeration *all, half_warp *state, unsigned lanes_left) {
    check_state(all, state);
    if (lanes_left == 0)
        return;
    state->banks++;
    next_word(all, state, HALF_WARP, lanes_left);
    state->banks--;
}

START_TEST(cc_1_reads_agree_in_every_state) {
    static half_warp state;
    bool hurried = test_cases("SMP_TEST_CASES", 1000000) < 10000;
    enumeration all = {.random = {test_setting("SMP_TEST_SEED", 1)}, .step = hurried ? 16 : 1};
    state.banks = 1;
    next_word(&all, &state, HALF_WARP, HALF_WARP);
    /* Multisets of partitions of 1 to 16 lanes, OEIS A001970 summed. */
    ck_assert_uint_eq(all.states, 70569);
}
END_TEST

START_TEST(broadcast_search_agrees_with_the_literal_search) {
    smp_random random = {test_setting("SMP_TEST_SEED", 1)};
    for (unsigned i = 0; i < 2000; i++) {
        reference_wish wishes[HALF_WARP];
        unsigned count = 1 + smp_random_below(&random, i < 1900 ? 8 : 11);
        unsigned banks = 1 + smp_random_below(&random, 5), words = 1 + smp_random_below(&random, 5);
        for (unsigned k = 0; k < count; k++) {
            wishes[k].bank = smp_random_below(&random, banks);
            wishes[k].word = smp_random_below(&random, words);
        }
        reference_range quick = reference_broadcast(wishes, count);
        reference_range slow = reference_broadcast_literal(wishes, count);
        ck_assert_msg(quick.min == slow.min && quick.max == slow.max,
                      "case %u: [%u,%u] with symmetries, [%u,%u] lane by lane", i, quick.min,
                      quick.max, slow.min, slow.max);
    }
}
END_TEST

/* ---- The tests' own machinery ---- */

/* Breaks atomics: lanes on one word share a pass. */
static smp_status predict_merging(const smp_arch *arch, const smp_access *access, smp_counts *out) {
    smp_access as_store = *access;
    as_store.op = SMP_ST_SHARED;
    return smp_predict(arch, &as_store, out);
}

START_TEST(failures_are_found_and_shrunk) {
    const smp_arch *arch = smp_arch_find("sm_90");
    smp_random random = {test_setting("SMP_TEST_SEED", 1)};
    char text[AGREEMENT_TEXT_MAX];
    smp_access access;
    do
        smp_random_access(&random, SMP_ATOM_SHARED, 4, 1024, &access);
    while (agreement_holds(predict_merging, arch, &access));
    agreement_shrink(predict_merging, arch, &access);
    agreement_explain(predict_merging, arch, &access, text);
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        lanes += access.active_mask >> lane & 1u;
        ck_assert_msg(access.offset_bytes[lane] == 0, "not shrunk: %s", text);
    }
    ck_assert_msg(lanes == 2, "not shrunk: %s", text);
    ck_assert_ptr_nonnull(strstr(text, "atom.shared 4 "));
}
END_TEST

int main(void) {
    return SUITE_FOR(0, "model_random", TEST(every_row_agrees_with_the_reference),
                     TEST(cc_1_agrees_with_the_reference), TEST(cc_1_reads_agree_in_every_state),
                     TEST(broadcast_search_agrees_with_the_literal_search),
                     TEST(failures_are_found_and_shrunk));
}
