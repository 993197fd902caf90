/* SPDX-License-Identifier: MIT */
/* Notes. */
#include "note.h"

#include <stdarg.h>
#include <stdio.h>

#include "left_out.h"

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

/* ---- Architectures that are left out ---- */

smp_status left_out_add(left_out *left, const smp_arch *arch, const smp_error *why) {
    if (left->count == 0)
        left->list = TEXT_BUFFER(left->names);
    text_join(&left->list, ", ", "%s", arch->name);
    if (left->count++ == 0)
        (void)snprintf(left->reason, sizeof left->reason, "%s", why->message);
    return SMP_OK;
}

bool left_out_text(const left_out *left, char text[LEFT_OUT_BYTES]) {
    if (left->count > 0)
        (void)snprintf(text, LEFT_OUT_BYTES, "left out: %s. %s%s.", left->names,
                       left->count > 1 ? "The first: " : "", left->reason);
    return left->count > 0;
}

void left_out_note(const left_out *left, const note_sink *notes) {
    char text[LEFT_OUT_BYTES];
    if (left_out_text(left, text))
        note_add(notes, "%s", text);
}
