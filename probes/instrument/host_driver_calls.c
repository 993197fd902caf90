/* SPDX-License-Identifier: MIT */
/*
 * host_driver_calls.c: what the driver says of a device, and its contexts. Its library is there: it
 * called us.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "host_part.h"

enum {
    ATTRIBUTE_CLOCK = 13,
    ATTRIBUTE_MULTIPROCESSORS = 16,
    ATTRIBUTE_CC_MAJOR = 75,
    ATTRIBUTE_CC_MINOR = 76,
    ATTRIBUTE_RESERVED_SHARED = 111,
};

typedef int (*name_fn)(char *name, int size, int device);
typedef int (*attribute_fn)(int *value, int attribute, int device);

void *host_driver_symbol(const char *name) {
    static void *driver;
    if (driver == NULL)
        driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return driver ? dlsym(driver, name) : NULL;
}

static uint32_t attribute(int number, int device) {
    attribute_fn ask;
    int value = 0;
    void *symbol = host_driver_symbol("cuDeviceGetAttribute");
    memcpy(&ask, &symbol, sizeof ask);
    return symbol != NULL && ask(&value, number, device) == 0 && value > 0 ? (uint32_t)value : 0;
}

void host_device(int device, instrument_context_record *record, char name[256]) {
    name_fn ask;
    void *symbol = host_driver_symbol("cuDeviceGetName");
    memcpy(&ask, &symbol, sizeof ask);
    if (symbol == NULL || ask(name, 256, device) != 0)
        snprintf(name, 256, "?");
    *record = (instrument_context_record){
        .cc_major = attribute(ATTRIBUTE_CC_MAJOR, device),
        .cc_minor = attribute(ATTRIBUTE_CC_MINOR, device),
        .clock_khz = attribute(ATTRIBUTE_CLOCK, device),
        .multiprocessors = attribute(ATTRIBUTE_MULTIPROCESSORS, device),
        .reserved_bytes = attribute(ATTRIBUTE_RESERVED_SHARED, device),
    };
}

bool host_enter(void *context) {
    int (*push)(void *);
    void *symbol = host_driver_symbol("cuCtxPushCurrent_v2");
    memcpy(&push, &symbol, sizeof push);
    return symbol != NULL && context != NULL && push(context) == 0;
}

void host_leave(void) {
    int (*pop)(void **);
    void *context, *symbol = host_driver_symbol("cuCtxPopCurrent_v2");
    memcpy(&pop, &symbol, sizeof pop);
    if (symbol != NULL)
        (void)pop(&context);
}
