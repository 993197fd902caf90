/* SPDX-License-Identifier: MIT */
/*
 * What rows_avx2.c and rows_avx512.c do alike, each with its own registers. They define
 * LANES_TARGET (the functions' attribute), vec (a register), ROWS (16-bit numbers in it), V(f) (an
 * intrinsic), BITS(f) (one that knows no lanes), gather_rows (16 bytes of every eighth, or every
 * fourth, row), and count_step.
 *
 * Rows come in as numbers of 32 or 64 bits, are checked all together (an unsound one sends the
 * block back), become 16 bits a lane, are turned, and sorted by Batcher's merge exchange, whose
 * comparisons do not depend on the data.
 */
#include <immintrin.h>

#include "rows.h"

#define LANES_INLINE static inline LANES_TARGET __attribute__((always_inline))

/* No lane that counts has this key: it would lie beyond any block's shared memory (test_tables.c).
 */
#define NO_KEY 0xffffu
#define ROW_SECTOR_SHIFT 5
/* Addresses of a row whose sectors 16, 32 bits tell apart: so far from the first one at most. */
#define NEAR_SHIFT 20
#define FAR_SHIFT 31

/* ---- Rows, as they lie ---- */

/* Loads the next block's rows while this one is sorted; does nothing after the last. */
LANES_INLINE void fetch_ahead(const char *row, unsigned bytes) {
    for (unsigned at = 0; at < bytes; at += 64)
        _mm_prefetch(row + at, _MM_HINT_T0);
}

/* Eight numbers each, in an order that `index` of stage_units restores. */
typedef struct row_words {
    __m256i word[4];
    __m256i high; /* bits above 32 */
} row_words;

LANES_INLINE __m256i load256(const void *from) {
    return _mm256_loadu_si256(from);
}

LANES_INLINE __m256i low_words(__m256i a, __m256i b) {
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}

LANES_INLINE __m256i high_words(__m256i a, __m256i b) {
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xdd));
}

/* All ones in the numbers of lanes first .. first + 7 that count. */
LANES_INLINE __m256i counting(uint32_t lanes, unsigned first, __m256i bits) {
    const __m256i mask = _mm256_and_si256(_mm256_set1_epi32((int)(lanes >> first)), bits);
    return _mm256_cmpeq_epi32(mask, bits);
}

LANES_INLINE row_words load_wide(const char *row, uint32_t lanes, bool is_whole) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 16, 32, 4, 8, 64, 128);
    row_words out = {.high = _mm256_setzero_si256()};
    for (unsigned i = 0; i < 4; i++) {
        const __m256i a = load256(row + 64 * i), b = load256(row + 64 * i + 32);
        __m256i low = low_words(a, b), high = high_words(a, b);
        if (!is_whole) {
            const __m256i mask = counting(lanes, 8 * i, bits);
            low = _mm256_and_si256(low, mask);
            high = _mm256_and_si256(high, mask);
        }
        out.word[i] = low;
        out.high = _mm256_or_si256(out.high, high);
    }
    return out;
}

LANES_INLINE row_words load_narrow(const char *row, uint32_t lanes, bool is_whole) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    row_words out = {.high = _mm256_setzero_si256()};
    for (unsigned i = 0; i < 4; i++) {
        out.word[i] = load256(row + 32 * i);
        if (!is_whole)
            out.word[i] = _mm256_and_si256(out.word[i], counting(lanes, 8 * i, bits));
    }
    return out;
}

/* All ones in the 16 bits of each of 16 lanes that does not count. */
LANES_INLINE __m256i not_counting(uint32_t lanes) {
    const __m256i bits = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                           8192, 16384, (short)0x8000);
    const __m256i mask = _mm256_and_si256(_mm256_set1_epi16((short)lanes), bits);
    return _mm256_cmpeq_epi16(mask, _mm256_setzero_si256());
}

/* 16 bits a lane, lanes in order. */
LANES_INLINE void stage(const __m256i word[4], __m256i index, uint16_t out[SMP_LANES]) {
    for (unsigned i = 0; i < 2; i++) {
        const __m256i packed = _mm256_packus_epi32(word[2 * i], word[2 * i + 1]);
        _mm256_store_si256((void *)(out + 16 * i), _mm256_permutevar8x32_epi32(packed, index));
    }
}

