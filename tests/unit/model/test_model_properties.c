/* SPDX-License-Identifier: MIT */
/*
 * Properties of every access, on random accesses over every architecture,
 * bank mode, operation and width; and counterexamples to properties that only seem to hold.
 */

#include "agreement.h"
#include "combinations.h"
#include "offset_text.h"
#include "setting.h"
#include "smp_accesses.h"
#include "suite.h"

/* One random access and what the model says of it. */
typedef struct sample {
    const combination *entry;
    smp_access access;
    smp_counts counts;
    smp_random *random;
} sample;

typedef void (*property)(const sample *one);

static bool is_atomic(smp_op op) {
    return op == SMP_ATOM_SHARED || op == SMP_ATOM_SHARED_CAS || op == SMP_RED_SHARED;
}

/* Copies past L1 take none, and that is known. */
static bool has_wavefronts(const sample *one) {
    return (one->counts.valid & SMP_HAS_WAVEFRONTS) != 0 &&
           (one->access.op != SMP_CP_ASYNC || one->access.width_bytes < 16);
}

static bool pair_rule_applies(const sample *one) {
    return one->entry->arch.cc_major >= 5 && one->access.op == SMP_LD_SHARED &&
           one->access.width_bytes >= 8;
}

static void reject(const sample *one, const smp_access *access, const char *what) {
    char text[AGREEMENT_TEXT_MAX];
    agreement_explain(smp_predict, &one->entry->arch, access, text);
    ck_abort_msg("%s: %s", what, text);
}

static smp_counts counts_of(const sample *one, const smp_access *access) {
    smp_counts counts;
    smp_status status = smp_predict(&one->entry->arch, access, &counts);
    if (status != SMP_OK && status != SMP_E_NOT_MODELLED)
        reject(one, access, "cannot be predicted");
    return counts;
}

static void for_random_accesses(property check) {
    const combination_list *list = combinations_collect(0);
    uint64_t cases = test_cases("SMP_TEST_CASES", 1000000) / 10;
    smp_random random = {test_setting("SMP_TEST_SEED", 1) + 2};
    for (uint64_t i = 0; i < cases; i++) {
        sample one = {.entry = &list->entries[i % list->count], .random = &random};
        uint32_t limit = one.entry->arch.shared_block_kib * 1024u;
        smp_random_access(&random, one.entry->op, one.entry->width_bytes, limit, &one.access);
        one.counts = counts_of(&one, &one.access);
        check(&one);
    }
}

/* ---- Bounds ---- */

static unsigned words_per_lane(const sample *one) {
    unsigned bytes = one->entry->arch.bank_bytes;
    return one->access.width_bytes > bytes ? one->access.width_bytes / bytes : 1;
}

static void counts_are_bounded(const sample *one) {
    const smp_counts *counts = &one->counts;
    unsigned twice = one->access.op == SMP_ATOM_SHARED_CAS ? 2 : 1;
    /* A group of 16-byte accesses of CC 2.x may take one pass beyond its words. */
    unsigned more = one->entry->arch.cc_major == 2 && one->access.width_bytes == 16 ? 1 : 0;
    if (!has_wavefronts(one))
        return;
    unsigned most = counts->active_lanes * words_per_lane(one) * twice + more * counts->group_count;
    bool sound = counts->wavefronts_min >= 1 && counts->ideal >= 1 && counts->ways >= 1 &&
                 counts->wavefronts_min <= counts->wavefronts_max &&
                 counts->wavefronts_max <= most && counts->ideal <= counts->wavefronts_min &&
                 counts->ways <= counts->active_lanes + more &&
                 counts->excess == counts->wavefronts_max - counts->ideal;
    if (!sound)
        reject(one, &one->access, "out of bounds");
}

START_TEST(counts_stay_in_their_bounds) {
    for_random_accesses(counts_are_bounded);
}
END_TEST

