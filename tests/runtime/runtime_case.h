/* SPDX-License-Identifier: MIT */
/* What the suites of the stand-in runtime have in common: kernels of kernels.cu, and arrays. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "host.h"
#include "nvdisasm.h"
#include "suite.h"

#define OK(call) ck_assert_msg((last = (call)) == cudaSuccess, #call ": %s", cudaGetErrorName(last))
#define GIVES(code, call)                                                                       \
    ck_assert_msg((last = (call)) == (code), #call ": %s, expected %s", cudaGetErrorName(last), \
                  cudaGetErrorName(code))

enum { N = 1000, BLOCK = 128 };

static cudaError_t last;
static cudaLibrary_t library;
static float values[N];

static const char cubin[] = SMP_DATA "/programs/runtime.cubin";

static inline const void *kernel_of(const char *name) {
    cudaKernel_t kernel;
    OK(cudaLibraryGetKernel(&kernel, library, name));
    return kernel;
}

static inline dim3 grid_of(int n) {
    return (dim3){(unsigned)(n + BLOCK - 1) / BLOCK, 1, 1};
}

static const dim3 block = {BLOCK, 1, 1};

static inline cudaError_t scale(float *x, float factor, int n, cudaStream_t stream) {
    void *arguments[] = {&x, &factor, &n};
    return cudaLaunchKernel(kernel_of("scale"), grid_of(n), block, arguments, 0, stream);
}

static inline cudaError_t add_to(float *x, const float *y, int n, cudaStream_t stream) {
    void *arguments[] = {&x, &y, &n};
    return cudaLaunchKernel(kernel_of("add_to"), grid_of(n), block, arguments, 0, stream);
}

static inline float *on_device(void) {
    float *x;
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    OK(cudaMalloc((void **)&x, sizeof values));
    OK(cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice));
    return x;
}

static inline void expect_scaled(const float *x, float factor, float plus) {
    OK(cudaMemcpy(values, x, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        ck_assert_msg(values[i] == (float)i * factor + plus, "[%d] %g", i, (double)values[i]);
}

/* What is disassembled here is there in the process of each test. */
static inline void warm_up(void) {
    static const char *const names[] = {"scale", "add_to", "work_on", "reverse", "ranks"};
    struct cudaFuncAttributes about;
    cudaKernel_t kernel;
    if (cudaLibraryLoadFromFile(&library, cubin, NULL, NULL, 0, NULL, NULL, 0) != cudaSuccess)
        return; /* the tests will say why */
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cudaLibraryGetKernel(&kernel, library, names[i]) == cudaSuccess)
            (void)cudaFuncGetAttributes(&about, kernel);
}

/* False if nvdisasm is not installed: the suite is skipped. */
static inline bool is_ready(void) {
    if (suite_lacks_nvdisasm())
        return false;
    warm_up();
    return true;
}
