/* SPDX-License-Identifier: MIT */
/*
 * Joins reads of 2 or 4 adjacent elements into one vector read. They must be in one block without
 * a condition, with no store between them unless the pointer is __restrict__, and every launch
 * must pass an aligned array.
 */
#define _GNU_SOURCE /* memmem */
#include "thread_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source_words.h"

enum { USES_MOST = 16, NAME_BYTES = 64 };

typedef struct wide_use {
    size_t begin, end;
    unsigned member;
} wide_use;

typedef struct wide {
    const char *text;
    size_t begin, end; /* of the kernel's body */
    host_span name, element;
    bool is_restrict;
    unsigned parameter; /* its index */
    unsigned size;      /* elements of the vector */
    char index[NAME_BYTES];
    wide_use uses[USES_MOST];
    unsigned count;
} wide;

static const char *vector_of(host_span element, unsigned size) {
    static const struct {
        const char *element;
        unsigned size;
        const char *vector;
    } rows[] = {{"float", 2, "float2"},  {"float", 4, "float4"},   {"int", 2, "int2"},
                {"int", 4, "int4"},      {"unsigned", 2, "uint2"}, {"unsigned", 4, "uint4"},
                {"double", 2, "double2"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].size == size && host_is(element, rows[i].element))
            return rows[i].vector;
    return NULL;
}

/* ---- Parameters ---- */

/* Takes a parameter such as "const float *__restrict__ in". */
static bool take_parameter(wide *w, host_span of) {
    const char *star = memchr(of.text, '*', of.length);
    char text[160];
    if (!star || of.length >= sizeof text)
        return false;
    (void)snprintf(text, sizeof text, "%.*s", SPAN(of));
    w->is_restrict = strstr(text, "restrict");
    w->name = host_declared_name(of);
    host_span type = host_between(of.text, star);
    if (type.length < 7 || memcmp(type.text, "const ", 6) != 0)
        return false;
    w->element = host_trim((host_span){type.text + 6, type.length - 6});
    return w->name.length > 0 && w->name.length < NAME_BYTES - 2 && vector_of(w->element, 2);
}

/* ---- Uses ---- */

/* Reads which element of which vector "4*i+1" (without blanks) is. */
static bool read_index(wide *w, const char *index, unsigned *member) {
    char left[NAME_BYTES], right[NAME_BYTES];
    char plus, rest;
    const int count =
        sscanf(index, "%63[a-zA-Z0-9_]*%63[a-zA-Z0-9_]%c%u%c", left, right, &plus, member, &rest);
    if (count == 2)
        *member = 0;
    else if (count != 4 || plus != '+')
        return false;
    const bool is_left = left[0] >= '0' && left[0] <= '9';
    const char *size = is_left ? left : right, *name = is_left ? right : left;
    const unsigned value = (unsigned)strtoul(size, NULL, 10);
    if ((value != 2 && value != 4) || size[1] != '\0' || (name[0] >= '0' && name[0] <= '9') ||
        *member >= value || (w->count > 0 && (value != w->size || strcmp(name, w->index) != 0)))
        return false;
    w->size = value;
    (void)snprintf(w->index, sizeof w->index, "%s", name);
    return true;
}

/* Takes the use whose name is at `at`; false if it does not fit. */
static bool take_use(wide *w, size_t at) {
    const size_t open = source_behind_blanks(w->text, at + w->name.length);
    char index[NAME_BYTES * 2];
    size_t used = 0, i = open + 1;
    unsigned member;
    if (w->text[open] != '[' || w->count == USES_MOST)
        return false;
    for (; i < w->end && !strchr("[]", w->text[i]) && used < sizeof index - 1; i++)
        if (!strchr(" \t\r\n\v\f", w->text[i]))
            index[used++] = w->text[i];
    index[used] = '\0';
    if (w->text[i] != ']' || !read_index(w, index, &member))
        return false;
    w->uses[w->count++] = (wide_use){at, i + 1, member};
    return true;
}

static bool take_uses(wide *w) {
    unsigned seen = 0;
    w->count = 0;
    for (size_t at = w->begin; (at = source_next_word(w->text, w->name, at, w->end)) < w->end; at++)
        if (!take_use(w, at))
            return false;
    for (unsigned i = 0; i < w->count; i++)
        seen |= 1u << w->uses[i].member;
    return w->count > 0 && seen == (1u << w->size) - 1 && vector_of(w->element, w->size);
}

/* ---- Conditions ---- */

static size_t statement_begin(const wide *w, size_t at) {
    return source_behind_blanks(w->text, source_behind_last(w->text, at, ";{}"));
}

static bool has_any(const wide *w, size_t begin, size_t end, const char *const *words) {
    for (; *words; words++) {
        const host_span word = {*words, strlen(*words)};
        if (text_is_word(word.text[0])) {
            if (source_next_word(w->text, word, begin, end) < end)
                return true;
        } else if (memmem(w->text + begin, end - begin, word.text, word.length)) {
            return true;
        }
    }
    return false;
}

