/* SPDX-License-Identifier: MIT */
/*
 * nvtx_ranges.h: the NVTX ranges that a program is in. Programs have NVTX (version 2 or 3, C, C++,
 * Python, PyTorch) as a header or a library that loads the file which NVTX_INJECTION64_PATH names,
 * and asks it for InitializeInjectionNvtx2. That is this one's library.
 *
 * Ranges that are pushed are of a thread, ranges that are started are of the process. A thread that
 * has pushed none is in those of the main thread: a framework launches the kernels of a backward
 * pass in a thread of its own, while the script waits in its range.
 */
#pragma once

#include <stdbool.h>

enum { NVTX_PATH_BYTES = 256 };

/* The ranges of the calling thread, outermost first: "step/forward". False: there is none. */
bool nvtx_ranges_now(char path[NVTX_PATH_BYTES]);
/* True if the path of the calling thread's ranges contains a match of the extended regular
 * expression (each process has one); NULL: true. */
bool nvtx_ranges_fit(const char *expression);

/* What the header or library of NVTX calls when it is first used. */
__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*table_of)(unsigned));
