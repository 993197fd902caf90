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
 * of its group wants the same unit; the ways of a bank are its leaders. With fixed trip counts
 * and narrow types a conflict costs no more time than its absence (bank_avx2.c does the same
 * with vector instructions). Keys of 16 bits suffice because a block has less than 252 KiB of
 * shared memory (test_tables.c holds the architecture rows to that).
 */
#include <string.h>

#include "bank.h"
#include "mask.h"
#include "op.h"
#include "rule.h"

/* No lane that counts has this key. */
#define NO_KEY 0xffffu
#define NO_BANK 0xffu

/* The unit that each lane wants, and its bank. Both carry the lane's group in their upper bits, so
 * that lanes of different groups never meet. */
typedef struct unit_map {
    uint16_t key[SMP_LANES];
    uint8_t bank[SMP_LANES];
} unit_map;

/* Kepler, 4-byte mode: an 8-byte bank holds word i and, as its other half, word i+32 of the same
 * 64-word segment. Dropping that one address bit makes the two one word. */
static uint32_t fold_segment(uint32_t offset_bytes) {
    return (offset_bytes >> 8) << 7 | (offset_bytes & 127);
}

/* `width_bytes` must be a width of the operation. */
static offset_rule offset_rule_of(const smp_arch *arch, unsigned width_bytes) {
    return (offset_rule){.forbidden_bits = width_bytes - 1,
                         .limit = smp_block_bytes(arch) - width_bytes};
}

static unsigned unit_log2(const smp_arch *arch, unsigned width_bytes) {
    return width_log2(width_bytes > arch->bank_bytes ? width_bytes : arch->bank_bytes);
}

static unit_shape unit_shape_of(const smp_arch *arch, const smp_op_row *op, unsigned width_bytes,
                                unsigned group_lanes) {
    unsigned unit_shift = unit_log2(arch, width_bytes);
    return (unit_shape){.unit_shift = unit_shift,
                        .bank_shift = width_log2(arch->bank_bytes) + 5 - unit_shift,
                        .group_shift = width_log2(group_lanes),
                        .lanes_merge = op->lanes_merge};
}

/* Sets the unit that each counting lane wants; other lanes get no key and no bank. */
static void map_units(const uint32_t offsets[SMP_LANES], uint32_t lanes, unit_shape shape,
                      unit_map *map) {
    uint32_t bank_mask = (1u << shape.bank_shift) - 1;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        bool counts = lanes >> lane & 1;
        uint32_t unit = offsets[lane] >> shape.unit_shift;
        uint32_t group = lane >> shape.group_shift;
        uint32_t key = unit | group << (18 - shape.unit_shift);
        uint32_t bank = (unit & bank_mask) | group << shape.bank_shift;
        map->key[lane] = (uint16_t)(counts ? key : NO_KEY);
        map->bank[lane] = (uint8_t)(counts ? bank : NO_BANK);
    }
}

/* Takes the bank from every lane that an earlier lane leads: the units that the banks must deliver
 * remain. */
static void keep_leaders(unit_map *map) {
    uint16_t earlier[2 * SMP_LANES];
    uint16_t led[SMP_LANES] = {0};
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        earlier[lane] = NO_KEY;
        earlier[SMP_LANES + lane] = map->key[lane];
    }
    for (unsigned back = 1; back < SMP_LANES; back++) {
        const uint16_t *other = earlier + SMP_LANES - back;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            led[lane] |= map->key[lane] == other[lane];
    }
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        map->bank[lane] = led[lane] ? NO_BANK : map->bank[lane];
}

/* ways[i] is the largest number of leaders that one of lanes 8i .. 8i+7 has on its bank. */
static void count_leaders(const unit_map *map, uint8_t ways[SMP_LANES / 8]) {
    uint8_t around[2 * SMP_LANES];
    uint8_t sharers[SMP_LANES] = {0};
    memcpy(around, map->bank, SMP_LANES);
    memcpy(around + SMP_LANES, map->bank, SMP_LANES);
    for (unsigned ahead = 0; ahead < SMP_LANES; ahead++) {
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            sharers[lane] = (uint8_t)(sharers[lane] + (map->bank[lane] == around[lane + ahead]));
    }
    memset(ways, 0, SMP_LANES / 8);
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint8_t here = map->bank[lane] == NO_BANK ? 0 : sharers[lane];
        ways[lane / 8] = here > ways[lane / 8] ? here : ways[lane / 8];
    }
}

