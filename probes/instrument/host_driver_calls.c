/* SPDX-License-Identifier: MIT */
/*
 * Driver queries about devices and contexts, and the arguments of its launch calls. Its library is
 * loaded already: it called us.
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

bool host_driver_function(const char *name, void *function) {
    static void *driver;
    if (!driver)
        driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = driver ? dlsym(driver, name) : NULL;
    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

static host_events events;

static bool find_events(void) {
    static const char *const names[] = {"cuThreadExchangeStreamCaptureMode",
                                        "cuEventCreate",
                                        "cuEventRecord",
                                        "cuEventQuery",
                                        "cuEventElapsedTime",
                                        "cuStreamIsCapturing"};
    void *const functions[] = {&events.exchange, &events.create,  &events.record,
                               &events.query,    &events.elapsed, &events.capturing};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!host_driver_function(names[i], functions[i]))
            return false;
    return true;
}

const host_events *host_find_events(void) {
    static bool is_found;
    is_found = is_found || find_events();
    return is_found ? &events : NULL;
}

static uint32_t attribute(int number, int device) {
    int (*ask)(int *value, int attribute, int device);
    int value = 0;
    return host_driver_function("cuDeviceGetAttribute", &ask) && ask(&value, number, device) == 0 &&
                   value > 0
               ? (uint32_t)value
               : 0;
}

void host_device(int device, instrument_context_record *record, char name[256]) {
    int (*ask)(char *name, int size, int device);
    if (!host_driver_function("cuDeviceGetName", &ask) || ask(name, 256, device) != 0)
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
    return context && host_driver_function("cuCtxPushCurrent_v2", &push) && push(context) == 0;
}

void host_leave(void) {
    int (*pop)(void **);
    void *context;
    if (host_driver_function("cuCtxPopCurrent_v2", &pop))
        (void)pop(&context);
}

/* ---- Calls that launch ---- */

const char *host_call_name(const san_api_data *data, const void *function) {
    int (*of_function)(const char **name, const void *), (*of_kernel)(const char **, const void *);
    const char *name = NULL;
    const bool is_known =
        (host_driver_function("cuFuncGetName", &of_function) &&
         of_function(&name, function) == 0) ||
        (host_driver_function("cuKernelGetName", &of_kernel) && of_kernel(&name, function) == 0);
    return is_known && name ? name : data->symbol_name;
}

static void read_attributes(const san_launch_config *config, host_call *out) {
    for (uint32_t i = 0; i < config->attribute_count; i++) {
        const san_launch_attribute *one = &config->attributes[i];
        if (one->id == SAN_ATTRIBUTE_COOPERATIVE)
            out->is_cooperative = one->value[0] != 0;
        else if (one->id == SAN_ATTRIBUTE_CLUSTER)
            memcpy(out->cluster, one->value, sizeof out->cluster);
    }
}

bool host_read_call(uint32_t id, const void *parameters, host_call *out) {
    const san_launch_kernel *kernel = parameters;
    const san_launch_kernel_ex *ex = parameters;
    const san_launch_graph *graph = parameters;
    *out = (host_call){.is_of_thread =
                           id == SAN_LAUNCH_KERNEL_PTSZ || id == SAN_LAUNCH_COOPERATIVE_PTSZ ||
                           id == SAN_LAUNCH_KERNEL_EX_PTSZ || id == SAN_LAUNCH_GRAPH_PTSZ};
    switch (id) {
    case SAN_LAUNCH_KERNEL:
    case SAN_LAUNCH_KERNEL_PTSZ:
        out->extra = kernel->extra; /* the cooperative calls have no such argument */
        /* fall through */
    case SAN_LAUNCH_COOPERATIVE:
    case SAN_LAUNCH_COOPERATIVE_PTSZ:
        out->function = kernel->function;
        memcpy(out->grid, kernel->grid, sizeof out->grid);
        memcpy(out->block, kernel->block, sizeof out->block);
        out->shared_bytes = kernel->shared_bytes;
        out->is_cooperative = id == SAN_LAUNCH_COOPERATIVE || id == SAN_LAUNCH_COOPERATIVE_PTSZ;
        out->stream = kernel->stream;
        out->values = kernel->values;
        return true;
    case SAN_LAUNCH_KERNEL_EX:
    case SAN_LAUNCH_KERNEL_EX_PTSZ:
        out->function = ex->function;
        memcpy(out->grid, ex->config->grid, sizeof out->grid);
        memcpy(out->block, ex->config->block, sizeof out->block);
        out->shared_bytes = ex->config->shared_bytes;
        read_attributes(ex->config, out);
        out->stream = ex->config->stream;
        out->values = ex->values;
        out->extra = ex->extra;
        return true;
    case SAN_LAUNCH_GRAPH:
    case SAN_LAUNCH_GRAPH_PTSZ:
        out->graph = graph->graph;
        out->stream = graph->stream;
        return true;
    default:
        return false;
    }
}
