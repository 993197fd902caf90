/* SPDX-License-Identifier: MIT */
/*
 * The order of a program's work, for finding races. Work in a stream follows earlier work in it,
 * work before an event that it waits for, and work that the host waited for; the legacy default
 * stream and blocking streams follow each other (CUDA C++ Programming Guide, "Streams"). A clock
 * holds, for each stream, the number of its pieces of work that come before. Branches of a graph,
 * which have no order, count as streams. All threads of the host count as one.
 */
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "runtime.h"

enum { NON_BLOCKING = 1 };

static smp_beside *beside;
static rt_order_streams streams;
static uint32_t stream_count, work_count;
static rt_clock host, words; /* what the host waited for; what streams wrote for other streams */
static smp_beside_work now;  /* the running work */
static rt_clock early;       /* for a launch that may begin before the previous one ends */
static bool is_lost;

void rt_order_begin(const rt_order_streams *all) {
    if (!beside && getenv("SMP_RUNTIME_RACES"))
        beside = smp_beside_new();
    streams = *all;
}

/* ---- Clocks ---- */

static void lose(void) {
    if (!is_lost)
        rt_note("out of memory for the order of streams; races between launches may be wrong");
    is_lost = true;
}

static bool make_room(rt_clock *clock, uint32_t count) {
    for (; clock->count < count; clock->count++)
        if (!LIST_ROOM(clock->of, clock->count)) {
            lose();
            return false;
        }
    return true;
}

static void join(rt_clock *to, const rt_clock *from) {
    if (!make_room(to, from->count))
        return;
    for (uint32_t i = 0; i < from->count; i++)
        to->of[i] = to->of[i] > from->of[i] ? to->of[i] : from->of[i];
}

void rt_clock_clear(rt_clock *clock) {
    free(clock->of);
    *clock = (rt_clock){0};
}

static void copy(rt_clock *to, const rt_clock *from) {
    rt_clock_clear(to);
    join(to, from);
}

/* ---- Streams ---- */

/* The clock before its next work. */
static void catch_up(cudaStream_t stream) {
    join(&stream->clock, &host);
    if (stream != streams.legacy) {
        if ((stream->flags & NON_BLOCKING) == 0)
            join(&stream->clock, &streams.legacy->clock);
        return;
    }
    join(&stream->clock, &streams.per_thread->clock);
    for (cudaStream_t s = *streams.made; s; s = s->next)
        if ((s->flags & NON_BLOCKING) == 0)
            join(&stream->clock, &s->clock);
}

/* Begins work after `before`; *after becomes the clock after it. */
static void begin_work(uint32_t index, rt_clock *before, rt_clock *after) {
    (void)make_room(before, stream_count + 1);
    now = (smp_beside_work){
        .stream = index, .number = ++work_count, .before = before->of, .streams = before->count};
    copy(after, before);
    if (make_room(after, index + 1))
        after->of[index] = now.number;
}

void rt_order_work(cudaStream_t stream, bool is_early) {
    if (!beside)
        return;
    catch_up(stream);
    if (stream->order == 0)
        stream->order = ++stream_count;
    is_early &= stream->lets_next_begin;
    if (is_early)
        copy(&early, &stream->before);
    copy(&stream->before, &stream->clock);
    begin_work(stream->order, &stream->before, &stream->clock);
    if (is_early && make_room(&early, now.streams))
        now.early = early.of;
    stream->lets_next_begin = false;
}

void rt_order_launched(cudaStream_t stream, bool lets_next_begin) {
    if (beside)
        stream->lets_next_begin = lets_next_begin;
}

const smp_beside_work *rt_order_now(void) {
    return &now;
}

smp_beside *rt_order_beside(void) {
    return beside;
}

/* ---- Who waits ---- */

void rt_order_host_waits(cudaStream_t stream) {
    if (!beside)
        return;
    catch_up(stream);
    join(&host, &stream->clock);
}

cudaError_t rt_order_done(cudaError_t result) {
    if (beside)
        rt_order_host_waits(streams.legacy);
    return result;
}

void rt_order_host_waits_for_all(void) {
    if (!beside)
        return;
    rt_order_host_waits(streams.legacy);
    for (cudaStream_t s = *streams.made; s; s = s->next)
        join(&host, &s->clock);
}

