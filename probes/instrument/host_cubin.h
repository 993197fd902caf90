/* SPDX-License-Identifier: MIT */
/*
 * host_cubin.h: parameters and shared memory of kernels, from machine code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUBIN_PARAMETERS = 1024, CUBIN_PARAMETER_BYTES = 32768 };

typedef struct cubin_image {
    const char *bytes; /* aligned as malloc aligns */
    size_t size;
} cubin_image;

typedef struct cubin_parameters {
    uint32_t count, bytes;
    struct {
        uint32_t offset, size;
    } list[CUBIN_PARAMETERS];
} cubin_parameters;

/* False: the cubin has no such kernel, or the kernel more parameters than can be. */
bool host_cubin_parameters(const cubin_image *image, const char *kernel, cubin_parameters *out);

/* False: a block of the kernel has no shared memory but `reserved` bytes, which it does not use,
 * and what its launch adds. True: it has some, or the cubin says nothing of the kernel. */
bool host_cubin_has_shared(const cubin_image *image, const char *kernel, uint32_t reserved);
