/* SPDX-License-Identifier: MIT */
/*
 * The shapes in which a program launches its kernels. Launches of a kernel with other arguments
 * (except pointers) or other dynamic shared memory may access memory otherwise, so they are shapes
 * of their own: for a grid and block, the first SHAPE_KINDS that arrive. The lock is held in all of
 * these.
 */
#pragma once

#include "host_part.h"
#include "launch_budget.h"

/* Looks at one shape are of several kinds, by when they happened: the first, the second and later
 * ones. If their figures differ, the program's data do. */
enum { SHAPE_KINDS = 8, SHAPE_LOOKS = 3 };

/* A kernel in one grid and block shape, or a graph. */
typedef struct host_shape {
    budget_shape of;
    const host_context *context;
    const void *called;
    uint32_t grid[3], block[3];
    int32_t function; /* index of its record; SMP_INSTRUMENT_NONE if none or not known yet */
    uint64_t blocks;
    uint64_t key;              /* host_known.h */
    double arrived;            /* when its first launch began */
    bool is_known, has_shared; /* from its kernel's record */
    bool has_none;             /* its launches execute no observed instruction */
    bool was_quiet;            /* as of its last launch */
    size_t module;             /* its place in the context's list, if is_known */
    uint64_t ranges;           /* of its last launch that was not quiet: host_ranges_hash */
    uint64_t quiet[2];         /* launches that were only counted; [1]: with has_none */
    uint64_t arguments;        /* hash of what the launches of one kernel and grid may differ in */
    uint64_t inside;           /* launches in the NVTX ranges to observe */
    /* of its kernel's launches, 1 to TABLE_KINDS, by look; 0: not known yet */
    uint8_t kind[SHAPE_LOOKS];
    bool is_other; /* it is in `others` of another shape */
    /* Of the first shape with this kernel, grid and block: the kernel's parameters, and the shapes
     * with other arguments. */
    host_parameters parameters;
    struct host_shape *others[SHAPE_KINDS - 1];
    unsigned other_count;
    bool has_more; /* launches with further arguments, which count as one of these shapes */
    struct host_replay *replay; /* of a graph: host_replay.c */
} host_shape;

/* Returns the call's shape; NULL if there are too many, or if it is new and `may_add` is false. */
host_shape *host_shape_find(const host_context *context, const host_call *call, bool may_add);
/* The call of a new shape launches that function. */
void host_shape_learn(host_shape *shape, const host_call *call, host_function *function);
/* The kind of the shape's look with that number, from 1. */
unsigned host_shape_kind(host_shape *shape, uint64_t look, host_function *function);
/* Returns the grid and block in which a graph launches the function; NULL if there are too many, or
 * if it is new and `may_add` is false. */
host_node_shape *host_shape_of_node(host_function *function, const san_launch_data *launch,
                                    bool may_add);
/* The driver may use the handle for another function from now on. */
void host_shape_forget(const void *called);
/* Returns one shape after another, in order of arrival; NULL after the last. */
host_shape *host_shape_at(size_t index);