void rt_order_host_waits_for(cudaEvent_t event) {
    if (beside)
        join(&host, &event->clock);
}

void rt_order_record(cudaEvent_t event, cudaStream_t stream) {
    if (!beside)
        return;
    catch_up(stream);
    copy(&event->clock, &stream->clock);
}

void rt_order_record_now(cudaEvent_t event) {
    if (!beside)
        return;
    const rt_clock before = {(uint32_t *)(uintptr_t)now.before, now.streams};
    copy(&event->clock, &before);
    if (make_room(&event->clock, now.stream + 1))
        event->clock.of[now.stream] = now.number;
}

void rt_order_wait(cudaStream_t stream, cudaEvent_t event) {
    if (beside)
        join(&stream->clock, &event->clock);
}

void rt_order_word(cudaStream_t stream, bool writes) {
    if (!beside)
        return;
    catch_up(stream);
    if (writes)
        join(&words, &stream->clock);
    else
        join(&stream->clock, &words);
}

/* ---- Copies ---- */

static bool touch(const void *at, size_t bytes, bool writes, smp_beside_race *out) {
    const uint64_t address = (uintptr_t)at;
    const smp_emu_array *array = smp_emu_memory_find(rt_memory(), address);
    return array && address - array->address + bytes <= array->size_bytes &&
           smp_beside_copy(beside, &now, array, address - array->address, bytes, writes, out);
}

/* Memory outside the GPU's arrays does not count. */
bool rt_order_touch(const rt_box *box, const struct cudaExtent *extent, bool writes,
                    smp_beside_race *out) {
    const uint8_t *at = box->at;
    smp_beside_race other;
    bool races = false;
    now.name = "a copy";
    for (size_t z = 0; beside && z < extent->depth; z++)
        for (size_t y = 0; y < extent->height; y++)
            races |= touch(at + z * box->layer + y * box->pitch, extent->width, writes,
                           races ? &other : out);
    return races;
}

void rt_order_freed(uint64_t address) {
    if (beside)
        smp_beside_forget(beside, address);
}

/* ---- Graphs ---- */

static cudaStream_t graph_stream; /* stream whose graph runs, or NULL */
static cudaGraph_t graph_now;

/* A node that continues after the end of one of its dependencies is in that lane, others are in a
 * new one. Lanes are streams that the graph's stream owns. 0 if out of memory. */
static uint32_t lane_of(cudaStream_t stream, cudaGraphNode_t node) {
    for (size_t i = 0; i < node->after.count; i++) {
        cudaGraphNode_t before = node->after.list[i];
        if (!before->is_followed) {
            before->is_followed = true;
            return before->lane;
        }
    }
    if (!make_room(&stream->lanes, stream->lanes_used + 1))
        return 0;
    uint32_t *lane = &stream->lanes.of[stream->lanes_used++];
    if (*lane == 0)
        *lane = ++stream_count;
    return *lane;
}

void rt_order_graph(cudaStream_t stream, cudaGraph_t graph) {
    if (!beside || graph_stream)
        return;
    catch_up(stream);
    graph_stream = stream;
    graph_now = graph;
    stream->lanes_used = 0;
    for (cudaGraphNode_t n = graph->nodes; n; n = n->next)
        n->is_followed = false;
}

/* The nodes of a graph in a graph are one piece of work. */
void rt_order_node(cudaGraphNode_t node) {
    if (!graph_stream || node->graph != graph_now)
        return;
    copy(&node->before, &graph_stream->clock);
    for (size_t i = 0; i < node->after.count; i++)
        join(&node->before, &node->after.list[i]->clock);
    if (node->work.kind == RT_WORK_WAIT)
        join(&node->before, &node->work.event->clock);
    node->lane = lane_of(graph_stream, node);
    begin_work(node->lane, &node->before, &node->clock);
}

void rt_order_graph_ends(cudaGraph_t graph) {
    if (!graph_stream || graph != graph_now)
        return;
    for (cudaGraphNode_t n = graph->nodes; n; n = n->next)
        join(&graph_stream->clock, &n->clock);
    graph_stream = NULL;
}
