/* SPDX-License-Identifier: MIT */
/* Parameters and shared memory of kernels, read from cubins. */
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

/* Returns false if the cubin has no such kernel, or the kernel has impossibly many parameters. */
bool host_cubin_parameters(const cubin_image *image, const char *kernel, cubin_parameters *out);

/* Returns the packed parameters that a call's `extra` refers to; NULL if there are none. */
const char *host_packed(void **extra, size_t *size);
/* Copies parameters that a call gives in one piece (`extra`). */
void host_copy_packed(void **extra, void *to, size_t bytes);
