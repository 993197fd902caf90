/* SPDX-License-Identifier: MIT */
/*
 * Writes a layout that a profile's requests suggest into the source that declares the array. This
 * is advice: nothing is compiled or run.
 */
#pragma once

#include "profile_fix.h"

typedef struct advised_source {
    const char *name; /* name in the patch */
    const char *text;
    size_t length;
} advised_source;

/* The unified diff, which the caller frees. NULL: out of memory, or the layout cannot be written as
 * it was judged: the source has no such array, or uses of it that are not understood. */
char *advised_patch(const advised_source *source, const smp_kernel_profile *kernel,
                    const smp_shared_array *array, const smp_seen_fix *fix);
