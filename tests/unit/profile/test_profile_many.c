/* SPDX-License-Identifier: MIT */
/*
 * Many files read in parallel give the same as one by one; the first bad file
 * is named; the one that differs from the others is found, with its line.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "profile_json.h"
#include "profile_many.h"
#include "suite.h"

enum { FILES = 24 };

static const char *const names[] = {SMP_RECORDED_FOLDER "/programs/transpose.smprof",
                                    SMP_RECORDED_FOLDER "/programs/transpose-padded.smprof",
                                    SMP_RECORDED_FOLDER "/programs/sgemm.smprof"};

static const smp_profile_filter everything;

static void no_loss(const char *path, const smp_profile_loss *loss) {
    ck_abort_msg("%s: %u blocks lost", path, loss->blocks);
}

static char bad_names[4096];

static void bad_file(const char *path, const smp_error *error) {
    ck_assert_ptr_nonnull(strstr(error->message, path));
    (void)strcat(strcat(bad_names, path), " ");
}

static const smp_profile_told told = {no_loss, bad_file};

static char *text_of(const smp_profile *profile) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < profile->run_count; i++)
        json_array_append_new(list, smp_run_to_json(&profile->runs[i]));
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        json_array_append_new(list, smp_kernel_to_json(&profile->kernels[i], SMP_PROFILE_WHOLE));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    ck_assert_ptr_nonnull(text);
    return text;
}

static void read_all(const char *const *paths, size_t count, smp_profile *out,
                     smp_profile_part *parts) {
    smp_error error;
    ck_assert_msg(smp_profile_read_many(paths, count, &everything, out, parts, &told, &error) ==
                      SMP_OK,
                  "%s", error.message);
}

START_TEST(as_one_by_one) {
    const char *paths[FILES];
    smp_profile together = {0}, alone = {0};
    smp_profile_part parts[FILES], own;
    smp_ranking ranking;
    uint64_t cost = 0;
    for (unsigned i = 0; i < FILES; i++)
        paths[i] = names[i * 7 % 5 % 3];
    read_all(paths, FILES, &together, parts);
    for (unsigned i = 0; i < FILES; i++) {
        read_all(&paths[i], 1, &alone, &own);
        ck_assert_str_eq(parts[i].path, paths[i]);
        ck_assert_uint_eq(parts[i].cost, own.cost);
        cost += own.cost;
    }
    ck_assert_int_eq(smp_ranking_make(&together, &ranking, NULL), SMP_OK);
    ck_assert_uint_eq(cost, ranking.sums.wavefronts + ranking.sums.sectors);
    smp_ranking_clear(&ranking);
    char *left = text_of(&together), *right = text_of(&alone);
    ck_assert_str_eq(left, right);
    free(left);
    free(right);
    smp_profile_clear(&together);
    smp_profile_clear(&alone);
}
END_TEST

/* In any order of threads, the other files are merged. */
START_TEST(bad_files_are_named) {
    const char *paths[FILES];
    smp_profile_part parts[FILES];
    smp_profile profile = {0}, good = {0};
    smp_error error;
    for (unsigned bad = 0; bad < FILES; bad += 7) {
        char expected[4096] = "";
        unsigned kept = 0;
        for (unsigned i = 0; i < FILES; i++) {
            const bool is_bad = i == bad || (i > bad && i % 3 == 0);
            paths[i] = i == bad ? "first" : is_bad ? "later" : names[1];
            if (is_bad)
                (void)strcat(strcat(expected, paths[i]), " ");
            kept += !is_bad;
        }
        bad_names[0] = '\0';
        ck_assert_int_eq(
            smp_profile_read_many(paths, FILES, &everything, &profile, parts, &told, &error),
            SMP_OK);
        ck_assert_str_eq(bad_names, expected);
        for (unsigned i = 0; i < FILES; i++)
            ck_assert(!parts[i].path == (strcmp(paths[i], names[1]) != 0));
        ck_assert_uint_eq(profile.run_count % kept, 0);
        smp_profile_clear(&profile);
    }
    for (unsigned i = 0; i < FILES; i++)
        paths[i] = i == 0 ? "first" : "later";
    ck_assert_int_eq(smp_profile_read_many(paths, FILES, &everything, &good, NULL, &told, &error),
                     SMP_E_READ);
    ck_assert_msg(strncmp(error.message, "first:", 6) == 0, "%s", error.message);
    ck_assert_uint_eq(good.kernel_count, 0);
}
END_TEST

START_TEST(filtered) {
    const smp_profile_filter filter = {.kernel = "wide"};
    smp_profile profile = {0};
    smp_profile_part parts[3];
    smp_error error;
    ck_assert_int_eq(smp_profile_read_many(names, 3, &filter, &profile, parts, &told, &error),
                     SMP_OK);
    ck_assert_uint_eq(profile.kernel_count, 1);
    ck_assert_uint_eq(parts[0].cost, 0);
    ck_assert_uint_gt(parts[2].cost, 0);
    smp_profile_clear(&profile);
}
END_TEST

