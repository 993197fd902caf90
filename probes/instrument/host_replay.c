/* SPDX-License-Identifier: MIT */
/* The launches of graphs as sums by kernel and kind. */
#define _GNU_SOURCE
#include "host_replay.h"

#include <stdlib.h>
#include <string.h>

#include "live_page.h"

enum {
    PARTS_MAX = 256,
    CHECK_EACH = 64, /* one in so many launches is seen again */
};

typedef struct host_replay {
    uint64_t age; /* `changes` when it was learned */
    bool is_old;  /* something else was seen since */
    size_t count;
    replay_part parts[];
} host_replay;

static uint64_t changes; /* calls so far that may have changed graphs */

/* What the thread's launch has shown so far. */
static __thread struct {
    bool is_learning;
    uint64_t age;
    size_t count;
    replay_part parts[PARTS_MAX];
} now;

void host_replay_begin(void) {
    now.is_learning = attach.knows_graph_changes && host_is_budgeted();
    now.age = changes;
    now.count = 0;
}

void host_replay_spoil(void) {
    now.is_learning = false;
}

static bool is_same(const replay_part *a, const replay_part *b) {
    return a->module == b->module && a->function == b->function && a->kind == b->kind &&
           a->is_seen == b->is_seen;
}

void host_replay_node(const replay_part *part) {
    size_t at = 0;
    while (at < now.count && !is_same(&now.parts[at], part))
        at++;
    if (!now.is_learning || at == PARTS_MAX) {
        now.is_learning = false;
        return;
    }
    if (at == now.count) {
        now.parts[now.count++] = *part;
        return;
    }
    now.parts[at].launches += part->launches;
    now.parts[at].blocks += part->blocks;
    now.parts[at].rounds += part->rounds;
}

static bool is_as_learned(const host_replay *known) {
    if (known->count != now.count)
        return false;
    for (size_t i = 0; i < now.count; i++)
        if (!is_same(&known->parts[i], &now.parts[i]) ||
            known->parts[i].launches != now.parts[i].launches ||
            known->parts[i].blocks != now.parts[i].blocks)
            return false;
    return true;
}

/* Only the device, or a call that the API does not tell of, can have changed it. */
static void note_change(void) {
    static bool is_told;
    if (!is_told)
        host_note("a CUDA graph changes in a way that is not followed: the counts of its kernels "
                  "may be off by up to %d of its launches",
                  CHECK_EACH);
    is_told = true;
}

void host_replay_end(host_shape *of) {
    host_replay *known = of->replay;
    if (known)
        known->is_old = true;
    const bool is_learned = now.is_learning && now.count > 0 && now.age == changes;
    now.is_learning = false;
    if (!is_learned)
        return;
    if (known && known->age == now.age && !is_as_learned(known))
        note_change();
    free(known);
    of->replay = malloc(sizeof *of->replay + now.count * sizeof now.parts[0]);
    if (!of->replay)
        return;
    *of->replay = (host_replay){.age = now.age, .count = now.count};
    memcpy(of->replay->parts, now.parts, now.count * sizeof now.parts[0]);
}

bool host_replay_is_known(const host_context *context, const host_shape *of) {
    return of->replay && !of->replay->is_old && of->replay->age == changes &&
           context->patched == 0 && host_ranges_hash() == 0 && of->of.launches % CHECK_EACH != 0;
}

void host_replay_add(host_context *context, const host_shape *of) {
    uint64_t launches = 0, seen = 0;
    for (size_t i = 0; i < of->replay->count; i++) {
        const replay_part *part = &of->replay->parts[i];
        smp_instrument_state *state =
            &context->modules[part->module].functions[part->function].state;
        launches += part->launches;
        seen += part->is_seen ? part->launches : 0;
        if (part->is_seen || part->kind > 0)
            state->kind_blocks[part->is_seen ? 0 : part->kind] += part->blocks;
        if (part->is_seen) {
            state->launches += part->launches;
            state->blocks += part->blocks;
            state->rounds += part->rounds;
            state->kind_seen[0] += part->blocks;
        } else {
            state->launches_skipped += part->launches;
            state->blocks_skipped += part->blocks;
        }
    }
    attach.writer.head->launches += seen;
    context->launches += seen;
    live_page_add(launches, seen);
}

void host_replay_call(uint32_t id) {
    changes += id == SAN_GRAPH_NODE || id == SAN_GRAPH_NODE_V2 || id == SAN_GRAPH_NODE_ANY ||
               id == SAN_GRAPH_CHILD || id == SAN_GRAPH_ENABLED || id == SAN_GRAPH_END ||
               id == SAN_GRAPH_UPDATE || id == SAN_GRAPH_UPDATE_V2;
}

void host_replay_forget(void) {
    changes++;
}
