/* SPDX-License-Identifier: MIT */
/* Keeps the time, the tries and the best version of a search. */
#define _POSIX_C_SOURCE 200809L
#include "search.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "message_lines.h"
#include "seconds.h"

/* Returns the text from line `line` on; NULL if there are fewer lines. */
static const char *line_at(const char *text, unsigned line) {
    while (text && --line > 0) {
        text = strchr(text, '\n');
        text += !!text;
    }
    return text;
}

static bool is_same_line(const char *a, const char *b) {
    const size_t length = strcspn(a, "\n");
    return length == strcspn(b, "\n") && memcmp(a, b, length) == 0;
}

/* Finds the line of `to` that equals this line of `from`, counting repetitions; 0 if there is
 * none. */
static unsigned equal_line(const char *from, unsigned line, const char *to) {
    const char *wanted = line_at(from, line);
    unsigned above = 0, number = 1;
    for (const char *at = from; wanted && at < wanted; at += strcspn(at, "\n") + 1)
        above += is_same_line(at, wanted);
    for (; wanted && to && *to; number++, to = line_at(to, 2))
        if (is_same_line(to, wanted) && above-- == 0)
            return number;
    return 0;
}

unsigned search_line(const search *s, unsigned line) {
    unsigned same;
    if (s->now == &s->first)
        return line;
    for (unsigned up = 0; up < line; up++)
        if ((same = equal_line(s->text, line - up, s->job->text)) > 0)
            return same + up;
    return line;
}

static void put_line(text_buffer *out, unsigned line, const void *user) {
    text_add(out, "%u", search_line(user, line));
}

void search_correct(const search *s, char *text, size_t size) {
    message_lines_convert(text, size, put_line, s);
}

bool search_goes_on(search *s, const char *what) {
    if (s->out->end == REPAIR_DONE && s->job->seconds > 0 &&
        seconds_now() - s->begun >= s->job->seconds)
        s->out->end = REPAIR_OUT_OF_TIME;
    if (s->out->end == REPAIR_DONE && s->job->goes_on && !s->job->goes_on(s->job->user, what))
        s->out->end = REPAIR_INTERRUPTED;
    return s->out->end == REPAIR_DONE;
}

smp_status search_take(search *s, proof_run *run, char *text, size_t length) {
    proof_clear(&s->best);
    free(s->text);
    free(s->blank);
    s->best = *run;
    s->now = &s->best;
    s->text = text;
    s->length = length;
    s->blank = host_text_make(s->text, s->length);
    *run = (proof_run){.count = 0};
    return s->blank ? SMP_OK : smp_error_memory(s->error);
}

repair_try *search_begin_try(search *s, const char *kernel, const char *change, unsigned line) {
    if (!LIST_ROOM(s->out->tries, s->out->try_count))
        return NULL;
    repair_try *out = &s->out->tries[s->out->try_count++];
    *out = (repair_try){.line = line};
    (void)snprintf(out->kernel, sizeof out->kernel, "%s", kernel);
    (void)snprintf(out->change, sizeof out->change, "%s", change);
    return out;
}

smp_status search_end_try(search *s, smp_status status, repair_try *tried, proof_run *run,
                          char *text, size_t length) {
    if (status == SMP_E_INTERRUPTED)
        s->out->end = REPAIR_INTERRUPTED;
    if (!search_goes_on(s, tried->change))
        (void)snprintf(tried->why, PROOF_WHY, "ended before it was proven");
    else if (status != SMP_OK)
        (void)snprintf(tried->why, PROOF_WHY, "%.190s", s->error->message);
    tried->is_kept = status == SMP_OK && tried->why[0] == '\0';
    if (tried->is_kept)
        return search_take(s, run, text, length);
    proof_clear(run);
    free(text);
    return status == SMP_E_MEMORY ? status : SMP_OK;
}
