/* SPDX-License-Identifier: MIT */
/*
 * Memory that is allocated in the order of a stream, and its pools. Since all work is done at once,
 * it is memory like any other.
 */
#include <stdlib.h>
#include <string.h>

#include "interface.h"

enum { ATTRIBUTES = 9 };

struct rt_pool {
    struct rt_pool *next;
    uint64_t attributes[ATTRIBUTES]; /* cudaMemPoolAttr; 4: the release threshold */
};

static struct rt_pool default_pool = {.attributes = {0, 1, 1, 1}};
static cudaMemPool_t pools, current = &default_pool;

static bool is_known(cudaMemPool_t pool) {
    return rt_list_has(&pools, pool) || pool == &default_pool;
}

/* In a graph, the memory is allocated when the node is made and keeps its address, also when the
 * graph runs again. */
static cudaError_t allocate(void **out, size_t bytes, cudaStream_t stream) {
    rt_work work = {.kind = RT_WORK_ALLOCATE};
    if (!out || !rt_stream_of(stream))
        return cudaErrorInvalidValue;
    const cudaError_t result = rt_allocate(out, bytes, RT_DEVICE, NULL);
    if (result != cudaSuccess)
        return result;
    work.memory.address = *out;
    work.memory.bytes = bytes;
    return rt_work_submit(stream, &work);
}

SAME(cudaMallocAsync, cuMemAllocAsync, allocate, void **, size_t, cudaStream_t);
SAME_CALL(cudaMallocFromPoolAsync, cuMemAllocFromPoolAsync,
          (void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
          is_known(pool) ? allocate(out, bytes, stream) : cudaErrorInvalidValue);

static cudaError_t release(void *address, cudaStream_t stream) {
    rt_work work = {.kind = RT_WORK_FREE};
    if (!rt_stream_of(stream))
        return cudaErrorInvalidResourceHandle;
    work.memory.address = address;
    return rt_stream_is_capturing(stream) ? rt_work_submit(stream, &work) : rt_free(address);
}

SAME(cudaFreeAsync, cuMemFreeAsync, release, void *, cudaStream_t);

#define GIVE_POOL(pool) (out && device != 0 ? cudaErrorInvalidDevice : RT_GIVE(out, pool))

EARLY_CALL(cudaDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool,
           (cudaMemPool_t * out, int device), GIVE_POOL(&default_pool));
EARLY_CALL(cudaDeviceGetMemPool, cuDeviceGetMemPool, (cudaMemPool_t * out, int device),
           GIVE_POOL(current));
EARLY_CALL(cudaDeviceSetMemPool, cuDeviceSetMemPool, (int device, cudaMemPool_t pool),
           RT_IF(device == 0 && is_known(pool), current = pool));

static cudaError_t create(cudaMemPool_t *out) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = rt_list_add(&pools, sizeof **out);
    return RT_WHERE(*out,
                    memcpy((*out)->attributes, default_pool.attributes, sizeof(*out)->attributes),
                    cudaErrorMemoryAllocation);
}

EARLY_CALL(cudaMemPoolCreate, cuMemPoolCreate, (cudaMemPool_t * out, const void *properties),
           properties ? create(out) : cudaErrorInvalidValue);

static cudaError_t destroy(cudaMemPool_t pool) {
    if (!rt_list_remove(&pools, pool))
        return cudaErrorInvalidValue;
    if (current == pool)
        current = &default_pool;
    free(pool);
    return cudaSuccess;
}

EARLY(cudaMemPoolDestroy, cuMemPoolDestroy, destroy, cudaMemPool_t);
EARLY_CALL(cudaMemPoolTrimTo, cuMemPoolTrimTo, (cudaMemPool_t pool, size_t bytes),
           is_known(pool) ? cudaSuccess : cudaErrorInvalidValue);

/* The first three are ints, the others have 64 bits. */
static size_t width_of(int attribute) {
    return attribute <= 3 ? sizeof(int) : sizeof(uint64_t);
}

static bool is_attribute(cudaMemPool_t pool, int attribute, const void *value) {
    return is_known(pool) && value && attribute > 0 && attribute < ATTRIBUTES;
}

EARLY_CALL(cudaMemPoolSetAttribute, cuMemPoolSetAttribute,
           (cudaMemPool_t pool, int attribute, void *value),
           RT_IF(is_attribute(pool, attribute, value),
                 memcpy(&pool->attributes[attribute], value, width_of(attribute))));
EARLY_CALL(cudaMemPoolGetAttribute, cuMemPoolGetAttribute,
           (cudaMemPool_t pool, int attribute, void *value),
           RT_IF(is_attribute(pool, attribute, value),
                 memcpy(value, &pool->attributes[attribute], width_of(attribute))));
EARLY_CALL(cudaMemPoolSetAccess, cuMemPoolSetAccess,
           (cudaMemPool_t pool, const void *list, size_t count),
           is_known(pool) ? cudaSuccess : cudaErrorInvalidValue);

/* cudaMemLocation: type, number; 1 is a device. A pool of the device may be read and written there.
 */
EARLY_CALL(cudaMemPoolGetAccess, cuMemPoolGetAccess,
           (int *flags, cudaMemPool_t pool, const int *location),
           RT_IF(!!flags && location && is_known(pool),
                 *flags = location[0] == 1 && location[1] == 0 ? 3 : 0));
EARLY_CALL(cudaMemGetDefaultMemPool, cuMemGetDefaultMemPool,
           (cudaMemPool_t * out, const int *location, int type),
           RT_IF(!!out && location, *out = &default_pool));
EARLY_CALL(cudaMemGetMemPool, cuMemGetMemPool, (cudaMemPool_t * out, const int *location, int type),
           RT_IF(!!out && location, *out = current));
EARLY_CALL(cudaMemSetMemPool, cuMemSetMemPool, (const int *location, int type, cudaMemPool_t pool),
           RT_IF(!!location && is_known(pool), current = pool));
