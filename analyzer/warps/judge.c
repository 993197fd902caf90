/* SPDX-License-Identifier: MIT */
/*
 * Each site has a table of distinct requests (a mask and 32 offsets), found by a hash that
 * vectorizes. A full table is costed by the model and emptied.
 */
#include "judge.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lane_loops.h"
#include "load_chains.h"

enum {
    TALLY_BITS = 9,
    TALLY_SLOTS = 1 << TALLY_BITS,
    TALLY_FULL = TALLY_SLOTS * 3 / 4,
    ROWS_AT_FIRST = 48,
    PAGE = 4096
};

static const uint32_t multipliers[SMP_LANES] = {
    0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09,
    0x8da6b343, 0xd8163841, 0xcb1ab31f, 0x4f1bbcdd, 0x6c8e9cf5, 0xa54ff53b, 0x510e5281, 0x9b05688d,
    0x1f83d9ab, 0x5be0cd19, 0x428a2f99, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a5, 0xab1c5ed5, 0xd807aa99, 0x12835b01, 0x243185bf, 0x550c7dc3, 0x72be5d75, 0x80deb1ff};

LANES_CLONED static uint32_t hash_of(const uint32_t *offset, uint32_t mask) {
    uint32_t sum = mask * 0x7feb352du;
    for (unsigned l = 0; l < SMP_LANES; l++)
        sum += (offset[l] + 1) * multipliers[l];
    return sum ^ sum >> 15;
}

LANES_CLONED static bool is_equal(const uint32_t *a, const uint32_t *b) {
    uint32_t differs = 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        differs |= a[l] ^ b[l];
    return differs == 0;
}

LANES_CLONED bool emu_is_even(const uint32_t *offset, uint32_t stride) {
    uint32_t differs = 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        differs |= offset[l] ^ (offset[0] + l * stride);
    return differs == 0;
}

static uint32_t popcount(uint32_t mask) {
    return (uint32_t)__builtin_popcount(mask);
}

/* ---- What a request costs ---- */

static void set_sectors(const emu_site *site, uint32_t sectors, smp_profile_request *request) {
    const uint32_t least = (popcount(request->mask) * site->width_bytes + 31) / 32;
    request->sectors = sectors;
    request->ideal_sectors = least < sectors ? least : sectors;
}

/* Local memory interleaves the lanes' words: a sector holds one word of each of eight lanes. */
static uint32_t local_sectors(const emu_request *row, uint32_t width) {
    uint32_t shift = width <= 4 ? 2 : (uint32_t)__builtin_ctz(width), sectors = 0;
    for (unsigned group = 0; group < SMP_LANES; group += 8)
        for (unsigned l = group; l < group + 8; l++) {
            bool is_first = row->mask >> l & 1;
            for (unsigned m = group; m < l && is_first; m++)
                is_first =
                    !(row->mask >> m & 1 && row->offset[m] >> shift == row->offset[l] >> shift);
            sectors += is_first ? 1u << (shift - 2) : 0;
        }
    return sectors;
}

/* Sectors depend only on differences, so addresses are counted from here. Lines of atomics conflict
 * in the tag stage by the parities of address bits (model/tag.c): bits that all lanes share cancel
 * out there, so the others are kept. */
static const uint64_t middle = 1ull << 40;

/* `first`: the first lane's address without its last 8 bits; `differs`: bits in which lanes
 * differ. */
static uint64_t base_of(const emu_site *site, uint64_t first, uint64_t differs) {
    if (site->op != SMP_RED_GLOBAL || site->is_local)
        return 0;
    if (differs >= middle)
        return first;
    return middle | (differs >> 8 == 0 ? 0 : first & (~0ull >> __builtin_clzll(differs)));
}

