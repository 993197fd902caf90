/* SPDX-License-Identifier: MIT */
/*
 * Kernels, as programs ask about them: attributes, and how many blocks a multiprocessor holds.
 */
#include <string.h>

#include "runtime.h"

static size_t constant_bytes(const rt_kernel *kernel) {
    return rt_module_loaded(kernel->module)->constant_bytes;
}

static cudaError_t get_attributes(struct cudaFuncAttributes *out, const void *function) {
    cudaError_t result;
    const rt_kernel *kernel = out ? rt_kernel_find(function, &result) : NULL;
    if (!kernel)
        return out ? result : cudaErrorInvalidValue;
    const smp_function *f = kernel->function;
    const smp_arch *arch = rt_arch();
    const uint32_t bound = f->max_threads[0] * f->max_threads[1] * f->max_threads[2];
    memset(out, 0, sizeof *out);
    out->sharedSizeBytes = f->shared_bytes;
    out->constSizeBytes = constant_bytes(kernel);
    out->localSizeBytes = f->local_bytes;
    out->numRegs = (int)f->registers;
    const uint32_t unit = arch->register_unit ? arch->register_unit : 1;
    const uint32_t warp = (f->registers * 32 + unit - 1) / unit * unit;
    const uint32_t fits = warp > 0 ? arch->sm_registers / warp * 32 : 1024;
    out->maxThreadsPerBlock = (int)(bound > 0 && bound < 1024 ? bound : fits < 1024 ? fits : 1024);
    out->binaryVersion = out->ptxVersion = (int)smp_code_cc(rt_module_code(kernel->module));
    const uint32_t fixed = 1024u * arch->shared_static_kib;
    out->maxDynamicSharedSizeBytes =
        (int)(kernel->dynamic_shared_max > 0 ? kernel->dynamic_shared_max
                                             : fixed - f->shared_bytes);
    out->preferredShmemCarveout = kernel->carveout;
    out->nonPortableClusterSizeAllowed = kernel->non_portable_cluster;
    out->requiredClusterWidth = (int)kernel->required_cluster[0];
    out->requiredClusterHeight = (int)kernel->required_cluster[1];
    out->requiredClusterDepth = (int)kernel->required_cluster[2];
    return cudaSuccess;
}

RT_FORWARD(cudaFuncGetAttributes, get_attributes, struct cudaFuncAttributes *, const void *);

static cudaError_t set_dynamic(rt_kernel *kernel, int value) {
    const uint32_t most = 1024u * rt_arch()->shared_block_kib;
    if (value < 0 || (uint32_t)value + kernel->function->shared_bytes > most)
        return cudaErrorInvalidValue;
    kernel->dynamic_shared_max = (uint32_t)value;
    return cudaSuccess;
}

