/* SPDX-License-Identifier: MIT */
/*
 * The bank map of random accesses, read back: in each wavefront a bank serves one word, or two
 * words of one segment, that its lanes want; every word of every lane is served once; no group has
 * more wavefronts than its fullest bank needs. Wanted words are counted byte by byte (crowd.h).
 *
 * SMP_TEST_CASES and SMP_TEST_SEED change the number of accesses and their seed.
 */
#include <string.h>

#include "combinations.h"
#include "crowd.h"
#include "setting.h"
#include "smp_accesses.h"
#include "suite.h"

static const char *const kepler = "two words of a segment on Kepler with 4-byte banks";

/* The number of the word's row, as in smp_lane. */
static uint32_t row_of(const crowd *all, uint32_t word) {
    return word / all->bank_count;
}

static bool merges(const crowd *all) {
    return smp_ops(NULL)[all->access->op].lanes_merge;
}

/* True if a cell may serve this word: it has the word or the other one of its segment. */
static bool is_served(const crowd *all, const smp_map_cell *cell, uint32_t word) {
    const uint32_t row = row_of(all, word);
    return all->is_folded ? row / 2 == cell->row / 2 : row == cell->row;
}

/* Every lane that wants a word of this bank gets it in one of its cells, and no other lane. */
static const char *judge_bank(const crowd *all, const crowd_bank *bank, const smp_map_row *rows,
                              unsigned height, unsigned number) {
    uint32_t left[CROWD_WORDS_MAX];
    memcpy(left, bank->lanes_of_word, sizeof left);
    for (unsigned i = 0; i < height; i++) {
        const smp_map_cell *cell = &rows[i].cells[number];
        uint32_t served = 0;
        unsigned words = 0;
        for (unsigned w = 0; w < bank->words && cell->lanes != 0; w++) {
            if (!is_served(all, cell, bank->word[w]) || (left[w] & cell->lanes) == 0)
                continue;
            if (merges(all) && (bank->lanes_of_word[w] & ~cell->lanes) != 0)
                return "lanes on one word are not served at once";
            served |= left[w] & cell->lanes;
            left[w] &= ~cell->lanes;
            words++;
        }
        if (served != cell->lanes)
            return "a lane is served that wants no word here, or has it already";
        if (!merges(all) && crowd_popcount(cell->lanes) > 1)
            return "two lanes of an atomic at once";
        if (cell->is_pair != (words > 1) || (words > 1 && !all->is_folded))
            return kepler;
    }
    for (unsigned w = 0; w < bank->words; w++)
        if (left[w] != 0)
            return "a lane is not served";
    return NULL;
}

static unsigned needed(const crowd *all, const crowd_group *group) {
    unsigned most = 0;
    for (unsigned b = 0; b < all->bank_count; b++) {
        const crowd_bank *bank = &group->banks[b];
        unsigned own = bank->passes;
        for (unsigned w = 0; w < bank->words && !merges(all); w++)
            own += crowd_popcount(bank->lanes_of_word[w]) - 1;
        most = own > most ? own : most;
    }
    return most;
}

/* The error in the map of an access, or NULL. */
static const char *fault_of(const smp_arch *arch, const smp_access *access,
                            const smp_counts *counts) {
    static crowd all;
    static smp_map_row rows[SMP_MAP_ROWS_MAX], few[SMP_MAP_ROWS_MAX];
    const size_t total = smp_bank_map(arch, access, counts, rows, SMP_MAP_ROWS_MAX);
    unsigned first = 0, at = 0;
    crowd_gather(arch->cc_major, arch->cc_minor, arch->bank_bytes, access, &all);
    if (total > SMP_MAP_ROWS_MAX)
        return "its size";
    for (unsigned g = 0; g < counts->group_count; g++) {
        const crowd_group *group = &all.groups[at];
        unsigned height = 0;
        if (counts->groups[g].lanes == 0)
            continue;
        if (at++ == all.group_count || group->lanes != counts->groups[g].lanes)
            return "its groups";
        while (first + height < total && rows[first + height].group == g)
            height++;
        if (height != needed(&all, group))
            return "how many wavefronts a group has";
        for (unsigned i = 0; i < height; i++) {
            unsigned busy = 0;
            for (unsigned b = 0; b < all.bank_count; b++)
                busy += rows[first + i].cells[b].lanes != 0;
            if (rows[first + i].is_first != (i == 0) || rows[first + i].busy != busy)
                return "which is first, or how many banks are busy";
        }
        for (unsigned b = 0; b < all.bank_count; b++) {
            const char *fault = judge_bank(&all, &group->banks[b], &rows[first], height, b);
            if (fault)
                return fault;
        }
        first += height;
    }
    memset(few, 0xee, sizeof few);
    const size_t half = total / 2;
    if (at != all.group_count || smp_bank_map(arch, access, counts, few, half) != total ||
        first != total || memcmp(few, rows, half * sizeof rows[0]) != 0 ||
        (half < SMP_MAP_ROWS_MAX && few[half].busy != 0xeeeeeeee))
        return "room for half of it";
    return NULL;
}