static smp_spread spread_of(const uint64_t *costs, size_t count, smp_profile_part *parts) {
    smp_spread spread;
    for (size_t i = 0; i < count; i++)
        parts[i] = (smp_profile_part){.cost = costs[i]};
    ck_assert_int_eq(smp_spread_make(parts, count, &spread, NULL), SMP_OK);
    return spread;
}

/* A launcher's file has no kernels: it is no rank, is neither the least nor odd, and of the two
 * that are left neither is; what costs nothing but has kernels is a rank. */
START_TEST(without_kernels) {
    static const uint64_t costs[] = {0, 100, 900, 0};
    smp_profile_part parts[4];
    for (unsigned idle = 0; idle < 2; idle++) {
        smp_spread spread = spread_of(costs, 4, parts);
        parts[0].is_idle = true;
        parts[3].is_idle = idle > 0;
        ck_assert_int_eq(smp_spread_make(parts, 4, &spread, NULL), SMP_OK);
        ck_assert_uint_eq(spread.idle, 1 + idle);
        ck_assert_uint_eq(spread.least, idle ? 1 : 3);
        ck_assert_uint_eq(spread.most, 2);
        ck_assert_uint_eq(spread.median, 100);
        ck_assert_uint_eq(spread.odd, idle ? 4 : 2);
    }
    for (unsigned i = 0; i < 4; i++)
        parts[i].is_idle = true;
    smp_spread none;
    ck_assert_int_eq(smp_spread_make(parts, 4, &none, NULL), SMP_OK);
    ck_assert_uint_eq(none.idle, 4);
    ck_assert_uint_eq(none.odd, 4);
}
END_TEST

START_TEST(odd_one_out) {
    static const struct {
        uint64_t costs[6];
        size_t count, least, most, odd;
        uint64_t median;
    } rows[] = {
        {{100, 100, 100, 200, 100}, 5, 0, 3, 3, 100}, /* one more than the others */
        {{100, 100, 0, 100}, 4, 2, 0, 2, 100},        /* or less */
        {{5000, 5000, 5000, 5050}, 4, 0, 3, 4, 5000}, /* 1 % is none */
        {{5000, 5000, 5000, 5051}, 4, 0, 3, 3, 5000},
        {{100, 110, 90, 105, 95, 125}, 6, 2, 5, 6, 100}, /* no more than the others differ */
        {{100, 110, 90, 105, 95, 200}, 6, 2, 5, 5, 100},
        {{100, 900}, 2, 0, 1, 2, 100}, /* of two, neither is odd */
        {{7}, 1, 0, 0, 1, 7},
    };
    smp_profile_part parts[6];
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const smp_spread spread = spread_of(rows[i].costs, rows[i].count, parts);
        ck_assert_msg(spread.least == rows[i].least && spread.most == rows[i].most, "row %u", i);
        ck_assert_msg(spread.odd == rows[i].odd, "row %u: %zu is odd", i, spread.odd);
        ck_assert_msg(spread.median == rows[i].median, "row %u", i);
    }
}
END_TEST

/* Three runs of one program and one that ran it twice: its most expensive line is where. */
START_TEST(odd_line) {
    const char *paths[] = {names[2], names[2], names[2], names[2], names[2]};
    smp_profile all = {0}, odd = {0};
    smp_ranking ranking, odd_ranking;
    smp_profile_part parts[4] = {{0}};
    smp_spread spread;
    read_all(paths, 5, &all, NULL);
    read_all(paths, 2, &odd, &parts[0]);
    for (unsigned i = 1; i < 4; i++)
        parts[i] = parts[0];
    parts[0].cost *= 2;
    ck_assert_int_eq(smp_spread_make(parts, 4, &spread, NULL), SMP_OK);
    ck_assert_uint_eq(spread.odd, 0);
    ck_assert_int_eq(smp_ranking_make(&all, &ranking, NULL), SMP_OK);
    ck_assert_int_eq(smp_ranking_make(&odd, &odd_ranking, NULL), SMP_OK);
    smp_spread_find_line(&spread, &ranking, &odd_ranking);
    ck_assert_ptr_nonnull(spread.odd_line);
    uint64_t most = 0;
    for (uint32_t i = 0; i < odd_ranking.line_count; i++) {
        const smp_profile_sums *sums = &odd_ranking.lines[i].sums;
        most = sums->wavefronts + sums->sectors > most ? sums->wavefronts + sums->sectors : most;
    }
    ck_assert_int_eq(spread.odd_difference, (int64_t)(most / 2));
    smp_ranking_clear(&ranking);
    smp_ranking_clear(&odd_ranking);
    smp_profile_clear(&all);
    smp_profile_clear(&odd);
}
END_TEST

int main(void) {
    return SUITE("profile_many", TEST(as_one_by_one), TEST(bad_files_are_named), TEST(filtered),
                 TEST(without_kernels), TEST(odd_one_out), TEST(odd_line));
}
