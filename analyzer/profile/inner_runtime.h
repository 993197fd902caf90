/* SPDX-License-Identifier: MIT */
/*
 * Finds the CUDA runtime inside a program without symbols: the linker copies the code of
 * libcudart_static.a in one piece and changes only addresses. An archive of the same version tells
 * where each function begins. Used by the program and by the library that it preloads
 * (runtime/static_runtime.c), so it only depends on the C library.
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
    uint8_t *is_open; /* per byte of the code: the linker writes it */
    const Elf64_Sym *symbols;
    const char *names;
    unsigned code_section;
    const char *library; /* the shared library of the same version: "libcudart.so.13" */
} inner_runtime;

enum { INNER_PATH_BYTES = 4096 };

/* Takes the next of paths separated by ':'; false if there are no more. */
bool inner_runtime_next(const char **list, char path[INNER_PATH_BYTES]);

/* Returns section `i` of an ELF file, if its bytes lie in the file. */
const Elf64_Shdr *inner_runtime_section(const uint8_t *file, size_t size, unsigned i);

/* Returns false if there is no such archive. */
bool inner_runtime_open(const char *path, inner_runtime *out);
void inner_runtime_close(inner_runtime *runtime);

/* True if its code is in `bytes`. Stores the address of each of the symbol_count symbols in
 * `functions`; NULL if not found, or not a function. */
bool inner_runtime_find(const inner_runtime *runtime, const void *bytes, size_t size,
                        const uint8_t **functions);

/* Returns the name of symbol `i` and its offset in the code; NULL if it is not a function. */
const char *inner_runtime_function(const inner_runtime *runtime, size_t i, size_t *at);

/* Returns the shared library that has functions of these names; "" if unknown. */
const char *inner_runtime_version(bool (*has)(const void *names, const char *name),
                                  const void *names);
