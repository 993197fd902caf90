/* SPDX-License-Identifier: MIT */
/*
 * Converts the table on the GPU to sites and requests in the file.
 *
 * The table is read while kernels of other streams may run: incomplete entries have no count or no
 * site yet, and appear in a later snapshot.
 */
#define _GNU_SOURCE
#include "host_budget.h"
#include "host_capture.h"
#include "host_clock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "request_hash.h"

/* Bits of an address within a block's shared memory; the bits above are the block's rank in its
 * cluster. */
#define OWN_BITS UINT32_C(0xffffff)

/* After a snapshot, none is made for this multiple of its duration; the second one with a budget,
 * which has better uses. */
enum { REST = 10, REST_BUDGETED = 200 };

/* Assumed seconds for an entry to be read, sorted and written: tables took up to 35 ms
 * (docs/evidence/profile.md, Cost). */
#define ENTRY_SECONDS 0.25e-6

/* Data that was read, and the results. */
typedef struct snapshot_buffer {
    table_head head;
    table_entry *entries;
    table_site *sites;
    table_worst *worst;
    size_t entry_count, site_count, worst_count;
    uint32_t *order; /* indices of entries, by site and content */
    uint32_t *ends;  /* by site: where its part of `order` ends */
    smp_instrument_site *out;
    smp_instrument_request *requests;
    size_t request_count;
    smp_instrument_state *states;
    size_t state_count;
} snapshot_buffer;

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static bool read_some(void *to, const instrument_table *table, size_t at, size_t bytes,
                      void *stream) {
    char *from = (char *)(uintptr_t)table + at;
    return bytes == 0 || attach.san.MemcpyDeviceToHost(to, from, bytes, stream) == SAN_SUCCESS;
}

static bool read_head(const instrument_table *table, void *stream, snapshot_buffer *b) {
    const bool is_read = read_some(&b->head, table, 0, sizeof b->head, stream);
    b->entry_count = smaller(b->head.entry_count + (size_t)1, TABLE_ENTRIES);
    return is_read;
}

/* Reads as much of the arrays as the counts say. */
static bool read_arrays(const instrument_table *table, void *stream, snapshot_buffer *b) {
    b->site_count = smaller(b->head.site_count + (size_t)1, TABLE_SITES);
    b->worst_count = smaller(b->head.worst_count, TABLE_WORST);
    b->entries = host_memory_room(b->entry_count * sizeof *b->entries);
    b->sites = malloc(b->site_count * sizeof *b->sites);
    b->worst = malloc((b->worst_count + 1) * sizeof *b->worst);
    return b->entries && b->sites && b->worst &&
           read_some(b->entries, table, offsetof(instrument_table, entries),
                     b->entry_count * sizeof *b->entries, stream) &&
           read_some(b->sites, table, offsetof(instrument_table, sites),
                     b->site_count * sizeof *b->sites, stream) &&
           read_some(b->worst, table, offsetof(instrument_table, worst),
                     b->worst_count * sizeof *b->worst, stream);
}

/* ---- Requests ---- */

static uint32_t kind_of(uint32_t what) {
    return what & 15;
}

static bool has_banks(uint32_t what) {
    uint32_t kind = kind_of(what);
    return kind == SMP_INSTRUMENT_SHARED || kind == SMP_INSTRUMENT_MATRIX;
}

static void set_price(smp_instrument_request *out, const table_price *price) {
#define SET(figure) out->figure = price->figure;
    TABLE_SUMMED_LIST(SET)
    SET(ways)
    SET(ways_lanes)
#undef SET
}

static uint64_t count_of(const table_entry *entry) {
    uint64_t count = 0;
    for (unsigned i = 0; i < TABLE_COPIES; i++)
        count += entry->count[i];
    return count;
}

static smp_instrument_request make_request(const table_entry *entry, uint32_t reserved) {
    smp_instrument_request out = {.count = count_of(entry), .mask = entry->lanes};
    uint32_t kind = kind_of(entry->what);
    uint32_t first = entry->offset[entry->lanes ? __builtin_ctz(entry->lanes) : 0] & ~255u;
    set_price(&out, &entry->price);
    for (unsigned lane = 0; lane < TABLE_LANES; lane++) {
        uint32_t offset = entry->offset[lane];
        if ((entry->lanes >> lane & 1) == 0)
            continue;
        if (has_banks(entry->what))
            out.offset_bytes[lane] = (offset & OWN_BITS) - reserved;
        else if (kind == SMP_INSTRUMENT_GLOBAL)
            out.offset_bytes[lane] = (uint64_t)(int64_t)(int32_t)offset;
        else
            out.offset_bytes[lane] = (uint64_t)offset - first;
    }
    return out;
}

