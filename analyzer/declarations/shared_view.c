/* SPDX-License-Identifier: MIT */
/*
 * Structs that hold a pointer to an array and the length of its rows, made by a constructor or as
 * aggregates.
 */
#include <string.h>

#include "shared_names.h"
#include "source_words.h"

/* Finds data member `index` of a struct, such as "double *p". */
static bool data_member(host_span body, unsigned index, host_span *out) {
    for (size_t at = 0; at < body.length;) {
        size_t end = at;
        while (end < body.length && !strchr(";{:", body.text[end]))
            end = body.text[end] == '(' ? end + shared_behind(body.text + end, 0) : end + 1;
        const bool is_data = end < body.length && body.text[end] == ';';
        *out = host_between(body.text + at, body.text + end);
        if (is_data && out->length > 0 && index-- == 0)
            return true;
        at = end < body.length && body.text[end] == '{' ? end + shared_behind(body.text + end, 0)
                                                        : end + 1;
    }
    return false;
}

/* Reads parameters and initializers of "TYPE(double *p_, int ld_) : p(p_), ld(ld_) {". */
static bool read_constructor(const char *text, host_span type, host_span body, shared_name *out) {
    const size_t begin = (size_t)(body.text - text), end = begin + body.length;
    for (size_t at = begin; (at = source_next_word(text, type, at, end)) < end; at++) {
        const size_t open = source_behind_blanks(text, at + type.length);
        const size_t close = text[open] == '(' ? shared_behind(text, open) : open;
        const size_t colon = source_behind_blanks(text, close);
        if (close == open || text[colon] != ':')
            continue;
        out->parameters = (host_span){text + open + 1, close - open - 2};
        out->given = (host_span){text + colon + 1, strcspn(text + colon + 1, "{;")};
        return true;
    }
    return false;
}

/* Returns the member that "m(name)" initializes or, with `is_back`, the name that initializes
 * member `name`. */
static host_span given_name(host_span given, host_span name, bool is_back) {
    for (size_t at = 0; (at = source_next_word(given.text, name, at, given.length)) < given.length;
         at++) {
        const size_t behind = source_behind_blanks(given.text, at + name.length);
        const size_t front = source_before_blanks(given.text, at);
        if (is_back && strchr("({", given.text[behind]))
            return source_word(given.text, source_behind_blanks(given.text, behind + 1));
        if (!is_back && front > 0 && strchr("({", given.text[front - 1]))
            return source_word_before(given.text, source_before_blanks(given.text, front - 1));
    }
    return (host_span){given.text, 0};
}

bool shared_view_part(const char *text, host_span type, host_span body, unsigned index,
                      shared_name *out, host_span *part) {
    if (read_constructor(text, type, body, out))
        return host_part(out->parameters, index, part);
    out->parameters = body;
    out->is_aggregate = true;
    return data_member(body, index, part);
}

/* The place in the body that declares the member. */
static bool find_member(host_span body, host_span name, size_t *at) {
    for (*at = 0; (*at = source_next_word(body.text, name, *at, body.length)) < body.length; ++*at)
        if (strchr(";,)", body.text[source_behind_blanks(body.text, *at + name.length)]))
            return true;
    return false;
}

bool shared_view_member(const char *text, host_span body, host_span part, shared_name *out) {
    size_t at;
    if (out->given.length > 0)
        out->of.name = given_name(out->given, host_declared_name(part), false);
    if (out->of.name.length == 0 || !find_member(body, out->of.name, &at))
        return false;
    out->of.begin = (size_t)(body.text - text) + at;
    out->of.end = out->of.begin + out->of.name.length;
    return true;
}

bool shared_parameter(const shared_name *of, host_span name, unsigned *index) {
    host_span part;
    if (of->given.length > 0)
        name = given_name(of->given, name, true);
    for (*index = 0; name.length > 0 && of->parameters.length > 0; ++*index) {
        if (!(of->is_aggregate ? data_member : host_part)(of->parameters, *index, &part))
            return false;
        if (host_same(host_declared_name(part), name))
            return true;
    }
    return false;
}
