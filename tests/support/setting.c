/* SPDX-License-Identifier: MIT */
/*
 * setting.c: reads the environment.
 */
#include "setting.h"

#include <stdlib.h>

uint64_t test_setting(const char *name, uint64_t fallback) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : fallback;
}
