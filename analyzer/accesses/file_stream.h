/* SPDX-License-Identifier: MIT */
/*
 * What the two forms of a file of accesses (stream.h) have in common. Internal to accesses/.
 */
#pragma once

#include <stdio.h>

#include "stream.h"

typedef struct file_reading {
    const smp_file *from;
    smp_visit_fn visit;
    void *user;
    uint64_t index; /* of the line or row that is read */
} file_reading;

/* file_reading.c */

/* Waits for input, and asks meanwhile whether to go on, since a read that has begun may never
 * return. False: nothing more is wanted. */
bool file_waits(const smp_file *from);
/* SMP_E_INTERRUPTED where nothing more is wanted. */
smp_status file_goes_on(const smp_file *from, smp_error *error);
/* Passes on what is wrong, or ends the stream with it. `index` and `column` as in smp_file.wrong.
 */
smp_status file_wrong(const file_reading *r, uint64_t index, int column, const char *what,
                      smp_error *error);
/* True if a visitor that returns this status must not be called again. */
bool file_is_over(smp_status status);

/* lines.c: a text whose first bytes, at most 16, were read already. */
smp_status file_visit_lines(file_reading *r, const char *head, size_t head_bytes, smp_error *error);
/* A trace, from its first byte. */
smp_status file_visit_trace(file_reading *r, FILE *in, smp_error *error);