/* `source`: of a copy, else NULL. Sets *why if the request cannot be costed. */
static void judge_row(const emu_judge *judge, const emu_site *site, const emu_request *row,
                      const uint64_t *source, smp_profile_request *request, uint32_t *ways,
                      const char **why) {
    const bool has_banks = smp_space_has_banks(site->space);
    smp_access access = {.op = site->op,
                         .width_bytes = site->width_bytes,
                         .active_mask = emu_active_mask(site, row->mask)};
    smp_counts counts;
    if (site->is_async) { /* the same number of packets at any width */
        access.op = SMP_ATOM_CLUSTER;
        access.width_bytes = site->width_bytes > 8 ? 8 : site->width_bytes;
    }
    if (has_banks && site->op >= SMP_OP_COUNT) {
        *why = "no rule for this instruction";
        return;
    }
    memcpy(access.offset_bytes, row->offset, sizeof(access.offset_bytes));
    for (unsigned l = 0; l < SMP_LANES; l++)
        access.address_bytes[l] =
            source      ? source[l]
            : has_banks ? 0
                        : (row->base != 0 ? row->base : middle) + (uint64_t)(int32_t)row->offset[l];
    const smp_status status = smp_predict(judge->arch, &access, &counts);
    if (status != SMP_OK ||
        !(counts.valid & (has_banks ? SMP_HAS_WAVEFRONTS : SMP_HAS_TRANSACTIONS))) {
        const bool is_noted = counts.note && (!has_banks || status == SMP_E_NOT_MODELLED);
        *why = is_noted ? counts.note : smp_status_message(status);
        return;
    }
    if (has_banks) {
        request->wavefronts = counts.wavefronts_max;
        request->ideal = counts.ideal;
        *ways = counts.ways;
    }
    if (!has_banks || (source && counts.valid & SMP_HAS_TRANSACTIONS))
        set_sectors(site, counts.transactions, request);
}

/* The model depends only on differences: bits above the highest one in which lanes differ are
 * dropped, except within 256 bytes. */
static void keep_source(const uint64_t *source, smp_profile_request *request) {
    const uint64_t first = source[__builtin_ctz(request->mask)];
    uint64_t differs = 255;
    for (unsigned l = 0; l < SMP_LANES; l++)
        differs |= request->mask >> l & 1 ? source[l] ^ first : 0;
    request->has_source = true;
    for (unsigned l = 0; l < SMP_LANES; l++)
        request->source_bytes[l] =
            request->mask >> l & 1 ? source[l] & (~UINT64_C(0) >> __builtin_clzll(differs)) : 0;
}

/* Keeps the first reason. */
static void note_why(emu_judge *judge, const char *why, smp_profile_site *out) {
    if (why && !out->not_modelled && !(out->not_modelled = strdup(why)))
        judge->is_out_of_memory = true;
}

static void add_row(emu_judge *judge, const emu_site *site, const emu_request *row,
                    const uint64_t *source, smp_profile_site *out) {
    smp_profile_request request = {.mask = row->mask, .count = row->count};
    uint32_t ways = 0;
    const char *why = NULL;
    const uint32_t from =
        site->space == SMP_SPACE_CLUSTER ? row->offset[__builtin_ctz(row->mask)] & ~255u : 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        request.offset_bytes[l] = site->space == SMP_SPACE_SHARED || site->space == SMP_SPACE_COPY
                                      ? row->offset[l]
                                  : row->mask >> l & 1 ? (uint64_t)(int32_t)(row->offset[l] - from)
                                                       : 0;
    if (source)
        keep_source(source, &request);
    if (site->is_local)
        set_sectors(site, local_sectors(row, site->width_bytes), &request);
    else
        judge_row(judge, site, row, source, &request, &ways, &why);
    pthread_mutex_lock(judge->lock);
    out->lacks_sectors = out->lacks_sectors || (source && request.sectors == 0);
    if (smp_site_add(out, &request, ways) != SMP_OK)
        judge->is_out_of_memory = true;
    note_why(judge, why, out);
    pthread_mutex_unlock(judge->lock);
}

static void settle(emu_judge *judge, const emu_site *site);

