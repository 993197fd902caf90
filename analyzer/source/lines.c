/* SPDX-License-Identifier: MIT */
/*
 * Lines: the accesses of a file in the batch format.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

typedef struct reading {
    const char *path;
    smp_visit_fn visit;
    void *user;
    size_t line, shown;
} reading;

static smp_status show(reading *r, const char *line, size_t length, smp_error *error) {
    smp_access access;
    bool is_empty;
    const smp_occurrence seen = {.access = &access, .times = 1, .index = r->line};
    const smp_status status = smp_batch_parse(line, length, &access, &is_empty, error);
    if (status != SMP_OK || is_empty)
        return status;
    r->shown++;
    return r->visit(r->user, &seen, error);
}

static smp_status read_all(reading *r, FILE *file, smp_error *error) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    smp_status status = SMP_OK;
    while (status == SMP_OK && (length = getline(&line, &room, file)) >= 0) {
        smp_error where;
        r->line++;
        length -= length > 0 && line[length - 1] == '\n';
        status = show(r, line, (size_t)length, &where);
        if (status == SMP_E_MEMORY)
            *error = where;
        else if (status != SMP_OK)
            status = smp_error_set(error, SMP_E_SYNTAX, -1, "%.60s:%zu:%d: %.160s", r->path,
                                   r->line, where.position + 1, where.message);
    }
    free(line);
    if (status == SMP_OK && ferror(file))
        return smp_error_set(error, SMP_E_READ, -1, "%.80s: %s", r->path, strerror(errno));
    if (status == SMP_OK && !feof(file)) /* getline failed otherwise */
        return smp_error_memory(error);
    if (status == SMP_OK && r->shown == 0)
        return smp_error_set(error, SMP_E_SYNTAX, -1, "%.80s: no access in it", r->path);
    return status;
}

static smp_status visit_lines(const void *from, smp_visit_fn visit, void *user, smp_error *error) {
    reading r = {.path = from, .visit = visit, .user = user};
    FILE *file = strcmp(r.path, "-") == 0 ? stdin : fopen(r.path, "r");
    if (!file)
        return smp_error_set(error, SMP_E_READ, -1, "%.80s: %s", r.path, strerror(errno));
    const smp_status status = read_all(&r, file, error);
    if (file != stdin)
        (void)fclose(file);
    return status;
}

const smp_stream smp_stream_lines = {"lines", visit_lines};
