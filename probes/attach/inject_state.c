/* SPDX-License-Identifier: MIT */
/*
 * inject_state.c: what all of the library shares: its state, its lock, and the way to its notes.
 */
#define _GNU_SOURCE
#include "inject.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { NOTE_BYTES = 4096 };

inject attach = {.lock = PTHREAD_MUTEX_INITIALIZER, .writer = {.file = -1}};

void inject_note(const char *format, ...) {
    char text[NOTE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)attach_write_text(&attach.writer, ATTACH_NOTE, text);
}

void inject_outside(void) {
    pthread_mutex_unlock(&attach.lock);
}

void inject_inside(void) {
    pthread_mutex_lock(&attach.lock);
}

double inject_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

const char *inject_result(int result) {
    const char *text = NULL;
    if (attach.san.GetResultString == NULL || attach.san.GetResultString(result, &text) != 0)
        text = NULL;
    return text ? text : "unknown error";
}
