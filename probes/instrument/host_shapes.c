/* SPDX-License-Identifier: MIT */
/* A table of shapes, found by kernel, grid and block. */
#define _GNU_SOURCE
#include "host_shapes.h"

#include <stdlib.h>
#include <string.h>

#include "host_capture.h"

enum {
    SHAPES_MAX = 1 << 15,
    SHAPE_INDEX = 2 * SHAPES_MAX,
    PROBES = 64,
    WIDE_BYTES = 512,
    SMALL_BITS = 16, /* no allocation lies below */
    ADDRESS_BITS = 48,
};

/* Looks have kinds of their own only while their kernel has few, and only so often in a process:
 * each kind needs room in the table. */
enum { LATER_BELOW = 16, LATER_MAX = 256 };

/* The part of the program's age that counts as the start of a kernel. */
#define START_SHARE 0.03

static host_shape *shapes[SHAPES_MAX], *shape_index[SHAPE_INDEX];
static size_t shape_count;

static uint64_t two(uint32_t low, uint32_t high) {
    return (uint64_t)high << 32 | low;
}

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const void *context, const host_call *call, const void *called) {
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), (uintptr_t)context ^ (uintptr_t)called * 3);
    hash = mix(hash, two(call->grid[0], call->grid[1]));
    hash = mix(hash, two(call->grid[2], call->block[0]));
    return mix(hash, two(call->block[1], call->block[2]));
}

/* Linux maps memory of a 64-bit process at 0x5... and 0x7..., most of a GPU's included. Pools of
 * the driver may lie elsewhere; allocations are known if launches are kept. */
static bool is_pointer(uint64_t word) {
    return word >> 44 == 0x7 || word >> 44 == 0x5 ||
           (word >> SMALL_BITS != 0 && word >> ADDRESS_BITS == 0 && host_memory_find(word));
}

/* Hashes the words of a parameter that are not pointers; of a large one the first WIDE_BYTES. */
static uint64_t hash_parameter(uint64_t hash, const host_parameter *one, const char *value) {
    const unsigned bytes = one->bytes < WIDE_BYTES ? one->bytes : WIDE_BYTES;
    for (unsigned at = 0; at < bytes; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, value + at, bytes - at < sizeof word ? bytes - at : sizeof word);
        hash = is_pointer(word) ? hash : mix(hash, word);
    }
    return hash;
}

static uint64_t hash_arguments(const host_parameters *of, const host_call *call) {
    uint64_t hash =
        mix(two(call->shared_bytes, call->cluster[0]), two(call->cluster[1], call->cluster[2]));
    size_t size = 0;
    const char *packed = call->values ? NULL : host_packed(call->extra, &size);
    for (unsigned i = 0; i < of->count; i++) {
        const host_parameter *one = &of->list[i];
        if (call->values)
            hash = hash_parameter(hash, one, call->values[one->place]);
        else if (packed && (size_t)one->offset + one->bytes <= size)
            hash = hash_parameter(hash, one, packed + one->offset);
    }
    return hash;
}

static bool is_size(const uint32_t grid[3], const uint32_t block[3], const uint32_t other_grid[3],
                    const uint32_t other_block[3]) {
    enum { BYTES = 3 * sizeof *grid };
    return memcmp(grid, other_grid, BYTES) == 0 && memcmp(block, other_block, BYTES) == 0;
}

static bool is_same(const host_shape *one, const host_context *context, const host_call *call,
                    const void *called) {
    return one->context == context && one->called == called &&
           is_size(one->grid, one->block, call->grid, call->block);
}

static host_shape *add_shape(const host_context *context, const host_call *call,
                             const void *called) {
    host_shape *one = shape_count < SHAPES_MAX ? calloc(1, sizeof *one) : NULL;
    if (!one)
        return NULL;
    one->context = context;
    one->called = called;
    one->function = SMP_INSTRUMENT_NONE;
    memcpy(one->grid, call->grid, sizeof one->grid);
    memcpy(one->block, call->block, sizeof one->block);
    one->blocks = (uint64_t)call->grid[0] * call->grid[1] * call->grid[2];
    return shapes[shape_count++] = one;
}

/* True if launches like this one may be what somebody measures: the program has waited since the
 * first of them. But layers of a network, the first of which loads code, are still its start. */
static bool is_late(const host_shape *first) {
    return attach.synchronized_at > first->arrived &&
           (first->other_count > 0 || host_now() - first->arrived > START_SHARE * host_age());
}

/* Returns the shape with the call's arguments, of those with its kernel, grid and block. If there
 * is no room for it, it counts as one of the others. */
