/* SPDX-License-Identifier: MIT */
/*
 * One line of a source file.
 */
#include "source_line.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Reads up to the end of the line, of which `text` keeps what fits. False at the end of the file.
 */
static bool take_line(FILE *in, char *text, size_t size) {
    size_t length = 0;
    int c = getc(in);
    if (c == EOF)
        return false;
    for (; c != EOF && c != '\n'; c = getc(in)) {
        const bool is_indent = length == 0 && isspace(c);
        if (!is_indent && length + 1 < size)
            text[length++] = iscntrl(c) ? ' ' : (char)c;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
    return true;
}

static bool read_from(const char *file, uint32_t line, char *text, size_t size) {
    FILE *in = fopen(file, "r");
    bool found = in != NULL && line > 0;
    for (uint32_t i = 0; found && i < line; i++)
        found = take_line(in, text, size);
    if (in)
        (void)fclose(in);
    return found && text[0] != '\0';
}

/* A program built elsewhere names the folder of that place: then the end of the path is looked for
 * below this one, with at least one folder's name in it. */
bool smp_source_line_read(const char *file, uint32_t line, char *text, size_t size) {
    if (read_from(file, line, text, size))
        return true;
    for (const char *at = strchr(file, '/'); at && strchr(at + 1, '/'); at = strchr(at + 1, '/')) {
        if (read_from(at + 1, line, text, size))
            return true;
    }
    return false;
}
