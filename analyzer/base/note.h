/* SPDX-License-Identifier: MIT */
/*
 * Notes: what people should hear beside the result, one line each. Who works says it, who called
 * decides where it goes.
 */
#ifndef NOTE_H
#define NOTE_H

/* Takes a line without its end; NULL in place of the struct or of `add`: nobody listens. */
typedef struct note_sink {
    void (*add)(void *user, const char *line);
    void *user;
} note_sink;

void note_add(const note_sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
