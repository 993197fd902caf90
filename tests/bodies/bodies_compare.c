/* SPDX-License-Identifier: MIT */
/*
 * What the library says of each thread against what the compiler's code did. Which of two loads
 * comes first where no store lies between them is the compiler's choice: loads up to the next store
 * or atomic are compared as a set. A compiler that does not optimize reads back what "a = b = c"
 * has just stored, and makes one load of "a + a".
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies.h"

enum { RUN_MAX = 4096 };

/* Loads that follow each other, then one store or atomic; words of a line. */
typedef struct run {
    const char *load[RUN_MAX];
    unsigned count;
    const char *end; /* NULL at the end of the line */
} run;

static void read_run(char **at, run *out) {
    char *word;
    out->count = 0;
    out->end = NULL;
    while (!out->end && (word = strtok_r(NULL, " \n", at))) {
        if (word[0] != 'L')
            out->end = word;
        else if (out->count < RUN_MAX)
            out->load[out->count++] = word;
    }
}

static bool take(run *from, const char *word) {
    for (unsigned i = 0; i < from->count; i++) {
        if (strcmp(from->load[i], word) != 0)
            continue;
        from->load[i] = from->load[--from->count];
        return true;
    }
    return false;
}

static bool is_repeated(const run *from, unsigned index) {
    for (unsigned i = 0; i < index; i++) {
        if (strcmp(from->load[i], from->load[index]) == 0)
            return true;
    }
    return false;
}

/* `before` is the store in front of both. */
static bool runs_alike(const run *expected, run *recorded, const char *before) {
    for (unsigned i = 0; i < expected->count; i++) {
        if (!take(recorded, expected->load[i]) && !is_repeated(expected, i))
            return false;
    }
    bool is_read_back =
        recorded->count == 1 && before && strcmp(recorded->load[0] + 1, before + 1) == 0;
    bool both_end = !expected->end && !recorded->end;
    return (recorded->count == 0 || is_read_back) &&
           (both_end || (expected->end && recorded->end && !strcmp(expected->end, recorded->end)));
}

static bool lines_alike(char *expected, char *recorded) {
    static run a, b;
    char *at_a, *at_b;
    const char *before = NULL;
    const char *name_a = strtok_r(expected, " \n", &at_a);
    const char *name_b = strtok_r(recorded, " \n", &at_b);
    if (!name_a || !name_b || strcmp(name_a, name_b) != 0)
        return false;
    do {
        read_run(&at_a, &a);
        read_run(&at_b, &b);
        if (!runs_alike(&a, &b, before))
            return false;
        before = a.end;
    } while (a.end);
    return true;
}

int bodies_compare(const char *expected_name, const char *recorded_name) {
    FILE *expected = fopen(expected_name, "r"), *recorded = fopen(recorded_name, "r");
    char *a = NULL, *b = NULL;
    size_t size_a = 0, size_b = 0;
    unsigned long count = 0;
    if (!expected || !recorded)
        return 2;
    for (;; count++) {
        ssize_t has_a = getline(&a, &size_a, expected), has_b = getline(&b, &size_b, recorded);
        if (has_a < 0 && has_b < 0)
            break;
        char *copy_a = strdup(a), *copy_b = strdup(b);
        bool alike = has_a >= 0 && has_b >= 0 && lines_alike(a, b);
        if (!alike)
            printf("the library: %sthe compiler: %s", copy_a, copy_b);
        free(copy_a);
        free(copy_b);
        if (!alike)
            return 1;
    }
    printf("%lu threads alike\n", count);
    free(a);
    free(b);
    fclose(expected);
    fclose(recorded);
    return 0;
}
