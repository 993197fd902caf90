/* SPDX-License-Identifier: MIT */
/*
 * Banks: where an offset falls, and how many passes a group of lanes needs.
 *
 * Shared memory is dealt out to the banks like cards: word 0 to bank 0, word 1 to bank 1, and
 * after the last bank around again. One pass reads one word of every bank, and any number of
 * lanes may take what a bank delivers. So a group of lanes needs as many passes as the
 * busiest bank has distinct words to deliver.
 *
 * An access wider than a bank covers whole, aligned runs of banks. All banks of a run are then
 * asked for the same rows, and the run behaves like one wide bank: 16-byte accesses see 8
 * banks of 16 bytes. Everything below speaks of such units of max(width, bank) bytes.
 *
 * The count is the definition, done for all lanes at once: a lane leads if no earlier lane
 * of its group wants the same unit; the ways of a bank are its leaders. Fixed trip counts and
 * narrow types let the compiler turn each loop into a few vector instructions, so a conflict
 * costs no more time than its absence. Keys of 16 bits suffice because a block has less than
 * 256 KiB of shared memory (test_tables.c holds the architecture rows to that).
 */
#include <string.h>

#include "predict.h"

/* No active lane has this key: the largest offset of any row is below 252 KiB. */
#define NO_KEY 0xffffu
#define NO_BANK 0xffu

/* Vectors of the compiler, which picks the instructions: 32 lanes of 8 bits, 16 of 16 bits.
 * (Vectors of 64 bytes would hold all lanes of 16 bits, but gcc 12 splits those into scalars.) */
typedef uint8_t lanes_u8 __attribute__((vector_size(SMP_LANES)));
typedef uint64_t eighths_u64 __attribute__((vector_size(SMP_LANES)));
typedef uint16_t half_u16 __attribute__((vector_size(SMP_LANES)));

/* Of each lane: what it wants, and from which bank. Both carry the lane's group in their upper
 * bits, so that lanes of different groups never meet. */
typedef struct unit_map {
    uint16_t key[SMP_LANES];
    uint8_t bank[SMP_LANES];
} unit_map;

/* Kepler, 4-byte mode: an 8-byte bank holds word i and, as its other half, word i+32 of the same
 * 64-word segment. Dropping that one address bit makes the two one word. */
static uint32_t fold_segment(uint32_t offset_bytes) {
    return (offset_bytes >> 8) << 7 | (offset_bytes & 127);
}

static bool has_folded_banks(const smp_arch *arch) {
    return arch->shared_rule->eight_byte_banks && arch->bank_bytes == 4;
}

static unsigned unit_log2(const smp_arch *arch, unsigned width_bytes) {
    return width_log2(width_bytes > arch->bank_bytes ? width_bytes : arch->bank_bytes);
}

/* Offsets as the banks see them; those of lanes that do not count are 0. */
static void fold_offsets(const smp_arch *arch, const smp_access *access, uint32_t offsets[]) {
    memcpy(offsets, access->offset_bytes, sizeof access->offset_bytes);
    if (!has_folded_banks(arch))
        return;
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        offsets[lane] = fold_segment(offsets[lane]);
}

static inline void map_units(const uint32_t offsets[SMP_LANES], unsigned unit_shift,
                             unsigned bank_shift, unsigned group_shift, unit_map *map) {
    uint32_t bank_mask = (1u << bank_shift) - 1;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint32_t unit = offsets[lane] >> unit_shift;
        uint32_t group = lane >> group_shift;
        map->key[lane] = (uint16_t)(unit | group << (18 - unit_shift));
        map->bank[lane] = (uint8_t)((unit & bank_mask) | group << bank_shift);
    }
}

static void drop_lanes(uint32_t inactive, unit_map *map) {
    for (; inactive != 0; inactive &= inactive - 1)
        map->key[lowest_lane(inactive)] = NO_KEY;
}

/* Takes the bank from every lane that does not count, and from every lane that an earlier one
 * leads: what is left are the words that the banks must deliver. */
static inline void keep_leaders(unit_map *map, bool lanes_merge) {
    uint16_t earlier[2 * SMP_LANES];
    half_u16 low, high, other_low, other_high;
    memcpy(&low, map->key, sizeof low);
    memcpy(&high, map->key + SMP_LANES / 2, sizeof high);
    half_u16 led_low = (half_u16)(low == NO_KEY), led_high = (half_u16)(high == NO_KEY);
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        earlier[lane] = NO_KEY;
    memcpy(earlier + SMP_LANES, map->key, sizeof map->key);
#pragma GCC unroll 31
    for (unsigned back = 1; lanes_merge && back < SMP_LANES; back++) {
        const uint16_t *other = earlier + SMP_LANES - back;
        memcpy(&other_low, other, sizeof other_low);
        memcpy(&other_high, other + SMP_LANES / 2, sizeof other_high);
        led_low |= (half_u16)(low == other_low);
        led_high |= (half_u16)(high == other_high);
    }
    for (unsigned lane = 0; lane < SMP_LANES / 2; lane++) {
        map->bank[lane] |= (uint8_t)led_low[lane];
        map->bank[lane + SMP_LANES / 2] |= (uint8_t)led_high[lane];
    }
}

