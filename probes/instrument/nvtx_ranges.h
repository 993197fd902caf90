/* SPDX-License-Identifier: MIT */
/*
 * The NVTX ranges that a program is in. NVTX (version 2 or 3, C, C++, Python, PyTorch) is a header
 * or library that loads the file NVTX_INJECTION64_PATH, which is our library, and calls its
 * InitializeInjectionNvtx2.
 *
 * Pushed ranges belong to a thread, started ranges to the process. A thread that has pushed none is
 * in the ranges of the main thread: a framework launches the kernels of a backward pass in a thread
 * of its own while the script waits in its range.
 */
#pragma once

#include <stdbool.h>

enum { NVTX_PATH_BYTES = 256 };

/* Stores the ranges of the calling thread, outermost first: "step/forward". False if there are
 * none. */
bool nvtx_ranges_now(char path[NVTX_PATH_BYTES]);
/* True if the path of the calling thread's ranges contains a match of the extended regular
 * expression (one per process), or if that is NULL. */
bool nvtx_ranges_fit(const char *expression);

/* Called by NVTX when it is first used. */
__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*table_of)(unsigned));
