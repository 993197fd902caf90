/* SPDX-License-Identifier: MIT */
/*
 * Rewrites an array of structs in global memory as groups of 32 structs with an array for each
 * member, wherever a file with a main allocates, fills, copies and reads it.
 */
#pragma once

#include "thread_edit.h"

/* Changes the structs that a kernel parameter points to, if neighbouring threads are one struct
 * (`stride` bytes) apart. False if there are none. True with out->why set if a use cannot be
 * rewritten. The caller clears *out in any case. */
bool group_change_find(const char *text, const host_kernel *kernel, uint64_t stride,
                       thread_change *out);
