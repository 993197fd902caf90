/* SPDX-License-Identifier: MIT */
/*
 * The counting of bank.c for CPUs with AVX2: one byte a lane, 32 lanes a register.
 *
 * Comparing a register with a rotation of itself compares as many pairs of lanes at once. The bank
 * byte counts who shares a bank. Whether any two lanes want the same unit is first asked with the
 * low 8 bits of the row only, in the same loop; that is mostly "no", and then every lane leads.
 * Otherwise the question is asked again exactly, with all 16 bits of the key.
 *
 * A rotation within halves of 16 lanes costs one instruction. So lanes are compared within their
 * half, all with all; and, if a group has 32 lanes, the lanes of the upper half with those of the
 * lower one. The upper lanes then know all that share their bank, and the lower ones all if no
 * upper one does: the largest count is right, which is the only one that is asked for.
 */
#include "bank.h"

#if SMP_HAS_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE static inline __attribute__((target("avx2"), always_inline))

/* One byte for each lane: its bank with the group above it, and the low bits of its row. `any` has
 * the bits of all offsets, `most` the largest in each eighth lane. */
typedef struct lane_bytes {
    __m256i bank, row_low, any, most;
} lane_bytes;

/* All ones in the 32-bit elements of lanes first .. first+7 that are set in `lanes`. */
AVX2_INLINE __m256i select_lanes(uint32_t lanes, unsigned first) {
    __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i mask = _mm256_and_si256(_mm256_set1_epi32((int)(lanes >> first)), bit);
    return _mm256_cmpeq_epi32(mask, bit);
}

AVX2_INLINE __m256i load_lanes(const uint32_t offsets[SMP_LANES], unsigned first) {
    return _mm256_loadu_si256((const __m256i *)(const void *)(offsets + first));
}

AVX2_INLINE __m256i low_bytes(__m256i words) {
    return _mm256_and_si256(words, _mm256_set1_epi16(255));
}

/* Puts 32 lanes in order in one register, from what _mm256_packus_epi32 made of two pairs of
 * registers of 8. */
