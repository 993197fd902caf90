/* SPDX-License-Identifier: MIT */
/*
 * Opens libcuda at run time and reads the machine's devices. The CUDA runtime is linked statically
 * and finds the same libcuda by itself; it is only called after this succeeds.
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "find_library.h"
#include "probe_cupti.h"
#include "system.h"

struct driver {
    CUresult (*initialize)(unsigned);
    CUresult (*version)(int *);
    CUresult (*count)(int *);
    CUresult (*current)(CUcontext *);
};

static smp_status open_library(struct driver *out, smp_error *error) {
    void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return smp_error_set(error, SMP_E_NO_DRIVER, -1,
                             "no NVIDIA driver: install it, or give the container --gpus all "
                             "(libcuda.so.1 was not found)");
    if (!smp_find_symbol(handle, "cuInit", &out->initialize) ||
        !smp_find_symbol(handle, "cuDriverGetVersion", &out->version) ||
        !smp_find_symbol(handle, "cuDeviceGetCount", &out->count) ||
        !smp_find_symbol(handle, "cuCtxGetCurrent", &out->current))
        return smp_error_set(error, SMP_E_NO_DRIVER, -1, "libcuda.so.1 is not an NVIDIA driver");
    return SMP_OK;
}

/* Within one major version, older drivers run newer runtimes. */
static smp_status check_version(const struct driver *driver, int *version, smp_error *error) {
    if (driver->version(version) != CUDA_SUCCESS || *version / 1000 < CUDART_VERSION / 1000)
        return smp_error_set(error, SMP_E_DRIVER_OLD, -1,
                             "the NVIDIA driver supports CUDA %d.%d, this program needs %d.0: "
                             "update the driver",
                             *version / 1000, *version % 1000 / 10, CUDART_VERSION / 1000);
    return SMP_OK;
}

/* What a user can do if the driver does not start. */
static const struct {
    CUresult code;
    smp_status status;
    const char *cause;
} rows[] = {
    {CUDA_ERROR_NO_DEVICE, SMP_E_NO_GPU,
     "the driver sees no NVIDIA GPU: set CUDA_VISIBLE_DEVICES, or give the container --gpus all"},
    {CUDA_ERROR_STUB_LIBRARY, SMP_E_NO_DRIVER,
     "libcuda.so.1 is the toolkit's stub: take its folder out of LD_LIBRARY_PATH"},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, SMP_E_CUDA,
     "the GPU is taken: end the process that uses it in exclusive mode"},
    {CUDA_ERROR_SYSTEM_NOT_READY, SMP_E_CUDA,
     "the GPUs are not ready: start nvidia-fabricmanager and try again"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, SMP_E_CUDA,
     "libcuda and the kernel's nvidia module are of different versions: reboot, or load the module "
     "again"},
    {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, SMP_E_CUDA,
     "the CUDA compatibility package does not support this GPU: remove it, or update the driver"},
};

static smp_status start_failed(CUresult code, smp_error *error) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == code)
            return smp_error_set(error, rows[i].status, -1, "%s (CUDA error %d)", rows[i].cause,
                                 (int)code);
    return smp_error_set(error, SMP_E_CUDA, -1,
                         "the NVIDIA driver does not start (CUDA error %d); nvidia-smi may say why",
                         (int)code);
}

static smp_status count_devices(const struct driver *driver, int *count, smp_error *error) {
    CUresult code = driver->initialize(0);
    if (code == CUDA_SUCCESS)
        code = driver->count(count);
    if (code == CUDA_SUCCESS && *count == 0)
        code = CUDA_ERROR_NO_DEVICE;
    return code == CUDA_SUCCESS ? SMP_OK : start_failed(code, error);
}

static smp_status start(struct driver *driver, int *version, int *count, smp_error *error) {
    smp_status status = open_library(driver, error);
    if (status == SMP_OK)
        status = check_version(driver, version, error);
    return status == SMP_OK ? count_devices(driver, count, error) : status;
}

smp_status smp_driver_start(int *version, int *count, smp_error *error) {
    struct driver driver = {0};
    *version = *count = 0;
    return start(&driver, version, count, error);
}

smp_status smp_device_describe(int index, smp_device *out, smp_error *error) {
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
    if (!smp_system_line("/sys/module/nvidia/version", out->driver, sizeof out->driver))
        snprintf(out->driver, sizeof out->driver, "unknown");
    snprintf(out->cuda, sizeof out->cuda, "%d.%d", CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
    return SMP_OK;
}

smp_status smp_driver_open(int index, smp_device *device, CUcontext *context, smp_error *error) {
    struct driver driver = {0};
    int version, count = 0;
    smp_status status = start(&driver, &version, &count, error);
    if (status == SMP_OK && (index < 0 || index >= count))
        status = smp_error_set(error, SMP_E_NO_GPU, -1, "no GPU %d: there %s %d, counted from 0",
                               index, count == 1 ? "is" : "are", count);
    if (status == SMP_OK)
        status = smp_cuda_status(cudaSetDevice(index), "selecting the GPU", error);
    if (status == SMP_OK)
        status = smp_device_describe(index, device, error);
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
