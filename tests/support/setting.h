/* SPDX-License-Identifier: MIT */
/* Numbers that the caller of a test may choose, such as SMP_TEST_CASES and SMP_TEST_SEED. */
#pragma once

#include <stdint.h>

/* An environment variable as a number, else `fallback`. */
uint64_t test_setting(const char *name, uint64_t fallback);

/* How many random cases a suite tries: an environment variable, else `fallback`, of which a build
 * with sanitizers tries a part, each case taking it as many times longer. */
enum { TEST_SLOWER = 8 };
uint64_t test_cases(const char *name, uint64_t fallback);
