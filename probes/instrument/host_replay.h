/* SPDX-License-Identifier: MIT */
/*
 * What a graph launches, learned from the callbacks of its nodes in one launch. The API's callback
 * of a node takes 0.8 us (docs/evidence/profile.md, "Cost"), so the nodes of later launches are not
 * seen: what the graph launched before is counted again. That ends with any call that may change an
 * instantiated graph. Now and then the nodes are seen again, to check. The lock is held in all of
 * these; only with SMP_INSTRUMENT_OVERHEAD.
 */
#pragma once

#include "host_shapes.h"

/* A kernel that a graph launches, with those of its nodes that count alike. */
typedef struct replay_part {
    size_t module, function; /* indices in the context's and the module's list */
    unsigned kind;           /* 0 if unknown */
    bool is_seen;            /* it executes no observed instruction, and counts as seen */
    uint64_t launches, blocks, rounds;
} replay_part;

/* The thread's call launches a graph, or a kernel. */
void host_replay_begin(void);
/* One of its nodes was only counted, as `part`. */
void host_replay_node(const replay_part *part);
/* More than that was done for a node, or the call has failed: nothing is learned. */
void host_replay_spoil(void);
/* The call ends; `of` is what it launched. */
void host_replay_end(host_shape *of);

/* True if the graph's next launch needs no callbacks of its nodes. */
bool host_replay_is_known(const host_context *context, const host_shape *of);
/* Counts one more launch of a graph that is known. */
void host_replay_add(host_context *context, const host_shape *of);

/* A driver call begins or ends that may change graphs. */
void host_replay_call(uint32_t id);
/* Nothing is known of any graph from here on. */
void host_replay_forget(void);
