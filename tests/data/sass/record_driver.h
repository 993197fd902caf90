/* SPDX-License-Identifier: MIT */
/*
 * record_driver.h: the CUDA driver, for programs that record what a GPU does, without a toolkit.
 */
#pragma once

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

/* A function of `driver`; 1 is returned where it fails or is not there. */
#define CALL(name, ...)                                      \
    do {                                                     \
        int (*fn)() = (int (*)())dlsym(driver, name);        \
        int result = fn ? fn(__VA_ARGS__) : -1;              \
        if (result != 0) {                                   \
            fprintf(stderr, "%s: error %d\n", name, result); \
            return 1;                                        \
        }                                                    \
    } while (0)

/* A context on the first GPU, whose name goes to stderr, and the code of a file; not 0: failed. */
static inline int record_begin(void *driver, const char *cubin, void **module) {
    void *context;
    int device, version;
    char name[256];
    CALL("cuInit", 0);
    CALL("cuDeviceGet", &device, 0);
    CALL("cuDeviceGetName", name, 256, device);
    CALL("cuDriverGetVersion", &version);
    fprintf(stderr, "%s, driver API %d\n", name, version);
    CALL("cuCtxCreate_v2", &context, 0, device);
    CALL("cuModuleLoad", module, cubin);
    return 0;
}