static void flush_site(emu_judge *judge, uint32_t index) {
    emu_site *site = &judge->sites[index];
    emu_tally *tally = site->tally;
    if (!tally || tally->used == 0)
        return;
    settle(judge, site);
    for (uint32_t i = 0; i < tally->used; i++)
        add_row(judge, site, &tally->rows[i], tally->sources ? tally->sources[i] : NULL,
                &judge->results[index]);
    memset(tally->index, 0, TALLY_SLOTS * sizeof(*tally->index));
    tally->used = 0;
    site->last = site->expected = NULL;
}

/* ---- Counting ---- */

static void free_tally(emu_tally *tally) {
    if (!tally)
        return;
    free(tally->room);
    free(tally->index);
    free(tally->sources);
    free(tally);
}

static emu_tally *new_tally(void) {
    emu_tally *tally = calloc(1, sizeof(*tally));
    if (!tally)
        return NULL;
    tally->index = calloc(TALLY_SLOTS, sizeof(*tally->index));
    if (!tally->index) {
        free_tally(tally);
        return NULL;
    }
    return tally;
}

/* Makes room for more rows: few at first, as most instructions need few. Tables of one size would
 * start at the same place of a page, where the CPU's cache holds few of them, so the start depends
 * on the instruction's index. */
static bool grow(emu_site *site, uint32_t index, bool has_sources) {
    emu_tally *tally = site->tally;
    uint32_t count = tally->room_rows == 0 ? ROWS_AT_FIRST : 2 * tally->room_rows;
    count = count > TALLY_FULL ? TALLY_FULL : count;
    char *room = aligned_alloc(EMU_ALIGN, count * sizeof(*tally->rows) + PAGE);
    void *sources = has_sources ? malloc(count * sizeof(*tally->sources)) : NULL;
    if (!room || (has_sources && !sources)) {
        free(room);
        free(sources);
        return false;
    }
    if (has_sources && tally->used > 0)
        memcpy(sources, tally->sources, tally->used * sizeof(*tally->sources));
    free(tally->sources);
    tally->sources = sources;
    emu_request *rows = (emu_request *)(void *)(room + index * EMU_ALIGN % PAGE);
    if (tally->used > 0)
        memcpy(rows, tally->rows, tally->used * sizeof(*rows));
    site->last = site->last ? rows + (site->last - tally->rows) : NULL;
    site->expected = site->expected ? rows + (site->expected - tally->rows) : NULL;
    free(tally->room);
    tally->room = room;
    tally->rows = site->rows = rows;
    tally->room_rows = count;
    return true;
}

static bool is_row(const emu_request *row, const uint32_t *offset, uint32_t mask, uint64_t base) {
    return row->mask == mask && row->base == base && is_equal(row->offset, offset);
}

/* Classifies a request's offsets. */
static void describe(emu_request *row, uint32_t width) {
    row->first = row->offset[0];
    row->stride = row->offset[1] - row->offset[0];
    row->least = INT32_MAX;
    row->most = INT32_MIN;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        int32_t offset = (int32_t)row->offset[l];
        if (!(row->mask >> l & 1))
            continue;
        row->least = offset < row->least ? offset : row->least;
        row->most = offset > row->most ? offset : row->most;
    }
    row->shape = row->mask != SMP_ALL_LANES || !emu_is_even(row->offset, row->stride) ? REQUEST_ANY
                 : row->stride == 0                                                   ? REQUEST_SAME
                 : row->stride == width ? REQUEST_CONSECUTIVE
                                        : REQUEST_EVEN;
}

/* Finds the request's place in the index, or where it would go. */
static uint32_t slot_of(const emu_tally *tally, uint32_t mask, const uint32_t *offset,
                        uint64_t base) {
    uint32_t at =
        (hash_of(offset, mask) ^ (uint32_t)base ^ (uint32_t)(base >> 32)) & (TALLY_SLOTS - 1);
    while (tally->index[at] != 0 && !is_row(&tally->rows[tally->index[at] - 1], offset, mask, base))
        at = (at + 1) & (TALLY_SLOTS - 1);
    return at;
}

