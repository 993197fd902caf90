/* SPDX-License-Identifier: MIT */
/*
 * Reductions on global memory inside L1, as measured on GH100 (model/FINDINGS.md, 9).
 *
 * The rounds are those of the packets (coalesce.c). A round costs the data stage, group of lanes by
 * group, the most distinct words on one bank. If every line of the round has one lane alone, a
 * sector's two halves of 16 bytes share their banks besides: lanes of one sector number, of
 * different lines, meet where they are 16 bytes apart. What atomics return takes the banks as they
 * are.
 */
#include "coalesce.h"
#include "mask.h"
#include "past_l1.h"
#include "tag.h"

enum { BANKS = 32, LINE_BYTES = 128, HALF_WORDS = 4 };

static unsigned word_of(uint64_t address) {
    return (unsigned)(address % LINE_BYTES / 4);
}

/* The bank of a word where halves of a sector share theirs: bit 2 falls out. */
static unsigned narrow_bank(unsigned word) {
    return word & ~(unsigned)HALF_WORDS;
}

/* The most of `lanes` on one bank. Lanes of a round are on different words or lines. */
static unsigned most_on_a_bank(const smp_access *access, uint32_t lanes, bool is_narrow) {
    unsigned count[BANKS] = {0}, most = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned first = word_of(access->address_bytes[lowest_lane(lanes)]);
        for (unsigned word = first; word < first + access->width_bytes / 4; word++) {
            const unsigned bank = is_narrow ? narrow_bank(word) : word;
            most = ++count[bank] > most ? count[bank] : most;
        }
    }
    return most;
}

static bool has_shared_line(const smp_tags *tags, uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1)
        for (uint32_t rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1)
            if (tags->line[lowest_lane(rest)] == tags->line[lowest_lane(lanes)])
                return true;
    return false;
}

smp_status smp_reduce_predict(const smp_arch *arch, const smp_access *access,
                              smp_reduce_counts *out) {
    smp_tags tags;
    *out = (smp_reduce_counts){0};
    const smp_status status =
        smp_tags_of(arch, access, access->op == SMP_RED_GLOBAL && access->width_bytes <= 8, &tags);
    if (status != SMP_OK)
        return status;
    const unsigned group_lanes = access->width_bytes == 4 ? SMP_LANES : SMP_LANES / 2;
    const uint32_t group = SMP_ALL_LANES >> (SMP_LANES - group_lanes);
    for (uint32_t waiting = access->active_mask; waiting != 0; out->tag_wavefronts++) {
        const uint32_t served = smp_serve_round(&tags, access->address_bytes, waiting);
        const bool is_narrow = !has_shared_line(&tags, served);
        for (unsigned first = 0; first < SMP_LANES; first += group_lanes) {
            const uint32_t lanes = served & (group << first);
            out->data_wavefronts += most_on_a_bank(access, lanes, is_narrow);
            out->return_wavefronts += most_on_a_bank(access, lanes, false);
        }
        waiting &= ~served;
    }
    return SMP_OK;
}
