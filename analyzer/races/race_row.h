/* SPDX-License-Identifier: MIT */
/* Rows: a request of adjacent lanes is compared as one piece. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether the 32 lanes' offsets are `stride` bytes apart. */
bool race_is_even(const uint32_t *offset, uint32_t stride);
/* Whether no cell is above `limit`; true if `cells` is NULL. */
bool race_is_below(const uint32_t *cells, uint32_t count, uint32_t limit);
