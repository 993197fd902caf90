/* SPDX-License-Identifier: MIT */
/*
 * Extracts the kernels of a source whose host code cannot be compiled here, such as a PyTorch
 * extension without PyTorch.
 */
#pragma once

#include "program_file.h"

/* Returns a copy of `text` in which host functions, uses of PyTorch, and the headers of PyTorch
 * and of `missing` (separated by ':') are blank. Line numbers are unchanged. NULL if out of
 * memory. The caller frees it. */
char *device_text_make(const char *text, size_t length, const char *missing);

/* Such a copy as a temporary file, with its compiler flags. */
typedef struct device_part {
    smp_program_file file; /* the file to compile */
    char path[4096], folder[4096];
    const char **flags;
} device_part;

/* Whether the compiler failed because a header is missing, or because of something that newer CUDA
 * versions lack. */
bool device_part_is_next(const smp_error *error);
/* False if this does not compile either. The caller clears *out in any case. */
bool device_part_open(const smp_program_file *file, const smp_error *why, device_part *out,
                      smp_code **code);
void device_part_clear(device_part *part);
