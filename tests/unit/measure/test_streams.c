/* SPDX-License-Identifier: MIT */
/*
 * Streams of accesses: each shows what it makes and stops when told to; sums over
 * a stream are those of layouts and forecasts; a set holds each access once.
 */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout_view.h"
#include "smp_accesses.h"
#include "smp_forecast.h"
#include "smp_layout.h"
#include "smp_trace.h"
#include "stream.h"
#include "suite.h"
#include "tally.h"

static const char layout_text[] = "block 64\n"
                                  "shared float t[64][32]\n"
                                  "for j = 0:4\n"
                                  "ld t[threadIdx.x][j]\n"
                                  "st t[j][threadIdx.x % 32]\n";
static const char lines_text[] =
    "# two\n"
    "ld.shared 4 0000000f 0 4 8 12 - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n"
    "\n"
    "st.shared 4 00000003 0 128 - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n";

typedef struct watch {
    uint64_t seen, requests;
    uint64_t stop_at; /* 0: never */
    smp_tally sum;
} watch;

static smp_status look(void *user, const smp_occurrence *seen, smp_error *error) {
    watch *w = user;
    smp_counts counts;
    ck_assert(seen->times > 0 && seen->access->active_mask != 0);
    if (++w->seen == w->stop_at)
        return smp_error_set(error, SMP_E_RESULT, 0, "that will do");
    w->requests += seen->times;
    if (smp_predict(smp_arch_find("sm_90"), seen->access, &counts) == SMP_OK)
        smp_tally_take(&w->sum, &counts, seen->access->width_bytes, seen->times);
    return SMP_OK;
}

/* Everything that is shown, and then all but the end of it. */
static watch watch_all(const smp_stream *stream, const void *from) {
    watch all = {0};
    smp_error error = {SMP_OK, -1, ""};
    ck_assert_msg(stream->visit(from, look, &all, &error) == SMP_OK, "%s: %s", stream->name,
                  error.message);
    ck_assert_msg(all.seen > 1, "%s", stream->name);
    return all;
}

static void watch_half(const smp_stream *stream, const void *from, uint64_t stop_at) {
    watch half = {.stop_at = stop_at};
    smp_error error = {SMP_OK, -1, ""};
    ck_assert_msg(stream->visit(from, look, &half, &error) != SMP_OK, "%s", stream->name);
    ck_assert_msg(half.seen == half.stop_at, "%s goes on", stream->name);
    ck_assert_msg(strstr(error.message, "that will do"), "%s: %s", stream->name, error.message);
}

START_TEST(strides_are_all_combinations) {
    smp_axes axes = {.base = smp_pattern_default(),
                     .ops = {SMP_LD_SHARED, SMP_ST_SHARED},
                     .widths = {4, 8, 16},
                     .strides = {0, 1, 32, 33},
                     .op_count = 2,
                     .width_count = 3,
                     .stride_count = 4};
    smp_error error = {SMP_OK, -1, ""};
    ck_assert_uint_eq(watch_all(&smp_stream_strides, &axes).requests, 24);
    watch_half(&smp_stream_strides, &axes, 7);
    axes.base.offset_bytes = UINT32_MAX;
    axes.strides[0] = 1;
    watch none = {0};
    ck_assert_int_eq(smp_stream_strides.visit(&axes, look, &none, &error), SMP_E_OVERFLOW);
}
END_TEST

/* ---- Files ---- */

/* The messages of a file, one per line: "3:22 message". */
typedef struct heard {
    char text[1024];
    unsigned stops_at; /* blocks after which to stop; 0: never */
    unsigned asked;
} heard;

static void hear(void *user, uint64_t index, int column, const char *what) {
    heard *h = user;
    size_t length = strlen(h->text);
    (void)snprintf(h->text + length, sizeof h->text - length, "%u:%d %s\n", (unsigned)index, column,
                   what);
}

static bool goes_on(void *user) {
    heard *h = user;
    return h->stops_at == 0 || ++h->asked <= h->stops_at;
}

static smp_file file_of(char *path, const void *bytes, size_t size) {
    smp_file file;
    smp_error error = {SMP_OK, -1, ""};
    int out = mkstemp(path);
    ck_assert(out >= 0 && write(out, bytes, size) == (ssize_t)size);
    close(out);
    ck_assert_msg(smp_file_open(path, &file, &error) == SMP_OK, "%s", error.message);
    return file;
}

