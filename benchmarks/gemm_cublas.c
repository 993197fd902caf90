/* SPDX-License-Identifier: MIT */
/*
 * The product by cuBLAS, the baseline of gemm-tile. The library is opened when a
 * product is requested, and the constants below are those of its documented interface, so it is
 * needed neither to build nor to start.
 */
#include "gemm_tile.h"

#include <dlfcn.h>

enum { NORMAL = 0, FLOAT32 = 0 /* CUDA_R_32F */, FLOAT16 = 2, SUM_IN_FLOAT32 = 68, ANY_WAY = -1 };

typedef int create_fn(void **handle);
typedef int multiply_fn(void *handle, int turn_a, int turn_b, int m, int n, int k,
                        const void *alpha, const void *a, int a_type, int a_pitch, const void *b,
                        int b_type, int b_pitch, const void *beta, void *c, int c_type, int c_pitch,
                        int compute_type, int algorithm);

/* Opened once, for the life of the process. */
static multiply_fn *open_library(void **handle) {
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                        "libcublas.so"};
    static multiply_fn *multiply;
    static void *opened;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !multiply; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        create_fn *create;
        if (!library)
            continue;
        *(void **)&create = dlsym(library, "cublasCreate_v2");
        if (create && create(&opened) == 0)
            *(void **)&multiply = dlsym(library, "cublasGemmEx");
    }
    *handle = opened;
    return multiply;
}

/* cuBLAS stores matrices by columns, so it sees all three transposed. It is asked for B A of the
 * matrices that it takes for B and A. */
smp_status smp_gemm_launch_cublas(const smp_kernel_launch *run, smp_error *error) {
    const smp_gemm_plan plan = smp_gemm_plan_of(run->problem);
    const int side = (int)plan.side, depth = (int)plan.depth;
    const int type = run->problem->element == SMP_HALF ? FLOAT16 : FLOAT32;
    const uint64_t bytes = smp_element_info(run->problem->element)->bytes;
    const char *a = run->in, *b = a + plan.side * plan.depth * bytes;
    const float one = 1, none = 0;
    void *handle;
    multiply_fn *multiply = open_library(&handle);
    if (!multiply)
        return smp_error_set(error, SMP_E_NOT_BUILT, -1,
                             "libcublas is not found, so there is no baseline");
    const int code = multiply(handle, NORMAL, NORMAL, side, side, depth, &one, b, type, side, a,
                              type, depth, &none, run->out, FLOAT32, side, SUM_IN_FLOAT32, ANY_WAY);
    if (code != 0)
        return smp_error_set(error, SMP_E_CUDA, -1, "cublasGemmEx: error %d", code);
    return SMP_OK;
}