static emu_request *add(emu_tally *tally, uint32_t mask, const uint32_t *offset, uint64_t base,
                        const uint64_t *source) {
    emu_request *row = &tally->rows[tally->used];
    *row = (emu_request){.mask = mask, .base = base, .next = (uint16_t)tally->used};
    memcpy(row->offset, offset, sizeof(row->offset));
    if (source)
        memcpy(tally->sources[tally->used], source, sizeof(*tally->sources));
    tally->used++;
    return row;
}

static emu_request *follow(emu_site *site, emu_request *row) {
    if (site->last)
        site->last->next = (uint16_t)(row - site->rows);
    site->expected = &site->rows[row->next];
    return site->last = row;
}

static emu_request *count(emu_judge *judge, uint32_t index, uint32_t mask, const uint32_t *offset,
                          uint64_t base, const uint64_t *source) {
    emu_site *site = &judge->sites[index];
    if (!site->tally && !(site->tally = new_tally())) {
        judge->is_out_of_memory = true;
        return NULL;
    }
    emu_tally *tally = site->tally;
    if (site->expected && is_row(site->expected, offset, mask, base)) {
        site->expected->count++;
        return follow(site, site->expected);
    }
    if (tally->used >= TALLY_FULL)
        flush_site(judge, index);
    uint32_t at = slot_of(tally, mask, offset, base);
    if (tally->index[at] == 0) {
        if (tally->used == tally->room_rows && !grow(site, index / SLOTS, source)) {
            judge->is_out_of_memory = true;
            return NULL;
        }
        describe(add(tally, mask, offset, base, source), site->width_bytes);
        tally->index[at] = (uint16_t)tally->used;
    }
    emu_request *row = &tally->rows[tally->index[at] - 1];
    row->count++;
    return follow(site, row);
}

emu_request *emu_judge_find(emu_judge *judge, uint32_t site, uint32_t mask,
                            const uint32_t *offset) {
    emu_tally *tally = judge->sites[site].tally;
    uint16_t row = tally->index[slot_of(tally, mask, offset, 0)];
    return row == 0 ? NULL : follow(&judge->sites[site], &tally->rows[row - 1]);
}

void emu_judge_others(emu_judge *judge, uint32_t series, const emu_request *request, const uop *end,
                      uint64_t times) {
    for (uint32_t k = 1; k < judge->program->series[series].count; k++) {
        const uop *u = emu_chain_member(judge->program, series, k);
        uint32_t offset[SMP_LANES];
        EACH_LANE offset[l] = request->offset[l] + (uint32_t)u->series_distance;
        emu_request *row = u < end ? count(judge, emu_chain_site(judge->program, u), SMP_ALL_LANES,
                                           offset, 0, NULL)
                                   : NULL;
        if (row)
            row->count += times - 1;
    }
}

/* Counts the other members of the chain that begins at a site. */
static void settle(emu_judge *judge, const emu_site *site) {
    for (uint32_t i = 0; site->series != 0 && site->tally && i < site->tally->used; i++) {
        emu_request *request = &site->rows[i];
        if (request->others != 0)
            emu_judge_others(judge, site->series - 1, request,
                             judge->program->uops + judge->program->count, request->others);
        request->others = 0;
    }
}

emu_request *emu_judge_shared(emu_judge *judge, uint32_t site, uint32_t lanes,
                              const uint32_t *offset_bytes, const uint64_t *global) {
    uint32_t offset[SMP_LANES];
    for (unsigned l = 0; l < SMP_LANES; l++)
        offset[l] = lanes >> l & 1 ? offset_bytes[l] : 0;
    /* Two copies are one request if their sources start at the same place: the tag stage sees
     * lines, which the start and the lanes' distances decide. */
    uint64_t base = 0;
    for (unsigned l = 0; l < SMP_LANES && global; l++)
        base = lanes >> l & 1 ? (base ^ global[l]) * 0x9e3779b97f4a7c15u : base;
    if (judge->trace)
        emu_trace_put(judge->trace, &judge->sites[site], lanes, offset, global);
    return count(judge, site, lanes, offset, base, global);
}