static void transactions_are_bounded(const sample *one) {
    const smp_counts *counts = &one->counts;
    if (!(counts->valid & SMP_HAS_TRANSACTIONS))
        return;
    bool all_or_nothing = one->entry->arch.global_rule == SMP_GLOBAL_STRICT;
    unsigned most = all_or_nothing ? SMP_LANES : counts->active_lanes;
    bool sound = counts->transactions >= 1 && counts->transactions <= most &&
                 counts->bytes >= 32 * counts->transactions &&
                 counts->bytes <= 128 * counts->transactions;
    if (!sound)
        reject(one, &one->access, "out of bounds");
}

START_TEST(transactions_stay_in_their_bounds) {
    for_random_accesses(transactions_are_bounded);
}
END_TEST

/* Groups add up to the request, and between them hold each lane: once, and on CC 1.x once for
 * each of the 4-byte requests. */
static void groups_add_up(const sample *one) {
    const smp_counts *counts = &one->counts;
    unsigned min = 0, max = 0, ways = 0, times[SMP_LANES] = {0};
    if (!has_wavefronts(one))
        return;
    for (unsigned i = 0; i < counts->group_count; i++) {
        min += counts->groups[i].wavefronts_min;
        max += counts->groups[i].wavefronts_max;
        ways = counts->groups[i].ways > ways ? counts->groups[i].ways : ways;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            times[lane] += counts->groups[i].lanes >> lane & 1u;
    }
    unsigned requests = one->entry->arch.cc_major == 1 ? words_per_lane(one) : 1;
    bool sound = min == counts->wavefronts_min && max == counts->wavefronts_max &&
                 ways == counts->ways && counts->group_count <= SMP_GROUPS_MAX;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        sound = sound && times[lane] == (reference_lanes(&one->access) >> lane & 1u ? requests : 0);
    if (!sound)
        reject(one, &one->access, "groups do not add up");
}

START_TEST(groups_add_up_to_the_request) {
    for_random_accesses(groups_add_up);
}
END_TEST

/* ---- Changes that change nothing ---- */

static bool same_counts(const smp_counts *a, const smp_counts *b) {
    return a->valid == b->valid && a->active_lanes == b->active_lanes &&
           a->wavefronts_min == b->wavefronts_min && a->wavefronts_max == b->wavefronts_max &&
           a->ideal == b->ideal && a->excess == b->excess && a->ways == b->ways &&
           a->transactions == b->transactions && a->bytes == b->bytes &&
           a->transactions_min == b->transactions_min &&
           a->transactions_max == b->transactions_max && a->paired == b->paired;
}

/* A row is 32 banks of 4 bytes, 16 on CC 1.x, 32 of 8 bytes on 3.x in both modes; remote atomics
 * also depend on the line, up to the whole of shared memory. */
static uint32_t row_bytes(const smp_arch *arch, smp_op op) {
    if (op == SMP_ATOM_CLUSTER)
        return 1u << 24;
    if (arch->cc_major == 3)
        return 256;
    return arch->cc_major == 1 ? 64 : 128;
}

static void rows_do_not_matter(const sample *one) {
    smp_access moved = one->access;
    uint32_t limit = one->entry->arch.shared_block_kib * 1024u, highest = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if ((reference_lanes(&moved) >> lane & 1u) && moved.offset_bytes[lane] > highest)
            highest = moved.offset_bytes[lane];
    uint32_t row = row_bytes(&one->entry->arch, one->access.op);
    uint32_t rows = smp_random_below(one->random, (limit - highest - 1) / row + 1);
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        moved.offset_bytes[lane] += rows * row;
        moved.address_bytes[lane] += (uint64_t)rows << 35; /* the hash is known up to there */
    }
    smp_counts counts = counts_of(one, &moved);
    if (!same_counts(&counts, &one->counts))
        reject(one, &one->access, "adding rows changes the counts");
}