#define PATH "/tmp/smp_streams_XXXXXX"

/* Read again from its start. */
static smp_file *rewound(smp_file *file) {
    ck_assert_int_eq(lseek(file->input, 0, SEEK_SET), 0);
    return file;
}

START_TEST(lines_have_their_place) {
    char path[] = PATH;
    smp_file file = file_of(path, lines_text, sizeof lines_text - 1), none;
    uint64_t last = 0;
    file.last = &last;
    ck_assert_uint_eq(watch_all(&smp_stream_file, &file).requests, 2);
    ck_assert_uint_eq(last, 4);
    watch_half(&smp_stream_file, rewound(&file), 2);
    /* The visitor names lane 0, whose number is the fourth word. */
    watch second = {.stop_at = 2};
    smp_error error = {SMP_OK, -1, ""};
    (void)smp_stream_file.visit(rewound(&file), look, &second, &error);
    ck_assert_msg(strstr(error.message, ":4:22: that will do"), "%s", error.message);
    smp_file_close(&file);
    (void)remove(path);
    ck_assert_int_eq(smp_file_open(path, &none, &error), SMP_E_READ);
}
END_TEST

START_TEST(what_is_wrong_is_told_and_the_rest_goes_on) {
    static const char text[] = "\xef\xbb\xbf# a mark in front\n"
                               "ld.shared 4 0000000f 0 4 x\n"
                               "ld.shared 3 0000000f 0\n";
    static char all[sizeof text + 70000 + sizeof lines_text];
    char path[] = PATH;
    heard h = {{0}, 0, 0};
    watch sum = {0};
    smp_error error = {SMP_OK, -1, ""};
    memset(all, 'x', sizeof all);
    memcpy(all, text, sizeof text - 1);
    all[sizeof text + 70000 - 2] = '\n';
    memcpy(all + sizeof text + 70000 - 1, lines_text, sizeof lines_text - 1);
    smp_file file = file_of(path, all, sizeof text + 70000 - 1 + sizeof lines_text - 1);
    file.wrong = hear;
    file.goes_on = goes_on;
    file.user = &h;
    ck_assert_int_eq(smp_stream_file.visit(&file, look, &sum, &error), SMP_OK);
    ck_assert_uint_eq(sum.seen, 2);
    ck_assert_str_eq(h.text, "2:26 expected a decimal number\n"
                             "3:11 ld.shared has no form of 3 bytes per lane\n"
                             "4:65537 the line is longer than 65536 bytes\n");
    watch one = {.stop_at = 1}; /* a visitor that refuses an access is heard like any other */
    ck_assert_int_eq(smp_stream_file.visit(rewound(&file), look, &one, &error), SMP_OK);
    ck_assert_uint_eq(one.seen, 2);
    ck_assert(strstr(h.text, "6:22 that will do\n"));
    h = (heard){{0}, 1, 0};
    ck_assert_int_eq(smp_stream_file.visit(rewound(&file), look, &sum, &error), SMP_E_INTERRUPTED);
    smp_file_close(&file);
    (void)remove(path);
}
END_TEST

START_TEST(a_trace_is_a_file_too) {
    char path[] = PATH;
    FILE *memory = tmpfile();
    static char bytes[1 << 16];
    smp_error error = {SMP_OK, -1, ""};
    smp_trace_writer *writer = smp_trace_writer_new(memory);
    smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = 3};
    for (uint32_t i = 0; i < 20; i++) {
        access.offset_bytes[1] = 128 * i;
        ck_assert_int_eq(smp_trace_put(writer, &access, &error), SMP_OK);
    }
    ck_assert_int_eq(smp_trace_finish(writer, &error), SMP_OK);
    smp_trace_writer_free(writer);
    rewind(memory);
    size_t size = fread(bytes, 1, sizeof bytes, memory);
    fclose(memory);
    smp_file file = file_of(path, bytes, size);
    const watch all = watch_all(&smp_stream_file, &file);
    ck_assert_uint_eq(all.requests, 20);
    ck_assert_uint_eq(all.sum.wavefronts_max, 1 + 2 * 19);
    watch_half(&smp_stream_file, rewound(&file), 9);
    watch ninth = {.stop_at = 9};
    (void)smp_stream_file.visit(rewound(&file), look, &ninth, &error);
    ck_assert_msg(strstr(error.message, ":9: that will do"), "%s", error.message);
    smp_file_close(&file);
    (void)remove(path);
    /* Cut, it is not silently shorter. */
    char cut_path[] = PATH;
    heard h = {{0}, 0, 0};
    watch some = {0};
    file = file_of(cut_path, bytes, size - 20);
    ck_assert_int_eq(smp_stream_file.visit(&file, look, &some, &error), SMP_E_SYNTAX);
    ck_assert_msg(strstr(error.message, "damaged at byte"), "%s", error.message);
    file.wrong = hear;
    file.user = &h;
    ck_assert_int_eq(smp_stream_file.visit(rewound(&file), look, &some, &error), SMP_OK);
    ck_assert_msg(strncmp(h.text, "0:0 damaged at byte", 19) == 0, "%s", h.text);
    smp_file_close(&file);
    (void)remove(cut_path);
}
END_TEST

