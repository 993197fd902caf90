/* SPDX-License-Identifier: MIT */
/*
 * One row per kind of offsets. Each kind writes 32 units (multiples of the width), which become
 * shared offsets and, elsewhere in a large address space, global addresses.
 */
#include "stream.h"

#include <string.h>

enum { LANES = SMP_LANES };

uint64_t smp_random_next(smp_random *random) {
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t smp_random_below(smp_random *random, uint32_t limit) {
    return (uint32_t)((smp_random_next(random) >> 32) * limit >> 32);
}

static bool one_in(smp_random *random, uint32_t n) {
    return smp_random_below(random, n) == 0;
}

/* ---- Kinds of offsets: unit[lane] is a number of widths below `limit` ---- */

typedef struct making {
    smp_random *random;
    uint32_t width, limit;
} making;

typedef void (*fill_fn)(const making *of, uint32_t unit[LANES]);

static uint32_t below(const making *of, uint32_t n) {
    return smp_random_below(of->random, n);
}

static void fill_uniform(const making *of, uint32_t unit[LANES]) {
    uint32_t window = one_in(of->random, 2) ? of->limit : 1 + below(of, 256);
    for (unsigned lane = 0; lane < LANES; lane++)
        unit[lane] = below(of, window);
}

static void fill_stride(const making *of, uint32_t unit[LANES]) {
    uint32_t base = below(of, 130);
    uint32_t stride = below(of, one_in(of->random, 4) ? 130 : 36);
    for (unsigned lane = 0; lane < LANES; lane++)
        unit[lane] = base + lane * stride;
}

static void fill_stride_and_mischief(const making *of, uint32_t unit[LANES]) {
    fill_stride(of, unit);
    for (unsigned n = 1 + below(of, 3); n > 0; n--)
        unit[below(of, LANES)] = below(of, 256);
}

static void fill_permutation(const making *of, uint32_t unit[LANES]) {
    uint32_t base = one_in(of->random, 2) ? 32 * below(of, 8) : below(of, 200);
    for (unsigned lane = 0; lane < LANES; lane++)
        unit[lane] = base + lane;
    unsigned swaps = one_in(of->random, 2) ? 1 + below(of, 3) : LANES;
    for (unsigned n = 0; n < swaps; n++) {
        unsigned a = below(of, LANES), b = below(of, LANES);
        uint32_t swapped = unit[a];
        unit[a] = unit[b];
        unit[b] = swapped;
    }
}

/* Rows far apart, so that one or a few banks get everything. */
static void fill_few_banks(const making *of, uint32_t unit[LANES]) {
    uint32_t banks = 1 + below(of, 4);
    uint32_t rows = 1 + below(of, 32);
    uint32_t per_row = (one_in(of->random, 2) ? 128 : one_in(of->random, 2) ? 64 : 256) / of->width;
    uint32_t first = below(of, per_row);
    for (unsigned lane = 0; lane < LANES; lane++)
        unit[lane] = below(of, rows) * per_row + first + below(of, banks);
}

static void fill_few_words(const making *of, uint32_t unit[LANES]) {
    uint32_t words[8];
    uint32_t count = 1 + below(of, 8);
    uint32_t window = one_in(of->random, 2) ? of->limit : 64;
    for (uint32_t i = 0; i < count; i++)
        words[i] = below(of, window);
    for (unsigned lane = 0; lane < LANES; lane++)
        unit[lane] = words[below(of, count)];
}

/* Lanes at a distance share an address, often with a few near misses. */
static void fill_pairs(const making *of, uint32_t unit[LANES]) {
    static const fill_fn others[] = {fill_uniform, fill_stride, fill_permutation, fill_few_banks,
                                     fill_few_words};
    static const unsigned distances[] = {1, 1, 1, 2, 2, 2, 3, 4, 8, 16};
    others[below(of, 5)](of, unit);
    unsigned distance = distances[below(of, 10)];
    for (unsigned lane = 0; lane < LANES; lane++)
        if ((lane ^ distance) > lane)
            unit[lane] = unit[lane ^ distance];
    if (!one_in(of->random, 3))
        return;
    for (unsigned n = 1 + below(of, 3); n > 0; n--)
        unit[below(of, LANES)] += 1 + below(of, 40);
}

/* Rows of a matrix at a pitch, some of them swapped, repeated or shifted. */
static void fill_rows(const making *of, uint32_t unit[LANES]) {
    uint32_t pitch = 1 + below(of, one_in(of->random, 2) ? 10 : 33);
    uint32_t base = below(of, 64);
    for (unsigned lane = 0; lane < LANES; lane++)
        unit[lane] = base + lane % 8 * pitch + lane / 8 * (one_in(of->random, 2) ? 1 : 8 * pitch);
    if (one_in(of->random, 2))
        unit[below(of, LANES)] = unit[below(of, LANES)];
}

/* Lanes inside one word, sector or line, and just over its edge. */
static void fill_edges(const making *of, uint32_t unit[LANES]) {
    static const uint32_t piece_bytes[] = {4, 8, 32, 64, 128, 256, 512};
    uint32_t piece = piece_bytes[below(of, 7)];
    uint32_t units = piece > of->width ? piece / of->width : 1;
    uint32_t pieces = 1 + below(of, 8);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t edge = (1 + below(of, pieces)) * units;
        unit[lane] = edge - below(of, 3) + below(of, 2);
    }
}