static cudaError_t set_attribute(const void *function, int attribute, int value) {
    cudaError_t result;
    rt_kernel *kernel = rt_kernel_find(function, &result);
    if (!kernel)
        return result;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return set_dynamic(kernel, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        kernel->carveout = value;
        return value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (value < 0 || value > (int)SMP_CLUSTER_BLOCKS_MAX)
            return cudaErrorInvalidValue;
        kernel->required_cluster[attribute - cudaFuncAttributeRequiredClusterWidth] =
            (uint32_t)value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel->non_portable_cluster = value;
        return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

RT_FORWARD(cudaFuncSetAttribute, set_attribute, const void *, int, int);
RT_CALL(cudaKernelSetAttributeForDevice(cudaKernel_t kernel, int attribute, int value, int device),
        device == 0 ? set_attribute(kernel, attribute, value) : cudaErrorInvalidDevice);

static cudaError_t check_function(const void *function) {
    cudaError_t result;
    (void)rt_kernel_find(function, &result);
    return result;
}

RT_CALL(cudaFuncSetCacheConfig(const void *function, int config),
        config >= 0 && config < 4 ? check_function(function) : cudaErrorInvalidValue);
RT_CALL(cudaFuncSetSharedMemConfig(const void *function, int config),
        config >= 0 && config < 3 ? check_function(function) : cudaErrorInvalidValue);

static cudaError_t get_name(const char **name, const void *function) {
    cudaError_t result;
    const rt_kernel *kernel = name ? rt_kernel_find(function, &result) : NULL;
    if (!kernel)
        return name ? result : cudaErrorInvalidValue;
    *name = kernel->name;
    return cudaSuccess;
}

RT_FORWARD(cudaFuncGetName, get_name, const char **, const void *);

static cudaError_t get_parameter(const void *function, size_t index, size_t *offset,
                                 size_t *bytes) {
    cudaError_t result;
    const rt_kernel *kernel = rt_kernel_find(function, &result);
    if (!kernel)
        return result;
    if (index >= kernel->function->parameter_count)
        return cudaErrorInvalidValue;
    if (offset)
        *offset = kernel->function->parameters[index].offset_bytes;
    if (bytes)
        *bytes = kernel->function->parameters[index].size_bytes;
    return cudaSuccess;
}

RT_FORWARD(cudaFuncGetParamInfo, get_parameter, const void *, size_t, size_t *, size_t *);

/* ---- Occupancy ---- */

uint32_t rt_resident(const rt_kernel *kernel, uint32_t threads, size_t shared_bytes) {
    const smp_function *f = kernel->function;
    if (threads == 0 || threads > 1024 ||
        f->shared_bytes + shared_bytes > 1024u * rt_arch()->shared_block_kib)
        return 0;
    return smp_resident_blocks(rt_arch(), threads, f->shared_bytes + (uint32_t)shared_bytes,
                               f->registers);
}

static cudaError_t active_blocks(int *blocks, const void *function, int threads,
                                 size_t shared_bytes) {
    cudaError_t result;
    const rt_kernel *kernel = rt_kernel_find(function, &result);
    if (!kernel || !blocks || threads <= 0)
        return kernel ? cudaErrorInvalidValue : result;
    *blocks = (int)rt_resident(kernel, (uint32_t)threads, shared_bytes);
    return cudaSuccess;
}

RT_FORWARD(cudaOccupancyMaxActiveBlocksPerMultiprocessor, active_blocks, int *, const void *, int,
           size_t);
RT_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                               int threads, size_t shared_bytes,
                                                               unsigned flags),
        active_blocks(blocks, function, threads, shared_bytes));

/* The most with which so many blocks are still there. */
static cudaError_t available_shared(size_t *bytes, const void *function, int blocks, int threads) {
    cudaError_t result;
    const rt_kernel *kernel = rt_kernel_find(function, &result);
    if (!kernel || !bytes || blocks <= 0 || threads <= 0)
        return kernel ? cudaErrorInvalidValue : result;
    size_t low = 0, high = 1024u * (size_t)rt_arch()->shared_block_kib + 1;
    if (rt_resident(kernel, (uint32_t)threads, 0) < (uint32_t)blocks)
        return cudaErrorInvalidValue;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (rt_resident(kernel, (uint32_t)threads, middle) >= (uint32_t)blocks)
            low = middle;
        else
            high = middle;
    }
    *bytes = low;
    return cudaSuccess;
}

RT_FORWARD(cudaOccupancyAvailableDynamicSMemPerBlock, available_shared, size_t *, const void *, int,
           int);

static cudaError_t cluster_size(int *blocks, const void *function) {
    cudaError_t result;
    const rt_kernel *kernel = rt_kernel_find(function, &result);
    if (!kernel || !blocks)
        return kernel ? cudaErrorInvalidValue : result;
    if (smp_op_evidence(rt_arch(), SMP_LD_CLUSTER, 4) == SMP_ABSENT)
        return cudaErrorNotSupported;
    *blocks = kernel->non_portable_cluster ? 16 : 8;
    return cudaSuccess;
}

RT_CALL(cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *function,
                                             const cudaLaunchConfig_t *config),
        cluster_size(blocks, function));

/* As many as the multiprocessors hold; how they are grouped on the chip is not looked at. */
static cudaError_t active_clusters(int *clusters, const void *function,
                                   const cudaLaunchConfig_t *config) {
    cudaError_t result;
    const rt_kernel *kernel = rt_kernel_find(function, &result);
    if (!kernel || !clusters || !config)
        return kernel ? cudaErrorInvalidValue : result;
    uint32_t size = 1;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
            const dim3 *shape = &config->attrs[i].val.clusterDim;
            size = shape->x * shape->y * shape->z;
        }
    const dim3 *block = &config->blockDim;
    const uint32_t held =
        rt_resident(kernel, block->x * block->y * block->z, config->dynamicSmemBytes) *
        rt_device_played()->multiprocessors;
    *clusters = size > 0 ? (int)(held / size) : 0;
    return cudaSuccess;
}

RT_FORWARD(cudaOccupancyMaxActiveClusters, active_clusters, int *, const void *,
           const cudaLaunchConfig_t *);