AVX2_INLINE __m256i in_order(__m256i low, __m256i high) {
    __m256i bytes = _mm256_packus_epi16(low, high);
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

/* The low bytes of four registers of 8 lanes, as one register of 32 lanes in order. */
AVX2_INLINE __m256i pack_bytes(const __m256i words[4]) {
    return in_order(_mm256_packus_epi32(words[0], words[1]),
                    _mm256_packus_epi32(words[2], words[3]));
}

/* All ones in the bytes of lanes that are not set in `lanes`. */
AVX2_INLINE __m256i unselected_bytes(uint32_t lanes) {
    __m256i spread =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i mask = _mm256_shuffle_epi8(_mm256_set1_epi32((int)lanes), spread);
    return _mm256_cmpeq_epi8(_mm256_and_si256(mask, bit), _mm256_setzero_si256());
}

/* The group of each lane, above the 5 bits that a bank takes, by group_shift - 3. */
#define EIGHT(n) n, n, n, n, n, n, n, n
static const uint8_t group_bytes[3][SMP_LANES] = {
    {EIGHT(0), EIGHT(32), EIGHT(64), EIGHT(96)},
    {EIGHT(0), EIGHT(0), EIGHT(32), EIGHT(32)},
    {0},
};

AVX2_INLINE lane_bytes map_bytes(const uint32_t offsets[SMP_LANES], uint32_t lanes,
                                 unit_shape shape) {
    __m256i unit[4];
    __m256i bank_mask = _mm256_set1_epi16((short)((1 << shape.bank_shift) - 1));
    __m128i to_unit = _mm_cvtsi32_si128((int)shape.unit_shift);
    __m128i to_row = _mm_cvtsi32_si128((int)shape.bank_shift);
    __m256i any = _mm256_setzero_si256(), most = any;
    for (unsigned i = 0; i < 4; i++) {
        __m256i offset = load_lanes(offsets, 8 * i);
        if (lanes != SMP_ALL_LANES)
            offset = _mm256_and_si256(offset, select_lanes(lanes, 8 * i));
        any = _mm256_or_si256(any, offset);
        most = _mm256_max_epu32(most, offset);
        unit[i] = _mm256_srl_epi32(offset, to_unit);
    }
    /* 16 bits hold every unit of a sound offset. */
    __m256i low = _mm256_packus_epi32(unit[0], unit[1]);
    __m256i high = _mm256_packus_epi32(unit[2], unit[3]);
    __m256i bank = in_order(_mm256_and_si256(low, bank_mask), _mm256_and_si256(high, bank_mask));
    __m256i row = in_order(low_bytes(_mm256_srl_epi16(low, to_row)),
                           low_bytes(_mm256_srl_epi16(high, to_row)));
    const void *group = group_bytes[shape.group_shift - 3];
    bank = _mm256_or_si256(bank, _mm256_loadu_si256((const __m256i *)group));
    if (lanes != SMP_ALL_LANES)
        bank = _mm256_or_si256(bank, unselected_bytes(lanes));
    return (lane_bytes){bank, row, any, most};
}

AVX2_INLINE __m256i map_row_high(const uint32_t offsets[SMP_LANES], unit_shape shape) {
    __m256i row[4];
    __m256i byte = _mm256_set1_epi32(255);
    __m128i to_high = _mm_cvtsi32_si128((int)(shape.unit_shift + shape.bank_shift + 8));
    for (unsigned i = 0; i < 4; i++)
        row[i] = _mm256_and_si256(_mm256_srl_epi32(load_lanes(offsets, 8 * i), to_high), byte);
    return pack_bytes(row);
}

/* Both halves of 16 lanes, each rotated by n, which must be a constant: hence the macros. */
#define TURN(v, n) _mm256_alignr_epi8(v, v, n)

AVX2_INLINE __m256i swap_halves(__m256i v) {
    return _mm256_permute2x128_si256(v, v, 1);
}

/* One byte for each lane: how many lanes were seen on its bank, itself included (while counting,
 * its negative); and all ones if one of them may want the same unit. */
typedef struct sharers {
    __m256i count, meet;
} sharers;

/* Fixes the order of a sum. Left alone, gcc turns long sums into trees, runs out of registers and
 * spends half its time in spills. */
#define IN_ORDER(v) __asm__("" : "+x"(v))

/* Counts what lanes of `bank` and `row` share with lanes of `other_bank` and `other_row`. */
#define ADD_SHARERS(found, bank, row, other_bank, other_row)                        \
    {                                                                               \
        __m256i same = _mm256_cmpeq_epi8(bank, other_bank);                         \
        __m256i same_row = _mm256_cmpeq_epi8(row, other_row);                       \
        found.meet = _mm256_or_si256(found.meet, _mm256_and_si256(same, same_row)); \
        found.count = _mm256_add_epi8(found.count, same);                           \
        IN_ORDER(found.count);                                                      \
        IN_ORDER(found.meet);                                                       \
    }

/* Within both halves. Rotations by 1 to 8 bring every pair together, and by 9 to 15 once more, the
 * other way around. */
AVX2_INLINE sharers share_within(__m256i bank, __m256i row) {
    sharers found = {_mm256_cmpeq_epi8(bank, bank), _mm256_setzero_si256()};
    __m256i again = found.meet;
#define PAIR(n) ADD_SHARERS(found, bank, row, TURN(bank, n), TURN(row, n))
#define PAIR_AND_BACK(n)                                                               \
    {                                                                                  \
        PAIR(n)                                                                        \
        again = _mm256_add_epi8(again, _mm256_cmpeq_epi8(bank, TURN(bank, 16 - (n)))); \
        IN_ORDER(again);                                                               \
    }
    PAIR_AND_BACK(1)
    PAIR_AND_BACK(2)
    PAIR_AND_BACK(3)
    PAIR_AND_BACK(4)
    PAIR_AND_BACK(5)
    PAIR_AND_BACK(6)
    PAIR_AND_BACK(7)
    PAIR(8)
#undef PAIR_AND_BACK
#undef PAIR
    found.count = _mm256_add_epi8(found.count, again);
    return found;
}

/* The lower half twice, the second time rotated half a turn further. */
AVX2_INLINE __m256i lower_turned(__m256i v) {
    __m256i low = _mm256_permute2x128_si256(v, v, 0x00);
    return _mm256_blend_epi32(low, TURN(low, 8), 0xf0);
}

/* Combines in the upper half what both halves of `found` know about a lane. */
AVX2_INLINE sharers join_in_upper(sharers found) {
    __m256i none = _mm256_setzero_si256();
    __m256i count = _mm256_add_epi8(found.count, swap_halves(found.count));
    __m256i meet = _mm256_or_si256(found.meet, swap_halves(found.meet));
    return (sharers){_mm256_blend_epi32(none, count, 0xf0), _mm256_blend_epi32(none, meet, 0xf0)};
}

/* Compares each lane of the upper half with all 16 of the lower one, 8 of them in either half. */
AVX2_INLINE sharers share_across(__m256i bank, __m256i row) {
    __m256i high = _mm256_permute2x128_si256(bank, bank, 0x11), low = lower_turned(bank);
    __m256i high_row = _mm256_permute2x128_si256(row, row, 0x11), low_row = lower_turned(row);
    sharers found = {_mm256_setzero_si256(), _mm256_setzero_si256()};
#define ACROSS(n) ADD_SHARERS(found, high, high_row, TURN(low, n), TURN(low_row, n))
    ACROSS(0)
    ACROSS(1)
    ACROSS(2)
    ACROSS(3)
    ACROSS(4)
    ACROSS(5)
    ACROSS(6)
    ACROSS(7)
#undef ACROSS
    return join_in_upper(found);
}

AVX2_INLINE sharers find_sharers(__m256i bank, __m256i row, unsigned group_shift) {
    sharers found = share_within(bank, row);
    if (group_shift == 5) {
        sharers across = share_across(bank, row);
        found.count = _mm256_add_epi8(found.count, across.count);
        found.meet = _mm256_or_si256(found.meet, across.meet);
    }
    found.count = _mm256_sub_epi8(_mm256_setzero_si256(), found.count);
    return found;
}

/* All ones in lanes `back` and up: those that have a lane `back` before them. */
AVX2_INLINE __m256i lanes_from(int back) {
    __m256i lane = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                                    18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    return _mm256_cmpgt_epi8(lane, _mm256_set1_epi8((char)(back - 1)));
}

/* All 32 lanes rotated by n; by n + 16 with the arguments exchanged. `swapped` has its halves
 * exchanged. */
#define ROTATE(v, swapped, n) _mm256_alignr_epi8(swapped, v, n)
#define FOR_1_TO_15(apply)                                                                     \
    apply(1) apply(2) apply(3) apply(4) apply(5) apply(6) apply(7) apply(8) apply(9) apply(10) \
        apply(11) apply(12) apply(13) apply(14) apply(15)

/* Takes the bank from every lane whose unit an earlier lane wants too: the units that the banks
 * must deliver remain. A rotation by n brings the lane 32-n before. A function of its own, away
 * from the common case, in which all units differ. */
__attribute__((target("avx2"), noinline)) static __m256i
keep_leaders(__m256i bank, __m256i low, const uint32_t offsets[SMP_LANES], unit_shape shape) {
    __m256i high = map_row_high(offsets, shape);
    __m256i bank_swapped = swap_halves(bank), low_swapped = swap_halves(low);
    __m256i high_swapped = swap_halves(high), led = _mm256_setzero_si256();
#define LED(other_bank, other_low, other_high, back)                          \
    {                                                                         \
        __m256i same = _mm256_cmpeq_epi8(bank, other_bank);                   \
        same = _mm256_and_si256(same, _mm256_cmpeq_epi8(low, other_low));     \
        same = _mm256_and_si256(same, _mm256_cmpeq_epi8(high, other_high));   \
        led = _mm256_or_si256(led, _mm256_and_si256(same, lanes_from(back))); \
    }
#define LED_BOTH(n)                                                                                \
    LED(ROTATE(bank, bank_swapped, n), ROTATE(low, low_swapped, n), ROTATE(high, high_swapped, n), \
        32 - n)                                                                                    \
    LED(ROTATE(bank_swapped, bank, n), ROTATE(low_swapped, low, n), ROTATE(high_swapped, high, n), \
        16 - n)
    LED(bank_swapped, low_swapped, high_swapped, 16)
    FOR_1_TO_15(LED_BOTH)
#undef LED_BOTH
#undef LED
    return _mm256_or_si256(bank, led);
}

/* The worst lane of each group, in every byte that is the first of eight lanes. */
AVX2_INLINE __m256i worst_of_groups(__m256i count, unsigned group_shift) {
    count = _mm256_max_epu8(count, _mm256_srli_epi64(count, 32));
    count = _mm256_max_epu8(count, _mm256_srli_epi64(count, 16));
    count = _mm256_max_epu8(count, _mm256_srli_epi64(count, 8));
    if (group_shift >= 4)
        count = _mm256_max_epu8(count, _mm256_alignr_epi8(count, count, 8));
    if (group_shift == 5)
        count = _mm256_max_epu8(count, swap_halves(count));
    return count;
}

/* The first of every eight bytes, lowest first. */
AVX2_INLINE uint32_t take_firsts(__m256i bytes) {
    __m256i first_of_eight = _mm256_setr_epi64x(0x0800, 0, 0x0800, 0);
    __m256i pairs = _mm256_shuffle_epi8(bytes, first_of_eight);
    return (uint32_t)_mm256_extract_epi16(pairs, 0) | (uint32_t)_mm256_extract_epi16(pairs, 8)
                                                          << 16;
}

/* True if no offset has a forbidden bit or is above the limit. */
AVX2_INLINE bool is_sound(lane_bytes at, offset_rule rule) {
    __m256i top = _mm256_set1_epi32((int)rule.limit);
    __m256i beyond = _mm256_xor_si256(_mm256_max_epu32(at.most, top), top);
    return _mm256_testz_si256(at.any, _mm256_set1_epi32((int)rule.forbidden_bits)) &&
           _mm256_testz_si256(beyond, beyond);
}

AVX2 group_ways smp_ways_avx2(const uint32_t offsets[SMP_LANES], uint32_t lanes,
                              const unit_shape *shape, const offset_rule *rule) {
    lane_bytes at = map_bytes(offsets, lanes, *shape);
    __m256i none = _mm256_cmpeq_epi8(at.bank, _mm256_set1_epi8(-1));
    sharers found = find_sharers(at.bank, at.row_low, shape->group_shift);
    if (shape->lanes_merge && !_mm256_testc_si256(none, found.meet)) {
        __m256i leaders = keep_leaders(at.bank, at.row_low, offsets, *shape);
        none = _mm256_cmpeq_epi8(leaders, _mm256_set1_epi8(-1));
        found = find_sharers(leaders, at.row_low, shape->group_shift);
    }
    __m256i worst = worst_of_groups(_mm256_andnot_si256(none, found.count), shape->group_shift);
    return (group_ways){.of_eight = take_firsts(worst), .is_sound = is_sound(at, *rule)};
}

#else

typedef int smp_bank_avx2_is_empty;

#endif
