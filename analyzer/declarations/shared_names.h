/* SPDX-License-Identifier: MIT */
/*
 * The names by which a source uses a shared array: its own, pointers to it or into it, integers
 * with its address, parameters of functions that receive it, and members of structs that hold it.
 */
#pragma once

#include "shared_source.h"

enum { SHARED_NAMES_MAX = 16, SHARED_CALLS_MAX = 32 };

/* A parameter has its own extents; an address counts elements of "char". */
typedef struct shared_name {
    shared_declaration of;
    host_span cast;       /* "32" of "(float (*)[32])smem", if it is set to that */
    host_span row_type;   /* name of the row type that it points to */
    host_span parameters; /* parameter list of its function, if it is a parameter */
    host_span given;      /* ": p(p_), ld(ld_)" of the constructor that sets such a member */
    bool is_aggregate; /* it and its `parameters` are members of a struct without a constructor */
    bool is_twin;      /* another array, exchanged with the first one through pointers */
    bool is_flat;      /* a flat pointer to an array of several dimensions */
    bool is_part;      /* points to a varying place in the array */
    bool is_section;   /* points to a fixed place in it, where another array may begin */
} shared_name;

/* A call that passes name `from` to parameter `to`. */
typedef struct shared_call {
    unsigned from, to;
    host_span arguments;
} shared_call;

typedef struct shared_names {
    shared_name list[SHARED_NAMES_MAX]; /* [0] is the array */
    unsigned count;
    shared_call calls[SHARED_CALLS_MAX];
    unsigned call_count;
    bool is_alone; /* do not look for twins */
    size_t lost;   /* a use that passes the array on in a way that is not followed; 0 if none */
} shared_names;

void shared_names_find(const char *text, const shared_declaration *of, shared_names *out);
/* Whether the use passes the array to another name whose uses are rewritten. */
bool shared_use_passes(const char *text, const shared_name *of, const shared_use *use);
/* Whether the name is indexed. */
bool shared_name_steps(const char *text, const shared_name *of);

/* Finds the call that has the use as an argument: the function's name and its arguments. */
bool shared_use_call(const char *text, const shared_use *use, host_span *name,
                     host_span *arguments);
/* Which argument of its function or constructor gives the value of `name`; false: none. */
bool shared_parameter(const shared_name *of, host_span name, unsigned *index);

/* shared_view.c: what a struct of that type and body takes as argument `index`: a parameter of its
 * constructor, else a data member. False if there is none. */
bool shared_view_part(const char *text, host_span type, host_span body, unsigned index,
                      shared_name *out, host_span *part);
/* The member that this part sets, in out->of. False if it is not a plain member. */
bool shared_view_member(const char *text, host_span body, host_span part, shared_name *out);
