/* SPDX-License-Identifier: MIT */
/*
 * Addresses that depend on data: the contents of a file are what is counted; random
 * values have the right frequencies; mean and spread are those of an independent simulation and of
 * each request by itself.
 */
#define _XOPEN_SOURCE 700
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data_file.h"
#include "layout_cost.h"
#include "suite.h"

enum { DRAWS = 32, SIMULATED = 40000 };

static smp_layout *layout_of(const char *text) {
    smp_layout *layout = smp_layout_new();
    smp_error error = {.message = ""};
    unsigned line = 0;
    ck_assert_ptr_nonnull(layout);
    ck_assert_msg(smp_layout_add_lines(layout, text, strlen(text), &line, &error) == SMP_OK,
                  "%u:%d: %s", line, error.position, error.message);
    return layout;
}

/* The figures of the last access. */
static smp_totals totals_of(const smp_layout *layout) {
    smp_totals totals;
    smp_error error = {.message = ""};
    unsigned line = 0;
    const size_t last = smp_layout_access_count(layout) - 1;
    ck_assert_msg(
        smp_layout_evaluate(layout, smp_arch_find("sm_90"), last, &totals, &line, &error) == SMP_OK,
        "%u:%d: %s", line, error.position, error.message);
    return totals;
}

/* ---- Random values ---- */

/* The largest number of 32 lanes that fall on one of 32 banks, with values uniform or by Zipf's
 * law. */
typedef struct law_row {
    const char *name, *data;
    unsigned values;
    bool is_zipf;
} law_row;

static const law_row laws[] = {
    {"a value a bank", "random:0:31", 32, false},
    {"eight values a bank", "random:0:255", 256, false},
    {"few values", "random:4:11", 8, false},
    {"Zipf", "zipf:256", 256, true},
};

static unsigned pick(const law_row *law, const double *shares) {
    const double at = drand48();
    unsigned value = 0;
    while (value + 1 < law->values && shares[value] <= at)
        value++;
    return value;
}

static void simulate(const law_row *law, double *mean, double *deviation) {
    double shares[256], sum = 0, squares = 0, total = 0;
    for (unsigned i = 0; i < law->values; i++)
        shares[i] = total += law->is_zipf ? 1.0 / (i + 1) : 1;
    for (unsigned i = 0; i < law->values; i++)
        shares[i] /= total;
    srand48(7);
    for (unsigned n = 0; n < SIMULATED; n++) {
        unsigned load[32] = {0}, most = 0;
        for (unsigned l = 0; l < 32; l++) {
            const unsigned bank = pick(law, shares) % 32;
            load[bank]++;
            most = load[bank] > most ? load[bank] : most;
        }
        sum += most;
        squares += (double)most * most;
    }
    *mean = sum / SIMULATED;
    *deviation = sqrt(squares / SIMULATED - *mean * *mean);
}

START_TEST(random_data_cost_what_a_simulation_does) {
    const law_row *law = &laws[_i];
    char text[300];
    double wanted, spread, mean, deviation;
    (void)snprintf(text, sizeof text,
                   "block 1024\nshared int bin[256]\nglobal int *data\ndata data = %s\n"
                   "int old = atomicMax(&bin[data[threadIdx.x]], 3);",
                   law->data);
    smp_layout *layout = layout_of(text);
    const smp_totals totals = totals_of(layout);
    simulate(law, &wanted, &spread);
    ck_assert(smp_layout_spread(&totals, &mean, &deviation));
    ck_assert_uint_eq(totals.spread.draws, DRAWS);
    ck_assert_uint_eq(totals.requests, 32 * DRAWS);
    ck_assert_uint_eq(totals.active_warps, 32);
    /* Five standard errors, of both sides. */
    const double error = 5 * spread * sqrt(1.0 / (32 * DRAWS) + 1.0 / SIMULATED);
    ck_assert_msg(fabs(mean - wanted) < error, "%s: %g, not %g +- %g", law->name, mean, wanted,
                  error);
    ck_assert_msg(fabs(deviation - spread) < 0.15 * spread, "%s: %g, not %g", law->name, deviation,
                  spread);
    ck_assert(totals.spread.least < totals.spread.most);
    ck_assert_uint_eq(totals.spread.most, totals.ways);
    smp_layout_free(layout);
}
END_TEST

/* Ten thousand values of one draw: each of the four is in a quarter of them, and no two warps are
 * equal. */
START_TEST(values_are_evenly_drawn) {
    smp_layout *layout = layout_of("block 1024\nglobal int g[100000]\ndata g = random:-1:2\n");
    unsigned seen[4] = {0};
    int64_t first[SMP_LANES];
    for (uint32_t warp = 0; warp < 32; warp++) {
        int64_t values[SMP_LANES];
        smp_error error = {.message = ""};
        const char *type, *text = "g[threadIdx.x * 7]";
        ck_assert_msg(smp_layout_value(layout, warp, text, strlen(text), values, &type, &error) ==
                          SMP_OK,
                      "%s", error.message);
        ck_assert_str_eq(type, "int");
        for (unsigned l = 0; l < SMP_LANES; l++) {
            ck_assert(values[l] >= -1 && values[l] <= 2);
            seen[values[l] + 1]++;
        }
        if (warp > 0)
            ck_assert(memcmp(first, values, sizeof first) != 0);
        memcpy(first, values, sizeof first);
    }
    for (unsigned i = 0; i < 4; i++) /* 256 +- five times 14 */
        ck_assert_msg(seen[i] > 256 - 70 && seen[i] < 256 + 70, "%u: %u times", i, seen[i]);
    smp_layout_free(layout);
}
END_TEST

