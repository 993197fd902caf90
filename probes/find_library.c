/* SPDX-License-Identifier: MIT */
/* Finds libraries at run time, so that programs start without them. */
#define _GNU_SOURCE
#include "find_library.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *smp_library_in(const char *folder, const char *const *names) {
    char path[PATH_MAX];
    void *library = NULL;
    for (; *names && !library; names++)
        if (snprintf(path, sizeof path, "%s/%s", folder, *names) < (int)sizeof path)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* Opens the first of the names in the first of the folders. */
static void *library_below(const char *root, const char *const *folders, const char *const *names) {
    void *library = NULL;
    if (!root || !*root)
        return NULL;
    for (; *folders && !library; folders++) {
        char pattern[PATH_MAX];
        glob_t found;
        const int length = snprintf(pattern, sizeof pattern, "%s/%s", root, *folders);
        if (length >= (int)sizeof pattern || glob(pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc && !library; i++)
            library = smp_library_in(found.gl_pathv[i], names);
        globfree(&found);
    }
    return library;
}

void *smp_library_beside(char *folder, const char *const *folders, const char *const *names) {
    char root[PATH_MAX];
    void *library = NULL;
    for (int up = 0; up < 4 && !library; up++) {
        if (snprintf(root, sizeof root, "%s/.cuda", folder) < (int)sizeof root)
            library = library_below(root, folders, names);
        char *slash = strrchr(folder, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    return library;
}

void *smp_library_usual(const char *const *folders, const char *const *names) {
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0] && !library; i++)
        library = library_below(getenv(variables[i]), folders, names);
    return library ? library : library_below("/usr/local/cuda", folders, names);
}

bool smp_find_symbol(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address;
}
