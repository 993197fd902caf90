/* SPDX-License-Identifier: MIT */
/*
 * The different requests of an instruction: requests that differ by a shift
 * are one, none is lost or counted twice, and the costliest come first.
 */
#include <string.h>

#include "profile_rank.h"
#include "suite.h"

static smp_profile_site site;

static void forget(void) {
    smp_site_clear(&site);
    memset(&site, 0, sizeof site);
    site.op = SMP_LD_SHARED;
    site.space = SMP_SPACE_SHARED;
    site.width_bytes = 4;
}

/* Lanes `stride` words apart from word `first` on. */
static void add(uint32_t stride, uint32_t first, uint32_t mask, uint64_t count, uint32_t waves) {
    smp_profile_request request = {.mask = mask, .count = count, .wavefronts = waves, .ideal = 1};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        request.offset_bytes[lane] = mask >> lane & 1 ? 4 * (first + stride * lane) : 0;
    ck_assert_int_eq(smp_site_add(&site, &request, waves), SMP_OK);
}

START_TEST(shifted) {
    smp_request_shape shapes[SMP_SITE_SHAPES_MAX];
    forget();
    ck_assert_uint_eq(smp_site_shapes(&site, shapes), 0);
    for (uint32_t i = 0; i < 7; i++)
        add(32, 33 * i, SMP_ALL_LANES, i + 1, 32);
    for (uint32_t i = 0; i < 3; i++)
        add(2, 5 * i, SMP_ALL_LANES, 1000, 2);
    add(32, 0, 0xfffffffe, 9, 31);      /* other lanes: another shape */
    add(32, 3, SMP_ALL_LANES, 500, 16); /* another cost: another shape */
    ck_assert_uint_eq(smp_site_shapes(&site, shapes), 4);
    static const struct {
        uint32_t waves, places;
        uint64_t count;
    } wanted[] = {{32, 7, 28}, {31, 1, 9}, {16, 1, 500}, {2, 3, 3000}};
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(shapes[i].request->wavefronts, wanted[i].waves);
        ck_assert_uint_eq(shapes[i].places, wanted[i].places);
        ck_assert_uint_eq(shapes[i].count, wanted[i].count);
    }
    /* The worst request represents its shape, as everywhere else. */
    ck_assert_int_eq(smp_request_compare(shapes[0].request, &site.worst), 0);
    forget();
}
END_TEST

/* At equal cost, the shape of the worst request comes first, then the most frequent. */
START_TEST(ranked) {
    smp_request_shape shapes[SMP_SITE_SHAPES_MAX];
    forget();
    for (uint32_t i = 0; i < 20; i++)
        add(i, 0, SMP_ALL_LANES, i * 7 % 20 + 1, 4);
    ck_assert_uint_eq(smp_site_shapes(&site, shapes), 20);
    ck_assert_int_eq(smp_request_compare(shapes[0].request, &site.worst), 0);
    for (uint32_t i = 2; i < SMP_SITE_SHAPES_MAX; i++)
        ck_assert_uint_lt(shapes[i].count, shapes[i - 1].count);
    ck_assert_uint_ge(shapes[1].count, 19);
    forget();
}
END_TEST

/* Only the worst request was kept. */
START_TEST(alone) {
    smp_request_shape shapes[SMP_SITE_SHAPES_MAX];
    forget();
    site.op = SMP_LD_GLOBAL;
    site.space = SMP_SPACE_GLOBAL;
    add(8, 0, SMP_ALL_LANES, 12, 8);
    ck_assert_uint_eq(smp_site_shapes(&site, shapes), 1);
    ck_assert_ptr_eq(shapes[0].request, &site.worst);
    ck_assert_uint_eq(shapes[0].count, 0);
    forget();
}
END_TEST

/* Anything a site holds: counts and places are those of what was kept. */
START_TEST(sums) {
    uint32_t state = 7;
    for (uint32_t round = 0; round < 60; round++) {
        smp_request_shape shapes[SMP_SITE_SHAPES_MAX];
        uint64_t kept = 0, count = 0;
        uint32_t places = 0;
        forget();
        for (uint32_t i = 0; i < round * 6; i++) {
            state = state * 1664525 + 1013904223;
            add(state >> 8 & 3, state >> 16 & 63, SMP_ALL_LANES, 1 + (state >> 24),
                1 + (state >> 8 & 3));
        }
        const uint32_t total = smp_site_shapes(&site, shapes);
        ck_assert_uint_le(total, 4);
        for (uint32_t i = 0; i < total; i++) {
            count += shapes[i].count;
            places += shapes[i].places;
        }
        for (uint32_t i = 0; i < site.distinct_count; i++)
            kept += site.distinct[i].count;
        ck_assert_uint_eq(places, site.distinct_count);
        ck_assert_uint_eq(count, kept);
    }
    forget();
}
END_TEST

int main(void) {
    return SUITE("profile_shapes", TEST(shifted), TEST(ranked), TEST(alone), TEST(sums));
}