START_TEST(random_ones_go_on_from_the_seed) {
    smp_random random = {5}, again = {5};
    smp_random_stream stream = {&random, SMP_LD_SHARED, 4, 49152, UINT64_MAX, 100};
    const watch all = watch_all(&smp_stream_random, &stream);
    stream.random = &again;
    stream.count = 50;
    const watch first = watch_all(&smp_stream_random, &stream),
                second = watch_all(&smp_stream_random, &stream);
    ck_assert_uint_eq(random.state, again.state);
    ck_assert_uint_eq(all.sum.wavefronts_max, first.sum.wavefronts_max + second.sum.wavefronts_max);
    watch_half(&smp_stream_random, &stream, 9);
}
END_TEST

START_TEST(layouts_cost_what_their_accesses_do) {
    smp_layout *layout = smp_layout_new();
    smp_error error = {SMP_OK, -1, ""};
    unsigned line = 0;
    smp_layout_stream stream = {layout, &line};
    uint64_t wavefronts = 0, requests = 0;
    ck_assert_msg(
        smp_layout_add_lines(layout, layout_text, sizeof layout_text - 1, &line, &error) == SMP_OK,
        "line %u: %s", line, error.message);
    for (size_t i = 0; i < smp_layout_access_count(layout); i++) {
        smp_totals totals;
        ck_assert_int_eq(
            smp_layout_evaluate(layout, smp_arch_find("sm_90"), i, &totals, &line, &error), SMP_OK);
        wavefronts += totals.wavefronts_max;
        requests += totals.requests;
    }
    const watch all = watch_all(&smp_stream_layout, &stream);
    ck_assert_uint_eq(all.requests, requests);
    ck_assert_uint_eq(all.requests, 16);
    ck_assert_uint_eq(all.sum.wavefronts_max, wavefronts);
    ck_assert_uint_eq(wavefronts, 8 * 32 + 8);
    watch_half(&smp_stream_layout, &stream, 3);
    smp_layout_free(layout);
}
END_TEST

/* One with a script and one with a trace. */
START_TEST(kernels_cost_what_their_accesses_do) {
    static const char *const rows[][2] = {{"transpose", "padded"}, {"histogram", "shared"}};
    const smp_kernel_family *family = smp_kernel_family_find(rows[_i][0]);
    ck_assert_ptr_nonnull(family);
    const smp_kernel_variant *variant = smp_kernel_variant_find(family, rows[_i][1]);
    ck_assert_ptr_nonnull(variant);
    smp_kernel_case problem = family->standard;
    problem.rows = family->is_matrix ? 96 : problem.rows;
    problem.columns = family->is_matrix ? 96 : 4096;
    const smp_kernel_stream stream = {family, variant, &problem, NULL};
    smp_forecast forecast;
    smp_error error = {SMP_OK, -1, ""};
    ck_assert_msg(smp_kernel_forecast(smp_arch_find("sm_90"), family, variant, &problem, NULL,
                                      &forecast, &error) == SMP_OK,
                  "%s", error.message);
    const watch all = watch_all(&smp_stream_kernel, &stream);
    uint64_t requests = 0;
    for (size_t i = 0; i < forecast.site_count; i++)
        requests += forecast.sites[i].sum.requests;
    ck_assert_uint_eq(all.requests, requests);
    ck_assert_uint_eq(all.sum.wavefronts_max, forecast.shared.wavefronts_max);
    watch_half(&smp_stream_kernel, &stream, 2);
}
END_TEST

