/* SPDX-License-Identifier: MIT */
/*
 * Reads a layout from the command line: a file, or accesses as arguments with options around them.
 * Both are parsed as the same statements; errors show their place.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layout_source.h"
#include "layout_view.h"
#include "say.h"
#include "source_line.h"
#include "text_file.h"
#include "visible_text.h"

const smp_option layout_options[LAYOUT_OPTIONS] = {OPTION_KERNEL_NAME, OPTION_DEFINE, OPTION_BLOCK,
                                                   OPTION_GRID,        OPTION_SHARED, OPTION_GLOBAL,
                                                   OPTION_DATA,        OPTION_FOR};

/* Prints "smemprobe: --shared: message", the text, and a caret below the place. */
static int complain_at(const char *where, const char *text, size_t length, const smp_error *error) {
    char visible[4000];
    fflush(stdout);
    failure_keep(where, error);
    say_line("smemprobe: %s%s%s", smp_visible_copy(visible, sizeof visible, where),
             where[0] ? ": " : "", error->message);
    smp_caret_print(stderr, text, length, error->position);
    return content_exit(error->status);
}

static bool is_standard_input(const char *word) {
    return strcmp(word, "-") == 0;
}

/* A word ending in ".smp" may also be an access to a member of that name. */
static bool is_file(const char *word) {
    static const char *const endings[] = {".smp", ".cu", ".cuh"};
    const size_t length = strlen(word);
    bool ends = false;
    if (is_standard_input(word))
        return true;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t size = strlen(endings[i]);
        ends |= length > size && strcmp(word + length - size, endings[i]) == 0;
    }
    return ends && (!strchr(word, '[') || access(word, F_OK) == 0);
}

static int add_option(smp_option option, const char *text, layout_source *from) {
    const char *keyword = option_rows[option].name;
    char where[32];
    smp_error error;
    (void)snprintf(where, sizeof where, "--%s", keyword);
    smp_status status = smp_layout_add(from->layout, keyword, text, strlen(text), 0, &error);
    return status == SMP_OK ? 0 : complain_at(where, text, strlen(text), &error);
}

