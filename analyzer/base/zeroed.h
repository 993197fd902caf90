/* SPDX-License-Identifier: MIT */
/*
 * Memory of zeros, for arrays that are mostly used as a whole. Internal to analyzer/.
 */
#ifndef SMP_ZEROED_H
#define SMP_ZEROED_H

#include <stddef.h>

/* As calloc(1, bytes), to be freed. Where it is large, and yet a small part of the machine's
 * memory, the system is asked for its large pages, of which each costs one fault and not 512. */
void *zeroed_alloc(size_t bytes);

#endif
