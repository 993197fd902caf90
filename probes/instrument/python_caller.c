/* SPDX-License-Identifier: MIT */
/*
 * Reads tracebacks and frames with Python's own functions, which are looked up in the process:
 * nothing links Python.
 */
#define _GNU_SOURCE
#include "python_caller.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TRACEBACK_BYTES = 16384 };

/* A line of a Python program. */
typedef struct python_line {
    uint32_t line;
    char file[1024];
} python_line;

/* Stores the address of a Python function in *function; false if there is no such function, or no
 * Python. */
static bool find(const char *name, void *function) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

/* True for files that were not written for this program: packages, Python's own, compiled code. */
static bool is_of_package(const char *file) {
    static const char *const parts[] = {"/site-packages/", "/dist-packages/", "/lib/python3",
                                        "/torchinductor_", "<"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strstr(file, parts[i]))
            return true;
    }
    return false;
}

/* Parses `  File "train.py", line 31 in step`; false for any other line. */
static bool parse(char *text, python_line *out) {
    static const char before[] = "  File \"", between[] = "\", line ";
    char *name = text + sizeof before - 1, *end;
    if (strncmp(text, before, sizeof before - 1) != 0 || !(end = strstr(name, between)))
        return false;
    out->line = (uint32_t)strtoul(end + sizeof between - 1, NULL, 10);
    *end = '\0';
    snprintf(out->file, sizeof out->file, "%s", name);
    return out->line > 0;
}

/* Finds the innermost frame outside packages, or else the outermost. */
static bool choose(char *text, python_line *out) {
    bool found = false;
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        python_line here;
        if (!parse(line, &here))
            continue;
        *out = here;
        found = true;
        if (!is_of_package(here.file))
            break;
    }
    return found;
}

/* Takes this thread's line at once. False if this Python cannot, or the thread is not in Python. */
static bool take_now(python_caller_fn take, void *user, void *state) {
    char text[TRACEBACK_BYTES];
    python_line at;
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
    if (!choose(text, &at))
        return false;
    take(user, at.file, at.line, false);
    return true;
}

/* ---- Later ---- */

typedef struct request {
    python_caller_fn take;
    void *user;
    pid_t process;
} request;

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

static bool read_frame(const python *py, void *frame, python_line *out) {
    void *code = py->code(frame);
    void *name = code ? py->attribute(code, "co_filename") : NULL;
    const char *text = name ? py->text(name) : NULL;
    const int line = py->line(frame);
    if (text) {
        snprintf(out->file, sizeof out->file, "%s", text);
        out->line = line > 0 ? (uint32_t)line : 0;
    }
    py->release(name);
    py->release(code);
    if (!text)
        py->clear_error();
    return text && line > 0;
}

/* Finds the innermost line outside packages, or else the outermost. */
static bool find_line(const python *py, python_line *out) {
    python_line here;
    void *frame = py->frame(), *owned = NULL;
    out->line = 0;
    while (frame) {
        if (read_frame(py, frame, &here))
            *out = here;
        if (out->line > 0 && !is_of_package(out->file))
            break;
        frame = py->back(frame);
        if (owned)
            py->release(owned);
        owned = frame;
    }
    if (owned)
        py->release(owned);
    return out->line > 0;
}

/* Python calls this in its main thread, with its lock held. */
static int take_later(void *pointer) {
    request asked = *(request *)pointer;
    python py;
    python_line at;
    free(pointer);
    if (getpid() == asked.process && find_python(&py) && find_line(&py, &at))
        asked.take(asked.user, at.file, at.line, true);
    return 0;
}

/* True if the main thread sleeps, presumably waiting for this thread. */
static bool is_main_asleep(void) {
    char path[64], text[512];
    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/stat", (long)getpid());
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        (void)fclose(file);
    text[length] = '\0';
    const char *behind = strrchr(text, ')');
    return behind && (behind[2] == 'S' || behind[2] == 'D');
}

static bool ask_main(python_caller_fn take, void *user) {
    int (*add_call)(int (*call)(void *), void *argument);
    request *asked = find("Py_AddPendingCall", &add_call) ? malloc(sizeof *asked) : NULL;
    if (!asked)
        return false;
    *asked = (request){take, user, getpid()};
    if (add_call(take_later, asked) == 0)
        return true;
    free(asked);
    return false;
}

bool python_caller_ask(python_caller_fn take, void *user) {
    void *(*state_of)(void);
    if (!find("PyGILState_GetThisThreadState", &state_of))
        return false;
    void *state = state_of();
    if (state && take_now(take, user, state))
        return true;
    const bool is_main = gettid() == getpid();
    return (is_main ? !!state : is_main_asleep()) && ask_main(take, user);
}
