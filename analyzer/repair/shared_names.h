/* SPDX-License-Identifier: MIT */
/*
 * The names under which a source uses a shared array: its own, pointers that are set to it or into
 * it, and parameters of functions that it is passed to.
 */
#ifndef SMP_SHARED_NAMES_H
#define SMP_SHARED_NAMES_H

#include "shared_source.h"

enum { SHARED_NAMES_MAX = 16 };

typedef struct shared_names {
    shared_declaration list[SHARED_NAMES_MAX]; /* [0] is the array; a parameter has the extents
                                                  that it writes */
    unsigned count;
    size_t lost; /* a use that passes the array on, which is not followed; 0: none */
} shared_names;

void shared_names_find(const char *text, const shared_declaration *of, shared_names *out);
/* The use gives the array, or a place in it, to one of the names. */
bool shared_use_passes(const char *text, const shared_declaration *of, const shared_use *use);

/* The call that the use is an argument of: the function's name and all arguments. False: none. */
bool shared_use_call(const char *text, const shared_use *use, host_span *name,
                     host_span *arguments);

#endif
