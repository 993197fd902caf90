/* SPDX-License-Identifier: MIT */
/*
 * Words and numbers that all texts about a profile share.
 */
#ifndef SMP_PROFILE_WORDS_H
#define SMP_PROFILE_WORDS_H

#include <stddef.h>
#include <stdio.h>

#include "profile_fix.h"
#include "profile_rank.h"
#include "put.h"
#include "visible_text.h"

/* Rounded; 0 of nothing. */
unsigned smp_percent(uint64_t part, uint64_t whole);
/* Its short name, with " on sm_90" behind it where the profile has kernels of several
 * architectures. */
void smp_kernel_title(const smp_ranking *ranking, const smp_kernel_profile *kernel, char *text,
                      size_t size);
/* "rows of 33 words instead of 32 (...): 131,072 wavefronts instead of 2,162,688". */
void smp_change_text(const smp_profile_fix *from, const smp_seen_fix *fix, char *text, size_t size);
/* "one access of 16 bytes in the place of 4 of 4, ...: 4,096 wavefronts instead of 16,384". */
void smp_wider_text(const smp_wider *wider, char *text, size_t size);
/* "file.cu:12"; of a line that is not known "+0x40", its first instruction. They stand until four
 * more are asked for, and are not yet visible text. */
const char *smp_frame_text(const smp_frame *frame);
const char *smp_place_text(const smp_profile_line *line);
/* The source line itself, indented and cut to a line of a terminal, if it can be read. */
void smp_source_put(FILE *out, const char *indent, const char *file, uint32_t line);

#endif
