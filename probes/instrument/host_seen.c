/* SPDX-License-Identifier: MIT */
/*
 * Enables the API's callback of launches only while it is needed. It costs as much as the two
 * callbacks of a launch's driver call (docs/evidence/profile.md, "Cost"). With a budget it is
 * enabled only while a call is in progress that takes the long way (host_leave.c); other launches
 * are counted when their call ends. So is the callback of a graph's nodes, while graphs are
 * launched whose nodes are not known (host_replay.c). While a stream is captured, all calls take
 * the long way, because a launch into a graph runs nothing.
 */
#define _GNU_SOURCE
#include "host_budget.h"

enum { INVALIDATED = 901 }; /* CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, which ends a capture, too */

/* A callback that is enabled while calls need it. */
typedef struct needed {
    int domain;
    uint32_t id;
    int calls;
    bool is_off;
} needed;

static void see(needed *what, int more) {
    what->calls += more;
    if (!host_is_budgeted() || what->is_off == (what->calls == 0))
        return;
    what->is_off = what->calls == 0;
    host_enable(!what->is_off, what->domain, what->id);
}

void host_see_call(bool is_graph, int more) {
    static needed launches = {.domain = SAN_DOMAIN_LAUNCH, .id = SAN_LAUNCH_BEGIN},
                  nodes = {.domain = SAN_DOMAIN_GRAPHS, .id = SAN_GRAPHS_NODE_LAUNCH_BEGIN};
    see(is_graph ? &nodes : &launches, more);
}

void host_follow_unknown(uint32_t id) {
    static bool is_told[2];
    const bool is_graph = id == SAN_LAUNCH_ARGUMENTS,
               is_launch = is_graph || id == SAN_LAUNCH_OLD || id == SAN_LAUNCH_GRID ||
                           id == SAN_LAUNCH_GRID_ASYNC || id == SAN_LAUNCH_MANY;
    if (is_launch && !is_told[is_graph])
        host_see_call(is_graph, 1); /* for good */
    is_told[is_graph] |= is_launch;
}

static int result_of(const san_api_data *data) {
    return data->result ? *(const int *)data->result : 0;
}

bool host_has_failed(const san_api_data *data) {
    return result_of(data) != 0;
}

void host_follow_capture(uint32_t id, const san_api_data *data) {
    const bool is_end = id == SAN_CAPTURE_END || id == SAN_CAPTURE_END_PTSZ,
               is_begin = id == SAN_CAPTURE || id == SAN_CAPTURE_PTSZ || id == SAN_CAPTURE_V2 ||
                          id == SAN_CAPTURE_V2_PTSZ || id == SAN_CAPTURE_GRAPH ||
                          id == SAN_CAPTURE_GRAPH_PTSZ;
    if (is_begin && data->site == SAN_API_ENTER)
        attach.captures++;
    if (data->site == SAN_API_ENTER || attach.captures == 0)
        return;
    const bool is_over = !host_has_failed(data) || result_of(data) == INVALIDATED;
    attach.captures -= is_end ? is_over : is_begin && host_has_failed(data);
}