/* Stages every row's units; false if an offset is unsound. */
LANES_INLINE bool stage_units(const block_rows *rows, const block_banks *banks, bool is_wide,
                              uint16_t out[ROWS][SMP_LANES]) {
    const __m256i index = is_wide ? _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)
                                  : _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7);
    const __m128i shift = _mm_cvtsi32_si128((int)banks->shape.unit_shift);
    __m256i any = _mm256_setzero_si256(), most = any, high = any;
    for (unsigned r = 0; r < ROWS; r++) {
        const char *row = (const char *)rows->data + (ptrdiff_t)r * rows->row_stride_bytes;
        fetch_ahead(row + ROWS * rows->row_stride_bytes, is_wide ? 256 : 128);
        row_words words = is_wide ? load_wide(row, rows->lanes[r], rows->is_whole)
                                  : load_narrow(row, rows->lanes[r], rows->is_whole);
        high = _mm256_or_si256(high, words.high);
        for (unsigned i = 0; i < 4; i++) {
            any = _mm256_or_si256(any, words.word[i]);
            most = _mm256_max_epu32(most, words.word[i]);
            words.word[i] = _mm256_srl_epi32(words.word[i], shift);
        }
        stage(words.word, index, out[r]);
        for (unsigned i = 0; i < 2 && !rows->is_whole; i++) {
            const __m256i none = not_counting(rows->lanes[r] >> 16 * i),
                          units = load256(out[r] + 16 * i);
            _mm256_store_si256((void *)(out[r] + 16 * i), _mm256_or_si256(units, none));
        }
    }
    const __m256i top = _mm256_set1_epi32((int)banks->rule.limit);
    const __m256i beyond = _mm256_xor_si256(_mm256_max_epu32(most, top), top);
    return _mm256_testz_si256(any, _mm256_set1_epi32((int)banks->rule.forbidden_bits)) &&
           _mm256_testz_si256(beyond, beyond) && _mm256_testz_si256(high, high);
}

/* ---- Lanes, each with all rows ---- */

/* Takes 16 bytes of rows 0, 1 .. 7 from each eighth of the registers: the eight lanes that they
 * hold. */
LANES_INLINE void turn_16(const vec v[8], vec out[8]) {
    for (unsigned half = 0; half < 2; half++) {
        vec pair[4];
        for (unsigned i = 0; i < 4; i++)
            pair[i] = half ? V(unpackhi_epi16)(v[2 * i], v[2 * i + 1])
                           : V(unpacklo_epi16)(v[2 * i], v[2 * i + 1]);
        const vec a = V(unpacklo_epi32)(pair[0], pair[1]), b = V(unpackhi_epi32)(pair[0], pair[1]);
        const vec c = V(unpacklo_epi32)(pair[2], pair[3]), d = V(unpackhi_epi32)(pair[2], pair[3]);
        out[4 * half] = V(unpacklo_epi64)(a, c);
        out[4 * half + 1] = V(unpackhi_epi64)(a, c);
        out[4 * half + 2] = V(unpacklo_epi64)(b, d);
        out[4 * half + 3] = V(unpackhi_epi64)(b, d);
    }
}

/* Takes 16 bytes of rows 0, 1, 2, 3 from each fourth of the registers: the four lanes that they
 * hold. */
LANES_INLINE void turn_32(const vec v[4], vec out[4]) {
    const vec a = V(unpacklo_epi32)(v[0], v[1]), b = V(unpackhi_epi32)(v[0], v[1]);
    const vec c = V(unpacklo_epi32)(v[2], v[3]), d = V(unpackhi_epi32)(v[2], v[3]);
    out[0] = V(unpacklo_epi64)(a, c);
    out[1] = V(unpackhi_epi64)(a, c);
    out[2] = V(unpacklo_epi64)(b, d);
    out[3] = V(unpackhi_epi64)(b, d);
}

LANES_INLINE void load_lanes_16(uint16_t (*staged)[SMP_LANES], vec out[SMP_LANES]) {
    for (unsigned first = 0; first < SMP_LANES; first += 8) {
        vec rows[8];
        for (unsigned i = 0; i < 8; i++)
            rows[i] = gather_rows((const char *)&staged[i][first], 8 * sizeof *staged);
        turn_16(rows, out + first);
    }
}

LANES_INLINE void load_lanes_32(uint32_t (*staged)[SMP_LANES], vec out[SMP_LANES]) {
    for (unsigned first = 0; first < SMP_LANES; first += 4) {
        vec rows[4];
        for (unsigned i = 0; i < 4; i++)
            rows[i] = gather_rows((const char *)&staged[i][first], 4 * sizeof *staged);
        turn_32(rows, out + first);
    }
}

/* ---- Sorting ---- */

