/* SPDX-License-Identifier: MIT */
/*
 * Evaluates one access of a layout for every warp of the block and every iteration of its loops,
 * and adds up what the model says. Threads are numbered x fastest, then y, then z; 32
 * consecutive ones are a warp, and the last warp may be partial.
 */
#include <stdio.h>
#include <string.h>

#include "layout.h"
#include "text_buffer.h"

/* Keeps one evaluation within seconds. */
#define REQUESTS_MAX (UINT64_C(1) << 24)

typedef struct run {
    const smp_layout *layout;
    const smp_arch *arch;
    const smp_request *request;
    smp_totals *out;
    smp_visit_fn visit; /* instead of predicting, or NULL */
    smp_going_fn goes_on;
    void *user;
    smp_error *error;
    unsigned *line;
    uint32_t threads;
    uint32_t warp, mask;   /* the current warp and its threads */
    uint64_t once, always; /* variables by index: computed once a warp, in each iteration */
    smp_request_place place;
    bool any;            /* a request was counted */
    smp_totals warp_sum; /* of the current warp */
    smp_totals first_sum;
    smp_lanes_value slots[SMP_SLOTS_MAX];
} run;

/* ---- Where an error or a request is ------------------------------------------------------- */

size_t smp_request_place_format(const smp_layout *layout, const smp_request_place *place,
                                char *text, size_t size) {
    text_buffer out = text_buffer_over(text, size);
    text_add(&out, "warp %u", place->warp);
    for (unsigned i = 0; i < layout->loop_count; i++) {
        const smp_loop *loop = &layout->loops[i];
        if (place->loops >> i & 1)
            text_add(&out, ", %.*s = %lld", (int)(loop->length < 40 ? loop->length : 40),
                     loop->name, (long long)place->values[i]);
    }
    return out.length;
}

/* Completes the message of a failed evaluation by the warp and the iteration. */
static smp_status fail_here(run *r, smp_status status, const smp_error *inner, size_t position,
                            unsigned line) {
    char where[200];
    smp_request_place_format(r->layout, &r->place, where, sizeof where);
    *r->line = line;
    return smp_error_set(r->error, status, (int)position, "%.150s, in %.90s", inner->message,
                         where);
}

/* ---- Variables ------------------------------------------------------------------------- */

/* Which variables the request needs, and which of them change with the loops. */
static void find_needed(run *r) {
    const smp_layout *layout = r->layout;
    const smp_request *request = r->request;
    uint64_t slots = request->target.program.slots;
    slots |= request->has_guard ? request->guard.slots : 0;
    slots |= request->has_rank ? request->rank.slots : 0;
    slots |= request->has_source ? request->source.program.slots : 0;
    uint64_t varying = 0;
    for (unsigned i = 0; i < layout->loop_count; i++)
        varying |= UINT64_C(1) << layout->loops[i].slot;
    for (uint32_t i = 0; i < layout->variable_count; i++) {
        const smp_variable *variable = &layout->variables[i];
        if (variable->program.slots & varying)
            varying |= UINT64_C(1) << variable->slot;
    }
    for (uint32_t i = request->variable_count; i-- > 0;) {
        const smp_variable *variable = &layout->variables[i];
        if (!(slots >> variable->slot & 1))
            continue;
        slots |= variable->program.slots;
        if (varying >> variable->slot & 1)
            r->always |= UINT64_C(1) << i;
        else
            r->once |= UINT64_C(1) << i;
    }
}

static smp_status compute_variables(run *r, uint64_t which) {
    for (uint32_t i = 0; which >> i != 0; i++) {
        const smp_variable *variable = &r->layout->variables[i];
        if (!(which >> i & 1))
            continue;
        smp_error inner;
        smp_status status = smp_program_run(&r->layout->code, &variable->program, r->slots, r->mask,
                                            r->slots[variable->slot], &inner);
        if (status != SMP_OK)
            return fail_here(r, status, &inner, (size_t)inner.position, variable->line);
    }
    return SMP_OK;
}

static void fill(smp_lanes_value slot, int64_t value) {
    for (unsigned l = 0; l < SMP_LANES; l++)
        slot[l] = value;
}

