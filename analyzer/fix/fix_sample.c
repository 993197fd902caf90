/* SPDX-License-Identifier: MIT */
/*
 * Reduces the patterns to evaluate. Two requests cost the same in every form of a family if the
 * family preserves the motion that turns one into the other. Padded rows preserve a shift: if an
 * index grows by a constant in all lanes, the position moves by a constant. An exclusive-or
 * preserves flipped bits: if the same bits of the index are flipped in all lanes, the same bits
 * of the position are. Either only renames banks. The motion must be a whole number of units and
 * banks. Sectors of remote memory are not preserved, so there every pattern counts.
 */
#include <stdlib.h>
#include <string.h>

#include "fix.h"

enum { WORDS_MAX = 3 + SMP_LANES * (1 + SMP_DIMS_MAX + 2) };

typedef size_t (*normalize_fn)(const fix_array *array, const fix_pattern *p,
                               uint32_t words[WORDS_MAX]);

/* Properties that no motion may change. */
static size_t put_common(const fix_pattern *p, uint32_t words[WORDS_MAX]) {
    size_t count = 0;
    words[count++] = (uint32_t)p->access.op;
    words[count++] = p->access.width_bytes | (uint32_t)p->is_open << 8;
    words[count++] = p->access.active_mask;
    memcpy(words + count, p->rest, sizeof p->rest);
    count += SMP_LANES;
    for (unsigned l = 0; l < SMP_LANES && smp_ops(NULL)[p->access.op].space == SMP_SPACE_COPY;
         l++) {
        words[count++] = (uint32_t)p->access.address_bytes[l];
        words[count++] = (uint32_t)(p->access.address_bytes[l] >> 32);
    }
    return count;
}

static size_t normalize_shifted(const fix_array *array, const fix_pattern *p,
                                uint32_t words[WORDS_MAX]) {
    uint32_t lanes = smp_access_lanes(&p->access), first = (uint32_t)__builtin_ctz(lanes);
    uint32_t bytes = array->keep.element_bytes;
    uint32_t whole = array->align_bytes / smp_gcd(array->align_bytes, bytes);
    size_t count = put_common(p, words);
    for (uint32_t d = 0; d < array->keep.dim_count; d++) {
        uint32_t least = p->index[d][first];
        for (unsigned l = 0; l < SMP_LANES; l++)
            words[count++] = lanes >> l & 1 ? p->index[d][l] - least + least % whole : 0;
    }
    return count;
}

static size_t normalize_mirrored(const fix_array *array, const fix_pattern *p,
                                 uint32_t words[WORDS_MAX]) {
    uint32_t lanes = smp_access_lanes(&p->access), first = (uint32_t)__builtin_ctz(lanes);
    size_t count = put_common(p, words);
    (void)array;
    for (unsigned l = 0; l < SMP_LANES; l++)
        words[count++] = lanes >> l & 1 ? p->flat[l] ^ p->flat[first] : 0;
    return count;
}

static uint64_t hash_words(const uint32_t *words, size_t count) {
    uint64_t hash = 1;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool allocate(fix_sample *sample, uint32_t count) {
    *sample = (fix_sample){0};
    sample->pattern = calloc(count + 1, sizeof *sample->pattern);
    sample->times = calloc(count + 1, sizeof *sample->times);
    return sample->pattern && sample->times;
}

/* Adds pattern `i`, or its count to an equal one. */
static void add(const fix_array *array, normalize_fn normalize, fix_sample *sample, uint32_t *table,
                uint32_t capacity, uint32_t i) {
    uint32_t words[WORDS_MAX], others[WORDS_MAX];
    const fix_pattern *p = &array->patterns[i];
    size_t count = normalize(array, p, words);
    uint64_t at = hash_words(words, count) & (capacity - 1);
    for (; table[at] != 0; at = (at + 1) & (capacity - 1)) {
        uint32_t known = table[at] - 1;
        size_t size = normalize(array, &array->patterns[sample->pattern[known]], others);
        if (size == count && memcmp(words, others, count * sizeof *words) == 0) {
            sample->times[known] += p->times;
            return;
        }
    }
    sample->pattern[sample->count] = i;
    sample->times[sample->count] = p->times;
    table[at] = ++sample->count;
}

static bool fill(const fix_array *array, normalize_fn normalize, fix_sample *sample) {
    uint32_t count = array->pattern_count, capacity = 4u << fix_log2(count + 1);
    uint32_t *table = calloc(capacity, sizeof *table);
    bool sound = table && allocate(sample, count);
    for (uint32_t i = 0; sound && i < count; i++)
        add(array, normalize, sample, table, capacity, i);
    free(table);
    return sound;
}

static bool fill_all(const fix_array *array, fix_sample *sample) {
    if (!allocate(sample, array->pattern_count))
        return false;
    for (uint32_t i = 0; i < array->pattern_count; i++) {
        sample->pattern[i] = i;
        sample->times[i] = array->patterns[i].times;
    }
    sample->count = array->pattern_count;
    return true;
}

/* The current excess of a pattern above its bound: large ones decide early. */
static uint64_t weight_of(const smp_fix *fix, const fix_pattern *p) {
    smp_counts counts;
    uint64_t sum = 0;
    if (!fix_goes_on(fix, fix->class_count))
        return 0; /* the search ends */
    for (uint32_t c = 0; c < fix->class_count; c++) {
        bool waves = fix_predict(&fix->classes[c].arch, p, &p->access, &counts) == SMP_OK &&
                     (counts.valid & SMP_HAS_WAVEFRONTS);
        sum += waves ? (counts.excess - p->bound[c]) * (uint64_t)fix->classes[c].weight : 0;
    }
    return sum;
}

static int compare_weights(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? 1 : -1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Sorts the worst patterns first and sums the remaining bounds. */
static bool sort(const smp_fix *fix, const fix_array *array, fix_sample *sample) {
    uint32_t count = sample->count;
    uint64_t(*keys)[3] = calloc(count + 1, sizeof *keys);
    sample->rest = calloc((size_t)fix->class_count * (count + 1) + 1, sizeof *sample->rest);
    if (!keys || !sample->rest) {
        free(keys);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        keys[i][0] = sample->times[i] * weight_of(fix, &array->patterns[sample->pattern[i]]);
        keys[i][1] = sample->pattern[i];
        keys[i][2] = sample->times[i];
    }
    qsort(keys, count, sizeof *keys, compare_weights);
    for (uint32_t i = 0; i < count; i++) {
        sample->pattern[i] = (uint32_t)keys[i][1];
        sample->times[i] = keys[i][2];
    }
    free(keys);
    uint64_t sum = 0;
    for (uint32_t c = fix->class_count; c-- > 0;) {
        for (uint32_t i = count + 1; i-- > 0;) {
            const fix_pattern *p = i < count ? &array->patterns[sample->pattern[i]] : NULL;
            sum += p ? sample->times[i] * fix->classes[c].weight * p->bound[c] : 0;
            sample->rest[c * (count + 1) + i] = sum;
        }
    }
    return true;
}

bool fix_sample_all(const smp_fix *fix, fix_array *array) {
    bool moves = !array->is_remote, flips = moves && fix_is_power(array->keep.element_bytes);
    bool sound = fill_all(array, &array->all);
    sound = sound && (moves ? fill(array, normalize_shifted, &array->shifted)
                            : fill_all(array, &array->shifted));
    sound = sound && (flips ? fill(array, normalize_mirrored, &array->mirrored)
                            : fill_all(array, &array->mirrored));
    return sound && sort(fix, array, &array->all) && sort(fix, array, &array->shifted) &&
           sort(fix, array, &array->mirrored);
}
