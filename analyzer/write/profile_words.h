/* SPDX-License-Identifier: MIT */
/*
 * Words and numbers that all texts about a profile share.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "profile_fix.h"
#include "profile_rank.h"
#include "profile_write.h"
#include "put.h"
#include "style.h"
#include "visible_text.h"

/* Rounded; 0 of nothing. */
unsigned smp_percent(uint64_t part, uint64_t whole);
/* Its short name, with " on sm_90" behind it where the profile has kernels of several
 * architectures. */
void smp_kernel_title(const smp_ranking *ranking, const smp_kernel_profile *kernel, char *text,
                      size_t size);
/* Architecture `first` of the ranking and those behind it that ask for the same: "sm_80 to sm_90".
 * Returns the first that does not. */
enum { SMP_ARCHS_TITLE_BYTES = 32 };
uint32_t smp_archs_title(const smp_ranking *ranking, uint32_t first,
                         char text[SMP_ARCHS_TITLE_BYTES]);
/* "rows of 33 words instead of 32 (...): 131,072 wavefronts instead of 2,162,688". */
void smp_change_text(const smp_profile_fix *from, const smp_seen_fix *fix, char *text, size_t size);
/* "one access of 16 bytes in the place of 4 of 4, ...: 4,096 wavefronts instead of 16,384". */
void smp_wider_text(const smp_wider *wider, char *text, size_t size);
/* Each change of the array behind a label: `first`, then `other`; below the first that can be
 * written into the source of `line` (NULL: none) what that removes and adds. False: there is none.
 */
bool smp_changes_put(FILE *out, const smp_profile_fix *fix, const smp_profile_line *line,
                     const char *first, const char *other, smp_style style);
/* The first of the view's worst lines with the same repair as this one; itself: none before has. */
uint32_t smp_fix_shown_before(const smp_profile_view *view, uint32_t number);
/* One before has the same layouts of the same line, as another instance of a template. */
bool smp_fix_edited_before(const smp_profile_view *view, uint32_t number);
/* The change as a unified diff of the line's source, which the caller frees. NULL: it cannot be
 * shown, or not be written there. */
char *smp_change_patch(const smp_profile_line *line, const smp_profile_fix *from,
                       const smp_seen_fix *fix);
/* The wider access behind a label, if there is one. */
void smp_wider_put(FILE *out, const smp_wider *wider, const char *label);
/* "file.cu:12"; of a line that is not known "+0x40", its first instruction. They stand until four
 * more are asked for, and are not yet visible text. */
const char *smp_frame_text(const smp_frame *frame);
const char *smp_place_text(const smp_profile_line *line);
/* A line of a text, indented. On a terminal with less room it is cut, with "..." where something
 * is missing, around `about`, the name of an array, or else around its first index. */
void smp_cut_put(FILE *out, const char *indent, const char *text, const char *about);
/* The source line itself, if it can be read. */
void smp_source_put(FILE *out, const char *indent, const smp_frame *at, const char *about);

/* A heading and each finding with its source line, thread and instruction; nothing where there are
 * none. */
void smp_findings_text(FILE *out, const smp_profile *profile, smp_style style);
/* "2 errors and 1 note found in the kernels". */
void smp_findings_count_text(const smp_profile *profile, char *text, size_t size);
/* "thread (1,0,0) of block (0,0,0) of saxpy, at 0x90: LDG.E R2, [R2]; 28 times; missing: ...; the
 * other access: ..." */
void smp_finding_detail(const smp_profile *profile, const smp_profile_finding *finding, char *text,
                        size_t size);
/* The finding's kernel; NULL: the profile does not hold it. */
const smp_kernel_profile *smp_finding_kernel_of(const smp_profile *profile,
                                                const smp_profile_finding *finding);
/* What the kernel is called: demangled and without parameters, where the profile knows it. */
void smp_finding_kernel(const smp_profile *profile, const smp_profile_finding *finding, char *text,
                        size_t size);

/* "4.61 us", "160 us", "1.86 ms": three digits, and the unit that they need. */
enum { SMP_TIME_MAX = 32 };
const char *smp_time_text(double us, char text[SMP_TIME_MAX]);

/* Of all kernels' time: lines that are worth less are not worth it. */
#define SMP_WORTH_LEAST 0.01