static void set_constants(run *r) {
    const smp_layout *layout = r->layout;
    for (unsigned i = 0; i < 3; i++) {
        fill(r->slots[SMP_SLOT_BLOCK + i], layout->block_index[i]);
        fill(r->slots[SMP_SLOT_BLOCK_DIM + i], layout->block[i]);
        fill(r->slots[SMP_SLOT_GRID_DIM + i], layout->grid[i]);
    }
    for (unsigned l = 0; l < SMP_LANES; l++)
        r->slots[SMP_SLOT_LANE][l] = l;
}

static void set_warp(run *r, uint32_t warp) {
    const uint32_t *block = r->layout->block;
    uint32_t first = warp * SMP_LANES, left = r->threads - first;
    r->warp = r->place.warp = warp;
    r->mask = left >= SMP_LANES ? SMP_ALL_LANES : (1u << left) - 1;
    fill(r->slots[SMP_SLOT_WARP], warp);
    for (unsigned l = 0; l < SMP_LANES; l++) {
        uint32_t thread = first + l;
        r->slots[SMP_SLOT_THREAD][l] = thread % block[0];
        r->slots[SMP_SLOT_THREAD + 1][l] = thread / block[0] % block[1];
        r->slots[SMP_SLOT_THREAD + 2][l] = thread / block[0] / block[1];
    }
}

/* ---- Addresses ------------------------------------------------------------------------- */

/* First lane of `mask` whose object is not inside the array, or SMP_LANES. */
static unsigned lane_outside(const smp_lanes_value offset, uint32_t mask, uint64_t size,
                             uint64_t width) {
    uint64_t limit = size > 0 ? size : UINT64_C(1) << 48;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        bool outside = offset[l] < 0 || (uint64_t)offset[l] + width > limit;
        if (outside && (mask >> l & 1))
            return l;
    }
    return SMP_LANES;
}

/* Byte offsets of a target from the start of its memory. */
static smp_status locate(run *r, const smp_target *target, uint32_t mask, smp_lanes_value out) {
    const smp_array *array = &r->layout->arrays[target->array];
    smp_error inner;
    smp_status status =
        smp_program_run(&r->layout->code, &target->program, r->slots, mask, out, &inner);
    if (status != SMP_OK)
        return fail_here(r, status, &inner, (size_t)inner.position, r->request->line);
    bool checks = target->checks_range || array->size_bytes == 0;
    uint64_t width =
        target->size_bytes > r->request->width_bytes ? target->size_bytes : r->request->width_bytes;
    checks |= width > target->size_bytes;
    unsigned lane = checks ? lane_outside(out, mask, array->size_bytes, width) : SMP_LANES;
    if (lane < SMP_LANES) {
        status = smp_error_set(&inner, SMP_E_RANGE, 0,
                               "lane %u: byte %lld is outside '%.*s' of %llu bytes", lane,
                               (long long)out[lane], (int)(array->length < 40 ? array->length : 40),
                               array->name, (unsigned long long)array->size_bytes);
        return fail_here(r, status, &inner, target->position, r->request->line);
    }
    int64_t base = (int64_t)smp_array_base(r->layout, array);
    for (unsigned l = 0; l < SMP_LANES; l++)
        out[l] += base;
    return SMP_OK;
}

/* Shared offsets have 32 bits; larger ones are far beyond any chip's memory. */
static void store_offsets(const smp_lanes_value from, int64_t add, uint32_t *to) {
    for (unsigned l = 0; l < SMP_LANES; l++) {
        int64_t offset = from[l] + add;
        to[l] = offset > INT32_MAX ? (uint32_t)INT32_MAX + 1u : (uint32_t)offset;
    }
}

/* ---- One request ------------------------------------------------------------------------ */

static void add_counts(smp_totals *sum, const smp_counts *counts, uint32_t width_bytes) {
    sum->requests++;
    sum->ideal_sectors += smp_ideal_sectors(counts, width_bytes);
    sum->wavefronts_min += counts->wavefronts_min;
    sum->wavefronts_max += counts->wavefronts_max;
    sum->ideal += counts->ideal;
    sum->excess += counts->excess;
    sum->ways = counts->ways > sum->ways ? counts->ways : sum->ways;
    sum->transactions += counts->transactions;
    sum->bytes += counts->bytes;
}