/* Batcher's network: eight lanes sorted (19 comparisons), two sorted halves merged into 16 (25) and
 * into 32 (65). */
/* clang-format off */
#define SORT_8(C)                                                                   \
    C(0, 1) C(2, 3) C(4, 5) C(6, 7) C(0, 2) C(1, 3) C(4, 6) C(5, 7) C(1, 2) C(5, 6) \
    C(0, 4) C(1, 5) C(2, 6) C(3, 7) C(2, 4) C(3, 5) C(1, 2) C(3, 4) C(5, 6)
#define MERGE_16(C)                                                                       \
    C(0, 8) C(1, 9) C(2, 10) C(3, 11) C(4, 12) C(5, 13) C(6, 14) C(7, 15)                 \
    C(4, 8) C(5, 9) C(6, 10) C(7, 11) C(2, 4) C(3, 5) C(6, 8) C(7, 9) C(10, 12) C(11, 13) \
    C(1, 2) C(3, 4) C(5, 6) C(7, 8) C(9, 10) C(11, 12) C(13, 14)
#define MERGE_32(C)                                                               \
    C(0, 16) C(1, 17) C(2, 18) C(3, 19) C(4, 20) C(5, 21) C(6, 22) C(7, 23)       \
    C(8, 24) C(9, 25) C(10, 26) C(11, 27) C(12, 28) C(13, 29) C(14, 30) C(15, 31) \
    C(8, 16) C(9, 17) C(10, 18) C(11, 19) C(12, 20) C(13, 21) C(14, 22) C(15, 23) \
    C(4, 8) C(5, 9) C(6, 10) C(7, 11) C(12, 16) C(13, 17) C(14, 18) C(15, 19)     \
    C(20, 24) C(21, 25) C(22, 26) C(23, 27)                                       \
    C(2, 4) C(3, 5) C(6, 8) C(7, 9) C(10, 12) C(11, 13) C(14, 16) C(15, 17)       \
    C(18, 20) C(19, 21) C(22, 24) C(23, 25) C(26, 28) C(27, 29)                   \
    C(1, 2) C(3, 4) C(5, 6) C(7, 8) C(9, 10) C(11, 12) C(13, 14) C(15, 16)        \
    C(17, 18) C(19, 20) C(21, 22) C(23, 24) C(25, 26) C(27, 28) C(29, 30)
/* clang-format on */

