/* SPDX-License-Identifier: MIT */
/*
 * Writes the statements that surround a kernel's text: its parameters, block and grid; and gives
 * its arrays their values.
 */
#include "source_layout.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch_text.h"
#include "random_form.h"
#include "smp_accesses.h"

enum { STATEMENTS_MAX = 64 << 10, STATEMENT_MAX = 4200 };

/* Adds "KEYWORD TEXT". */
__attribute__((format(printf, 4, 5))) static smp_status
add(source_layout *to, smp_error *error, const char *keyword, const char *format, ...) {
    va_list values;
    if (to->used + STATEMENT_MAX > STATEMENTS_MAX)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "more than %d bytes of values",
                             STATEMENTS_MAX);
    char *text = to->statements + to->used;
    va_start(values, format);
    const int length = vsnprintf(text, STATEMENT_MAX, format, values);
    va_end(values);
    if (length < 0 || length >= STATEMENT_MAX)
        return smp_error_set(error, SMP_E_OVERFLOW, -1, "%s: longer than %d bytes", keyword,
                             STATEMENT_MAX);
    to->used += (size_t)length + 1;
    return smp_layout_add(to->layout, keyword, text, (size_t)length, 0, error);
}

static smp_status add_flags(source_layout *to, const source_file *file, smp_error *error) {
    smp_status status = SMP_OK;
    for (size_t i = 0; i < file->flag_count && status == SMP_OK; i++) {
        const char *flag = file->flags[i], *equals = strchr(flag, '=');
        if (strncmp(flag, "-D", 2) != 0 || flag[2] == '\0' || strchr(flag, '('))
            continue;
        const size_t length = equals ? (size_t)(equals - flag - 2) : strlen(flag + 2);
        status =
            add(to, error, "define", "%.*s = %s", (int)length, flag + 2, equals ? equals + 1 : "1");
    }
    return status;
}

/* If the text asks for it and no flag has it. */
static smp_status add_arch(source_layout *to, const source_file *file, const smp_arch *arch,
                           smp_error *error) {
    static const char name[] = "__CUDA_ARCH__";
    bool is_given = !host_has_word((host_span){file->text, file->length}, name);
    for (size_t i = 0; i < file->flag_count; i++)
        is_given |= strncmp(file->flags[i], "-D__CUDA_ARCH__=", sizeof name + 2) == 0;
    return is_given ? SMP_OK
                    : add(to, error, "define", "%s = %d", name,
                          100 * arch->cc_major + 10 * arch->cc_minor);
}

static smp_status add_names(source_layout *to, const source_kernel *kernel,
                            const smp_assumed_launch *launch, smp_error *error) {
    smp_status status = SMP_OK;
    for (unsigned i = 0; i < kernel->argument_count && status == SMP_OK; i++)
        status = add(to, error, "define", "%s = %s", kernel->parameter[i], kernel->argument[i]);
    for (unsigned i = 0; i < launch->value_count && status == SMP_OK; i++)
        status = add(to, error, "define", "%s = %lld", launch->values[i].name,
                     (long long)launch->values[i].value);
    return status;
}

/* Gives an array the values of random:0:LAST that its launch has. */
static smp_status add_data(source_layout *to, const host_name *array, smp_error *error) {
    int64_t *values = malloc(SMP_LAUNCH_FILLED * sizeof *values);
    smp_random random = {SMP_RANDOM_SEED};
    for (uint64_t i = 0; values && i < SMP_LAUNCH_FILLED; i++)
        values[i] = smp_random_between(smp_random_next(&random), 0, array->value);
    return values ? smp_layout_add_data(to->layout, array->name, values, SMP_LAUNCH_FILLED, error)
                  : smp_error_memory(error);
}

/* ---- The layout ---- */

smp_status source_layout_make(const source_file *file, const smp_arch *arch,
                              const source_kernel *kernel, const smp_assumed_launch *launch,
                              bool has_data, source_layout *out, smp_error *error) {
    const host_span name = kernel->of.name;
    *out = (source_layout){.layout = smp_layout_new(), .statements = malloc(STATEMENTS_MAX)};
    if (!out->layout || !out->statements)
        return smp_error_memory(error);
    smp_status status = add(out, error, "kernel", "%.*s", SPAN(name));
    if (status == SMP_OK)
        status = add_flags(out, file, error);
    if (status == SMP_OK)
        status = add_arch(out, file, arch, error);
    if (status == SMP_OK)
        status = add_names(out, kernel, launch, error);
    if (status == SMP_OK)
        status = add(out, error, "block", "%u, %u, %u", launch->block[0], launch->block[1],
                     launch->block[2]);
    if (status == SMP_OK)
        status = add(out, error, "grid", "%u, %u, %u", launch->grid[0], launch->grid[1],
                     launch->grid[2]);
    for (unsigned i = 0; i < launch->start_count && status == SMP_OK; i++)
        status = add(out, error, "global", "%s *%s @ %lld", launch->starts[i].type,
                     launch->starts[i].name.name, (long long)launch->starts[i].name.value);
    for (unsigned i = 0; i < launch->array_count && has_data && status == SMP_OK; i++)
        status = add_data(out, &launch->arrays[i], error);
    if (status != SMP_OK)
        return status;
    status = smp_layout_add_lines(out->layout, file->text, file->length, &out->line, error);
    if (status == SMP_OK)
        out->line = 0;
    if (status == SMP_OK && !smp_layout_has_kernel(out->layout))
        status = smp_error_set(error, SMP_E_SYNTAX, -1, "its declaration is not understood");
    return status;
}

void source_layout_clear(source_layout *made) {
    smp_layout_free(made->layout);
    free(made->statements);
    *made = (source_layout){0};
}
