/* SPDX-License-Identifier: MIT */
/*
 * The part of libcuda that places launches in a GPU's memory and times them, opened at run time.
 * Types and numbers are those of the CUDA Driver API 13.0.
 */
#pragma once

#include "smp_model.h"

typedef struct gpu_location {
    int type, id; /* 1: a device */
} gpu_location;

typedef struct gpu_allocation {
    int type, handle_types; /* 1: pinned; no handles */
    gpu_location at;
    void *security;
    unsigned char flags[8];
} gpu_allocation;

typedef struct gpu_rights {
    gpu_location at;
    int flags; /* 3: read and write */
} gpu_rights;

typedef struct gpu_attribute {
    int id;
    char pad[4];
    unsigned value[3];
    char rest[52];
} gpu_attribute;

typedef struct gpu_config {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    gpu_attribute *attributes;
    unsigned attribute_count;
} gpu_config;

/* Field, symbol of libcuda, parameters. */
#define GPU_DRIVER_LIST(X)                                                            \
    X(init, cuInit, (unsigned))                                                       \
    X(device, cuDeviceGet, (int *, int))                                              \
    X(device_name, cuDeviceGetName, (char *, int, int))                               \
    X(device_attribute, cuDeviceGetAttribute, (int *, int, int))                      \
    X(retain, cuDevicePrimaryCtxRetain, (void **, int))                               \
    X(release, cuDevicePrimaryCtxRelease_v2, (int))                                   \
    X(use, cuCtxSetCurrent, (void *))                                                 \
    X(wait, cuCtxSynchronize, (void))                                                 \
    X(load, cuModuleLoadData, (void **, const void *))                                \
    X(unload, cuModuleUnload, (void *))                                               \
    X(kernel, cuModuleGetFunction, (void **, void *, const char *))                   \
    X(variable, cuModuleGetGlobal_v2, (uint64_t *, size_t *, void *, const char *))   \
    X(set, cuFuncSetAttribute, (void *, int, int))                                    \
    X(launch, cuLaunchKernelEx, (const gpu_config *, void *, void **, void **))       \
    X(reserve, cuMemAddressReserve, (uint64_t *, size_t, size_t, uint64_t, uint64_t)) \
    X(unreserve, cuMemAddressFree, (uint64_t, size_t))                                \
    X(create, cuMemCreate, (uint64_t *, size_t, const gpu_allocation *, uint64_t))    \
    X(forget, cuMemRelease, (uint64_t))                                               \
    X(map, cuMemMap, (uint64_t, size_t, size_t, uint64_t, uint64_t))                  \
    X(unmap, cuMemUnmap, (uint64_t, size_t))                                          \
    X(allow, cuMemSetAccess, (uint64_t, size_t, const gpu_rights *, size_t))          \
    X(clear, cuMemsetD8_v2, (uint64_t, unsigned char, size_t))                        \
    X(put, cuMemcpyHtoD_v2, (uint64_t, const void *, size_t))                         \
    X(get, cuMemcpyDtoH_v2, (void *, uint64_t, size_t))                               \
    X(event, cuEventCreate, (void **, unsigned))                                      \
    X(event_end, cuEventDestroy_v2, (void *))                                         \
    X(record, cuEventRecord, (void *, void *))                                        \
    X(event_query, cuEventQuery, (void *))                                            \
    X(elapsed, cuEventElapsedTime, (float *, void *, void *))

typedef struct gpu_driver {
#define GPU_DRIVER_FIELD(field, symbol, parameters) int(*field) parameters;
    GPU_DRIVER_LIST(GPU_DRIVER_FIELD)
#undef GPU_DRIVER_FIELD
    char name[64]; /* of the GPU */
    int cc, multiprocessors;
    bool is_stuck; /* a kernel does not end, so waiting for it would not end either */
} gpu_driver;

/* Opens the first GPU and makes its primary context current; libcuda stays open. SMP_E_NO_DRIVER
 * or SMP_E_NO_GPU if there is none. gpu_driver_close releases the context. */
smp_status gpu_driver_open(gpu_driver *out, smp_error *error);
void gpu_driver_close(const gpu_driver *driver);
/* Waits for a recorded event. After `seconds` gives up with SMP_E_CUDA and sets is_stuck. */
smp_status gpu_driver_wait(gpu_driver *driver, void *event, unsigned seconds, const char *what,
                           smp_error *error);
/* Translates a code of libcuda: SMP_OK for 0, else SMP_E_CUDA, or SMP_E_MEMORY if the GPU has too
 * little. `what` names the step, for the message. */
smp_status gpu_status(int code, const char *what, smp_error *error);
