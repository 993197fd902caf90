/* SPDX-License-Identifier: MIT */
/*
 * Textures in linear memory and constants with an address a lane, as measured on GH100
 * (model/FINDINGS.md, 12). A fetch goes by groups of 8 lanes (up to 8 bytes) or 4 (16 bytes), each
 * a request of its own with its own sectors. The tag stage looks up one line in each of four banks
 * at once, as it does for loads, but here the bank is simply the line's number modulo 4. The data
 * stage reads 16 units of 8 bytes, or 8 of 16, at different places. Two lanes side by side share a
 * port to each quarter of the 16 units: if both want different units of it, or different lines of
 * one unit, the odd lane goes in a second part, behind all others. A group with lanes in one of its
 * halves alone, and one wavefront of the tag stage, has ports enough.
 */
#include "coalesce.h"
#include "mask.h"
#include "tag.h"

enum {
    LINE_SHIFT = 7,
    LINE_BYTES = 1 << LINE_SHIFT,
    SECTOR_SHIFT = 5,
    WIDE_SHIFT = 4,
    UNIT_SHIFT = 3,
    QUARTER_BITS = 5, /* of a unit's number: which quarter it is in */
    QUAD_LANES = 4,
    TAG_BANKS = 4
};
#define ODD_LANES 0xaaaaaaaau

/* As smp_tags_of, with this stage's banks. */
static smp_tags tags_of(const smp_access *access) {
    smp_tags tags;
    for (uint32_t left = access->active_mask; left != 0; left &= left - 1) {
        const unsigned lane = lowest_lane(left);
        tags.line[lane] = access->address_bytes[lane] >> LINE_SHIFT;
        tags.bank[lane] = tags.line[lane] % TAG_BANKS;
    }
    return tags;
}

/* The most distinct blocks of 2^shift bytes of `lanes` on one of the units that hold such a block
 * each: 128 bytes together. */
static unsigned most_on_a_unit(const smp_access *access, uint32_t lanes, unsigned shift) {
    const unsigned units = LINE_BYTES >> shift;
    unsigned most = 0;
    for (unsigned unit = 0; unit < units; unit++) {
        uint32_t here = 0;
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            if ((access->address_bytes[lowest_lane(left)] >> shift) % units == unit)
                here |= 1u << lowest_lane(left);
        const unsigned count = smp_distinct_blocks(access->address_bytes, here, shift);
        most = count > most ? count : most;
    }
    return most;
}

/* Up to 8 bytes: the odd lanes of `lanes` whose lower neighbour asks for other 8 bytes of the same
 * quarter of the units. */
static uint32_t held_up(const smp_access *access, uint32_t lanes) {
    uint32_t late = 0;
    for (uint32_t odd = lanes & lanes << 1 & ODD_LANES; odd != 0; odd &= odd - 1) {
        const unsigned lane = lowest_lane(odd);
        const uint64_t differ =
            (access->address_bytes[lane] ^ access->address_bytes[lane - 1]) >> UNIT_SHIFT;
        late |= (uint32_t)(differ != 0 && (differ & QUARTER_BITS) == 0) << lane;
    }
    return late;
}

/* Wavefronts of the data stage for `taken`, the lanes of one wavefront of the tag stage. */
static unsigned data_wavefronts(const smp_access *access, uint32_t taken, bool is_alone) {
    if (access->width_bytes == 16)
        return most_on_a_unit(access, taken, WIDE_SHIFT);
    const uint32_t late = is_alone ? 0 : held_up(access, taken);
    return most_on_a_unit(access, taken & ~late, UNIT_SHIFT) +
           most_on_a_unit(access, late, UNIT_SHIFT);
}

/* Whether all of a group's lanes are in one of its halves, and in one wavefront of the tag stage.
 */
static bool is_alone(const smp_tags *tags, uint32_t group) {
    const unsigned first = lowest_lane(group) & ~(QUAD_LANES - 1u);
    return (group >> first >> QUAD_LANES) == 0 && smp_tags_take(tags, group) == group;
}

smp_status smp_texture_predict(const smp_arch *arch, const smp_access *access,
                               smp_texture_counts *out) {
    *out = (smp_texture_counts){0};
    const smp_status status = smp_l1_check(arch, access, access->op == SMP_LD_GLOBAL);
    if (status != SMP_OK)
        return status;
    const smp_tags tags = tags_of(access);
    const unsigned group_lanes = access->width_bytes == 16 ? 4 : 8;
    const uint32_t group = SMP_ALL_LANES >> (SMP_LANES - group_lanes);
    for (unsigned first = 0; first < SMP_LANES; first += group_lanes) {
        uint32_t waiting = access->active_mask & (group << first);
        out->requests += waiting != 0;
        out->sectors += smp_distinct_blocks(access->address_bytes, waiting, SECTOR_SHIFT);
        const bool alone = waiting != 0 && is_alone(&tags, waiting);
        for (; waiting != 0; out->tag_wavefronts++) {
            const uint32_t taken = smp_tags_take(&tags, waiting);
            out->data_wavefronts += data_wavefronts(access, taken, alone);
            waiting &= ~taken;
        }
    }
    return SMP_OK;
}

smp_status smp_constant_requests(const smp_arch *arch, const smp_access *access, uint32_t *out) {
    *out = 0;
    const smp_status status = smp_l1_check(
        arch, access, access->op == SMP_LD_GLOBAL && (access->width_bytes & (1 | 4 | 8)));
    if (status == SMP_OK)
        *out = smp_distinct_blocks(access->address_bytes, access->active_mask, 0);
    return status;
}