START_TEST(maps_are_read_back) {
    const combination_list *list = combinations_collect(0);
    smp_random random = {test_setting("SMP_TEST_SEED", 1)};
    const uint64_t cases = test_cases("SMP_TEST_CASES", 100000);
    uint64_t judged = 0;
    for (uint64_t i = 0; i < cases; i++) {
        const combination *entry = &list->entries[i % list->count];
        const smp_op_row *op = &smp_ops(NULL)[entry->op];
        smp_access access;
        smp_counts counts;
        smp_random_access(&random, entry->op, entry->width_bytes,
                          entry->arch.shared_block_kib * 1024u, &access);
        if (op->space != SMP_SPACE_SHARED || smp_predict(&entry->arch, &access, &counts) != SMP_OK)
            continue;
        const char *fault = fault_of(&entry->arch, &access, &counts);
        judged++;
        ck_assert_msg(!fault, "%s, %u-byte banks, access %llu of seed: %s of %u bytes, %x: %s",
                      entry->arch.name, entry->arch.bank_bytes, (unsigned long long)i, op->name,
                      access.width_bytes, access.active_mask, fault);
    }
    ck_assert_uint_gt(judged, cases / 4);
}
END_TEST

/* For a copy: as many rows as wavefronts; each lane is in one of them, alone on the banks of its
 * target; the lanes of a row belong to one group. */
static const char *copy_fault(const smp_arch *arch, const smp_access *access,
                              const smp_counts *counts) {
    static smp_map_row rows[SMP_MAP_ROWS_MAX];
    const size_t total = smp_bank_map(arch, access, counts, rows, SMP_MAP_ROWS_MAX);
    uint32_t seen = 0;
    if (total != counts->wavefronts_max)
        return "how many rows it has";
    for (size_t i = 0; i < total; i++) {
        uint32_t lanes = 0, busy = 0;
        for (unsigned bank = 0; bank < SMP_LANES; bank++)
            lanes |= rows[i].cells[bank].lanes;
        if (lanes == 0 || (lanes & seen) != 0 || (lanes & ~counts->groups[rows[i].group].lanes))
            return "which lanes a row has";
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            for (uint32_t at = 0; (lanes >> lane & 1) && at < access->width_bytes; at += 4, busy++)
                if (rows[i].cells[(access->offset_bytes[lane] + at) / 4 % 32].lanes != 1u << lane)
                    return "on which banks a lane is";
        if (busy != rows[i].busy)
            return "how many banks are busy";
        seen |= lanes;
    }
    return seen == access->active_mask ? NULL : "a lane is in no row";
}

START_TEST(maps_of_copies) {
    const smp_arch *arch = smp_arch_find("sm_90");
    smp_random random = {test_setting("SMP_TEST_SEED", 1)};
    uint32_t judged = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        smp_access access;
        smp_counts counts;
        smp_random_access(&random, SMP_CP_ASYNC, 4u << i % 2, 4096, &access);
        ck_assert_int_eq(smp_predict(arch, &access, &counts), SMP_OK);
        if (!(counts.valid & SMP_HAS_WAVEFRONTS)) /* lines too far apart */
            continue;
        const char *fault = copy_fault(arch, &access, &counts);
        ck_assert_msg(!fault, "copy %u: %s", i, fault);
        judged++;
    }
    ck_assert_uint_gt(judged, 2000);
}
END_TEST

int main(void) {
    return SUITE_FOR(86400, "model_map", TEST(maps_are_read_back), TEST(maps_of_copies));
}
