/* SPDX-License-Identifier: MIT */
/*
 * Assumes arguments for template parameters by the usual meaning of their names, and asks the
 * compiler whether they fit.
 */
#include "assumed_launch.h"

#include <stdlib.h>
#include <string.h>

#include "launch_found.h"
#include "launch_type.h"
#include "text_buffer.h"
#include "text_file.h"

enum { INSTANCES_BYTES = 2048, ARGUMENTS_BYTES = 160, THREADS_USUAL = 256 };

typedef struct number_row {
    const char *part; /* part of the name, in lower case */
    int value;
} number_row;

/* The first row whose part is in the name applies. Others are 32. */
static const number_row numbers[] = {
    {"thread", 256}, {"block", 256}, {"warp", 4},   {"vec", 4},    {"unroll", 4}, {"stage", 2},
    {"item", 4},     {"per", 4},     {"radius", 3}, {"kernel", 3}, {"head", 64},
};

static int number_for(host_span name) {
    char small[HOST_LOWER_BYTES];
    host_lower(name, small);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strstr(small, numbers[i].part))
            return numbers[i].value;
    return 32;
}

int64_t assumed_number(const char *text, const host_kernel *kernel, host_span name) {
    const uint32_t bound = launch_bound(text, kernel);
    if (!is_block_extent(kernel, name))
        return number_for(name);
    return bound > 0 ? bound : THREADS_USUAL;
}

/* Assumes an argument for "typename T", "int TILE" or "bool B". False if nothing can be guessed. */
static bool add_argument(text_buffer *to, const char *source, const host_kernel *kernel,
                         host_span parameter) {
    static const char *const integers[] = {"int",      "unsigned", "size_t", "long",
                                           "uint32_t", "int32_t",  "uint",   "short"};
    if (memchr(parameter.text, '<', parameter.length) || host_has_word(parameter, "auto") ||
        memchr(parameter.text, '.', parameter.length))
        return false;
    if (host_has_word(parameter, "bool")) {
        text_join(to, ", ", "true");
        return true;
    }
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        if (host_has_word(parameter, integers[i])) {
            text_join(to, ", ", "%lld",
                      (long long)assumed_number(source, kernel, host_declared_name(parameter)));
            return true;
        }
    text_join(to, ", ", "float"); /* also for a concept */
    return true;
}

/* Assumes arguments up to the first parameter with a default. */
static bool arguments_for(const char *source, const host_kernel *kernel,
                          char out[ARGUMENTS_BYTES]) {
    text_buffer text = text_buffer_over(out, ARGUMENTS_BYTES);
    host_span parameter;
    out[0] = '\0';
    for (unsigned i = 0; host_part(kernel->templates, i, &parameter); i++) {
        if (memchr(parameter.text, '=', parameter.length))
            return true;
        if (!add_argument(&text, source, kernel, parameter))
            return false;
    }
    return true;
}

/* Takes the arguments of a launch: numbers and types. Open ones are assumed. */
static bool arguments_of(const char *text, const host_kernel *kernel, const host_launch *launch,
                         char out[ARGUMENTS_BYTES]) {
    host_scope scope = {.text = text, .at = launch->at, .is_strict = true};
    text_buffer to = text_buffer_over(out, ARGUMENTS_BYTES);
    const host_span list = host_template_list(launch->name);
    host_span part, parameter;
    smp_element_type type;
    int64_t value;
    for (unsigned i = 0; host_part(list, i, &part); i++) {
        scope.assumed_count = 0;
        if (smp_element_type_named(part.text, part.length, &type))
            text_join(&to, ", ", "%.*s", SPAN(part));
        else if (host_value(&scope, part, &value) && scope.assumed_count == 0)
            text_join(&to, ", ", "%lld", (long long)value);
        else if (!host_part(kernel->templates, i, &parameter) ||
                 !add_argument(&to, text, kernel, parameter))
            return false;
    }
    return list.length > 0;
}

