/* SPDX-License-Identifier: MIT */
/*
 * find_library.h: libraries of the toolkit, where it and its Python packages put them. Lists end
 * with NULL; `folders` lie below a root and may be patterns. Each gives what dlopen gives, or NULL.
 */
#pragma once

/* By the first of the names that is in the first of the folders. */
void *smp_library_below(const char *root, const char *const *folders, const char *const *names);
/* Below .cuda in this folder, or in one of the three around it; spoils `folder`. */
void *smp_library_beside(char *folder, const char *const *folders, const char *const *names);
/* Below what CUDA_HOME, CUDA_PATH and VIRTUAL_ENV name, and /usr/local/cuda. */
void *smp_library_usual(const char *const *folders, const char *const *names);
/* In this very folder. */
void *smp_library_in(const char *folder, const char *const *names);
