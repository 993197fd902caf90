/* SPDX-License-Identifier: MIT */
/* The accesses that findings.c tries. */
#include "findings_patterns.h"

#include <stdlib.h>

static struct sample *add_sample(samples *list, const char *pattern, const smp_access *access) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 256;
        list->items = realloc(list->items, list->room * sizeof *list->items);
        if (!list->items)
            abort();
    }
    struct sample *added = &list->items[list->count++];
    snprintf(added->pattern, sizeof added->pattern, "%s", pattern);
    added->access = *access;
    return added;
}

/* A permutation that keeps no neighbours together. */
static uint32_t scatter(uint32_t lane) {
    return lane * 13 % SMP_LANES;
}

enum { PLACINGS = 16 };

/* Element numbers of the lanes for a named placing; both sides of a copy draw from these. */
static uint32_t place(int placing, uint32_t lane, uint32_t width_bytes, const char **name) {
    static const char *const names[PLACINGS] = {"unit",     "one",      "pairs",    "quads",
                                                "octets",   "halves",   "stride2",  "stride4",
                                                "stride8",  "stride16", "stride32", "stride33",
                                                "permuted", "reversed", "lines",    "sectors"};
    const uint32_t sector = 32 / width_bytes, line = 128 / width_bytes;
    const uint32_t elements[PLACINGS] = {lane,          0,         lane / 2,    lane / 4,
                                         lane / 8,      lane / 16, 2 * lane,    4 * lane,
                                         8 * lane,      16 * lane, 32 * lane,   33 * lane,
                                         scatter(lane), 31 - lane, line * lane, sector * lane};
    *name = names[placing];
    return elements[placing];
}

static void add_placed(samples *list, const instruction *what, int shared, int global,
                       uint32_t mask) {
    smp_access access = {.op = what->op, .width_bytes = what->width_bytes, .active_mask = mask};
    const char *shared_name = "", *global_name = "";
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        access.offset_bytes[lane] =
            what->width_bytes * place(shared, lane, what->width_bytes, &shared_name);
        access.address_bytes[lane] =
            (uint64_t)what->width_bytes * place(global, lane, what->width_bytes, &global_name);
    }
    char text[PATTERN_TEXT];
    snprintf(text, sizeof text, "%s/%s%s", shared_name, global_name,
             mask == SMP_ALL_LANES ? "" : " masked");
    add_sample(list, text, &access);
}

/* Every placing alone; for copies, every pair of them. */
void add_designed(samples *list, const instruction *what) {
    const bool is_copy = what->op == SMP_CP_ASYNC;
    for (int shared = 0; shared < PLACINGS; shared++)
        for (int global = 0; global < PLACINGS; global++)
            if (is_copy || shared == global)
                add_placed(list, what, shared, global, SMP_ALL_LANES);
    for (uint32_t lanes = 1; lanes < SMP_LANES; lanes++) {
        add_placed(list, what, 0, 0, (1u << lanes) - 1u);
        add_placed(list, what, 10, 0, (1u << lanes) - 1u);
        add_placed(list, what, 1, 1, (1u << lanes) - 1u);
    }
}

void add_random(samples *list, const instruction *what, size_t count, uint64_t seed) {
    gpu_random random = {seed};
    for (size_t i = 0; i < count; i++) {
        smp_access access = gpu_random_access(&random, what->op, what->width_bytes);
        add_sample(list, "random", &access);
    }
}

/* Bytes that lanes may be apart in the memory that `what` looks up in the tag stage. */
static uint32_t reach_bytes(const instruction *what) {
    const smp_space space = smp_ops(NULL)[what->op].space;
    return space == SMP_SPACE_CLUSTER ? 224u << 10 : 16u << 20;
}

/* Puts lane `lane` at `bytes` of the looked-up memory, and a copy's other side where it is free of
 * conflicts. */
static void put(smp_access *access, uint32_t lane, uint32_t bytes) {
    access->active_mask |= 1u << lane;
    access->address_bytes[lane] = bytes;
    access->offset_bytes[lane] =
        smp_ops(NULL)[access->op].space == SMP_SPACE_CLUSTER ? bytes : lane * access->width_bytes;
}

void add_line_bits(samples *list, const instruction *what) {
    for (uint32_t bit = 5; (128u << bit) + 512 <= reach_bytes(what); bit++)
        for (uint32_t low = 0; low < 4; low++) {
            smp_access access = {.op = what->op, .width_bytes = what->width_bytes};
            char text[PATTERN_TEXT];
            put(&access, 0, 0);
            put(&access, 1, ((1u << bit) + low) * 128 + what->width_bytes);
            snprintf(text, sizeof text, "bit %u low %u", (unsigned)bit, (unsigned)low);
            add_sample(list, text, &access);
        }
}

void add_far(samples *list, const instruction *what, size_t count, uint64_t seed) {
    gpu_random random = {seed};
    const uint32_t width = what->width_bytes;
    for (size_t i = 0; i < count; i++) {
        smp_access access = {.op = what->op, .width_bytes = width};
        const uint32_t lanes = 2 + gpu_random_below(&random, 31);
        for (uint32_t lane = 0; lane < lanes; lane++)
            put(&access, lane, width * gpu_random_below(&random, reach_bytes(what) / width));
        add_sample(list, "far", &access);
    }
}

void add_few_lines(samples *list, const instruction *what, size_t count, uint64_t seed) {
    gpu_random random = {seed};
    const uint32_t width = what->width_bytes, slots = 128 / width;
    for (size_t i = 0; i < count; i++) {
        smp_access access = {.op = what->op, .width_bytes = width};
        const uint32_t lanes = 2 + gpu_random_below(&random, i % 4 == 0 ? 31 : 4);
        const uint32_t lines = 1u << (1 + gpu_random_below(&random, 5));
        for (uint32_t lane = 0; lane < lanes; lane++) {
            put(&access, lane,
                gpu_random_below(&random, lines) * 128 + gpu_random_below(&random, slots) * width);
            access.offset_bytes[lane] =
                gpu_random_below(&random, lines) * 128 + gpu_random_below(&random, slots) * width;
        }
        add_sample(list, "few lines", &access);
    }
}