/* ways[i] is the largest number of leaders that one of lanes 8i .. 8i+7 has on its bank. */
static inline void count_leaders(const unit_map *map, uint8_t ways[SMP_LANES / 8]) {
    uint8_t around[2 * SMP_LANES];
    lanes_u8 bank, other, count = {0};
    memcpy(&bank, map->bank, sizeof bank);
    memcpy(around, &bank, sizeof bank);
    memcpy(around + SMP_LANES, &bank, sizeof bank);
#pragma GCC unroll 32
    for (unsigned ahead = 0; ahead < SMP_LANES; ahead++) {
        memcpy(&other, around + ahead, sizeof other);
        count -= (lanes_u8)(bank == other);
    }
    count &= (lanes_u8)(bank != NO_BANK);
    for (unsigned bits = 32; bits >= 8; bits /= 2) {
        other = (lanes_u8)((eighths_u64)count >> bits);
        lanes_u8 count_wins = (lanes_u8)(count > other);
        count = (count & count_wins) | (other & ~count_wins);
    }
    for (unsigned i = 0; i < SMP_LANES / 8; i++)
        ways[i] = count[8 * i];
}

/* Leaves the worst of each group of lanes in the element of its first eight. */
static inline void keep_worst(uint8_t ways[SMP_LANES / 8], unsigned group_lanes) {
    for (unsigned span = 8; span < group_lanes; span *= 2) {
        for (unsigned i = 0; i < SMP_LANES / 8; i += span / 4) {
            uint8_t other = ways[(i + span / 8) % (SMP_LANES / 8)];
            ways[i] = other > ways[i] ? other : ways[i];
        }
    }
}

static void add_group(smp_counts *out, uint32_t lanes, unsigned ways, unsigned passes) {
    smp_group *group = &out->groups[out->group_count++];
    group->lanes = lanes;
    group->ways = (uint8_t)ways;
    group->wavefronts_min = group->wavefronts_max = (uint8_t)(ways * passes);
    out->wavefronts_min += group->wavefronts_min;
    out->wavefronts_max += group->wavefronts_max;
    out->ways = ways > out->ways ? ways : out->ways;
}

FOR_EACH_CPU
void smp_bank_count(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                    unsigned group_lanes, bool lanes_merge, unsigned passes, smp_counts *out) {
    unsigned unit_shift = unit_log2(arch, access->width_bytes);
    unsigned bank_shift = width_log2(arch->bank_bytes) + 5 - unit_shift;
    unsigned group_shift = group_lanes == 32 ? 5 : width_log2(group_lanes);
    uint32_t offsets[SMP_LANES];
    uint8_t ways[SMP_LANES / 8] = {0};
    unit_map map;

    fold_offsets(arch, access, offsets);
    map_units(offsets, unit_shift, bank_shift, group_shift, &map);
    drop_lanes(~lanes, &map);
    keep_leaders(&map, lanes_merge);
    count_leaders(&map, ways);
    keep_worst(ways, group_lanes);

    uint32_t group_mask = group_lanes == 32 ? SMP_ALL_LANES : (1u << group_lanes) - 1;
    for (unsigned first = 0; first < SMP_LANES; first += group_lanes)
        add_group(out, lanes & (group_mask << first), ways[first / 8], passes);
}

/* True if every lane that counts agrees with its partner, or the partner does not count. */
static bool pairs_agree(const smp_access *access, uint32_t lanes, unsigned partner) {
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        unsigned lane = lowest_lane(left);
        unsigned other = lane ^ partner;
        bool alone = (lanes >> other & 1) == 0;
        if (!alone && access->offset_bytes[lane] != access->offset_bytes[other])
            return false;
    }
    return true;
}

bool smp_bank_pairs(const smp_access *access, uint32_t lanes) {
    return pairs_agree(access, lanes, 1) || pairs_agree(access, lanes, 2);
}

smp_status smp_lanes(const smp_arch *arch, const smp_access *access, smp_lane out[SMP_LANES]) {
    smp_counts counts;
    smp_status status = smp_predict(arch, access, &counts);
    if (status != SMP_OK)
        return status;
    if ((counts.valid & SMP_HAS_WAVEFRONTS) == 0)
        return SMP_E_NOT_MODELLED;
    unsigned requests = arch->shared_rule->half_warps ? counts.group_count / 2 : 1;
    unsigned group_lanes = SMP_LANES * requests / counts.group_count;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint32_t offset = access->offset_bytes[lane];
        out[lane].offset_bytes = offset;
        out[lane].bank = (uint8_t)(offset / arch->bank_bytes % arch->banks);
        out[lane].row = offset / (arch->banks * (uint32_t)arch->bank_bytes);
        out[lane].group = (uint8_t)(lane / group_lanes * requests);
    }
    return SMP_OK;
}
