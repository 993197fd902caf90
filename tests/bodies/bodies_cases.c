/* SPDX-License-Identifier: MIT */
/*
 * Kernels that are written down: a text of parts, each begun by a line "/// what it shows", with
 * functions and one kernel "k" that takes nothing. A part's number is the line that it begins at.
 */
#include <stdlib.h>
#include <string.h>

#include "bodies.h"

static const char mark[] = "/// ";

const char *bodies_case(const char *at, unsigned *line, const char **begin, size_t *length) {
    const char *end = at;
    for (; *at != '\0' && strncmp(at, mark, sizeof mark - 1) != 0; ++*line)
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != '\0');
    if (*at == '\0')
        return NULL;
    *begin = at;
    for (end = at; (end = strchr(end, '\n')); end++)
        if (strncmp(end + 1, mark, sizeof mark - 1) == 0)
            break;
    *length = end ? (size_t)(end + 1 - at) : strlen(at);
    return at + *length;
}

char *bodies_read(const char *name) {
    FILE *file = fopen(name, "r");
    char *text = calloc(1, CASES_MAX);
    size_t length = file && text ? fread(text, 1, CASES_MAX - 1, file) : 0;
    if (file)
        (void)fclose(file);
    if (length > 0 && length < CASES_MAX - 1)
        return text;
    free(text);
    return NULL;
}
