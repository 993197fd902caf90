/* SPDX-License-Identifier: MIT */
/* Rows of what was found, and how to fix the gap. */
#include <stdarg.h>

#include "doctor.h"

doctor_part *doctor_add(doctor *out, const char *name, doctor_state state, const char *format,
                        ...) {
    doctor_part *part = &out->parts[out->part_count++];
    (void)snprintf(part->name, sizeof part->name, "%s", name);
    part->state = state;
    va_list values;
    va_start(values, format);
    (void)vsnprintf(part->found, sizeof part->found, format, values);
    va_end(values);
    return part;
}

void doctor_fix(doctor_part *part, const char *fix) {
    (void)snprintf(part->fix, sizeof part->fix, "%s", fix);
}
