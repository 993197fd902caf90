/* SPDX-License-Identifier: MIT */
/*
 * The counting of bank.c for CPUs with AVX2: one byte a lane, 32 lanes a register.
 *
 * Comparing a register with itself rotated by 1 .. 31 lanes compares every pair of lanes. The bank
 * byte counts who shares a bank. Whether any two lanes want the same unit is first asked with the
 * low 8 bits of the row only, in the same loop; that is mostly "no", and then every lane leads.
 * Otherwise the question is asked again exactly, with all 16 bits of the key.
 */
#include "predict.h"

#if SMP_HAS_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE static inline __attribute__((target("avx2"), always_inline))

/* Of each lane, a byte: its bank with the group above it, and the low bits of its row. `any` and
 * `most` have the bits of all offsets, and the largest in each eighth lane. */
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

/* The low bytes of four registers of 8 lanes, as one register of 32 lanes in order. */
AVX2_INLINE __m256i pack_bytes(const __m256i words[4]) {
    __m256i low = _mm256_packus_epi32(words[0], words[1]);
    __m256i high = _mm256_packus_epi32(words[2], words[3]);
    __m256i bytes = _mm256_packus_epi16(low, high);
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
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
    __m256i bank[4], row[4];
    __m256i byte = _mm256_set1_epi32(255);
    __m256i bank_mask = _mm256_set1_epi32((1 << shape.bank_shift) - 1);
    __m128i to_unit = _mm_cvtsi32_si128((int)shape.unit_shift);
    __m128i to_row = _mm_cvtsi32_si128((int)(shape.unit_shift + shape.bank_shift));
    __m256i any = _mm256_setzero_si256(), most = any;
    for (unsigned i = 0; i < 4; i++) {
        __m256i offset = load_lanes(offsets, 8 * i);
        if (lanes != SMP_ALL_LANES)
            offset = _mm256_and_si256(offset, select_lanes(lanes, 8 * i));
        any = _mm256_or_si256(any, offset);
        most = _mm256_max_epu32(most, offset);
        bank[i] = _mm256_and_si256(_mm256_srl_epi32(offset, to_unit), bank_mask);
        row[i] = _mm256_and_si256(_mm256_srl_epi32(offset, to_row), byte);
    }
    const void *group = group_bytes[shape.group_shift - 3];
    __m256i banks = _mm256_or_si256(pack_bytes(bank), _mm256_loadu_si256((const __m256i *)group));
    if (lanes != SMP_ALL_LANES)
        banks = _mm256_or_si256(banks, unselected_bytes(lanes));
    return (lane_bytes){banks, pack_bytes(row), any, most};
}

AVX2_INLINE __m256i map_row_high(const uint32_t offsets[SMP_LANES], unit_shape shape) {
    __m256i row[4];
    __m256i byte = _mm256_set1_epi32(255);
    __m128i to_high = _mm_cvtsi32_si128((int)(shape.unit_shift + shape.bank_shift + 8));
    for (unsigned i = 0; i < 4; i++)
        row[i] = _mm256_and_si256(_mm256_srl_epi32(load_lanes(offsets, 8 * i), to_high), byte);
    return pack_bytes(row);
}

/* For each N, 1 .. 15: apply(N) on lanes rotated by N and by N+16. `swapped` has its halves
 * exchanged. The shift of a rotation must be a constant, hence a macro. */
#define ROTATE(v, swapped, n) _mm256_alignr_epi8(swapped, v, n)
#define FOR_1_TO_15(apply)                                                                     \
    apply(1) apply(2) apply(3) apply(4) apply(5) apply(6) apply(7) apply(8) apply(9) apply(10) \
        apply(11) apply(12) apply(13) apply(14) apply(15)

AVX2_INLINE __m256i swap_halves(__m256i v) {
    return _mm256_permute2x128_si256(v, v, 1);
}

/* Of each lane, a byte: how many lanes have its bank, itself included; and all ones if a lane
 * up to 16 further on may want the same unit. Every pair of lanes is at most 16 apart. */
