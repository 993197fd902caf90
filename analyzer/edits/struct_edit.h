/* SPDX-License-Identifier: MIT */
/* Adds an alignment to a struct, so that its members move in one access. */
#pragma once

#include "thread_edit.h"

/* "struct NAME {...};" or "typedef struct {...} NAME;" */
typedef struct struct_definition {
    size_t begin, attribute; /* beginning, and the place for an attribute */
    host_span name, body;
} struct_definition;

/* Finds the struct that a kernel parameter points to, if the file defines it without attributes. */
bool struct_of_kernel(const char *text, const host_kernel *kernel, struct_definition *out);
/* Writes "struct __align__(16) particle" for "struct particle" if neighbouring threads are `bytes`
 * apart. False if it has an alignment, or its size is not one access. The caller clears *out in
 * any case. */
bool struct_change_find(const char *text, const host_kernel *kernel, uint64_t bytes,
                        thread_change *out);
