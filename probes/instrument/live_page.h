/* SPDX-License-Identifier: MIT */
/*
 * The progress of an observed program: one page per process in a mapped file that live_line.c
 * reads. The file's name is SMP_LIVE followed by the process number. Without SMP_LIVE nobody waits
 * at a terminal, and there is no file. Readers may see a text while it changes.
 */
#pragma once

#include <stdint.h>

enum { LIVE_TEXT_BYTES = 512 };

typedef struct live_page {
    uint64_t launches, looked;    /* all launches so far, and how many were looked at */
    char kernel[LIVE_TEXT_BYTES]; /* kernel of the last launch, mangled or not */
    /* The worst line or instruction so far: its kernel (empty if none yet), and its place. */
    char worst_kernel[LIVE_TEXT_BYTES], worst[LIVE_TEXT_BYTES];
} live_page;

/* Returns this process's page; NULL if nobody reads it. */
live_page *live_page_own(void);
/* A launch begins. */
void live_page_launch(const char *kernel, int is_looked_at);
/* Many launches have begun. */
void live_page_add(uint64_t launches, uint64_t looked);