typedef struct sharers {
    __m256i count, meet;
} sharers;

/* Fixes the order of a sum. Left alone, gcc turns long sums into trees, runs out of registers and
 * spends half its time in spills. */
#define IN_ORDER(v) __asm__("" : "+x"(v))

AVX2_INLINE sharers find_sharers(__m256i bank, __m256i row_low) {
    __m256i bank_swapped = swap_halves(bank), row_swapped = swap_halves(row_low);
    __m256i near = _mm256_cmpeq_epi8(bank, bank);
    __m256i far = _mm256_cmpeq_epi8(bank, bank_swapped);
    __m256i meet = _mm256_and_si256(far, _mm256_cmpeq_epi8(row_low, row_swapped));
#define COMPARE(n)                                                                          \
    {                                                                                       \
        __m256i same = _mm256_cmpeq_epi8(bank, ROTATE(bank, bank_swapped, n));              \
        __m256i row = _mm256_cmpeq_epi8(row_low, ROTATE(row_low, row_swapped, n));          \
        meet = _mm256_or_si256(meet, _mm256_and_si256(same, row));                          \
        near = _mm256_add_epi8(near, same);                                                 \
        far = _mm256_add_epi8(far, _mm256_cmpeq_epi8(bank, ROTATE(bank_swapped, bank, n))); \
        IN_ORDER(near);                                                                     \
        IN_ORDER(far);                                                                      \
        IN_ORDER(meet);                                                                     \
    }
    FOR_1_TO_15(COMPARE)
#undef COMPARE
    return (sharers){_mm256_sub_epi8(_mm256_setzero_si256(), _mm256_add_epi8(near, far)), meet};
}

/* All ones in lanes `back` and up: those that have a lane `back` before them. */
AVX2_INLINE __m256i lanes_from(int back) {
    __m256i lane = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                                    18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    return _mm256_cmpgt_epi8(lane, _mm256_set1_epi8((char)(back - 1)));
}

/* Takes the bank from every lane whose unit an earlier lane wants too: the units that the banks
 * must deliver are left. A rotation by n brings the lane that is 32-n before. Out of the
 * way of the common case, in which all units differ. */
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

/* True if no offset has a forbidden bit or is above the limit. */
AVX2_INLINE bool is_sound(lane_bytes at, offset_rule rule) {
    __m256i top = _mm256_set1_epi32((int)rule.limit);
    __m256i beyond = _mm256_xor_si256(_mm256_max_epu32(at.most, top), top);
    return _mm256_testz_si256(at.any, _mm256_set1_epi32((int)rule.forbidden_bits)) &&
           _mm256_testz_si256(beyond, beyond);
}

AVX2 bool smp_ways_avx2(const uint32_t offsets[SMP_LANES], uint32_t lanes, unit_shape shape,
                        offset_rule rule, uint8_t ways[SMP_LANES / 8]) {
    lane_bytes at = map_bytes(offsets, lanes, shape);
    __m256i none = _mm256_cmpeq_epi8(at.bank, _mm256_set1_epi8(-1));
    sharers found = find_sharers(at.bank, at.row_low);
    if (shape.lanes_merge && !_mm256_testc_si256(none, found.meet)) {
        __m256i leaders = keep_leaders(at.bank, at.row_low, offsets, shape);
        none = _mm256_cmpeq_epi8(leaders, _mm256_set1_epi8(-1));
        found = find_sharers(leaders, at.row_low);
    }
    __m256i worst = worst_of_groups(_mm256_andnot_si256(none, found.count), shape.group_shift);
    ways[0] = (uint8_t)_mm256_extract_epi8(worst, 0);
    ways[1] = (uint8_t)_mm256_extract_epi8(worst, 8);
    ways[2] = (uint8_t)_mm256_extract_epi8(worst, 16);
    ways[3] = (uint8_t)_mm256_extract_epi8(worst, 24);
    return is_sound(at, rule);
}

#else

typedef int smp_bank_avx2_is_empty;

#endif
