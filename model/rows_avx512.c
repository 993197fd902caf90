/* SPDX-License-Identifier: MIT */
/* Blocks of 32 rows, for CPUs with AVX-512 (BW). */
#include <string.h>

#include "rows.h"

#if SMP_HAS_AVX2
#include <immintrin.h>

#define LANES_TARGET __attribute__((target("avx512f,avx512bw,avx2")))
#define ROWS 32
#define V(name) _mm512_##name
#define BITS(name) _mm512_##name##_si512
typedef __m512i vec;

static inline LANES_TARGET __attribute__((always_inline)) vec gather_rows(const char *at,
                                                                          size_t step) {
    vec all = _mm512_castsi128_si512(_mm_load_si128((const void *)at));
    all = _mm512_inserti32x4(all, _mm_load_si128((const void *)(at + step)), 1);
    all = _mm512_inserti32x4(all, _mm_load_si128((const void *)(at + 2 * step)), 2);
    return _mm512_inserti32x4(all, _mm_load_si128((const void *)(at + 3 * step)), 3);
}

static inline LANES_TARGET __attribute__((always_inline)) void store_rows(void *to, vec v) {
    _mm512_storeu_si512(to, v);
}

/* Moves one lane on: the count stays if the bank did not change. */
static inline LANES_TARGET __attribute__((always_inline)) vec
count_step(vec count, vec change, vec bank_bits, vec is_new) {
    return _mm512_mask_add_epi16(is_new, _mm512_testn_epi16_mask(change, bank_bits), is_new, count);
}

#include "rows_lanes.h"

const block_engine smp_block_avx512 = {"AVX-512", ROWS, count_ways, count_sectors};

#else

typedef int smp_block_avx512_is_empty;

#endif