/* One warp: each draw is another one. */
START_TEST(draws_differ) {
    smp_layout *layout = layout_of("shared int bin[4096]\nglobal int *g\ndata g = random:0:4095\n"
                                   "int v = bin[g[threadIdx.x]];");
    const smp_totals totals = totals_of(layout);
    double mean, deviation;
    ck_assert_uint_eq(totals.requests, DRAWS);
    ck_assert(smp_layout_spread(&totals, &mean, &deviation) && deviation > 0.3);
    ck_assert_uint_lt(totals.spread.least, totals.spread.most);
    smp_layout_free(layout);
}
END_TEST

/* Accesses that do not depend on data are counted once. */
START_TEST(other_accesses_are_counted_once) {
    smp_layout *layout = layout_of("shared int t[32]\nglobal int g[32]\ndata g = random:0:31\n"
                                   "t[threadIdx.x] = g[threadIdx.x] + t[g[threadIdx.x]] * 0;");
    for (size_t i = 0; i < smp_layout_access_count(layout); i++) {
        smp_totals totals;
        smp_error error;
        smp_layout_access access;
        unsigned line;
        smp_layout_access_at(layout, i, &access);
        const bool is_gather = memchr(access.text, 'g', access.length) && access.text[0] == 't';
        ck_assert_int_eq(
            smp_layout_evaluate(layout, smp_arch_find("sm_90"), i, &totals, &line, &error), SMP_OK);
        ck_assert_msg(totals.requests == (is_gather ? DRAWS : 1), "%.*s: %llu requests",
                      (int)access.length, access.text, (unsigned long long)totals.requests);
    }
    smp_layout_free(layout);
}
END_TEST

/* ---- Files ---- */

static const char *write_file(const char *bytes, size_t length) {
    static char name[] = "/tmp/smemprobe-data-XXXXXX";
    (void)strcpy(name + sizeof name - 7, "XXXXXX");
    const int file = mkstemp(name);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, bytes, length), (ssize_t)length);
    (void)close(file);
    return name;
}

typedef struct npy_row {
    const char *name, *type;
    const char *bytes;
    size_t length;
    int64_t value[2];
} npy_row;

static const npy_row formats[] = {
    {"unsigned byte", "|u1", "\xff\x02", 2, {255, 2}},
    {"signed byte", "|i1", "\xff\x02", 2, {-1, 2}},
    {"bool", "|b1", "\x01\x00", 2, {1, 0}},
    {"short, most significant byte first", ">i2", "\xff\xfe\x01\x02", 4, {-2, 258}},
    {"int", "<i4", "\x01\0\0\x80\x07\0\0\0", 8, {INT32_MIN + 1, 7}},
    {"unsigned", "<u4", "\x01\0\0\x80\x07\0\0\0", 8, {0x80000001, 7}},
    {"long", "<i8", "\xff\xff\xff\xff\xff\xff\xff\xff\x01\0\0\0\0\0\0\0", 16, {-1, 1}},
};

START_TEST(arrays_of_numpy_are_read) {
    const npy_row *row = &formats[_i];
    char text[256], head[128];
    const int padded = snprintf(
        head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }\n", row->type);
    const int length = 10;
    memcpy(text, "\x93NUMPY\x01\x00", 8);
    text[8] = (char)padded;
    text[9] = 0;
    memcpy(text + length, head, (size_t)padded);
    memcpy(text + length + padded, row->bytes, row->length);
    const char *name = write_file(text, (size_t)(length + padded) + row->length);
    int64_t *values;
    size_t count;
    smp_error error = {.message = ""};
    const smp_status status = smp_data_file_read(name, &values, &count, &error);
    (void)unlink(name);
    ck_assert_msg(status == SMP_OK, "%s: %s", row->name, error.message);
    ck_assert_uint_eq(count, 2);
    ck_assert_msg(values[0] == row->value[0] && values[1] == row->value[1], "%s: %lld %lld",
                  row->name, (long long)values[0], (long long)values[1]);
    free(values);
}
END_TEST

