/* SPDX-License-Identifier: MIT */
/*
 * json_text.h: strings of JSON from texts that may hold any bytes: names of files and kernels, what
 * a file says of a GPU. Internal to analyzer/.
 */
#ifndef SMP_JSON_TEXT_H
#define SMP_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SMP_SCHEMA_VERSION 1 /* of all documents */

/* A new string of `length` bytes. A byte that is no UTF-8 becomes U+FFFD, so that the text never
 * takes its object with it. NULL: out of memory. */
json_t *json_text(const char *text, size_t length);
/* The same of a terminated text. */
json_t *json_text_of(const char *text);
/* The same, and null of NULL. */
json_t *json_text_or_null(const char *text);
/* Writes a document, indented; a list of nothing but numbers is filled into lines. `flags`: those
 * of json_dumpf but the indentation. */
void json_put(FILE *out, const json_t *root, size_t flags);
/* A count, or null. */
json_t *json_count(bool is_known, uint64_t value);

#endif
