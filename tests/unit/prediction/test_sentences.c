/* SPDX-License-Identifier: MIT */
/*
 * Sentences are claims. What smp_prediction_why says of random accesses of every
 * operation and width on every compute capability, in both modes of Kepler's banks, is read back
 * into numbers, and each is judged by counting lanes, banks, words and bytes (judge_why.c). A
 * sentence that can't be read, or that nobody can judge, is a failure; a false one is shrunk first.
 *
 * SMP_TEST_SENTENCES and SMP_TEST_SEED change the number of accesses and their seed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "judge_why.h"
#include "setting.h"
#include "smp_prediction.h"
#include "smp_verify.h"
#include "suite.h"
#include "why.h"

/* So many accesses say each sentence, whatever the seed; the fixed one does so in fewer. */
enum { COMBINATIONS_MAX = 4096, TEXT_MAX = 1024, SURE_CASES = 1000000, FIXED_CASES = 150000 };

typedef struct combination {
    smp_arch arch;
    smp_op op;
    unsigned width_bytes;
} combination;

static combination combinations[COMBINATIONS_MAX];
static size_t combination_count;
static uint64_t met[WHY_COUNT]; /* how often each row was said */

static void add_arch(const smp_arch *arch) {
    for (unsigned op = 0; op < SMP_OP_COUNT; op++)
        for (unsigned width = 1; width <= 16; width *= 2)
            if (smp_op_evidence(arch, (smp_op)op, width) != SMP_ABSENT)
                combinations[combination_count++] = (combination){*arch, (smp_op)op, width};
}

/* Also those that no rule is known for: what is said of them must be known to be open. */
static void collect(void) {
    size_t count = 0;
    const smp_arch *rows = smp_archs(&count);
    combination_count = 0;
    for (size_t i = 0; i < count; i++) {
        smp_arch other;
        add_arch(&rows[i]);
        if (smp_arch_with_bank_bytes(&rows[i], 8, &other) == SMP_OK)
            add_arch(&other);
    }
}

/* Writes what is wrong with the sentence of an access; false if nothing is. */
static bool is_wrong(const smp_arch *arch, const smp_access *access, char *text, char *wrong) {
    static crowd all;
    smp_prediction report = {.arch = *arch, .access = *access};
    claim claims[CLAIMS_MAX];
    report.status = smp_predict(arch, access, &report.counts);
    (void)smp_prediction_why(&report, text, TEXT_MAX);
    size_t count = claims_read(smp_why_rows, WHY_COUNT, text, claims);
    if (count == 0) {
        (void)snprintf(wrong, TEXT_MAX, "can't be read back");
        return true;
    }
    crowd_gather(arch->cc_major, arch->cc_minor, arch->bank_bytes, access, &all);
    for (size_t i = 0; i < count; i++) {
        const char *row = smp_why_rows[claims[i].row];
        met[claims[i].row]++;
        if (judges_of_why[claims[i].row] && judges_of_why[claims[i].row](&all, claims[i].slots))
            continue;
        (void)snprintf(wrong, TEXT_MAX, "%s: \"%s\"",
                       judges_of_why[claims[i].row] ? "false" : "has no judge", row);
        return true;
    }
    return false;
}

static size_t first_that_is_wrong(void *user, const smp_access *candidates, size_t count) {
    char text[TEXT_MAX], wrong[TEXT_MAX];
    size_t i = 0;
    while (i < count && !is_wrong(user, &candidates[i], text, wrong))
        i++;
    return i;
}

static void expect_truth(smp_arch *arch, smp_access *access) {
    char text[TEXT_MAX], wrong[TEXT_MAX], line[SMP_BATCH_TEXT_MAX];
    if (!is_wrong(arch, access, text, wrong))
        return;
    smp_access_shrink(access, first_that_is_wrong, arch);
    (void)is_wrong(arch, access, text, wrong);
    (void)smp_batch_format(access, line);
    ck_abort_msg("%s, %u-byte banks: --access '%s'\n  %s\n  %s", arch->name, arch->bank_bytes, line,
                 text, wrong);
}

START_TEST(what_is_said_is_true) {
    smp_random random = {test_setting("SMP_TEST_SEED", 1)};
    const uint64_t sure = test_setting("SMP_TEST_SEED", 1) == 1 ? FIXED_CASES : SURE_CASES;
    uint64_t cases = test_setting("SMP_TEST_SENTENCES", FIXED_CASES);
    collect();
    memset(met, 0, sizeof met);
    for (uint64_t i = 0; i < cases; i++) {
        combination *entry = &combinations[i % combination_count];
        smp_access access;
        smp_random_access(&random, entry->op, entry->width_bytes,
                          entry->arch.shared_block_kib * 1024u, &access);
        expect_truth(&entry->arch, &access);
    }
    for (unsigned id = 0; id < WHY_COUNT; id++)
        ck_assert_msg(met[id] > 0 || cases < sure, "\"%s\" was never said", smp_why_rows[id]);
    if (test_setting("SMP_TEST_COUNTS", 0) != 0)
        for (unsigned id = 0; id < WHY_COUNT; id++)
            printf("%10" PRIu64 "  %s\n", met[id], smp_why_rows[id]);
}
END_TEST

int main(void) {
    return SUITE_FOR(86400, "sentences", TEST(what_is_said_is_true));
}
