/* SPDX-License-Identifier: MIT */
/*
 * Every order in which CC 1.x hardware may serve a half-warp of reads.
 *
 * The Guide's procedure: at each step one of the words still wanted becomes the broadcast word;
 * served are all lanes inside that word and one address of each other bank. Which word and which
 * address is unspecified, so every choice is followed and the fewest and most steps are kept. A
 * state is remembered once solved.
 */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

enum { WARP = REFERENCE_HALF_WARP, TABLE_BITS = 18, TABLE_SIZE = 1 << TABLE_BITS };

/* Lanes left of each wanted word, by bank; counts of a bank fall, banks are sorted. */
typedef struct state {
    unsigned banks;
    unsigned words[WARP];
    unsigned lanes[WARP][WARP];
} state;

static struct {
    uint64_t key;
    reference_range steps;
} solved[TABLE_SIZE];

static reference_range solve(const state *now);

static void widen(reference_range *range, reference_range other) {
    range->min = other.min < range->min ? other.min : range->min;
    range->max = other.max > range->max ? other.max : range->max;
}

/* ---- States that differ only by names ---- */

static int more_first(const void *a, const void *b) {
    unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;
    return (left < right) - (left > right);
}

/* A bank in unary: for each word as many ones as lanes, then a zero. At most 32 digits. */
static uint64_t bank_code(const state *now, unsigned bank) {
    uint64_t code = 0;
    for (unsigned word = 0; word < now->words[bank]; word++)
        code = ((code + 1) << (now->lanes[bank][word] + 1)) - 2;
    return code;
}

static int bigger_first(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left < right) - (left > right);
}

static unsigned code_digits(uint64_t code) {
    unsigned digits = 0;
    for (; code != 0; code >>= 1)
        digits++;
    return digits;
}

/* All banks after each other, a zero after each: 48 digits at most, never 0. */
static uint64_t state_key(const state *now) {
    uint64_t codes[WARP];
    uint64_t key = 0;
    for (unsigned bank = 0; bank < now->banks; bank++)
        codes[bank] = bank_code(now, bank);
    qsort(codes, now->banks, sizeof codes[0], bigger_first);
    for (unsigned bank = 0; bank < now->banks; bank++)
        key = ((key << code_digits(codes[bank])) | codes[bank]) << 1;
    return key;
}

static size_t slot_of(uint64_t key) {
    size_t slot = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - TABLE_BITS));
    while (solved[slot].key != 0 && solved[slot].key != key)
        slot = (slot + 1) % TABLE_SIZE;
    return slot;
}

/* Drops words and banks that no lane wants any more, and sorts the words. */
static void tidy(state *now) {
    unsigned banks = 0;
    for (unsigned bank = 0; bank < now->banks; bank++) {
        unsigned words = now->words[bank];
        qsort(now->lanes[bank], words, sizeof now->lanes[bank][0], more_first);
        while (words > 0 && now->lanes[bank][words - 1] == 0)
            words--;
        if (words == 0)
            continue;
        memmove(now->lanes[banks], now->lanes[bank], sizeof now->lanes[bank]);
        now->words[banks++] = words;
    }
    now->banks = banks;
}

/* ---- One step ---- */

/* Tries every address of the banks from `bank` on, except the broadcast bank. */
static void serve_others(state *next, unsigned bank, unsigned broadcast_bank,
                         reference_range *range) {
    if (bank == next->banks) {
        state after = *next;
        tidy(&after);
        reference_range rest = solve(&after);
        widen(range, (reference_range){rest.min + 1, rest.max + 1});
        return;
    }
    if (bank == broadcast_bank) {
        serve_others(next, bank + 1, broadcast_bank, range);
        return;
    }
    for (unsigned word = 0; word < next->words[bank]; word++) {
        if (word > 0 && next->lanes[bank][word] == next->lanes[bank][word - 1])
            continue;
        next->lanes[bank][word]--;
        serve_others(next, bank + 1, broadcast_bank, range);
        next->lanes[bank][word]++;
    }
}

