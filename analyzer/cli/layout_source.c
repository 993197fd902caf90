/* SPDX-License-Identifier: MIT */
/*
 * What a command line gives as layout: a file, or accesses as arguments and their surroundings as
 * options. Both go through the same statements; whatever is wrong is shown with its place.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caret.h"
#include "cli.h"
#include "text_file.h"
#include "visible_text.h"

typedef struct keyword_row {
    smp_option option;
    const char *keyword;
} keyword_row;

/* In the order in which they are needed: constants before what uses them. */
static const keyword_row keywords[] = {
    {OPTION_DEFINE, "define"}, {OPTION_BLOCK, "block"},   {OPTION_GRID, "grid"},
    {OPTION_SHARED, "shared"}, {OPTION_GLOBAL, "global"}, {OPTION_FOR, "for"},
};

/* "smemprobe: --shared: message", the text, and a caret below the place. */
static int complain_at(const char *where, const char *text, size_t length, const smp_error *error) {
    fflush(stdout);
    fputs("smemprobe: ", stderr);
    smp_visible_put(stderr, where, strlen(where));
    fprintf(stderr, "%s%s\n", where[0] ? ": " : "", error->message);
    smp_caret_print(stderr, text, length, error->position);
    return content_exit(error->status);
}

static bool is_standard_input(const char *word) {
    return strcmp(word, "-") == 0;
}

/* An access may end in ".smp", as a member of that name. */
static bool is_file(const char *word) {
    size_t length = strlen(word);
    if (is_standard_input(word))
        return true;
    return length > 4 && strcmp(word + length - 4, ".smp") == 0 &&
           (strchr(word, '[') == NULL || access(word, F_OK) == 0);
}

static int add_options(const arguments *args, layout_source *from) {
    smp_error error;
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        smp_option option = keywords[i].option;
        for (unsigned k = 0; k < args->count[option]; k++) {
            const char *text = args->value[option][k];
            char where[32];
            (void)snprintf(where, sizeof where, "--%s", option_rows[option].name);
            smp_status status =
                smp_layout_add(from->layout, keywords[i].keyword, text, strlen(text), 0, &error);
            if (status != SMP_OK)
                return complain_at(where, text, strlen(text), &error);
        }
    }
    return 0;
}

/* The text of line `number`, counted from 1. */
static const char *find_line(const char *text, size_t length, unsigned number, size_t *size) {
    const char *end = text + length, *at = text;
    while (number > 1 && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
        number--;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *size = (size_t)((newline ? newline : end) - at);
    return at;
}

static int complain_in_file(const layout_source *from, unsigned line, const smp_error *error) {
    char where[300];
    size_t size;
    smp_error nowhere = *error;
    nowhere.position = -1;
    if (error->status == SMP_E_MEMORY) /* no fault of the line */
        return complain(error);
    if (line == 0 || !from->text)
        (void)snprintf(where, sizeof where, "%.250s", from->file);
    else
        (void)snprintf(where, sizeof where, "%.250s:%u:%d", from->file, line, error->position + 1);
    if (line == 0 || !from->text)
        return complain_at(where, "", 0, &nowhere);
    const char *text = find_line(from->text, from->length, line, &size);
    return complain_at(where, text, size, error);
}

static int add_file(const arguments *args, layout_source *from) {
    smp_error error;
    unsigned line = 0;
    if (args->positional_count > 1) {
        (void)smp_error_set(&error, SMP_E_USAGE, -1, "give one layout file, or accesses, not both");
        return complain(&error);
    }
    const char *name = args->positional[0];
    from->file = is_standard_input(name) ? "<stdin>" : name;
    smp_status status = smp_text_read(name, &from->text, &from->length, &error);
    if (status != SMP_OK)
        return complain_at(from->file, "", 0, &error);
    status = smp_layout_add_lines(from->layout, from->text, from->length, &line, &error);
    return status == SMP_OK ? 0 : complain_in_file(from, line, &error);
}

/* A text that is no statement; perhaps it was meant to be a file. */
static int complain_of_access(const char *text, const smp_error *error) {
    smp_error unnamed;
    if (access(text, F_OK) != 0)
        return complain_at("", text, strlen(text), error);
    (void)smp_error_set(&unnamed, error->status, -1,
                        "%.180s: not an access; the name of a layout file ends with .smp", text);
    (void)complain(&unnamed);
    return content_exit(unnamed.status);
}

static int add_accesses(const arguments *args, layout_source *from) {
    smp_error error;
    for (unsigned i = 0; i < args->positional_count; i++) {
        const char *text = args->positional[i];
        smp_status status = smp_layout_add(from->layout, NULL, text, strlen(text), i + 1, &error);
        if (status != SMP_OK)
            return complain_of_access(text, &error);
    }
    return 0;
}

int layout_source_complain(const arguments *args, const layout_source *from, unsigned line,
                           const smp_error *error) {
    if (from->file)
        return complain_in_file(from, line, error);
    if (line == 0 || line > args->positional_count) {
        (void)complain(error);
        return content_exit(error->status);
    }
    const char *text = args->positional[line - 1];
    return complain_at("", text, strlen(text), error);
}

int layout_source_read(const arguments *args, layout_source *out) {
    smp_error error;
    *out = (layout_source){.layout = smp_layout_new()};
    if (!out->layout) {
        (void)smp_error_set(&error, SMP_E_MEMORY, -1, "out of memory");
        return complain(&error);
    }
    int exit_status = add_options(args, out);
    if (exit_status != 0)
        return exit_status;
    bool has_file = args->positional_count > 0 && is_file(args->positional[0]);
    return has_file ? add_file(args, out) : add_accesses(args, out);
}

void layout_source_clear(layout_source *from) {
    free(from->text);
    smp_layout_free(from->layout);
    *from = (layout_source){0};
}
