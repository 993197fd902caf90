/* SPDX-License-Identifier: MIT */
/*
 * Text that is put together piece by piece in an array of the caller. What does not fit is cut; the
 * text always ends, and its length is always that of what is there.
 */
#ifndef TEXT_BUFFER_H
#define TEXT_BUFFER_H

#include <stddef.h>

typedef struct text_buffer {
    char *text;
    size_t size, length;
} text_buffer;

/* Empty, over `size` bytes, at least one. */
text_buffer text_buffer_over(char *text, size_t size);
/* The same over a whole array. */
#define TEXT_BUFFER(array) text_buffer_over(array, sizeof(array))
void text_add(text_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Begins another item: the separator, unless nothing is there yet. */
void text_join(text_buffer *out, const char *separator, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
