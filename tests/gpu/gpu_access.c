/* SPDX-License-Identifier: MIT */
/* Random accesses for the tests that run on a GPU, and their text. */
#include "gpu_access.h"

#include <inttypes.h>

/* Marsaglia's xorshift64*. */
static uint64_t next(gpu_random *random) {
    uint64_t x = random->state ? random->state : 1;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * UINT64_C(2685821657736338717);
}

uint32_t gpu_random_below(gpu_random *random, uint32_t bound) {
    return (uint32_t)((next(random) >> 32) * bound >> 32);
}

static uint32_t random_mask(gpu_random *random) {
    uint32_t mask = SMP_ALL_LANES;
    switch (gpu_random_below(random, 6)) {
    case 0:
        mask = (uint32_t)next(random);
        break;
    case 1:
        mask = (uint32_t)next(random) & (uint32_t)next(random);
        break;
    case 2:
        mask = (2u << gpu_random_below(random, 32)) - 1u;
        break;
    default:
        break;
    }
    return mask ? mask : 1u;
}

static void shuffle(gpu_random *random, uint32_t values[SMP_LANES]) {
    for (uint32_t i = SMP_LANES - 1; i > 0; i--) {
        uint32_t k = gpu_random_below(random, i + 1), value = values[i];
        values[i] = values[k];
        values[k] = value;
    }
}

/* Element numbers, from 0, of the lanes. */
static void random_elements(gpu_random *random, uint32_t width_bytes, uint32_t element[SMP_LANES]) {
    static const uint32_t region_bytes[] = {128, 512, 4096, 32768};
    const uint32_t region = region_bytes[gpu_random_below(random, 4)] / width_bytes;
    const uint32_t shape = gpu_random_below(random, 6);
    const uint32_t step = 1 + gpu_random_below(random, 40);
    const uint32_t distinct = 1 + gpu_random_below(random, 8);
    uint32_t few[8];
    for (uint32_t i = 0; i < 8; i++)
        few[i] = gpu_random_below(random, region);
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        element[lane] = gpu_random_below(random, region);
        if (shape == 1 || shape == 2)
            element[lane] = lane * step;
        if (shape == 3)
            element[lane] = few[gpu_random_below(random, distinct)];
    }
    if (shape == 2)
        shuffle(random, element);
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        if (shape == 4)
            element[lane] = element[lane & ~1u];
        if (shape == 5)
            element[lane] = element[lane & ~2u];
    }
}

smp_access gpu_random_access(gpu_random *random, smp_op op, uint32_t width_bytes) {
    smp_access access = {.op = op, .width_bytes = width_bytes};
    uint32_t shared[SMP_LANES], global[SMP_LANES];
    random_elements(random, width_bytes, shared);
    random_elements(random, width_bytes, global);
    const uint32_t base = gpu_random_below(random, 64), global_base = gpu_random_below(random, 64);
    access.active_mask = random_mask(random);
    if (smp_ops(NULL)[op].fixed_group)
        access.active_mask = SMP_ALL_LANES;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        access.offset_bytes[lane] = (base + shared[lane]) * width_bytes;
        access.address_bytes[lane] = (uint64_t)(global_base + global[lane]) * width_bytes;
    }
    return access;
}

smp_access gpu_random_lines(gpu_random *random, smp_op op, uint32_t width_bytes,
                            uint64_t area_bytes) {
    const uint32_t units = 128 / width_bytes;
    smp_access access = gpu_random_access(random, op, width_bytes);
    uint32_t line[SMP_LANES];
    const uint32_t lines = 1 + gpu_random_below(random, SMP_LANES);
    for (uint32_t i = 0; i < SMP_LANES; i++)
        line[i] = gpu_random_below(random, (uint32_t)(area_bytes / 128));
    const uint32_t shape = gpu_random_below(random, 3);
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        uint32_t unit = gpu_random_below(random, units);
        if (shape == 0)
            unit = lane % units;
        access.address_bytes[lane] =
            (uint64_t)line[gpu_random_below(random, lines)] * 128 + unit * width_bytes;
    }
    return access;
}

void gpu_access_print(FILE *out, const smp_access *access) {
    fprintf(out, "%08" PRIx32 ",", access->active_mask);
    for (int lane = 0; lane < SMP_LANES; lane++)
        fprintf(out, "%s%" PRIu32, lane ? " " : "", access->offset_bytes[lane]);
    fputc(',', out);
    for (int lane = 0; lane < SMP_LANES; lane++)
        fprintf(out, "%s%" PRIu64, lane ? " " : "", access->address_bytes[lane]);
}
