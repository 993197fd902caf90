/* SPDX-License-Identifier: MIT */
/*
 * Where the answer goes: standard output, or a file that appears whole or not at all. A file is
 * written under another name beside the final one and renamed when it is complete.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

typedef struct format_row {
    const char *name;
    output_format format;
} format_row;

static const format_row formats[] = {
    {"text", FORMAT_TEXT}, {"json", FORMAT_JSON}, {"csv", FORMAT_CSV}, {"txt", FORMAT_TEXT}};

static smp_status find_format(const char *name, const char *from, output_format *out,
                              smp_error *error) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(name, formats[i].name) == 0) {
            *out = formats[i].format;
            return SMP_OK;
        }
    }
    return smp_error_set(error, SMP_E_USAGE, -1, "%s: unknown format; known are text, json and csv",
                         from);
}

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

static smp_status choose_format(const arguments *args, output *out, smp_error *error) {
    char from[FORMAT_FROM_MAX];
    const char *name = output_format_name(args, from);
    out->format = FORMAT_TEXT;
    return name ? find_format(name, from, &out->format, error) : SMP_OK;
}

static smp_status choose_style(const arguments *args, output *out, smp_error *error) {
    const char *when = last_value(args, OPTION_COLOR);
    bool is_terminal = !out->path && isatty(STDOUT_FILENO);
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    bool wanted = is_terminal && !(no_color && no_color[0]) && term && strcmp(term, "dumb") != 0;
    if (when && strcmp(when, "always") == 0)
        wanted = true;
    else if (when && strcmp(when, "never") == 0)
        wanted = false;
    else if (when && strcmp(when, "auto") != 0)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--color %.40s: expected auto, always or never", when);
    out->style.color = wanted;
    out->style.unicode = (is_terminal || wanted) && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    return SMP_OK;
}

/* The folder that a file is to be made in. */
static smp_status check_folder(const char *path, smp_error *error) {
    const char *slash = strrchr(path, '/');
    char folder[4096] = ".";
    if (slash)
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
    if (access(folder, W_OK | X_OK) == 0)
        return SMP_OK;
    return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: cannot be written: %s", path,
                         strerror(errno));
}

/* A file takes the place of what has its name, which must not happen to /dev/null. */
smp_status output_check(const arguments *args, const char *path, smp_error *error) {
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: is %s", path,
                             S_ISDIR(found.st_mode)
                                 ? "a folder"
                                 : "no ordinary file; redirect the standard output to it");
    if (access(path, F_OK) == 0 && !has(args, OPTION_FORCE))
        return smp_error_set(error, SMP_E_EXISTS, -1, "%.180s: exists; --force overwrites it",
                             path);
    return check_folder(path, error);
}

smp_status output_words_check(const arguments *args, smp_error *error) {
    output out = {.path = last_value(args, OPTION_OUTPUT)};
    smp_status status = choose_format(args, &out, error);
    return status == SMP_OK ? choose_style(args, &out, error) : status;
}

smp_status output_reserve(const arguments *args, const char *path, char *temporary, size_t size,
                          smp_error *error) {
    smp_status status = output_check(args, path, error);
    if (status != SMP_OK)
        return status;
    if ((size_t)snprintf(temporary, size, "%s.XXXXXX", path) >= size)
        return smp_error_set(error, SMP_E_USAGE, -1, "%.80s...: the name is too long", path);
    int file = mkstemp(temporary);
    if (file < 0)
        return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: cannot be written: %s", path,
                             strerror(errno));
    mode_t hidden = umask(0); /* what a file made by open() would get; mkstemp gives less */
    (void)umask(hidden);
    (void)fchmod(file, 0666 & ~hidden);
    (void)close(file);
    return SMP_OK;
}

smp_status output_open(const arguments *args, output *out, smp_error *error) {
    memset(out, 0, sizeof *out);
    out->path = last_value(args, OPTION_OUTPUT);
    smp_status status = choose_format(args, out, error);
    if (status == SMP_OK)
        status = choose_style(args, out, error);
    out->stream = stdout;
    if (status != SMP_OK || !out->path)
        return status;
    status = output_reserve(args, out->path, out->temporary, sizeof out->temporary, error);
    if (status != SMP_OK)
        return status;
    out->stream = fopen(out->temporary, "w");
    if (out->stream)
        return SMP_OK;
    (void)remove(out->temporary);
    return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: cannot be written: %s", out->path,
                         strerror(errno));
}

smp_status output_close(output *out, bool keep, smp_error *error) {
    const char *name = out->path ? out->path : "standard output";
    errno = 0;
    bool failed = fflush(out->stream) != 0 || ferror(out->stream);
    int cause = errno;
    if (out->path && fclose(out->stream) != 0 && !failed) {
        failed = true;
        cause = errno;
    }
    if (out->path && keep && !failed && rename(out->temporary, out->path) != 0) {
        failed = true;
        cause = errno;
    }
    if (out->path && (!keep || failed))
        (void)remove(out->temporary);
    if (failed)
        return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: %s", name,
                             cause ? strerror(cause) : "writing failed");
    return SMP_OK;
}

smp_status output_finish(smp_error *error) {
    output out = {.stream = stdout};
    return output_close(&out, true, error);
}

smp_status output_write(const arguments *args, const char *path,
                        bool (*write)(FILE *file, const void *user), const void *user,
                        smp_error *error) {
    char temporary[4096];
    smp_status status = output_reserve(args, path, temporary, sizeof temporary, error);
    if (status != SMP_OK)
        return status;
    FILE *file = fopen(temporary, "w");
    bool ok = file && write(file, user);
    ok = (file && fclose(file) == 0) && ok;
    if (ok && rename(temporary, path) == 0)
        return SMP_OK;
    (void)remove(temporary);
    return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: could not be written", path);
}
