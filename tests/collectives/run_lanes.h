/* SPDX-License-Identifier: MIT */
/*
 * The program of kernels that a C++ compiler compiled: writes what each of them leaves, one after
 * the other. Argument: how many words.
 */
#pragma once

#include "collective_input.h"
#include "guide_lanes.h"

struct lanes_kernel {
    const char *name;
    void (*function)(u32 *out, const u32 *in);
    int threads;
};

static inline int run_lanes(const lanes_kernel *kernels, int count, int argc, char **argv) {
    static u32 in[COLLECTIVE_IN], out[COLLECTIVE_TRACED];
    const int words = argc > 1 ? atoi(argv[1]) : COLLECTIVE_OUT;
    collective_input(in);
    for (int i = 0; i < count; i++) {
        memset(out, 0, sizeof out);
        lanes::run(kernels[i].name, kernels[i].function, kernels[i].threads, out, in);
        if (fwrite(out, 4, (size_t)words, stdout) != (size_t)words)
            return 1;
    }
    return 0;
}
