/* SPDX-License-Identifier: MIT */
/*
 * The part of Markdown that our pages use: headings, paragraphs, tables of a term and its meaning,
 * `code`, and links, which are shown as their words.
 */
#ifndef MANUAL_TEXT_H
#define MANUAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum manual_kind { MANUAL_HEADING, MANUAL_PARAGRAPH, MANUAL_TERM } manual_kind;

enum { MANUAL_TEXT_MAX = 4096 };

typedef struct manual_block {
    manual_kind kind;
    char term[MANUAL_TEXT_MAX]; /* of a term */
    char text[MANUAL_TEXT_MAX];
} manual_block;

/* The next block of *at, or false; what is none of these is a paragraph. Texts keep their `code`.
 */
bool manual_block_next(const char **at, manual_block *out);

#endif
