/* SPDX-License-Identifier: MIT */
/*
 * Arguments for a template's parameters, by what such names mean, and the compiler's word on them.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "assumed_instance.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disassembly.h"
#include "launch_found.h"
#include "text_buffer.h"

enum { INSTANCES_BYTES = 2048, ARGUMENTS_BYTES = 160 };

typedef struct number_row {
    const char *part; /* of the name, in small letters */
    int value;
} number_row;

/* The first row whose part is in the name. All else is 32. */
static const number_row numbers[] = {
    {"thread", 256}, {"block", 256}, {"warp", 4},   {"vec", 4},    {"unroll", 4}, {"stage", 2},
    {"item", 4},     {"per", 4},     {"radius", 3}, {"kernel", 3}, {"head", 64},
};

static bool has_word(host_span in, const char *word) {
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= in.length; i++)
        if (memcmp(in.text + i, word, length) == 0 && (i == 0 || !host_is_word(in.text[i - 1])) &&
            (i + length == in.length || !host_is_word(in.text[i + length])))
            return true;
    return false;
}

static int number_for(host_span name) {
    char small[48];
    (void)snprintf(small, sizeof small, "%.*s", (int)name.length, name.text);
    for (char *c = small; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strstr(small, numbers[i].part))
            return numbers[i].value;
    return 32;
}

/* "typename T", "int TILE", "bool B"; false: nobody can guess what fits. */
static bool add_argument(text_buffer *to, host_span parameter) {
    static const char *const integers[] = {"int",      "unsigned", "size_t", "long",
                                           "uint32_t", "int32_t",  "uint",   "short"};
    if (memchr(parameter.text, '<', parameter.length) || has_word(parameter, "auto") ||
        memchr(parameter.text, '.', parameter.length))
        return false;
    if (has_word(parameter, "bool")) {
        text_join(to, ", ", "true");
        return true;
    }
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        if (has_word(parameter, integers[i])) {
            text_join(to, ", ", "%d", number_for(host_declared_name(parameter)));
            return true;
        }
    text_join(to, ", ", "float"); /* of a concept, too */
    return true;
}

/* Up to the first parameter that has a default. */
static bool arguments_for(const host_kernel *kernel, char out[ARGUMENTS_BYTES]) {
    text_buffer text = text_buffer_over(out, ARGUMENTS_BYTES);
    host_span parameter;
    out[0] = '\0';
    for (unsigned i = 0; host_part(kernel->templates, i, &parameter); i++) {
        if (memchr(parameter.text, '=', parameter.length))
            return true;
        if (!add_argument(&text, parameter))
            return false;
    }
    return true;
}

/* Whether the code has an instance of it. */
static bool is_there(smp_code *code, host_span name) {
    size_t count;
    const smp_function *functions = smp_code_functions(code, &count);
    for (size_t i = 0; i < count; i++)
        if (functions[i].is_kernel &&
            host_same(kernel_name_split(functions[i].demangled ? functions[i].demangled
                                                               : functions[i].name)
                          .base,
                      name))
            return true;
    return false;
}

static bool has_kernel(smp_code *code) {
    size_t count;
    const smp_function *functions = smp_code_functions(code, &count);
    for (size_t i = 0; i < count; i++)
        if (functions[i].is_kernel)
            return true;
    return false;
}

/* What the file's own text lacks: their names, and an instance of each as code that uses it and as
 * text. */
typedef struct missing {
    char names[INSTANCES_BYTES], uses[INSTANCES_BYTES], shown[INSTANCES_BYTES];
    bool is_guessed; /* all of them */
} missing;

static void find_missing(const char *text, smp_code *code, missing *out) {
    text_buffer names = TEXT_BUFFER(out->names), uses = TEXT_BUFFER(out->uses),
                shown = TEXT_BUFFER(out->shown);
    host_kernel kernel;
    char arguments[ARGUMENTS_BYTES];
    out->names[0] = out->uses[0] = out->shown[0] = '\0';
    out->is_guessed = true;
    for (const char *at = text; host_kernel_next(text, &at, &kernel);) {
        const int length = (int)kernel.name.length;
        if (kernel.templates.length == 0 || is_there(code, kernel.name))
            continue;
        out->is_guessed &= arguments_for(&kernel, arguments);
        text_join(&names, ", ", "%.*s", length, kernel.name.text);
        text_join(&uses, ", (void *)", "%.*s<%s>", length, kernel.name.text, arguments);
        text_join(&shown, ", ", "%.*s<%s>", length, kernel.name.text, arguments);
    }
    out->is_guessed &= uses.length + 1 < uses.size;
}

void smp_assume_instances(const smp_program_file *file, smp_code **code) {
    missing m;
    smp_error ignored;
    smp_code *made = NULL;
    const char *ending = strrchr(file->path, '.');
    char *text = ending && strcmp(ending, ".cu") == 0 ? host_text_read(file->path) : NULL;
    const char *mark = text ? strchr(text, HOST_OWN) : NULL;
    if (text)
        find_missing(mark ? mark + 1 : text, *code, &m);
    free(text);
    if (!text || m.names[0] == '\0')
        return;
    smp_program_file with = *file;
    with.kernel = m.uses;
    with.notes = NULL;
    if (!has_kernel(*code) && m.is_guessed &&
        smp_program_instantiate(&with, &made, &ignored) == SMP_OK) {
        note_add(file->notes,
                 "assumed: the instances %s, for the file has none; another: --launch "
                 "'NAME<...><<<...>>>(...)'",
                 m.shown);
        smp_code_close(*code);
        *code = made;
        return;
    }
    note_add(file->notes,
             "%s: templates of which the file has no instance are left out; --launch "
             "'NAME<...><<<...>>>(...)' asks for one",
             m.names);
}
