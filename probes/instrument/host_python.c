/* SPDX-License-Identifier: MIT */
/*
 * host_python.c: the line of a Python program that launches a kernel, where there is a Python.
 *
 * Python may only be asked by who holds its lock, which a library gives away before it launches a
 * kernel, and which nobody may wait for here. What writes a traceback after a fault does without;
 * some versions show it to libraries. The others are asked to call back: they do when the main
 * thread comes back from the launch, in the same line still. Of their other threads nothing is
 * known.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host_part.h"

enum { TRACEBACK_BYTES = 16384 };

/* A line of a Python program. */
typedef struct host_line {
    uint32_t line;
    char file[1024];
} host_line;

static void write_caller(int32_t function, const host_line *at) {
    instrument_caller record = {.function = function, .line = at->line};
    (void)instrument_write(
        &attach.writer, INSTRUMENT_CALLER,
        (instrument_piece[]){{&record, sizeof record}, {at->file, strlen(at->file)}}, 2);
}

/* False: this Python has none of that name, or there is none. `function` is a pointer to one. */
static bool find(const char *name, void *function) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

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
static bool parse(char *text, host_line *out) {
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
static bool choose(char *text, host_line *out) {
    bool found = false;
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        host_line here;
        if (!parse(line, &here))
            continue;
        *out = here;
        found = true;
        if (!is_of_package(here.file))
            break;
    }
    return found;
}

/* The lines that this thread is in, at once. False: not in this Python. */
static bool note_now(int32_t function, void *state) {
    char text[TRACEBACK_BYTES];
    host_line at;
    void (*write_traceback)(int file, void *state);
    if (!find("_Py_DumpTraceback", &write_traceback))
        return false;
    int file = memfd_create("smemprobe", MFD_CLOEXEC);
    if (file < 0)
        return false;
    write_traceback(file, state);
    ssize_t count = pread(file, text, sizeof text - 1, 0);
    close(file);
    text[count > 0 ? count : 0] = '\0';
    if (choose(text, &at))
        write_caller(function, &at);
    return true;
}

/* ---- Later ---- */

typedef struct python {
    void *(*frame)(void);
    void *(*back)(void *frame);
    void *(*code)(void *frame);
    int (*line)(void *frame);
    void *(*attribute)(void *object, const char *name);
    const char *(*text)(void *object);
    void (*release)(void *object);
    void (*clear_error)(void);
} python;

static bool find_python(python *out) {
    return find("PyEval_GetFrame", &out->frame) && find("PyFrame_GetBack", &out->back) &&
           find("PyFrame_GetCode", &out->code) && find("PyFrame_GetLineNumber", &out->line) &&
           find("PyObject_GetAttrString", &out->attribute) &&
           find("PyUnicode_AsUTF8", &out->text) && find("Py_DecRef", &out->release) &&
           find("PyErr_Clear", &out->clear_error);
}

static bool read_frame(const python *py, void *frame, host_line *out) {
    void *code = py->code(frame);
    void *name = code ? py->attribute(code, "co_filename") : NULL;
    const char *text = name ? py->text(name) : NULL;
    const int line = py->line(frame);
    if (text != NULL) {
        snprintf(out->file, sizeof out->file, "%s", text);
        out->line = line > 0 ? (uint32_t)line : 0;
    }
    py->release(name);
    py->release(code);
    if (text == NULL)
        py->clear_error();
    return text != NULL && line > 0;
}

/* Python calls this with its lock held. */
static int note_later(void *pointer) {
    const int32_t function = (int32_t)(intptr_t)pointer;
    python py;
    host_line here, at = {.line = 0};
    void *frame = getpid() == attach.process && find_python(&py) ? py.frame() : NULL;
    void *owned = NULL;
    while (frame != NULL) {
        if (read_frame(&py, frame, &here))
            at = here;
        if (at.line > 0 && !is_of_package(at.file))
            break;
        frame = py.back(frame);
        if (owned != NULL)
            py.release(owned);
        owned = frame;
    }
    if (owned != NULL)
        py.release(owned);
    if (at.line > 0) {
        host_inside();
        write_caller(function, &at);
        host_outside();
    }
    return 0;
}

void host_note_caller(host_function *function) {
    void *(*state_of)(void);
    int (*add_call)(int (*call)(void *), void *argument);
    if (function->callers >= CALLERS_MAX)
        return;
    function->callers++;
    void *state = find("PyGILState_GetThisThreadState", &state_of) ? state_of() : NULL;
    if (state == NULL || note_now(function->index, state))
        return;
    if (gettid() == getpid() && find("Py_AddPendingCall", &add_call))
        (void)add_call(note_later, (void *)(intptr_t)function->index);
}
