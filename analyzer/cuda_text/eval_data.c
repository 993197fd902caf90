/* SPDX-License-Identifier: MIT */
/*
 * Data that decide addresses: from a file, or random. An element always has the same value in a
 * draw.
 */
#include <stdlib.h>

#include "kernel.h"
#include "random_form.h"
#include "smp_accesses.h"

void ct_data_clear(ct_data *data) {
    free(data->values);
    free(data->shares);
}

const ct_data *ct_data_find(const smp_layout *kernel, ct_word name) {
    for (uint32_t i = 0; i < kernel->data_count; i++)
        if (ct_word_is(kernel->data[i].name, name))
            return &kernel->data[i];
    return NULL;
}

/* ---- Values ---- */

static uint64_t mix(uint64_t x) {
    return smp_random_next(&(smp_random){x});
}

static uint64_t draw_bits(const ct_data *data, uint32_t draw, uint64_t index) {
    uint64_t seed = (data->seed - SMP_RANDOM_SEED) * CT_DATA_DRAWS + draw;
    for (size_t i = 0; i < data->name.length; i++)
        seed = mix(seed ^ (unsigned char)data->name.text[i]);
    return mix(mix(seed) ^ index);
}

/* The first i whose share exceeds `at`. */
static int64_t find_share(const ct_data *data, double at) {
    size_t low = 0, high = data->count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (data->shares[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return (int64_t)low;
}

bool ct_data_value(const ct_data *data, uint32_t draw, uint64_t index, int64_t *value) {
    if (!data->is_drawn) {
        const bool has = index < data->count;
        *value = has ? data->values[index] : 0;
        return has;
    }
    const uint64_t bits = draw_bits(data, draw, index);
    if (data->shares)
        *value = find_share(data, (double)(bits >> 11) * 0x1p-53);
    else
        *value = smp_random_between(bits, data->low, data->high);
    return true;
}
