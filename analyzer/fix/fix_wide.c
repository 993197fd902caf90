/* SPDX-License-Identifier: MIT */
/*
 * One wider access instead of two or four: for several accesses of an array to neighbouring
 * elements, or for one access whose successive requests are neighbours (a loop). Evaluated with
 * the original layout, and only if every lane's address is aligned.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fix.h"
#include "list.h"
#include "text_buffer.h"

enum { REQUESTS_MAX = 4096, ACCESSES_MAX = 32, WIDE_BYTES = 16 };

typedef struct item {
    smp_access access;
    uint32_t warp;
} item;

/* The requests of one access in order. */
typedef struct sequence {
    size_t index; /* access of the layout */
    size_t count;
    bool is_open; /* too many or not supported */
    item *items;
} sequence;

/* Sequences to join: `count` of them, or one with itself. */
typedef struct join {
    const sequence *part[4];
    uint32_t count;
    bool is_loop;
    uint64_t before, after, requests_before, requests_after;
} join;

/* ---- Requests ---- */

static smp_status keep(void *user, const smp_occurrence *seen, smp_error *error) {
    sequence *s = user;
    if (s->count == REQUESTS_MAX) {
        s->is_open = true;
        return smp_error_set(error, SMP_E_RESULT, -1, "enough");
    }
    s->is_open = !LIST_ROOM(s->items, s->count);
    if (s->is_open)
        return smp_error_memory(error);
    s->items[s->count++] = (item){*seen->access, seen->place ? seen->place->warp : 0};
    return SMP_OK;
}

static bool is_plain(smp_op op) {
    return op == SMP_LD_SHARED || op == SMP_ST_SHARED || op == SMP_LD_GLOBAL || op == SMP_ST_GLOBAL;
}

static bool is_global(const smp_access *access) {
    return smp_ops(NULL)[access->op].space == SMP_SPACE_GLOBAL;
}

static int64_t at(const smp_access *access, unsigned lane) {
    return is_global(access) ? (int64_t)access->address_bytes[lane]
                             : (int64_t)access->offset_bytes[lane];
}

/* True if every lane of b is `bytes` after that of a. */
static bool follows(const smp_access *a, const smp_access *b, int64_t bytes) {
    bool same = a->active_mask == b->active_mask && a->op == b->op;
    for (unsigned l = 0; l < SMP_LANES && same; l++)
        same = !(a->active_mask >> l & 1) || at(b, l) - at(a, l) == bytes;
    return same;
}

/* ---- Cost ---- */

/* Adds wavefronts or sectors; false if not modelled or misaligned. */
static bool add_cost(const smp_fix *fix, const smp_access *access, uint64_t *sum) {
    for (uint32_t a = 0; a < fix->arch_count; a++) {
        smp_counts counts;
        if (smp_predict(&fix->archs[a], access, &counts) != SMP_OK)
            return false;
        *sum += is_global(access) ? counts.transactions : counts.wavefronts_max;
    }
    return true;
}

/* Request k of group g of the join. */
static const smp_access *request_of(const join *j, uint32_t g, uint32_t k) {
    return j->is_loop ? &j->part[0]->items[g * j->count + k].access : &j->part[k]->items[g].access;
}

static bool weigh(const smp_fix *fix, join *j) {
    const uint32_t groups = (uint32_t)j->part[0]->count / (j->is_loop ? j->count : 1);
    for (uint32_t g = 0; g < groups; g++) {
        smp_access wide = *request_of(j, g, 0);
        const uint32_t width = wide.width_bytes;
        for (uint32_t k = 0; k < j->count; k++) {
            const smp_access *one = request_of(j, g, k);
            const uint32_t number = j->is_loop ? g * j->count + k : g;
            const bool is_beside = follows(&wide, one, (int64_t)k * width) &&
                                   j->part[j->is_loop ? 0 : k]->items[number].warp ==
                                       j->part[0]->items[j->is_loop ? g * j->count : g].warp;
            if (!is_beside || !add_cost(fix, one, &j->before))
                return false;
        }
        wide.width_bytes = width * j->count;
        if (!add_cost(fix, &wide, &j->after)) /* rejects misaligned accesses */
            return false;
    }
    j->requests_after = groups;
    j->requests_before = (uint64_t)groups * j->count;
    return groups > 0 && j->after < j->before;
}

/* ---- Candidates ---- */

static bool can_join(const smp_fix *fix, const sequence *a, const sequence *b) {
    const smp_request *x = smp_layout_request(fix->layout, a->index),
                      *y = smp_layout_request(fix->layout, b->index);
    return x->target.array == y->target.array && x->op == y->op &&
           x->width_bytes == y->width_bytes && x->parts == y->parts && x->loops == y->loops &&
           a->count == b->count && a->count > 0 && !b->is_open;
}

