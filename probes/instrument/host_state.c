/* SPDX-License-Identifier: MIT */
/*
 * host_state.c: what all of the library shares: its state, its lock, and the way to its notes.
 */
#define _GNU_SOURCE
#include "host_part.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NOTE_BYTES = 4096 };

inject attach = {.lock = PTHREAD_MUTEX_INITIALIZER, .writer = {.file = -1}};

void host_note(const char *format, ...) {
    char text[NOTE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)instrument_write_text(&attach.writer, INSTRUMENT_NOTE, text);
}

void host_outside(void) {
    pthread_mutex_unlock(&attach.lock);
}

void host_inside(void) {
    pthread_mutex_lock(&attach.lock);
}

double host_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void *host_grow(void **list, size_t *count, size_t bytes) {
    void *grown = realloc(*list, (*count + 1) * bytes);
    if (grown == NULL)
        return NULL;
    *list = grown;
    return memset((char *)grown + (*count)++ * bytes, 0, bytes);
}

const char *host_result(int result) {
    const char *text = NULL;
    if (attach.san.GetResultString == NULL || attach.san.GetResultString(result, &text) != 0)
        text = NULL;
    return text ? text : "unknown error";
}
