/* SPDX-License-Identifier: MIT */
/*
 * Distinct blocks of memory, for CPUs with AVX2: eight lanes a register, each compared with all
 * lanes before it.
 */
#include "bank.h"
#include "coalesce.h"

#if SMP_HAS_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX2_INLINE static inline __attribute__((target("avx2,popcnt"), always_inline))

enum { REGISTERS = SMP_LANES / 8 };

/* A rotation by r brings lane p - r to lane p; from lane r on, that is one before it. */
static const int32_t places[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
static const int32_t has_before[] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};

AVX2_INLINE __m256i load(const void *from) {
    return _mm256_loadu_si256(from);
}

AVX2_INLINE __m256i words(__m256i a, __m256i b, bool high) {
    const __m256 x = _mm256_castsi256_ps(a), y = _mm256_castsi256_ps(b);
    return _mm256_castps_si256(high ? _mm256_shuffle_ps(x, y, 0xdd)
                                    : _mm256_shuffle_ps(x, y, 0x88));
}

/* Sets each lane's block without the bits above 32; lanes that do not count get the block of one
 * that does. False if bits above 32 differ. */
AVX2_INLINE bool load_blocks(const uint64_t addresses[SMP_LANES], uint32_t lanes, unsigned shift,
                             __m256i out[REGISTERS]) {
    const __m256i bits =
        _mm256_setr_epi32(1, 2, 16, 32, 4, 8, 64, 128); /* as `words` leaves them */
    const __m128i down = _mm_cvtsi32_si128((int)shift);
    const uint64_t first = addresses[__builtin_ctz(lanes)] >> shift;
    const __m256i low = _mm256_set1_epi32((int)(uint32_t)first),
                  high = _mm256_set1_epi32((int)(first >> 32));
    __m256i differ = _mm256_setzero_si256();
    for (unsigned i = 0; i < REGISTERS; i++) {
        const __m256i a = _mm256_srl_epi64(load(addresses + 8 * i), down);
        const __m256i b = _mm256_srl_epi64(load(addresses + 8 * i + 4), down);
        const __m256i mask = _mm256_and_si256(_mm256_set1_epi32((int)(lanes >> 8 * i)), bits);
        const __m256i counts = _mm256_cmpeq_epi32(mask, bits);
        out[i] = _mm256_blendv_epi8(low, words(a, b, false), counts);
        differ = _mm256_or_si256(
            differ, _mm256_and_si256(_mm256_xor_si256(words(a, b, true), high), counts));
    }
    return _mm256_testz_si256(differ, differ);
}

AVX2 unsigned smp_distinct_avx2(const uint64_t addresses[SMP_LANES], uint32_t lanes,
                                unsigned shift) {
    __m256i block[REGISTERS], led[REGISTERS];
    unsigned count = SMP_LANES;
    if (!load_blocks(addresses, lanes, shift, block))
        return 0;
    for (unsigned i = 0; i < REGISTERS; i++) {
        led[i] = _mm256_setzero_si256();
        for (unsigned j = 0; j < i; j++)
            led[i] = _mm256_or_si256(led[i], _mm256_cmpeq_epi32(block[i], block[j]));
    }
    for (unsigned r = 1; r < 8; r++) {
        const __m256i place = load(places + 8 - r), before = load(has_before + 8 - r);
        for (unsigned i = 0; i < REGISTERS; i++) {
            const __m256i turned = _mm256_permutevar8x32_epi32(block[i], place);
            led[i] = _mm256_or_si256(
                led[i], _mm256_and_si256(before, _mm256_cmpeq_epi32(block[i], turned)));
            for (unsigned j = i + 1; j < REGISTERS; j++)
                led[j] = _mm256_or_si256(led[j], _mm256_cmpeq_epi32(block[j], turned));
        }
    }
    for (unsigned i = 0; i < REGISTERS; i++)
        count -=
            (unsigned)__builtin_popcount((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(led[i])));
    return count;
}

#else

typedef int smp_coalesce_avx2_is_empty;

#endif
