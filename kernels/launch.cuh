/* SPDX-License-Identifier: MIT */
/*
 * One way to launch the kernels of a family: checks the grid, gives shared memory and clusters,
 * leaves one block a multiprocessor where that was asked for, and reports residency instead of
 * launching. Internal to kernels/.
 */
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "families.h"

namespace smp {

struct Grid {
    uint64_t blocks;
    dim3 threads;
    size_t dynamic_bytes = 0; /* of shared memory */
    unsigned cluster = 1;     /* blocks of a cluster; `blocks` must be a multiple */
    /* From 9.0 on, the kernel may start while the one before it ends; it waits for that kernel's
     * memory itself (wait_for_earlier). */
    bool early = false;
};

/* In a kernel: waits until the memory of earlier launches is visible. */
__device__ __forceinline__ void wait_for_earlier() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* In a kernel: the next launch may begin in the places that finished blocks leave. */
__device__ __forceinline__ void let_later_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Excludes a parameter from template argument deduction. */
template <class T> struct exactly { using type = T; };

/* Sets the kernel's attributes that differ from the defaults; raises *dynamic_bytes where each
 * block must have a multiprocessor to itself. */
static inline cudaError_t configure(const void *kernel, const smp_kernel_launch *run,
                                    const Grid &grid, const cudaFuncAttributes &attributes,
                                    size_t *dynamic_bytes) {
    int device = 0, most = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    *dynamic_bytes = grid.dynamic_bytes;
    if (run->alone && (size_t)most > attributes.sharedSizeBytes + grid.dynamic_bytes)
        *dynamic_bytes = (size_t)most - attributes.sharedSizeBytes;
    if (code == cudaSuccess)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)*dynamic_bytes);
    /* The driver's own carve-out may leave room for fewer blocks than could fit. */
    if (code == cudaSuccess && grid.dynamic_bytes > 0)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared);
    if (code == cudaSuccess && grid.cluster > 8)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    return code;
}

static inline cudaError_t fill_residency(const void *kernel, const Grid &grid,
                                         const cudaFuncAttributes &attributes, smp_residency *out) {
    const int threads = (int)(grid.threads.x * grid.threads.y * grid.threads.z);
    out->threads = (uint32_t)threads;
    out->registers = attributes.numRegs;
    out->shared_bytes = (uint32_t)(attributes.sharedSizeBytes + grid.dynamic_bytes);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&out->blocks, kernel, threads,
                                                         grid.dynamic_bytes);
}

static inline bool is_hopper_or_later() {
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ==
               cudaSuccess &&
           major >= 9;
}

static inline cudaError_t start(const void *kernel, const Grid &grid, size_t dynamic_bytes,
                                void **arguments) {
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.attrs = attributes;
    if (grid.cluster > 1) {
        cudaLaunchAttribute *cluster = &attributes[config.numAttrs++];
        cluster->id = cudaLaunchAttributeClusterDimension;
        cluster->val.clusterDim.x = grid.cluster;
        cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
    }
    if (grid.early && is_hopper_or_later()) {
        cudaLaunchAttribute *early = &attributes[config.numAttrs++];
        early->id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early->val.programmaticStreamSerializationAllowed = 1;
    }
    config.gridDim = dim3((unsigned)grid.blocks);
    config.blockDim = grid.threads;
    config.dynamicSmemBytes = dynamic_bytes;
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

/* Launches `kernel` over `grid`. Errors name it `name`. */
template <class... Parameters>
smp_status launch(const smp_kernel_launch *run, const char *name, void (*kernel)(Parameters...),
                  const Grid &grid, smp_error *error,
                  typename exactly<Parameters>::type... parameters) {
    if (grid.blocks == 0 || grid.blocks > INT32_MAX)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "%s: %llu blocks can't be launched", name,
                             (unsigned long long)grid.blocks);
    size_t dynamic_bytes = 0;
    void *arguments[] = {(void *)&parameters...};
    cudaFuncAttributes attributes = {};
    cudaError_t code = cudaFuncGetAttributes(&attributes, (const void *)kernel);
    if (code == cudaSuccess)
        code = configure((const void *)kernel, run, grid, attributes, &dynamic_bytes);
    if (code == cudaSuccess && run->residency)
        code = fill_residency((const void *)kernel, grid, attributes, run->residency);
    else if (code == cudaSuccess)
        code = start((const void *)kernel, grid, dynamic_bytes, arguments);
    if (code == cudaSuccess)
        return SMP_OK;
    (void)cudaGetLastError(); /* else the next call reports it again */
    return smp_error_set(error, SMP_E_CUDA, -1, "%s: %s", name, cudaGetErrorString(code));
}

/* Of a matrix. */
struct Size {
    uint32_t rows, columns;
};

/* Launches a kernel with a block for each tile of `height` x `width` of the input matrix: sets
 * grid.blocks. `Of` is Size, or has the same members with signs. */
template <class T, class Of, class... More>
smp_status launch_tiles(const smp_kernel_launch *run, const char *name,
                        void (*kernel)(const T *, T *, Of, More...), uint32_t height,
                        uint32_t width, Grid grid, smp_error *error,
                        typename exactly<More>::type... more) {
    const Of size = {(decltype(Of::rows))run->problem->rows,
                     (decltype(Of::columns))run->problem->columns};
    grid.blocks =
        smp_divide_up(run->problem->rows, height) * smp_divide_up(run->problem->columns, width);
    return launch(run, name, kernel, grid, error, static_cast<const T *>(run->in),
                  static_cast<T *>(run->out), size, more...);
}

/* Launches a kernel over the columns of the input's only row. */
template <class In, class Out, class... More>
smp_status launch_row(const smp_kernel_launch *run, const char *name,
                      void (*kernel)(const In *, size_t, Out *, More...), const Grid &grid,
                      smp_error *error, typename exactly<More>::type... more) {
    return launch(run, name, kernel, grid, error, static_cast<const In *>(run->in),
                  (size_t)run->problem->columns, static_cast<Out *>(run->out), more...);
}

/* Clears the output before a run. */
static inline smp_status clear(const smp_kernel_launch *run, size_t bytes, smp_error *error) {
    const cudaError_t code = cudaMemsetAsync(run->out, 0, bytes, nullptr);
    if (code == cudaSuccess)
        return SMP_OK;
    return smp_error_set(error, SMP_E_CUDA, -1, "clearing the output: %s",
                         cudaGetErrorString(code));
}

/* A launch function whose body is one expression that uses `run` and `error`. */
#define SMP_LAUNCHED(name, ...)                                       \
    smp_status name(const smp_kernel_launch *run, smp_error *error) { \
        return __VA_ARGS__;                                           \
    }

/* Calls f with an integer of the element's size, for kernels that only move bits. */
template <class F> smp_status by_size(const smp_kernel_launch *run, F f) {
    switch (smp_element_info(run->problem->element)->bytes) {
    case 1:
        return f(uint8_t{});
    case 2:
        return f(uint16_t{});
    case 8:
        return f(uint64_t{});
    default:
        return f(uint32_t{});
    }
}

} // namespace smp
