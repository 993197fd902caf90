/* SPDX-License-Identifier: MIT */
/*
 * Properties of the emulated GPU. Its limits come from the model's row for its compute capability;
 * those that the row lacks are 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "interface.h"

/* ---- Attributes: numbers as in the interface (cudaDeviceAttr) ---- */

/* Attributes without a row are 0: features that are not supported here. */
static cudaError_t find_attribute(int number, int *value) {
    const rt_device *gpu = rt_device_played();
    const smp_arch *arch = rt_arch();
    *value = 0;
    switch (number) {
#define ATTRIBUTE(number, name, number_value, bytes, at_13, at_12) \
    case number:                                                   \
        *value = number_value;                                     \
        break;
#include "cuda_attributes.inc"
#undef ATTRIBUTE
    }
    return number > 0 && number <= 148 ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- Properties: the place of each attribute in the struct of each version ---- */

static const char uuid[] = "smemprobe.no.GPU";
enum { NOWHERE = 0xffff, NAME_BYTES = 256, UUID_AT = 256, MEMORY_AT = 288 };

typedef struct place {
    uint8_t attribute, bytes;
    uint16_t at_13, at_12;
} place;

static const place places[] = {
#define ATTRIBUTE(number, name, value, bytes, at_13, at_12) {number, bytes, at_13, at_12},
#include "cuda_attributes.inc"
#undef ATTRIBUTE
};

cudaError_t rt_device_properties(void *out, int device, unsigned version) {
    uint8_t *bytes = out;
    if (!out || device != 0)
        return out ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    const rt_device *played = rt_device_played();
    const size_t memory = (size_t)played->memory_mib << 20;
    const size_t size = version >= 13   ? RT_PROPERTIES_13_BYTES
                        : version == 12 ? RT_PROPERTIES_12_BYTES
                                        : RT_PROPERTIES_11_BYTES; /* the start of version 12's */
    memset(bytes, 0, size);
    (void)snprintf((char *)bytes, NAME_BYTES, "%s", played->name);
    memcpy(bytes + UUID_AT, uuid, 16);
    memcpy(bytes + MEMORY_AT, &memory, sizeof memory);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const uint16_t at = version >= 13 ? places[i].at_13 : places[i].at_12;
        int value;
        (void)find_attribute(places[i].attribute, &value);
        const int64_t wide = value;
        if (at < size)
            memcpy(bytes + at, &wide, places[i].bytes);
    }
    return cudaSuccess;
}

/* ---- The one device ---- */

