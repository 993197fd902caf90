/* SPDX-License-Identifier: MIT */
/*
 * The kernels of a source without its host code, for a source whose host code cannot be compiled
 * here: that of an extension of PyTorch, say, where there is no PyTorch.
 */
#pragma once

#include "program_file.h"

/* A copy of `text` in which host functions, what names PyTorch, and the headers of `missing` (a
 * list with ':' between) and PyTorch are blank; lines stay where they are. NULL: out of memory. The
 * caller frees it. */
char *device_text_make(const char *text, size_t length, const char *missing);

/* Such a copy as a file in TMPDIR, with the flags to compile it. */
typedef struct device_part {
    smp_program_file file; /* what to compile */
    char path[4096], folder[4096];
    const char **flags;
} device_part;

/* Whether a source could not be compiled for a header that is not here, or for what CUDA has not
 * any more. */
bool device_part_is_next(const smp_error *error);
/* False: it cannot be compiled so, either. Clear *out in any case. */
bool device_part_open(const smp_program_file *file, const smp_error *why, device_part *out,
                      smp_code **code);
void device_part_clear(device_part *part);
