/* SPDX-License-Identifier: MIT */
/*
 * host_known.h: what looks took in earlier runs, by kernel, grid and block, in a file that all
 * processes of a user share. What is heavy by its size alone need not run once by itself first to
 * be known to be light.
 */
#pragma once

#include <stdint.h>

/* Opens the file that SMP_INSTRUMENT_KNOWN names, or makes it; without one nothing is known. */
void host_known_open(void);
/* The key of a kernel's launches in one grid and block; 0: none. */
uint64_t host_known_key(const char *kernel, const uint32_t grid[3], const uint32_t block[3]);
/* Seconds with patches; 0: not known. */
double host_known_seconds(uint64_t key);
void host_known_learn(uint64_t key, double seconds);