/* Each request alone, from the same numbers. */
START_TEST(a_file_is_counted_as_it_is) {
    char text[8192] = "", source[400];
    int64_t values[512];
    size_t length = 0;
    uint64_t sum = 0, squares = 0;
    srand48(11);
    for (unsigned i = 0; i < 512; i++) {
        values[i] = lrand48() % 1000;
        length += (size_t)snprintf(text + length, sizeof text - length, "%lld%c",
                                   (long long)values[i], i % 9 == 0 ? '\n' : ',');
    }
    const char *name = write_file(text, length);
    (void)snprintf(source, sizeof source,
                   "block 512\nshared float lut[1000]\nglobal unsigned short *in\ndata in = @%s\n"
                   "float v = lut[in[threadIdx.x]];",
                   name);
    smp_layout *layout = layout_of(source);
    (void)unlink(name);
    const smp_totals totals = totals_of(layout);
    for (unsigned warp = 0; warp < 16; warp++) {
        smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
        smp_counts counts;
        for (unsigned l = 0; l < SMP_LANES; l++)
            access.offset_bytes[l] = (uint32_t)values[warp * 32 + l] * 4;
        ck_assert_int_eq(smp_predict(smp_arch_find("sm_90"), &access, &counts), SMP_OK);
        sum += counts.wavefronts_max;
        squares += (uint64_t)counts.wavefronts_max * counts.wavefronts_max;
    }
    ck_assert(totals.spread.is_given);
    ck_assert_uint_eq(totals.spread.draws, 1);
    ck_assert_uint_eq(totals.requests, 16);
    ck_assert_uint_eq(totals.wavefronts_max, sum);
    ck_assert_uint_eq(totals.spread.sum, sum);
    ck_assert_uint_eq(totals.spread.square_sum, squares);
    smp_layout_free(layout);
}
END_TEST

/* A seed draws other values, the same ones again; none is the seed 1. */
START_TEST(a_seed_draws_others) {
    static const char *const texts[] = {"random:0:1000000", "random:0:1000000:1",
                                        "random:0:1000000:2", "random:0:1000000:3"};
    int64_t values[4][SMP_LANES];
    for (unsigned i = 0; i < 4; i++) {
        char text[96];
        smp_error error = {.message = ""};
        const char *type, *asked = "g[threadIdx.x]";
        (void)snprintf(text, sizeof text, "block 32\nglobal int g[32]\ndata g = %s\n", texts[i]);
        smp_layout *layout = layout_of(text);
        ck_assert(smp_layout_value(layout, 0, asked, strlen(asked), values[i], &type, &error) ==
                  SMP_OK);
        smp_layout_free(layout);
    }
    for (unsigned i = 1; i < 4; i++)
        ck_assert_int_eq(memcmp(values[0], values[i], sizeof values[0]) == 0, i == 1);
    ck_assert(memcmp(values[2], values[3], sizeof values[0]) != 0);
}
END_TEST

/* ---- What is wrong ---- */

typedef struct wrong_row {
    const char *text, *says;
} wrong_row;

#define G "shared int t[64]\nglobal int g[64]\n"

static const wrong_row wrong[] = {
    {G "data g = gauss:1:2\n", "expected random:LOW:HIGH"},
    {G "data g = random:5:4\n", "the largest value"},
    {G "data g = random:5\n", "expected ':'"},
    {G "data g = random:0:5:-1\n", "the seed"},
    {G "data g = random:0:5:1:2\n", "the end of the line instead of"},
    {G "data g = zipf:0\n", "the number of values"},
    {G "data g = random:0:3\ndata g = zipf:3\n", "already has its data"},
    {G "data g = @\n", "expected a file name"},
    {G "data g = @/nowhere/at/all.npy\n", "No such file"},
    {G "data g = @/tmp\n", "not a regular file"},
    {G "data g = random:0:63 63\n", ""},
    {G "data g = random:0:70\nt[g[threadIdx.x]] = 0;", "out of bounds (0 to 63)"},
    {"shared int t[64]\nglobal signed char g[64]\ndata g = random:0:200\nt[g[threadIdx.x] & 7] = "
     "0;",
     "which does not fit its type"},
    {"shared int t[64]\nglobal float g[64]\ndata g = random:0:7\nt[(int)g[threadIdx.x]] = 0;",
     "depends on what is read from 'g'"},
    {G "t[g[threadIdx.x]] = 0;", "data g = random:0:255"},
};

START_TEST(what_is_wrong_is_said) {
    const wrong_row *row = &wrong[_i];
    smp_layout *layout = smp_layout_new();
    smp_error error = {.message = ""};
    smp_totals totals;
    unsigned line = 0;
    smp_status status = smp_layout_add_lines(layout, row->text, strlen(row->text), &line, &error);
    for (size_t i = 0; status == SMP_OK && i < smp_layout_access_count(layout); i++)
        status = smp_layout_evaluate(layout, smp_arch_find("sm_90"), i, &totals, &line, &error);
    ck_assert_msg(status != SMP_OK, "%s is accepted", row->text);
    ck_assert_msg(strstr(error.message, row->says), "%s: %s", row->text, error.message);
    smp_layout_free(layout);
}
END_TEST

int main(void) {
    return SUITE("data", TEST_EACH(random_data_cost_what_a_simulation_does, COUNT_OF(laws)),
                 TEST(values_are_evenly_drawn), TEST(a_seed_draws_others), TEST(draws_differ),
                 TEST(other_accesses_are_counted_once),
                 TEST_EACH(arrays_of_numpy_are_read, COUNT_OF(formats)),
                 TEST(a_file_is_counted_as_it_is),
                 TEST_EACH(what_is_wrong_is_said, COUNT_OF(wrong)));
}
