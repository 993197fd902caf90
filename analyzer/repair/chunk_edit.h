/* SPDX-License-Identifier: MIT */
/*
 * A thread's chunk of neighbouring elements, in the text of a kernel, made one of elements that are
 * as far apart as there are threads.
 */
#pragma once

#include "thread_edit.h"

/* Element i * P + k, or i + k where i is a multiple of P, becomes i + k * threads: the same
 * elements, each by another thread. False: the kernel has no such chunks, or uses i in another way.
 * Clear *out in any case. */
bool chunk_change_find(const char *text, const host_kernel *kernel, thread_change *out);
