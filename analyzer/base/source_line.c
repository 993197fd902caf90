/* SPDX-License-Identifier: MIT */
/* Lines of a source file. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "source_line.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "list.h"
#include "style.h"
#include "text_file.h"
#include "visible_text.h"

/* Reads up to the end of the line, of which `text` keeps what fits. False at the end of the file.
 */
static bool take_line(FILE *in, char *text, size_t size) {
    size_t length = 0;
    int c = getc(in);
    if (c == EOF)
        return false;
    for (; c != EOF && c != '\n'; c = getc(in)) {
        const bool is_indent = length == 0 && isspace(c);
        if (!is_indent && length + 1 < size)
            text[length++] = iscntrl(c) ? ' ' : (char)c;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
    return true;
}

static bool read_from(FILE *in, uint32_t line, char *text, size_t size) {
    bool found = line > 0;
    for (uint32_t i = 0; found && i < line; i++)
        found = take_line(in, text, size);
    return found && text[0] != '\0';
}

static bool is_file(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

const char *smp_source_path(const char *file) {
    if (is_file(file))
        return file;
    for (const char *at = strchr(file, '/'); at && strchr(at + 1, '/'); at = strchr(at + 1, '/'))
        if (is_file(at + 1))
            return at + 1;
    return file;
}

/* ---- Which files may be shown ---- */

enum { PATH_BYTES = 4096 };

static bool shows_all;
static char root[PATH_BYTES];
/* Per thread, because programs write documents in several threads. */
static _Thread_local char withheld[PATH_BYTES];

void smp_source_allow_all(void) {
    shows_all = true;
}

smp_status smp_source_allow(const char *folder, smp_error *error) {
    char whole[PATH_MAX];
    struct stat about;
    if (!realpath(folder, whole) || stat(whole, &about) != 0)
        return smp_error_set(error, SMP_E_READ, -1, "--source-root %.160s: %s", folder,
                             strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return smp_error_set(error, SMP_E_READ, -1, "--source-root %.160s: not a folder", folder);
    (void)snprintf(root, sizeof root, "%s", whole);
    return SMP_OK;
}

const char *smp_source_withheld(void) {
    return withheld[0] != '\0' ? withheld : NULL;
}

static bool is_below(const char *path, const char *folder) {
    const size_t length = strlen(folder);
    return length == 1 || (strncmp(path, folder, length) == 0 && path[length] == '/');
}

/* Links are followed first: what counts is where the file is. */
static bool may_show(const char *path) {
    char whole[PATH_MAX], folder[PATH_MAX];
    if (shows_all)
        return true;
    return realpath(path, whole) && ((root[0] != '\0' && is_below(whole, root)) ||
                                     (realpath(".", folder) && is_below(whole, folder)));
}

/* The longest end of `file` that is a file below the root, whose path it fills; NULL if there is
 * none. */
static const char *find_below_root(const char *file, char path[2 * PATH_BYTES]) {
    for (const char *at = file; root[0] != '\0' && at; at = strchr(at, '/')) {
        at += strspn(at, "/");
        (void)snprintf(path, 2 * (size_t)PATH_BYTES, "%s/%.4000s", root, at);
        if (is_file(path) && may_show(path))
            return at;
    }
    return NULL;
}

const char *smp_source_shown(const char *file) {
    const char *path = smp_path_from_here(smp_source_path(file));
    char unused[2 * PATH_BYTES];
    const char *below = path[0] == '/' ? find_below_root(file, unused) : NULL;
    return below ? below : path;
}

FILE *smp_source_open(const char *file) {
    const char *path = smp_source_path(file);
    char below[2 * PATH_BYTES];
    if (is_file(path) && may_show(path))
        return fopen(path, "r");
    if (find_below_root(file, below))
        return fopen(below, "r");
    if (is_file(path) && withheld[0] == '\0')
        (void)snprintf(withheld, sizeof withheld, "%s", path);
    return NULL;
}

bool smp_source_is_withheld(const char *file) {
    const char *path = smp_source_path(file);
    char below[2 * PATH_BYTES];
    return is_file(path) && !may_show(path) && !find_below_root(file, below);
}

bool smp_source_line_read(const char *file, uint32_t line, char *text, size_t size) {
    FILE *in = smp_source_open(file);
    const bool found = in && read_from(in, line, text, size);
    if (in)
        (void)fclose(in);
    return found;
}

bool smp_source_is_named(const char *file) {
    static const char *const endings[] = {".cu",  ".cuh", ".h",   ".hh",   ".hpp", ".hxx",
                                          ".c",   ".cc",  ".cpp", ".cxx",  ".inl", ".inc",
                                          ".ipp", ".py",  ".ptx", ".cuda", ".jl",  ".rs"};
    const char *dot = strrchr(file, '.');
    return dot && ROWS_FIND(endings, dot);
}

/* ---- Carets ---- */

/* Control characters, and those that change the direction of writing, are shown as '?'. */

enum { COLUMNS_MOST = 100, BESIDE = 3 };

/* Bytes of the first character of `text`; each character takes one column. */
static size_t step(const char *text, size_t length) {
    const size_t bytes = smp_utf8_bytes(text, length);
    return bytes > 0 ? bytes : 1;
}

static void put_character(FILE *out, const char *text, size_t length) {
    const size_t bytes = smp_visible_bytes(text, length);
    if (bytes > 0)
        (void)fwrite(text, 1, bytes, out);
    else
        fputc(*text == '\t' ? ' ' : '?', out);
}

void smp_caret_print(FILE *out, const char *text, size_t length, int position) {
    if (position < 0)
        return;
    const int known = smp_columns_known(out);
    const size_t columns =
        known > 0 && known < COLUMNS_MOST + BESIDE ? (size_t)known - BESIDE : COLUMNS_MOST;
    size_t at = (size_t)position < length ? (size_t)position : length;
    size_t start = at > columns * 3 / 4 ? at - columns / 2 : 0;
    size_t end = length - start > columns ? start + columns : length;
    fputs("  ", out);
    for (size_t i = start; i < end; i += step(text + i, end - i))
        put_character(out, text + i, end - i);
    fputs("\n  ", out);
    for (size_t i = start; i < at; i += step(text + i, end - i))
        fputc(' ', out);
    fputs("^\n", out);
}
