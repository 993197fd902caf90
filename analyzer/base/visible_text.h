/* SPDX-License-Identifier: MIT */
/*
 * Texts from elsewhere, such as names of files, made safe for people and terminals. Internal to the
 * analyzer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Length in bytes of the UTF-8 character at the start of `text`; 0 if there is none (RFC 3629). */
size_t smp_utf8_bytes(const char *text, size_t length);
/* The same, but 0 also for control characters, for characters that change the direction of writing
 * or end a line (U+2028, U+202E ...), and for U+FFFE and U+FFFF, which are not characters. */
size_t smp_visible_bytes(const char *text, size_t length);
/* Writes the text, with such characters and bytes that are not UTF-8 as "\x1b". */
void smp_visible_put(FILE *out, const char *text, size_t length);
/* The same into an array, cut after the last whole character that fits; returns `out`. */
const char *smp_visible_copy(char *out, size_t size, const char *text);

/* The name of a file without its folders. */
const char *smp_base_name(const char *path);
/* Writes text inside XML, between tags or in a quoted attribute. Characters that XML cannot hold
 * (section 2.2) are written as their number, such as "\x1b". */
void xml_put(FILE *out, const char *text, size_t length);
