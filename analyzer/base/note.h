/* SPDX-License-Identifier: MIT */
/*
 * Notes for the user, in addition to the result, one line each. The function that does the work
 * makes the note; its caller decides where it goes.
 */
#pragma once

/* Takes a line without its newline. If the struct or `add` is NULL, notes are dropped. */
typedef struct note_sink {
    void (*add)(void *user, const char *line);
    void *user;
} note_sink;

void note_add(const note_sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
