/* SPDX-License-Identifier: MIT */
/*
 * Which thread does what, changed in the text of a kernel, so that neighbouring threads reach
 * neighbouring elements of global memory.
 */
#pragma once

#include "layout_edit.h"

enum { THREAD_CHANGES_MAX = 5, GROUPED_TEXT = 96 };

typedef struct thread_change {
    char words[LAYOUT_WORDS]; /* "threadIdx.x and threadIdx.y change places" */
    unsigned line;            /* of its first edit */
    text_edits edits;
    char grouped[GROUPED_TEXT]; /* members of structs that lie in groups then (grouped_bytes.h) */
    char why[LAYOUT_WHY];       /* it cannot be written; "": it can */
} thread_change;

/* Changes of the kernel in `text` (of host_text_make), whose blocks have that shape, and whose
 * neighbouring threads are `stride` bytes apart (0: not known); at most THREAD_CHANGES_MAX. Each is
 * to be cleared. Whether it does the same, its run decides. */
unsigned thread_changes_find(const char *text, const host_kernel *kernel, const uint32_t block[3],
                             uint64_t stride, thread_change *list);
void thread_changes_clear(thread_change *list, unsigned count);
