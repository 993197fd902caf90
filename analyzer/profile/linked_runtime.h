/* SPDX-License-Identifier: MIT */
/* Determines from a program's file which CUDA runtime it was linked with. */
#pragma once

#include "smp_model.h"

typedef enum linked_kind {
    LINKED_UNKNOWN, /* not a program for this machine, such as a script */
    LINKED_NONE,    /* no CUDA code inside */
    LINKED_SHARED,
    LINKED_STATIC,
} linked_kind;

typedef struct linked_runtime {
    linked_kind kind;
    char library[64];     /* "libcudart.so.13", or the shared library like the runtime inside; "" if
                             none or unknown */
    bool uses_driver;     /* linked with libcuda.so.1 */
    bool uses_libraries;  /* NVIDIA libraries with a runtime inside */
    bool opens_libraries; /* CUDA by dlopen or in a child: it has no CUDA code itself */
    bool has_rpath;       /* searched before LD_LIBRARY_PATH */
    bool is_32_bit;       /* then LINKED_UNKNOWN */
    bool is_static;       /* statically linked without a loader: it cannot open libraries */
} linked_runtime;

/* Lists the static runtimes of the toolkits and wheels on this machine, separated by ':'. */
enum { ARCHIVES_BYTES = 8192 };
void linked_runtime_archives(const char *word, char archives[ARCHIVES_BYTES]);

/* Reads a program found as a shell does: by path, or by name in PATH. `archives` is from
 * linked_runtime_archives; if "", programs without symbols are not searched. */
void linked_runtime_read(const char *word, const char *archives, linked_runtime *out);
