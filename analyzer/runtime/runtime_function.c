/* SPDX-License-Identifier: MIT */
/* Properties of kernels: attributes, and how many blocks a multiprocessor holds. */
#include <string.h>

#include "interface.h"

/* Does the action with the kernel `found`, if there is one and `is_fine`. */
#define OF_KERNEL(function, is_fine, action)                     \
    ({                                                           \
        cudaError_t not_found;                                   \
        rt_kernel *found = rt_kernel_find(function, &not_found); \
        found ? RT_IF(is_fine, action) : not_found;              \
    })

static size_t constant_bytes(const rt_kernel *kernel) {
    return rt_module_loaded(kernel->module)->constant_bytes;
}

cudaError_t rt_function_attributes(struct cudaFuncAttributes *out, const void *function) {
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

RT_FORWARD(cudaFuncGetAttributes, rt_function_attributes, struct cudaFuncAttributes *,
           const void *);

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

SAME(cudaFuncSetAttribute, cuFuncSetAttribute, set_attribute, const void *, int, int);
RT_CALL(cudaKernelSetAttributeForDevice(cudaKernel_t kernel, int attribute, int value, int device),
        device == 0 ? set_attribute(kernel, attribute, value) : cudaErrorInvalidDevice);

static cudaError_t check_function(const void *function) {
    return OF_KERNEL(function, true, found);
}

static cudaError_t set_cache(const void *function, int config) {
    return config >= 0 && config < 4 ? check_function(function) : cudaErrorInvalidValue;
}

SAME(cudaFuncSetCacheConfig, cuFuncSetCacheConfig, set_cache, const void *, int);
SAME_CALL(cudaFuncSetSharedMemConfig, cuFuncSetSharedMemConfig, (const void *function, int config),
          config >= 0 && config < 3 ? check_function(function) : cudaErrorInvalidValue);

SAME_CALL(cudaFuncGetName, cuFuncGetName, (const char **name, const void *function),
          OF_KERNEL(function, name, *name = found->name));
DRV_CALL_EARLY(cuKernelGetName(const char **name, const void *function),
               OF_KERNEL(function, name, *name = found->name));

static cudaError_t get_parameter(const void *function, size_t index, size_t *offset,
                                 size_t *bytes) {
    const smp_parameter *at = NULL;
    const cudaError_t result = OF_KERNEL(function, index < found->function->parameter_count,
                                         at = &found->function->parameters[index]);
    if (at && offset)
        *offset = at->offset_bytes;
    if (at && bytes)
        *bytes = at->size_bytes;
    return result;
}

SAME(cudaFuncGetParamInfo, cuFuncGetParamInfo, get_parameter, const void *, size_t, size_t *,
     size_t *);
DRV_FORWARD_EARLY(cuKernelGetParamInfo, get_parameter, const void *, size_t, size_t *, size_t *);

/* ---- As the driver is asked ---- */

/* In the order of CUfunction_attribute. */
static cudaError_t driver_attribute(int *out, int attribute, cudaKernel_t function) {
    struct cudaFuncAttributes a;
    const cudaError_t result = rt_function_attributes(&a, function);
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

DRV_FORWARD(cuFuncGetAttribute, driver_attribute, int *, int, cudaKernel_t);
DRV_CALL_EARLY(cuKernelGetAttribute(int *out, int attribute, cudaKernel_t kernel, CUdevice device),
               device == 0 ? driver_attribute(out, attribute, kernel) : cudaErrorInvalidDevice);
DRV_CALL_EARLY(cuKernelSetAttribute(int attribute, int value, cudaKernel_t kernel, CUdevice device),
               device == 0 ? set_attribute(kernel, attribute, value) : cudaErrorInvalidDevice);
DRV_CALL_EARLY(cuKernelSetCacheConfig(cudaKernel_t kernel, int config, CUdevice device),
               device == 0 ? set_cache(kernel, config) : cudaErrorInvalidDevice);

DRV_CALL(cuFuncGetModule(cudaLibrary_t *out, cudaKernel_t kernel),
         OF_KERNEL(kernel, out, *out = found->module));
DRV_CALL_EARLY(cuKernelGetLibrary(cudaLibrary_t *out, cudaKernel_t kernel),
               OF_KERNEL(kernel, out, *out = found->module));
/* A kernel is its own function. */
DRV_CALL(cuKernelGetFunction(cudaKernel_t *out, cudaKernel_t kernel),
         OF_KERNEL(kernel, out, *out = found));
DRV_FORWARD(cuFuncLoad, check_function, const void *);
DRV_CALL(cuFuncIsLoaded(int *state, cudaKernel_t function),
         state ? (*state = 1, check_function(function)) : cudaErrorInvalidValue);

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
    return OF_KERNEL(function, blocks && threads > 0,
                     *blocks = (int)rt_resident(found, (uint32_t)threads, shared_bytes));
}

SAME(cudaOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor,
     active_blocks, int *, const void *, int, size_t);
SAME_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
          cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
          (int *blocks, const void *function, int threads, size_t shared_bytes, unsigned flags),
          active_blocks(blocks, function, threads, shared_bytes));

/* The most shared memory with which this many blocks still fit. */
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

SAME(cudaOccupancyAvailableDynamicSMemPerBlock, cuOccupancyAvailableDynamicSMemPerBlock,
     available_shared, size_t *, const void *, int, int);

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

/* As many as the multiprocessors hold; their grouping on the chip is ignored. */
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

typedef size_t (*shared_of_fn)(int threads);

/* The block size with the most threads per multiprocessor; the largest if several have it. */
static cudaError_t best_size(int *grid, int *block, cudaKernel_t function, shared_of_fn shared_of,
                             size_t shared_bytes, int limit) {
    struct cudaFuncAttributes a;
    const cudaError_t result = rt_function_attributes(&a, function);
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

cudaLaunchConfig_t drv_launch_config(const CUlaunchConfig *c) {
    return (cudaLaunchConfig_t){.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                .dynamicSmemBytes = c->sharedMemBytes,
                                .stream = c->hStream,
                                .attrs = c->attrs,
                                .numAttrs = c->numAttrs};
}

static cudaError_t driver_clusters(int *clusters, cudaKernel_t function, const CUlaunchConfig *c) {
    if (!c)
        return cudaErrorInvalidValue;
    const cudaLaunchConfig_t config = drv_launch_config(c);
    return active_clusters(clusters, function, &config);
}

DRV_FORWARD(cuOccupancyMaxActiveClusters, driver_clusters, int *, cudaKernel_t,
            const CUlaunchConfig *);
DRV_CALL(cuOccupancyMaxPotentialClusterSize(int *blocks, cudaKernel_t function,
                                            const CUlaunchConfig *config),
         cluster_size(blocks, function));
