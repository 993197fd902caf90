/* SPDX-License-Identifier: MIT */
/*
 * host_library.c: finds the Compute Sanitizer API at run time, and the patch. The API's library
 * is looked for where SMP_INSTRUMENT_SANITIZER says; then beside this library; then in the folders
 * of the toolkit and of its Python packages; then by the loader.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_part.h"

#define SANITIZER "libsanitizer-public.so"
#define PATCH "smemprobe_patch.fatbin"
#define PATCH_FOR_TRACES "smemprobe_patch_trace.fatbin"

/* Below a root. */
static const char *const folders[] = {
    "compute-sanitizer",
    "extras/compute-sanitizer",
    "extras/CUPTI/lib64",
    "lib",
    "lib64",
    "nvidia/cu13/lib",
    "lib/python3*/site-packages/nvidia/cu13/lib",
};

static void *open_below(const char *root, const char *name) {
    void *library = NULL;
    if (root == NULL || *root == '\0')
        return NULL;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && library == NULL; i++) {
        char pattern[PATH_MAX];
        glob_t found;
        int length = snprintf(pattern, sizeof pattern, "%s/%s/%s", root, folders[i], name);
        if (length >= (int)sizeof pattern || glob(pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t k = 0; k < found.gl_pathc && library == NULL; k++)
            library = dlopen(found.gl_pathv[k], RTLD_NOW | RTLD_LOCAL);
        globfree(&found);
    }
    return library;
}

/* The folder that this library lies in; false: not known. */
static bool own_folder(char path[PATH_MAX]) {
    Dl_info info;
    if (dladdr(&attach, &info) == 0 || realpath(info.dli_fname, path) == NULL)
        return false;
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

/* In the library's own folder, and below .cuda beside it or beside a folder further up. */
static void *open_beside(const char *name) {
    char path[PATH_MAX], file[PATH_MAX + 32];
    if (!own_folder(path))
        return NULL;
    snprintf(file, sizeof file, "%s/%s", path, name);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (int up = 0; up < 4 && library == NULL; up++) {
        snprintf(file, sizeof file, "%s/.cuda", path);
        library = open_below(file, name);
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
    }
    return library;
}

void *host_find_library(const char *wanted, const char *name) {
    static const char *const roots[] = {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"};
    if (wanted && *wanted)
        return dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
    void *library = open_beside(name);
    for (size_t i = 0; i < sizeof roots / sizeof roots[0] && library == NULL; i++)
        library = open_below(getenv(roots[i]), name);
    if (library == NULL)
        library = open_below("/usr/local/cuda", name);
    return library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

bool host_find(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    if (address == NULL)
        host_note("there is no %s: the library is too old; that of CUDA 13.0 is known to work",
                  name);
    return address != NULL;
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
    if (library == NULL) {
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
