/* SPDX-License-Identifier: MIT */
/*
 * What goes to standard error: faults and notes.
 */
#include <stdio.h>

#include "cli.h"

int complain(const smp_error *error) {
    fprintf(stderr, "smemprobe: %s\n", error->message);
    return smp_status_exit(error->status);
}

int content_exit(smp_status status) {
    const int of_words = smp_status_exit(SMP_E_USAGE), exit_status = smp_status_exit(status);
    return exit_status == of_words && status != SMP_E_USAGE ? smp_status_exit(SMP_E_SYNTAX)
                                                            : exit_status;
}

static void say(void *user, const char *line) {
    (void)user;
    fprintf(stderr, "smemprobe: %s\n", line);
}

const note_sink say_notes = {say, NULL};
