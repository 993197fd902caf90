/* SPDX-License-Identifier: MIT */
/* Reads the short form of 32 addresses. */
#include "offset_text.h"

#include <stdlib.h>

typedef struct run {
    uint64_t start, step, count, repeat, period;
} run;

/* Reads one part; returns what follows, or NULL where there is no number. */
static const char *read_run(const char *text, run *out) {
    char *end;
    *out = (run){.count = 1, .repeat = 1, .period = SMP_LANES};
    out->start = strtoull(text, &end, 0);
    if (end == text)
        return NULL;
    if (*end == '+')
        out->step = strtoull(end + 1, &end, 0);
    if (*end == '*')
        out->count = strtoull(end + 1, &end, 0);
    if (*end == '/')
        out->repeat = strtoull(end + 1, &end, 0);
    if (*end == '|')
        out->period = strtoull(end + 1, &end, 0);
    while (*end == ' ')
        end++;
    return end;
}

unsigned offset_text_read(const char *text, smp_access *access) {
    unsigned lane = 0;
    while (*text != '\0') {
        run part;
        text = read_run(text, &part);
        if (!text || part.repeat == 0 || part.period == 0 || part.count > SMP_LANES - lane)
            return 0;
        for (uint64_t i = 0; i < part.count; i++, lane++) {
            uint64_t address = part.start + i / part.repeat % part.period * part.step;
            access->address_bytes[lane] = address;
            access->offset_bytes[lane] = (uint32_t)address;
        }
    }
    return lane;
}