/* Gives every eight lanes the worst of their group. */
static void spread_worst(uint8_t ways[SMP_LANES / 8], unsigned group_shift) {
    uint8_t own[SMP_LANES / 8];
    memcpy(own, ways, sizeof own);
    for (unsigned i = 0; i < SMP_LANES / 8; i++) {
        for (unsigned j = 0; j < SMP_LANES / 8; j++) {
            bool same_group = 8 * i >> group_shift == 8 * j >> group_shift;
            ways[i] = same_group && own[j] > ways[i] ? own[j] : ways[i];
        }
    }
}

/* A function of its own, so that the common case keeps its registers. */
__attribute__((noinline)) static uint32_t ways_plain(const uint32_t offsets[SMP_LANES],
                                                     uint32_t lanes, unit_shape shape) {
    unit_map map;
    uint8_t ways[SMP_LANES / 8];
    uint32_t packed = 0;
    map_units(offsets, lanes, shape, &map);
    if (shape.lanes_merge)
        keep_leaders(&map);
    count_leaders(&map, ways);
    spread_worst(ways, shape.group_shift);
    for (unsigned i = 0; i < SMP_LANES / 8; i++)
        packed |= (uint32_t)ways[i] << 8 * i;
    return packed;
}

/* True if every offset of `lanes` obeys the rule. */
__attribute__((noinline)) static bool is_sound(const uint32_t offsets[SMP_LANES], uint32_t lanes,
                                               offset_rule rule) {
    uint32_t any = 0, most = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint32_t offset = (lanes >> lane & 1) != 0 ? offsets[lane] : 0;
        any |= offset;
        most = offset > most ? offset : most;
    }
    return (any & rule.forbidden_bits) == 0 && most <= rule.limit;
}

static group_ways count_ways(const uint32_t offsets[SMP_LANES], uint32_t lanes, unit_shape shape,
                             offset_rule rule) {
#if SMP_HAS_AVX2
    if (__builtin_cpu_supports("avx2")) // GCOVR_EXCL_BR_LINE: a CPU takes one side only
        return smp_ways_avx2(offsets, lanes, &shape, &rule);
#endif
    return (group_ways){.of_eight = ways_plain(offsets, lanes, shape),
                        .is_sound = is_sound(offsets, lanes, rule)};
}

static smp_group one_group(uint32_t lanes, unsigned ways, unsigned passes) {
    uint8_t cost = (uint8_t)(ways * passes);
    return (smp_group){
        .lanes = lanes, .ways = (uint8_t)ways, .wavefronts_min = cost, .wavefronts_max = cost};
}

/* Adds the passes that groups with lanes may need beyond their words (rule.h). */
static void add_extra_passes(unsigned extra, smp_counts *out) {
    for (unsigned i = 0; i < out->group_count; i++) {
        smp_group *group = &out->groups[i];
        if (group->lanes == 0)
            continue;
        group->ways = (uint8_t)(group->ways + extra);
        group->wavefronts_max = (uint8_t)(group->wavefronts_max + extra);
        out->wavefronts_max += extra;
    }
    out->ways += extra;
}

/* Adds every group of lanes to a result without groups; each pass is made `passes` times. A group
 * of all lanes is the common case and needs no loop. */
static void add_groups(uint32_t lanes, unsigned group_lanes, unsigned passes,
                       uint32_t ways_of_eight, smp_counts *out) {
    uint32_t group_mask = SMP_ALL_LANES >> (SMP_LANES - group_lanes);
    unsigned count = 1, worst = ways_of_eight & 255, sum = worst;
    out->groups[0] = one_group(lanes & group_mask, worst, passes);
    for (unsigned first = group_lanes; first < SMP_LANES; first += group_lanes) {
        unsigned here = ways_of_eight >> first & 255;
        out->groups[count++] = one_group(lanes & (group_mask << first), here, passes);
        worst = here > worst ? here : worst;
        sum += here;
    }
    out->group_count = count;
    out->ways = worst;
    out->wavefronts_min = out->wavefronts_max = sum * passes;
}

