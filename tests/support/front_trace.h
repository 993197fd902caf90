/* SPDX-License-Identifier: MIT */
/*
 * Rows of texts, and the accesses that threads 1 and 31 of the first warp make; rows
 * of texts that are refused, with the place and some words of the message.
 */
#pragma once

typedef struct trace_row {
    const char *name;
    const char *text;
    const char *lane1; /* accesses of lane 1: operation, offset in its array */
    const char *lane31;
} trace_row;

typedef struct refused_row {
    const char *name;
    const char *text;
    unsigned line;
    int position; /* -1: anywhere */
    const char *says;
} refused_row;

/* Fail in Check's words. */
void front_check_trace(const trace_row *row);
void front_check_refused(const refused_row *row);
