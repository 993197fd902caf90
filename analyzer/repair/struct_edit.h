/* SPDX-License-Identifier: MIT */
/*
 * A structure's alignment in the text of a file, so that its members are moved at once.
 */
#pragma once

#include "thread_edit.h"

/* "struct NAME {...};" or "typedef struct {...} NAME;" */
typedef struct struct_definition {
    size_t begin, attribute; /* of all, and where an attribute would stand */
    host_span name, body;
} struct_definition;

/* The structure that a parameter of the kernel points to, if the file defines it, without
 * attributes; false: none. */
bool struct_of_kernel(const char *text, const host_kernel *kernel, struct_definition *out);
/* "struct __align__(16) particle" for "struct particle", where neighbours are so many bytes apart.
 * False: it has an alignment, or is of another size than the machine can move at once. Clear *out
 * in any case. */
bool struct_change_find(const char *text, const host_kernel *kernel, uint64_t bytes,
                        thread_change *out);
