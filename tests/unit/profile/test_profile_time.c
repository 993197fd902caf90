/* SPDX-License-Identifier: MIT */
/*
 * The estimated gain of a repair, from times and wavefronts of an H200,
 * beside the gain that was measured there.
 */
#include <stdlib.h>
#include <string.h>

#include "launch_kinds.h"
#include "profile_rank.h"
#include "profile_time.h"
#include "suite.h"

enum { MULTIPROCESSORS = 132, CLOCK_KHZ = 1980000 };

/* One launch each, NVIDIA H200, driver 580.159.04, 1,980 MHz, 2026-11-22: tests/programs'
 * transpose and sgemm under `profile --time`. The time is the least of three. */
typedef struct recorded {
    const char *kernel;
    uint32_t grid[3];
    uint64_t wavefronts, excess, nanoseconds;
} recorded;

static const recorded rows[] = {
    {"transpose", {64, 32, 1}, 2162688, 2031616, 11168},
    {"transpose, padded", {64, 32, 1}, 131072, 0, 4608},
    {"product_columns", {16, 16, 1}, 38010880, 29360128, 159680},
    {"product_columns, padded", {16, 16, 1}, 8650752, 0, 44064},
    {"product_tiled", {16, 16, 1}, 6553600, 0, 32672},
    {"product_wide", {4, 4, 1}, 1409024, 557056, 93280},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static char *copy(const char *text) {
    char *out = malloc(strlen(text) + 1);
    return strcpy(out, text);
}

static smp_kernel_profile *add_kernel(smp_profile *profile, const recorded *from) {
    smp_kernel_profile *kernel = smp_profile_add_kernel(profile);
    smp_profile_site *site = smp_kernel_add_site(kernel);
    kernel->name = copy(from->kernel);
    kernel->launches = 1;
    kernel->multiprocessors = MULTIPROCESSORS;
    kernel->clock_khz = CLOCK_KHZ;
    memcpy(kernel->grid, from->grid, sizeof kernel->grid);
    *site = (smp_profile_site){.space = SMP_SPACE_SHARED,
                               .opcode = copy("LDS"),
                               .requests = from->wavefronts - from->excess,
                               .wavefronts = from->wavefronts,
                               .ideal = from->wavefronts - from->excess};
    return kernel;
}

static void ck_assert_all_timed(smp_untimed without) {
    ck_assert_uint_eq(without.twins, 0);
    ck_assert_uint_eq(without.unlaunched, 0);
}

/* All of `rows`, timed. */
static void fill(smp_profile *profile) {
    smp_instrument_time list[ROWS];
    *profile = (smp_profile){0};
    for (unsigned i = 0; i < ROWS; i++) {
        (void)add_kernel(profile, &rows[i]);
        list[i] = (smp_instrument_time){
            .kernel = (char *)rows[i].kernel, .launches = 1, .nanoseconds = rows[i].nanoseconds};
    }
    ck_assert_all_timed(smp_profile_set_times(profile, &(smp_times){list, ROWS}));
}

START_TEST(no_kernel_is_faster_than_its_wavefronts) {
    smp_profile profile;
    fill(&profile);
    for (unsigned i = 0; i < ROWS; i++) {
        const smp_kernel_profile *kernel = &profile.kernels[i];
        ck_assert_double_eq_tol(kernel->time_us, (double)rows[i].nanoseconds / 1000, 1e-9);
        ck_assert_msg(kernel->stage_us < kernel->time_us, "%s: %g of %g us", kernel->name,
                      kernel->stage_us, kernel->time_us);
        ck_assert_msg(kernel->gain_us <= 1.3 * kernel->stage_us, "%s", kernel->name);
        ck_assert_msg(kernel->gain_us < kernel->time_us, "%s", kernel->name);
    }
    smp_profile_clear(&profile);
}
END_TEST

/* A repair gained no more than it was worth, and a good part of that. */
static void ck_assert_gain(const smp_profile *profile, unsigned before, double worth) {
    const smp_kernel_profile *kernel = &profile->kernels[before];
    const double gained = kernel->time_us - profile->kernels[before + 1].time_us;
    ck_assert_double_eq_tol(kernel->gain_us, worth, 0.05);
    ck_assert_msg(gained <= kernel->gain_us, "%s: %g us gained, worth at most %g", kernel->name,
                  gained, kernel->gain_us);
    ck_assert_msg(gained >= 0.6 * kernel->gain_us, "%s: %g us gained of %g", kernel->name, gained,
                  kernel->gain_us);
    ck_assert_double_eq_tol(smp_gain_of(kernel, rows[before].excess / 2), kernel->gain_us / 2,
                            1e-9);
}

/* lud_perimeter of Rodinia, 2,048 x 2,048: 127 launches of 127, 126, ... 1 blocks, a block a
 * multiprocessor (H200, 2026-11-23). The last launch alone would say that nothing can be gained. */
START_TEST(launches_of_many_sizes) {
    static const recorded row = {"perimeter", {1, 1, 1}, 189888 * 127, 132608 * 127, 11500 * 127};
    const double gained = (11.50 - 10.03) * 127, all = 11.50 * 127;
    smp_profile profile = {0};
    smp_instrument_time time = {
        .kernel = (char *)row.kernel, .launches = 1, .nanoseconds = row.nanoseconds};
    smp_kernel_profile *kernel = add_kernel(&profile, &row);
    kernel->blocks = 127 * 128 / 2;
    kernel->rounds = 127;
    ck_assert_all_timed(smp_profile_set_times(&profile, &(smp_times){&time, 1}));
    ck_assert_double_eq_tol(kernel->gain_us, 172.8, 0.1);
    ck_assert(gained <= kernel->gain_us + 0.02 * all);
    smp_profile_clear(&profile);
}
END_TEST

START_TEST(repairs_gained_no_more_than_they_were_worth) {
    smp_profile profile;
    fill(&profile);
    ck_assert_gain(&profile, 0, 10.42);
    ck_assert_gain(&profile, 2, 125.55);
    smp_profile_clear(&profile);
}
END_TEST

/* More launches were timed than were counted: the counts represent all of them. */
START_TEST(launches_left_alone_count) {
    smp_profile profile = {0};
    smp_kernel_profile *kernel = add_kernel(&profile, &rows[0]);
    /* In blocks of two kinds: of one name, they are its own. */
    smp_instrument_time times[2] = {
        {.kernel = (char *)rows[0].kernel,
         .launches = 4,
         .nanoseconds = 4 * rows[0].nanoseconds,
         .block = {32, 1, 1}},
        {.kernel = (char *)rows[0].kernel, .launches = 6, .nanoseconds = 6 * rows[0].nanoseconds}};
    ck_assert_all_timed(smp_profile_set_times(&profile, &(smp_times){times, 2}));
    ck_assert_double_eq_tol(kernel->time_us, 111.68, 1e-9);
    ck_assert_double_eq_tol(kernel->gain_us, 104.2, 0.5);
    smp_profile_clear(&profile);
}
END_TEST

/* As with autotuning: one name, different code. */
START_TEST(two_of_one_name_are_told_apart_by_their_shape) {
    smp_profile profile = {0};
    smp_instrument_time times[2] = {{.kernel = (char *)rows[0].kernel,
                                     .launches = 2,
                                     .nanoseconds = 6000,
                                     .registers = 40,
                                     .block = {128, 1, 1}},
                                    {.kernel = (char *)rows[0].kernel,
                                     .launches = 1,
                                     .nanoseconds = 9000,
                                     .registers = 64,
                                     .block = {128, 1, 1}}};
    const uint32_t registers[] = {40, 64, 64, 32}, blocks[] = {128, 128, 256, 128};
    for (unsigned i = 0; i < 4; i++) {
        smp_kernel_profile *kernel = add_kernel(&profile, &rows[0]);
        kernel->registers = registers[i];
        memcpy(kernel->block, (uint32_t[]){blocks[i], 1, 1}, sizeof kernel->block);
    }
    const smp_untimed without = smp_profile_set_times(&profile, &(smp_times){times, 2});
    ck_assert_uint_eq(without.twins, 0);
    ck_assert_uint_eq(without.unlaunched, 2);
    ck_assert_double_eq_tol(profile.kernels[0].time_us, 6, 1e-9);
    ck_assert_double_eq_tol(profile.kernels[1].time_us, 9, 1e-9);
    ck_assert_double_eq(profile.kernels[2].time_us, 0);
    ck_assert_double_eq(profile.kernels[3].time_us, 0);
    smp_profile_clear(&profile);
}
END_TEST

START_TEST(two_of_one_name_and_shape_have_no_time) {
    smp_profile profile = {0};
    smp_instrument_time time = {
        .kernel = (char *)rows[0].kernel, .launches = 2, .nanoseconds = 2 * rows[0].nanoseconds};
    (void)add_kernel(&profile, &rows[0]);
    (void)add_kernel(&profile, &rows[0]);
    ck_assert_uint_eq(smp_profile_set_times(&profile, &(smp_times){&time, 1}).twins, 2);
    ck_assert_double_eq(profile.kernels[0].time_us, 0);
    ck_assert_double_eq(profile.kernels[1].gain_us, 0);
    smp_profile_clear(&profile);
}
END_TEST

START_TEST(an_unknown_clock_bounds_nothing) {
    smp_profile profile = {0};
    smp_instrument_time time = {
        .kernel = (char *)rows[0].kernel, .launches = 1, .nanoseconds = rows[0].nanoseconds};
    add_kernel(&profile, &rows[0])->clock_khz = 0;
    ck_assert_all_timed(smp_profile_set_times(&profile, &(smp_times){&time, 1}));
    ck_assert_double_gt(profile.kernels[0].time_us, 0);
    ck_assert_double_eq(profile.kernels[0].stage_us, 0);
    smp_profile_clear(&profile);
}
END_TEST

static void rank(const smp_profile *profile, smp_ranking *out) {
    smp_error error;
    ck_assert_int_eq(smp_ranking_make(profile, out, &error), SMP_OK);
}

static const char *worst_kernel(const smp_ranking *ranking) {
    return ranking->lines[ranking->worst[0]].kernel->name;
}

/* product_columns has most excess wavefronts, and 20 of its launches take little; one of
 * product_wide takes long, and its few are worth more. */
START_TEST(lines_are_ranked_by_what_they_are_worth) {
    smp_profile profile = {0};
    smp_ranking ranking;
    smp_kernel_profile *first = add_kernel(&profile, &rows[2]);
    first->blocks = 256;
    rank(&profile, &ranking);
    ck_assert(!ranking.is_by_time);
    smp_ranking_clear(&ranking);
    smp_kernel_set_time(&profile.kernels[0], 24);
    smp_kernel_profile *second = add_kernel(&profile, &rows[5]);
    second->blocks = 16;
    second->blocks_skipped = 16 * 199;
    second->launches_skipped = 199;
    ck_assert_double_eq_tol(smp_kernel_scale(second), 200, 1e-9);
    smp_kernel_set_time(second, 200 * 93.28);
    rank(&profile, &ranking);
    ck_assert(ranking.is_by_time);
    ck_assert_str_eq(worst_kernel(&ranking), "product_wide");
    ck_assert_double_eq_tol(ranking.time_us, 24 + 200 * 93.28, 1e-6);
    ck_assert_double_eq_tol(ranking.lines[ranking.worst[0]].worth_us, profile.kernels[1].gain_us,
                            1e-6);
    smp_ranking_clear(&ranking);
    *smp_kernel_add_site(&profile.kernels[1]) = (smp_profile_site){
        .offset_bytes = 64, .space = SMP_SPACE_GLOBAL, .requests = 1, .sectors = 8};
    rank(&profile, &ranking); /* by excess, in all launches */
    ck_assert(!ranking.is_by_time);
    ck_assert_str_eq(worst_kernel(&ranking), "product_wide");
    smp_ranking_clear(&ranking);
    second = &profile.kernels[1];
    second->launches_skipped = second->blocks_skipped = 0;
    rank(&profile, &ranking);
    ck_assert_str_eq(worst_kernel(&ranking), "product_columns");
    smp_ranking_clear(&ranking);
    smp_profile_clear(&profile);
}
END_TEST

/* Of ten launches of 8 blocks that make 1 wavefront each, and thirty that make 5, one each was
 * seen: their kinds tell the sums; blocks alone would give 120. Another process saw all of its
 * launches. */
START_TEST(kinds_are_scaled_by_their_own) {
    smp_profile merged = {0};
    smp_error error;
    for (unsigned i = 0; i < 2; i++) {
        smp_kernel_profile *kernel = smp_profile_add_kernel(&merged);
        kernel->name = strdup("_Z0");
        kernel->launches = 2;
        kernel->blocks = 16;
        kernel->blocks_skipped = i == 0 ? 8 * 38 : 0;
        *smp_kernel_add_site(kernel) =
            (smp_profile_site){.space = SMP_SPACE_SHARED, .requests = 2, .wavefronts = 6};
        kernel->scaled.blocks = i == 0 ? 8 * 40 : 16;
        kernel->scaled.wavefronts = i == 0 ? 10 + 30 * 5 : 6;
    }
    ck_assert_double_eq(smp_kernel_scaled(&merged.kernels[0]).wavefronts, 160);
    ck_assert_double_eq(smp_kernel_scaled(&merged.kernels[1]).wavefronts, 6);
    ck_assert_int_eq(smp_profile_sort(&merged, &error), SMP_OK);
    ck_assert_uint_eq(merged.kernel_count, 1);
    ck_assert_double_eq(smp_kernel_scaled(&merged.kernels[0]).wavefronts, 166);
    merged.kernels[0].blocks_skipped += 8 * 42; /* of a process that observed none */
    ck_assert_double_eq(smp_kernel_scaled(&merged.kernels[0]).wavefronts, 332);
    smp_profile_clear(&merged);
}
END_TEST

/* What is known of launches that were not told apart, not observed, or observed at other times. */
START_TEST(unlike_launches_are_said) {
    static const struct {
        uint64_t launches, blocks[3], seen[3], cost[3];
        bool has_more;
        uint8_t first;    /* the kind that kind 2 is like; 0 for none */
        const char *said; /* part of the text; NULL for none */
        bool is_unlike;
        uint64_t lost; /* requests that were too many to be kept */
    } row[] = {{2, {0, 80, 240}, {0, 8, 8}, {0, 8, 40}, false, 0, NULL, false, 0},
               {2, {0, 80, 240}, {0, 8, 8}, {0, 8, 40}, true, 0, "by up to 80 %", false, 0},
               /* 320 blocks of 1 to 5 wavefronts, 1,280 in all: 320 are 75 % off */
               {2, {0, 80, 240}, {0, 8, 8}, {0, 8, 40}, true, 0, "may be off by 75 %", false, 0},
               /* 640 in all, 1,600 if each block took 5 */
               {2, {0, 240, 80}, {0, 8, 8}, {0, 8, 40}, true, 0, "may be off by 150 %", false, 0},
               {2, {0, 80, 240}, {0, 8, 8}, {0, 40, 40}, true, 0, NULL, false, 0},
               {2, {0, 80, 20}, {0, 8, 0}, {0, 8, 0}, false, 0, "20 % of its blocks", false, 0},
               {2, {20, 80, 0}, {20, 8, 0}, {0, 8, 0}, false, 0, NULL, false, 0},
               /* 100 blocks of 1 to 1.25 wavefronts, 112.5 in all */
               {2, {0, 50, 50}, {0, 8, 8}, {0, 8, 10}, false, 1, "off by 22 %", false, 0},
               {2, {0, 50, 50}, {0, 8, 8}, {0, 8, 8}, false, 1, NULL, false, 0},
               {1, {0, 80, 0}, {0, 8, 0}, {0, 8, 0}, false, 0, "an unknown error", false, 9},
               {1, {0, 8, 0}, {0, 8, 0}, {0, 8, 0}, false, 0, NULL, false, 9},
               {2, {0, 50, 50}, {0, 8, 8}, {0, 8, 8}, false, 1, NULL, false, 9},
               {0, {0, 80, 240}, {0, 0, 0}, {0, 0, 0}, false, 0, NULL, true, 0},
               {0, {0, 80, 0}, {0, 0, 0}, {0, 0, 0}, false, 0, NULL, false, 0}};
    smp_instrument_function of = {.state = {.launches = row[_i].launches,
                                            .has_more_kinds = row[_i].has_more,
                                            .kind_first = {[2] = row[_i].first}}};
    smp_kernel_profile kernel = {.launches = row[_i].launches};
    launch_kinds kinds;
    double sum = 0;
    memcpy(of.state.kind_blocks, row[_i].blocks, sizeof row[_i].blocks);
    memcpy(of.state.kind_seen, row[_i].seen, sizeof row[_i].seen);
    launch_kinds_begin(&kinds, &of);
    for (uint8_t i = 0; i < 3; i++) {
        const uint64_t cost = row[_i].cost[i], seen = row[_i].seen[i];
        const smp_instrument_site from = {.launch_kind = i, .requests_lost = row[_i].lost};
        launch_kinds_add(&kinds, &from, &(smp_profile_site){.wavefronts = cost});
        sum += seen > 0 ? (double)(cost * row[_i].blocks[i]) / (double)seen : 0;
    }
    ck_assert(launch_kinds_end(&kinds, &kernel));
    ck_assert_double_eq_tol(kernel.scaled.wavefronts, sum, 1e-9);
    ck_assert_int_eq(kernel.has_unlike, row[_i].is_unlike);
    ck_assert_int_eq(!kernel.not_seen, !row[_i].said);
    if (row[_i].said)
        ck_assert_msg(strstr(kernel.not_seen, row[_i].said), "%s", kernel.not_seen);
    if (row[_i].launches == 0) /* for samples */
        ck_assert_uint_eq(kernel.kind_blocks[1], row[_i].blocks[1]);
    free(kernel.not_seen);
    free(kernel.kind_blocks);
}
END_TEST

int main(void) {
    return SUITE("profile_time", TEST(no_kernel_is_faster_than_its_wavefronts),
                 TEST(lines_are_ranked_by_what_they_are_worth), TEST(launches_of_many_sizes),
                 TEST(repairs_gained_no_more_than_they_were_worth), TEST(launches_left_alone_count),
                 TEST(two_of_one_name_are_told_apart_by_their_shape),
                 TEST(two_of_one_name_and_shape_have_no_time),
                 TEST(an_unknown_clock_bounds_nothing), TEST(kinds_are_scaled_by_their_own),
                 TEST_EACH(unlike_launches_are_said, 14));
}