static uint32_t hash_of(const smp_instrument_request *request) {
    uint32_t hash = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if ((request->mask >> lane & 1) != 0)
            hash += smp_lane_hash(lane, request->offset_bytes[lane]);
    }
    return hash;
}

static uint32_t cost_of(const smp_instrument_request *request, bool is_by_lanes) {
    if (is_by_lanes)
        return request->wavefronts_lanes;
    return request->ways != 0 ? request->wavefronts : request->sectors;
}

/* Keeps the costlier of two requests, or the one with the larger hash. */
static void offer(smp_instrument_request *worst, const smp_instrument_request *other,
                  bool is_by_lanes) {
    uint32_t cost = cost_of(other, is_by_lanes);
    uint32_t known = worst->mask != 0 ? cost_of(worst, is_by_lanes) : 0;
    if (other->mask == 0 || cost < known || cost == 0)
        return;
    if (cost > known || worst->mask == 0 || hash_of(other) > hash_of(worst))
        *worst = *other;
}

/* ---- Sites ---- */

static const host_function *function_at(const host_context *context, uint64_t pc) {
    for (size_t i = context->module_count; i-- > 0;) {
        const host_module *module = &context->modules[i];
        const bool is_there = module->handle || module->is_in_table;
        for (size_t k = 0; k < module->function_count && is_there; k++) {
            const host_function *function = &module->functions[k];
            if (pc >= function->pc && pc - function->pc < function->code_bytes)
                return function;
        }
    }
    return NULL;
}