/* Whether something is stored: "] =", "] +=" or an atomic. */
static bool stores(const wide *w, size_t begin, size_t end) {
    for (size_t at = begin; at < end; at++) {
        size_t next = w->text[at] == ']' ? source_behind_blanks(w->text, at + 1) : end;
        next += next < end && strchr("+-*/|&^", w->text[next]) && w->text[next + 1] == '=';
        if (next < end && w->text[next] == '=' && w->text[next + 1] != '=')
            return true;
    }
    return memmem(w->text + begin, end - begin, "atomic", 6);
}

/* Whether all reads are in one block without a condition, and nothing changes what they read. */
static bool is_plain(const wide *w) {
    static const char *const words[] = {"if",     "for", "while", "do", "switch", "return",
                                        "else",   "?",   "&&",    "||", "{",      "}",
                                        "__sync", "asm", "*=",    "++", "--",     NULL};
    const size_t begin = statement_begin(w, w->uses[0].begin);
    const size_t last = w->uses[w->count - 1].end;
    const size_t end = last + strcspn(w->text + last, ";");
    const host_span index = {w->index, strlen(w->index)};
    for (size_t at = begin; (at = source_next_word(w->text, index, at, end)) < end; at++) {
        const size_t next = source_behind_blanks(w->text, at + index.length);
        if ((w->text[next] == '=' && w->text[next + 1] != '=') || w->text[next + 1] == '=')
            return false;
    }
    return !has_any(w, begin, end, words) && (w->is_restrict || !stores(w, w->uses[0].begin, last));
}

/* ---- Alignment ---- */

/* Whether the pointer comes unchanged from cudaMalloc. */
static bool is_allocated(const char *text, host_span name) {
    static const char *const given[] = {"cudaMalloc(&%.*s,", "cudaMalloc((void**)&%.*s,"};
    static const char *const moved[] = {"%.*s+=", "%.*s-=", "%.*s++", "++%.*s", "%.*s--", "--%.*s"};
    char *plain = source_packed(text, strlen(text)), word[NAME_BYTES + 40];
    const int length = (int)(name.length < NAME_BYTES ? name.length : NAME_BYTES);
    bool is_fine = false;
    for (size_t i = 0; plain && !is_fine && i < sizeof given / sizeof *given; i++) {
        (void)snprintf(word, sizeof word, given[i], length, name.text);
        is_fine = strstr(plain, word);
    }
    for (size_t i = 0; is_fine && i < sizeof moved / sizeof *moved; i++) {
        (void)snprintf(word, sizeof word, moved[i], length, name.text);
        is_fine = !strstr(plain, word);
    }
    free(plain);
    return is_fine;
}

/* Whether every launch of the kernel passes an array from its first byte. */
static bool is_aligned(const wide *w, const host_kernel *kernel) {
    const char *at = w->text;
    host_launch launch;
    unsigned count = 0;
    while (host_launch_next(w->text, &at, &launch)) {
        host_span argument;
        if (launch.name.length < kernel->name.length ||
            memcmp(launch.name.text, kernel->name.text, kernel->name.length) != 0)
            continue;
        count++;
        if (!host_launch_argument(&launch, w->parameter, &argument) ||
            !is_allocated(w->text, host_trim(argument)))
            return false;
    }
    return count > 0 && host_has_main(w->text);
}

/* ---- The change ---- */

static void write(const wide *w, const char *vector, thread_change *out) {
    const size_t statement = statement_begin(w, w->uses[0].begin);
    const int name = (int)w->name.length;
    const size_t line = source_behind_last(w->text, statement, "\n;{}");
    text_edits_add(&out->edits, statement, 0,
                   "const %s %.*s%u = reinterpret_cast<const %s *>(%.*s)[%s];\n%.*s", vector, name,
                   w->name.text, w->size, vector, name, w->name.text, w->index,
                   (int)(statement - line), w->text + line);
    for (unsigned i = 0; i < w->count; i++)
        text_edits_add(&out->edits, w->uses[i].begin, w->uses[i].end - w->uses[i].begin,
                       "%.*s%u.%c", name, w->name.text, w->size, "xyzw"[w->uses[i].member]);
    out->line = shared_line(w->text, w->uses[0].begin);
    (void)snprintf(out->words, sizeof out->words, "%.*s: one %s in place of %u elements", name,
                   w->name.text, vector, w->size);
}

bool wide_change_find(const char *text, const host_kernel *kernel, thread_change *out) {
    wide w = {.text = text, .begin = (size_t)(kernel->body.text - text)};
    host_span parameter;
    char name[NAME_BYTES + 2];
    w.end = w.begin + kernel->body.length;
    memset(out, 0, sizeof *out);
    for (; host_part(kernel->parameters, w.parameter, &parameter); w.parameter++) {
        if (!take_parameter(&w, parameter) || !take_uses(&w) || !is_plain(&w) ||
            !is_aligned(&w, kernel))
            continue;
        (void)snprintf(name, sizeof name, "%.*s%u", SPAN(w.name), w.size);
        if (host_has_name(text, name))
            continue;
        write(&w, vector_of(w.element, w.size), out);
        return true;
    }
    return false;
}
