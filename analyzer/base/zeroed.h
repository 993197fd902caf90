/* SPDX-License-Identifier: MIT */
/*
 * Zeroed memory for arrays of which most is used. Internal to analyzer/.
 */
#pragma once

#include <stddef.h>

/* As calloc(1, bytes); free it with free. If it is large, and yet a small part of the machine's
 * memory, the system is asked for large pages, each of which costs one page fault and not 512. */
void *zeroed_alloc(size_t bytes);
