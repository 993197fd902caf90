/* SPDX-License-Identifier: MIT */
/*
 * Accesses that can be joined into a wider one are found with their cost,
 * and so is anything that prevents it.
 */
#include <stdlib.h>
#include <string.h>

#include "profile_fix.h"
#include "suite.h"

/* Lanes `stride` bytes apart from `first`, `count` times, and the same `rounds` rows of 4 KiB on.
 */
static void add_site(smp_kernel_profile *kernel, uint32_t first, uint32_t stride, uint32_t rounds) {
    smp_profile_site *site = smp_kernel_add_site(kernel);
    ck_assert_ptr_nonnull(site);
    site->op = SMP_LD_SHARED;
    site->space = SMP_SPACE_SHARED;
    site->width_bytes = 4;
    site->offset_bytes = 16 * kernel->site_count;
    for (uint32_t round = 0; round < rounds; round++) {
        smp_profile_request request = {.mask = SMP_ALL_LANES, .count = 3};
        smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
        smp_counts counts;
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            request.offset_bytes[lane] = first + stride * lane + 4096 * round;
            access.offset_bytes[lane] = (uint32_t)request.offset_bytes[lane];
        }
        ck_assert_int_eq(smp_predict(kernel->arch, &access, &counts), SMP_OK);
        request.wavefronts = counts.wavefronts_max;
        request.ideal = counts.ideal;
        ck_assert_int_eq(smp_site_add(site, &request, counts.ways), SMP_OK);
    }
}

/* Four loads of the four words of a float4 per lane. */
static smp_kernel_profile four(uint32_t first, uint32_t stride, uint32_t rounds) {
    smp_kernel_profile kernel = {.arch = smp_arch_find("sm_90")};
    for (uint32_t i = 0; i < 4; i++)
        add_site(&kernel, first + 4 * (i * 3 % 4), stride, rounds); /* words 0, 3, 2, 1 */
    return kernel;
}

START_TEST(joined) {
    for (uint32_t of = 0; of < 4; of++) {
        smp_kernel_profile kernel = four(64, 16, 5);
        smp_wider found;
        smp_wider_find(&kernel, &kernel.sites[of], &found);
        ck_assert_uint_eq(found.site_count, 4);
        ck_assert_uint_eq(found.width_bytes, 16);
        ck_assert_uint_eq(found.before, 4 * 5 * 3 * 4); /* 4-way, each of the four */
        ck_assert_uint_eq(found.after, 5 * 3 * 4);
        for (uint32_t i = 0; i < 4; i++)
            ck_assert_ptr_eq(found.sites[i], &kernel.sites[i * 3 % 4]);
        char text[200];
        ck_assert_uint_gt(smp_wider_words(&found, text, sizeof text), 0);
        ck_assert_str_eq(text, "one access of 16 bytes in the place of 4 of 4, at +0x10, +0x40, "
                               "+0x30, +0x20");
        smp_kernel_clear(&kernel);
    }
}
END_TEST

/* Two neighbours give one access of 8 bytes, also where 16 would not be aligned. */
START_TEST(pairs) {
    smp_kernel_profile kernel = {.arch = smp_arch_find("sm_90")};
    smp_wider found;
    add_site(&kernel, 8, 8, 2);
    add_site(&kernel, 12, 8, 2);
    smp_wider_find(&kernel, &kernel.sites[1], &found);
    ck_assert_uint_eq(found.site_count, 2);
    ck_assert_uint_eq(found.width_bytes, 8);
    ck_assert_ptr_eq(found.sites[0], &kernel.sites[0]);
    ck_assert_uint_eq(found.after * 2, found.before);
    smp_kernel_clear(&kernel);
    kernel = four(8, 24, 1);
    smp_wider_find(&kernel, &kernel.sites[0], &found);
    ck_assert_uint_eq(found.width_bytes, 8);
    smp_kernel_clear(&kernel);
}
END_TEST

typedef void change(smp_kernel_profile *kernel);

static void other_mask(smp_kernel_profile *kernel) {
    kernel->sites[1].distinct[0].mask = 0x7fffffff;
}

static void other_count(smp_kernel_profile *kernel) {
    kernel->sites[1].distinct[0].count++;
}

static void other_lane(smp_kernel_profile *kernel) {
    kernel->sites[1].distinct[0].offset_bytes[31] += 16;
}

static void other_requests(smp_kernel_profile *kernel) {
    kernel->sites[1].requests++;
}

static void lost_requests(smp_kernel_profile *kernel) {
    kernel->sites[1].requests_lost = 1;
}

static void other_op(smp_kernel_profile *kernel) {
    kernel->sites[1].op = SMP_ST_SHARED;
}

static void atomics(smp_kernel_profile *kernel) {
    for (uint32_t i = 0; i < 4; i++)
        kernel->sites[i].op = SMP_ATOM_SHARED;
}

static void no_rule(smp_kernel_profile *kernel) {
    static char why[] = "no rule";
    for (uint32_t i = 0; i < 4; i++) {
        free(kernel->sites[i].not_modelled);
        kernel->sites[i].not_modelled = strcpy(malloc(sizeof why), why);
    }
}

static void no_arch(smp_kernel_profile *kernel) {
    kernel->arch = NULL;
}

/* Two of the four still make one access of 8 bytes if only one of the others is apart. */
START_TEST(kept_apart) {
    static const struct {
        const char *name;
        change *change;
        uint32_t site, width;
    } rows[] = {{"mask", other_mask, 0, 8},    {"count", other_count, 0, 8},
                {"lane", other_lane, 0, 8},    {"requests", other_requests, 0, 8},
                {"lost", lost_requests, 0, 8}, {"lost itself", lost_requests, 1, 0},
                {"op", other_op, 2, 0},        {"atomics", atomics, 0, 0},
                {"no rule", no_rule, 0, 0},    {"no row", no_arch, 0, 0}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        smp_kernel_profile kernel = four(0, 16, 3);
        smp_wider found;
        rows[i].change(&kernel);
        smp_wider_find(&kernel, &kernel.sites[rows[i].site], &found);
        ck_assert_msg(found.site_count == 0 ? rows[i].width == 0
                                            : found.width_bytes == rows[i].width,
                      "%s: %u bytes", rows[i].name, found.site_count == 0 ? 0 : found.width_bytes);
        kernel.arch = smp_arch_find("sm_90");
        smp_kernel_clear(&kernel);
    }
}
END_TEST

/* Neighbouring lanes on neighbouring words: nothing is gained. Odd strides are not aligned. */
START_TEST(no_gain) {
    smp_kernel_profile kernel = four(0, 36, 1);
    smp_wider found;
    smp_wider_find(&kernel, &kernel.sites[0], &found);
    ck_assert_uint_eq(found.site_count, 0);
    smp_kernel_clear(&kernel);
    kernel = (smp_kernel_profile){.arch = smp_arch_find("sm_90")};
    add_site(&kernel, 0, 4, 1);
    smp_wider_find(&kernel, &kernel.sites[0], &found);
    ck_assert_uint_eq(found.site_count, 0);
    smp_kernel_clear(&kernel);
}
END_TEST

int main(void) {
    return SUITE("profile_wider", TEST(joined), TEST(pairs), TEST(kept_apart), TEST(no_gain));
}