/* Finds the accesses that follow `first` by one, two or three widths. */
static bool find_siblings(const smp_fix *fix, const sequence *all, uint32_t count, uint32_t first,
                          uint32_t wanted, join *out) {
    const sequence *a = &all[first];
    const int64_t width = a->count > 0 ? a->items[0].access.width_bytes : 0;
    *out = (join){.part = {a}, .count = wanted};
    for (uint32_t k = 1; k < wanted; k++) {
        for (uint32_t i = 0; i < count && !out->part[k]; i++) {
            const bool is_next = i != first && can_join(fix, a, &all[i]) &&
                                 follows(&a->items[0].access, &all[i].items[0].access, k * width);
            out->part[k] = is_next ? &all[i] : NULL;
        }
        if (!out->part[k])
            return false;
    }
    return weigh(fix, out);
}

static bool find_loop(const smp_fix *fix, const sequence *a, uint32_t wanted, join *out) {
    const uint32_t parts = smp_layout_request(fix->layout, a->index)->parts;
    *out = (join){.part = {a}, .count = wanted, .is_loop = true};
    return a->count > 0 && a->count % wanted == 0 && (parts == 1 || parts % wanted == 0) &&
           weigh(fix, out);
}

static void advise(smp_fix *fix, const join *j) {
    char text[1024];
    text_buffer out = TEXT_BUFFER(text);
    const smp_request *request = smp_layout_request(fix->layout, j->part[0]->index);
    const uint32_t width = request->width_bytes;
    const bool global = is_global(&j->part[0]->items[0].access);
    text_add(&out, "%.*s", TEXT_CUT(request->text, request->length, 60));
    for (uint32_t k = 1; k < j->count && !j->is_loop; k++) {
        const smp_request *other = smp_layout_request(fix->layout, j->part[k]->index);
        text_add(&out, "%s%.*s", k + 1 == j->count ? " and " : ", ",
                 TEXT_CUT(other->text, other->length, 60));
    }
    text_add(
        &out,
        "%s: one access of %u bytes instead of %u of %u: %" PRIu64 " request%s instead of "
        "%" PRIu64 ", %" PRIu64 " %s instead of %" PRIu64 ". Every address is aligned for it; %s.",
        request->parts > 1 ? ", which takes several instructions"
        : j->is_loop       ? " in its loop"
                           : "",
        width * j->count, j->count, width, j->requests_after, j->requests_after == 1 ? "" : "s",
        j->requests_before, j->after, global ? "sectors" : "wavefronts", j->before,
        request->parts > 1 ? "declare it so with __align__"
                           : "the compiler joins them only if it knows this");
    /* The rewritten statements would use parts of a vector, in code that is not checked. */
    if (request->parts == 1)
        text_add(&out, " This is not written automatically: the surrounding statements would use "
                       "the parts of one vector, read by a reinterpret_cast.");
    fix_note_add(&fix->advice, "wider", "%s", text);
}

static void find_one(smp_fix *fix, const sequence *all, uint32_t count, uint32_t first,
                     bool is_joined[]) {
    const sequence *a = &all[first];
    const uint32_t width = a->count > 0 ? a->items[0].access.width_bytes : WIDE_BYTES;
    for (uint32_t wanted = 4; wanted >= 2 && !is_joined[first]; wanted /= 2) {
        join j;
        if (width * wanted > WIDE_BYTES || a->is_open)
            continue;
        if (!find_siblings(fix, all, count, first, wanted, &j) && !find_loop(fix, a, wanted, &j))
            continue;
        for (uint32_t k = 0; k < (j.is_loop ? 1 : j.count); k++)
            is_joined[j.part[k] - all] = true;
        advise(fix, &j);
    }
}

void fix_wide_find(smp_fix *fix) {
    sequence all[ACCESSES_MAX] = {{0}};
    bool is_joined[ACCESSES_MAX] = {false};
    uint32_t count = 0;
    for (size_t i = 0; i < smp_layout_access_count(fix->layout) && count < ACCESSES_MAX; i++) {
        const smp_request *request = smp_layout_request(fix->layout, i);
        unsigned line;
        smp_error error;
        if (!is_plain(request->op) || request->has_rank)
            continue;
        sequence *s = &all[count++];
        s->index = i;
        if (smp_layout_visit(fix->layout, i, keep, s, &line, &error) != SMP_OK)
            s->is_open = true;
    }
    for (uint32_t i = 0; i < count; i++)
        find_one(fix, all, count, i, is_joined);
    for (uint32_t i = 0; i < count; i++)
        free(all[i].items);
}