static void start_site(host_context *context, const table_site *from, smp_instrument_site *out) {
    const host_function *function = function_at(context, from->pc);
    uint32_t kind = kind_of(from->what);
    *out = (smp_instrument_site){.pc = from->pc,
                                 .function = function ? function->index : SMP_INSTRUMENT_NONE,
                                 .kind = (uint8_t)kind,
                                 .flags = from->what >> 4 & 15,
                                 .matrices = from->what >> 12 & 15,
                                 .other_id = (uint8_t)(from->what >> 16),
                                 .launch_kind = (uint8_t)(from->what >> TABLE_KIND_SHIFT),
                                 .not_judged = from->not_judged,
                                 .ways = from->ways,
                                 .ways_lanes = from->ways_lanes};
    if (function)
        out->offset_bytes = (uint32_t)(from->pc - function->pc);
    if (kind != SMP_INSTRUMENT_OTHER)
        out->width_bytes = (uint8_t)(1u << (from->what >> 8 & 15));
    for (unsigned i = 0; i < TABLE_COPIES; i++) {
        const table_sums *sums = &from->sums[i];
        out->requests += sums->requests;
        out->lanes += sums->lanes;
#define ADD(figure) out->figure += sums->figure;
        TABLE_SUMMED_LIST(ADD)
#undef ADD
    }
    out->requests_lost = has_banks(from->what) ? out->requests : 0;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static void add_request(smp_instrument_site *site, const smp_instrument_request *request) {
    uint64_t times = request->count;
    site->requests += times;
    site->lanes += times * (uint64_t)__builtin_popcount(request->mask);
#define ADD(figure) site->figure += times * request->figure;
    TABLE_SUMMED_LIST(ADD)
#undef ADD
    site->ways = larger(site->ways, request->ways);
    site->ways_lanes = larger(site->ways_lanes, request->ways_lanes);
    if (site->kind == SMP_INSTRUMENT_COPY)
        return; /* the patch offered it, with its targets */
    offer(&site->worst, request, false);
    offer(&site->worst_lanes, request, true);
}

static void add_worst(snapshot_buffer *b) {
    for (size_t i = 0; i < b->worst_count; i++) {
        const table_worst *from = &b->worst[i];
        smp_instrument_request request = {.count = 1, .mask = from->lanes};
        if (from->order == 0 || from->site >= b->site_count)
            continue;
        set_price(&request, &from->price);
        const uint64_t mask = has_banks(b->sites[from->site].what) ? OWN_BITS : UINT64_MAX;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            request.offset_bytes[lane] =
                (from->lanes >> lane & 1) != 0 ? from->offset[lane] & mask : 0;
        smp_instrument_site *site = &b->out[from->site];
        offer(from->is_by_lanes ? &site->worst_lanes : &site->worst, &request,
              from->is_by_lanes != 0);
    }
}

/* ---- Distinct requests ---- */

/* Compares entries of one site. */
static int compare_entries(const void *a, const void *b, void *user) {
    const snapshot_buffer *buffer = user;
    const table_entry *x = &buffer->entries[*(const uint32_t *)a];
    const table_entry *y = &buffer->entries[*(const uint32_t *)b];
    if (x->lanes != y->lanes)
        return x->lanes < y->lanes ? -1 : 1;
    return memcmp(x->offset, y->offset, sizeof x->offset);
}

static bool is_same(const smp_instrument_request *a, const smp_instrument_request *b) {
    return a->mask == b->mask &&
           memcmp(a->offset_bytes, b->offset_bytes, sizeof a->offset_bytes) == 0;
}

/* Appends to the requests of its site; equal requests arrive one after the other. */
static void keep_request(snapshot_buffer *b, smp_instrument_site *site,
                         const smp_instrument_request *request) {
    smp_instrument_request *last = b->request_count > 0 ? &b->requests[b->request_count - 1] : NULL;
    if (site->request_count > 0 && is_same(last, request)) {
        last->count += request->count;
    } else if (site->request_count < SMP_INSTRUMENT_DISTINCT_MAX) {
        if (site->request_count++ == 0)
            site->first_request = (uint32_t)b->request_count;
        b->requests[b->request_count++] = *request;
    } else {
        site->requests_lost += request->count;
    }
}

static bool is_complete(const snapshot_buffer *b, size_t i) {
    return b->entries[i].site != 0 && b->entries[i].site < b->site_count;
}

/* Orders the complete entries by site, then within each site, and returns how many there are. */
static size_t order_entries(snapshot_buffer *b) {
    uint32_t *ends = b->ends;
    size_t count = 0, first = 0;
    for (size_t i = 1; i < b->entry_count; i++)
        if (is_complete(b, i))
            ends[b->entries[i].site]++;
    for (size_t site = 0; site < b->site_count; site++) {
        const size_t own = ends[site];
        ends[site] = (uint32_t)count; /* until its entries are there */
        count += own;
    }
    for (size_t i = 1; i < b->entry_count; i++)
        if (is_complete(b, i))
            b->order[ends[b->entries[i].site]++] = (uint32_t)i;
    for (size_t site = 0; site < b->site_count; first = ends[site++])
        qsort_r(b->order + first, ends[site] - first, sizeof *b->order, compare_entries, b);
    return count;
}

static void add_entries(const host_context *context, snapshot_buffer *b) {
    const size_t count = order_entries(b);
    for (size_t i = 0; i < count; i++) {
        const table_entry *entry = &b->entries[b->order[i]];
        smp_instrument_request request = make_request(entry, context->reserved_bytes);
        smp_instrument_site *site = &b->out[entry->site];
        if (request.count == 0)
            continue;
        add_request(site, &request);
        if (has_banks(entry->what))
            keep_request(b, site, &request);
    }
}

/* ---- Functions ---- */

/* Sets each function's shared memory to the most that any of its sites saw. */
static void set_shared_bytes(host_context *context, const snapshot_buffer *b) {
    for (size_t i = 1; i < b->site_count; i++) {
        const host_function *at = function_at(context, b->sites[i].pc);
        smp_instrument_state *state = at ? &((host_function *)(uintptr_t)at)->state : NULL;
        if (state)
            state->shared_bytes = larger(state->shared_bytes, b->sites[i].shared_bytes);
    }
}

static bool collect_states(const host_context *context, snapshot_buffer *b) {
    size_t count = 0;
    for (size_t i = 0; i < context->module_count; i++)
        count += context->modules[i].function_count;
    b->states = malloc((count + 1) * sizeof *b->states);
    for (size_t i = 0; i < context->module_count && b->states; i++) {
        const host_module *module = &context->modules[i];
        for (size_t k = 0; k < module->function_count; k++) {
            smp_instrument_state *state = &b->states[b->state_count++];
            *state = module->functions[k].state;
            if (host_is_budgeted() && module->functions[k].handle)
                host_budget_times(state->function, state);
        }
    }
    return b->states;
}

/* ---- All of it ---- */

/* Leaves out sites without requests. */
static void drop_empty_sites(snapshot_buffer *b, size_t *count) {
    *count = 0;
    for (size_t i = 1; i < b->site_count; i++) {
        if (b->out[i].requests > 0)
            b->out[(*count)++] = b->out[i];
    }
}

static void write_snapshot(host_context *context, snapshot_buffer *b) {
    size_t count;
    b->order = malloc(b->entry_count * sizeof *b->order);
    b->out = malloc(b->site_count * sizeof *b->out);
    b->requests = host_memory_room(b->entry_count * sizeof *b->requests);
    b->ends = calloc(b->site_count, sizeof *b->ends);
    if (!b->order || !b->out || !b->requests || !b->ends)
        return;
    for (size_t i = 1; i < b->site_count; i++)
        start_site(context, &b->sites[i], &b->out[i]);
    add_worst(b);
    add_entries(context, b);
    set_shared_bytes(context, b);
    drop_empty_sites(b, &count);
    host_live_worst(b->out, count);
    if (!collect_states(context, b))
        return;
    instrument_snapshot head = {.context = context->index,
                                .epoch = context->epoch,
                                .launches = context->launches,
                                .sites_lost = b->head.sites_lost,
                                .site_count = (uint32_t)count,
                                .request_count = (uint32_t)b->request_count,
                                .state_count = (uint32_t)b->state_count};
    (void)instrument_write_snapshot(&attach.writer, &head, b->out, b->requests, b->states);
}

static void clear_buffer(snapshot_buffer *b) {
    free(b->entries);
    free(b->sites);
    free(b->worst);
    free(b->order);
    free(b->ends);
    free(b->out);
    free(b->requests);
    free(b->states);
}

/* After a fault of the program nothing can be read from its context. */
static void note_failure(host_context *context) {
    context->has_failed = true;
    host_note("what the GPU counted after launch %llu could not be read: the context has failed, "
              "the last kernel launched was %s",
              (unsigned long long)context->launches, attach.writer.head->last_kernel);
}

/* True if the next snapshot is due, by how long the last one took. */
static bool is_due(const host_context *context, double now) {
    const int rest = host_is_budgeted() ? REST_BUDGETED : REST;
    return context->readers == 0 &&
           now - context->snapshot_at >= rest * context->snapshot_seconds &&
           (!host_is_budgeted() ||
            (context->looks != context->looks_written && now >= context->snapshot_due));
}

/* Several threads may read at once: the one that began last counts, unless its epoch has ended
 * meanwhile. */
void host_snapshot(host_context *context, void *stream, bool must) {
    const double start = host_now(), last = context->snapshot_at;
    const instrument_table *table = context->table;
    if (!table || context->has_failed || context->is_emptied || (!must && !is_due(context, start)))
        return;
    if (host_is_budgeted() && must)
        host_budget_collect(UINT_MAX);
    snapshot_buffer b = {0};
    const uint32_t epoch = context->epoch;
    const uint64_t turn = ++context->reads, looks = context->looks;
    double due = 0;
    context->readers++;
    host_outside();
    const bool is_entered = must && host_enter(context->handle);
    bool is_read = read_head(table, stream, &b);
    if (is_read && !must && host_is_budgeted())
        due = last + REST_BUDGETED * ENTRY_SECONDS * (double)b.entry_count;
    is_read = is_read && start >= due && read_arrays(table, stream, &b);
    if (is_entered)
        host_leave();
    host_inside();
    context->readers--;
    if (start < due) {
        context->snapshot_due = due;
        return;
    }
    context->looks_written = looks;
    if (context->table == table && context->epoch == epoch && turn > context->written) {
        context->written = turn;
        if (is_read)
            write_snapshot(context, &b);
        else
            note_failure(context);
    }
    clear_buffer(&b);
    host_clock_add(WORK_SNAPSHOT, start);
    context->snapshot_at = host_now();
    context->snapshot_seconds = context->snapshot_at - start;
}

int host_clear_table(const host_context *context, void *memory) {
    const san_face *san = &attach.san;
    uint32_t reserved = context->reserved_bytes;
    uint64_t trace = context->trace_address;
    int result = san->Memset(memory, 0, sizeof(instrument_table), NULL);
    if (result == SAN_SUCCESS)
        result = san->MemcpyHostToDeviceAsync((char *)memory + offsetof(table_head, reserved_bytes),
                                              &reserved, sizeof reserved, NULL);
    if (result == SAN_SUCCESS && trace != 0)
        result = san->MemcpyHostToDeviceAsync((char *)memory + offsetof(table_head, trace), &trace,
                                              sizeof trace, NULL);
    return result == SAN_SUCCESS ? san->StreamSynchronize(NULL) : result;
}

void host_next_epoch(host_context *context) {
    if (!context->is_stale)
        return;
    context->is_stale = false;
    host_snapshot(context, NULL, true);
    for (size_t i = 0; i < context->module_count; i++)
        context->modules[i].is_in_table = false;
    if (!context->table || context->has_failed)
        return;
    void *memory = context->table;
    context->epoch++;
    context->is_emptied = true;
    host_trace_mark(context);
    host_outside();
    (void)host_clear_table(context, memory);
    host_inside();
    context->is_emptied = false;
}
