/* SPDX-License-Identifier: MIT */
/*
 * Evaluates one access of a kernel for every warp of the block and every iteration of its loops,
 * and sums the predictions. Threads are numbered x fastest, then y, then z; 32 consecutive
 * threads are a warp, and the last warp may be partial.
 */
#include <string.h>

#include "cloned.h"
#include "kernel.h"
#include "tally.h"
#include "text_buffer.h"

/* Keeps one evaluation within seconds. */
#define REQUESTS_MAX (UINT64_C(1) << 24)

typedef struct eval {
    const smp_layout *kernel;
    const smp_arch *arch;
    smp_totals *out;
    smp_visit_fn visit;       /* called instead of predicting; may be NULL */
    smp_layout_trace_fn show; /* the same, for offsets in the array */
    void *user;
    uint64_t requests;
    bool any;                           /* a request was counted */
    bool is_hashed;                     /* compute only the hash */
    uint64_t hash;                      /* hash of all accesses in order */
    smp_tally sum, warp_sum, first_sum; /* of all warps, the current warp, the first active warp */
    ct_walk run;
} eval;

/* ---- Addresses ---- */

/* The first lane of `mask` whose object is outside the array, or SMP_LANES. */
LANES_CLONED static unsigned lane_outside(const ct_lanes_value offset, uint32_t mask, uint64_t size,
                                          uint64_t width) {
    const uint64_t limit = size > 0 ? size : UINT64_C(1) << 48;
    const int64_t last = width <= limit ? (int64_t)(limit - width) : -1;
    uint32_t outside = 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        outside |= (uint32_t)(offset[l] < 0 || offset[l] > last) << l;
    return (outside & mask) != 0 ? (unsigned)__builtin_ctz(outside & mask) : SMP_LANES;
}

LANES_CLONED static void add_base(const int64_t *offset, uint64_t base, int64_t *out) {
    for (unsigned l = 0; l < SMP_LANES; l++)
        out[l] = (int64_t)((uint64_t)offset[l] + base);
}

/* Computes byte offsets from the start of the memory. */
static smp_status locate(eval *e, const smp_request *request, const smp_target *target,
                         uint32_t mask, const ct_lanes_value offset, ct_lanes_value out) {
    const smp_array *array = &e->kernel->arrays[target->array];
    const bool is_wider = request->width_bytes > target->size_bytes;
    const bool checks = target->checks_range || array->size_bytes == 0 || is_wider;
    const uint64_t width = is_wider ? request->width_bytes : target->size_bytes;
    unsigned lane = checks ? lane_outside(offset, mask, array->size_bytes, width) : SMP_LANES;
    if (lane < SMP_LANES)
        return ct_walk_fail(&e->run, SMP_E_RANGE, (int)target->position, request->line,
                            "lane %u: byte %lld is outside '%.*s' of %llu bytes", lane,
                            (long long)offset[lane], TEXT_CUT(array->name, array->length, 40),
                            (unsigned long long)array->size_bytes);
    add_base(offset, smp_array_base(e->kernel, array), out);
    return SMP_OK;
}

/* Shared offsets have 32 bits; larger ones exceed any chip's memory. */
LANES_CLONED static void store_offsets(const ct_lanes_value from, int64_t add, uint32_t *to) {
    for (unsigned l = 0; l < SMP_LANES; l++) {
        int64_t offset = from[l] + add;
        to[l] = offset > INT32_MAX ? (uint32_t)INT32_MAX + 1u : (uint32_t)offset;
    }
}

/* ---- One request ---- */

/* Compares ways first, then the cost. */
static bool is_worse(const smp_counts *a, const smp_counts *b) {
    return a->ways != b->ways                       ? a->ways > b->ways
           : a->excess != b->excess                 ? a->excess > b->excess
           : a->wavefronts_max != b->wavefronts_max ? a->wavefronts_max > b->wavefronts_max
                                                    : a->transactions > b->transactions;
}

static void spread_take(smp_request_spread *spread, const smp_counts *counts) {
    const bool has_waves = counts->valid & SMP_HAS_WAVEFRONTS;
    const uint32_t cost = has_waves ? counts->wavefronts_max : counts->transactions;
    spread->least = spread->sum == 0 || cost < spread->least ? cost : spread->least;
    spread->most = cost > spread->most ? cost : spread->most;
    spread->sum += cost;
    spread->square_sum += (uint64_t)cost * cost;
}

static void take(eval *e, const smp_access *access, const smp_counts *counts, smp_status status) {
    smp_totals *out = e->out;
    if (!e->any || status != SMP_OK) {
        out->status = status;
        out->evidence = counts->evidence;
        out->note = counts->note;
    }
    out->valid = e->any ? out->valid & counts->valid : counts->valid;
    if (!e->any || is_worse(counts, &out->worst_counts)) {
        out->worst = *access;
        out->worst_counts = *counts;
        out->worst_place = e->run.place;
    }
    e->any = true;
    out->takes_steps |=
        (counts->valid & SMP_HAS_WAVEFRONTS) && smp_counts_take_steps(e->arch, counts);
    spread_take(&out->spread, counts);
    smp_tally_take(&e->warp_sum, counts, access->width_bytes, 1);
}

