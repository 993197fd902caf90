/* SPDX-License-Identifier: MIT */
/*
 * One vector in the text of a kernel for the neighbouring elements that a thread reads one by one.
 */
#pragma once

#include "thread_edit.h"

/* in[4 * i], in[4 * i + 1] ... become members of one float4, read in front of the first of them.
 * Only where that is the same whatever the arguments are: all of them are read in one block without
 * a condition, nothing is stored between them (or `in` is __restrict__), and every launch of the
 * file passes what cudaMalloc gave. False: there is none. Clear *out in any case. */
bool wide_change_find(const char *text, const host_kernel *kernel, thread_change *out);
