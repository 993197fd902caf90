/* SPDX-License-Identifier: MIT */
/*
 * Expands macros that launch or define kernels: LAUNCH(k, grid, block, ...) of a text becomes
 * k<<<grid, block>>>(...) behind its end, with the place of the call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_text.h"

enum { MACROS_MAX = 32, NESTED_MAX = 4, EXPANDED_MOST = 1 << 20 };

typedef struct macro {
    host_span name, parameters, body;
} macro;

typedef struct macros {
    macro of[MACROS_MAX];
    size_t body_at[MACROS_MAX]; /* in the text */
    unsigned count;
} macros;

static const macro *macro_named(const macros *all, host_span word) {
    return FIND(one, all->of, all->count, host_same(one->name, word));
}

static bool is_expanded(const macros *all, host_span body) {
    char name[64];
    if (host_contains(body, "<<<") || host_contains(body, "cudaLaunch") ||
        host_has_word(body, "__global__"))
        return true;
    for (unsigned i = 0; i < all->count; i++) {
        (void)snprintf(name, sizeof name, "%.*s", SPAN(all->of[i].name));
        if (host_has_word(body, name))
            return true;
    }
    return false;
}

/* Finds the macros with parameters that launch or define a kernel, directly or by another macro. */
static void find_macros(const char *text, macros *all) {
    macro one;
    for (unsigned pass = 0; pass < NESTED_MAX; pass++)
        for (const char *at = text; all->count < MACROS_MAX && host_define_next(&at, &one.name);) {
            if (!host_inside(at, &one.parameters))
                continue;
            const char *body = one.parameters.text + one.parameters.length + 1;
            one.body = (host_span){body, strcspn(body, "\n")};
            if (macro_named(all, one.name) || !is_expanded(all, one.body))
                continue;
            all->body_at[all->count] = (size_t)(body - text);
            all->of[all->count++] = one;
        }
}

/* Finds what `word` stands for in a call of the macro. False if it is no parameter. */
static bool parameter_value(const macro *of, host_span arguments, host_span word, host_span *out) {
    host_span parameter;
    for (unsigned i = 0; host_part(of->parameters, i, &parameter); i++) {
        const bool is_rest = host_contains(parameter, "...");
        if (is_rest)
            parameter.length -= 3;
        parameter = host_trim(parameter);
        if (!host_same(parameter, word) &&
            !(is_rest && parameter.length == 0 && host_is(word, "__VA_ARGS__")))
            continue;
        if (!host_part(arguments, i, out))
            *out = (host_span){"", 0};
        else if (is_rest)
            out->length = (size_t)(arguments.text + arguments.length - out->text);
        return true;
    }
    return false;
}

static void put_body(FILE *to, const macro *of, host_span arguments) {
    const char *end = of->body.text + of->body.length;
    host_span value;
    for (const char *at = of->body.text; at < end;) {
        const host_span word = host_word(at);
        const char *next = host_behind_blanks(at);
        if (next + 1 < end && next[0] == '#' && next[1] == '#') { /* joins two words */
            at = host_behind_blanks(next + 2);
            continue;
        }
        if (word.length > 0 && parameter_value(of, arguments, word, &value))
            fprintf(to, "%.*s", SPAN(value));
        else if (word.length > 0)
            fprintf(to, "%.*s", SPAN(word));
        else
            fputc(*at == '#' || *at == '\v' ? ' ' : *at, to);
        at += word.length > 0 ? word.length : 1;
    }
}

/* Writes the expansions of the calls in `from`, a part of `text` or an earlier expansion. */
static void put_calls(FILE *to, const macros *all, const char *text, const char *from) {
    host_span arguments;
    long place = 0;
    for (const char *at = from; *at != '\0';) {
        const host_span word = host_word(at);
        if (*at == HOST_EXPANDED)
            place = strtol(at + 1, NULL, 10);
        if (word.length == 0) {
            at++;
            continue;
        }
        at += word.length;
        const macro *of = macro_named(all, word);
        if (of && of->name.text == word.text) { /* its definition */
            at = of->body.text + of->body.length;
        } else if (of && host_inside(at + strspn(at, " \t\n\v"), &arguments)) {
            fprintf(to, "%c%ld ", HOST_EXPANDED, from == text ? (long)(word.text - text) : place);
            put_body(to, of, arguments);
            fputs(";\n", to);
        }
    }
}

/* Returns the expansions of all calls, "" if there are none; NULL if out of memory. */
static char *expansions(const macros *all, const char *text) {
    char *out = NULL;
    size_t length = 0, from = 0;
    FILE *to = open_memstream(&out, &length);
    if (!to)
        return NULL;
    put_calls(to, all, text, text);
    for (unsigned depth = 1; depth < NESTED_MAX && fflush(to) == 0 && length > from; depth++) {
        char *earlier = strdup(out + from);
        from = length;
        if (earlier && length < EXPANDED_MOST)
            put_calls(to, all, text, earlier);
        free(earlier);
    }
    return fclose(to) == 0 ? out : NULL;
}

char *host_launches_expand(char *text) {
    macros all = {.count = 0};
    if (text)
        find_macros(text, &all);
    char *more = all.count > 0 ? expansions(&all, text) : NULL;
    const size_t length = more ? strlen(text) : 0;
    char *out = more && more[0] ? malloc(length + strlen(more) + 2) : NULL;
    if (out) {
        memcpy(out, text, length);
        for (unsigned i = 0; i < all.count; i++)
            memset(out + all.body_at[i], ' ', all.of[i].body.length);
        out[length] = '\n';
        memcpy(out + length + 1, more, strlen(more) + 1);
        free(text);
    }
    free(more);
    return out ? out : text;
}
