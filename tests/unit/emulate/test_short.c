/* SPDX-License-Identifier: MIT */
/* The quick conversion to 16-bit types gives what the general one gives. */
#include <math.h>

#include "lanes.h"
#include "smp_accesses.h"
#include "suite.h"

static void compare(double value) {
    ck_assert_uint_eq(smp_short_of_double(value, false), smp_half_of_double(value, ROUND_NEAREST));
    ck_assert_uint_eq(smp_short_of_double(value, true), smp_bf16_of_double(value, ROUND_NEAREST));
}

/* Numbers of all sizes, ties between two shorts, and their neighbours. */
START_TEST(quick_is_general) {
    smp_random random = {1};
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t bits = smp_random_next(&random);
        const int exponent = (int)(bits % 300) - 150;
        const double tie = ldexp((double)(bits >> 40 & 4095) + 0.5, exponent);
        compare(ldexp((double)(int64_t)bits, exponent - 60));
        compare(tie);
        compare(nextafter(-tie, 0));
        compare(nextafter(tie, INFINITY));
    }
    for (unsigned i = 0; i < 8; i++)
        compare((double[]){0, -0.0, 65504, 65519.99, 65520, -1e300, INFINITY, 0x1.ffp127}[i]);
}
END_TEST

int main(void) {
    return SUITE("short", TEST(quick_is_general));
}
