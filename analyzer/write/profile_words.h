/* SPDX-License-Identifier: MIT */
/* Words and numbers that all formats of a profile share. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "profile_fix.h"
#include "profile_rank.h"
#include "profile_write.h"
#include "put.h"
#include "style.h"
#include "visible_text.h"

/* "94 %", or "under 1 %" and "over 99 %", as the page says; "0 %" if whole is 0. Valid for four
 * more calls. */
const char *smp_percent(uint64_t part, uint64_t whole);
/* The kernel's short name, followed by " on sm_90" if the profile has several architectures. */
void smp_kernel_title(const smp_ranking *ranking, const smp_kernel_profile *kernel, char *text,
                      size_t size);
/* Names architecture `first` of the ranking and the following ones with equal figures: "sm_80 to
 * sm_90". Returns the next one. */
enum { SMP_ARCHS_TITLE_BYTES = 32 };
uint32_t smp_archs_title(const smp_ranking *ranking, uint32_t first,
                         char text[SMP_ARCHS_TITLE_BYTES]);
/* "rows of 33 words instead of 32 (...): 131,072 wavefronts instead of 2,162,688". */
void smp_change_text(const smp_profile_fix *from, const smp_seen_fix *fix, char *text, size_t size);
/* "one 16-byte access instead of 4 of 4 bytes, ...: 4,096 wavefronts instead of 16,384". */
void smp_wider_text(const smp_wider *wider, char *text, size_t size);
/* Writes each change of the array behind a label: `first`, then `other`. Below the first that fits
 * into the source of `line` (NULL: do not try) stands its edit. Returns false without a change. */
bool smp_changes_put(FILE *out, const smp_profile_fix *fix, const smp_profile_line *line,
                     const char *first, const char *other, smp_style style);
/* Returns the first of the worst lines with the same repair; `number` itself if none precedes it.
 */
uint32_t smp_fix_shown_before(const smp_profile_view *view, uint32_t number);
/* Returns true if an earlier line has the same layouts for the same source line, as another
 * instance of a template has. */
bool smp_fix_edited_before(const smp_profile_view *view, uint32_t number);
/* The change as a unified diff of the line's source, which the caller frees; NULL if it cannot be
 * written there or shown. */
char *smp_change_patch(const smp_profile_line *line, const smp_profile_fix *from,
                       const smp_seen_fix *fix);
/* Writes the wider access behind a label, if there is one. */
void smp_wider_put(FILE *out, const smp_wider *wider, const char *label);
/* "file.cu:12", or "+0x40" for the first instruction of an unknown line. The text is valid for four
 * more calls and not escaped for terminals. */
const char *smp_frame_text(const smp_frame *frame);
const char *smp_place_text(const smp_profile_line *line);
/* Writes an indented line. On a narrow terminal it is cut, marked "...", around `about` (an array's
 * name), or else around its first index. */
void smp_cut_put(FILE *out, const char *indent, const char *text, const char *about);
/* Writes the source line, if it can be read. */
void smp_source_put(FILE *out, const char *indent, const smp_frame *at, const char *about);

/* Writes a heading and each finding with source line, thread and instruction; nothing without
 * findings. */
void smp_findings_text(FILE *out, const smp_profile *profile, smp_style style);
/* "2 errors and 1 note found in the kernels; 1 limit of the emulator reached". */
void smp_findings_count_text(const smp_profile *profile, char *text, size_t size);
/* "thread (1,0,0) of block (0,0,0) of saxpy, at 0x90: LDG.E R2, [R2]; 28 times; missing: ...; the
 * other access: ..." */
void smp_finding_detail(const smp_profile *profile, const smp_profile_finding *finding, char *text,
                        size_t size);
/* The kernel's name, demangled and without parameters if known. */
void smp_finding_kernel(const smp_profile *profile, const smp_profile_finding *finding, char *text,
                        size_t size);

/* "4.61 us", "160 us", "1.86 ms": three digits and the fitting unit. */
enum { SMP_TIME_MAX = 32 };
const char *smp_time_text(double us, char text[SMP_TIME_MAX]);

/* Lines worth less than this share of all kernels' time are not worth a repair. */
#define SMP_WORTH_LEAST 0.01
