// SPDX-License-Identifier: MIT
// check_cuda.cuh: a test that goes on after an error of CUDA would say something else.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                         \
    do {                                                                    \
        cudaError_t status = (call);                                        \
        if (status != cudaSuccess) {                                        \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)
