/* SPDX-License-Identifier: MIT */
/* Finds kernels in the text of a file. */
#include "host_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Blanking ---- */

/* The end of the comment or literal that begins at `at`; `at` itself if none does. */
static size_t skip_opaque(const char *text, size_t at, size_t length) {
    const char first = text[at], next = at + 1 < length ? text[at + 1] : '\0';
    if (first == '/' && next == '/') {
        while (at < length && text[at] != '\n')
            at++;
        return at;
    }
    if (first == '/' && next == '*') {
        for (at += 2; at < length && !(text[at] == '*' && at + 1 < length && text[at + 1] == '/');)
            at++;
        return at + 2 < length ? at + 2 : length;
    }
    const bool is_separator = first == '\'' && at > 0 && isdigit((unsigned char)text[at - 1]);
    if ((first != '"' && first != '\'') || is_separator)
        return at;
    for (at++; at < length && text[at] != first && text[at] != '\n'; at++)
        at += text[at] == '\\' && at + 1 < length;
    return at < length ? at + 1 : length;
}

/* Length of a backslash with the line end that it continues; 0 if none. */
static size_t spliced_line(const char *text, size_t length) {
    if (length < 2 || text[0] != '\\')
        return 0;
    if (text[1] == '\n')
        return 2;
    return length > 2 && text[1] == '\r' && text[2] == '\n' ? 3 : 0;
}

char *host_text_make(const char *text, size_t length) {
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* a byte-order mark */
        memset(copy, ' ', 3);
    for (size_t at = 0; at < length;) {
        const size_t end = skip_opaque(text, at, length);
        const size_t joined = spliced_line(text + at, length - at);
        for (size_t i = at; i < end; i++)
            copy[i] = text[i] == '\n' ? '\n' : ' ';
        memset(copy + at, ' ', joined);
        if (joined > 0)
            copy[at + joined - 1] = '\v';
        else if (copy[at] == '\0' || copy[at] == HOST_OWN || copy[at] == HOST_EXPANDED)
            copy[at] = ' ';
        at = end > at ? end : at + (joined > 0 ? joined : 1);
    }
    return copy;
}

/* ---- Spans ---- */

host_span host_trim(host_span span) {
    while (span.length > 0 && isspace((unsigned char)*span.text))
        span.text++, span.length--;
    while (span.length > 0 && isspace((unsigned char)span.text[span.length - 1]))
        span.length--;
    return span;
}

bool host_is(host_span span, const char *word) {
    return strlen(word) == span.length && memcmp(span.text, word, span.length) == 0;
}

