/* SPDX-License-Identifier: MIT */
/*
 * Opens libraries of the toolkit in its folders and those of its Python packages. Lists end with
 * NULL; `folders` lie below a root and may be patterns. Each function returns a handle from dlopen,
 * or NULL.
 */
#pragma once

#include <stdbool.h>

/* Searches below .cuda in this folder or one of its three parents; overwrites `folder`. */
void *smp_library_beside(char *folder, const char *const *folders, const char *const *names);
/* Searches below CUDA_HOME, CUDA_PATH, VIRTUAL_ENV and /usr/local/cuda. */
void *smp_library_usual(const char *const *folders, const char *const *names);
/* Searches this folder only. */
void *smp_library_in(const char *folder, const char *const *names);
/* Stores the address of a function in *function; false if the library has none of this name. */
bool smp_find_symbol(void *library, const char *name, void *function);