/* Whether the code has an instance of the template. */
static bool is_there(smp_code *code, host_span name) {
    size_t count;
    const smp_function *functions = smp_code_functions(code, &count);
    return ANY(one, functions, count,
               one->is_kernel &&
                   host_same(kernel_name_split(smp_function_full_name(one)).base, name));
}

static bool has_kernel(smp_code *code) {
    size_t count;
    const smp_function *functions = smp_code_functions(code, &count);
    return ANY(one, functions, count, one->is_kernel);
}

/* Templates without an instance: their names, code that uses assumed instances, and text for
 * messages. */
typedef struct missing {
    char names[INSTANCES_BYTES], uses[INSTANCES_BYTES], shown[INSTANCES_BYTES];
    text_buffer to_names, to_uses, to_shown;
    bool is_guessed; /* all arguments were guessed */
} missing;

static void add_instance(missing *out, host_span name, const char *arguments) {
    char use[INSTANCES_BYTES];
    text_buffer one = TEXT_BUFFER(use);
    text_add(&one, "%.*s<%s>", SPAN(name), arguments);
    if (strstr(out->uses, use))
        return;
    text_join(&out->to_uses, ", (void *)", "%s", use);
    text_join(&out->to_shown, ", ", "%s", use);
}

/* Adds the instances that the launches name, else an assumed one. */
static void add_missing(const char *text, const host_kernel *kernel, missing *out) {
    char arguments[ARGUMENTS_BYTES];
    host_launch launch;
    bool is_said = false;
    for (const char *at = text; host_launch_next(text, &at, &launch);)
        if (host_same(host_name_base(launch.name), kernel->name) &&
            arguments_of(text, kernel, &launch, arguments)) {
            add_instance(out, kernel->name, arguments);
            is_said = true;
        }
    if (is_said)
        return;
    out->is_guessed &= arguments_for(text, kernel, arguments);
    add_instance(out, kernel->name, arguments);
}

static void find_missing(const char *text, smp_code *code, missing *out) {
    host_kernel kernel;
    const char *mark = strchr(text, HOST_OWN), *own = mark ? mark + 1 : text;
    memset(out, 0, sizeof *out);
    out->to_names = TEXT_BUFFER(out->names);
    out->to_uses = TEXT_BUFFER(out->uses);
    out->to_shown = TEXT_BUFFER(out->shown);
    out->is_guessed = true;
    for (const char *at = own; host_kernel_next(text, &at, &kernel);) {
        if (kernel.templates.length == 0 || is_there(code, kernel.name))
            continue;
        text_join(&out->to_names, ", ", "%.*s", SPAN(kernel.name));
        add_missing(text, &kernel, out);
    }
    out->is_guessed &= out->to_uses.length + 1 < out->to_uses.size;
}

smp_status smp_assume_instances(const char *path, const smp_program_file *file, bool always,
                                smp_code **code, smp_error *error) {
    missing m;
    smp_status status = SMP_OK;
    smp_code *made = NULL;
    char *text = smp_name_ends(path, ".cu") || smp_name_ends(path, ".cuh")
                     ? host_text_read(path, file->flags, file->flag_count)
                     : NULL;
    if (text)
        find_missing(text, *code, &m);
    free(text);
    if (!text || m.names[0] == '\0')
        return SMP_OK;
    smp_program_file with = *file;
    with.kernel = m.uses;
    with.notes = NULL;
    const bool is_needed = !has_kernel(*code), is_tried = (always || is_needed) && m.is_guessed;
    if (is_tried)
        status = smp_program_instantiate(&with, &made, error);
    if (is_tried && status == SMP_OK) {
        note_add(file->notes,
                 "assumed: the instances %s, because the file has none; for others: --launch "
                 "'NAME<...><<<...>>>(...)'",
                 m.shown);
        smp_code_close(*code);
        *code = made;
        return SMP_OK;
    }
    note_add(file->notes,
             "%s: skipped, because the file has no instance of these templates; --launch "
             "'NAME<...><<<...>>>(...)' runs one",
             m.names);
    return is_needed ? status : SMP_OK;
}