#define ORDER(bits, i, j)                             \
    {                                                 \
        const vec low = V(min_epu##bits)(k[i], k[j]); \
        k[j] = V(max_epu##bits)(k[i], k[j]);          \
        k[i] = low;                                   \
    }
#define ORDER_16(i, j) ORDER(16, i, j)
#define ORDER_32(i, j) ORDER(32, i, j)

#define DEFINE_SORT(bits)                                                      \
    LANES_INLINE void sort_8_of_##bits(vec k[8]){                              \
        SORT_8(ORDER_##bits)} LANES_INLINE void sort_16_of_##bits(vec k[16]) { \
        sort_8_of_##bits(k);                                                   \
        sort_8_of_##bits(k + 8);                                               \
        MERGE_16(ORDER_##bits)                                                 \
    }                                                                          \
    LANES_INLINE void sort_32_of_##bits(vec k[32]) {                           \
        sort_16_of_##bits(k);                                                  \
        sort_16_of_##bits(k + 16);                                             \
        MERGE_32(ORDER_##bits)                                                 \
    }
DEFINE_SORT(16)
DEFINE_SORT(32)

/* ---- Banks ---- */

/* 1 in each row where `v` is not 0. */
LANES_INLINE vec one_where(vec v) {
    return V(min_epu16)(v, V(set1_epi16)(1));
}

/* The most units on one bank among the sorted lanes of one group. If lanes do not merge, every lane
 * is a unit of its own. */
LANES_INLINE vec most_units(const vec k[], unsigned lanes, vec bank_bits, bool lanes_merge,
                            bool is_whole) {
    const vec none = V(set1_epi16)((short)NO_KEY);
    vec count = one_where(BITS(xor)(k[0], none)), most = count;
    for (unsigned i = 1; i < lanes; i++) {
        const vec change = BITS(xor)(k[i], k[i - 1]);
        vec is_new = change;
        if (!lanes_merge)
            is_new = BITS(xor)(k[i], none);
        else if (!is_whole)
            is_new = V(min_epu16)(change, BITS(xor)(k[i], none));
        count = count_step(count, change, bank_bits, one_where(is_new));
        most = V(max_epu16)(most, count);
    }
    return most;
}

/* 0 in each row whose lanes agree with their partners if both count. */
LANES_INLINE vec disagreement(const vec k[SMP_LANES], unsigned partner, bool is_whole) {
    const vec none = V(set1_epi16)((short)NO_KEY);
    vec differ = BITS(xor)(none, none);
    for (unsigned i = 0; i < SMP_LANES; i++) {
        if (i & partner)
            continue;
        vec here = BITS(xor)(k[i], k[i ^ partner]);
        if (!is_whole)
            here = V(min_epu16)(
                here, V(min_epu16)(BITS(xor)(k[i], none), BITS(xor)(k[i ^ partner], none)));
        differ = BITS(or)(differ, here);
    }
    return differ;
}

LANES_INLINE uint32_t rows_in_pairs(const vec k[SMP_LANES], bool is_whole) {
    uint16_t differ[ROWS];
    uint32_t agree = 0;
    const vec both = V(min_epu16)(disagreement(k, 1, is_whole), disagreement(k, 2, is_whole));
    store_rows(differ, both);
    for (unsigned r = 0; r < ROWS; r++)
        agree |= (uint32_t)(differ[r] == 0) << r;
    return agree;
}

/* Sorts and counts every group of `lanes` lanes, a constant. */
LANES_INLINE void count_groups(vec k[SMP_LANES], unsigned lanes, const block_rows *rows,
                               const block_banks *banks, block_ways *out) {
    const vec bank_bits = V(set1_epi16)((short)(0xffffu << (16 - banks->shape.bank_shift)));
    vec sum = BITS(xor)(bank_bits, bank_bits), worst = sum;
    for (unsigned first = 0; first < SMP_LANES; first += lanes) {
        vec *group = k + first, here;
        if (lanes == 8)
            sort_8_of_16(group);
        else if (lanes == 16)
            sort_16_of_16(group);
        else
            sort_32_of_16(group);
        if (banks->shape.lanes_merge && rows->is_whole)
            here = most_units(group, lanes, bank_bits, true, true);
        else
            here = most_units(group, lanes, bank_bits, banks->shape.lanes_merge, false);
        sum = V(add_epi16)(sum, here);
        worst = V(max_epu16)(worst, here);
    }
    store_rows(out->sum, sum);
    store_rows(out->worst, worst);
}

static LANES_TARGET bool count_ways(const block_rows *rows, const block_banks *banks,
                                    block_ways *out) {
    _Alignas(64) uint16_t staged[ROWS][SMP_LANES];
    vec k[SMP_LANES];
    const bool is_wide = rows->number >= SMP_NUMBER_U64;
    if (!(is_wide ? stage_units(rows, banks, true, staged)
                  : stage_units(rows, banks, false, staged)))
        return false;
    const __m128i down = _mm_cvtsi32_si128((int)banks->shape.bank_shift);
    const __m128i up = _mm_cvtsi32_si128((int)(16 - banks->shape.bank_shift));
    load_lanes_16(staged, k);
    out->alone = banks->has_pair_rule ? rows_in_pairs(k, rows->is_whole) : 0;
    for (unsigned i = 0; i < SMP_LANES; i++) /* the bank above the row */
        k[i] = BITS(or)(V(srl_epi16)(k[i], down), V(sll_epi16)(k[i], up));
    if (banks->shape.group_shift == 5)
        count_groups(k, 32, rows, banks, out);
    else if (banks->shape.group_shift == 4)
        count_groups(k, 16, rows, banks, out);
    else
        count_groups(k, 8, rows, banks, out);
    return true;
}

/* ---- Sectors ---- */

static uint64_t number_at(const char *row, smp_number number, unsigned lane) {
    uint32_t narrow;
    uint64_t wide;
    if (number >= SMP_NUMBER_U64) {
        memcpy(&wide, row + lane * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, row + lane * sizeof narrow, sizeof narrow);
    return number == SMP_NUMBER_I32 ? (uint64_t)(int64_t)(int32_t)narrow : narrow;
}

/* A row as 64-bit numbers. A lane that does not count gets the number of one that does, which adds
 * nothing. */
LANES_INLINE const char *fill_lanes(const char *row, smp_number number, uint32_t lanes,
                                    uint64_t room[SMP_LANES]) {
    const uint64_t first = number_at(row, number, (unsigned)__builtin_ctz(lanes));
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        const uint64_t value = number_at(row, number, lane);
        room[lane] = lanes >> lane & 1 ? value : first;
    }
    return (const char *)room;
}

/* Every row's sectors, counted from one that is 2^near below the row's first address (or from 0).
 * False if one lies 2^near or more from it, or is misaligned, or if one may be below 0. Lanes in
 * any order. */
LANES_INLINE bool stage_sectors(const block_rows *rows, unsigned width_bytes, unsigned near,
                                uint16_t (*near_out)[SMP_LANES], uint32_t (*far_out)[SMP_LANES]) {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const bool is_signed = rows->number == SMP_NUMBER_I32 || rows->number == SMP_NUMBER_I64;
    const bool is_direct = rows->is_whole && rows->number >= SMP_NUMBER_U64;
    __m256i any = _mm256_setzero_si256();
    for (unsigned r = 0; r < ROWS; r++) {
        uint64_t room[SMP_LANES];
        const char *row = (const char *)rows->data + (ptrdiff_t)r * rows->row_stride_bytes;
        if (!is_direct)
            row = fill_lanes(row, rows->number, rows->is_whole ? SMP_ALL_LANES : rows->lanes[r],
                             room);
        fetch_ahead((const char *)rows->data + (ptrdiff_t)(r + ROWS) * rows->row_stride_bytes,
                    rows->number >= SMP_NUMBER_U64 ? 256 : 128);
        const uint64_t first = number_at(row, SMP_NUMBER_U64, 0) >> ROW_SECTOR_SHIFT
                                                                        << ROW_SECTOR_SHIFT;
        const uint64_t below = UINT64_C(1) << near;
        const __m256i base = _mm256_set1_epi64x((long long)(first > below ? first - below : 0));
        if (is_signed && first >> 62)
            return false;
        __m256i word[4];
        for (unsigned i = 0; i < 4; i++) {
            const __m256i a = _mm256_sub_epi64(load256(row + 64 * i), base);
            const __m256i b = _mm256_sub_epi64(load256(row + 64 * i + 32), base);
            any = _mm256_or_si256(any, _mm256_or_si256(a, b));
            word[i] = _mm256_srli_epi32(low_words(a, b), ROW_SECTOR_SHIFT);
            if (far_out)
                _mm256_store_si256((void *)&far_out[r][8 * i], word[i]);
        }
        if (near_out)
            stage(word, index, near_out[r]);
    }
    const uint64_t wrong = ~((UINT64_C(2) << near) - 1) | (width_bytes - 1);
    return _mm256_testz_si256(any, _mm256_set1_epi64x((long long)wrong));
}

static LANES_TARGET bool count_near_sectors(const block_rows *rows, unsigned width_bytes,
                                            uint16_t out[SMP_BLOCK_ROWS_MAX]) {
    _Alignas(64) uint16_t staged[ROWS][SMP_LANES];
    vec k[SMP_LANES], count = V(set1_epi16)(1);
    if (!stage_sectors(rows, width_bytes, NEAR_SHIFT, staged, NULL))
        return false;
    load_lanes_16(staged, k);
    sort_32_of_16(k);
    for (unsigned i = 1; i < SMP_LANES; i++)
        count = V(add_epi16)(count, one_where(BITS(xor)(k[i], k[i - 1])));
    store_rows(out, count);
    return true;
}

static LANES_TARGET bool count_far_sectors(const block_rows *rows, unsigned width_bytes,
                                           uint16_t out[SMP_BLOCK_ROWS_MAX]) {
    _Alignas(64) uint32_t staged[ROWS][SMP_LANES];
    if (!stage_sectors(rows, width_bytes, FAR_SHIFT, NULL, staged))
        return false;
    for (unsigned first = 0; first < ROWS; first += ROWS / 2) {
        uint32_t counted[ROWS / 2];
        vec k[SMP_LANES], count = V(set1_epi32)(1);
        load_lanes_32(staged + first, k);
        sort_32_of_32(k);
        for (unsigned i = 1; i < SMP_LANES; i++)
            count = V(add_epi32)(count, V(min_epu32)(BITS(xor)(k[i], k[i - 1]), V(set1_epi32)(1)));
        store_rows(counted, count);
        for (unsigned r = 0; r < ROWS / 2; r++)
            out[first + r] = (uint16_t)counted[r];
    }
    return true;
}

static bool count_sectors(const block_rows *rows, unsigned width_bytes,
                          uint16_t out[SMP_BLOCK_ROWS_MAX]) {
    return count_near_sectors(rows, width_bytes, out) || count_far_sectors(rows, width_bytes, out);
}