bool host_same(host_span a, host_span b) {
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

bool host_is_one_of(host_span span, const char *const *words) {
    while (*words && !host_is(span, *words))
        words++;
    return *words;
}

void host_lower(host_span span, char out[HOST_LOWER_BYTES]) {
    (void)snprintf(out, HOST_LOWER_BYTES, "%.*s", SPAN(span));
    for (char *c = out; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
}

bool host_has_part(host_span name, const char *const *parts) {
    char small[HOST_LOWER_BYTES];
    host_lower(name, small);
    for (; *parts; parts++) {
        const char *at = strstr(small, *parts);
        if (at && !(at > small && at[-1] == 'b'))
            return true;
    }
    return false;
}

bool host_contains(host_span in, const char *part) {
    const size_t length = strlen(part);
    for (size_t i = 0; i + length <= in.length; i++)
        if (memcmp(in.text + i, part, length) == 0)
            return true;
    return false;
}

bool host_has_word(host_span in, const char *word) {
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= in.length; i++)
        if (memcmp(in.text + i, word, length) == 0 && (i == 0 || !text_is_word(in.text[i - 1])) &&
            (!text_is_word(word[length - 1]) || i + length == in.length ||
             !text_is_word(in.text[i + length])))
            return true;
    return false;
}

static int depth_change(char c) {
    return (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
}

bool host_part(host_span list, unsigned index, host_span *out) {
    const char *end = list.text + list.length, *from = list.text;
    int depth = 0, angle = 0;
    list = host_trim(list);
    if (list.length == 0)
        return false;
    for (const char *at = from; at <= end; at++) {
        const bool ends = at == end || (*at == ',' && depth == 0 && angle <= 0);
        if (ends && index-- == 0) {
            *out = host_between(from, at);
            return true;
        }
        if (ends)
            from = at + 1;
        if (at == end)
            break;
        depth += depth_change(*at);
        /* template arguments: "f<a, b>", not "a < b" */
        angle += *at == '<' && at > list.text && text_is_word(at[-1]) && at + 1 < end &&
                 at[1] != ' ' && at[1] != '<';
        angle -= *at == '>' && angle > 0 && at[-1] != '-';
    }
    return false;
}

bool host_inside(const char *open, host_span *out) {
    int depth = 0;
    for (const char *at = open; *at != '\0'; at++) {
        depth += depth_change(*at);
        if (depth == 0) {
            *out = (host_span){open + 1, (size_t)(at - open - 1)};
            return at > open;
        }
    }
    return false;
}

const char *host_behind(const char *at) {
    int depth = 0;
    for (; *at != '\0'; at++) {
        depth += depth_change(*at);
        if (depth == 0)
            return at + 1;
    }
    return at;
}

const char *host_around(const char *text, const char *at, const char *pair, const char *ends) {
    int depth = 0;
    for (; at > text && !strchr(ends, at[-1]); at--) {
        depth += (at[-1] == pair[1]) - (at[-1] == pair[0]);
        if (depth < 0)
            return at - 1;
    }
    return NULL;
}

bool host_angle_list(const char *open, host_span *out) {
    int depth = 0;
    for (const char *end = open; *end != '\0' && *end != ';' && *end != '{'; end++) {
        if (end[0] == '<' && end[1] == '<') { /* "int N = 1 << 5" */
            end++;
            continue;
        }
        depth += (*end == '<') - (*end == '>');
        if (depth == 0) {
            *out = (host_span){open + 1, (size_t)(end - open - 1)};
            return end > open;
        }
    }
    return false;
}

const char *host_until(const char *at, const char *ends) {
    while (*at != '\0' && !strchr(ends, *at))
        at = strchr("([{", *at) ? host_behind(at) : at + 1;
    return at;
}

const char *host_directive(const char *line, const char *name) {
    const size_t length = strlen(name);
    const char *at = line + strspn(line, " \t\v\f"); /* HOST_OWN may precede the first line */
    if (*at != '#')
        return NULL;
    at += 1 + strspn(at + 1, " \t\v");
    if (strncmp(at, name, length) != 0 || text_is_word(at[length]))
        return NULL;
    return at + length + strspn(at + length, " \t\v");
}

bool host_define_next(const char **at, host_span *name) {
    for (const char *line; (line = strchr(*at, '#'));) {
        const char *said = host_directive(line, "define");
        *name = said ? host_word(said) : (host_span){"", 0};
        *at = said ? said + name->length : line + 1;
        if (name->length > 0)
            return true;
    }
    return false;
}

bool host_included(const char *line, host_span *name) {
    const char *at = host_directive(line, "include");
    if (!at || (*at != '"' && *at != '<'))
        return false;
    const size_t length = strcspn(at + 1, *at == '"' ? "\"\n" : ">\n");
    *name = (host_span){at, length + 1};
    return length > 0 && at[1 + length] == (*at == '"' ? '"' : '>');
}

/* Finds the next whole `word` from `at` on, or NULL. */
static const char *find_word(const char *text, const char *at, const char *word, size_t length) {
    while ((at = strstr(at, word)) &&
           ((at > text && text_is_word(at[-1])) || text_is_word(at[length])))
        at++;
    return at;
}

const char *host_name_begin(const char *text, const char *end) {
    const bool has_list = end > text && end[-1] == '>';
    const char *open = has_list ? host_around(text, end - 1, "<>", "") : end;
    const char *at = host_before_blanks(text, open ? open : text);
    while (at > text && (text_is_word(at[-1]) || at[-1] == ':'))
        at--;
    return at;
}

/* ---- Kernels ---- */

host_span host_templates_before(const char *text, const char *at) {
    host_span list;
    const char *word = find_word(text, host_behind_last(text, at, ";{}"), "template", 8);
    return word && word < at && host_angle_list(host_behind_blanks(word + 8), &list) &&
                   list.text + list.length < at
               ? list
               : (host_span){at, 0};
}

/* Reads "NAME(parameters) {" between `at` and `stop`. Attributes also have parentheses, but no
 * body. */
static bool read_head(const char *at, const char *stop, host_kernel *out) {
    const char *from = at, *end;
    for (; at < stop; at++) {
        if (*at != '(' || *(end = host_behind(at)) == '\0')
            continue;
        const char *body = host_behind_blanks(end), *name_end = host_before_blanks(from, at);
        const char *name = host_name_begin(from, name_end);
        if (*body == '{' && name < name_end) {
            out->words = (host_span){from, (size_t)(name - from)};
            out->name = (host_span){name, (size_t)(name_end - name)};
            out->parameters = (host_span){at + 1, (size_t)(end - at - 2)};
            out->body = (host_span){body, (size_t)(host_behind(body) - body)};
            return true;
        }
        at = end - 1;
    }
    return false;
}

bool host_kernel_next(const char *text, const char **at, host_kernel *out) {
    const char *global;
    while ((global = find_word(text, *at, "__global__", 10))) {
        const char *stop = strpbrk(global, "{;");
        *at = global + 10;
        if (stop && read_head(*at, stop, out)) {
            out->templates = host_templates_before(text, global);
            *at = out->body.text;
            return true;
        }
    }
    return false;
}

bool host_kernel_find(const char *text, host_span name, host_kernel *out) {
    for (const char *at = text; host_kernel_next(text, &at, out);)
        if (host_same(out->name, name))
            return true;
    return false;
}

bool host_has_main(const char *text) {
    for (const char *at = text; (at = find_word(text, at, "main", 4)); at++) {
        const char *open = host_behind_blanks(at + 4);
        if (*open == '(' && *host_behind_blanks(host_behind(open)) == '{' &&
            strncmp(host_name_begin(text, at), "int", 3) == 0)
            return true;
    }
    return false;
}

host_span host_declared_name(host_span declaration) {
    const char *equals = memchr(declaration.text, '=', declaration.length);
    const char *bracket = memchr(declaration.text, '[', declaration.length);
    if (equals)
        declaration.length = (size_t)(equals - declaration.text);
    if (bracket && (size_t)(bracket - declaration.text) < declaration.length)
        declaration.length = (size_t)(bracket - declaration.text);
    declaration = host_trim(declaration);
    return host_word_before(declaration.text, declaration.text + declaration.length);
}

bool host_alias(const char *text, host_span name, host_span *out) {
    const char *at, *end;
    for (at = text; (at = find_word(text, at, "typedef", 7)); at += 7) {
        if (!(end = strchr(at, ';')))
            return false;
        const host_span said = {at + 7, (size_t)(end - at - 7)}, last = host_declared_name(said);
        if (host_same(last, name)) {
            *out = host_between(said.text, last.text);
            return true;
        }
    }
    for (at = text; (at = find_word(text, at, "using", 5));) {
        at = host_behind_blanks(at + 5);
        if (strncmp(at, name.text, name.length) != 0)
            continue;
        const char *equals = host_behind_blanks(at + name.length);
        if (*equals == '=' && (end = strchr(equals, ';'))) {
            *out = host_between(equals + 1, end);
            return true;
        }
    }
    return false;
}

bool host_has_name(const char *text, const char *name) {
    return find_word(text, text, name, strlen(name));
}

bool host_is_macro(const char *text, const char *name) {
    host_span defined;
    for (const char *at = text; host_define_next(&at, &defined);)
        if (host_is(defined, name))
            return true;
    return false;
}
