/* SPDX-License-Identifier: MIT */
/*
 * Lines about a solution, kept in the order in which they are found. A line for which there is no
 * memory is left out.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fix_report.h"
#include "list.h"

void fix_note_add(fix_notes *notes, const char *kind, const char *format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    char *copy = malloc(strlen(text) + 1);
    if (!copy || !LIST_ROOM(notes->items, notes->count)) {
        free(copy);
        return;
    }
    strcpy(copy, text);
    notes->items[notes->count++] = (fix_note){kind, copy};
}

void fix_notes_tell(const fix_notes *notes, const char *kind, fix_line_fn add, void *user) {
    for (size_t i = 0; i < notes->count; i++) {
        if (!kind || strcmp(notes->items[i].kind, kind) == 0)
            add(user, notes->items[i].kind, notes->items[i].text);
    }
}

void fix_notes_clear(fix_notes *notes) {
    for (size_t i = 0; i < notes->count; i++)
        free(notes->items[i].text);
    free(notes->items);
}
