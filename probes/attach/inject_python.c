/* SPDX-License-Identifier: MIT */
/*
 * inject_python.c: the line of a Python program that this thread is in, where there is a Python.
 *
 * Most of Python may only be asked by who holds its lock, which a library gives away before it
 * launches a kernel, and which nobody may wait for here. What writes a traceback after a fault does
 * without; CPython shows it to libraries up to 3.12. Later ones have no lines here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject.h"

enum { TRACEBACK_BYTES = 16384 };

typedef void *(*state_fn)(void);
typedef void (*write_fn)(int file, void *state);

/* Files that nobody wrote for this program: packages, Python's own, what a compiler made. */
static bool is_of_package(const char *file) {
    static const char *const parts[] = {"/site-packages/", "/dist-packages/", "/lib/python3",
                                        "/torchinductor_", "<"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strstr(file, parts[i]) != NULL)
            return true;
    }
    return false;
}

/* `  File "train.py", line 31 in step`: ends the name behind it; false: not such a line. */
static bool parse(char *text, inject_line *out) {
    static const char before[] = "  File \"", between[] = "\", line ";
    char *name = text + sizeof before - 1, *end;
    if (strncmp(text, before, sizeof before - 1) != 0 || (end = strstr(name, between)) == NULL)
        return false;
    out->line = (uint32_t)strtoul(end + sizeof between - 1, NULL, 10);
    *end = '\0';
    snprintf(out->file, sizeof out->file, "%s", name);
    return out->line > 0;
}

/* The innermost frame that is of no package; else the outermost. */
static bool choose(char *text, inject_line *out) {
    bool found = false;
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        inject_line here;
        if (!parse(line, &here))
            continue;
        *out = here;
        found = true;
        if (!is_of_package(here.file))
            break;
    }
    return found;
}

bool inject_python_line(inject_line *out) {
    char text[TRACEBACK_BYTES];
    state_fn state_of;
    write_fn write_traceback;
    void *symbols[2] = {dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"),
                        dlsym(RTLD_DEFAULT, "_Py_DumpTraceback")};
    if (symbols[0] == NULL || symbols[1] == NULL)
        return false;
    memcpy(&state_of, &symbols[0], sizeof state_of);
    memcpy(&write_traceback, &symbols[1], sizeof write_traceback);
    void *state = state_of();
    int file = state != NULL ? memfd_create("smemprobe", MFD_CLOEXEC) : -1;
    if (file < 0)
        return false;
    write_traceback(file, state);
    ssize_t count = pread(file, text, sizeof text - 1, 0);
    close(file);
    text[count > 0 ? count : 0] = '\0';
    return choose(text, out);
}
