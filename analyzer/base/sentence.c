/* SPDX-License-Identifier: MIT */
/* Fills the slots of a sentence's row. */
#include "sentence.h"

#include <inttypes.h>
#include <string.h>

/* Returns the end of the run of set bits that starts at bit `first`. */
static unsigned end_of_run(uint32_t lanes, unsigned first) {
    unsigned end = first;
    while (end < 32 && (lanes >> end & 1) != 0)
        end++;
    return end;
}

static void put_lanes(text_buffer *out, uint32_t lanes) {
    unsigned count = (unsigned)__builtin_popcount(lanes), runs = 0;
    text_add(out, count == 1 ? "lane" : "lanes");
    for (unsigned lane = 0; lane < 32; lane++) {
        if ((lanes >> lane & 1) == 0)
            continue;
        if (runs++ == SMP_SLOT_RUNS_MAX) {
            text_add(out, ", ... (%u lanes)", count);
            return;
        }
        unsigned end = end_of_run(lanes, lane);
        text_add(out, end - lane > 1 ? "%s%u-%u" : "%s%u", runs == 1 ? " " : ", ", lane, end - 1);
        lane = end;
    }
}

static void put_banks(text_buffer *out, const smp_slot *slot) {
    if (slot->count == 1)
        text_add(out, "bank %" PRIu64, slot->number);
    else
        text_add(out, "banks %" PRIu64 "-%" PRIu64, slot->number, slot->number + slot->count - 1);
}

static void put_slot(text_buffer *out, char kind, const smp_slot *slot) {
    char digits[32];
    if (kind == 'n' && text_grouped(slot->number, digits) > 0)
        text_add(out, "%s", digits);
    else if (kind == 'e')
        text_add(out, "%.0f", slot->real);
    else if (kind == 'f')
        text_add(out, "%.1f", slot->real);
    else if (kind == 'b')
        put_banks(out, slot);
    else if (kind == 'l')
        put_lanes(out, (uint32_t)slot->number);
    else
        text_add(out, "%s", slot->text);
}

/* "{one|many}" at `mark`, which ends before `end`. */
static void put_choice(text_buffer *out, const char *mark, const char *end, bool is_one) {
    const char *bar = memchr(mark, '|', (size_t)(end - mark));
    const char *from = is_one ? mark + 1 : bar + 1, *to = is_one ? bar : end;
    text_add(out, "%.*s", (int)(to - from), from);
}

void smp_say(text_buffer *out, const char *row, const smp_slot *slots) {
    uint64_t last = 0;
    while (*row != '\0') {
        size_t plain = strcspn(row, "{");
        text_add(out, "%.*s", (int)plain, row);
        row += plain;
        if (*row == '\0')
            return;
        const char *end = strchr(row, '}');
        if (end == row + 2) {
            last = row[1] == 'n' ? slots->number : row[1] == 'b' ? slots->count : last;
            put_slot(out, row[1], slots++);
        } else {
            put_choice(out, row, end, last == 1);
        }
        row = end + 1;
    }
}
