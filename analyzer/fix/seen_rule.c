/* SPDX-License-Identifier: MIT */
/*
 * Which requests follow a rule.
 */
#include "seen_rule.h"

#include <stdlib.h>
#include <string.h>

enum { DATA_LEAST = 4, LANE_BITS = 5 };

static uint32_t add(uint32_t a, uint32_t b) {
    return a + b;
}
static uint32_t subtract(uint32_t a, uint32_t b) {
    return a - b;
}
static uint32_t turn(uint32_t a, uint32_t b) {
    return a ^ b;
}

/* Each bit of the lane's number makes one and the same difference. A bit of which no two lanes tell
 * the difference says nothing. */
static bool is_linear(const smp_access *access, uint32_t (*join)(uint32_t, uint32_t),
                      uint32_t (*part)(uint32_t, uint32_t)) {
    const uint32_t mask = access->active_mask;
    const unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t step[LANE_BITS] = {0};
    bool has_step[LANE_BITS] = {false};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        for (unsigned bit = 0; bit < LANE_BITS; bit++) {
            const unsigned other = lane | 1u << bit;
            if (other == lane || !(mask >> lane & 1) || !(mask >> other & 1) || has_step[bit])
                continue;
            has_step[bit] = true;
            step[bit] = part(access->offset_bytes[other], access->offset_bytes[lane]);
        }
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint32_t at = access->offset_bytes[first];
        if (!(mask >> lane & 1))
            continue;
        for (unsigned bit = 0; bit < LANE_BITS; bit++) {
            const bool is_up = (lane & ~first) >> bit & 1, is_down = (first & ~lane) >> bit & 1;
            if ((is_up || is_down) && !has_step[bit])
                return false;
            at = is_up ? join(at, step[bit]) : is_down ? part(at, step[bit]) : at;
        }
        if (at != access->offset_bytes[lane])
            return false;
    }
    return true;
}

typedef struct shape {
    const smp_access *access;
    size_t index;
} shape;

/* By operation, lanes, and distances from the first lane. */
static int compare_shapes(const void *left, const void *right) {
    const smp_access *a = ((const shape *)left)->access, *b = ((const shape *)right)->access;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->active_mask != b->active_mask)
        return a->active_mask < b->active_mask ? -1 : 1;
    const unsigned first = (unsigned)__builtin_ctz(a->active_mask);
    for (unsigned lane = first; lane < SMP_LANES; lane++) {
        const uint32_t x = a->offset_bytes[lane] - a->offset_bytes[first],
                       y = b->offset_bytes[lane] - b->offset_bytes[first];
        if ((a->active_mask >> lane & 1) && x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

smp_status smp_seen_find_data(const smp_seen_request *requests, size_t count, bool *is_data,
                              uint64_t *made) {
    shape *shapes = calloc(count + 1, sizeof *shapes);
    size_t odd = 0, found = 0;
    *made = 0;
    if (!shapes)
        return SMP_E_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const smp_access *access = &requests[i].access;
        if (access->active_mask != 0 && !is_linear(access, add, subtract) &&
            !is_linear(access, turn, turn))
            shapes[odd++] = (shape){access, i};
    }
    qsort(shapes, odd, sizeof *shapes, compare_shapes);
    for (size_t i = 0; i < odd; i++) {
        const bool is_shared = (i > 0 && compare_shapes(&shapes[i - 1], &shapes[i]) == 0) ||
                               (i + 1 < odd && compare_shapes(&shapes[i], &shapes[i + 1]) == 0);
        is_data[shapes[i].index] = !is_shared;
        found += !is_shared;
    }
    for (size_t i = 0; i < count; i++) {
        is_data[i] = is_data[i] && found >= DATA_LEAST;
        *made += is_data[i] ? requests[i].count : 0;
    }
    free(shapes);
    return SMP_OK;
}
