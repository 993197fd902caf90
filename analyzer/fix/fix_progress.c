/* SPDX-License-Identifier: MIT */
/*
 * Calls the progress callback often enough to react within milliseconds and rarely enough to
 * cost nothing. The caller keeps the time.
 */
#define _GNU_SOURCE /* vasprintf */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fix.h"
#include "fix_report.h"
#include "list.h"

enum { WORK_BETWEEN = 2048 };

bool fix_is_wanted(const smp_fix *fix) {
    const fix_progress *progress = fix->progress;
    return progress->phase == SMP_FIX_SEARCHING ? progress->wish == SMP_FIX_GO_ON
                                                : !progress->gives_up;
}

bool fix_goes_on(const smp_fix *fix, uint32_t work) {
    fix_progress *progress = fix->progress;
    if (!progress->ask)
        return true;
    progress->work += work;
    if (progress->work < progress->next)
        return fix_is_wanted(fix);
    progress->next = progress->work + WORK_BETWEEN;
    smp_fix_wish wish = progress->ask(progress->user, progress->phase, progress->done);
    if (progress->phase == SMP_FIX_SEARCHING && progress->wish == SMP_FIX_GO_ON)
        progress->wish = wish;
    else if (progress->phase != SMP_FIX_SEARCHING)
        progress->gives_up |= wish == SMP_FIX_INTERRUPT;
    return fix_is_wanted(fix);
}

bool fix_request_goes_on(void *user) {
    const smp_fix *fix = user;
    fix->progress->done++;
    return fix_goes_on(fix, 1);
}

void fix_phase_begin(smp_fix *fix, smp_fix_phase phase) {
    fix->progress->phase = phase;
    fix->progress->done = 0;
}

smp_status fix_interrupted(smp_error *error) {
    return smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
}

/* ---- Lines about a solution ---- */

void fix_note_add(fix_notes *notes, const char *kind, const char *format, ...) {
    char *text = NULL;
    va_list values;
    va_start(values, format);
    const bool is_there = vasprintf(&text, format, values) >= 0;
    va_end(values);
    if (is_there && LIST_ROOM(notes->items, notes->count))
        notes->items[notes->count++] = (fix_note){kind, text};
    else if (is_there)
        free(text);
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
