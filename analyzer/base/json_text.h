/* SPDX-License-Identifier: MIT */
/*
 * JSON strings from texts that may hold any bytes, such as names of files and kernels.
 * Internal to analyzer/.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SMP_SCHEMA_VERSION 1 /* of all documents */

/* A new string of `length` bytes. Bytes that are not UTF-8 become U+FFFD, so that a bad text never
 * costs the object that holds it. NULL if out of memory. */
json_t *json_text(const char *text, size_t length);
/* The same for a terminated text. */
json_t *json_text_of(const char *text);
/* The same, with JSON null for NULL. */
json_t *json_text_or_null(const char *text);
/* Sets a field of an object, or adds to a list; both take over `value`. What could not be made (out
 * of memory) leaves its field or element out. */
static inline void json_set(json_t *object, const char *name, json_t *value) {
    (void)json_object_set_new(object, name, value);
}
static inline void json_push(json_t *list, json_t *value) {
    (void)json_array_append_new(list, value);
}
/* Writes a document with indentation and takes over `root`; lists that hold only numbers are filled
 * into lines. `flags`: as for json_dumpf, without an indentation. */
void json_put(FILE *out, json_t *root, size_t flags);
/* The count, or null if it is not known. */
json_t *json_count(bool is_known, uint64_t value);
