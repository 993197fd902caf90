/* SPDX-License-Identifier: MIT */
/*
 * standin_driver.c: what of libcuda.so.1 the library asks while it keeps launches, without a GPU:
 * variables are where the test says.
 */
#include "standin_driver.h"

#include <string.h>

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
        if (variable->name == NULL || strcmp(variable->name, name) != 0)
            continue;
        *address = (uintptr_t)variable->address;
        *bytes = variable->bytes;
        return 0;
    }
    return 500;
}
