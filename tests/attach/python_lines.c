/* SPDX-License-Identifier: MIT */
/*
 * python_lines.c: a library for python_lines.py, which launches no kernel but says so, in the
 * process of a real Python. What inject_python.c writes down is printed.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "inject.h"

__attribute__((visibility("default"))) void launch(int number);

inject attach;

void inject_inside(void) {
}

void inject_outside(void) {
}

bool attach_write(attach_writer *writer, attach_record_kind kind, const attach_piece *pieces,
                  size_t piece_count) {
    (void)writer;
    const attach_caller *caller = pieces[0].bytes;
    if (kind == ATTACH_CALLER && piece_count == 2)
        (void)dprintf(STDOUT_FILENO, "%d %.*s:%u\n", caller->function, (int)pieces[1].count,
                      (const char *)pieces[1].bytes, caller->line);
    return true;
}

void launch(int number) {
    inject_function function = {.index = number};
    attach.process = (int)getpid();
    inject_note_caller(&function);
}
