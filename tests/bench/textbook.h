/* SPDX-License-Identifier: MIT */
/*
 * The way that bank conflicts are usually counted in a few lines: for each bank an ordered set of
 * the words that fall on it. The baseline of the benchmark.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Wavefronts of a load of 32 lanes in groups of `group_lanes`, 32 banks of 4 bytes. */
typedef unsigned (*textbook_fn)(const uint32_t offset_bytes[32], unsigned width_bytes,
                                unsigned group_lanes);

/* With tsearch(3), the ordered tree of the C library. */
unsigned textbook_tsearch(const uint32_t offset_bytes[32], unsigned width_bytes,
                          unsigned group_lanes);

/* With std::map and std::set; only where a C++ compiler was found. */
unsigned textbook_map(const uint32_t offset_bytes[32], unsigned width_bytes, unsigned group_lanes);

/* Sectors of 32 bytes of global memory that 32 lanes fall in: the size of a set. */
unsigned textbook_sectors(const uint64_t address_bytes[32]);

#ifdef __cplusplus
}
#endif
