/* SPDX-License-Identifier: MIT */
/* Random bodies of kernels, and what is compared of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_MAX = 1 << 14, NAMES_MAX = 12, CASES_MAX = 1 << 18 };

/* A body while it is written; variables are numbered. */
typedef struct body {
    char text[TEXT_MAX];
    size_t length;
    unsigned depth, loops, continues, names;
    unsigned visible[NAMES_MAX], visible_count;
    bool has_pointer;
} body;

void bodies_seed(uint64_t seed);
/* 0 to below - 1, each as likely; `below` is not 0. */
uint32_t bodies_chance(uint32_t below);
void body_make(body *b);

/* Parts of a body: text, an integer, and one that is brought below a bound. */
const char *one_of(const char *const *list, size_t count);
#define ONE_OF(list) one_of(list, sizeof(list) / sizeof((list)[0]))
void put(body *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void put_integer(body *b, unsigned depth);
void put_wrapped(body *b, const char *before, unsigned below, const char *after);

/* bodies_elements.c */
void put_element(body *b);
void put_data(body *b, unsigned depth);

/* bodies_calls.c: functions of the device, and calls of them: as an integer, as a statement. */
extern const char bodies_functions[];
void put_function(body *b, unsigned depth);
void put_called(body *b, unsigned name);
void put_atomic(body *b);

/* An array whose data decide addresses: it is read, never written. The values are in what both
 * sides read: a file "<name of the body's file>.<array>", and an initialiser. */
typedef struct given_array {
    const char *space, *type, *name;
    unsigned count;
    int64_t low, high;
    bool is_rising; /* each as large as the one before, or up to 3 more, from `low` on */
} given_array;

/* The lines of a layout, and the lines of C++; false: a file could not be written. */
bool bodies_give(const char *stem, char *lines, size_t size, FILE *cpp);

/* bodies_cases.c: finds the part of a text that begins at or after `at`, in line *line, and
 * returns what follows it; NULL if there is none. *line stays the line of the part. */
const char *bodies_case(const char *at, unsigned *line, const char **begin, size_t *length);
/* Reads a file into a text that the caller frees; NULL if it cannot be read or is too long. */
char *bodies_read(const char *name);

/* 0: alike; 1: they differ, and the first lines that do are printed; 2: not readable. */
int bodies_compare(const char *expected_name, const char *recorded_name);
