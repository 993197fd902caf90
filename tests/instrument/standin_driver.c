/* SPDX-License-Identifier: MIT */
/*
 * What of libcuda.so.1 the library asks while it keeps launches or leaves code alone, without a
 * GPU: variables are where the test says, and a stream is busy if it says so.
 */
#define _GNU_SOURCE
#include "standin_driver.h"

#include <string.h>
#include <unistd.h>

standin_driver standin_driver_state;

#define API __attribute__((visibility("default")))

API int cuCtxSynchronize(void);
int cuCtxSynchronize(void) {
    standin_driver_state.synchronized++;
    return standin_driver_state.result;
}

API int cuStreamIsCapturing(const void *stream, int *state);
int cuStreamIsCapturing(const void *stream, int *state) {
    (void)stream;
    standin_driver_state.asked_capturing++;
    *state = standin_driver_state.is_capturing;
    return 0;
}

API int cuThreadExchangeStreamCaptureMode(int *mode);
int cuThreadExchangeStreamCaptureMode(int *mode) {
    const int was = standin_driver_state.mode;
    standin_driver_state.mode = *mode;
    *mode = was;
    return 0;
}

API int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, const void *module,
                             const char *name);
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, const void *module, const char *name) {
    (void)module;
    for (unsigned i = 0; i < STANDIN_VARIABLES; i++) {
        const standin_variable *variable = &standin_driver_state.variables[i];
        if (!variable->name || strcmp(variable->name, name) != 0)
            continue;
        *address = (uintptr_t)variable->address;
        *bytes = variable->bytes;
        return 0;
    }
    return 500;
}

/* ---- Events: each knows its stream ---- */

API int cuEventCreate(void **event, unsigned flags);
int cuEventCreate(void **event, unsigned flags) {
    (void)flags;
    if (standin_driver_state.events == STANDIN_EVENTS)
        return 2;
    *event = &standin_driver_state.stream_of[standin_driver_state.events++];
    return 0;
}

API int cuEventRecord(void *event, void *stream);
int cuEventRecord(void *event, void *stream) {
    *(void **)event = stream;
    standin_driver_state.recorded++;
    return standin_driver_state.result;
}

static bool is_busy(const void *event) {
    return standin_driver_state.is_busy &&
           *(void *const *)event == standin_driver_state.busy_stream;
}

API int cuEventElapsedTime(float *milliseconds, const void *from, const void *to);
int cuEventElapsedTime(float *milliseconds, const void *from, const void *to) {
    (void)from;
    *milliseconds = standin_driver_state.milliseconds;
    return is_busy(to) ? 600 : 0;
}

API int cuEventQuery(void *event);
int cuEventQuery(void *event) {
    standin_driver_state.queries++;
    if (standin_driver_state.query_us > 0)
        usleep(standin_driver_state.query_us);
    return is_busy(event) ? 600 : standin_driver_state.failure;
}

/* ---- Devices, functions and graphs ---- */

API int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetName(char *name, int size, int device) {
    (void)name, (void)size;
    standin_driver_state.device = device;
    return 1;
}

API int cuFuncGetName(const char **name, const void *function);
int cuFuncGetName(const char **name, const void *function) {
    *name = function;
    return standin_driver_state.is_naming ? 0 : 1;
}

API int cuFuncGetModule(const void **module, const void *function);
int cuFuncGetModule(const void **module, const void *function) {
    (void)function;
    *module = standin_driver_state.module;
    return 0;
}

API int cuFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes);
int cuFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes) {
    (void)function;
    if (index >= standin_driver_state.parameter_count)
        return 1;
    *offset = standin_driver_state.parameters[index][0];
    *bytes = standin_driver_state.parameters[index][1];
    return 0;
}

API int cuKernelGetFunction(void **function, void *kernel);
int cuKernelGetFunction(void **function, void *kernel) {
    *function = kernel;
    return 0;
}

API int cuGraphGetNodes(const void *graph, const void **nodes, size_t *count);
int cuGraphGetNodes(const void *graph, const void **nodes, size_t *count) {
    (void)graph;
    *count = 1;
    if (nodes)
        nodes[0] = &standin_driver_state;
    return 0;
}

API int cuGraphNodeGetType(const void *node, int *type);
int cuGraphNodeGetType(const void *node, int *type) {
    (void)node;
    *type = standin_driver_state.node_type;
    return 0;
}

API int cuGraphChildGraphNodeGetGraph(const void *node, void **graph);
int cuGraphChildGraphNodeGetGraph(const void *node, void **graph) {
    (void)node, (void)graph;
    return 1;
}

API int cuGraphKernelNodeGetParams_v2(const void *node, void *out);
int cuGraphKernelNodeGetParams_v2(const void *node, void *out) {
    (void)node;
    memcpy(out, standin_driver_state.node, standin_driver_state.node_bytes);
    return 0;
}
