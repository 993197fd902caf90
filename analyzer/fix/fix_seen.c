/* SPDX-License-Identifier: MIT */
/*
 * Padding and XOR for requests that were seen.
 */
#include "fix_seen.h"

#include <string.h>

#include "tally.h"

enum {
    ROWS_MAX = 24,
    ROW_LEAST = 16,
    ROW_OF_BANKS = 128,
    SAMPLE = 1024, /* of more than twice as many requests, each change is tried on these first */
    GAIN_PER_MILLE = 5 /* what a change has to gain */
};

typedef struct search {
    const smp_arch *arch;
    const smp_seen_request *requests;
    size_t count;
    uint32_t start, size_bytes, room_bytes;
    uint32_t unit; /* the widest access: nothing may be torn apart or lose its alignment */
    uint32_t rows[ROWS_MAX];
    unsigned row_count;
    /* Those that a change is tried on first: every request of a number `stride`, and all that were
     * made `often`. Stride 1: there is no sample. */
    size_t stride;
    uint64_t often;
    uint64_t sample; /* what these cost unchanged */
} search;

uint32_t smp_seen_map(const smp_seen_fix *fix, uint32_t offset_bytes) {
    const uint32_t row = fix->row_bytes > 0 ? offset_bytes / fix->row_bytes : 0;
    if (fix->kind == SMP_SEEN_PAD)
        return offset_bytes + row * fix->pad_bytes;
    if (fix->kind == SMP_SEEN_XOR)
        return offset_bytes ^ ((row & fix->xor_mask) * fix->unit_bytes);
    return offset_bytes;
}

static bool is_power(uint32_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

/* False where the model has no number for a request where it would be moved to. */
static bool judge(const search *in, bool is_sample, smp_seen_fix *fix) {
    smp_tally sum = {0};
    for (size_t i = 0; i < in->count; i++) {
        if (is_sample && i % in->stride != 0 && in->requests[i].count < in->often)
            continue;
        smp_access moved = in->requests[i].access;
        smp_counts counts;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            moved.offset_bytes[lane] = in->start + smp_seen_map(fix, moved.offset_bytes[lane]);
        if (smp_predict(in->arch, &moved, &counts) != SMP_OK ||
            !(counts.valid & SMP_HAS_WAVEFRONTS))
            return false;
        smp_tally_take(&sum, &counts, moved.width_bytes, in->requests[i].count);
    }
    fix->after = sum.wavefronts_max;
    fix->ideal = sum.ideal;
    fix->requests = sum.requests;
    return true;
}

static bool gains(uint64_t before, uint64_t after) {
    return after < before && (double)(before - after) * 1000 >= (double)before * GAIN_PER_MILLE;
}

static void offer(const search *in, smp_seen_fix *fix, smp_seen_fix *best) {
    if (fix->more_bytes > in->room_bytes)
        return;
    if (in->stride > 1 && (!judge(in, true, fix) || !gains(in->sample, fix->after)))
        return;
    if (!judge(in, false, fix) || (best->kind == SMP_SEEN_NONE && !gains(best->after, fix->after)))
        return;
    const bool is_better = fix->after < best->after ||
                           (fix->after == best->after && best->kind != SMP_SEEN_NONE &&
                            (fix->more_bytes < best->more_bytes || fix->xor_mask < best->xor_mask));
    if (is_better)
        *best = *fix;
}

static void try_padding(const search *in, uint32_t row, smp_seen_fix *best) {
    const uint32_t rows = (in->size_bytes + row - 1) / row;
    for (uint32_t pad = in->unit; pad <= 64; pad += in->unit) {
        smp_seen_fix fix = {
            .kind = SMP_SEEN_PAD, .row_bytes = row, .pad_bytes = pad, .more_bytes = rows * pad};
        offer(in, &fix, best);
    }
}

/* XOR stays inside a row, so the array must be whole rows. */
static void try_xor(const search *in, uint32_t row, smp_seen_fix *best) {
    if (!is_power(row) || in->size_bytes % row != 0 || row < 2 * in->unit)
        return;
    const uint32_t units = (row < 128 ? row : 128) / in->unit;
    for (uint32_t mask = units - 1; mask > 0; mask >>= 1) {
        smp_seen_fix fix = {
            .kind = SMP_SEEN_XOR, .row_bytes = row, .xor_mask = mask, .unit_bytes = in->unit};
        offer(in, &fix, best);
    }
}

static void add_row(search *in, uint32_t row) {
    if (row < ROW_LEAST || row % in->unit != 0 || row >= in->size_bytes)
        return;
    for (unsigned i = 0; i < in->row_count; i++) {
        if (in->rows[i] == row)
            return;
    }
    if (in->row_count < ROWS_MAX)
        in->rows[in->row_count++] = row;
}

/* A row is what a warp steps by when it walks a column. */
static void add_rows_of(search *in, const smp_access *access) {
    uint32_t before = 0;
    bool has_before = false;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (!(access->active_mask >> lane & 1))
            continue;
        const uint32_t at = access->offset_bytes[lane];
        if (has_before && at != before)
            add_row(in, at > before ? at - before : before - at);
        before = at;
        has_before = true;
    }
}

static void prepare(search *in) {
    uint32_t end = 0;
    in->unit = 4;
    for (size_t i = 0; i < in->count; i++) {
        const smp_access *access = &in->requests[i].access;
        in->unit = access->width_bytes > in->unit ? access->width_bytes : in->unit;
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            const uint32_t last = access->offset_bytes[lane] + access->width_bytes;
            if (access->active_mask >> lane & 1)
                end = last > end ? last : end;
        }
    }
    in->size_bytes = in->size_bytes > 0 ? in->size_bytes : end;
}

/* The best of one kind starts with what is there, which it has to beat. */
static void look(search *in, void (*try)(const search *, uint32_t, smp_seen_fix *),
                 smp_seen_fix *out) {
    *out = (smp_seen_fix){0};
    if (in->stride > 1 && judge(in, true, out))
        in->sample = out->after;
    if (!judge(in, false, out))
        return;
    const uint64_t before = out->after;
    for (unsigned i = 0; i < in->row_count; i++)
        try(in, in->rows[i], out);
    out->before = before;
}

void smp_fix_seen(const smp_arch *arch, const smp_seen_request *requests, size_t count,
                  const smp_seen_array *array, smp_seen_fix *padding, smp_seen_fix *swizzle) {
    search in = {.arch = arch,
                 .requests = requests,
                 .count = count,
                 .start = array->offset_bytes % ROW_OF_BANKS,
                 .size_bytes = array->size_bytes,
                 .room_bytes = array->room_bytes};
    prepare(&in);
    in.stride = count > 2 * SAMPLE ? count / SAMPLE : 1;
    for (size_t i = 0; i < count; i++)
        in.often += requests[i].count;
    in.often = in.often / SAMPLE + 1;
    for (unsigned row = 64; row <= 4096; row *= 2)
        add_row(&in, row);
    for (size_t i = 0; i < count && i < 64; i++)
        add_rows_of(&in, &requests[i].access);
    look(&in, try_padding, padding);
    look(&in, try_xor, swizzle);
}
