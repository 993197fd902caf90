/* SPDX-License-Identifier: MIT */
/*
 * The CUDA runtime as a program without symbols has it inside: the linker lays the code of
 * libcudart_static.a into it in one piece, and changes addresses only. An archive of the same
 * version tells where each function begins. Used by the program and by what it preloads
 * (runtime/static_runtime.c), so this knows the C library only.
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct inner_runtime {
    uint8_t *object;
    size_t object_bytes, code_bytes, symbol_count, name_bytes;
    const uint8_t *code;
    uint8_t *is_open; /* for each byte of the code: the linker writes it */
    const Elf64_Sym *symbols;
    const char *names;
    unsigned code_section;
    const char *library; /* the shared one of the same version: "libcudart.so.13" */
} inner_runtime;

enum { INNER_PATH_BYTES = 4096 };

/* The next of paths that have ':' between them; false: there is none. */
bool inner_runtime_next(const char **list, char path[INNER_PATH_BYTES]);

/* False: there is no such archive. */
bool inner_runtime_open(const char *path, inner_runtime *out);
void inner_runtime_close(inner_runtime *runtime);

/* Whether its code is in `bytes`, and where each of its functions is: by symbol, of which
 * `functions` has symbol_count; NULL: not found, or no function. */
bool inner_runtime_find(const inner_runtime *runtime, const void *bytes, size_t size,
                        const uint8_t **functions);

/* The name of the function of symbol `i` and where it begins in the code; NULL: it is none. */
const char *inner_runtime_function(const inner_runtime *runtime, size_t i, size_t *at);

/* Which shared library has the functions of these names; "": none that is known here. */
const char *inner_runtime_version(bool (*has)(const void *names, const char *name),
                                  const void *names);
