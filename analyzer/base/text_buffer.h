/* SPDX-License-Identifier: MIT */
/*
 * Text that is built piece by piece in an array of the caller. What does not fit is cut off; the
 * text is always terminated, and `length` is its length.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct text_buffer {
    char *text;
    size_t size, length;
} text_buffer;

/* An empty buffer over `size` bytes, at least one. */
text_buffer text_buffer_over(char *text, size_t size);
/* The same over a whole array. */
#define TEXT_BUFFER(array) text_buffer_over(array, sizeof(array))
void text_add(text_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds an item, after the separator unless the buffer is empty. */
void text_join(text_buffer *out, const char *separator, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a word as a shell reads it, in quotes if it has special characters; after a blank unless the
 * buffer is empty. */
void text_add_word(text_buffer *out, const char *word);

/* A span {text, length} as the arguments of "%.*s". */
#define SPAN(span) (int)(span).length, (span).text
/* The same of a text that is cut after `most` bytes. */
#define TEXT_CUT(text, length, most) (int)((length) < (most) ? (length) : (most)), text

/* Writes "1,234,567"; returns its length. */
size_t text_grouped(uint64_t number, char text[32]);