static cudaError_t check_device(int device) {
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

EARLY_CALL(cudaGetDeviceCount, cuDeviceGetCount, (int *count), RT_GIVE(count, 1));
SAME_CALL(cudaGetDevice, cuCtxGetDevice, (int *device), RT_GIVE(device, 0));
RT_FORWARD(cudaSetDevice, check_device, int);
RT_CALL(cudaInitDevice(int device, unsigned device_flags, unsigned flags), check_device(device));
RT_CALL(cudaChooseDevice(int *device, const void *properties), RT_GIVE(device, 0));
RT_CALL(cudaSetValidDevices(int *devices, int count),
        count == 1 && devices ? check_device(devices[0]) : cudaErrorInvalidValue);
EARLY_CALL(cudaDeviceGetAttribute, cuDeviceGetAttribute, (int *value, int number, int device),
           !value        ? cudaErrorInvalidValue
           : device != 0 ? cudaErrorInvalidDevice
                         : find_attribute(number, value));

static unsigned device_flags;

RT_CALL(cudaSetDeviceFlags(unsigned flags), (device_flags = flags, cudaSuccess));
RT_CALL(cudaGetDeviceFlags(unsigned *flags),
        RT_GIVE(flags, device_flags | 8)); /* maps host memory, as always */

static cudaError_t give_bus(char *text, int length, int device) {
    if (!text || length < 13)
        return cudaErrorInvalidValue;
    (void)snprintf(text, (size_t)length, "0000:01:00.0");
    return check_device(device);
}

EARLY(cudaDeviceGetPCIBusId, cuDeviceGetPCIBusId, give_bus, char *, int, int);
EARLY_CALL(cudaDeviceGetByPCIBusId, cuDeviceGetByPCIBusId, (int *device, const char *text),
           !!text && strstr(text, "01:00") ? RT_GIVE(device, 0) : cudaErrorInvalidDevice);
EARLY_CALL(cudaDeviceCanAccessPeer, cuDeviceCanAccessPeer, (int *can, int device, int peer),
           device == 0 && peer == 0 ? RT_GIVE(can, 0) : cudaErrorInvalidDevice);

RT_CALL(cudaDeviceEnablePeerAccess(int peer, unsigned flags), cudaErrorInvalidDevice);
RT_CALL(cudaDeviceDisablePeerAccess(int peer), cudaErrorInvalidDevice);
EARLY_CALL(cudaDeviceGetP2PAttribute, cuDeviceGetP2PAttribute,
           (int *value, int number, int from, int to), cudaErrorInvalidDevice);

/* Counts of earlier launches stay, and so does memory that the program still has. */
RT_CALL(cudaDeviceReset(void), (rt_profile_write(), cudaSuccess));

RT_CALL(cudaDriverGetVersion(int *version), RT_GIVE(version, 13000));
DRV_CALL_ALWAYS(cuDriverGetVersion(int *version), RT_GIVE(version, 13000));

static cudaError_t priority_range(int *least, int *greatest) {
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return cudaSuccess;
}

SAME(cudaDeviceGetStreamPriorityRange, cuCtxGetStreamPriorityRange, priority_range, int *, int *);

/* ---- Limits and preferences; no figure of a report depends on them ---- */

enum { LIMITS = 7, LIMIT_STACK = 0, LIMIT_PRINTF = 1, LIMIT_HEAP = 2 };
enum { STACK_USUAL = 2048 }; /* of a launch without --stack */
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

/* The user's value, or the program's if that is larger. */
uint32_t rt_stack_bytes(void) {
    const char *given = getenv("SMP_RUNTIME_STACK");
    const size_t least = given ? strtoul(given, NULL, 10) : 0, set = limits[LIMIT_STACK];
    const size_t bytes = set > STACK_USUAL && set > least ? set : least;
    return bytes < SMP_LOCAL_MOST ? (uint32_t)bytes : SMP_LOCAL_MOST;
}

uint64_t rt_printf_bytes(void) {
    return limits[LIMIT_PRINTF];
}

size_t rt_heap_bytes(void) {
    return limits[LIMIT_HEAP];
}

/* The size of the heap is fixed once a kernel has used it (CUDA C++ Programming Guide, Heap Memory
 * Allocation). */
static bool may_set(int limit) {
    return limit >= 0 && limit < LIMITS &&
           (limit != LIMIT_HEAP || !smp_emu_memory_find(rt_memory(), EMU_HEAP));
}

SAME_CALL(cudaDeviceSetLimit, cuCtxSetLimit, (int limit, size_t value),
          RT_IF(may_set(limit), limits[limit] = value));

SAME_CALL(cudaDeviceGetLimit, cuCtxGetLimit, (size_t * value, int limit),
          RT_IF(limit >= 0 && limit < LIMITS && value, *value = limits[limit]));
SAME_CALL(cudaDeviceSetCacheConfig, cuCtxSetCacheConfig, (int config),
          config >= 0 && config < 4 ? cudaSuccess : cudaErrorInvalidValue);
SAME_CALL(cudaDeviceGetCacheConfig, cuCtxGetCacheConfig, (int *config), RT_GIVE(config, 0));
SAME_CALL(cudaDeviceSetSharedMemConfig, cuCtxSetSharedMemConfig, (int config),
          config >= 0 && config < 3 ? cudaSuccess : cudaErrorInvalidValue);

/* Four bytes a bank: the only mode since Maxwell. */
SAME_CALL(cudaDeviceGetSharedMemConfig, cuCtxGetSharedMemConfig, (int *config), RT_GIVE(config, 1));
SAME_CALL(cudaCtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache, (void), cudaSuccess);
EARLY_CALL(cudaProfilerStart, cuProfilerStart, (void), cudaSuccess);
EARLY_CALL(cudaProfilerStop, cuProfilerStop, (void), cudaSuccess);

/* ---- Questions that only the driver is asked ---- */

/* Does the action if `is_fine` and the device is 0. */
#define OF_DEVICE(is_fine, action) (device != 0 ? cudaErrorInvalidDevice : RT_IF(is_fine, action))

DRV_CALL_EARLY(cuDeviceGet(CUdevice *out, int ordinal),
               !out ? cudaErrorInvalidValue
                    : RT_WHERE(ordinal == 0, *out = 0, cudaErrorInvalidDevice));
DRV_CALL_EARLY(cuDeviceGetName(char *name, int length, CUdevice device),
               OF_DEVICE(length > 0 && name,
                         snprintf(name, (size_t)length, "%s", rt_device_played()->name)));
DRV_CALL_EARLY(cuDeviceGetUuid_v2(void *out, CUdevice device),
               OF_DEVICE(out, memcpy(out, uuid, 16)));
DRV_CALL_EARLY(cuDeviceTotalMem_v2(size_t *out, CUdevice device),
               OF_DEVICE(out, *out = (size_t)rt_device_played()->memory_mib << 20));
DRV_CALL_EARLY(cuDeviceComputeCapability(int *major, int *minor, CUdevice device),
               OF_DEVICE(!!major && !!minor, (*major = rt_device_played()->cc / 10,
                                              *minor = rt_device_played()->cc % 10)));

/* CUdevprop: the first 14 attributes, in order. */
static cudaError_t get_properties(int *out, CUdevice device) {
    if (!out || device != 0)
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    for (int number = 1; number <= 14; number++)
        (void)find_attribute(number, &out[number - 1]);
    return cudaSuccess;
}

DRV_FORWARD_EARLY(cuDeviceGetProperties, get_properties, int *, CUdevice);
DRV_CALL_EARLY(cuDeviceGetExecAffinitySupport(int *out, int type, CUdevice device),
               RT_GIVE(out, 0));
