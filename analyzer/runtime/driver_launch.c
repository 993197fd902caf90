/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the driver's interface: what they are, how many blocks fit, and their launches.
 */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *function);
cudaError_t cudaFuncSetAttribute(const void *function, int attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *function, int config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared_bytes);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *function,
                                                 const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config);

/* ---- What they are ---- */

/* In the order of CUfunction_attribute. */
static cudaError_t get_attribute(int *out, int attribute, cudaKernel_t function) {
    struct cudaFuncAttributes a;
    const cudaError_t result = cudaFuncGetAttributes(&a, function);
    if (!out || result != cudaSuccess)
        return out ? result : cudaErrorInvalidValue;
    const int values[] = {a.maxThreadsPerBlock,
                          (int)a.sharedSizeBytes,
                          (int)a.constSizeBytes,
                          (int)a.localSizeBytes,
                          a.numRegs,
                          a.ptxVersion,
                          a.binaryVersion,
                          a.cacheModeCA,
                          a.maxDynamicSharedSizeBytes,
                          a.preferredShmemCarveout,
                          a.clusterDimMustBeSet,
                          a.requiredClusterWidth,
                          a.requiredClusterHeight,
                          a.requiredClusterDepth,
                          a.nonPortableClusterSizeAllowed,
                          a.clusterSchedulingPolicyPreference};
    if (attribute < 0 || attribute >= (int)(sizeof values / sizeof values[0]))
        return cudaErrorInvalidValue;
    *out = values[attribute];
    return cudaSuccess;
}

DRV_FORWARD(cuFuncGetAttribute, get_attribute, int *, int, cudaKernel_t);
DRV_CALL_EARLY(cuKernelGetAttribute(int *out, int attribute, cudaKernel_t kernel, CUdevice device),
               device == 0 ? get_attribute(out, attribute, kernel) : cudaErrorInvalidDevice);
DRV_CALL_EARLY(cuKernelSetAttribute(int attribute, int value, cudaKernel_t kernel, CUdevice device),
               device == 0 ? cudaFuncSetAttribute(kernel, attribute, value)
                           : cudaErrorInvalidDevice);
DRV_CALL_EARLY(cuKernelSetCacheConfig(cudaKernel_t kernel, int config, CUdevice device),
               device == 0 ? cudaFuncSetCacheConfig(kernel, config) : cudaErrorInvalidDevice);

static cudaError_t get_module(cudaLibrary_t *out, cudaKernel_t kernel) {
    cudaError_t result;
    const rt_kernel *found = rt_kernel_find(kernel, &result);
    if (out && found)
        *out = found->module;
    return out ? result : cudaErrorInvalidValue;
}

DRV_FORWARD(cuFuncGetModule, get_module, cudaLibrary_t *, cudaKernel_t);
DRV_FORWARD_EARLY(cuKernelGetLibrary, get_module, cudaLibrary_t *, cudaKernel_t);

/* A kernel is its own function. */
static cudaError_t get_function(cudaKernel_t *out, cudaKernel_t kernel) {
    cudaError_t result;
    cudaKernel_t found = rt_kernel_find(kernel, &result);
    if (out && found)
        *out = found;
    return out ? result : cudaErrorInvalidValue;
}

DRV_FORWARD(cuKernelGetFunction, get_function, cudaKernel_t *, cudaKernel_t);

static cudaError_t check_function(cudaKernel_t function) {
    cudaError_t result;
    (void)rt_kernel_find(function, &result);
    return result;
}

DRV_FORWARD(cuFuncLoad, check_function, cudaKernel_t);
DRV_CALL(cuFuncIsLoaded(int *state, cudaKernel_t function),
         state ? (*state = 1, check_function(function)) : cudaErrorInvalidValue);

/* ---- How many blocks fit ---- */

DRV_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, cudaKernel_t function,
                                                              int threads, size_t shared_bytes,
                                                              unsigned flags),
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes));

typedef size_t (*shared_of_fn)(int threads);

/* The most threads of a multiprocessor; of several sizes the largest. */
static cudaError_t best_size(int *grid, int *block, cudaKernel_t function, shared_of_fn shared_of,
                             size_t shared_bytes, int limit) {
    struct cudaFuncAttributes a;
    const cudaError_t result = cudaFuncGetAttributes(&a, function);
    uint32_t most = 0;
    if (!grid || !block || result != cudaSuccess)
        return result != cudaSuccess ? result : cudaErrorInvalidValue;
    const int top = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
    for (int threads = (top + 31) / 32 * 32; threads > 0; threads -= 32) {
        const int asked = threads < top ? threads : top;
        const size_t shared = shared_of ? shared_of(asked) : shared_bytes;
        const uint32_t blocks = rt_resident(function, (uint32_t)asked, shared);
        if (blocks * (uint32_t)asked <= most)
            continue;
        most = blocks * (uint32_t)asked;
        *block = asked;
        *grid = (int)blocks * rt_device_played()->multiprocessors;
    }
    return most > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

DRV_FORWARD(cuOccupancyMaxPotentialBlockSize, best_size, int *, int *, cudaKernel_t, shared_of_fn,
            size_t, int);
DRV_CALL(cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, cudaKernel_t function,
                                                   shared_of_fn shared_of, size_t shared_bytes,
                                                   int limit, unsigned flags),
         best_size(grid, block, function, shared_of, shared_bytes, limit));

