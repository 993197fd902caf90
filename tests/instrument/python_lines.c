/* SPDX-License-Identifier: MIT */
/*
 * A library for python_lines.py, which launches no kernel but says so, in the process of a real
 * Python. What host_python.c writes down is printed.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "host_part.h"

__attribute__((visibility("default"))) void launch(int number);
__attribute__((visibility("default"))) void launch_elsewhere(int number);

inject attach;

void host_inside(void) {
}

void host_outside(void) {
}

bool instrument_write(instrument_writer *writer, instrument_record_kind kind,
                      const instrument_piece *pieces, size_t piece_count) {
    (void)writer;
    const instrument_caller *caller = pieces[0].bytes;
    if (kind == INSTRUMENT_CALLER && piece_count == 2)
        (void)dprintf(STDOUT_FILENO, "%d %.*s:%u\n", caller->function, (int)pieces[1].count,
                      (const char *)pieces[1].bytes, caller->line);
    return true;
}

void launch(int number) {
    host_function function = {.index = number};
    attach.process = (int)getpid();
    host_note_caller(&function);
}

static void *work(void *number) {
    usleep(20000); /* the other thread waits by then */
    launch((int)(intptr_t)number);
    return NULL;
}

/* As a framework's own threads do, which have no Python. */
void launch_elsewhere(int number) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, (void *)(intptr_t)number) == 0)
        (void)pthread_join(thread, NULL);
}
