/* SPDX-License-Identifier: MIT */
/*
 * Finds the Compute Sanitizer API and the patch at run time. It looks for the API's library where
 * SMP_INSTRUMENT_SANITIZER says, beside this library, in the folders of the toolkit and its Python
 * packages, and then leaves it to the loader.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "find_library.h"
#include "host_part.h"

#define SANITIZER "libsanitizer-public.so"
#define PATCH "smemprobe_patch.fatbin"
#define PATCH_FOR_TRACES "smemprobe_patch_trace.fatbin"

/* Folders below a root. */
static const char *const folders[] = {
    "compute-sanitizer",
    "extras/compute-sanitizer",
    "extras/CUPTI/lib64",
    "lib",
    "lib64",
    "nvidia/cu13/lib",
    "lib/python3*/site-packages/nvidia/cu13/lib",
    NULL,
};

/* Stores the folder of this library; false if unknown. */
static bool own_folder(char path[PATH_MAX]) {
    Dl_info info;
    if (dladdr(&attach, &info) == 0 || !realpath(info.dli_fname, path))
        return false;
    char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

void *host_find_library(const char *wanted, const char *name) {
    const char *const names[] = {name, NULL};
    char path[PATH_MAX];
    if (wanted && *wanted)
        return dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
    const bool has_folder = own_folder(path);
    void *library = has_folder ? smp_library_in(path, names) : NULL;
    if (!library && has_folder)
        library = smp_library_beside(path, folders, names);
    if (!library)
        library = smp_library_usual(folders, names);
    return library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

bool host_find(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    if (!address)
        host_note("there is no %s: the library is too old; that of CUDA 13.0 is known to work",
                  name);
    return address;
}

static bool find_patch(void) {
    char folder[PATH_MAX];
    const char *wanted = getenv("SMP_INSTRUMENT_PATCH");
    char *path = attach.settings.patch;
    size_t size = sizeof attach.settings.patch;
    int length = -1;
    if (wanted && *wanted)
        length = snprintf(path, size, "%s", wanted);
    else if (own_folder(folder))
        length = snprintf(path, size, "%s/%s", folder,
                          attach.settings.trace[0] != '\0' ? PATCH_FOR_TRACES : PATCH);
    if (length >= 0 && (size_t)length < size && access(path, R_OK) == 0)
        return true;
    host_note("the patch '%s' cannot be read: it is built beside the library", path);
    return false;
}

bool host_open(void) {
    void *library = host_find_library(getenv("SMP_INSTRUMENT_SANITIZER"), SANITIZER);
    san_face *san = &attach.san;
    if (!library) {
        const char *why = dlerror();
        host_note(SANITIZER
                  " was not found (%s): the CUDA toolkit has it (CUDA_HOME), or pip "
                  "install nvidia-cuda-sanitizer-api in a virtual environment, or "
                  "SMP_INSTRUMENT_SANITIZER names it; from source: script/bootstrap --cuda",
                  why ? why : "no such file");
        return false;
    }
#define FIND(name, arguments) host_find(library, "sanitizer" #name, &san->name) &&
    return SAN_FUNCTION_LIST(FIND)
               host_find(library, "sanitizerGetResultString", &san->GetResultString) &&
           find_patch();
#undef FIND
}
