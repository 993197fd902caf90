/* SPDX-License-Identifier: MIT */
/*
 * Shared memory of compute capability 1.x: 16 banks, half-warps, and a hardware that may choose.
 *
 * A warp is two requests of 16 lanes; an access wider than 4 bytes is split into 4-byte
 * requests, one word of every lane each. A read request is served in steps. In each step the
 * hardware picks one of the words still wanted as the broadcast word, and serves every lane
 * inside that word and one lane of each other bank. Which word and which lane is unspecified,
 * so the number of steps is a range. Both ends are exact (tests search all orders):
 *
 * Fewest. Suppose T steps are enough. A bank that has the broadcast in k of them serves its k
 * fullest words in those, and one lane in each of the other T-k. The T steps suffice if the
 * broadcasts that the banks need add up to no more than T. Broadcasting more often never hurts
 * a bank, so the smallest such T is reached.
 *
 * Most. The hardware wastes as much as it can: a broadcast is wasted while some other bank has
 * lanes left to take it. Let banks without bank b last for L steps when they waste all they
 * can. Bank b can then lose one lane a step for L steps, from words with several lanes first,
 * and afterwards one word a step: min(lanes of b, L + words of b). A bank with fewer lanes
 * can only delay those with more, so taking the banks by ascending lanes gives the longest run.
 *
 * Writes have no broadcast. Each distinct address on a bank costs a step; of several lanes that
 * write one address, one wins.
 */
#include "half_warp.h"
#include "mask.h"
#include "op.h"

#define HALF_LANES SMP_HALF_WARP_LANES
#define BANKS 16
#define WORD_BYTES 4

/* One bank in one request: how many lanes want each of its words, fullest word first. */
typedef struct bank_load {
    unsigned word_count, lane_count;
    uint32_t word[HALF_LANES];
    unsigned lanes_of_word[HALF_LANES];
} bank_load;

typedef struct step_range {
    unsigned fewest, most;
} step_range;

static void bank_add(bank_load *bank, uint32_t word) {
    unsigned at = 0;
    while (at < bank->word_count && bank->word[at] != word)
        at++;
    if (at == bank->word_count) {
        bank->word[bank->word_count++] = word;
        bank->lanes_of_word[at] = 0;
    }
    bank->lanes_of_word[at]++;
    bank->lane_count++;
}

static void sort_fullest_first(bank_load *bank) {
    for (unsigned i = 1; i < bank->word_count; i++) {
        unsigned lanes = bank->lanes_of_word[i], at = i;
        for (; at > 0 && bank->lanes_of_word[at - 1] < lanes; at--)
            bank->lanes_of_word[at] = bank->lanes_of_word[at - 1];
        bank->lanes_of_word[at] = lanes;
    }
}

static void banks_fill(const smp_access *access, uint32_t lanes, uint32_t skip_bytes,
                       bank_load banks[BANKS]) {
    for (unsigned i = 0; i < BANKS; i++)
        banks[i].word_count = banks[i].lane_count = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t offset = access->offset_bytes[lowest_lane(left)] + skip_bytes;
        bank_add(&banks[offset / WORD_BYTES % BANKS], offset / WORD_BYTES);
    }
    for (unsigned i = 0; i < BANKS; i++)
        sort_fullest_first(&banks[i]);
}

/* Broadcasts that a bank needs to be done within `steps`. */
static unsigned broadcasts_needed(const bank_load *bank, unsigned steps) {
    unsigned needed = 0, left = bank->lane_count;
    while (left + needed > steps && needed < bank->word_count)
        left -= bank->lanes_of_word[needed++];
    return needed;
}

static unsigned fewest_steps(const bank_load banks[BANKS]) {
    for (unsigned steps = 0;; steps++) {
        unsigned needed = 0;
        for (unsigned i = 0; i < BANKS; i++)
            needed += broadcasts_needed(&banks[i], steps);
        if (needed <= steps)
            return steps;
    }
}

static unsigned most_steps(const bank_load banks[BANKS]) {
    unsigned most = 0;
    for (unsigned lanes = 1; lanes <= HALF_LANES; lanes++) {
        for (unsigned i = 0; i < BANKS; i++) {
            unsigned longest = most + banks[i].word_count;
            if (banks[i].lane_count == lanes)
                most = longest < lanes ? longest : lanes;
        }
    }
    return most;
}

static step_range read_steps(const bank_load banks[BANKS]) {
    return (step_range){fewest_steps(banks), most_steps(banks)};
}

static step_range write_steps(const smp_access *access, uint32_t lanes, uint32_t skip_bytes) {
    unsigned addresses[BANKS] = {0}, most = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        unsigned lane = lowest_lane(left);
        uint32_t offset = access->offset_bytes[lane];
        uint32_t earlier = lanes & ((1u << lane) - 1);
        while (earlier != 0 && access->offset_bytes[lowest_lane(earlier)] != offset)
            earlier &= earlier - 1;
        unsigned bank = (offset + skip_bytes) / WORD_BYTES % BANKS;
        addresses[bank] += earlier == 0;
        most = addresses[bank] > most ? addresses[bank] : most;
    }
    return (step_range){most, most};
}

static unsigned most_words(const bank_load banks[BANKS]) {
    unsigned most = 0;
    for (unsigned i = 0; i < BANKS; i++)
        most = banks[i].word_count > most ? banks[i].word_count : most;
    return most;
}

static void request_count(const smp_access *access, uint32_t lanes, uint32_t skip_bytes,
                          smp_counts *out) {
    bank_load banks[BANKS];
    banks_fill(access, lanes, skip_bytes, banks);
    bool is_load = smp_op_table[access->op].is_load;
    step_range steps = is_load ? read_steps(banks) : write_steps(access, lanes, skip_bytes);
    smp_add_group(out, lanes, most_words(banks), steps.fewest, steps.most);
}

unsigned smp_half_warp_requests(uint32_t width_bytes) {
    return (width_bytes + WORD_BYTES - 1) / WORD_BYTES;
}

void smp_half_warp_count(const smp_access *access, uint32_t lanes, smp_counts *out) {
    for (unsigned half = 0; half < 2; half++) {
        for (uint32_t skip = 0; skip < access->width_bytes; skip += WORD_BYTES)
            request_count(access, lanes & (0xffffu << half * HALF_LANES), skip, out);
    }
}
