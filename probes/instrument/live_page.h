/* SPDX-License-Identifier: MIT */
/*
 * live_page.h: what a program that is looked at tells while it runs: a file of one page for each
 * process, which stays mapped there and is read by who waits (live_line.c). SMP_LIVE is the
 * beginning of its name; behind that comes the process's number. Where SMP_LIVE is not set, nobody
 * waits at a terminal, and there is none. Whoever reads may meet a text while it changes.
 */
#pragma once

#include <stdint.h>

enum { LIVE_TEXT_BYTES = 512 };

typedef struct live_page {
    uint64_t launches, looked;    /* of all launches until now, how many were looked at */
    char kernel[LIVE_TEXT_BYTES]; /* of the last launch, mangled or not */
    /* The line or instruction that wastes most until now: the kernel (empty: none yet), and behind
     * it. */
    char worst_kernel[LIVE_TEXT_BYTES], worst[LIVE_TEXT_BYTES];
} live_page;

/* This process's; NULL: nobody reads it. */
live_page *live_page_own(void);
/* A launch begins. */
void live_page_launch(const char *kernel, int is_looked_at);
