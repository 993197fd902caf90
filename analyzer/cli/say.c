/* SPDX-License-Identifier: MIT */
/*
 * What goes to standard error: faults and notes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "fold.h"

void say_line(const char *format, ...) {
    char text[4096];
    const int columns = smp_columns_known(stderr);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (columns > 0)
        fold_put(stderr, columns, text, strlen(text));
    else
        fprintf(stderr, "%s\n", text);
}

int complain(const smp_error *error) {
    say_line("smemprobe: %s", error->message);
    return smp_status_exit(error->status);
}

int content_exit(smp_status status) {
    const int of_words = smp_status_exit(SMP_E_USAGE), exit_status = smp_status_exit(status);
    return exit_status == of_words && status != SMP_E_USAGE ? smp_status_exit(SMP_E_SYNTAX)
                                                            : exit_status;
}

static void say(void *user, const char *line) {
    (void)user;
    say_line("smemprobe: %s", line);
}

const note_sink say_notes = {say, NULL};
