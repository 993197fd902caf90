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
/* Sets a field of an object, or adds to a list; both take over `value`. What could not be made (out
 * of memory) leaves its field or element out. */
static inline void json_set(json_t *object, const char *name, json_t *value) {
    (void)json_object_set_new(object, name, value);
}
static inline void json_push(json_t *list, json_t *value) {
    (void)json_array_append_new(list, value);
}
/* Writes a document, indented, and takes over `root`; a list of nothing but numbers is filled into
 * lines. `flags`: those of json_dumpf but the indentation. */
void json_put(FILE *out, json_t *root, size_t flags);
/* A count, or null. */
json_t *json_count(bool is_known, uint64_t value);

#endif
