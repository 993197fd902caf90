/* SPDX-License-Identifier: MIT */
/* The lines of a Python program that make a kernel's first launches. */
#define _GNU_SOURCE
#include <string.h>

#include "host_part.h"
#include "python_caller.h"

static void write_caller(void *user, const char *file, uint32_t line, bool is_later) {
    const instrument_caller record = {.function = (int32_t)(intptr_t)user, .line = line};
    if (is_later)
        host_inside();
    (void)instrument_write(&attach.writer, INSTRUMENT_CALLER,
                           (instrument_piece[]){{&record, sizeof record}, {file, strlen(file)}}, 2);
    if (is_later)
        host_outside();
}

void host_note_caller(host_function *function) {
    if (function->callers >= CALLERS_MAX)
        return;
    function->callers++;
    (void)python_caller_ask(write_caller, (void *)(intptr_t)function->index);
}
