/* SPDX-License-Identifier: MIT */
/*
 * The names under which a source uses a shared array: its own, pointers that are set to it or into
 * it, integers that hold its address, and parameters of functions that it is passed to.
 */
#pragma once

#include "shared_source.h"

enum { SHARED_NAMES_MAX = 16, SHARED_CALLS_MAX = 32 };

/* A parameter has the extents that it writes; an address counts elements of "char". */
typedef struct shared_name {
    shared_declaration of;
    host_span cast;     /* "32" of "(float (*)[32])smem", which it is set to; nothing: it is not */
    host_span row_type; /* the name that the file gives to the rows it points to */
    host_span parameters; /* of the function whose parameter it is; nothing: it is none */
    bool is_flat;         /* counts elements of an array of several dimensions */
    bool is_part;         /* begins at a place that changes */
} shared_name;

/* Name `from` is given to name `to`, a parameter. */
typedef struct shared_call {
    unsigned from, to;
    host_span arguments;
} shared_call;

typedef struct shared_names {
    shared_name list[SHARED_NAMES_MAX]; /* [0] is the array */
    unsigned count;
    shared_call calls[SHARED_CALLS_MAX];
    unsigned call_count;
    size_t lost; /* a use that passes the array on, which is not followed; 0: none */
} shared_names;

void shared_names_find(const char *text, const shared_declaration *of, shared_names *out);
/* The use gives the array, or a place in it, to one of the names, whose elements are asked for. */
bool shared_use_passes(const char *text, const shared_name *of, const shared_use *use);
/* Elements of the name are asked for beside the one that it is set to. */
bool shared_name_steps(const char *text, const shared_name *of);

/* The call that the use is an argument of: the function's name and all arguments. False: none. */
bool shared_use_call(const char *text, const shared_use *use, host_span *name,
                     host_span *arguments);
/* Which of these parameters has that name; false: none. */
bool shared_parameter(host_span parameters, host_span name, unsigned *index);