static reference_range solve(const state *now) {
    if (now->banks == 0)
        return (reference_range){0, 0};
    uint64_t key = state_key(now);
    size_t slot = slot_of(key);
    if (solved[slot].key == key)
        return solved[slot].steps;
    reference_range range = {UINT32_MAX, 0};
    for (unsigned bank = 0; bank < now->banks; bank++) {
        for (unsigned word = 0; word < now->words[bank]; word++) {
            state next = *now;
            next.lanes[bank][word] = 0;
            serve_others(&next, 0, bank, &range);
        }
    }
    slot = slot_of(key);
    solved[slot].key = key;
    solved[slot].steps = range;
    return range;
}

/* ---- From lanes to a state ---- */

static unsigned index_of(unsigned *names, unsigned *count, unsigned name) {
    for (unsigned i = 0; i < *count; i++)
        if (names[i] == name)
            return i;
    names[*count] = name;
    return (*count)++;
}

reference_range reference_broadcast(const reference_wish *wishes, unsigned count) {
    state start = {0};
    unsigned bank_names[WARP], word_names[WARP][WARP];
    for (unsigned i = 0; i < count; i++) {
        unsigned bank = index_of(bank_names, &start.banks, wishes[i].bank);
        unsigned word = index_of(word_names[bank], &start.words[bank], wishes[i].word);
        start.lanes[bank][word]++;
    }
    tidy(&start);
    return solve(&start);
}

/* ---- The same lane by lane ---- */

typedef struct literal {
    const reference_wish *wishes;
    unsigned count;
    bool known[1 << WARP];
    reference_range steps[1 << WARP];
} literal;

static reference_range solve_lanes(literal *search, uint32_t left);

/* `seen` holds the lanes whose bank was decided in this step, `left` those still to be served. */
static void choose_lanes(literal *search, uint32_t left, uint32_t seen, reference_range *range) {
    unsigned first = 0;
    while (first < search->count && (!(left >> first & 1u) || (seen >> first & 1u)))
        first++;
    if (first == search->count) {
        reference_range rest = solve_lanes(search, left);
        widen(range, (reference_range){rest.min + 1, rest.max + 1});
        return;
    }
    uint32_t same_bank = 0;
    for (unsigned lane = 0; lane < search->count; lane++)
        if (search->wishes[lane].bank == search->wishes[first].bank)
            same_bank |= 1u << lane;
    for (unsigned lane = 0; lane < search->count; lane++)
        if (left & same_bank & 1u << lane)
            choose_lanes(search, left & ~(1u << lane), seen | same_bank, range);
}

static reference_range solve_lanes(literal *search, uint32_t left) {
    if (left == 0)
        return (reference_range){0, 0};
    if (search->known[left])
        return search->steps[left];
    reference_range range = {UINT32_MAX, 0};
    for (unsigned chosen = 0; chosen < search->count; chosen++) {
        if (!(left >> chosen & 1u))
            continue;
        uint32_t same_bank = 0, same_word = 0;
        for (unsigned lane = 0; lane < search->count; lane++) {
            if (search->wishes[lane].bank != search->wishes[chosen].bank)
                continue;
            same_bank |= 1u << lane;
            if (search->wishes[lane].word == search->wishes[chosen].word)
                same_word |= 1u << lane;
        }
        choose_lanes(search, left & ~same_word, same_bank, &range);
    }
    search->known[left] = true;
    search->steps[left] = range;
    return range;
}

reference_range reference_broadcast_literal(const reference_wish *wishes, unsigned count) {
    static literal search;
    memset(search.known, 0, sizeof search.known);
    search.wishes = wishes;
    search.count = count;
    return solve_lanes(&search, (uint32_t)((UINT64_C(1) << count) - 1));
}
