/* SPDX-License-Identifier: MIT */
/*
 * Structs in shared memory: their definitions, and their members that are arrays.
 */
#include <string.h>

#include "shared_source.h"
#include "source_words.h"

/* Outside of a template's parameters. */
static bool is_struct(const char *text, size_t begin, size_t end) {
    static const host_span words[] = {{"struct", 6}, {"union", 5}, {"class", 5}};
    int depth = 0;
    for (size_t i = begin; i < end; i++) {
        depth += (text[i] == '<') - (text[i] == '>');
        for (size_t k = 0; k < sizeof words / sizeof *words && depth <= 0; k++)
            if (source_is_word_at(text, i, words[k]))
                return true;
    }
    return false;
}

/* "typedef struct {" in front of the "} NAME;" whose name is at `at`. */
static bool find_typedef(const char *text, size_t at, host_span *body) {
    static const char word[] = "typedef";
    size_t close = at;
    while (close > 0 && isspace((unsigned char)text[close - 1]))
        close--;
    for (size_t from = 0; close > 0 && text[close - 1] == '}' && from < close; from++) {
        const size_t open = from + strcspn(text + from, "{;");
        if (!source_is_word_at(text, from, (host_span){word, sizeof word - 1}) ||
            text[open] != '{' || shared_behind(text, open) != close || !is_struct(text, from, open))
            continue;
        *body = (host_span){text + open + 1, close - open - 2};
        return true;
    }
    return false;
}

/* "struct NAME ... {": what is between its brackets. */
static bool find_body(const char *text, host_span name, host_span *body) {
    const size_t end = strlen(text);
    for (size_t at = 0; (at = source_next_word(text, name, at, end)) < end; at++) {
        if (find_typedef(text, at, body))
            return true;
        const size_t begin = source_behind_last(text, at, ";{}");
        const size_t open = at + name.length + strcspn(text + at + name.length, "{;(=");
        if (!is_struct(text, begin, at) || text[open] != '{')
            continue;
        *body = (host_span){text + open + 1, shared_behind(text, open) - open - 2};
        return true;
    }
    return false;
}

/* The last name of "const ns::Tiles<TILE>". */
static host_span type_name(host_span type) {
    const char *angle = memchr(type.text, '<', type.length);
    return host_declared_name(
        host_trim((host_span){type.text, angle ? (size_t)(angle - type.text) : type.length}));
}

/* "__shared__ TYPE name", with or without extents; the type may be defined there. */
static bool find_declared(const char *text, const char *name, host_span *type, host_span *body) {
    static const host_span word = {"__shared__", 10};
    const size_t end = strlen(text);
    for (size_t at = 0; (at = source_next_word(text, word, at, end)) < end; at++) {
        const size_t begin = at + word.length, open = begin + strcspn(text + begin, ";[={}");
        const size_t behind = text[open] == '{' ? shared_behind(text, open) : begin;
        const size_t stop = behind + strcspn(text + behind, ";[={}");
        const host_span last = source_word_before(text, source_before_blanks(text, stop));
        if (last.text < text + behind || !host_is(last, name))
            continue;
        if (behind > begin) { /* __shared__ struct { ... } name; */
            *type = host_trim((host_span){text + begin, open - begin});
            *body = (host_span){text + open + 1, behind - open - 2};
            return true;
        }
        *type = type_name((host_span){text + begin, (size_t)(last.text - text) - begin});
        return type->length > 0 && find_body(text, *type, body);
    }
    return false;
}

/* "(TYPE *)name", "reinterpret_cast<TYPE *>(name)" */
static bool find_cast(const char *text, const char *name, host_span *type, host_span *body) {
    const host_span word = {name, strlen(name)};
    const size_t end = strlen(text);
    for (size_t at = 1; (at = source_next_word(text, word, at, end)) < end; at++) {
        size_t star = at;
        while (star > 0 && strchr("(&>) \n", text[star - 1]))
            star--;
        if (star == 0 || text[star - 1] != '*')
            continue;
        size_t begin = --star;
        while (begin > 0 && !strchr("(;{}=", text[begin - 1]) &&
               !(text[begin - 1] == '<' && text[star - 1] != '>'))
            begin--;
        *type = type_name((host_span){text + begin, star - begin});
        if (type->length > 0 && find_body(text, *type, body))
            return true;
    }
    return false;
}

bool shared_struct_of(const char *text, const char *name, host_span *type, host_span *body) {
    return find_declared(text, name, type, body) || find_cast(text, name, type, body);
}

/* Behind the member that begins at `at`: a ';', or the body of a function. */
static size_t end_of_member(const char *text, size_t at, size_t end) {
    while (at < end && text[at] != ';' && text[at] != '{')
        at = strchr("([", text[at]) ? shared_behind(text, at) : at + 1;
    return at < end && text[at] == '{' ? shared_behind(text, at) : at + 1;
}

/* "float" of "float a[4], b[5];", wherever in it `at` is. */
static host_span member_type(const char *text, size_t at) {
    at = source_behind_last(text, at, ";{}");
    const host_span first = {text + at, strcspn(text + at, "[,;")};
    const host_span name = host_declared_name(first);
    return host_trim((host_span){first.text, (size_t)(name.text - first.text)});
}

bool shared_member_next(const char *text, host_span body, size_t *at, shared_declaration *out) {
    const size_t first = (size_t)(body.text - text), end = first + body.length;
    size_t from = *at > first ? *at : first;
    while (from < end) {
        const size_t begin = source_behind_blanks(text, from),
                     bracket = begin + strcspn(text + begin, "[;({}");
        if (text[bracket] == '}' || (text[bracket] == '{' && is_struct(text, begin, bracket))) {
            from = bracket + 1; /* into a struct in it, or out of it again */
            continue;
        }
        *out = (shared_declaration){.begin = begin, .is_member = true};
        if (text[bracket] != '[') {
            from = end_of_member(text, begin, end);
            continue;
        }
        out->name = host_declared_name((host_span){text + begin, bracket - begin});
        out->type = member_type(text, begin);
        out->end = bracket;
        while (text[out->end] == '[' && out->dims < SHARED_DIMS_MAX) {
            const size_t close = shared_behind(text, out->end);
            out->extent[out->dims++] =
                host_trim((host_span){text + out->end + 1, close - out->end - 2});
            out->end = close;
        }
        out->scope_end = strlen(text);
        *at = out->end + strcspn(text + out->end, ",;");
        *at += *at < end;
        return out->name.length > 0 && out->end <= end;
    }
    return false;
}
