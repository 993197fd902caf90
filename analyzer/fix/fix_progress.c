/* SPDX-License-Identifier: MIT */
/*
 * Calls the progress callback often enough to react within milliseconds and rarely enough to
 * cost nothing. The caller keeps the time.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fix.h"
#include "fix_report.h"
#include "list.h"

enum { WORK_BETWEEN = 2048 };

static bool is_wanted(const fix_progress *progress) {
    return progress->phase == SMP_FIX_SEARCHING ? progress->wish == SMP_FIX_GO_ON
                                                : !progress->gives_up;
}

bool fix_is_wanted(const smp_fix *fix) {
    return is_wanted(fix->progress);
}

bool fix_goes_on(const smp_fix *fix, uint32_t work) {
    fix_progress *progress = fix->progress;
    if (!progress->ask)
        return true;
    progress->work += work;
    if (progress->work < progress->next)
        return is_wanted(progress);
    progress->next = progress->work + WORK_BETWEEN;
    smp_fix_wish wish = progress->ask(progress->user, progress->phase, progress->done);
    if (progress->phase == SMP_FIX_SEARCHING && progress->wish == SMP_FIX_GO_ON)
        progress->wish = wish;
    else if (progress->phase != SMP_FIX_SEARCHING)
        progress->gives_up |= wish == SMP_FIX_INTERRUPT;
    return is_wanted(progress);
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
