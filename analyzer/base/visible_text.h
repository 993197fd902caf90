/* SPDX-License-Identifier: MIT */
/*
 * Texts that others wrote, names of files first of all, where people and terminals read them.
 * Internal to the analyzer.
 */
#ifndef SMP_VISIBLE_TEXT_H
#define SMP_VISIBLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes of the UTF-8 character that `text` begins with, 0 if it begins with none (RFC 3629). */
size_t smp_utf8_bytes(const char *text, size_t length);
/* The same, and 0 for a control character, for one that turns the direction of writing or ends a
 * line (U+2028, U+202E ...), and for U+FFFE and U+FFFF, which are none. */
size_t smp_visible_bytes(const char *text, size_t length);
/* The text; these characters and bytes that are not UTF-8 as "\x1b". */
void smp_visible_put(FILE *out, const char *text, size_t length);
/* The same into an array, cut where it ends at a whole character; returns `out`. */
const char *smp_visible_copy(char *out, size_t size, const char *text);

#endif
