/* SPDX-License-Identifier: MIT */
/*
 * Finds the kernels of a source and the instances of templates, from explicit instances and
 * launches. Follows a constant to its definition, and a type parameter of the enclosing function
 * to the callers of that function.
 */
#include "source_layout.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "launch_found.h"
#include "launch_type.h"
#include "list.h"

typedef struct finder {
    const char *text;
    source_kernel *list;
    size_t count;
    bool is_out_of_memory;
} finder;

static void copy(char to[48], host_span from) {
    (void)snprintf(to, 48, "%.*s", SPAN(from));
}

/* Finds the next "name<...>" from *at on and moves *at after it. */
static bool next_instance(const char *text, const char **at, host_span name, host_span *list) {
    for (const char *found = *at; *found != '\0'; found++) {
        const char *behind = found + name.length;
        if (!host_is_word_at(text, found, name) || *behind != '<' ||
            strncmp(behind, "<<<", 3) == 0 || !host_angle_list(behind, list))
            continue;
        *at = list->text + list->length + 1;
        return true;
    }
    return false;
}

/* ---- Arguments ---- */

static bool is_typename(host_span declaration) {
    return strncmp(declaration.text, "typename", 8) == 0 ||
           strncmp(declaration.text, "class", 5) == 0;
}

static bool is_type(const char *text, host_span word) {
    smp_element_type type;
    char name[64], own[80];
    if (smp_element_type_named(word.text, word.length, &type))
        return true;
    (void)snprintf(name, sizeof name, "%.*s", SPAN(word));
    (void)snprintf(own, sizeof own, "struct %s", name);
    return word.length > 0 && word.length < sizeof name && strstr(text, own);
}

/* Finds the enclosing function template with the parameter `word`: its name and the parameter's
 * index. */
static bool around(const char *text, const char *at, host_span word, host_span *name,
                   unsigned *index) {
    host_span list, part;
    for (const char *from = at; from > text; from--) {
        if (strncmp(from, "template", 8) != 0)
            continue;
        const char *open = from + 8 + strspn(from + 8, " \t\n");
        if (*open != '<' || !host_angle_list(open, &list))
            continue;
        for (*index = 0; host_part(list, *index, &part); ++*index) {
            const host_span own = host_declared_name(part);
            if (!host_same(own, word))
                continue;
            const char *behind = list.text + list.length + 1, *bracket = strchr(behind, '(');
            *name = bracket ? host_declared_name((host_span){behind, (size_t)(bracket - behind)})
                            : part;
            return bracket && name->length > 0;
        }
        return false;
    }
    return false;
}

/* Finds value `which` of a template argument; unknown ones are assumed. False if there are no
 * more. */
static bool argument_of(const finder *f, const host_kernel *kernel, host_span declaration,
                        host_span said, const char *at, unsigned which, char out[48],
                        bool *is_assumed) {
    host_scope scope = {.text = f->text, .at = at};
    host_span function, list, part;
    unsigned index;
    int64_t value;
    *is_assumed = false;
    if (!is_typename(declaration)) {
        if (said.length > 0 && host_value(&scope, said, &value) && scope.assumed_count == 0)
            (void)snprintf(out, 48, "%lld", (long long)value);
        else
            (void)snprintf(
                out, 48, "%lld",
                (long long)assumed_number(f->text, kernel, host_declared_name(declaration))),
                *is_assumed = true;
        return which == 0;
    }
    if (said.length > 0 && is_type(f->text, said)) {
        copy(out, said);
        return which == 0;
    }
    unsigned found = 0;
    if (said.length > 0 && around(f->text, at, said, &function, &index))
        for (const char *from = f->text; next_instance(f->text, &from, function, &list);)
            if (host_part(list, index, &part) && is_type(f->text, part) && found++ == which) {
                copy(out, part);
                return true;
            }
    if (found > 0)
        return false;
    (void)snprintf(out, 48, "float");
    *is_assumed = true;
    return which == 0;
}