START_TEST(adding_bank_rows_changes_nothing) {
    for_random_accesses(rows_do_not_matter);
}
END_TEST

static void inactive_lanes_do_not_matter(const sample *one) {
    smp_access other = one->access;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (reference_lanes(&other) >> lane & 1u)
            continue;
        other.offset_bytes[lane] = (uint32_t)smp_random_next(one->random);
        other.address_bytes[lane] = smp_random_next(one->random);
    }
    smp_counts counts = counts_of(one, &other);
    if (!same_counts(&counts, &one->counts))
        reject(one, &one->access, "an inactive lane changes the counts");
}

START_TEST(inactive_lanes_never_count) {
    for_random_accesses(inactive_lanes_do_not_matter);
}
END_TEST

static void swap_lanes(smp_access *access, unsigned a, unsigned b) {
    uint32_t offset = access->offset_bytes[a];
    uint32_t differs = (access->active_mask >> a ^ access->active_mask >> b) & 1u;
    access->offset_bytes[a] = access->offset_bytes[b];
    access->offset_bytes[b] = offset;
    access->active_mask ^= differs << a | differs << b;
}

/* The smallest group of any operation and width is 8 lanes. */
static void order_does_not_matter(const sample *one) {
    smp_access shuffled = one->access;
    if (!has_wavefronts(one) || pair_rule_applies(one) ||
        smp_ops(NULL)[one->access.op].space == SMP_SPACE_COPY)
        return;
    for (unsigned n = 0; n < SMP_LANES; n++) {
        unsigned a = smp_random_below(one->random, SMP_LANES);
        swap_lanes(&shuffled, a, (a & ~7u) + smp_random_below(one->random, 8));
    }
    smp_counts counts = counts_of(one, &shuffled);
    if (!same_counts(&counts, &one->counts))
        reject(one, &one->access, "the order of lanes changes the counts");
}

START_TEST(order_inside_a_group_changes_nothing) {
    for_random_accesses(order_does_not_matter);
}
END_TEST

/* The pair rule looks at neighbours, so there order matters: the same 16 doubles, each wanted by
 * two lanes of one group. */
START_TEST(order_matters_to_the_pair_rule) {
    smp_access pairs = {.op = SMP_LD_SHARED, .width_bytes = 8, .active_mask = SMP_ALL_LANES};
    smp_access apart = pairs;
    smp_counts of_pairs, of_apart;
    ck_assert_uint_eq(offset_text_read("0+8*32/2", &pairs), SMP_LANES);
    ck_assert_uint_eq(offset_text_read("0+8*16|8 64+8*16|8", &apart), SMP_LANES);
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &pairs, &of_pairs), SMP_OK);
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &apart, &of_apart), SMP_OK);
    ck_assert_uint_eq(of_pairs.wavefronts_min, 1);
    ck_assert_uint_eq(of_apart.wavefronts_min, 2);
}
END_TEST

/* ---- Removing lanes ---- */

static bool is_counted(const sample *one) {
    smp_op op = one->access.op;
    return one->entry->arch.cc_major >= 2 && (op == SMP_LD_SHARED || op == SMP_ST_SHARED);
}

/* Also with the pair rule: removing a lane removes conditions and adds none, and two groups served
 * together never need more passes than the two apart. */
static void removal_never_raises(const sample *one) {
    if (!is_counted(one))
        return;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        smp_access without = one->access;
        without.active_mask &= ~(1u << lane);
        if (without.active_mask == 0 || without.active_mask == one->access.active_mask)
            continue;
        smp_counts counts = counts_of(one, &without);
        if (counts.wavefronts_min > one->counts.wavefronts_min)
            reject(one, &without, "removing a lane raises the wavefronts");
    }
}

START_TEST(removing_a_lane_never_raises_wavefronts) {
    for_random_accesses(removal_never_raises);
}
END_TEST

