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

/* Does the action where all is fine and the device is the one that there is. */
#define OF_DEVICE(is_fine, action) \
    (device != 0 ? cudaErrorInvalidDevice : RT_WHERE(is_fine, action, cudaErrorInvalidValue))

DRV_CALL_EARLY(cuDeviceGet(CUdevice *out, int ordinal),
               !out ? cudaErrorInvalidValue
                    : RT_WHERE(ordinal == 0, *out = 0, cudaErrorInvalidDevice));
DRV_CALL_EARLY(cuDeviceGetName(char *name, int length, CUdevice device),
               OF_DEVICE(length > 0 && name,
                         snprintf(name, (size_t)length, "%s", rt_device_played()->name)));
DRV_CALL_EARLY(cuDeviceGetUuid(void *out, CUdevice device),
               OF_DEVICE(out, memcpy(out, "smemprobe.no.GPU", 16)));
DRV_CALL_EARLY(cuDeviceGetUuid_v2(void *out, CUdevice device),
               OF_DEVICE(out, memcpy(out, "smemprobe.no.GPU", 16)));
DRV_CALL_EARLY(cuDeviceTotalMem_v2(size_t *out, CUdevice device),
               OF_DEVICE(out, *out = (size_t)rt_device_played()->memory_mib << 20));
DRV_CALL_EARLY(cuDeviceComputeCapability(int *major, int *minor, CUdevice device),
               OF_DEVICE(major != NULL && minor, (*major = rt_device_played()->cc / 10,
                                                  *minor = rt_device_played()->cc % 10)));

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
