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

/* Of each lane, a byte: its bank with the group above it, the row's low and high bits. */
typedef struct lane_bytes {
    __m256i bank, row_low, row_high;
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

AVX2_INLINE lane_bytes map_bytes(const uint32_t offsets[SMP_LANES], uint32_t lanes,
                                 unit_shape shape) {
    __m256i bank[4], row_low[4], row_high[4];
    __m256i byte = _mm256_set1_epi32(255);
    __m256i bank_mask = _mm256_set1_epi32((1 << shape.bank_shift) - 1);
    __m128i to_unit = _mm_cvtsi32_si128((int)shape.unit_shift);
    __m128i to_row = _mm_cvtsi32_si128((int)shape.bank_shift);
    for (unsigned i = 0; i < 4; i++) {
        __m256i unit = _mm256_srl_epi32(load_lanes(offsets, 8 * i), to_unit);
        __m256i row = _mm256_srl_epi32(unit, to_row);
        __m256i group = _mm256_set1_epi32((int)(8 * i >> shape.group_shift << shape.bank_shift));
        __m256i none = _mm256_andnot_si256(select_lanes(lanes, 8 * i), byte);
        bank[i] = _mm256_or_si256(_mm256_and_si256(unit, bank_mask), group);
        bank[i] = _mm256_or_si256(bank[i], none);
        row_low[i] = _mm256_and_si256(row, byte);
        row_high[i] = _mm256_and_si256(_mm256_srli_epi32(row, 8), byte);
    }
    return (lane_bytes){pack_bytes(bank), pack_bytes(row_low), pack_bytes(row_high)};
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

/* Of each lane: how many lanes have its bank, itself included. */
AVX2_INLINE __m256i count_sharers(__m256i bank) {
    __m256i swapped = swap_halves(bank);
    __m256i even = _mm256_cmpeq_epi8(bank, bank), odd = _mm256_cmpeq_epi8(bank, swapped);
#define COUNT(n)                                                                     \
    even = _mm256_add_epi8(even, _mm256_cmpeq_epi8(bank, ROTATE(bank, swapped, n))); \
    odd = _mm256_add_epi8(odd, _mm256_cmpeq_epi8(bank, ROTATE(swapped, bank, n)));
    FOR_1_TO_15(COUNT)
#undef COUNT
    return _mm256_sub_epi8(_mm256_setzero_si256(), _mm256_add_epi8(even, odd));
}

/* True if two lanes may want the same unit. Every pair is a rotation by 16 lanes or fewer. */
AVX2_INLINE bool may_meet(lane_bytes at) {
    __m256i bank_swapped = swap_halves(at.bank), row_swapped = swap_halves(at.row_low);
    __m256i none = _mm256_cmpeq_epi8(at.bank, _mm256_set1_epi8(-1));
    __m256i meet = _mm256_and_si256(_mm256_cmpeq_epi8(at.bank, bank_swapped),
                                    _mm256_cmpeq_epi8(at.row_low, row_swapped));
#define MEET(n)                                                                        \
    meet = _mm256_or_si256(                                                            \
        meet,                                                                          \
        _mm256_and_si256(_mm256_cmpeq_epi8(at.bank, ROTATE(at.bank, bank_swapped, n)), \
                         _mm256_cmpeq_epi8(at.row_low, ROTATE(at.row_low, row_swapped, n))));
    FOR_1_TO_15(MEET)
#undef MEET
    return !_mm256_testc_si256(none, meet);
}

/* All ones in lanes `back` and up whose unit is also that of `other`, the lanes `back` before. */
AVX2_INLINE __m256i led_by(lane_bytes at, lane_bytes other, int back) {
    __m256i lane = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                                    18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    __m256i same = _mm256_cmpeq_epi8(at.bank, other.bank);
    same = _mm256_and_si256(same, _mm256_cmpeq_epi8(at.row_low, other.row_low));
    same = _mm256_and_si256(same, _mm256_cmpeq_epi8(at.row_high, other.row_high));
    return _mm256_and_si256(same, _mm256_cmpgt_epi8(lane, _mm256_set1_epi8((char)(back - 1))));
}

/* All ones in lanes whose unit an earlier lane wants too. A rotation by n brings the lane that
 * is 32-n before; what wraps around the end is not before and masked away. */
AVX2_INLINE __m256i find_led(lane_bytes at) {
    lane_bytes swapped = {swap_halves(at.bank), swap_halves(at.row_low), swap_halves(at.row_high)};
    __m256i led = led_by(at, swapped, 16);
#define ROTATE_ALL(v, w, n)                                                          \
    (lane_bytes){ROTATE((v).bank, (w).bank, n), ROTATE((v).row_low, (w).row_low, n), \
                 ROTATE((v).row_high, (w).row_high, n)}
#define LED(n)                                                                  \
    led = _mm256_or_si256(led, led_by(at, ROTATE_ALL(at, swapped, n), 32 - n)); \
    led = _mm256_or_si256(led, led_by(at, ROTATE_ALL(swapped, at, n), 16 - n));
    FOR_1_TO_15(LED)
#undef LED
#undef ROTATE_ALL
    return led;
}

AVX2 void smp_ways_avx2(const uint32_t offsets[SMP_LANES], uint32_t lanes, unit_shape shape,
                        uint8_t ways[SMP_LANES / 8]) {
    lane_bytes at = map_bytes(offsets, lanes, shape);
    if (shape.lanes_merge && may_meet(at))
        at.bank = _mm256_or_si256(at.bank, find_led(at));
    __m256i none = _mm256_cmpeq_epi8(at.bank, _mm256_set1_epi8(-1));
    __m256i most = _mm256_andnot_si256(none, count_sharers(at.bank));
    most = _mm256_max_epu8(most, _mm256_srli_epi64(most, 32));
    most = _mm256_max_epu8(most, _mm256_srli_epi64(most, 16));
    most = _mm256_max_epu8(most, _mm256_srli_epi64(most, 8));
    ways[0] = (uint8_t)_mm256_extract_epi8(most, 0);
    ways[1] = (uint8_t)_mm256_extract_epi8(most, 8);
    ways[2] = (uint8_t)_mm256_extract_epi8(most, 16);
    ways[3] = (uint8_t)_mm256_extract_epi8(most, 24);
}

AVX2 bool smp_offsets_sound_avx2(const uint32_t offsets[SMP_LANES], uint32_t lanes,
                                 uint32_t forbidden_bits, uint32_t limit) {
    __m256i any = _mm256_setzero_si256(), most = any;
    __m256i bits = _mm256_set1_epi32((int)forbidden_bits), top = _mm256_set1_epi32((int)limit);
    for (unsigned first = 0; first < SMP_LANES; first += 8) {
        __m256i here = _mm256_and_si256(load_lanes(offsets, first), select_lanes(lanes, first));
        any = _mm256_or_si256(any, here);
        most = _mm256_max_epu32(most, here);
    }
    __m256i beyond = _mm256_xor_si256(_mm256_max_epu32(most, top), top);
    return _mm256_testz_si256(any, bits) && _mm256_testz_si256(beyond, beyond);
}

#else

typedef int smp_bank_avx2_is_empty;

#endif
