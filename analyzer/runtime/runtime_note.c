/* SPDX-License-Identifier: MIT */
/*
 * Notes for the report: lines in PROCESS.notes, .asides, .refused and other files of the folder
 * SMP_RUNTIME_FOLDER.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"
#include "runtime.h"

enum { PATH_BYTES = 4096, NOTES_MAX = 32 };

const char *rt_folder(void) {
    const char *path = getenv("SMP_RUNTIME_FOLDER");
    return path && path[0] ? path : NULL;
}

void rt_own_path(const char *kind, char *path, size_t size) {
    int length = snprintf(path, size, "%.4000s/%ld.%s", rt_folder(), (long)getpid(), kind);
    for (unsigned next = 2; length > 0 && access(path, F_OK) == 0; next++)
        length = snprintf(path, size, "%.4000s/%ld-%u.%s", rt_folder(), (long)getpid(), next, kind);
}

void rt_leave_line(const char *kind, const char *text) {
    char path[PATH_BYTES];
    if (!rt_folder()) {
        fprintf(stderr, "smemprobe: %s\n", text);
        return;
    }
    (void)snprintf(path, sizeof path, "%.4000s/%ld.%s", rt_folder(), (long)getpid(), kind);
    FILE *file = fopen(path, "a");
    if (!file)
        return;
    fprintf(file, "%s\n", text);
    (void)fclose(file);
}

static bool is_new(const char *text) {
    static char *said[NOTES_MAX];
    static unsigned count;
    if (count == NOTES_MAX || LIST_FIND(said, count, text))
        return false;
    said[count] = strdup(text);
    count += !!said[count];
    return true;
}

void rt_note(const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (is_new(text))
        rt_leave_line("notes", text);
}

void rt_aside(const char *text) {
    if (is_new(text))
        rt_leave_line("asides", text);
}

cudaError_t rt_refuse(const char *function, const char *why) {
    char text[600];
    (void)snprintf(text, sizeof text, "%s: %s; the call returned cudaErrorNotSupported", function,
                   why);
    if (is_new(text))
        rt_leave_line("refused", text);
    return cudaErrorNotSupported;
}
