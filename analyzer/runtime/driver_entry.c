/* SPDX-License-Identifier: MIT */
/*
 * Looks functions up by name, for the driver and for the runtime. The same name can mean a
 * different function in each version of the interface.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "interface.h"

enum { ENTRY_FOUND = 0, ENTRY_NOT_FOUND = 1, NAME_BYTES = 128 };

/* What a name means from a version on, newest first; without a function, it means NAME_v2 from that
 * version on, and NAME before. A name without a row means NAME_v2 if there is such a function, else
 * NAME. */
static const struct meaning {
    const char *name;
    int version;
    const char *function;
} meanings[] = {
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuEventElapsedTime", 0, "cuEventElapsedTime"},
    {"cuGetProcAddress", 12000, NULL},
    {"cuGraphAddDependencies", 12030, NULL},
    {"cuGraphAddKernelNode", 12000, NULL},
    {"cuGraphGetEdges", 12030, NULL},
    {"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},
    {"cuGraphNodeGetDependencies", 12030, NULL},
    {"cuGraphNodeGetDependentNodes", 12030, NULL},
    {"cuGraphRemoveDependencies", 12030, NULL},
    {"cuMemAdvise", 12020, NULL},
    {"cuMemPrefetchAsync", 12020, NULL},
    {"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"},
    {"cuStreamUpdateCaptureDependencies", 12030, NULL},
};

static void *in_this_library(const char *name) {
    static void *self;
    Dl_info here;
    if (!self && dladdr(meanings, &here) != 0)
        self = dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    return self ? dlsym(self, name) : NULL;
}

/* The function that a program of this version of the interface means by this name, or NULL. */
static void *function_of(const char *name, int version) {
    char newer[NAME_BYTES];
    if (strncmp(name, "cu", 2) != 0 || strncmp(name, "cuda", 4) == 0)
        return NULL;
    (void)snprintf(newer, sizeof newer, "%.100s_v2", name);
    EACH(const struct meaning, row, meanings, sizeof meanings / sizeof meanings[0]) {
        if (strcmp(row->name, name) != 0)
            continue;
        if (!row->function)
            return in_this_library(version >= row->version ? newer : name);
        if (version >= row->version)
            return in_this_library(row->function);
    }
    void *found = in_this_library(newer);
    return found ? found : in_this_library(name);
}

static cudaError_t find(const char *asked, const char *name, void **function, int version,
                        int *found) {
    static char text[200]; /* the first only: a runtime inside a library asks for all functions */
    if (!name || !function)
        return cudaErrorInvalidValue;
    *function = function_of(name, version);
    if (found)
        *found = *function ? ENTRY_FOUND : ENTRY_NOT_FOUND;
    if (*function)
        return cudaSuccess;
    if (!*name) /* what a static runtime asks for first */
        return cudaErrorNotSupported;
    if (!text[0])
        (void)snprintf(text, sizeof text, "%s of %.80s, and maybe others", asked, name);
    return rt_refuse(text, "the driver that stands in for a GPU does not have it");
}

static cudaError_t find_for_driver(const char *name, void **function, int version, int *found) {
    const cudaError_t result = find("cuGetProcAddress", name, function, version, found);
    return result == cudaErrorNotSupported ? cudaErrorSymbolNotFound : result;
}

DRV_CALL_ALWAYS(cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                                    int *found),
                find_for_driver(name, function, version, found));
DRV_CALL_ALWAYS(cuGetProcAddress(const char *name, void **function, int version, uint64_t flags),
                find_for_driver(name, function, version, NULL));

/* ---- The runtime's ---- */

enum { NEWEST_VERSION = 13000 };

RT_CALL(cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                int *found),
        find("cudaGetDriverEntryPoint", name, function, NEWEST_VERSION, found));
RT_CALL(cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                         unsigned long long flags, int *found),
        find("cudaGetDriverEntryPointByVersion", name, function, (int)version, found));
