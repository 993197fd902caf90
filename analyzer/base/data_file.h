/* SPDX-License-Identifier: MIT */
/*
 * Files of integers: NumPy's .npy (version 1 to 3, of any integer type, elements in C's order), or
 * text with numbers between blanks, commas and line ends.
 */
#pragma once

#include "smp_model.h"

/* Reads all of them into *values, which the caller frees, also after failure. Only regular files of
 * at most 16 MiB are read. */
smp_status smp_data_file_read(const char *name, int64_t **values, size_t *count, smp_error *error);
