/* SPDX-License-Identifier: MIT */
/*
 * An array of structs in global memory as groups of 32 structs, with an array for each member in
 * each, wherever the file, which has a main, allocates, fills, copies and reads it.
 */
#pragma once

#include "thread_edit.h"

/* Of the structs that a parameter of the kernel points to, if neighbouring threads are one of them
 * apart (`stride`, bytes). False: there are none. True with out->why: a use cannot be rewritten.
 * Clear *out in any case. */
bool group_change_find(const char *text, const host_kernel *kernel, uint64_t stride,
                       thread_change *out);