/* Half-warps in aligned blocks of 16 units: what CC 1.0 and 1.1 coalesce, and near misses. */
static void fill_half_warps(const making *of, uint32_t unit[LANES]) {
    uint32_t shift = one_in(of->random, 4) ? below(of, 16) : 8 * below(of, 3);
    for (unsigned first = 0; first < LANES; first += 16) {
        uint32_t block = below(of, 8);
        for (unsigned k = 0; k < 16; k++)
            unit[first + k] = block * 16 + k + shift;
    }
    if (one_in(of->random, 3))
        unit[below(of, LANES)] = below(of, 200);
}

static const fill_fn fills[] = {
    fill_uniform,     fill_uniform,   fill_stride,    fill_stride_and_mischief,
    fill_permutation, fill_few_banks, fill_few_words, fill_pairs,
    fill_pairs,       fill_rows,      fill_edges,     fill_half_warps,
};

/* ---- Masks ---- */

static uint32_t random_mask(smp_random *random) {
    uint32_t bits = (uint32_t)smp_random_next(random);
    switch (smp_random_below(random, 12)) {
    case 0:
        return bits;
    case 1:
        return bits & (uint32_t)smp_random_next(random) & (uint32_t)smp_random_next(random);
    case 2:
        return bits | (uint32_t)smp_random_next(random) | (uint32_t)smp_random_next(random);
    case 3:
        return (uint32_t)((UINT64_C(2) << smp_random_below(random, 32)) - 1);
    case 4:
        return 0xffffu << (16 * smp_random_below(random, 2));
    case 5:
        return 1u << smp_random_below(random, 32);
    case 6:
        return bits & (one_in(random, 2) ? 0x55555555u : 0x33333333u);
    case 7:
        return 0xffu << (8 * smp_random_below(random, 4));
    default:
        return SMP_ALL_LANES;
    }
}

/* ---- Inactive lanes and limits ---- */

/* Inactive lanes hold anything: unaligned, out of range, largest. */
static void spoil_inactive(smp_random *random, smp_access *access) {
    uint32_t lanes = access->active_mask;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (lanes >> lane & 1u)
            continue;
        access->offset_bytes[lane] =
            one_in(random, 2) ? UINT32_MAX : (uint32_t)smp_random_next(random);
        access->address_bytes[lane] = one_in(random, 2) ? UINT64_MAX : smp_random_next(random);
    }
}

/* Moves all addresses into one aligned block of 512 bytes, which matters for atomics and copies. */
static void fold_into_block(smp_random *random, uint32_t limit_bytes, smp_access *access) {
    uint32_t block = smp_random_below(random, limit_bytes / 512) * 512;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t address = access->address_bytes[lane];
        access->address_bytes[lane] = access->address_bytes[0] / 512 * 512 + address % 512;
        if (access->op == SMP_ATOM_CLUSTER)
            access->offset_bytes[lane] = block + access->offset_bytes[lane] % 512;
    }
}

static bool is_matrix(smp_op op) {
    return op >= SMP_LDMATRIX_X1 && op <= SMP_STMATRIX_X4_TRANS;
}

void smp_random_access_within(smp_random *random, smp_op op, unsigned width_bytes,
                              uint32_t limit_bytes, uint64_t span_bytes, smp_access *out) {
    uint32_t unit[LANES], far[LANES];
    const uint32_t limit = limit_bytes / width_bytes;
    making of = {random, width_bytes, limit};
    uint64_t span = span_bytes / width_bytes;
    fill_fn fill = fills[smp_random_below(random, sizeof fills / sizeof fills[0])];
    uint64_t base = one_in(random, 3) ? 0 : (smp_random_next(random) >> 17) & ~UINT64_C(511);
    /* An aligned block of the span, and the start of the lanes in it. */
    bool is_bounded = span_bytes != UINT64_MAX;
    uint64_t block = is_bounded ? base / span_bytes * span_bytes : base;
    uint64_t start = is_bounded ? base % span_bytes / width_bytes : 0;
    memset(out, 0, sizeof *out);
    out->op = op;
    out->width_bytes = width_bytes;
    fill(&of, unit);
    fill = fills[smp_random_below(random, sizeof fills / sizeof fills[0])];
    of.limit = one_in(random, 2) ? limit : UINT32_MAX;
    fill(&of, far);
    for (unsigned lane = 0; lane < LANES; lane++) {
        out->offset_bytes[lane] = unit[lane] % limit * width_bytes;
        out->address_bytes[lane] = block + (start + far[lane]) % span * width_bytes;
    }
    bool by_block =
        smp_ops(NULL)[op].space == SMP_SPACE_COPY || op == SMP_RED_GLOBAL || op == SMP_ATOM_CLUSTER;
    if (by_block && !one_in(random, 3))
        fold_into_block(random, limit_bytes, out);
    do
        out->active_mask = random_mask(random);
    while (smp_access_lanes(out) == 0);
    if (is_matrix(op) && !one_in(random, 4))
        out->active_mask = SMP_ALL_LANES;
    spoil_inactive(random, out);
}

void smp_random_access(smp_random *random, smp_op op, unsigned width_bytes, uint32_t limit_bytes,
                       smp_access *out) {
    smp_random_access_within(random, op, width_bytes, limit_bytes, UINT64_MAX, out);
}

static smp_status visit_random(const void *from, smp_visit_fn visit, void *user, smp_error *error) {
    const smp_random_stream *s = from;
    smp_access access;
    smp_occurrence seen = {.access = &access, .times = 1};
    smp_status status = SMP_OK;
    for (; seen.index < s->count && status == SMP_OK; seen.index++) {
        smp_random_access_within(s->random, s->op, s->width_bytes, s->limit_bytes, s->span_bytes,
                                 &access);
        status = visit(user, &seen, error);
    }
    return status;
}

const smp_stream smp_stream_random = {"random", visit_random};
