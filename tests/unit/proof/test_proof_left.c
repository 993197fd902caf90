/* SPDX-License-Identifier: MIT */
/*
 * Reading what a program's runtime wrote about its launches, and comparing the
 * memory and the output that two programs left.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proof_left.h"
#include "smp_accesses.h"
#include "suite.h"

#define LAUNCH "launch 20 0 4096 0 2 2 1 16 16 1 1 1 k<int>(float *, int)\n"
#define ARRAY "array 4096 100 00000000000000aa 00000000000000bb allocation 1\n"
#define OTHER "array 4096 100 00000000000000aa 00000000000000bc allocation 1\n"

#define LONGER "array 8192 100 00000000000000aa 00000000000000bb allocation 1\n"
#define ORDERED "ordered 4096 00000000000000aa 00000000000000bb\n"

typedef struct left_row {
    const char *before, *after, *why; /* NULL: equal */
} left_row;

static const left_row rows[] = {
    {LAUNCH ARRAY LAUNCH, LAUNCH ARRAY LAUNCH, NULL},
    {LAUNCH ARRAY LAUNCH ARRAY, LAUNCH ARRAY LAUNCH OTHER, "allocation 1, launch 2"},
    {LAUNCH ARRAY LAUNCH, LAUNCH ARRAY LAUNCH ARRAY, "allocation 1, launch 2"},
    {LAUNCH ARRAY LAUNCH, LAUNCH OTHER ORDERED LAUNCH, NULL}, /* the same structs in groups */
    {LAUNCH OTHER LAUNCH, LAUNCH ARRAY ORDERED LAUNCH, "different values in allocation 1"},
    {LAUNCH ARRAY LAUNCH, LAUNCH LONGER LAUNCH, "different size of allocation 1"},
    {LAUNCH ARRAY LAUNCH, LAUNCH ARRAY, "1 launches instead of 2"},
    {LAUNCH, "launch 20 0 4096 0 2 2 1 16 16 1 1 1 other()\n", "launch 1 differs"},
    {LAUNCH, "launch 20 0 4096 0 4 1 1 16 16 1 1 1 k<int>(float *, int)\n", "launch 1 differs"},
    {LAUNCH, "launch 20 0 4096 0 2 2 1 16 16 1 0 1 k<int>(float *, int)\n", "launch 1 differs"},
};

static proof_left left_of(const char *text) {
    char path[] = "/tmp/proof-left-XXXXXX";
    proof_left out = {.launches = NULL};
    const int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    (void)close(file);
    ck_assert(proof_left_read(path, &out));
    (void)unlink(path);
    return out;
}

START_TEST(launches_are_compared) {
    const left_row *row = &rows[_i];
    char why[PROOF_WHY] = "";
    uint64_t bytes = 0;
    proof_left before = left_of(row->before), after = left_of(row->after);
    const bool is_equal = proof_left_equal(&before, &after, &bytes, why);
    ck_assert_msg(is_equal == !row->why && (is_equal || strstr(why, row->why)), "row %d: %s", _i,
                  why);
    ck_assert(!is_equal || bytes == 100);
    ck_assert_str_eq(before.launches[0].kernel, "k<int>(float *, int)");
    proof_left_clear(&before);
    proof_left_clear(&after);
}
END_TEST

static proof_left printed(const char *text) {
    return (proof_left){.printed = strdup(text), .printed_length = strlen(text)};
}

START_TEST(words_that_vary_do_not_count) {
    char why[PROOF_WHY] = "";
    proof_left first = printed("took 12 ms\nsum 7\n"), again = printed("took 13 ms\nsum 7\n"),
               good = printed("took 99 ms\nsum 7\n"), wrong = printed("took 99 ms\nsum 8\n"),
               shorter = printed("took 99 ms\nsum\n");
    ck_assert(!proof_printed_equal(&first, &good, why));
    ck_assert(proof_printed_vary(&first, &again));
    ck_assert(proof_printed_equal(&first, &good, why));
    ck_assert(!proof_printed_equal(&first, &wrong, why));
    ck_assert_str_eq(why, "it prints \"8\" instead of \"7\"");
    ck_assert(!proof_printed_equal(&first, &shorter, why));
    const proof_printed seen = proof_left_printed(&first);
    ck_assert(seen.words == 5 && seen.varying == 1 && !seen.is_free);
    ck_assert(proof_printed_vary(&first, &shorter)); /* nothing is left to compare */
    ck_assert(proof_printed_equal(&first, &wrong, why) && proof_left_printed(&first).is_free);
    proof_left *all[] = {&first, &again, &good, &wrong, &shorter};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        proof_left_clear(all[i]);
}
END_TEST

int main(void) {
    return SUITE("proof_left", TEST_EACH(launches_are_compared, COUNT_OF(rows)),
                 TEST(words_that_vary_do_not_count));
}
