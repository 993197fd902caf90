/* SPDX-License-Identifier: MIT */
/*
 * Units of L1 that the program has no use for yet: reductions and local memory, as
 * model/FINDINGS.md, 2, 9 and 12, has them, in loops over lanes.
 */
#include "reference.h"

static bool has(uint32_t lanes, unsigned lane) {
    return lanes >> lane & 1u;
}

/* ---- Reductions ---- */

/* A round: lanes of the lines that are looked up, unless a lower waiting lane of the same tag bank
 * has the same place within its line. Lanes alone tell the tag bank: two that could not both be
 * looked up first are in one. */
static bool same_tag_bank(const smp_access *access, unsigned a, unsigned b) {
    return access->address_bytes[a] / 128 == access->address_bytes[b] / 128 ||
           reference_tag_wavefront(access, 1u << a | 1u << b) != (1u << a | 1u << b);
}

static uint32_t one_round(const smp_access *access, uint32_t waiting) {
    uint32_t served = reference_tag_wavefront(access, waiting);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        for (unsigned lower = 0; lower < lane; lower++)
            if (has(waiting, lower) && same_tag_bank(access, lower, lane) &&
                access->address_bytes[lower] % 128 == access->address_bytes[lane] % 128)
                served &= ~(1u << lane);
    return served;
}

/* The most distinct words on one bank, where bit 2 of a word's place is left out if asked. */
static unsigned words_on_a_bank(const smp_access *access, uint32_t lanes, bool halves_share) {
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        unsigned count = 0;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            for (unsigned byte = 0; byte < access->width_bytes; byte += 4) {
                unsigned word = (unsigned)((access->address_bytes[lane] + byte) / 4 % 32);
                if (halves_share && word % 8 >= 4)
                    word -= 4;
                count += has(lanes, lane) && word == bank;
            }
        most = count > most ? count : most;
    }
    return most;
}

/* Whether every line of `lanes` has one of them. */
static bool are_alone(const smp_access *access, uint32_t lanes) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        for (unsigned lower = 0; lower < lane; lower++)
            if (has(lanes, lane) && has(lanes, lower) &&
                access->address_bytes[lower] / 128 == access->address_bytes[lane] / 128)
                return false;
    return true;
}

reference_units reference_reduction(const smp_access *access) {
    reference_units out = {0};
    const uint32_t halves[] = {0x0000ffffu, 0xffff0000u};
    for (uint32_t waiting = access->active_mask; waiting != 0; out.tag++) {
        const uint32_t served = one_round(access, waiting);
        const bool is_alone = are_alone(access, served);
        for (unsigned g = 0; g < access->width_bytes / 4; g++) {
            const uint32_t lanes = access->width_bytes == 4 ? served : served & halves[g];
            out.data += words_on_a_bank(access, lanes, is_alone);
            out.returned += words_on_a_bank(access, lanes, false);
        }
        waiting &= ~served;
    }
    return out;
}

/* ---- Local memory ---- */

/* Distinct sectors of 32 bytes. */
static unsigned sectors_of(const smp_access *access) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        bool is_new = has(access->active_mask, lane);
        for (unsigned lower = 0; lower < lane; lower++)
            if (has(access->active_mask, lower) &&
                access->address_bytes[lower] / 32 == access->address_bytes[lane] / 32)
                is_new = false;
        count += is_new;
    }
    return count;
}

/* Word w of lane l lies at 128 w + 4 l; the tag stage looks up as for loads, word by word of the
 * lanes. */
reference_units reference_local(const smp_access *access, uint64_t first_line) {
    reference_units out = {.data = access->width_bytes < 4 ? 1 : access->width_bytes / 4};
    for (unsigned w = 0; w < out.data; w++) {
        smp_access word = {.op = SMP_LD_GLOBAL, .width_bytes = 4};
        word.active_mask = access->active_mask;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            word.address_bytes[lane] =
                128 * first_line + 128 * (access->address_bytes[lane] / 4 + w) + 4 * lane;
        out.sectors += sectors_of(&word);
        for (uint32_t waiting = word.active_mask; waiting != 0; out.tag++)
            waiting &= ~reference_tag_wavefront(&word, waiting);
    }
    return out;
}
