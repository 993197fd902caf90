/* SPDX-License-Identifier: MIT */
/* Reads the environment. */
#include "setting.h"

#include <stdlib.h>

uint64_t test_setting(const char *name, uint64_t fallback) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : fallback;
}

uint64_t test_cases(const char *name, uint64_t fallback) {
#ifdef __SANITIZE_ADDRESS__
    fallback /= TEST_SLOWER;
#endif
    return test_setting(name, fallback);
}