static smp_status predict(eval *e, const smp_request *request, const smp_access *access,
                          smp_counts *counts) {
    smp_status status = smp_predict(e->arch, access, counts);
    if (status == SMP_OK || status == SMP_E_NOT_MODELLED)
        return status;
    smp_error inner;
    smp_access_check(e->arch, access, &inner);
    return ct_walk_fail(&e->run, status, (int)request->target.position, request->line, "%s",
                        inner.message);
}

void smp_access_place_in_blocks(smp_access *access, const int64_t *ranks) {
    for (unsigned l = 0; l < SMP_LANES; l++)
        if (access->active_mask >> l & 1)
            access->offset_bytes[l] |= (uint32_t)ranks[l] << SMP_BLOCK_SHIFT;
}

static smp_status check_ranks(eval *e, const smp_request *request, uint32_t mask,
                              const ct_lanes_value ranks) {
    for (unsigned l = 0; l < SMP_LANES; l++)
        if ((mask >> l & 1) && (ranks[l] < 0 || ranks[l] >= SMP_CLUSTER_BLOCKS_MAX))
            return ct_walk_fail(
                &e->run, SMP_E_RANGE, (int)request->target.position, request->line,
                "lane %u: rank %lld is not one of the %d blocks that a cluster can have", l,
                (long long)ranks[l], SMP_CLUSTER_BLOCKS_MAX);
    return SMP_OK;
}

/* The access of one part of the object. */
static smp_access access_of(const eval *e, const smp_request *request, uint32_t part, uint32_t mask,
                            const ct_lanes_value offset, const ct_lanes_value source) {
    smp_access access = {
        .op = request->op, .width_bytes = request->width_bytes, .active_mask = mask};
    bool is_global = e->kernel->arrays[request->target.array].space == SMP_SPACE_GLOBAL;
    int64_t add = (int64_t)part * request->width_bytes;
    if (!is_global)
        store_offsets(offset, add, access.offset_bytes);
    for (unsigned l = 0; l < SMP_LANES; l++) {
        int64_t address = is_global ? offset[l] + add : request->has_source ? source[l] : 0;
        access.address_bytes[l] = (uint64_t)address;
    }
    return access;
}

static smp_status fail_requests(const eval *e) {
    return smp_error_set(e->run.error, SMP_E_OVERFLOW, 0,
                         "more than %llu requests in all iterations",
                         (unsigned long long)REQUESTS_MAX);
}

/* FNV-1a over mask and addresses. */
static void hash_access(eval *e, const smp_access *access) {
    const uint64_t prime = UINT64_C(0x100000001b3);
    e->hash = (e->hash ^ access->active_mask) * prime;
    for (unsigned l = 0; l < SMP_LANES; l++)
        if (access->active_mask >> l & 1)
            e->hash = (e->hash ^ access->offset_bytes[l] ^ access->address_bytes[l] << 8) * prime;
}

static const char merged_note[] = "nvcc combines the lanes of a warp first, as it sees that they "
                                  "update one word; one of them makes the request";

static smp_status run_part(eval *e, const smp_request *request, smp_access *access,
                           const ct_lanes_value ranks) {
    if (smp_access_lanes(access) == 0)
        return SMP_OK;
    if (e->requests++ >= REQUESTS_MAX)
        return fail_requests(e);
    if (e->is_hashed) {
        hash_access(e, access);
        return SMP_OK;
    }
    if (e->visit) {
        const smp_occurrence seen = {.access = access,
                                     .times = 1,
                                     .index = e->run.index,
                                     .ranks = ranks,
                                     .place = &e->run.place};
        return e->visit(e->user, &seen, e->run.error);
    }
    smp_counts counts;
    if (ranks)
        smp_access_place_in_blocks(access, ranks);
    smp_status status = predict(e, request, access, &counts);
    if (status != SMP_OK && status != SMP_E_NOT_MODELLED)
        return status;
    if (request->not_modelled)
        counts = (smp_counts){.evidence = SMP_OPEN,
                              .note = request->not_modelled,
                              .active_lanes = counts.active_lanes};
    if (request->is_merged && !counts.note)
        counts.note = merged_note;
    take(e, access, &counts, request->not_modelled ? SMP_E_NOT_MODELLED : status);
    return SMP_OK;
}