static cudaLaunchConfig_t config_of(const CUlaunchConfig *c) {
    return (cudaLaunchConfig_t){.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                .dynamicSmemBytes = c->sharedMemBytes,
                                .stream = c->hStream,
                                .attrs = c->attrs,
                                .numAttrs = c->numAttrs};
}

static cudaError_t active_clusters(int *clusters, cudaKernel_t function, const CUlaunchConfig *c) {
    if (!c)
        return cudaErrorInvalidValue;
    const cudaLaunchConfig_t config = config_of(c);
    return cudaOccupancyMaxActiveClusters(clusters, function, &config);
}

DRV_FORWARD(cuOccupancyMaxActiveClusters, active_clusters, int *, cudaKernel_t,
            const CUlaunchConfig *);
DRV_CALL(cuOccupancyMaxPotentialClusterSize(int *blocks, cudaKernel_t function,
                                            const CUlaunchConfig *config),
         cudaOccupancyMaxPotentialClusterSize(blocks, function, NULL));

/* ---- Launches ---- */

enum { EXTRA_END = 0, EXTRA_BUFFER = 1, EXTRA_BYTES = 2 };

/* Arguments in one buffer, laid out as the kernel's parameters are. */
static cudaError_t take_buffer(const rt_kernel *kernel, void **extra, void *pointers[]) {
    uint8_t *buffer = NULL;
    size_t bytes = 0;
    for (; *extra != (void *)EXTRA_END; extra += 2) {
        if (extra[0] == (void *)EXTRA_BUFFER)
            buffer = extra[1];
        else if (extra[0] == (void *)EXTRA_BYTES)
            bytes = *(const size_t *)extra[1];
        else
            return cudaErrorInvalidValue;
    }
    const smp_function *f = kernel->function;
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        if (!buffer || f->parameters[i].offset_bytes + f->parameters[i].size_bytes > bytes)
            return cudaErrorInvalidValue;
        pointers[i] = buffer + f->parameters[i].offset_bytes;
    }
    return cudaSuccess;
}

static cudaError_t make_from_buffer(cudaKernel_t function, const CUlaunchConfig *c, void **extra,
                                    rt_work *out) {
    cudaError_t result;
    const rt_kernel *kernel = rt_kernel_find(function, &result);
    if (!kernel)
        return result;
    void **pointers = calloc(kernel->function->parameter_count + 1u, sizeof *pointers);
    if (!pointers)
        return cudaErrorMemoryAllocation;
    result = take_buffer(kernel, extra, pointers);
    if (result == cudaSuccess)
        result = rt_launch_make(function, (dim3){c->gridDimX, c->gridDimY, c->gridDimZ},
                                (dim3){c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes,
                                pointers, out);
    free(pointers);
    return result;
}

static cudaError_t make_launch(cudaKernel_t function, const CUlaunchConfig *c, void **arguments,
                               void **extra, rt_work *out) {
    if (arguments && extra)
        return cudaErrorInvalidValue;
    const cudaError_t result =
        extra ? make_from_buffer(function, c, extra, out)
              : rt_launch_make(function, (dim3){c->gridDimX, c->gridDimY, c->gridDimZ},
                               (dim3){c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes,
                               arguments, out);
    return result == cudaErrorInvalidDeviceFunction ? cudaErrorInvalidResourceHandle : result;
}

static cudaError_t launch(cudaKernel_t function, const CUlaunchConfig *c, void **arguments,
                          void **extra, bool is_cooperative) {
    rt_work work;
    if (!c)
        return cudaErrorInvalidValue;
    cudaError_t result = make_launch(function, c, arguments, extra, &work);
    if (result == cudaSuccess)
        result = rt_launch_attributes(c->attrs, c->numAttrs, &work);
    if (result == cudaSuccess && is_cooperative)
        result = rt_launch_cooperative(&work);
    return result == cudaSuccess ? rt_work_submit(c->hStream, &work) : result;
}

DRV_EXPORT(cuLaunchKernel(cudaKernel_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, cudaStream_t stream, void **arguments,
                          void **extra)) {
    const CUlaunchConfig c = {grid_x,  grid_y,       grid_z, block_x, block_y,
                              block_z, shared_bytes, stream, NULL,    0};
    DRV_DO(launch(function, &c, arguments, extra, false));
}

DRV_EXPORT(cuLaunchCooperativeKernel(cudaKernel_t function, unsigned grid_x, unsigned grid_y,
                                     unsigned grid_z, unsigned block_x, unsigned block_y,
                                     unsigned block_z, unsigned shared_bytes, cudaStream_t stream,
                                     void **arguments)) {
    const CUlaunchConfig c = {grid_x,  grid_y,       grid_z, block_x, block_y,
                              block_z, shared_bytes, stream, NULL,    0};
    DRV_DO(launch(function, &c, arguments, NULL, true));
}

DRV_CALL(cuLaunchKernelEx(const CUlaunchConfig *config, cudaKernel_t function, void **arguments,
                          void **extra),
         launch(function, config, arguments, extra, false));