/* `shared` is an array in addition to those of the options, or NULL. */
static int add_options(const arguments *args, const char *shared, layout_source *from) {
    int exit_status = 0;
    for (size_t i = 0; exit_status == 0 && i < LAYOUT_OPTIONS; i++) {
        const smp_option option = layout_options[i];
        if (shared && option == OPTION_SHARED)
            exit_status = add_option(option, shared, from);
        for (unsigned k = 0; exit_status == 0 && k < args->count[option]; k++)
            exit_status = add_option(option, args->value[option][k], from);
    }
    return exit_status;
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

int layout_source_complain(const layout_source *from, unsigned line, const smp_error *error) {
    char where[300] = "";
    const char *text = "";
    size_t size = 0;
    smp_error shown = *error;
    const bool is_placed = line > 0 && from->text;
    if (error->status == SMP_E_MEMORY) /* not the line's fault */
        return complain(error);
    if (!is_placed && !from->file) {
        (void)complain(error);
        return content_exit(error->status);
    }
    if (from->file)
        (void)snprintf(where, sizeof where, is_placed ? "%.250s:%u:%d" : "%.250s", from->file, line,
                       error->position + 1);
    if (is_placed)
        text = find_line(from->text, from->length, line, &size);
    else
        shown.position = -1;
    return complain_at(where, text, size, &shown);
}

static int add_file(layout_source *from) {
    smp_error error;
    unsigned line = 0;
    if (from->count > 1) {
        const char *other = from->words[1];
        return complain_of(SMP_E_USAGE,
                           is_file(other)
                               ? "%.80s and %.80s: give one layout file at a time ('check' "
                                 "takes many)"
                               : "%.80s and '%.80s': give one layout file, or accesses, not both",
                           from->words[0], other);
    }
    const char *name = from->words[0];
    from->file = is_standard_input(name) ? "<stdin>" : name;
    if (smp_text_read(name, &from->text, &from->length, &error))
        return complain_at(from->file, "", 0, &error);
    return smp_layout_add_lines(from->layout, from->text, from->length, &line, &error)
               ? layout_source_complain(from, line, &error)
               : 0;
}

/* Explains a text that is not a statement but may be meant as a file. */
static int complain_of_access(const char *text, const smp_error *error) {
    static const char in_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789_./-";
    smp_error unnamed;
    struct stat info;
    const bool is_there = stat(text, &info) == 0, is_name = text[strspn(text, in_names)] == '\0';
    if (!is_there && !is_name)
        return complain_at("", text, strlen(text), error);
    (void)smp_error_set(
        &unnamed, error->status, -1,
        !is_there ? "no such file, and not an access: '%.180s'"
        : S_ISDIR(info.st_mode)
            ? "%.180s: is a folder; expected a file ('check' takes folders)"
            : "%.180s: not an access, and no file of accesses: these end with .smp, .cu or .cuh",
        text);
    (void)complain(&unnamed);
    return content_exit(unnamed.status);
}

/* Whether the text is only an element, such as "tile[threadIdx.x][0]", which is then a load. */
static bool is_element(const char *word) {
    int depth = 0;
    const char *at = word + strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (at == word)
        return false;
    at += strcspn(at, " [=(<");
    for (; *at != '\0'; at++) {
        if (depth == 0 && *at != '[')
            return false;
        depth += (*at == '[') - (*at == ']');
    }
    return depth == 0 && at[-1] == ']';
}

/* Joins accesses and statements into one text, because a loop may begin in one and end in
 * another. */
static smp_status join_accesses(layout_source *from, smp_error *error) {
    for (unsigned i = 0; i < from->count; i++)
        from->length += strlen(from->words[i]) + sizeof("ld \n") - 1;
    from->text = malloc(from->length + 1);
    if (!from->text)
        return smp_error_memory(error);
    char *at = from->text;
    for (unsigned i = 0; i < from->count; i++)
        at += sprintf(at, "%s%s\n", is_element(from->words[i]) ? "ld " : "", from->words[i]);
    from->length = (size_t)(at - from->text);
    return SMP_OK;
}

static int add_accesses(layout_source *from) {
    smp_error error;
    unsigned line = 0;
    if (from->count == 0)
        return 0;
    if (join_accesses(from, &error))
        return complain(&error);
    if (smp_layout_add_lines(from->layout, from->text, from->length, &line, &error) == SMP_OK)
        return 0;
    if (from->count == 1 && line <= 1 && !is_element(from->words[0]) &&
        error.status != SMP_E_MEMORY)
        return complain_of_access(from->words[0], &error);
    return layout_source_complain(from, line, &error);
}

static int start(layout_source *out, const char *const *words, unsigned count) {
    *out = (layout_source){.layout = smp_layout_new(), .words = words, .count = count};
    return out->layout ? 0 : complain_memory();
}

/* Reports --kernel if the text has no kernel. */
static int check_kernel(const arguments *args, const layout_source *from) {
    smp_error error;
    if (!has(args, OPTION_KERNEL_NAME) || smp_layout_has_kernel(from->layout))
        return 0;
    (void)smp_error_set(&error, SMP_E_SYNTAX, -1,
                        "there is no kernel '%.60s' here, or any "
                        "other",
                        last_value(args, OPTION_KERNEL_NAME));
    return complain_at(from->file ? from->file : "--kernel", "", 0, &error);
}

int layout_source_read(const arguments *args, const char *const *words, unsigned count,
                       layout_source *out) {
    int exit_status = start(out, words, count);
    if (exit_status == 0)
        exit_status = add_options(args, NULL, out);
    if (exit_status != 0)
        return exit_status;
    exit_status = count > 0 && is_file(words[0]) ? add_file(out) : add_accesses(out);
    return exit_status == 0 ? check_kernel(args, out) : exit_status;
}

int layout_source_example(const arguments *args, const char *shared, const char *const *access,
                          layout_source *out) {
    int exit_status = start(out, access, 1);
    if (exit_status == 0)
        exit_status = add_options(args, shared, out);
    return exit_status == 0 ? add_accesses(out) : exit_status;
}

void layout_source_clear(layout_source *from) {
    free(from->text);
    smp_layout_free(from->layout);
    *from = (layout_source){0};
}

smp_status layout_source_archs(const arguments *args, const layout_source *from, arch_list *out,
                               smp_error *error) {
    const size_t own = has(args, OPTION_ARCH) ? 0 : smp_layout_arch_count(from->layout);
    if (ask_arch_list(args, out, error))
        return error->status;
    for (size_t i = 0; i < own; i++)
        if (ask_arch_more(args, smp_layout_arch(from->layout, i)->name, out, error))
            return error->status;
    return out->count > 0 ? SMP_OK : ask_arch_more(args, "sm_90", out, error);
}

bool layout_source_is_given(const arguments *args) {
    if (args->positional_count == 0)
        return has(args, OPTION_SHARED) || has(args, OPTION_GLOBAL);
    const char *word = args->positional[0];
    return (!is_standard_input(word) && is_file(word)) || strpbrk(word, " [(");
}

char *layout_source_text(const arguments *args, const layout_source *from, size_t *length) {
    char *text = NULL;
    FILE *file = open_memstream(&text, length);
    for (size_t i = 0; file && i < LAYOUT_OPTIONS; i++) {
        const smp_option option = layout_options[i];
        for (unsigned k = 0; k < args->count[option]; k++)
            fprintf(file, "%s %s\n", option_rows[option].name, args->value[option][k]);
    }
    if (file)
        (void)fwrite(from->text, 1, from->length, file);
    if (!file || fclose(file) != 0)
        return NULL;
    return text;
}

unsigned layout_options_given(const arguments *args) {
    unsigned count = 0;
    for (size_t i = 0; i < LAYOUT_OPTIONS; i++)
        count += args->count[layout_options[i]];
    return count;
}