/* Lanes that make the request: the first one if nvcc combines them before. */
static uint32_t lanes_of(const smp_request *request, uint32_t mask, const ct_lanes_value at) {
    const uint32_t first = mask & -mask;
    for (unsigned l = 0; l < SMP_LANES && request->is_merged; l++)
        if (mask >> l & 1 && at[l] != at[__builtin_ctz(first)])
            return mask;
    return request->is_merged ? first : mask;
}

static smp_status run_request(ct_walk *run, const ct_access *made) {
    eval *e = run->user;
    const smp_request *request = &run->kernel->accesses[made->site];
    ct_lanes_value at, from;
    if (run->goes_on && !run->goes_on(run->going_user))
        return smp_error_set(run->error, SMP_E_INTERRUPTED, -1, "interrupted");
    smp_status status = locate(e, request, &request->target, made->mask, made->offset, at);
    if (status == SMP_OK && made->source)
        status = locate(e, request, &request->source, made->mask, made->source, from);
    if (status == SMP_OK && made->ranks)
        status = check_ranks(e, request, made->mask, made->ranks);
    if (status == SMP_OK && e->show)
        return e->show(e->user, made->site, made->mask, made->offset);
    for (uint32_t part = 0; part < request->parts && status == SMP_OK; part++) {
        smp_access access =
            access_of(e, request, part, lanes_of(request, made->mask, at), at, from);
        run->place.part = part;
        status = run_part(e, request, &access, made->ranks);
    }
    return status;
}

/* ---- All of them ---- */

/* Adds the current warp's sums to the totals. */
static void close_warp(eval *e) {
    smp_totals *out = e->out;
    const smp_tally *sum = &e->warp_sum;
    if (sum->requests == 0)
        return;
    if (out->active_warps++ == 0)
        e->first_sum = *sum;
    out->warps_alike &= smp_tally_is_equal(&e->first_sum, sum);
    smp_tally_add(&e->sum, sum, 1);
}

static void show_sum(smp_totals *out, const smp_tally *sum) {
    out->requests = sum->requests;
    out->wavefronts_min = sum->wavefronts_min;
    out->wavefronts_max = sum->wavefronts_max;
    out->ideal = sum->ideal;
    out->excess = sum->excess;
    out->ways = sum->ways;
    out->transactions = sum->transactions;
    out->bytes = sum->bytes;
    out->ideal_sectors = sum->ideal_sectors;
}

/* Requests of all warps and of the loops with a known number of passes. */
static uint64_t most_requests(const eval *e, const smp_request *request) {
    uint64_t count = (uint64_t)e->out->warps * request->parts;
    for (unsigned i = 0; i < e->kernel->loop_count && count <= REQUESTS_MAX; i++)
        if ((request->loops >> i & 1) && e->kernel->loops[i].passes > 0)
            count *= e->kernel->loops[i].passes;
    return count;
}

static void start(eval *e, const smp_layout *kernel, size_t index, smp_totals *out,
                  smp_error *error) {
    memset(e, 0, offsetof(eval, run));
    ct_walk_init(&e->run, kernel, index, error);
    e->run.visit = run_request;
    e->run.user = e;
    e->kernel = kernel;
    e->out = out;
    memset(out, 0, sizeof *out);
    out->warps = (e->run.threads + SMP_LANES - 1) / SMP_LANES;
    out->warps_alike = true;
    e->run.line = index < kernel->access_count ? kernel->accesses[index].line : 0;
}

static smp_status run_draw(eval *e) {
    const smp_request *request = &e->kernel->accesses[e->run.index];
    if (most_requests(e, request) > REQUESTS_MAX)
        return fail_requests(e);
    e->out->active_warps = 0;
    smp_status status = SMP_OK;
    for (uint32_t warp = 0; warp < e->out->warps && status == SMP_OK; warp++) {
        memset(&e->warp_sum, 0, sizeof e->warp_sum);
        status = ct_walk_warp(&e->run, warp);
        close_warp(e);
    }
    return status;
}

/* Random data decide the access if the draws differ. */
static smp_status ask_draws(const eval *asked, bool *is_drawn) {
    eval e;
    smp_totals unused;
    uint64_t first = 0;
    start(&e, asked->kernel, asked->run.index, &unused, asked->run.error);
    e.run.goes_on = asked->run.goes_on;
    e.run.going_user = asked->run.going_user;
    e.is_hashed = true;
    *is_drawn = false;
    for (e.run.draw = 0; e.run.draw < CT_DATA_DRAWS && !*is_drawn; e.run.draw++) {
        e.hash = e.requests = 0;
        smp_status status = run_draw(&e);
        if (status == SMP_E_INTERRUPTED)
            return status;
        if (!e.run.has_drawn)
            return SMP_OK;
        first = e.run.draw == 0 ? e.hash : first;
        *is_drawn = e.hash != first || status != SMP_OK; /* run_warps reports it */
    }
    return SMP_OK;
}

