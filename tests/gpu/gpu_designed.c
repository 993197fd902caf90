/* SPDX-License-Identifier: MIT */
/* Accesses made to tell rules apart. */
#include "gpu_designed.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { LINE_BYTES = 128 };

static void put(smp_access *access, unsigned lane, uint64_t address, uint32_t offset) {
    access->active_mask |= 1u << lane;
    access->address_bytes[lane] = address;
    access->offset_bytes[lane] = offset;
}

/* `count` of [0, bound). */
static void draw(gpu_random *random, uint32_t bound, uint32_t count, uint32_t places[8]) {
    for (uint32_t i = 0; i < count; i++)
        places[i] = gpu_random_below(random, bound);
}

smp_access gpu_few(gpu_random *random, smp_op op, uint32_t width_bytes, uint32_t lanes) {
    smp_access access = {.op = op, .width_bytes = width_bytes};
    const uint32_t units = LINE_BYTES / width_bytes;
    uint32_t lines[8], places[8], shared[8];
    const uint32_t line_count = 1 + gpu_random_below(random, 6),
                   place_count = 1 + gpu_random_below(random, 8),
                   shared_count = 1 + gpu_random_below(random, 8),
                   lane_count = 2 + gpu_random_below(random, 7);
    draw(random, gpu_random_below(random, 2) ? 4 : 256, line_count, lines);
    draw(random, units, place_count, places);
    draw(random, 2 * units, shared_count, shared);
    for (uint32_t i = 0; i < lane_count; i++) {
        const uint32_t line = lines[gpu_random_below(random, line_count)],
                       place = places[gpu_random_below(random, place_count)],
                       to = shared[gpu_random_below(random, shared_count)];
        put(&access, gpu_random_below(random, lanes),
            (uint64_t)line * LINE_BYTES + (uint64_t)place * width_bytes, to * width_bytes);
    }
    return access;
}

smp_access gpu_rows(gpu_random *random, smp_op op, uint32_t width_bytes) {
    static const uint8_t lengths[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32};
    smp_access access = {.op = op, .width_bytes = width_bytes};
    const uint32_t length = lengths[gpu_random_below(random, COUNT(lengths))];
    const uint32_t address = gpu_random_below(random, 64), offset = gpu_random_below(random, 16),
                   pitch = length + gpu_random_below(random, 200),
                   shared_pitch =
                       length + gpu_random_below(random, 3) * gpu_random_below(random, 9);
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        put(&access, lane,
            (address + (uint64_t)(lane / length) * pitch + lane % length) * width_bytes,
            (offset + lane / length * shared_pitch + lane % length) * width_bytes);
    return access;
}
