/* SPDX-License-Identifier: MIT */
/*
 * Names of C++ without their encoding.
 */
#include <dlfcn.h>
#include <string.h>

#include "disassembly.h"

/* The C++ runtime does it; a C program that loads that library when it is there needs no other. */
char *smp_demangle(const char *name) {
    typedef char *(*demangle_fn)(const char *, char *, size_t *, int *);
    static demangle_fn demangle;
    static bool is_asked;
    if (!__atomic_load_n(&is_asked, __ATOMIC_ACQUIRE)) {
        void *runtime = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        void *symbol = runtime == NULL ? NULL : dlsym(runtime, "__cxa_demangle");
        memcpy(&demangle, &symbol, sizeof(demangle));
        __atomic_store_n(&is_asked, true, __ATOMIC_RELEASE);
    }
    int failed = 0;
    if (demangle == NULL || strncmp(name, "_Z", 2) != 0)
        return NULL;
    return demangle(name, NULL, NULL, &failed);
}
