/* SPDX-License-Identifier: MIT */
/*
 * Rows: what a warp does in one piece is compared in one piece.
 */
#ifndef SMP_RACE_ROW_H
#define SMP_RACE_ROW_H

#include <stdbool.h>
#include <stdint.h>

/* The 32 lanes' offsets follow each other by `stride` bytes. */
bool race_is_even(const uint32_t *offset, uint32_t stride);
/* None of the cells is above `limit`; NULL: there are none. */
bool race_is_below(const uint32_t *cells, uint32_t count, uint32_t limit);

#endif