LANES_CLONED emu_request *emu_judge_global(emu_judge *judge, uint32_t site, uint32_t lanes,
                                           const uint64_t *address) {
    /* Subtracting would mix up the bits that tell the blocks of a cluster apart. */
    const bool is_whole = judge->sites[site].space == SMP_SPACE_CLUSTER;
    const uint64_t at = address[__builtin_ctz(lanes)], first = is_whole ? 0 : at & ~(uint64_t)255;
    uint64_t differs = 0;
    uint32_t offset[SMP_LANES];
    for (unsigned l = 0; l < SMP_LANES; l++) {
        offset[l] = lanes >> l & 1 ? (uint32_t)(address[l] - first) : 0;
        differs |= lanes >> l & 1 ? address[l] ^ at : 0;
    }
    if (judge->trace)
        emu_trace_put(judge->trace, &judge->sites[site], lanes, NULL, address);
    return count(judge, site, lanes, offset, base_of(&judge->sites[site], first, differs), NULL);
}

void emu_judge_other(emu_judge *judge, uint32_t site, uint32_t lanes) {
    judge->sites[site].others++;
    judge->sites[site].other_lanes += popcount(lanes);
}

static void flush_others(emu_judge *judge, const emu_site *site, smp_profile_site *out) {
    if (!site->is_other || site->others == 0)
        return;
    pthread_mutex_lock(judge->lock);
    out->requests += site->others;
    out->lanes += site->other_lanes;
    note_why(judge, site->why_not, out);
    pthread_mutex_unlock(judge->lock);
}

void emu_judge_flush(emu_judge *judge) {
    EACH(const emu_site, site, judge->sites, judge->site_count)
        settle(judge, site);
    for (uint32_t i = 0; i < judge->site_count; i++) {
        flush_site(judge, i);
        flush_others(judge, &judge->sites[i], &judge->results[i]);
    }
}

void emu_judge_clear(emu_judge *judge) {
    for (uint32_t i = 0; judge->sites && i < judge->site_count; i++)
        free_tally(judge->sites[i].tally);
    free(judge->series);
    free(judge->sites);
}

/* ---- Into a trace, beside being judged. Workers take turns, so that rows of one warp keep their
 * order ---- */

static smp_access access_of(const emu_site *site, uint32_t lanes, const uint32_t *offset,
                            const uint64_t *address) {
    smp_access access = {.op = site->op,
                         .width_bytes = site->width_bytes,
                         .active_mask = emu_active_mask(site, lanes)};
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        access.offset_bytes[l] = offset ? offset[l] : (uint32_t)address[l];
        access.address_bytes[l] = address ? address[l] : 0;
    }
    return access;
}

static void keep_reach(const smp_emu_memory *memory, uint32_t lanes, uint32_t width,
                       const uint64_t *address) {
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint64_t at = address[__builtin_ctz(lanes)];
        smp_emu_array *array = smp_emu_memory_find(memory, at);
        if (array && at - array->address + width > array->reach_bytes)
            array->reach_bytes = at - array->address + width;
    }
}

void emu_trace_put(emu_trace *trace, const emu_site *site, uint32_t lanes, const uint32_t *offset,
                   const uint64_t *address) {
    const bool is_known = site->op < SMP_OP_COUNT && !site->is_local;
    const smp_access access = access_of(site, lanes, offset, address);
    pthread_mutex_lock(trace->lock);
    if (trace->memory && address && !site->is_local)
        keep_reach(trace->memory, lanes, site->width_bytes, address);
    if (!is_known)
        trace->left_out++;
    else if (trace->writer && trace->status == SMP_OK &&
             (trace->status = smp_trace_put(trace->writer, &access, &trace->error)) == SMP_OK)
        trace->rows++;
    pthread_mutex_unlock(trace->lock);
}
