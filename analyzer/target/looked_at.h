/* SPDX-License-Identifier: MIT */
/*
 * Of a grid whose blocks take longer than anybody waits, some are looked at.
 */
#pragma once

#include <stdint.h>

enum { LOOKED_AT = 5 };

/* First, middle, last, and two between of `count` blocks in rows of `row`; how many. */
uint32_t looked_at_blocks(uint64_t row, uint64_t count, uint64_t out[LOOKED_AT]);
/* "5 of 4096 blocks were run: ...", which the caller frees; NULL: all were, or no memory. */
char *looked_at_text(uint64_t seen, uint64_t count);
