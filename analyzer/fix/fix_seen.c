/* SPDX-License-Identifier: MIT */
/*
 * Padding and XOR for observed requests. First separates the requests that follow a rule, and so
 * occur again in the next run, from those whose addresses seem to depend on data.
 */
#include "fix_seen.h"

#include <stdlib.h>

#include "list.h"
#include "tally.h"

enum {
    ROWS_MAX = 24,
    ROW_LEAST = 16,
    ROW_OF_BANKS = 128,
    PADS_MAX = 31, /* steps of one word: every place in the banks */
    SAMPLE = 1024, /* with more than twice as many requests, changes are tried on a sample first */
    EQUAL_PER_CENT = 99 /* of the best gain: changes that reach it count as equal */
};

/* ---- Requests that follow a rule ---- */

enum { DATA_LEAST = 4, LANE_BITS = 5 };

static uint32_t add(uint32_t a, uint32_t b) {
    return a + b;
}
static uint32_t subtract(uint32_t a, uint32_t b) {
    return a - b;
}
static uint32_t turn(uint32_t a, uint32_t b) {
    return a ^ b;
}

/* True if each bit of the lane number always makes the same difference. Bits without a pair of
 * lanes that differ only there are unknown. */
static bool is_linear(const smp_access *access, uint32_t (*join)(uint32_t, uint32_t),
                      uint32_t (*part)(uint32_t, uint32_t)) {
    const uint32_t mask = access->active_mask;
    const unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t step[LANE_BITS] = {0};
    bool has_step[LANE_BITS] = {false};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        for (unsigned bit = 0; bit < LANE_BITS; bit++) {
            const unsigned other = lane | 1u << bit;
            if (other == lane || !(mask >> lane & 1) || !(mask >> other & 1) || has_step[bit])
                continue;
            has_step[bit] = true;
            step[bit] = part(access->offset_bytes[other], access->offset_bytes[lane]);
        }
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint32_t at = access->offset_bytes[first];
        if (!(mask >> lane & 1))
            continue;
        for (unsigned bit = 0; bit < LANE_BITS; bit++) {
            const bool is_up = (lane & ~first) >> bit & 1, is_down = (first & ~lane) >> bit & 1;
            if ((is_up || is_down) && !has_step[bit])
                return false;
            at = is_up ? join(at, step[bit]) : is_down ? part(at, step[bit]) : at;
        }
        if (at != access->offset_bytes[lane])
            return false;
    }
    return true;
}

typedef struct shape {
    const smp_access *access;
    size_t index;
} shape;

