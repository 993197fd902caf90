/* SPDX-License-Identifier: MIT */
/*
 * A kernel is changed only if i * P + k visits every element once: i counts all threads of the
 * grid in x, and k runs from 0 to P - 1 in a loop or as literal numbers.
 */
#include "thread_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout_factor.h"
#include "source_words.h"

#define THREADS "threads" /* the variable that holds the number of threads */

typedef struct chunk {
    const char *text;
    size_t begin, end;                        /* of the body */
    host_span index;                          /* "i" */
    host_span size;                           /* "P" */
    bool is_scaled;                           /* i is already a multiple of P */
    size_t value, value_length, declared_end; /* of i's declaration */
    thread_change *out;
    unsigned count; /* of uses */
} chunk;

/* ---- Words ---- */

/* Returns the last character before `at` that is not blank. */
static char before(const chunk *c, size_t at) {
    at = source_before_blanks(c->text, at);
    return at > c->begin ? c->text[at - 1] : '{';
}

/* ---- The number of a thread ---- */

/* Whether the value is "blockIdx.x*blockDim.x+threadIdx.x", possibly in parentheses; *rest is what
 * follows, such as "*P". */
static bool counts_threads(const char *value, const char **rest) {
    static const char *const forms[] = {
        "blockIdx.x*blockDim.x+threadIdx.x", "blockDim.x*blockIdx.x+threadIdx.x",
        "threadIdx.x+blockIdx.x*blockDim.x", "threadIdx.x+blockDim.x*blockIdx.x"};
    const bool is_wrapped = value[0] == '(';
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const size_t length = strlen(forms[i]);
        if (strncmp(value + is_wrapped, forms[i], length) != 0)
            continue;
        *rest = value + is_wrapped + length;
        if (is_wrapped && **rest != ')')
            return false;
        *rest += is_wrapped;
        return true;
    }
    return false;
}

/* Takes the declaration whose "=" is at `at`. */
static bool take_declaration(chunk *c, size_t at) {
    const size_t value = source_behind_blanks(c->text, at + 1),
                 length = strcspn(c->text + value, ",;");
    c->index = source_word_before(c->text, source_before_blanks(c->text, at));
    char *text = source_packed(c->text + value, length);
    const char *rest = "";
    const bool is_number = text && c->index.length > 0 && value + length < c->end &&
                           counts_threads(text, &rest) &&
                           (rest[0] == '\0' || (rest[0] == '*' && text[0] == '('));
    c->is_scaled = is_number && rest[0] == '*';
    free(text);
    c->value = value;
    c->value_length = length;
    c->declared_end = value + length;
    if (c->is_scaled) {
        const size_t star = (size_t)((const char *)memchr(c->text + value, ')', length) - c->text);
        c->size =
            host_trim((host_span){c->text + source_behind_blanks(c->text, star + 1) + 1,
                                  c->declared_end - source_behind_blanks(c->text, star + 1) - 1});
        c->value_length = star + 1 - value;
    }
    return is_number && c->text[c->declared_end] == ';';
}

static bool find_declaration(chunk *c) {
    for (size_t at = c->begin; at < c->end; at++)
        if (c->text[at] == '=' && c->text[at + 1] != '=' && take_declaration(c, at))
            return true;
    return false;
}

/* ---- Its uses ---- */

/* Whether k runs below P: the variable of "for (int k = 0; k < P; ...)", or a number below P. */
static bool runs_below(const chunk *c, host_span k, bool *is_value) {
    char head[160];
    char *end;
    *is_value = isdigit((unsigned char)k.text[0]);
    if (*is_value)
        return strtoul(k.text, &end, 10) < strtoul(c->size.text, NULL, 10) &&
               end == k.text + k.length;
    (void)snprintf(head, sizeof head, "%.*s=0;%.*s<%.*s;", SPAN(k), SPAN(k), SPAN(c->size));
    char *body = source_packed(c->text + c->begin, c->end - c->begin);
    const bool is_there = body && k.length > 0 && strstr(body, head);
    free(body);
    return is_there;
}

