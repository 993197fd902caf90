/* SPDX-License-Identifier: MIT */
/* Tests of machine code are skipped where it cannot be read. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tool.h"

enum { SUITE_SKIPPED = 77 };

/* True, and says so, where there is no nvdisasm. */
static inline bool suite_lacks_nvdisasm(void) {
    char path[4096];
    const bool lacks = smp_tool_find("nvdisasm", path, sizeof path, NULL) != SMP_OK;
    if (lacks)
        puts("skipped: no nvdisasm");
    return lacks;
}
