/* SPDX-License-Identifier: MIT */
/* Replaces adjacent elements that a thread reads one by one by one vector. */
#pragma once

#include "thread_edit.h"

/* Turns in[4 * i], in[4 * i + 1] ... into members of one float4, read before the first of them.
 * This is done only if it is correct for all arguments: all reads are in one block without a
 * condition, nothing is stored between them (or `in` is __restrict__), and every launch in the
 * file passes a pointer from cudaMalloc. False if there are none. The caller clears *out in any
 * case. */
bool wide_change_find(const char *text, const host_kernel *kernel, thread_change *out);
