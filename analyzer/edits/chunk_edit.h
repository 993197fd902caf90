/* SPDX-License-Identifier: MIT */
/*
 * Rewrites a kernel in which each thread handles a chunk of adjacent elements so that its elements
 * are as far apart as there are threads.
 */
#pragma once

#include "thread_edit.h"

/* Replaces element i * P + k (or i + k where i is a multiple of P) by i + k * threads: the same
 * elements, each handled by a different thread. False if the kernel has no such chunks or uses i
 * in another way. The caller clears *out in any case. */
bool chunk_change_find(const char *text, const host_kernel *kernel, thread_change *out);
