/* SPDX-License-Identifier: MIT */
/*
 * The times of looks in earlier runs, by kernel, grid and block, in a file that all processes of a
 * user share. With it, a kernel that only looks heavy by its size need not run once without patches
 * first.
 */
#pragma once

#include <stdint.h>

/* Opens or creates the file that SMP_INSTRUMENT_KNOWN names; without it nothing is known. */
void host_known_open(void);
/* Returns the key of a kernel in one grid and block; 0 if no file is open. */
uint64_t host_known_key(const char *kernel, const uint32_t grid[3], const uint32_t block[3]);
/* Returns the seconds with patches; 0 if unknown. */
double host_known_seconds(uint64_t key);
void host_known_learn(uint64_t key, double seconds);