/* Without the pair rule one lane is worth at most one pass. */
static void removal_lowers_by_one(const sample *one) {
    if (!is_counted(one) || pair_rule_applies(one))
        return;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        smp_access without = one->access;
        without.active_mask &= ~(1u << lane);
        if (without.active_mask == 0 || without.active_mask == one->access.active_mask)
            continue;
        smp_counts counts = counts_of(one, &without);
        if (counts.wavefronts_min + 1 < one->counts.wavefronts_min)
            reject(one, &without, "removing a lane saves more than a pass");
    }
}

START_TEST(removing_a_lane_saves_at_most_a_pass) {
    for_random_accesses(removal_lowers_by_one);
}
END_TEST

/* With it, one lane can be worth half of all passes: the two groups want different banks, and
 * only the last lane keeps them from being served together. */
START_TEST(removing_a_lane_can_halve_a_paired_load) {
    smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 8, .active_mask = SMP_ALL_LANES};
    smp_counts with, without;
    ck_assert_uint_eq(offset_text_read("0+128*16/2 8+128*15/2 8", &access), SMP_LANES);
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &access, &with), SMP_OK);
    access.active_mask = 0x7fffffff;
    ck_assert_int_eq(smp_predict(smp_arch_find("9.0"), &access, &without), SMP_OK);
    ck_assert(!with.paired && without.paired);
    ck_assert_uint_eq(with.wavefronts_min, 16);
    ck_assert_uint_eq(without.wavefronts_min, 8);
}
END_TEST

/* On CC 1.x neither end of the range rises: a choice that is left was there before. */
static void removal_bounds_on_cc_1(const sample *one) {
    if (one->entry->arch.cc_major != 1 || one->access.op != SMP_LD_SHARED)
        return;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        smp_access without = one->access;
        without.active_mask &= ~(1u << lane);
        if (without.active_mask == 0)
            continue;
        smp_counts counts = counts_of(one, &without);
        if (counts.wavefronts_min > one->counts.wavefronts_min ||
            counts.wavefronts_max > one->counts.wavefronts_max)
            reject(one, &without, "removing a lane raises the steps");
    }
}

START_TEST(removing_a_lane_never_raises_steps) {
    for_random_accesses(removal_bounds_on_cc_1);
}
END_TEST

/* ---- Atomics ---- */

/* Lanes do not combine: a store to the same addresses is never dearer, and compare-and-swap costs
 * exactly twice an atomic. */
static void atomics_cost_more(const sample *one) {
    smp_access other = one->access;
    if (!is_atomic(one->access.op))
        return;
    other.op = SMP_ST_SHARED;
    smp_counts store = counts_of(one, &other);
    if (store.wavefronts_max > one->counts.wavefronts_min)
        reject(one, &other, "a store costs more than an atomic");
    other.op = SMP_ATOM_SHARED_CAS;
    smp_counts swap = counts_of(one, &other);
    unsigned factor = one->access.op == SMP_ATOM_SHARED_CAS ? 1 : 2;
    if (swap.wavefronts_min != factor * one->counts.wavefronts_min)
        reject(one, &other, "compare-and-swap is not twice");
}

START_TEST(atomics_cost_what_their_lanes_cost) {
    for_random_accesses(atomics_cost_more);
}
END_TEST

int main(void) {
    return SUITE_FOR(
        0, "model_properties", TEST(counts_stay_in_their_bounds),
        TEST(transactions_stay_in_their_bounds), TEST(groups_add_up_to_the_request),
        TEST(adding_bank_rows_changes_nothing), TEST(inactive_lanes_never_count),
        TEST(order_inside_a_group_changes_nothing), TEST(order_matters_to_the_pair_rule),
        TEST(removing_a_lane_never_raises_wavefronts), TEST(removing_a_lane_saves_at_most_a_pass),
        TEST(removing_a_lane_can_halve_a_paired_load), TEST(removing_a_lane_never_raises_steps),
        TEST(atomics_cost_what_their_lanes_cost));
}
