/* SPDX-License-Identifier: MIT */
/*
 * Lines of a source file.
 */
#define _POSIX_C_SOURCE 200809L
#include "source_line.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

static bool read_from(FILE *in, uint32_t line, char *text, size_t size) {
    bool found = line > 0;
    for (uint32_t i = 0; found && i < line; i++)
        found = take_line(in, text, size);
    return found && text[0] != '\0';
}

static bool is_file(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

const char *smp_source_path(const char *file) {
    if (is_file(file))
        return file;
    for (const char *at = strchr(file, '/'); at && strchr(at + 1, '/'); at = strchr(at + 1, '/')) {
        if (is_file(at + 1))
            return at + 1;
    }
    return file;
}

FILE *smp_source_open(const char *file) {
    const char *path = smp_source_path(file);
    return is_file(path) ? fopen(path, "r") : NULL;
}

bool smp_source_line_read(const char *file, uint32_t line, char *text, size_t size) {
    FILE *in = smp_source_open(file);
    const bool found = in && read_from(in, line, text, size);
    if (in)
        (void)fclose(in);
    return found;
}

bool smp_source_is_named(const char *file) {
    static const char *const endings[] = {".cu",  ".cuh", ".h",   ".hh",   ".hpp", ".hxx",
                                          ".c",   ".cc",  ".cpp", ".cxx",  ".inl", ".inc",
                                          ".ipp", ".py",  ".ptx", ".cuda", ".jl",  ".rs"};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(dot, endings[i]) == 0)
            return true;
    }
    return false;
}
