/* SPDX-License-Identifier: MIT */
/*
 * What a launch left in its arrays, compared with what it should have.
 */
#ifndef SMP_LAUNCH_COMPARE_H
#define SMP_LAUNCH_COMPARE_H

#include <stdio.h>

#include "launch_text.h"

typedef struct smp_difference {
    uint32_t argument;  /* from 1 */
    uint64_t count, of; /* elements that differ, of how many; 0: none */
    uint64_t first;     /* index of the first */
    double is, should;  /* its values */
} smp_difference;

/* `text` is "N=@FILE" or "N=@FILE~TOLERANCE" (relative): argument N, from 1, and a file of its
 * bytes, raw or NumPy's. SMP_E_USAGE for another text, SMP_E_READ for a file that does not fit. */
smp_status smp_launch_compare(const char *text, const smp_launch_arguments *arguments,
                              const smp_emu_memory *memory, smp_difference *out, smp_error *error);

/* Bytes before the array's own in a file of NumPy's; 0: it is none. */
size_t smp_npy_head(const uint8_t *bytes, size_t size);
/* Writes what stands before them: a list of one dimension. */
bool smp_npy_write(FILE *file, const smp_launch_array *array, uint64_t size_bytes);

#endif