/* Takes the term added to "i * P", which ends at `to`, and records the change. */
static bool take_sum(chunk *c, size_t from, size_t to) {
    host_span k = {"0", 1};
    const size_t plus = source_behind_blanks(c->text, to);
    bool is_value;
    if (c->text[plus] == '+' && c->text[plus + 1] != '+' && c->text[plus + 1] != '=') {
        k = source_word(c->text, source_behind_blanks(c->text, plus + 1));
        to = layout_place(c->text, k) + k.length;
    }
    const char next = c->text[source_behind_blanks(c->text, to)], last = before(c, from);
    if (k.length == 0 || strchr("*/%[.(", next) || strchr("*/%-.&|!~", last) ||
        !runs_below(c, k, &is_value) ||
        (is_value && !host_around(c->text, c->text + from, "[]", ";{}")))
        return false;
    const int index = (int)c->index.length;
    if (is_value && k.text[0] == '0')
        text_edits_add(&c->out->edits, from, to - from, "%.*s", index, c->index.text);
    else
        text_edits_add(&c->out->edits, from, to - from, "%.*s + %.*s * " THREADS, index,
                       c->index.text, SPAN(k));
    c->count++;
    return true;
}

/* Takes the use whose name is at `at`. */
static bool take_use(chunk *c, size_t at) {
    const size_t end = at + c->index.length, star = source_behind_blanks(c->text, end);
    if (c->is_scaled)
        return take_sum(c, at, end);
    const bool is_first = c->text[star] == '*'; /* i * P; else P * i */
    if (!is_first && before(c, at) != '*')
        return false;
    size_t from = at;
    while (!is_first && c->text[from - 1] != '*')
        from--;
    const host_span size =
        is_first ? source_word(c->text, source_behind_blanks(c->text, star + 1))
                 : source_word_before(c->text, source_before_blanks(c->text, from - 1));
    if (size.length == 0 || (c->size.length > 0 && !host_same(size, c->size)))
        return false;
    c->size = size;
    const size_t place = layout_place(c->text, size);
    return is_first ? take_sum(c, at, place + size.length) : take_sum(c, place, end);
}

static bool take_uses(chunk *c) {
    for (size_t at = c->begin; at < c->end; at++) {
        if (!text_is_word(c->text[at]) || text_is_word(c->text[at - 1]))
            continue;
        const host_span word = source_word(c->text, at);
        if (host_same(word, c->index) && word.text != c->index.text && !take_use(c, at))
            return false;
        at += word.length - 1;
    }
    return c->count >= 2;
}

/* Declares i without its factor, and after it the number of threads. */
static void declare(chunk *c) {
    const host_span margin = source_margin(c->text, layout_place(c->text, c->index));
    if (c->is_scaled)
        text_edits_add(&c->out->edits, c->value, c->declared_end - c->value, "%.*s",
                       (int)c->value_length - 2, c->text + c->value + 1);
    text_edits_add(&c->out->edits, c->declared_end + 1, 0,
                   "\n%.*sconst int " THREADS " = gridDim.x * blockDim.x;", SPAN(margin));
}

bool chunk_change_find(const char *text, const host_kernel *kernel, thread_change *out) {
    chunk c = {.text = text, .begin = (size_t)(kernel->body.text - text), .out = out};
    c.end = c.begin + kernel->body.length;
    memset(out, 0, sizeof *out);
    if (host_has_name(text, THREADS) || !find_declaration(&c) || !take_uses(&c))
        return false;
    declare(&c);
    out->line = shared_line(text, layout_place(text, c.index));
    (void)snprintf(out->words, sizeof out->words,
                   "elements of a thread as far apart as there are threads, not chunks of %.*s",
                   TEXT_CUT(c.size.text, c.size.length, 40));
    return true;
}
