/* SPDX-License-Identifier: MIT */
/* Blocks of 16 rows, for CPUs with AVX2. */
#include <string.h>

#include "rows.h"

#if SMP_HAS_AVX2
#include <immintrin.h>

#define LANES_TARGET __attribute__((target("avx2")))
#define ROWS 16
#define V(name) _mm256_##name
#define BITS(name) _mm256_##name##_si256
typedef __m256i vec;

static inline LANES_TARGET __attribute__((always_inline)) vec gather_rows(const char *at,
                                                                          size_t step) {
    const __m256i low = _mm256_castsi128_si256(_mm_load_si128((const void *)at));
    return _mm256_inserti128_si256(low, _mm_load_si128((const void *)(at + step)), 1);
}

static inline LANES_TARGET __attribute__((always_inline)) void store_rows(void *to, vec v) {
    _mm256_storeu_si256(to, v);
}

/* Moves one lane on: the count stays if the bank did not change. */
static inline LANES_TARGET __attribute__((always_inline)) vec
count_step(vec count, vec change, vec bank_bits, vec is_new) {
    const vec same_bank =
        _mm256_cmpeq_epi16(_mm256_and_si256(change, bank_bits), _mm256_setzero_si256());
    return _mm256_add_epi16(_mm256_and_si256(count, same_bank), is_new);
}

#include "rows_lanes.h"

const block_engine smp_block_avx2 = {"AVX2", ROWS, count_ways, count_sectors};

#else

typedef int smp_block_avx2_is_empty;

#endif