/* Sets groups, ways and wavefronts; false if an offset is unsound. */
static inline bool count_groups(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                                unsigned group_lanes, const smp_op_row *op, bool is_plain,
                                smp_counts *out) {
    unit_shape shape = unit_shape_of(arch, op, access->width_bytes, group_lanes);
    offset_rule rule = offset_rule_of(arch, access->width_bytes);
    uint32_t folded[SMP_LANES];
    const uint32_t *offsets = access->offset_bytes;
    if (!is_plain && smp_pairs_words(arch)) {
        if (!is_sound(offsets, lanes, rule))
            return false;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            folded[lane] = fold_segment(offsets[lane]);
        offsets = folded;
    }
    group_ways ways = count_ways(offsets, lanes, shape, rule);
    add_groups(lanes, group_lanes, op->passes, ways.of_eight, out);
    if (!is_plain)
        add_extra_passes(arch->shared_rule->extra_passes[width_log2(access->width_bytes)], out);
    return ways.is_sound;
}

/* A function of its own for the same reason. */
__attribute__((noinline)) static bool count_by_rule(const smp_arch *arch, const smp_access *access,
                                                    uint32_t lanes, unsigned group_lanes,
                                                    const smp_op_row *op, smp_counts *out) {
    return count_groups(arch, access, lanes, group_lanes, op, false, out);
}

/* True if every lane that counts agrees with its partner, or the partner does not count. */
static inline bool pairs_agree(const smp_access *access, uint32_t lanes, unsigned partner) {
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        unsigned lane = lowest_lane(left);
        unsigned other = lane ^ partner;
        bool alone = (lanes >> other & 1) == 0;
        if (!alone && access->offset_bytes[lane] != access->offset_bytes[other])
            return false;
    }
    return true;
}

static inline bool agrees_in_pairs(const smp_access *access, uint32_t lanes) {
    return pairs_agree(access, lanes, 1) || pairs_agree(access, lanes, 2);
}

/* The number of lanes served together where the pair rule does not apply, and whether it may
 * apply. */
static inline unsigned lone_group_size(const smp_arch *arch, const smp_op_row *op,
                                       unsigned width_bytes, bool *may_pair) {
    *may_pair = false;
    if (op->fixed_group != 0)
        return op->fixed_group;
    unsigned size = arch->shared_rule->group_lanes[width_log2(width_bytes)];
    *may_pair = op->is_load && size < arch->request_lanes && arch->shared_rule->pair_rule;
    return size;
}

static inline unsigned group_size(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                                  bool *paired) {
    bool may_pair;
    const smp_op_row *op = &smp_op_table[access->op];
    unsigned size = lone_group_size(arch, op, access->width_bytes, &may_pair);
    *paired = may_pair && agrees_in_pairs(access, lanes);
    return *paired ? 2 * size : size;
}

void smp_bank_shape(const smp_arch *arch, const smp_op_row *op, unsigned width_bytes,
                    unit_shape *shape, offset_rule *rule, bool *may_pair) {
    const unsigned size = lone_group_size(arch, op, width_bytes, may_pair);
    *shape = unit_shape_of(arch, op, width_bytes, size);
    *rule = offset_rule_of(arch, width_bytes);
}

unsigned smp_bank_group_lanes(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                              bool *paired) {
    return group_size(arch, access, lanes, paired);
}

bool smp_bank_predict(const smp_arch *arch, const smp_access *access, smp_counts *out) {
    if ((unsigned)access->op >= SMP_OP_COUNT || arch->shared_rule->half_warps)
        return false;
    const smp_op_row *op = &smp_op_table[access->op];
    uint32_t lanes = access->active_mask & op_lanes(op);
    if (op->space != SMP_SPACE_SHARED || lanes == 0 || !smp_has_width(op, access->width_bytes) ||
        smp_is_partial_matrix(op, access))
        return false;
    out->evidence = op_evidence(arch, op, access->width_bytes);
    if (out->evidence >= SMP_OPEN)
        return false;
    out->active_lanes = count_lanes(lanes);
    unsigned size = group_size(arch, access, lanes, &out->paired);
    const bool is_sound = smp_rule_is_plain(arch->shared_rule)
                              ? count_groups(arch, access, lanes, size, op, true, out)
                              : count_by_rule(arch, access, lanes, size, op, out);
    if (!is_sound)
        return false;
    smp_set_ideal(op, access->width_bytes, out);
    return true;
}