static host_span default_of(host_span declaration) {
    const char *equals = memchr(declaration.text, '=', declaration.length);
    return equals ? host_trim((host_span){
                        equals + 1, (size_t)(declaration.text + declaration.length - equals - 1)})
                  : (host_span){declaration.text, 0};
}

/* ---- Kernels ---- */

/* Adds a kernel once per name. If there are two bodies, after #if and #else, the model decides. */
static void add(finder *f, const source_kernel *kernel) {
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->list[i].name, kernel->name) == 0)
            return;
    if (LIST_ROOM(f->list, f->count))
        f->list[f->count++] = *kernel;
    else
        f->is_out_of_memory = true;
}

/* Finds instance `which` that the list at `at` stands for. False if there are no more. */
static bool instance_of(const finder *f, host_span list, const char *at, unsigned which,
                        source_kernel *out) {
    host_span declaration, said;
    bool is_new = which == 0;
    size_t length = (size_t)snprintf(out->name, sizeof out->name, "%.*s<", SPAN(out->of.name));
    out->argument_count = 0;
    for (unsigned i = 0; i < SOURCE_ARGUMENTS_MAX && host_part(out->of.templates, i, &declaration);
         i++) {
        char *to = out->argument[out->argument_count];
        bool *is_assumed = &out->is_assumed[out->argument_count];
        if (!host_part(list, i, &said))
            said = default_of(declaration);
        if (argument_of(f, &out->of, declaration, said, at, which, to, is_assumed))
            is_new = true;
        else if (!argument_of(f, &out->of, declaration, said, at, 0, to, is_assumed))
            return false;
        const host_span name = host_declared_name(declaration);
        copy(out->parameter[out->argument_count++], name);
        if (length < sizeof out->name)
            length += (size_t)snprintf(out->name + length, sizeof out->name - length, "%s%s",
                                       i > 0 ? ", " : "", to);
    }
    if (length < sizeof out->name)
        (void)snprintf(out->name + length, sizeof out->name - length, ">");
    return is_new;
}

static void add_instances(finder *f, source_kernel *kernel) {
    bool is_named = false;
    host_span list;
    for (const char *at = f->text; next_instance(f->text, &at, kernel->of.name, &list);)
        for (unsigned which = 0;
             which < 8 && instance_of(f, list, host_place(f->text, list.text), which, kernel);
             which++) {
            is_named = true;
            add(f, kernel);
        }
    if (!is_named && instance_of(f, (host_span){f->text, 0}, kernel->of.body.text, 0, kernel))
        add(f, kernel);
}

/* Names a specialization such as "k< 4,8 >" like an instance: "k<4, 8>". */
static void name_special(source_kernel *kernel) {
    size_t length = 0;
    const host_span name = kernel->of.name;
    for (size_t i = 0; i < name.length && length + 3 < sizeof kernel->name; i++) {
        if (!isspace((unsigned char)name.text[i]))
            kernel->name[length++] = name.text[i];
        if (name.text[i] == ',')
            kernel->name[length++] = ' ';
    }
    kernel->name[length] = '\0';
}

/* Finds specializations first, so that none is taken for an instance of its template. */
static void find_kernels(finder *f, bool are_special) {
    source_kernel kernel = {.argument_count = 0};
    for (const char *at = f->text; host_kernel_next(f->text, &at, &kernel.of);) {
        const host_span name = kernel.of.name;
        kernel.argument_count = 0;
        kernel.is_special = memchr(name.text, '<', name.length);
        if (kernel.is_special != are_special)
            continue;
        if (kernel.is_special)
            name_special(&kernel);
        else
            (void)snprintf(kernel.name, sizeof kernel.name, "%.*s", SPAN(name));
        if (kernel.of.templates.length > 0)
            add_instances(f, &kernel);
        else
            add(f, &kernel);
    }
}

smp_status source_kernels_find(const char *text, source_kernel **out, size_t *count,
                               smp_error *error) {
    finder f = {.text = text};
    find_kernels(&f, true);
    find_kernels(&f, false);
    *out = f.list;
    *count = f.count;
    return f.is_out_of_memory ? smp_error_memory(error) : SMP_OK;
}