/* Orders by operation, lanes, and distances from the first lane. */
static int compare_shapes(const void *left, const void *right) {
    const smp_access *a = ((const shape *)left)->access, *b = ((const shape *)right)->access;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->active_mask != b->active_mask)
        return a->active_mask < b->active_mask ? -1 : 1;
    const unsigned first = (unsigned)__builtin_ctz(a->active_mask);
    for (unsigned lane = first; lane < SMP_LANES; lane++) {
        const uint32_t x = a->offset_bytes[lane] - a->offset_bytes[first],
                       y = b->offset_bytes[lane] - b->offset_bytes[first];
        if ((a->active_mask >> lane & 1) && x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* A request follows a rule if each bit of the lane number adds the same bytes to the address or
 * flips the same bits, or if another request is equal up to a shift of all lanes. Sets is_data[i]
 * for the others, unless there are fewer than DATA_LEAST, and *made to their number of occurrences.
 * SMP_E_MEMORY or SMP_OK. */
static smp_status find_data(const smp_seen_request *requests, size_t count, bool *is_data,
                            uint64_t *made) {
    shape *shapes = calloc(count + 1, sizeof *shapes);
    size_t odd = 0, found = 0;
    *made = 0;
    if (!shapes)
        return SMP_E_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const smp_access *access = &requests[i].access;
        if (access->active_mask != 0 && !is_linear(access, add, subtract) &&
            !is_linear(access, turn, turn))
            shapes[odd++] = (shape){access, i};
    }
    qsort(shapes, odd, sizeof *shapes, compare_shapes);
    for (size_t i = 0; i < odd; i++) {
        const bool is_shared = (i > 0 && compare_shapes(&shapes[i - 1], &shapes[i]) == 0) ||
                               (i + 1 < odd && compare_shapes(&shapes[i], &shapes[i + 1]) == 0);
        is_data[shapes[i].index] = !is_shared;
        found += !is_shared;
    }
    for (size_t i = 0; i < count; i++) {
        is_data[i] = is_data[i] && found >= DATA_LEAST;
        *made += is_data[i] ? requests[i].count : 0;
    }
    free(shapes);
    return SMP_OK;
}

/* ---- Candidates ---- */

typedef struct candidate {
    smp_seen_fix fix;
    uint64_t ruled;   /* wavefronts of requests that follow a rule */
    uint64_t fetched; /* sectors moved by copies */
} candidate;

typedef struct search {
    const smp_arch *arch;
    const smp_seen_request *requests;
    const bool *is_data; /* per request: it follows no rule */
    size_t count;
    uint32_t start, size_bytes, room_bytes;
    uint32_t unit; /* the widest access, which must stay whole and aligned */
    uint32_t rows[ROWS_MAX];
    unsigned row_count;
    bool is_cut; /* an XOR may make rows shorter */
    /* The sample: every `stride`-th request, and all that occur at least `often` times. Stride 1:
     * no sample. */
    size_t stride;
    uint64_t often;
    candidate now, now_sample; /* unchanged */
    candidate found[ROWS_MAX * PADS_MAX];
    unsigned found_count;
} search;

uint32_t smp_seen_map(const smp_seen_fix *fix, uint32_t offset_bytes) {
    const uint32_t row = fix->row_bytes > 0 ? offset_bytes / fix->row_bytes : 0;
    if (fix->kind == SMP_SEEN_PAD)
        return offset_bytes + row * fix->pad_bytes;
    if (fix->kind == SMP_SEEN_XOR)
        return (offset_bytes - row * fix->cut_bytes) ^ ((row & fix->xor_mask) * fix->unit_bytes);
    return offset_bytes;
}

/* Evaluates a change; false if the model has no number for a moved request. */
static bool judge(const search *in, bool is_sample, candidate *out) {
    smp_tally sum = {0};
    out->ruled = out->fetched = 0;
    for (size_t i = 0; i < in->count; i++) {
        if (is_sample && i % in->stride != 0 && in->requests[i].count < in->often)
            continue;
        smp_access moved = in->requests[i].access;
        smp_counts counts;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            moved.offset_bytes[lane] =
                in->start + smp_seen_map(&out->fix, moved.offset_bytes[lane]);
        if (smp_predict(in->arch, &moved, &counts) != SMP_OK ||
            !(counts.valid & SMP_HAS_WAVEFRONTS))
            return false;
        smp_tally_take(&sum, &counts, moved.width_bytes, in->requests[i].count);
        if (!in->is_data[i])
            out->ruled += in->requests[i].count * counts.wavefronts_max;
        if (smp_ops(NULL)[moved.op].space == SMP_SPACE_COPY)
            out->fetched += in->requests[i].count * counts.transactions;
    }
    out->fix.after = sum.wavefronts_max;
    out->fix.ideal = sum.ideal;
    out->fix.requests = sum.requests;
    return true;
}

/* True if requests that follow a rule save enough of the array's total cost. */
static bool gains(const candidate *before, const candidate *after) {
    return after->ruled < before->ruled && after->fix.after < before->fix.after &&
           (before->ruled - after->ruled) * 100 >= before->fix.after * SMP_SEEN_GAIN_PER_CENT;
}

/* True if copies move no more sectors than the change is worth: two wavefronts each. */
static bool is_worth_sectors(const candidate *before, const candidate *after) {
    return after->fetched <= before->fetched ||
           (after->fetched - before->fetched) * 2 <= before->ruled - after->ruled;
}

static void offer(search *in, const smp_seen_fix *fix) {
    candidate now = {.fix = *fix};
    if (fix->more_bytes > in->room_bytes || in->found_count == sizeof in->found / sizeof *in->found)
        return;
    if (in->stride > 1 && (!judge(in, true, &now) || now.ruled >= in->now_sample.ruled))
        return;
    if (judge(in, false, &now) && gains(&in->now, &now) && is_worth_sectors(&in->now, &now))
        in->found[in->found_count++] = now;
}

static bool is_smaller(const candidate *a, const candidate *b) {
    if (a->fix.more_bytes != b->fix.more_bytes)
        return a->fix.more_bytes < b->fix.more_bytes;
    if (a->ruled != b->ruled)
        return a->ruled < b->ruled;
    return a->fix.xor_mask < b->fix.xor_mask;
}

/* Chooses the smallest of the changes that save almost as much as the best. */
static void choose(const search *in, smp_seen_fix *out) {
    const candidate *best = NULL;
    uint64_t least = UINT64_MAX;
    *out = in->now.fix;
    for (unsigned i = 0; i < in->found_count; i++)
        least = in->found[i].ruled < least ? in->found[i].ruled : least;
    EACH(const candidate, one, in->found, in->found_count)
        if ((in->now.ruled - one->ruled) * 100 >= (in->now.ruled - least) * EQUAL_PER_CENT &&
            (!best || is_smaller(one, best)))
            best = one;
    if (best)
        *out = best->fix;
    out->before = in->now.fix.after;
    out->by_data = in->now.fix.by_data;
}

/* Rows that begin in the same bank, or in the opposite one, gain nothing from more than half a row
 * of the banks: further padding mirrors what was tried. */
static void try_padding(search *in, uint32_t row) {
    const uint32_t rows = (in->size_bytes + row - 1) / row;
    const uint32_t most = row % (ROW_OF_BANKS / 2) == 0 ? ROW_OF_BANKS / 2 : 4 * PADS_MAX;
    for (uint32_t pad = in->unit; pad <= most; pad += in->unit) {
        smp_seen_fix fix = {
            .kind = SMP_SEEN_PAD, .row_bytes = row, .pad_bytes = pad, .more_bytes = rows * pad};
        offer(in, &fix);
    }
}

/* The smallest power of two that holds the part of each row that requests use. */
static uint32_t used_row(const search *in, uint32_t row) {
    uint32_t used = ROW_LEAST;
    for (size_t i = 0; i < in->count; i++) {
        const smp_access *access = &in->requests[i].access;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            while (access->active_mask >> lane & 1 &&
                   used < access->offset_bytes[lane] % row + access->width_bytes)
                used *= 2;
    }
    return used;
}

/* XOR stays within a row, so the array must consist of whole rows of a power of two. Rows that are
 * longer because of padding become such rows again. */
static void try_xor(search *in, uint32_t row) {
    if (row == 0 || in->size_bytes % row != 0 || row < 2 * in->unit)
        return;
    const uint32_t whole = row & (row - 1) && in->is_cut ? used_row(in, row) : row;
    if ((whole & (whole - 1)) != 0 || whole > row)
        return;
    const uint32_t units = (whole < 128 ? whole : 128) / in->unit;
    for (uint32_t mask = units - 1; mask > 0; mask >>= 1) {
        smp_seen_fix fix = {.kind = SMP_SEEN_XOR,
                            .row_bytes = row,
                            .xor_mask = mask,
                            .unit_bytes = in->unit,
                            .cut_bytes = row - whole};
        offer(in, &fix);
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

static uint32_t distance(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}

/* Possible rows are the distances between neighbouring lanes, and between the first lanes of runs
 * with equal steps: a warp that covers two rows of a tile has 16 lanes in each. */
static void add_rows_of(search *in, const smp_access *access) {
    uint32_t before = 0, begin = 0, step = 0;
    unsigned seen = 0; /* lanes of the run */
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (!(access->active_mask >> lane & 1))
            continue;
        const uint32_t at = access->offset_bytes[lane];
        if (seen > 0 && at != before)
            add_row(in, distance(at, before));
        if (seen > 1 && at - before != step)
            add_row(in, distance(at, begin));
        if (seen == 0 || (seen > 1 && at - before != step)) {
            begin = at;
            seen = 1;
        } else {
            step = at - before;
            seen++;
        }
        before = at;
    }
}

static void prepare(search *in) {
    uint32_t end = 0;
    in->unit = in->unit > 4 ? in->unit : 4;
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

static void look(search *in, void (*try)(search *, uint32_t), smp_seen_fix *out) {
    in->found_count = 0;
    for (unsigned i = 0; i < in->row_count; i++)
        try(in, in->rows[i]);
    choose(in, out);
}

static void find_rows(search *in, uint32_t only) {
    in->stride = in->count > 2 * SAMPLE ? in->count / SAMPLE : 1;
    for (size_t i = 0; i < in->count; i++)
        in->often += in->requests[i].count;
    in->often = in->often / SAMPLE + 1;
    if (only > 0) {
        add_row(in, only);
        return;
    }
    for (unsigned row = 64; row <= 4096; row *= 2)
        add_row(in, row);
    for (size_t i = 0; i < in->count && i < 64; i++)
        add_rows_of(in, &in->requests[i].access);
}

smp_status smp_fix_seen(const smp_arch *arch, const smp_seen_request *requests, size_t count,
                        const smp_seen_array *array, smp_seen_fix *padding, smp_seen_fix *swizzle) {
    search *in = calloc(1, sizeof *in);
    bool *is_data = calloc(count + 1, sizeof *is_data);
    smp_status status = in && is_data ? SMP_OK : SMP_E_MEMORY;
    *padding = *swizzle = (smp_seen_fix){.kind = SMP_SEEN_NONE};
    if (status == SMP_OK) {
        *in = (search){.arch = arch,
                       .requests = requests,
                       .is_data = is_data,
                       .count = count,
                       .start = array->offset_bytes % ROW_OF_BANKS,
                       .size_bytes = array->size_bytes,
                       .room_bytes = array->room_bytes,
                       .unit = array->unit_bytes};
        status = find_data(requests, count, is_data, &in->now.fix.by_data);
    }
    if (status == SMP_OK) {
        prepare(in);
        in->is_cut = array->row_bytes > 0;
        find_rows(in, array->row_bytes);
        if (judge(in, false, &in->now) && (in->stride == 1 || judge(in, true, &in->now_sample))) {
            look(in, try_padding, padding);
            look(in, try_xor, swizzle);
        }
    }
    free(is_data);
    free(in);
    return status;
}
