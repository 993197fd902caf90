/* SPDX-License-Identifier: MIT */
/*
 * Finds and opens libcupti at run time: $SMP_CUPTI_PATH (the library, or its folder) first; then
 * the loader's own search; then the folders of the toolkit and its Python packages, and the .cuda
 * folder of the tree that contains the running program.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "find_library.h"
#include "probe_cupti.h"
#include "system.h"

static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};

/* Folders below a root: the toolkit's layouts, then those of Python packages. */
static const char *const folders[] = {
    "lib64",
    "extras/CUPTI/lib64",
    "lib",
    "targets/*-linux/lib",
    "nvidia/cu13/lib",
    "nvidia/cuda_cupti/lib",
    "lib/python3*/site-packages/nvidia/cu13/lib",
    "lib/python3*/site-packages/nvidia/cuda_cupti/lib",
    NULL,
};

/* The folder .cuda beside the program's folder, or beside one of its parents. */
static void *open_beside_program(void) {
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return smp_library_beside(path, folders, names);
}

static void *open_library(void) {
    const char *wanted = getenv("SMP_CUPTI_PATH");
    if (wanted && *wanted) {
        void *handle = dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
        return handle ? handle : smp_library_in(wanted, names);
    }
    void *handle = open_beside_program();
    for (size_t i = 0; names[i] && !handle; i++) /* name that the loader finds */
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return handle ? handle : smp_library_usual(folders, names);
}

static smp_status not_found(smp_error *error) {
    const char *wanted = getenv("SMP_CUPTI_PATH");
    if (wanted && *wanted)
        return smp_error_set(error, SMP_E_NO_CUPTI, -1,
                             "SMP_CUPTI_PATH=%.80s holds no libcupti.so.13 that can be opened: set "
                             "it to the library's folder, or unset it",
                             wanted);
    return smp_error_set(error, SMP_E_NO_CUPTI, -1,
                         "libcupti.so.13 was not found: install the CUDA toolkit, or set "
                         "SMP_CUPTI_PATH to the library's folder");
}

/* Functions by name, and where to store them. */
static const struct {
    const char *symbol;
    size_t place;
} functions[] = {
#define SMP_CUPTI_ROW(field, symbol, parameters) {#symbol, offsetof(smp_cupti, field)},
    SMP_CUPTI_LIST(SMP_CUPTI_ROW)
#undef SMP_CUPTI_ROW
};

smp_status smp_cupti_open(smp_cupti *out, smp_error *error) {
    void *handle = open_library();
    if (!handle)
        return not_found(error);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!smp_find_symbol(handle, functions[i].symbol, (char *)out + functions[i].place))
            return smp_error_set(error, SMP_E_NO_CUPTI, -1,
                                 "the libcupti that was found is too old: install CUDA 12.6 or "
                                 "later (it has no %s)",
                                 functions[i].symbol);
    return SMP_OK;
}

void smp_cupti_path(const smp_cupti *cupti, char *text, size_t size) {
    Dl_info info = {0};
    void *address;
    memcpy(&address, &cupti->version, sizeof address);
    const bool found = dladdr(address, &info) != 0 && info.dli_fname;
    snprintf(text, size, "%s", found ? info.dli_fname : "unknown");
}

/* What a user can do about errors that are not our own. */
static const struct {
    CUptiResult code;
    smp_status status;
    const char *cause;
} rows[] = {
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, SMP_E_COUNTERS_LOCKED,
     "GPU counters are locked for this user: be root, give the container --cap-add SYS_ADMIN, or "
     "load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, SMP_E_COUNTERS_LOCKED,
     "GPU counters are locked on this virtual GPU: its host must enable profiling for it"},
    {CUPTI_ERROR_HARDWARE_BUSY, SMP_E_PROFILER_BUSY,
     "another profiler is using this GPU's counters: stop it and try again"},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, SMP_E_PROFILER_BUSY,
     "another profiler is attached to this process: run without it"},
    {CUPTI_ERROR_INVALID_CHIP_NAME, SMP_E_CHIP,
     "this libcupti does not know the GPU: install a newer CUDA toolkit"},
    {CUPTI_ERROR_INVALID_DEVICE, SMP_E_CHIP, "the profiler does not support this GPU"},
    {CUPTI_ERROR_NOT_SUPPORTED, SMP_E_CHIP, "the profiler does not support this GPU"},
    {CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, SMP_E_CHIP,
     "the profiler needs compute capability 7.5 or later"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, SMP_E_CHIP,
     "the profiler does not support this virtual GPU"},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, SMP_E_CHIP,
     "the profiler does not work in confidential computing mode: switch that off"},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, SMP_E_CHIP, "the profiler does not support this GPU"},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, SMP_E_CHIP,
     "the profiler does not support this MIG instance: use the whole GPU"},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, SMP_E_CHIP,
     "the profiler does not work with SLI: switch that off"},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, SMP_E_CHIP,
     "the profiler does not work under WSL here: run on Linux itself"},
    {CUPTI_ERROR_OUT_OF_MEMORY, SMP_E_MEMORY, "the profiler ran out of memory"},
};

smp_status smp_cupti_status(const smp_cupti *cupti, CUptiResult code, const char *what,
                            smp_error *error) {
    if (code == CUPTI_SUCCESS)
        return SMP_OK;
    char lock[40] = "";
    if (code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES && smp_system_admin_only() >= 0)
        snprintf(lock, sizeof lock, ", RmProfilingAdminOnly %d", smp_system_admin_only());
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == code)
            return smp_error_set(error, rows[i].status, -1, "%s (CUPTI status %d%s)", rows[i].cause,
                                 (int)code, lock);
    const char *name = NULL;
    if (cupti->result_string(code, &name) != CUPTI_SUCCESS || !name)
        name = "unknown status";
    return smp_error_set(error, SMP_E_CUPTI, -1, "%s: CUPTI status %d, %s", what, (int)code, name);
}
