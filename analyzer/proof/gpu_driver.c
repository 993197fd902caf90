/* SPDX-License-Identifier: MIT */
/* Opens libcuda and its first GPU. */
#define _POSIX_C_SOURCE 200809L
#include "gpu_driver.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

enum { MULTIPROCESSORS = 16, CC_MAJOR = 75, CC_MINOR = 76, OUT_OF_MEMORY = 2, NOT_READY = 600 };

smp_status gpu_status(int code, const char *what, smp_error *error) {
    if (code == 0)
        return SMP_OK;
    return smp_error_set(error, code == OUT_OF_MEMORY ? SMP_E_MEMORY : SMP_E_CUDA, -1,
                         "%s: CUDA error %d", what, code);
}

static smp_status find_functions(gpu_driver *out, smp_error *error) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *found;
    if (!library)
        return smp_error_set(error, SMP_E_NO_DRIVER, -1, "libcuda.so.1 is not here");
#define TAKE(field, symbol, parameters)        \
    found = dlsym(library, #symbol);           \
    memcpy(&out->field, &found, sizeof found); \
    if (!found)                                \
        return smp_error_set(error, SMP_E_DRIVER_OLD, -1, "the NVIDIA driver has no " #symbol);
    GPU_DRIVER_LIST(TAKE)
#undef TAKE
    return SMP_OK;
}

static smp_status describe(gpu_driver *out, int device, smp_error *error) {
    int major = 0, minor = 0, code = out->device_name(out->name, sizeof out->name, device);
    if (code == 0)
        code = out->device_attribute(&major, CC_MAJOR, device);
    if (code == 0)
        code = out->device_attribute(&minor, CC_MINOR, device);
    if (code == 0)
        code = out->device_attribute(&out->multiprocessors, MULTIPROCESSORS, device);
    out->cc = 10 * major + minor;
    return gpu_status(code, "properties of the GPU", error);
}

smp_status gpu_driver_open(gpu_driver *out, smp_error *error) {
    int device = 0;
    void *context;
    memset(out, 0, sizeof *out);
    smp_status status = find_functions(out, error);
    if (status != SMP_OK)
        return status;
    if (out->init(0) != 0 || out->device(&device, 0) != 0)
        return smp_error_set(error, SMP_E_NO_GPU, -1, "the NVIDIA driver sees no GPU");
    status = describe(out, device, error);
    if (status == SMP_OK)
        status = gpu_status(out->retain(&context, device), "opening the GPU", error);
    return status == SMP_OK ? gpu_status(out->use(context), "opening the GPU", error) : status;
}

smp_status gpu_driver_wait(gpu_driver *driver, void *event, unsigned seconds, const char *what,
                           smp_error *error) {
    const struct timespec nap = {.tv_nsec = 20000};
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const time_t end = now.tv_sec + (time_t)seconds;
    int code = driver->event_query(event);
    while (code == NOT_READY && now.tv_sec <= end) {
        (void)nanosleep(&nap, NULL);
        code = driver->event_query(event);
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    }
    driver->is_stuck = code == NOT_READY;
    return driver->is_stuck ? smp_error_set(error, SMP_E_CUDA, -1,
                                            "%.100s does not end on the GPU in %u s", what, seconds)
                            : gpu_status(code, what, error);
}

void gpu_driver_close(const gpu_driver *driver) {
    int device;
    if (!driver->is_stuck && driver->release && driver->device(&device, 0) == 0)
        (void)driver->release(device);
}
