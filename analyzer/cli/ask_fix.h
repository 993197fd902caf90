/* SPDX-License-Identifier: MIT */
/* Options of fix for a layout: its accesses, and what is searched for, measured and printed. */
#pragma once

#include "ask_measure.h"
#include "fix.h"
#include "format.h"
#include "layout_source.h"

typedef struct fix_asked {
    layout_source from;
    char *text; /* the options and accesses as one layout file; owned */
    size_t length;
    arch_list archs;
    smp_fix_options options; /* points to `archs` */
    double seconds;          /* the most that the search takes */
    bool explains;
    smp_format emit; /* the code to print; SMP_FORMAT_COUNT: a report */
    bool is_measured;
    int device;
    record_target record;
    const char *times_from, *kernel; /* a profile, and the kernel in it; NULL if not given */
} fix_asked;

/* Reports errors and returns the exit status. Always clear *out. */
int ask_fix(const arguments *args, fix_asked *out);
void fix_asked_clear(fix_asked *asked);
/* Reads --max-bytes; refuses 0. */
smp_status ask_max_bytes(const arguments *args, uint64_t *bytes, smp_error *error);
