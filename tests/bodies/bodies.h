/* SPDX-License-Identifier: MIT */
/*
 * bodies.h: random bodies of kernels, and what is compared of them.
 */
#ifndef BODIES_H
#define BODIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_MAX = 1 << 14, NAMES_MAX = 12 };

/* A body while it is written; variables are numbered. */
typedef struct body {
    char text[TEXT_MAX];
    size_t length;
    unsigned depth, loops, names;
    unsigned visible[NAMES_MAX], visible_count;
    bool has_pointer;
} body;

void bodies_seed(uint64_t seed);
void body_make(body *b);

/* 0: alike; 1: they differ, and the first lines that do are printed; 2: not readable. */
int bodies_compare(const char *expected_name, const char *recorded_name);

#endif
