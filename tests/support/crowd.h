/* SPDX-License-Identifier: MIT */
/*
 * Which lanes want which words of each bank, counted byte by byte, for the judges of
 * sentences. Only the lanes of each group come from the reference (reference.h).
 */
#pragma once

#include "reference.h"

enum { CROWD_BANKS_MAX = 32, CROWD_WORDS_MAX = 128 };

/* One bank in one group. */
typedef struct crowd_bank {
    uint32_t lanes;
    unsigned words; /* different ones; a word is what a bank is wide */
    uint32_t word[CROWD_WORDS_MAX];
    uint32_t lanes_of_word[CROWD_WORDS_MAX];
    unsigned segments; /* different aligned blocks of 64 words of 4 bytes that hold the words */
    unsigned passes;   /* that the bank needs */
} crowd_bank;

typedef struct crowd_group {
    uint32_t lanes;
    uint32_t from, to; /* bytes of each lane that are asked for */
    crowd_bank banks[CROWD_BANKS_MAX];
} crowd_group;

typedef struct crowd {
    int major, minor;
    unsigned bank_count, bank_bytes;
    bool is_folded; /* Kepler with 4-byte banks: words of one segment share a pass */
    const smp_access *access;
    uint32_t lanes;
    unsigned lane_count;
    reference_counts costs;
    unsigned group_count;
    crowd_group groups[SMP_GROUPS_MAX];
} crowd;

/* Counts an access on compute capability major.minor; `access` must live as long. */
void crowd_gather(int major, int minor, unsigned bank_bytes, const smp_access *access, crowd *out);

unsigned crowd_popcount(uint32_t lanes);

/* The most words, or passes, that one bank of any group has. */
unsigned crowd_most_words(const crowd *all);
unsigned crowd_most_passes(const crowd *all);

/* True if all active lanes have the same address. */
bool crowd_is_one_address(const crowd *all);
/* Different bytes of memory that the lanes ask for. */
unsigned crowd_different_bytes(const crowd *all);
