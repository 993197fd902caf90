/* SPDX-License-Identifier: MIT */
/* Damaged sources: bytes are removed, doubled or changed. */
#pragma once

#include "smp_accesses.h"

static inline void damaged_text(smp_random *random, const char *from, char *out, size_t size) {
    static const char others[] = "()[]{};,=*&<>\"'/#0a_ \n";
    size_t used = 0;
    for (; *from != '\0' && used < size - 2; from++) {
        const uint32_t kind = smp_random_below(random, 60);
        if (kind == 0)
            continue;
        out[used++] = kind == 1 ? others[smp_random_below(random, sizeof others - 1)] : *from;
        if (kind == 2)
            out[used++] = *from;
    }
    out[used] = '\0';
}