/* Ways decide, then the cost. */
static bool is_worse(const smp_counts *a, const smp_counts *b) {
    if (a->ways != b->ways)
        return a->ways > b->ways;
    if (a->excess != b->excess)
        return a->excess > b->excess;
    if (a->wavefronts_max != b->wavefronts_max)
        return a->wavefronts_max > b->wavefronts_max;
    return a->transactions > b->transactions;
}

static void take(run *r, const smp_access *access, const smp_counts *counts, smp_status status) {
    smp_totals *out = r->out;
    if (!r->any || status != SMP_OK) {
        out->status = status;
        out->evidence = counts->evidence;
        out->note = counts->note;
    }
    out->valid = r->any ? out->valid & counts->valid : counts->valid;
    if (!r->any || is_worse(counts, &out->worst_counts)) {
        out->worst = *access;
        out->worst_counts = *counts;
        out->worst_place = r->place;
    }
    r->any = true;
    add_counts(&r->warp_sum, counts, access->width_bytes);
}

static smp_status predict(run *r, const smp_access *access, smp_counts *counts) {
    smp_status status = smp_predict(r->arch, access, counts);
    if (status == SMP_OK || status == SMP_E_NOT_MODELLED)
        return status;
    smp_error inner;
    smp_access_check(r->arch, access, &inner);
    return fail_here(r, status, &inner, r->request->target.position, r->request->line);
}

/* Puts the blocks of the cluster that the lanes address into their offsets. */
static void place_in_blocks(smp_access *access, const smp_lanes_value ranks) {
    for (unsigned l = 0; l < SMP_LANES; l++)
        if (access->active_mask >> l & 1)
            access->offset_bytes[l] |= (uint32_t)ranks[l] << SMP_BLOCK_SHIFT;
}

static smp_status run_ranks(run *r, uint32_t mask, smp_lanes_value ranks) {
    smp_error inner;
    smp_status status =
        smp_program_run(&r->layout->code, &r->request->rank, r->slots, mask, ranks, &inner);
    if (status != SMP_OK)
        return fail_here(r, status, &inner, (size_t)inner.position, r->request->line);
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if (!(mask >> l & 1) || (ranks[l] >= 0 && ranks[l] < SMP_CLUSTER_BLOCKS_MAX))
            continue;
        status = smp_error_set(&inner, SMP_E_RANGE, 0,
                               "lane %u: rank %lld is not one of the %d "
                               "blocks that a cluster can have",
                               l, (long long)ranks[l], SMP_CLUSTER_BLOCKS_MAX);
        return fail_here(r, status, &inner, r->request->target.position, r->request->line);
    }
    return SMP_OK;
}

/* The guard's lanes among the threads of the warp. */
static smp_status run_guard(run *r, uint32_t *mask) {
    *mask = r->mask;
    if (!r->request->has_guard)
        return SMP_OK;
    smp_lanes_value guard;
    smp_error inner;
    smp_status status =
        smp_program_run(&r->layout->code, &r->request->guard, r->slots, r->mask, guard, &inner);
    if (status != SMP_OK)
        return fail_here(r, status, &inner, (size_t)inner.position, r->request->line);
    for (unsigned l = 0; l < SMP_LANES; l++)
        *mask &= ~((uint32_t)(guard[l] == 0) << l);
    return SMP_OK;
}

