/* SPDX-License-Identifier: MIT */
/* Splits the text of a launch into name, shape and arguments, and finds the kernel of that name. */
#include "launch_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "suggest.h"

typedef struct cursor {
    const char *text, *at;
    smp_error *error;
} cursor;

static smp_status wrong(const cursor *c, const char *what) {
    return smp_error_set(c->error, SMP_E_SYNTAX, (int)(c->at - c->text), "launch: %s", what);
}

static void skip_blanks(cursor *c) {
    while (isspace((unsigned char)*c->at))
        c->at++;
}

static char *copy_part(const char *from, size_t length) {
    while (length > 0 && isspace((unsigned char)from[length - 1]))
        length--;
    return strndup(from, length);
}

/* Length up to `end` or a comma outside brackets. */
static size_t part_length(const char *text, const char *end) {
    int depth = 0;
    const char *at = text;
    for (; *at != '\0'; at++) {
        if (depth == 0 && (*at == ',' || strncmp(at, end, strlen(end)) == 0))
            break;
        depth += *at == '(' || *at == '[' || *at == '{' ? 1 : 0;
        depth -= *at == ')' || *at == ']' || *at == '}' ? 1 : 0;
    }
    return (size_t)(at - text);
}

static smp_status read_number(cursor *c, uint32_t *out) {
    __int128 value;
    skip_blanks(c);
    const char *from = c->at, *why = smp_launch_integer(&c->at, false, &value);
    if (!why && value > UINT32_MAX)
        why = "this number is too large", c->at = from;
    if (!why && value < 0)
        why = "this number is negative", c->at = from;
    if (why)
        return wrong(c, why);
    *out = (uint32_t)value;
    return SMP_OK;
}

/* Returns the closing bracket of a list of numbers and moves *at into it; NUL if there is no list
 * and *at is at a number, perhaps in brackets. */
static char open_list(cursor *c) {
    const bool is_named = strncmp(c->at, "dim3", 4) == 0;
    c->at += is_named ? 4 : 0;
    skip_blanks(c);
    const bool is_round =
        *c->at == '(' && (is_named || c->at[1 + part_length(c->at + 1, ")")] == ',');
    const char close = is_round ? ')' : *c->at == '{' ? '}' : '\0';
    c->at += close != '\0';
    return close;
}

/* 4, 32x8, dim3(4), dim3(4, 4, 2) or {4, 4}. */
static smp_status read_shape(cursor *c, uint32_t shape[3]) {
    shape[0] = shape[1] = shape[2] = 1;
    skip_blanks(c);
    const char close = open_list(c), between = close == '\0' ? 'x' : ',';
    for (unsigned i = 0;; i++) {
        if (i == 3)
            return wrong(c, "a shape has three numbers at most");
        smp_status status = read_number(c, &shape[i]);
        if (status != SMP_OK)
            return status;
        if (*c->at != between)
            break;
        c->at++;
    }
    if (close != '\0' && *c->at++ != close) {
        c->at--;
        return wrong(c, "',' is expected here");
    }
    skip_blanks(c);
    return SMP_OK;
}

static smp_status read_configuration(cursor *c, smp_launch_text *out) {
    smp_status status = read_shape(c, out->grid);
    if (status == SMP_OK && *c->at != ',')
        return wrong(c, "',' and the block's shape are expected here");
    c->at += status == SMP_OK;
    if (status == SMP_OK)
        status = read_shape(c, out->block);
    if (status == SMP_OK && *c->at == ',') {
        c->at++;
        status = read_number(c, &out->dynamic_shared_bytes);
    }
    if (status == SMP_OK && *c->at == ',') /* a stream: ignored */
        c->at += 1 + part_length(c->at + 1, ">>>");
    if (status == SMP_OK && strncmp(c->at, ">>>", 3) != 0)
        return wrong(c, "'>>>' is expected here");
    c->at += status == SMP_OK ? 3 : 0;
    return status;
}