/* ---- Sums and sets ---- */

START_TEST(times_multiply_all_but_ways) {
    smp_access access;
    smp_pattern pattern = smp_pattern_default();
    smp_counts counts;
    smp_tally one = {0}, three = {0}, again = {0};
    pattern.stride = 4;
    ck_assert_int_eq(smp_pattern_access(&pattern, &access, NULL), SMP_OK);
    ck_assert_int_eq(smp_predict(smp_arch_find("sm_90"), &access, &counts), SMP_OK);
    smp_tally_take(&one, &counts, 4, 1);
    smp_tally_take(&three, &counts, 4, 3);
    smp_tally_add(&again, &one, 3);
    ck_assert(smp_tally_is_equal(&three, &again) && !smp_tally_is_equal(&one, &again));
    ck_assert(three.requests == 3 && three.wavefronts_max == 12 && three.ideal == 3);
    ck_assert(three.excess == 9 && three.ways == 4 && again.ways == 4);
}
END_TEST

/* The values of inactive lanes, and memory that an operation does not reach, make no difference. */
START_TEST(what_is_not_read_is_nothing) {
    smp_random random = {3};
    for (int i = 0; i < 2000; i++) {
        static const smp_op ops[] = {SMP_LD_SHARED, SMP_LDMATRIX_X1, SMP_CP_ASYNC, SMP_LD_GLOBAL};
        const smp_op op = ops[i % 4];
        const bool is_shared = op == SMP_LD_SHARED || op == SMP_LDMATRIX_X1;
        smp_access access;
        smp_random_access(&random, op, 16, 49152, &access);
        const smp_access own = smp_access_canonical(&access);
        for (unsigned l = 0; l < SMP_LANES; l++) {
            const bool counts = smp_access_lanes(&access) >> l & 1;
            ck_assert_uint_eq(own.offset_bytes[l],
                              counts && op != SMP_LD_GLOBAL ? access.offset_bytes[l] : 0);
            ck_assert_uint_eq(own.address_bytes[l],
                              counts && !is_shared ? access.address_bytes[l] : 0);
        }
        smp_counts a, b;
        ck_assert_int_eq(smp_predict(smp_arch_find("sm_90"), &access, &a),
                         smp_predict(smp_arch_find("sm_90"), &own, &b));
        ck_assert(a.wavefronts_max == b.wavefronts_max && a.transactions == b.transactions);
    }
}
END_TEST

START_TEST(sets_hold_each_once) {
    enum { KINDS = 700 };
    smp_access_set set = {0};
    smp_pattern pattern = smp_pattern_default();
    for (uint32_t i = 0; i < 3 * KINDS; i++) {
        smp_access access;
        pattern.offset_bytes = 4 * (i % KINDS);
        ck_assert_int_eq(smp_pattern_access(&pattern, &access, NULL), SMP_OK);
        access = smp_access_canonical(&access);
        const int64_t expected = i % KINDS;
        ck_assert_int_eq(smp_access_set_find(&set, &access, 0), i < KINDS ? -1 : expected);
        ck_assert_int_eq(smp_access_set_add(&set, &access, 0), expected);
        ck_assert_int_eq(smp_access_set_find(&set, &access, 1), -1);
        ck_assert_uint_eq(set.rows[expected].access.offset_bytes[0], 4 * (i % KINDS));
    }
    smp_access other = set.rows[0].access;
    other.op = SMP_ST_SHARED;
    ck_assert_int_eq(smp_access_set_find(&set, &other, 0), -1);
    ck_assert_int_eq(smp_access_set_add(&set, &set.rows[0].access, 7), KINDS);
    smp_access_set_clear(&set);
    ck_assert_int_eq(smp_access_set_find(&set, &other, 0), -1);
}
END_TEST

int main(void) {
    return SUITE("streams", TEST(strides_are_all_combinations), TEST(lines_have_their_place),
                 TEST(what_is_wrong_is_told_and_the_rest_goes_on), TEST(a_trace_is_a_file_too),
                 TEST(random_ones_go_on_from_the_seed), TEST(layouts_cost_what_their_accesses_do),
                 TEST_EACH(kernels_cost_what_their_accesses_do, 2),
                 TEST(times_multiply_all_but_ways), TEST(what_is_not_read_is_nothing),
                 TEST(sets_hold_each_once));
}