static smp_status run_part(run *r, uint32_t part, uint32_t mask, const smp_lanes_value offsets,
                           const smp_lanes_value source, const smp_lanes_value ranks) {
    const smp_request *request = r->request;
    smp_access access = {
        .op = request->op, .width_bytes = request->width_bytes, .active_mask = mask};
    bool is_global = r->layout->arrays[request->target.array].space == SMP_SPACE_GLOBAL;
    int64_t add = (int64_t)part * request->width_bytes;
    r->place.part = part;
    if (!is_global)
        store_offsets(offsets, add, access.offset_bytes);
    for (unsigned l = 0; l < SMP_LANES; l++)
        access.address_bytes[l] = (uint64_t)(is_global             ? offsets[l] + add
                                             : request->has_source ? source[l]
                                                                   : 0);
    if (smp_access_lanes(&access) == 0)
        return SMP_OK;
    if (r->visit)
        return r->visit(r->user, &access, request->has_rank ? ranks : NULL, &r->place);
    smp_counts counts;
    if (request->has_rank)
        place_in_blocks(&access, ranks);
    smp_status status = predict(r, &access, &counts);
    if (status != SMP_OK && status != SMP_E_NOT_MODELLED)
        return status;
    if (request->not_modelled) {
        counts = (smp_counts){.evidence = SMP_OPEN,
                              .note = request->not_modelled,
                              .active_lanes = counts.active_lanes};
        status = SMP_E_NOT_MODELLED;
    }
    take(r, &access, &counts, status);
    return SMP_OK;
}

static smp_status run_iteration(run *r) {
    uint32_t mask;
    smp_lanes_value offsets, source, ranks;
    if (r->goes_on && !r->goes_on(r->user))
        return smp_error_set(r->error, SMP_E_INTERRUPTED, -1, "interrupted");
    smp_status status = compute_variables(r, r->always);
    if (status == SMP_OK)
        status = run_guard(r, &mask);
    if (status != SMP_OK || mask == 0)
        return status;
    status = locate(r, &r->request->target, mask, offsets);
    if (status == SMP_OK && r->request->has_source)
        status = locate(r, &r->request->source, mask, source);
    if (status == SMP_OK && r->request->has_rank)
        status = run_ranks(r, mask, ranks);
    for (uint32_t part = 0; part < r->request->parts && status == SMP_OK; part++)
        status = run_part(r, part, mask, offsets, source, ranks);
    return status;
}

/* ---- All of them ------------------------------------------------------------------------ */

static void set_loop(run *r, unsigned loop, int64_t value) {
    r->place.values[loop] = value;
    fill(r->slots[r->layout->loops[loop].slot], value);
}

static void start_loops(run *r) {
    for (unsigned i = 0; i < r->layout->loop_count; i++)
        set_loop(r, i, r->layout->loops[i].start);
}

/* The next iteration, innermost loop first; false after the last. */
static bool advance(run *r, uint32_t iterations[SMP_LAYOUT_LOOPS_MAX]) {
    for (unsigned i = r->layout->loop_count; i-- > 0;) {
        const smp_loop *loop = &r->layout->loops[i];
        if (!(r->request->loops >> i & 1))
            continue;
        if (++iterations[i] < loop->count) {
            set_loop(r, i, smp_loop_next(loop, r->place.values[i]));
            return true;
        }
        iterations[i] = 0;
        set_loop(r, i, loop->start);
    }
    return false;
}

static bool same_cost(const smp_totals *a, const smp_totals *b) {
    return a->requests == b->requests && a->wavefronts_min == b->wavefronts_min &&
           a->wavefronts_max == b->wavefronts_max && a->ways == b->ways &&
           a->transactions == b->transactions && a->bytes == b->bytes;
}

/* Adds the current warp's sums to the totals. */
static void close_warp(run *r) {
    smp_totals *out = r->out;
    const smp_totals *sum = &r->warp_sum;
    if (sum->requests == 0)
        return;
    if (out->active_warps++ == 0)
        r->first_sum = *sum;
    out->warps_alike &= same_cost(&r->first_sum, sum);
    out->requests += sum->requests;
    out->wavefronts_min += sum->wavefronts_min;
    out->wavefronts_max += sum->wavefronts_max;
    out->ideal += sum->ideal;
    out->excess += sum->excess;
    out->ways = sum->ways > out->ways ? sum->ways : out->ways;
    out->transactions += sum->transactions;
    out->bytes += sum->bytes;
    out->ideal_sectors += sum->ideal_sectors;
}

static smp_status run_warp(run *r, uint32_t warp) {
    uint32_t iterations[SMP_LAYOUT_LOOPS_MAX] = {0};
    memset(&r->warp_sum, 0, sizeof r->warp_sum);
    set_warp(r, warp);
    start_loops(r);
    smp_status status = compute_variables(r, r->once);
    if (status != SMP_OK)
        return status;
    do {
        status = run_iteration(r);
    } while (status == SMP_OK && advance(r, iterations));
    close_warp(r);
    return status;
}

