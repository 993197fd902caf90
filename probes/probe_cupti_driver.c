/* SPDX-License-Identifier: MIT */
/*
 * probe_cupti_driver.c: opens libcuda at run time and reads what the machine has. The CUDA runtime
 * is linked statically and finds the same libcuda by itself; it is asked only after this succeeded.
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "probe_cupti.h"

struct driver {
    CUresult (*initialize)(unsigned);
    CUresult (*version)(int *);
    CUresult (*count)(int *);
    CUresult (*current)(CUcontext *);
};

static bool find_symbol(void *handle, const char *symbol, void *function) {
    void *address = dlsym(handle, symbol);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static smp_status open_library(struct driver *out, smp_error *error) {
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return smp_error_set(error, SMP_E_NO_DRIVER, -1,
                             "no NVIDIA driver (libcuda.so.1 was not found)");
    if (!find_symbol(handle, "cuInit", &out->initialize) ||
        !find_symbol(handle, "cuDriverGetVersion", &out->version) ||
        !find_symbol(handle, "cuDeviceGetCount", &out->count) ||
        !find_symbol(handle, "cuCtxGetCurrent", &out->current))
        return smp_error_set(error, SMP_E_NO_DRIVER, -1, "libcuda.so.1 is no NVIDIA driver");
    return SMP_OK;
}

/* Within one major version, older drivers run newer runtimes. */
static smp_status check_version(const struct driver *driver, smp_error *error) {
    int version = 0;
    if (driver->version(&version) != CUDA_SUCCESS || version / 1000 < CUDART_VERSION / 1000)
        return smp_error_set(error, SMP_E_DRIVER_OLD, -1,
                             "the NVIDIA driver supports CUDA %d.%d, this program needs %d.0",
                             version / 1000, version % 1000 / 10, CUDART_VERSION / 1000);
    return SMP_OK;
}

static smp_status check_devices(const struct driver *driver, int index, smp_error *error) {
    int count = 0;
    CUresult code = driver->initialize(0);
    if (code == CUDA_SUCCESS)
        code = driver->count(&count);
    if (code == CUDA_ERROR_NO_DEVICE || (code == CUDA_SUCCESS && count == 0))
        return smp_error_set(error, SMP_E_NO_GPU, -1, "no NVIDIA GPU");
    if (code != CUDA_SUCCESS)
        return smp_error_set(error, SMP_E_NO_GPU, -1,
                             "the NVIDIA driver does not start (CUDA error %d)", (int)code);
    if (index < 0 || index >= count)
        return smp_error_set(error, SMP_E_NO_GPU, -1, "no GPU %d: there are %d", index, count);
    return SMP_OK;
}

static void read_driver_version(char *text, size_t size) {
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (!file || !fgets(text, (int)size, file))
        snprintf(text, size, "unknown");
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
}

static smp_status describe(int index, smp_device *out, smp_error *error) {
    struct cudaDeviceProp properties;
    smp_status status = smp_cuda_status(cudaGetDeviceProperties(&properties, index),
                                        "properties of the GPU", error);
    if (status != SMP_OK)
        return status;
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%.*s", (int)sizeof out->name - 1, properties.name);
    out->cc_major = properties.major;
    out->cc_minor = properties.minor;
    out->index = index;
    out->multiprocessors = properties.multiProcessorCount;
    read_driver_version(out->driver, sizeof out->driver);
    snprintf(out->cuda, sizeof out->cuda, "%d.%d", CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
    return SMP_OK;
}

smp_status smp_driver_open(int index, smp_device *device, CUcontext *context, smp_error *error) {
    struct driver driver = {0};
    smp_status status = open_library(&driver, error);
    if (status == SMP_OK)
        status = check_version(&driver, error);
    if (status == SMP_OK)
        status = check_devices(&driver, index, error);
    if (status == SMP_OK)
        status = smp_cuda_status(cudaSetDevice(index), "selecting the GPU", error);
    if (status == SMP_OK)
        status = describe(index, device, error);
    if (status == SMP_OK && driver.current(context) != CUDA_SUCCESS)
        status = smp_error_set(error, SMP_E_CUDA, -1, "the GPU has no current context");
    return status;
}

smp_status smp_cuda_status(int code, const char *what, smp_error *error) {
    if (code == cudaSuccess)
        return SMP_OK;
    smp_status status = code == cudaErrorMemoryAllocation ? SMP_E_MEMORY : SMP_E_CUDA;
    return smp_error_set(error, status, -1, "%s: %s", what, cudaGetErrorString((cudaError_t)code));
}
