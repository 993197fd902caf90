/* SPDX-License-Identifier: MIT */
/* Finds the bank and word of every byte of every lane. */
#include "crowd.h"

#include <string.h>

enum { SEGMENT = 256 };

unsigned crowd_popcount(uint32_t lanes) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        count += lanes >> lane & 1u;
    return count;
}

static void add_word(crowd_bank *bank, uint32_t word, unsigned lane) {
    unsigned at = 0;
    while (at < bank->words && bank->word[at] != word)
        at++;
    if (at == bank->words)
        bank->word[bank->words++] = word;
    bank->lanes_of_word[at] |= 1u << lane;
    bank->lanes |= 1u << lane;
}

static void add_lane(const crowd *all, crowd_group *group, unsigned lane) {
    for (uint32_t byte = group->from; byte < group->to; byte++) {
        uint32_t word = (all->access->offset_bytes[lane] + byte) / all->bank_bytes;
        add_word(&group->banks[word % all->bank_count], word, lane);
    }
}

static void count_passes(const crowd *all, crowd_bank *bank) {
    for (unsigned i = 0; i < bank->words; i++) {
        bool is_new = true;
        for (unsigned j = 0; j < i; j++)
            is_new &= bank->word[i] * all->bank_bytes / SEGMENT !=
                      bank->word[j] * all->bank_bytes / SEGMENT;
        bank->segments += is_new;
    }
    bank->passes = all->is_folded ? bank->segments : bank->words;
}

static void gather_group(const crowd *all, crowd_group *group) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (group->lanes >> lane & 1u)
            add_lane(all, group, lane);
    }
    for (unsigned bank = 0; bank < all->bank_count; bank++)
        count_passes(all, &group->banks[bank]);
}

void crowd_gather(int major, int minor, unsigned bank_bytes, const smp_access *access, crowd *out) {
    memset(out, 0, sizeof *out);
    out->major = major;
    out->minor = minor;
    out->bank_count = major == 1 ? 16 : 32;
    out->bank_bytes = bank_bytes;
    out->is_folded = major == 3 && bank_bytes == 4;
    out->access = access;
    out->lanes = reference_lanes(access);
    out->lane_count = crowd_popcount(out->lanes);
    reference_predict(major, minor, bank_bytes, access, &out->costs);
    unsigned pieces = major == 1 && access->width_bytes > 4 ? access->width_bytes / 4 : 1;
    uint32_t piece_bytes = access->width_bytes / pieces;
    out->group_count = out->costs.group_count;
    for (unsigned i = 0; i < out->group_count; i++) {
        crowd_group *group = &out->groups[i];
        group->lanes = out->costs.groups[i].lanes;
        group->from = i % pieces * piece_bytes;
        group->to = group->from + piece_bytes;
        gather_group(out, group);
    }
}

unsigned crowd_most_words(const crowd *all) {
    unsigned most = 0;
    for (unsigned i = 0; i < all->group_count; i++)
        for (unsigned bank = 0; bank < all->bank_count; bank++)
            most =
                all->groups[i].banks[bank].words > most ? all->groups[i].banks[bank].words : most;
    return most;
}

unsigned crowd_most_passes(const crowd *all) {
    unsigned most = 0;
    for (unsigned i = 0; i < all->group_count; i++)
        for (unsigned bank = 0; bank < all->bank_count; bank++)
            most =
                all->groups[i].banks[bank].passes > most ? all->groups[i].banks[bank].passes : most;
    return most;
}

static bool is_global(smp_op op) {
    return op == SMP_LD_GLOBAL || op == SMP_ST_GLOBAL || op == SMP_RED_GLOBAL;
}

static uint64_t address_of(const crowd *all, unsigned lane) {
    return is_global(all->access->op) ? all->access->address_bytes[lane]
                                      : all->access->offset_bytes[lane];
}

bool crowd_is_one_address(const crowd *all) {
    for (unsigned a = 0; a < SMP_LANES; a++)
        for (unsigned b = 0; b < a; b++)
            if ((all->lanes >> a & 1u) && (all->lanes >> b & 1u) &&
                address_of(all, a) != address_of(all, b))
                return false;
    return true;
}

unsigned crowd_different_bytes(const crowd *all) {
    uint64_t seen[SMP_LANES * 16];
    unsigned count = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        for (uint32_t byte = 0; (all->lanes >> lane & 1u) && byte < all->access->width_bytes;
             byte++) {
            uint64_t at = address_of(all, lane) + byte;
            unsigned i = count;
            while (i > 0 && seen[i - 1] != at)
                i--;
            if (i == 0)
                seen[count++] = at;
        }
    }
    return count;
}
