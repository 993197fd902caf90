/* SPDX-License-Identifier: MIT */
/*
 * The entry that libFuzzer calls, and replay.c, which stands in for it: for the tests, and for
 * AFL++ (afl-fuzz -i corpus/expr -o found -- fuzz_expr @@).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
