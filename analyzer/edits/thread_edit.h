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
