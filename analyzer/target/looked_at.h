/* SPDX-License-Identifier: MIT */
/* Chooses some blocks of a grid that would take too long. */
#pragma once

#include <stdint.h>

enum { LOOKED_AT = 5 };

/* Chooses the first, the middle, the last and two more of `count` blocks in rows of `row`; returns
 * their number. */
uint32_t looked_at_blocks(uint64_t row, uint64_t count, uint64_t out[LOOKED_AT]);
/* "5 of 4096 blocks were run: ...", which the caller frees; NULL if all were run, or out of
 * memory. */
char *looked_at_text(uint64_t seen, uint64_t count);
