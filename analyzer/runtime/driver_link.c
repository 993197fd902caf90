/* SPDX-License-Identifier: MIT */
/*
 * The driver's linker. It takes one piece of code, which is assembled; several pieces would need a
 * real linker.
 */
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "interface.h"
#include "tool.h"

typedef struct link_state {
    void *data;     /* owned */
    smp_code *code; /* owned; NULL until it is complete */
    size_t size;
    unsigned pieces;
} link_state;

static cudaError_t link_create(link_state **out) {
    link_state *made = out ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return out ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    *out = made;
    return cudaSuccess;
}

DRV_CALL(cuLinkCreate_v2(unsigned count, int *options, void **values, link_state **out),
         (rt_empty_logs(count, options, values), link_create(out)));

static cudaError_t link_add(link_state *state, const void *data, size_t size) {
    if (!state || !data || size == 0)
        return cudaErrorInvalidValue;
    if (state->pieces++ > 0)
        return rt_refuse("cuLinkAddData",
                         "only one piece of code can be linked here; link several with nvcc "
                         "-rdc=true -cubin and nvlink, and load the result");
    state->data = malloc(size + 1);
    if (!state->data)
        return cudaErrorMemoryAllocation;
    memcpy(state->data, data, size);
    ((char *)state->data)[size] = '\0';
    state->size = size;
    return cudaSuccess;
}

DRV_CALL(cuLinkAddData_v2(link_state *state, int type, void *data, size_t size, const char *name,
                          unsigned count, int *options, void **values),
         (rt_empty_logs(count, options, values), link_add(state, data, size)));

static cudaError_t link_add_file(link_state *state, const char *path) {
    char *bytes;
    size_t size;
    if (!state || !path)
        return cudaErrorInvalidValue;
    if (smp_tool_read(path, &bytes, &size, NULL) != SMP_OK)
        return cudaErrorFileNotFound;
    const cudaError_t result = link_add(state, bytes, size);
    free(bytes);
    return result;
}

DRV_CALL(cuLinkAddFile_v2(link_state *state, int type, const char *path, unsigned count,
                          int *options, void **values),
         (rt_empty_logs(count, options, values), link_add_file(state, path)));

static cudaError_t link_complete(link_state *state, void **cubin, size_t *size) {
    if (!state || !cubin || !state->data)
        return cudaErrorInvalidValue;
    if (!state->code) {
        const cudaError_t result = rt_code_open(state->data, rt_code_size(state->data),
                                                rt_device_played()->cc, &state->code);
        if (result != cudaSuccess)
            return result;
    }
    *cubin = (void *)(uintptr_t)state->code->bytes;
    if (size)
        *size = rt_code_size(state->code->bytes);
    return cudaSuccess;
}

DRV_FORWARD(cuLinkComplete, link_complete, link_state *, void **, size_t *);

static cudaError_t link_destroy(link_state *state) {
    if (!state)
        return cudaErrorInvalidValue;
    free(state->data);
    smp_code_close(state->code);
    free(state);
    return cudaSuccess;
}

DRV_FORWARD(cuLinkDestroy, link_destroy, link_state *);
