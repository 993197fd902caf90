/* SPDX-License-Identifier: MIT */
/*
 * Changes which thread does what in a kernel, so that neighbouring threads access neighbouring
 * elements of global memory.
 */
#pragma once

#include "layout_edit.h"

enum { THREAD_CHANGES_MAX = 5, GROUPED_TEXT = 96 };

typedef struct thread_change {
    char words[LAYOUT_WORDS]; /* "threadIdx.x and threadIdx.y change places" */
    unsigned line;            /* line of its first edit */
    text_edits edits;
    char grouped[GROUPED_TEXT]; /* struct members that are then kept in groups (grouped_bytes.h) */
    char why[LAYOUT_WHY];       /* why it cannot be written, or "" */
} thread_change;

/* Proposes at most THREAD_CHANGES_MAX changes of a kernel in `text` (from host_text_make) with
 * blocks of that shape, whose neighbouring threads are `stride` bytes apart (0 if unknown). The
 * caller clears each. The run decides whether they are correct. */
unsigned thread_changes_find(const char *text, const host_kernel *kernel, const uint32_t block[3],
                             uint64_t stride, thread_change *list);
void thread_changes_clear(thread_change *list, unsigned count);

/* ---- An alignment for a struct, so that its members move in one access: struct_edit.c ---- */

/* "struct NAME {...};" or "typedef struct {...} NAME;" */
typedef struct struct_definition {
    size_t begin, attribute; /* beginning, and the place for an attribute */
    host_span name, body;
} struct_definition;

/* Finds the struct that a kernel parameter points to, if the file defines it without attributes. */
bool struct_of_kernel(const char *text, const host_kernel *kernel, struct_definition *out);
/* Writes "struct __align__(16) particle" for "struct particle" if neighbouring threads are `bytes`
 * apart. False if it has an alignment, or its size is not one access. The caller clears *out in
 * any case. */
bool struct_change_find(const char *text, const host_kernel *kernel, uint64_t bytes,
                        thread_change *out);

/* ---- Chunks of adjacent elements: chunk_edit.c ---- */

/* Replaces element i * P + k (or i + k where i is a multiple of P) by i + k * threads: the same
 * elements, each handled by a different thread. False if the kernel has no such chunks or uses i
 * in another way. The caller clears *out in any case. */
bool chunk_change_find(const char *text, const host_kernel *kernel, thread_change *out);

/* ---- Structs in groups of 32, with an array for each member: group_edit.c ---- */

/* Changes the structs that a kernel parameter points to, if neighbouring threads are one struct
 * (`stride` bytes) apart. False if there are none. True with out->why set if a use cannot be
 * rewritten. The caller clears *out in any case. */
bool group_change_find(const char *text, const host_kernel *kernel, uint64_t stride,
                       thread_change *out);

/* ---- Adjacent elements as one vector: wide_edit.c ---- */

/* Turns in[4 * i], in[4 * i + 1] ... into members of one float4, read before the first of them.
 * This is done only if it is correct for all arguments: all reads are in one block without a
 * condition, nothing is stored between them (or `in` is __restrict__), and every launch in the
 * file passes a pointer from cudaMalloc. False if there are none. The caller clears *out in any
 * case. */
bool wide_change_find(const char *text, const host_kernel *kernel, thread_change *out);
