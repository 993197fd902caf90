/* SPDX-License-Identifier: MIT */
/*
 * An input as a file, for readers that take a path: in memory, read again from its beginning each
 * time its path is opened.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The path of a file with these bytes; one at a time. Aborts where there is no memory. */
const char *fuzz_file(const uint8_t *data, size_t size);
