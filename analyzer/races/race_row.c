/* SPDX-License-Identifier: MIT */
/* Loops over a row, which compilers vectorise. */
#include "race_row.h"

#include "lane_loops.h"

LANES_CLONED bool race_is_even(const uint32_t *offset, uint32_t stride) {
    uint32_t differs = 0;
    for (unsigned l = 0; l < ROW; l++)
        differs |= offset[l] ^ (offset[0] + l * stride);
    return differs == 0;
}

LANES_CLONED bool race_is_below(const uint32_t *cells, uint32_t count, uint32_t limit) {
    uint32_t above = 0;
    for (uint32_t i = 0; cells && i < count; i++)
        above |= cells[i] > limit ? 1 : 0;
    return above == 0;
}
