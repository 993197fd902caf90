/* SPDX-License-Identifier: MIT */
/*
 * The device, as programs ask the driver about it, and the names of what its functions return.
 */
#include <stdio.h>
#include <string.h>

#include "driver.h"

cudaError_t cudaDeviceGetAttribute(int *value, int number, int device);
cudaError_t cudaDriverGetVersion(int *version);
const char *cudaGetErrorString(cudaError_t code);

/* ---- Codes ---- */

/* Which only the driver has. */
enum { CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202, CUDA_ERROR_KEY_ROTATION = 916 };

#define NAME_CASE(number, name, driver_name, text) \
    case number:                                   \
        return #driver_name[0] ? #driver_name : NULL;

static const char *name_of(CUresult code) {
    switch (code) {
        RT_CODES(NAME_CASE)
    case CUDA_ERROR_CONTEXT_ALREADY_CURRENT:
        return "CUDA_ERROR_CONTEXT_ALREADY_CURRENT";
    case CUDA_ERROR_KEY_ROTATION:
        return "CUDA_ERROR_KEY_ROTATION";
    default:
        return NULL;
    }
}

DRV_EXPORT(cuGetErrorName(CUresult code, const char **out)) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = name_of(code);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

DRV_EXPORT(cuGetErrorString(CUresult code, const char **out)) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = name_of(code) ? cudaGetErrorString(code) : NULL;
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- The device ---- */

DRV_EXPORT(cuDriverGetVersion(int *version)) {
    const cudaError_t before = drv_enter();
    return drv_leave(before, cudaDriverGetVersion(version));
}

static cudaError_t get(CUdevice *out, int ordinal) {
    if (!out || ordinal != 0)
        return out ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *out = 0;
    return cudaSuccess;
}

DRV_FORWARD_EARLY(cuDeviceGet, get, CUdevice *, int);

static cudaError_t get_name(char *name, int length, CUdevice device) {
    if (!name || length <= 0 || device != 0)
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    (void)snprintf(name, (size_t)length, "%s", rt_device_played()->name);
    return cudaSuccess;
}

DRV_FORWARD_EARLY(cuDeviceGetName, get_name, char *, int, CUdevice);

static cudaError_t get_uuid(void *out, CUdevice device) {
    if (!out || device != 0)
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    memcpy(out, "smemprobe.no.GPU", 16);
    return cudaSuccess;
}

DRV_FORWARD_EARLY(cuDeviceGetUuid, get_uuid, void *, CUdevice);
DRV_FORWARD_EARLY(cuDeviceGetUuid_v2, get_uuid, void *, CUdevice);

static cudaError_t total_memory(size_t *out, CUdevice device) {
    if (!out || device != 0)
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *out = (size_t)rt_device_played()->memory_mib << 20;
    return cudaSuccess;
}

DRV_FORWARD_EARLY(cuDeviceTotalMem_v2, total_memory, size_t *, CUdevice);

static cudaError_t capability(int *major, int *minor, CUdevice device) {
    if (!major || !minor || device != 0)
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *major = rt_device_played()->cc / 10;
    *minor = rt_device_played()->cc % 10;
    return cudaSuccess;
}

DRV_FORWARD_EARLY(cuDeviceComputeCapability, capability, int *, int *, CUdevice);

/* CUdevprop: ten numbers and, before them, the sizes of a block and a grid. */
static cudaError_t get_properties(int *out, CUdevice device) {
    static const uint8_t attributes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    if (!out || device != 0)
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    for (unsigned i = 0; i < sizeof attributes; i++)
        (void)cudaDeviceGetAttribute(&out[i], attributes[i], 0);
    return cudaSuccess;
}

DRV_FORWARD_EARLY(cuDeviceGetProperties, get_properties, int *, CUdevice);
DRV_CALL_EARLY(cuDeviceGetExecAffinitySupport(int *out, int type, CUdevice device),
               out ? (*out = 0, cudaSuccess) : cudaErrorInvalidValue);
