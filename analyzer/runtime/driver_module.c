/* SPDX-License-Identifier: MIT */
/*
 * Modules, libraries, and the linker as far as it has one piece of code to look at. What a program
 * calls a module, a library, a function and a kernel are the runtime's libraries and kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "driver.h"
#include "tool.h"

cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, int *jit_options,
                                void **jit_values, unsigned jit_count, int *options, void **values,
                                unsigned count);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path, int *jit_options,
                                    void **jit_values, unsigned jit_count, int *options,
                                    void **values, unsigned count);
cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library);

/* ---- Modules ---- */

enum { JIT_INFO_BYTES = 4, JIT_ERROR_BYTES = 6 };

/* What the assembler says goes into the report; the program's buffers stay empty. */
static void empty_logs(unsigned count, const int *options, void **values) {
    for (unsigned i = 0; i < count && options && values; i++)
        if (options[i] == JIT_INFO_BYTES || options[i] == JIT_ERROR_BYTES)
            values[i] = NULL;
}

static cudaError_t load_data(cudaLibrary_t *out, const void *image) {
    return cudaLibraryLoadData(out, image, NULL, NULL, 0, NULL, NULL, 0);
}

static cudaError_t load_file(cudaLibrary_t *out, const char *path) {
    return cudaLibraryLoadFromFile(out, path, NULL, NULL, 0, NULL, NULL, 0);
}

DRV_FORWARD(cuModuleLoad, load_file, cudaLibrary_t *, const char *);
DRV_FORWARD(cuModuleLoadData, load_data, cudaLibrary_t *, const void *);

DRV_EXPORT(cuModuleLoadDataEx(cudaLibrary_t *out, const void *image, unsigned count, int *options,
                              void **values)) {
    empty_logs(count, options, values);
    DRV_DO(load_data(out, image));
}

DRV_FORWARD(cuModuleLoadFatBinary, load_data, cudaLibrary_t *, const void *);
DRV_CALL(cuModuleGetFunction(cudaKernel_t *out, cudaLibrary_t module, const char *name),
         out ? rt_module_kernel(out, module, name) : cudaErrorInvalidValue);

/* Code is loaded when something of it is asked for. */
DRV_CALL_EARLY(cuModuleGetLoadingMode(int *out),
               out ? (*out = 2, cudaSuccess) : cudaErrorInvalidValue);

/* ---- Libraries: they need no context ---- */

DRV_EXPORT(cuLibraryLoadData(cudaLibrary_t *out, const void *code, int *jit_options,
                             void **jit_values, unsigned jit_count, int *options, void **values,
                             unsigned count)) {
    (void)options, (void)values, (void)count;
    empty_logs(jit_count, jit_options, jit_values);
    DRV_DO_EARLY(load_data(out, code));
}

DRV_EXPORT(cuLibraryLoadFromFile(cudaLibrary_t *out, const char *path, int *jit_options,
                                 void **jit_values, unsigned jit_count, int *options, void **values,
                                 unsigned count)) {
    (void)options, (void)values, (void)count;
    empty_logs(jit_count, jit_options, jit_values);
    DRV_DO_EARLY(load_file(out, path));
}

DRV_CALL_EARLY(cuLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name),
               out ? rt_module_kernel(out, library, name) : cudaErrorInvalidValue);

static cudaError_t same_library(cudaLibrary_t *out, cudaLibrary_t library) {
    unsigned count;
    const cudaError_t result = cudaLibraryGetKernelCount(&count, library);
    if (!out || result != cudaSuccess)
        return out ? result : cudaErrorInvalidValue;
    *out = library;
    return cudaSuccess;
}

DRV_FORWARD(cuLibraryGetModule, same_library, cudaLibrary_t *, cudaLibrary_t);

/* ---- Linking: one piece of code is assembled; several would need a linker ---- */

typedef struct link_state {
    void *data;     /* owned */
    smp_code *code; /* owned; NULL: not complete */
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

DRV_EXPORT(cuLinkCreate_v2(unsigned count, int *options, void **values, link_state **out)) {
    empty_logs(count, options, values);
    DRV_DO(link_create(out));
}

static cudaError_t link_add(link_state *state, const void *data, size_t size) {
    if (!state || !data || size == 0)
        return cudaErrorInvalidValue;
    if (state->pieces++ > 0)
        return rt_refuse("cuLinkAddData", "one piece of code is linked, not several; link them "
                                          "with nvcc -rdc=true -cubin and nvlink, and load that");
    state->data = malloc(size + 1);
    if (!state->data)
        return cudaErrorMemoryAllocation;
    memcpy(state->data, data, size);
    ((char *)state->data)[size] = '\0';
    state->size = size;
    return cudaSuccess;
}

DRV_EXPORT(cuLinkAddData_v2(link_state *state, int type, void *data, size_t size, const char *name,
                            unsigned count, int *options, void **values)) {
    (void)type, (void)name;
    empty_logs(count, options, values);
    DRV_DO(link_add(state, data, size));
}

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

DRV_EXPORT(cuLinkAddFile_v2(link_state *state, int type, const char *path, unsigned count,
                            int *options, void **values)) {
    (void)type;
    empty_logs(count, options, values);
    DRV_DO(link_add_file(state, path));
}

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