/* Runs all draws. */
static smp_status run_warps(eval *e) {
    bool is_drawn = false;
    smp_status status = e->kernel->data_count > 0 ? ask_draws(e, &is_drawn) : SMP_OK;
    e->out->spread.draws = is_drawn ? CT_DATA_DRAWS : 1;
    for (uint32_t draw = 0; draw < e->out->spread.draws && status == SMP_OK; draw++) {
        e->run.draw = draw;
        status = run_draw(e);
    }
    e->out->spread.is_given = e->run.has_read;
    if (!e->run.has_read)
        e->out->spread = (smp_request_spread){0};
    return status;
}

/* The access is not reached by any thread of this block. */
static smp_status leave_out(eval *e, smp_error *error) {
    const smp_request *request = &e->kernel->accesses[e->run.index];
    if (!request->is_implied)
        return smp_error_set(error, SMP_E_MASK, 0, "no thread of the block takes part");
    e->out->status = SMP_E_NOT_MODELLED;
    e->out->evidence = SMP_OPEN;
    e->out->note = "no thread of this block reaches it";
    e->out->worst.op = request->op;
    e->out->worst.width_bytes = request->width_bytes;
    return SMP_OK;
}

smp_status smp_layout_evaluate_while(const smp_layout *kernel, const smp_arch *arch, size_t index,
                                     smp_going_fn goes_on, void *user, smp_totals *out,
                                     unsigned *line, smp_error *error) {
    eval e;
    start(&e, kernel, index, out, error);
    e.arch = arch;
    e.run.goes_on = goes_on;
    e.run.going_user = user;
    smp_status status = run_warps(&e);
    show_sum(out, &e.sum);
    if (status == SMP_OK && !e.any)
        status = leave_out(&e, error);
    *line = e.run.line;
    return status;
}

smp_status smp_layout_evaluate(const smp_layout *layout, const smp_arch *arch, size_t index,
                               smp_totals *out, unsigned *line, smp_error *error) {
    *line = 0;
    if (index >= layout->access_count)
        return smp_error_set(error, SMP_E_USAGE, -1, "access %zu of %u, counted from 0", index,
                             layout->access_count);
    return smp_layout_evaluate_while(layout, arch, index, NULL, NULL, out, line, error);
}

smp_status smp_layout_visit(const smp_layout *kernel, size_t index, smp_visit_fn visit, void *user,
                            unsigned *line, smp_error *error) {
    eval e;
    smp_totals unused;
    start(&e, kernel, index, &unused, error);
    e.visit = visit;
    e.user = user;
    smp_status status = run_warps(&e);
    *line = e.run.line;
    return status;
}

static smp_status visit_layout(const void *from, smp_visit_fn visit, void *user, smp_error *error) {
    const smp_layout_stream *stream = from;
    smp_status status = SMP_OK;
    for (size_t i = 0; i < stream->layout->access_count && status == SMP_OK; i++)
        status = smp_layout_visit(stream->layout, i, visit, user, stream->line, error);
    return status;
}

const smp_stream smp_stream_layout = {"layout", visit_layout};

/* ---- Accesses of a warp in order ---- */

smp_status smp_layout_trace(const smp_layout *kernel, uint32_t warp, smp_layout_trace_fn show,
                            void *user, unsigned *line, smp_error *error) {
    eval e;
    smp_totals unused;
    start(&e, kernel, CT_WALK_ALL, &unused, error);
    e.show = show;
    e.user = user;
    smp_status status = ct_walk_warp(&e.run, warp);
    *line = e.run.line;
    return status;
}

/* ---- Values of expressions ---- */

smp_status ct_program_value(const smp_layout *kernel, uint32_t warp, const ct_program *program,
                            int64_t values[SMP_LANES], smp_error *error) {
    ct_walk run;
    ct_unknown unknown;
    ct_walk_init(&run, kernel, CT_WALK_NONE, error);
    run.is_first_pass = true;
    ct_walk_need(&run, &program->reads);
    smp_status status = ct_walk_warp(&run, warp);
    if (status != SMP_OK)
        return status;
    run.state.active.mask = ct_walk_lanes(&run, warp);
    run.state.active.unsure = 0;
    run.state.error = error;
    status = ct_program_run(&kernel->code, program, &run.state, values, &unknown);
    if (status != SMP_OK || (unknown.lanes & run.state.active.mask) == 0)
        return status;
    const ct_expr_instruction *from = &kernel->code.items[unknown.origin];
    char text[120];
    ct_origin_describe(from, text, sizeof text);
    if (ct_origin_is(from, CT_REASON_NAME))
        return smp_error_set(error, SMP_E_SYNTAX, from->position, CT_NAME_UNKNOWN,
                             CT_ORIGIN_NAME(from));
    return smp_error_set(error, SMP_E_SYNTAX, from->position, "this depends on %s", text);
}
