/* SPDX-License-Identifier: MIT */
/*
 * Of libcuda.so.1, memory and launches of modules as `fix` times them. Memory is the process's own;
 * a launch changes nothing (with spoil=1 those of every second module do), and takes what
 * times=A/B/... says of its module, by the order in which they were loaded.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "standin.h"

enum { MODULES_MAX = 1024, ATTRIBUTE_COUNT = 16, ATTRIBUTE_MAJOR = 75, NOT_FOUND = 500 };

static int modules[MODULES_MAX]; /* their numbers, from 0 */
static unsigned module_count;
static uint8_t *last_put;

#define API(name, ...)     \
    int name(__VA_ARGS__); \
    int name(__VA_ARGS__)

API(cuDeviceGet, int *device, int number) {
    *device = number;
    return standin_number("gpus", 1) > number ? standin_result("cuDeviceGet") : 101;
}

API(cuDeviceGetName, char *name, int size, int device) {
    (void)device;
    (void)snprintf(name, (size_t)size, "%s", standin_text("name", "Stand-in"));
    return 0;
}

API(cuDeviceGetAttribute, int *value, int attribute, int device) {
    const long cc = standin_number("cc", 90);
    (void)device;
    *value = (int)(attribute == ATTRIBUTE_COUNT   ? 4
                   : attribute == ATTRIBUTE_MAJOR ? cc / 10
                                                  : cc % 10);
    return 0;
}

API(cuDevicePrimaryCtxRetain, void **context, int device) {
    (void)device;
    *context = &module_count;
    return standin_result("cuDevicePrimaryCtxRetain");
}

API(cuDevicePrimaryCtxRelease_v2, int device) {
    (void)device;
    return 0;
}

API(cuCtxSetCurrent, void *context) {
    (void)context;
    return 0;
}

API(cuCtxSynchronize, void) {
    return standin_result("cuCtxSynchronize");
}

/* ---- Modules ---- */

API(cuModuleLoadData, void **module, const void *image) {
    if (memcmp(image, "\177ELF", 4) != 0)
        return 200;
    if (module_count == MODULES_MAX)
        abort();
    modules[module_count] = (int)module_count;
    *module = &modules[module_count++];
    return standin_result("cuModuleLoadData");
}

API(cuModuleUnload, void *module) {
    (void)module;
    return 0;
}

API(cuModuleGetFunction, void **function, void *module, const char *name) {
    *function = module;
    return name[0] != '\0' ? 0 : NOT_FOUND;
}

API(cuModuleGetGlobal_v2, uint64_t *address, size_t *size, void *module, const char *name) {
    (void)address, (void)size, (void)module, (void)name;
    return NOT_FOUND;
}

API(cuFuncSetAttribute, void *function, int attribute, int value) {
    (void)function, (void)attribute, (void)value;
    return 0;
}

/* Field `number`, counted round, of "21/7". */
static double time_of(int number) {
    const char *text = standin_text("times", "1"), *at = text;
    for (; number > 0; number--)
        at = strchr(at, '/') ? strchr(at, '/') + 1 : text;
    return strtod(at, NULL);
}

API(cuLaunchKernelEx, const void *config, void *function, void **parameters, void **extra) {
    const int number = *(const int *)function;
    (void)config, (void)parameters, (void)extra;
    standin_spend(time_of(number));
    if (standin_number("spoil", 0) != 0 && number % 2 == 1 && last_put)
        last_put[0] ^= 1;
    return standin_result("cuLaunchKernel");
}

/* ---- Memory ---- */

static void *at_address(uint64_t address) {
    return (void *)(uintptr_t)address;
}

API(cuMemAddressReserve, uint64_t *address, size_t size, size_t alignment, uint64_t hint,
    uint64_t flags) {
    void *found = mmap(at_address(hint), size + alignment, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    (void)flags;
    *address = ((uintptr_t)found + alignment - 1) / alignment * alignment;
    return found == MAP_FAILED ? 2 : 0;
}

API(cuMemAddressFree, uint64_t address, size_t size) {
    (void)address, (void)size;
    return 0;
}

API(cuMemCreate, uint64_t *handle, size_t size, const void *how, uint64_t flags) {
    (void)how, (void)flags;
    *handle = size;
    return standin_result("cuMemCreate");
}

API(cuMemRelease, uint64_t handle) {
    (void)handle;
    return 0;
}

static int map_as(uint64_t address, size_t size, int rights) {
    return mmap(at_address(address), size, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) == MAP_FAILED
               ? 2
               : 0;
}

API(cuMemMap, uint64_t address, size_t size, size_t offset, uint64_t handle, uint64_t flags) {
    (void)offset, (void)flags;
    if (handle != size)
        abort();
    return map_as(address, size, PROT_READ | PROT_WRITE);
}

API(cuMemUnmap, uint64_t address, size_t size) {
    last_put = NULL;
    return map_as(address, size, PROT_NONE);
}

API(cuMemSetAccess, uint64_t address, size_t size, const void *rights, size_t count) {
    (void)address, (void)size, (void)rights, (void)count;
    return 0;
}

API(cuMemsetD8_v2, uint64_t address, unsigned char value, size_t size) {
    last_put = at_address(address);
    memset(last_put, value, size);
    return 0;
}

API(cuMemcpyHtoD_v2, uint64_t address, const void *from, size_t size) {
    last_put = at_address(address);
    memcpy(last_put, from, size);
    return 0;
}

API(cuMemcpyDtoH_v2, void *to, uint64_t address, size_t size) {
    memcpy(to, at_address(address), size);
    return 0;
}

/* ---- Events, which know when they were recorded ---- */

API(cuEventCreate, void **event, unsigned flags) {
    (void)flags;
    *event = calloc(1, sizeof(double));
    return *event ? 0 : 2;
}

API(cuEventDestroy_v2, void *event) {
    free(event);
    return 0;
}

API(cuEventRecord, void *event, void *stream) {
    (void)stream;
    *(double *)event = standin_clock_us();
    return 0;
}

API(cuEventQuery, void *event) {
    (void)event;
    return standin_result("cuEventQuery");
}

API(cuEventElapsedTime, float *milliseconds, void *from, void *to) {
    *milliseconds = (float)((*(double *)to - *(double *)from) / 1e3);
    return 0;
}