static host_shape *find_other(host_shape *first, const host_call *call, bool may_add) {
    const uint64_t arguments = hash_arguments(&first->parameters, call);
    if (arguments == first->arguments)
        return first;
    for (unsigned i = 0; i < first->other_count; i++)
        if (first->others[i]->arguments == arguments)
            return first->others[i];
    if (first->other_count == SHAPE_KINDS - 1) {
        first->has_more = true;
        return first->others[(arguments >> 32) % (SHAPE_KINDS - 1)];
    }
    host_shape *one = may_add ? add_shape(first->context, call, first->called) : NULL;
    if (!one)
        return NULL;
    one->arguments = arguments;
    one->is_other = true;
    one->of.like = &first->of;
    one->of.is_late = is_late(first);
    return first->others[first->other_count++] = one;
}

host_shape *host_shape_find(const host_context *context, const host_call *call, bool may_add) {
    const void *called = call->function ? call->function : call->graph;
    const uint64_t hash = hash_of(context, call, called);
    for (unsigned i = 0; i < PROBES; i++) {
        host_shape **place = &shape_index[(hash + i) % SHAPE_INDEX];
        if (!*place)
            return may_add ? *place = add_shape(context, call, called) : NULL;
        if (is_same(*place, context, call, called))
            return (*place)->is_known ? find_other(*place, call, may_add) : *place;
    }
    return NULL;
}

/* ---- Kinds ---- */

/* Returns a kind for a new shape. If there are too many, it shares one with another shape. */
static uint8_t new_kind(host_function *function) {
    function->state.has_more_kinds |= function->kinds >= TABLE_KINDS;
    return (uint8_t)(1 + function->kinds++ % TABLE_KINDS);
}

static host_node_shape *find_node(host_function *function, const uint32_t grid[3],
                                  const uint32_t block[3]) {
    for (unsigned i = 0; i < function->node_count; i++) {
        host_node_shape *one = &function->nodes[i];
        if (is_size(one->grid, one->block, grid, block))
            return one;
    }
    return NULL;
}

/* True if launches of a shape already have the function's kind. */
static bool is_taken(int32_t function, uint8_t kind) {
    for (size_t i = 0; i < shape_count; i++)
        if (shapes[i]->function == function && shapes[i]->is_known && shapes[i]->kind[0] == kind)
            return true;
    return false;
}

void host_shape_learn(host_shape *shape, const host_call *call, host_function *function) {
    shape->parameters = function->parameters;
    shape->arrived = host_now();
    shape->arguments = hash_arguments(&shape->parameters, call);
    const host_node_shape *node = find_node(function, shape->grid, shape->block);
    shape->kind[0] = node && node->kind > 0 && !is_taken(function->index, node->kind)
                         ? node->kind
                         : new_kind(function);
}

unsigned host_shape_kind(host_shape *shape, uint64_t look, host_function *function) {
    static unsigned later;
    uint8_t *kind = &shape->kind[look < SHAPE_LOOKS ? (look > 0 ? look - 1 : 0) : SHAPE_LOOKS - 1];
    const bool may_add = function->kinds < LATER_BELOW && later < LATER_MAX;
    if (*kind == 0) {
        later += may_add;
        *kind = may_add ? new_kind(function) : shape->kind[0];
    }
    return *kind;
}

/* ---- Of graphs ---- */

host_node_shape *host_shape_of_node(host_function *function, const san_launch_data *launch,
                                    bool may_add) {
    host_node_shape *found = find_node(function, launch->grid, launch->block);
    function->state.has_more_kinds |= !found && function->node_count == NODE_SHAPES;
    if (found || !may_add || function->node_count == NODE_SHAPES)
        return found;
    const host_shape *like = NULL;
    unsigned count = 0;
    for (size_t i = 0; i < shape_count; i++)
        if (shapes[i]->function == function->index &&
            is_size(shapes[i]->grid, shapes[i]->block, launch->grid, launch->block)) {
            like = shapes[i];
            count++;
        }
    host_node_shape *node = &function->nodes[function->node_count++];
    memcpy(node->grid, launch->grid, sizeof node->grid);
    memcpy(node->block, launch->block, sizeof node->block);
    node->kind = count == 0 ? new_kind(function) : count == 1 ? like->kind[0] : 0;
    function->state.has_more_kinds |= count > 1;
    return node;
}

void host_shape_forget(const void *called) {
    for (size_t i = 0; i < shape_count && called; i++)
        if (shapes[i]->called == called)
            shapes[i]->called = NULL;
}

host_shape *host_shape_at(size_t index) {
    return index < shape_count ? shapes[index] : NULL;
}
