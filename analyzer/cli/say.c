/* SPDX-License-Identifier: MIT */
/* Errors and notes on standard error. */
#include <stdarg.h>
#include <string.h>

#include "progress.h"
#include "say.h"
#include "style.h"
#include "suggest.h"
#include "visible_text.h"

enum { TEXT_BYTES = 8192 };

/* Arrays, because reporting a lack of memory must not allocate. */
void say_line(const char *format, ...) {
    char text[TEXT_BYTES], visible[TEXT_BYTES * 2];
    const int columns = smp_columns_known(stderr);
    text_buffer out = TEXT_BUFFER(visible);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (line > text)
            text_add(&out, "\n");
        (void)smp_visible_copy(out.text + out.length, out.size - out.length, line);
        out.length += strlen(out.text + out.length);
    }
    progress_clear();
    if (columns > 0)
        fold_put(stderr, columns, out.text, out.length);
    else
        fprintf(stderr, "%s\n", out.text);
}

FILE *say_open(void) {
    const int columns = smp_columns_known(stderr);
    progress_clear();
    FILE *out = columns > 0 ? fold_open(stderr, columns) : NULL;
    return out ? out : stderr;
}

void say_close(FILE *out) {
    if (out != stderr)
        (void)fclose(out);
}

int complain(const smp_error *error) {
    failure_keep("", error);
    say_line("smemprobe: %s", error->message);
    return smp_status_exit(error->status);
}

int complain_of(smp_status status, const char *format, ...) {
    char text[sizeof(((smp_error *)0)->message)];
    smp_error error;
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    (void)smp_error_set(&error, status, -1, "%s", text);
    return complain(&error);
}

int complain_memory(void) {
    smp_error error;
    (void)smp_error_memory(&error);
    return complain(&error);
}

smp_status word_find(const char *command, const char *what, word_list *list, const char *word,
                     size_t *index, smp_error *error) {
    enum { WORDS_MAX = 64 };
    const char *names[WORDS_MAX], *summary;
    char known[200];
    size_t count = 0;
    for (; count < WORDS_MAX && (names[count] = list(count, &summary)); count++)
        if (strcmp(names[count], word) == 0) {
            *index = count;
            return SMP_OK;
        }
    text_buffer all = TEXT_BUFFER(known);
    const char *guess = suggest(word, names, count);
    for (size_t i = 0; i < count; i++)
        text_join(&all, i + 1 < count ? ", " : " or ", "%s", names[i]);
    if (*word == '\0')
        return usage_error(error, "%s needs a %s: %s", command, what, known);
    if (guess)
        return usage_error(error, "%s has no %s '%.40s'; did you mean '%s'?", command, what, word,
                           guess);
    return usage_error(error, "%s has no %s '%.40s': expected %s", command, what, word, known);
}

int content_exit(smp_status status) {
    const int of_words = smp_status_exit(SMP_E_USAGE), exit_status = smp_status_exit(status);
    return exit_status == of_words && status != SMP_E_USAGE ? smp_status_exit(SMP_E_SYNTAX)
                                                            : exit_status;
}

static void say(void *user, const char *line) {
    (void)user;
    say_line("smemprobe: %s", line);
}

const note_sink say_notes = {say, NULL};

static void say_once(void *user, const char *line) {
    static char *said[64];
    const size_t room = sizeof said / sizeof said[0];
    size_t at = 0;
    while (at < room && said[at] && strcmp(said[at], line) != 0)
        at++;
    if (at < room && said[at])
        return;
    if (at < room)
        said[at] = strdup(line);
    say(user, line);
}

const note_sink say_notes_once = {say_once, NULL};
