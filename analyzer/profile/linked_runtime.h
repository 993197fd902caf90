/* SPDX-License-Identifier: MIT */
/*
 * Which CUDA runtime a program was linked with, as its file says.
 */
#pragma once

#include "smp_model.h"

typedef enum linked_kind {
    LINKED_UNKNOWN, /* no program of this machine's kind: a script, say */
    LINKED_NONE,    /* no CUDA code inside */
    LINKED_SHARED,
    LINKED_STATIC,
} linked_kind;

typedef struct linked_runtime {
    linked_kind kind;
    char library[64];     /* "libcudart.so.13", or what the runtime inside is like; "": none, or not
                             known */
    bool uses_driver;     /* asks for libcuda.so.1 */
    bool uses_libraries;  /* of NVIDIA, which have a runtime inside */
    bool opens_libraries; /* by dlopen, or by what it runs: it has no CUDA code itself */
    bool has_rpath;       /* searched before LD_LIBRARY_PATH */
    bool is_32_bit;       /* then LINKED_UNKNOWN */
    bool is_static;       /* without a loader: no library can be opened in it */
} linked_runtime;

/* The static runtimes of the toolkits and wheels here, with ':' between their paths. */
enum { ARCHIVES_BYTES = 8192 };
void linked_runtime_archives(const char *word, char archives[ARCHIVES_BYTES]);

/* Of a program as a shell finds it: a path, or a word in PATH. `archives`: what
 * linked_runtime_archives gave; "": a program without symbols is not looked into. */
void linked_runtime_read(const char *word, const char *archives, linked_runtime *out);