/* Requests of all warps and iterations, if nothing is guarded. */
static uint64_t most_requests(const run *r) {
    uint64_t count = (uint64_t)r->out->warps * r->request->parts;
    for (unsigned i = 0; i < r->layout->loop_count; i++) {
        if (r->request->loops >> i & 1)
            count *= r->layout->loops[i].count;
        if (count > REQUESTS_MAX)
            return count;
    }
    return count;
}

static void run_init(run *r, const smp_layout *layout) {
    memset(r, 0, offsetof(run, slots));
    r->layout = layout;
    r->threads = layout->block[0] * layout->block[1] * layout->block[2];
    set_constants(r);
}

static void run_start(run *r, const smp_layout *layout, size_t index, smp_totals *out,
                      unsigned *line, smp_error *error) {
    run_init(r, layout);
    r->request = &layout->accesses[index];
    r->out = out;
    r->error = error;
    r->line = line;
    r->place.loops = r->request->loops;
    memset(out, 0, sizeof *out);
    out->warps = (r->threads + SMP_LANES - 1) / SMP_LANES;
    out->warps_alike = true;
    *line = r->request->line;
}

static smp_status run_warps(run *r) {
    if (most_requests(r) > REQUESTS_MAX)
        return smp_error_set(r->error, SMP_E_OVERFLOW, 0,
                             "more than %llu requests in all iterations",
                             (unsigned long long)REQUESTS_MAX);
    find_needed(r);
    for (uint32_t warp = 0; warp < r->out->warps; warp++) {
        smp_status status = run_warp(r, warp);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

smp_status smp_layout_evaluate(const smp_layout *layout, const smp_arch *arch, size_t index,
                               smp_totals *out, unsigned *line, smp_error *error) {
    return smp_layout_evaluate_while(layout, arch, index, NULL, NULL, out, line, error);
}

smp_status smp_layout_evaluate_while(const smp_layout *layout, const smp_arch *arch, size_t index,
                                     smp_going_fn goes_on, void *user, smp_totals *out,
                                     unsigned *line, smp_error *error) {
    run r;
    run_start(&r, layout, index, out, line, error);
    r.arch = arch;
    r.goes_on = goes_on;
    r.user = user;
    smp_status status = run_warps(&r);
    if (status == SMP_OK && !r.any)
        return smp_error_set(error, SMP_E_MASK, 0, "no thread of the block takes part");
    return status;
}

smp_status smp_layout_visit(const smp_layout *layout, size_t index, smp_visit_fn visit, void *user,
                            unsigned *line, smp_error *error) {
    run r;
    smp_totals unused;
    run_start(&r, layout, index, &unused, line, error);
    r.visit = visit;
    r.user = user;
    return run_warps(&r);
}

smp_status smp_layout_value(smp_layout *layout, uint32_t warp, const char *text, size_t length,
                            int64_t values[SMP_LANES], const char **type, smp_error *error) {
    static const char *const names[] = {"int", "unsigned", "long long", "unsigned long long"};
    run r;
    unsigned line = 0;
    smp_parser parser;
    smp_program program;
    run_init(&r, layout);
    r.error = error;
    r.line = &line;
    if (warp * SMP_LANES >= r.threads)
        return smp_error_set(error, SMP_E_RANGE, -1, "the block has no warp %u", warp);
    uint32_t before = layout->code.count;
    smp_parser_init(&parser, text, length, &layout->scope, &layout->code, error);
    bool sound = smp_expr_program(&parser, &program) && smp_parser_expect_end(&parser);
    smp_status status = parser.status;
    if (sound) {
        *type = names[program.kind];
        set_warp(&r, warp);
        start_loops(&r);
        status = compute_variables(&r, (UINT64_C(1) << layout->variable_count) - 1);
    }
    if (sound && status == SMP_OK)
        status = smp_program_run(&layout->code, &program, r.slots, r.mask, values, error);
    layout->code.count = before;
    return status;
}
