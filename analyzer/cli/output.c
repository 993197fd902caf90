/* SPDX-License-Identifier: MIT */
/*
 * The destination of the answer: standard output, or a file that appears whole or not at all,
 * because it is written under another name and renamed when complete.
 */
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "output.h"
#include "say.h"
#include "suggest.h"

const char *output_format_name(const arguments *args, char from[FORMAT_FROM_MAX]) {
    const char *named = last_value(args, OPTION_FORMAT), *path = last_value(args, OPTION_OUTPUT);
    const char *dot = path ? strrchr(path, '.') : NULL;
    const bool has_ending = dot && !strchr(dot, '/');
    from[0] = '\0';
    if (named)
        (void)snprintf(from, FORMAT_FROM_MAX, "--format %.40s", named);
    else if (has_ending)
        (void)snprintf(from, FORMAT_FROM_MAX, "-o FILE%.40s", dot);
    return named ? named : has_ending ? dot + 1 : NULL;
}

/* NO_COLOR (no-color.org) wins over CLICOLOR_FORCE (bixense.com/clicolors). */
bool output_wants_color(bool is_terminal) {
    const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
    const char *force = getenv("CLICOLOR_FORCE");
    if (none && none[0])
        return false;
    if (force && force[0] && strcmp(force, "0") != 0)
        return true;
    return is_terminal && term && strcmp(term, "dumb") != 0;
}

static smp_status choose_style(const arguments *args, output *out, smp_error *error) {
    enum { AUTO, ALWAYS, NEVER };
    unsigned when = AUTO;
    bool is_terminal = !out->path && isatty(STDOUT_FILENO);
    bool wanted = !out->path && output_wants_color(is_terminal);
    if (ask_word(args, OPTION_COLOR, &when, error))
        return error->status;
    if (when != AUTO)
        wanted = when == ALWAYS;
    out->style.color = wanted;
    out->style.unicode = (is_terminal || wanted) && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    return SMP_OK;
}

smp_status output_hint(smp_status status, smp_error *error) {
    smp_error bare = *error;
    if (status != SMP_E_EXISTS)
        return status;
    return smp_error_set(error, status, -1, "%.200s; --force overwrites it", bare.message);
}

smp_status output_check(const arguments *args, const char *path, smp_error *error) {
    return path ? output_hint(new_file_check(path, has(args, OPTION_FORCE), error), error) : SMP_OK;
}

smp_status output_open_as(const arguments *args, smp_format format, output *out, smp_error *error) {
    memset(out, 0, sizeof *out);
    out->path = last_value(args, OPTION_OUTPUT);
    out->format = format;
    smp_status status = choose_style(args, out, error);
    out->stream = stdout;
    if (status != SMP_OK || !out->path)
        return status;
    status = new_file_open(&out->file, out->path, has(args, OPTION_FORCE), error);
    if (status == SMP_OK)
        out->stream = out->file.stream;
    return output_hint(status, error);
}

smp_status output_choose_format(const arguments *args, smp_format *out, smp_error *error) {
    return output_choose_format_of(args, args->command->formats, out, error);
}

/* "; did you mean 'json'?", from words separated by blanks, or "". */
static const char *suggest_of(const char *known, const char *name, char text[SUGGEST_TEXT_MAX]) {
    char words[SMP_FORMATS_TEXT_MAX];
    const char *names[SMP_FORMAT_COUNT + 8];
    size_t count = 0;
    (void)snprintf(words, sizeof words, "%s", known);
    for (char *at = words; *at != '\0' && count < sizeof names / sizeof *names;) {
        names[count++] = at;
        at += strcspn(at, " ");
        if (*at != '\0')
            *at++ = '\0';
    }
    return suggest_text(name, names, count, "", text);
}

smp_status output_choose_format_of(const arguments *args, const char *known, smp_format *out,
                                   smp_error *error) {
    char from[FORMAT_FROM_MAX], list[SMP_FORMATS_TEXT_MAX], guess[SUGGEST_TEXT_MAX];
    const char *name = output_format_name(args, from);
    *out = !name                      ? smp_format_default(known)
           : has(args, OPTION_FORMAT) ? smp_format_find(known, name)
                                      : smp_format_of_ending(known, name);
    if (*out != SMP_FORMAT_COUNT)
        return SMP_OK;
    return usage_error(error, "%s: unknown format; expected %s%s", from,
                       smp_formats_text(known, " or ", list), suggest_of(known, name, guess));
}

smp_status output_words_check(const arguments *args, smp_error *error) {
    output out = {.path = last_value(args, OPTION_OUTPUT)};
    if (output_choose_format(args, &out.format, error) || choose_style(args, &out, error))
        return error->status;
    return output_check(args, out.path, error);
}

smp_status output_open(const arguments *args, output *out, smp_error *error) {
    smp_format format;
    if (output_choose_format(args, &format, error) || output_open_as(args, format, out, error))
        return error->status;
    if (!out->path)
        output_to(out, stdout);
    return SMP_OK;
}

static void close_folded(output *out) {
    if (out->under) {
        (void)fclose(out->stream); /* flushes into `under`, which keeps its errors */
        out->stream = out->under;
    }
    out->under = NULL;
}

/* Folds lines for a terminal, or if COLUMNS is set; other readers get whole lines. */
void output_to(output *out, FILE *to) {
    const int columns = out->format == SMP_FORMAT_TEXT ? smp_columns_known(to) : 0;
    close_folded(out);
    FILE *folded = columns > 0 ? fold_open(to, columns) : NULL;
    out->stream = folded ? folded : to;
    out->under = folded ? to : NULL;
}

smp_status output_close(output *out, bool keep, smp_error *error) {
    close_folded(out);
    if (out->path)
        return new_file_close(&out->file, keep, error);
    if (keep)
        failure_is_answered();
    int cause;
    if (smp_stream_flush(out->stream, &cause))
        return SMP_OK;
    return smp_error_set(error, SMP_E_WRITE, -1, "standard output: %s",
                         cause ? strerror(cause) : "writing failed");
}

smp_status output_close_after(output *out, smp_status status, smp_error *error) {
    smp_error second; /* the first failure is reported */
    const bool keep = status == SMP_OK;
    const smp_status closed = output_close(out, keep, keep ? error : &second);
    return keep ? closed : status;
}

int output_end_kept(output *out, bool keep, smp_status status, const smp_error *error, int found) {
    smp_error closing;
    const smp_status closed = output_close(out, keep, &closing);
    const int exit_status = status == SMP_OK ? found : complain(error);
    return closed == SMP_OK ? exit_status : complain(&closing);
}

int output_end(output *out, smp_status status, const smp_error *error, int found) {
    return output_end_kept(out, status == SMP_OK, status, error, found);
}

smp_status output_finish(smp_error *error) {
    output out = {.stream = stdout};
    return output_close(&out, true, error);
}