static smp_status read_arguments(cursor *c, smp_launch_text *out) {
    skip_blanks(c);
    if (*c->at != '(')
        return wrong(c, "'(' and the arguments are expected here");
    do {
        c->at++;
        skip_blanks(c);
        size_t length = part_length(c->at, ")");
        if (length == 0 && out->argument_count == 0 && *c->at == ')')
            break;
        if (length == 0)
            return wrong(c, "an argument is expected here");
        if (out->argument_count == SMP_ARGUMENTS_MAX)
            return wrong(c, "more arguments than a kernel has");
        char *argument = copy_part(c->at, length);
        if (!argument)
            return smp_error_memory(c->error);
        out->positions[out->argument_count] = (int)(c->at - c->text);
        out->arguments[out->argument_count++] = argument;
        c->at += length;
    } while (*c->at == ',');
    if (*c->at != ')')
        return wrong(c, "')' is expected here");
    c->at++;
    skip_blanks(c);
    if (*c->at == ';')
        c->at++;
    skip_blanks(c);
    return *c->at == '\0' ? SMP_OK : wrong(c, "nothing is expected after the launch");
}

smp_status smp_launch_parse(const char *text, smp_launch_text *out, smp_error *error) {
    memset(out, 0, sizeof(*out));
    cursor c = {text, text, error};
    skip_blanks(&c);
    const char *arrows = strstr(c.at, "<<<");
    if (!arrows || arrows == c.at)
        return wrong(&c, "expected as in CUDA: kernel<<<grid, block>>>(arguments)");
    out->name = copy_part(c.at, (size_t)(arrows - c.at));
    if (!out->name)
        return smp_error_memory(error);
    c.at = arrows + 3;
    smp_status status = read_configuration(&c, out);
    return status == SMP_OK ? read_arguments(&c, out) : status;
}

void smp_launch_clear(smp_launch_text *launch) {
    free(launch->name);
    for (uint32_t i = 0; i < launch->argument_count; i++)
        free(launch->arguments[i]);
    memset(launch, 0, sizeof(*launch));
}

/* ---- Names of kernels ---- */

enum { NAME_BYTES = 512 };

/* "void ns::reduce<float, 4>(float*, int)" becomes "ns::reduce<float,4>", without blanks. */
static void short_name(const char *text, char out[NAME_BYTES]) {
    size_t length = 0;
    int depth = 0;
    if (strncmp(text, "void ", 5) == 0)
        text += 5;
    for (; *text != '\0' && length < NAME_BYTES - 1; text++) {
        depth += *text == '<' ? 1 : *text == '>' ? -1 : 0;
        if (*text == '(' && depth == 0 && strncmp(text, "(anonymous", 10) != 0)
            break;
        if (*text != ' ')
            out[length++] = *text;
    }
    out[length] = '\0';
}

static void name_of(const smp_function *f, char out[NAME_BYTES]) {
    short_name(smp_function_full_name(f), out);
}

static smp_status not_there(const smp_function *functions, size_t count, const char *name,
                            smp_error *error) {
    char names[16][NAME_BYTES], list[160] = "";
    const char *candidates[16];
    size_t used = 0;
    for (size_t i = 0; i < count && used < 16; i++) {
        if (!functions[i].is_kernel)
            continue;
        name_of(&functions[i], names[used]);
        candidates[used] = names[used];
        if (strlen(list) + strlen(names[used]) + 4 < sizeof(list)) {
            strcat(list, used == 0 ? "" : ", ");
            strcat(list, names[used]);
        }
        used++;
    }
    if (used == 0)
        return smp_error_set(error, SMP_E_SYNTAX, 0, "launch: the file has no kernel");
    const char *meant = suggest(name, candidates, used);
    return smp_error_set(
        error, SMP_E_SYNTAX, 0, "launch: no kernel '%.60s'%s%.60s%s; the file has: %s", name,
        meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "", list);
}

smp_status smp_launch_kernel(const smp_code *code, const char *name, const smp_function **out,
                             smp_error *error) {
    size_t count, fitting = 0;
    const smp_function *functions = smp_code_functions(code, &count);
    char wanted[NAME_BYTES], own[NAME_BYTES];
    short_name(name, wanted);
    *out = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!functions[i].is_kernel)
            continue;
        name_of(&functions[i], own);
        if (strcmp(functions[i].name, name) == 0 || strcmp(own, wanted) == 0) {
            *out = &functions[i];
            return SMP_OK;
        }
        if (strcspn(own, "<") == strlen(wanted) && strncmp(own, wanted, strlen(wanted)) == 0) {
            *out = &functions[i];
            fitting++;
        }
    }
    if (fitting > 1)
        return smp_error_set(
            error, SMP_E_SYNTAX, 0,
            "launch: '%.60s' is a template with %zu instances; name one: %.60s<...>", name, fitting,
            name);
    return fitting == 1 ? SMP_OK : not_there(functions, count, name, error);
}
