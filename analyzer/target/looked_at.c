/* SPDX-License-Identifier: MIT */
/* Chooses the blocks that represent a grid. */
#include "looked_at.h"

#include <stdio.h>
#include <string.h>

uint32_t looked_at_blocks(uint64_t row, uint64_t count, uint64_t out[LOOKED_AT]) {
    const uint64_t middle = row * (count / row / 2) + row / 2;
    const uint64_t wanted[LOOKED_AT] = {0, middle / 2, middle, middle + (count - middle) / 2,
                                        count - 1};
    uint32_t used = 0;
    for (uint32_t i = 0; i < LOOKED_AT; i++)
        if (used == 0 || wanted[i] > out[used - 1])
            out[used++] = wanted[i];
    return used;
}

char *looked_at_text(uint64_t seen, uint64_t count) {
    char text[96];
    if (seen >= count)
        return NULL;
    (void)snprintf(text, sizeof text, "%llu of %llu blocks were run: the first%s",
                   (unsigned long long)seen, (unsigned long long)count,
                   seen < LOOKED_AT ? "" : ", the last, some between");
    return strdup(text);
}
