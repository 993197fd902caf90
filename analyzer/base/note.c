/* SPDX-License-Identifier: MIT */
/* Notes. */
#include "note.h"

#include <stdarg.h>
#include <stdio.h>

void note_add(const note_sink *sink, const char *format, ...) {
    char line[8192];
    va_list values;
    if (!sink || !sink->add)
        return;
    va_start(values, format);
    (void)vsnprintf(line, sizeof line, format, values);
    va_end(values);
    sink->add(sink->user, line);
}
