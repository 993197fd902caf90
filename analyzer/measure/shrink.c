/* SPDX-License-Identifier: MIT */
/*
 * Greedy reduction like delta debugging. Candidates are tried boldest first (without half of the
 * lanes, a quarter, ...; offset 0, then lower offsets); the first that still shows the difference
 * becomes the new access.
 */
#include "smp_verify.h"

typedef struct shrinking {
    smp_access *access;
    smp_shrink_fn first_that_shows;
    void *user;
    smp_access candidates[SMP_SHRINK_CANDIDATES_MAX];
    size_t count;
} shrinking;

static void offer(shrinking *s, const smp_access *candidate) {
    if (smp_access_lanes(candidate) != 0 && s->count < SMP_SHRINK_CANDIDATES_MAX)
        s->candidates[s->count++] = *candidate;
}

/* Tries the candidates; true if one replaced the access. */
static bool take(shrinking *s) {
    size_t count = s->count;
    size_t first = count > 0 ? s->first_that_shows(s->user, s->candidates, count) : 0;
    s->count = 0;
    if (first >= count)
        return false;
    *s->access = s->candidates[first];
    return true;
}

static void clear_lanes(smp_access *access, uint32_t lanes) {
    access->active_mask &= ~lanes;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (lanes >> lane & 1) {
            access->offset_bytes[lane] = 0;
            access->address_bytes[lane] = 0;
        }
    }
}

/* Aligned runs of 16, 8, 4, 2 and 1 lanes: 62 candidates at most. */
static bool drop_lanes(shrinking *s) {
    for (unsigned run = SMP_LANES / 2; run > 0; run /= 2) {
        for (unsigned first = 0; first < SMP_LANES; first += run) {
            uint32_t lanes = (SMP_ALL_LANES >> (SMP_LANES - run)) << first;
            smp_access fewer = *s->access;
            clear_lanes(&fewer, lanes);
            if (fewer.active_mask != s->access->active_mask)
                offer(s, &fewer);
        }
    }
    return take(s);
}

/* Lowers all addresses by the same step, to keep their distances. */
static bool lower_together(shrinking *s) {
    for (uint64_t step = UINT64_C(1) << 47; step >= s->access->width_bytes; step /= 2) {
        smp_access less = *s->access;
        bool possible = true;
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            if (!(less.active_mask >> lane & 1))
                continue;
            bool shared = less.offset_bytes[lane] >= step,
                 global = less.address_bytes[lane] >= step;
            possible = possible && (shared || global);
            less.offset_bytes[lane] -= shared ? (uint32_t)step : 0;
            less.address_bytes[lane] -= global ? step : 0;
        }
        if (possible)
            offer(s, &less);
    }
    return take(s);
}

/* Candidates for a lower address, boldest first: 0, the remainder of a power of two, one width
 * less. */
static uint64_t lower(uint64_t address, unsigned attempt, unsigned width) {
    enum { LAST = 40 };
    if (attempt == 0)
        return 0;
    if (attempt < LAST)
        return address % (UINT64_C(1) << attempt) / width * width;
    return address >= width ? address - width : 0;
}

static bool lower_lane(shrinking *s, unsigned lane) {
    const smp_access *access = s->access;
    uint64_t last_offset = UINT64_MAX, last_address = UINT64_MAX;
    for (unsigned attempt = 0; attempt <= 40; attempt++) {
        smp_access less = *access;
        uint64_t offset = lower(access->offset_bytes[lane], attempt, access->width_bytes);
        uint64_t address = lower(access->address_bytes[lane], attempt, access->width_bytes);
        if (offset == last_offset && address == last_address)
            continue;
        last_offset = offset;
        last_address = address;
        less.offset_bytes[lane] = (uint32_t)offset;
        less.address_bytes[lane] = address;
        if (offset < access->offset_bytes[lane] || address < access->address_bytes[lane])
            offer(s, &less);
    }
    return take(s);
}

static bool lower_lanes(shrinking *s) {
    bool lowered = false;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        if (s->access->active_mask >> lane & 1)
            lowered |= lower_lane(s, lane);
    return lowered;
}

void smp_access_shrink(smp_access *access, smp_shrink_fn first_that_shows, void *user) {
    shrinking s = {.access = access, .first_that_shows = first_that_shows, .user = user};
    bool smaller = true;
    clear_lanes(access, ~access->active_mask);
    while (smaller) {
        smaller = drop_lanes(&s);
        smaller = smaller || lower_together(&s) || lower_lanes(&s);
    }
}
