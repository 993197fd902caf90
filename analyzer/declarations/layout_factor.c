/* SPDX-License-Identifier: MIT */
/* Classifies expressions by their text, and finds their factors. */
#include "layout_factor.h"

#include <string.h>

bool layout_acts(host_span text) {
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.text[i], next = i + 1 < text.length ? text.text[i + 1] : '\0',
                   before = i > 0 ? text.text[i - 1] : '\0';
        if ((c == '+' && next == '+') || (c == '-' && next == '-') ||
            (c == '=' && next != '=' && !strchr("=<>!", before)))
            return true;
    }
    return false;
}

size_t layout_place(const char *text, host_span span) {
    return (size_t)(span.text - text);
}

bool layout_value(const host_scope *scope, host_span text, int64_t *value) {
    host_scope here = *scope;
    here.at = text.text;
    here.assumed_count = 0;
    return host_value(&here, text, value) && here.assumed_count == 0;
}

/* ---- Factors ---- */

static char before(host_span text, size_t at, size_t *place) {
    while (at > 0 && isspace((unsigned char)text.text[at - 1]))
        at--;
    *place = at > 0 ? at - 1 : 0;
    return at > 0 ? text.text[at - 1] : '\0';
}

static char behind(host_span text, size_t at) {
    while (at < text.length && isspace((unsigned char)text.text[at]))
        at++;
    return at < text.length ? text.text[at] : '\0';
}

/* Returns the end of the word, number or parenthesis that begins at `at`; `at` itself if none
 * does. */
static size_t end_of_operand(host_span text, size_t at) {
    int depth = 0;
    if (text.text[at] != '(') {
        while (at < text.length && (text_is_primary((host_span){text.text + at, 1}) ||
                                    (text.text[at] == ':' && behind(text, at + 1) != ' ')))
            at++;
        return at;
    }
    for (; at < text.length; at++) {
        depth += (text.text[at] == '(') - (text.text[at] == ')');
        if (depth == 0)
            return at + 1;
    }
    return text.length;
}

/* Whether the operand is multiplied by another value. */
static bool is_multiplied(host_span text, size_t begin, size_t end) {
    size_t star, left;
    const char front = before(text, begin, &star), back = behind(text, end);
    const bool is_divided = back == '/' || back == '%';
    if (front == '*' && !is_divided) {
        const char other = before(text, star, &left);
        return text_is_word(other) || other == ')' || other == ']';
    }
    return back == '*' && front != '/' && front != '%' && !text_is_word(front) && front != ')';
}

static bool is_shift(host_span text, size_t at, host_span *out) {
    if (at + 2 >= text.length || text.text[at] != '<' || text.text[at + 1] != '<' ||
        text.text[at + 2] == '<')
        return false;
    size_t begin = at + 2;
    while (begin < text.length && isspace((unsigned char)text.text[begin]))
        begin++;
    const size_t end = begin < text.length ? end_of_operand(text, begin) : begin;
    *out = (host_span){text.text + at, end - at};
    return end > begin;
}

unsigned layout_factors(host_span text, layout_factor out[LAYOUT_FACTORS_MAX]) {
    unsigned count = 0;
    for (size_t at = 0; at < text.length && count < LAYOUT_FACTORS_MAX;) {
        const size_t end = end_of_operand(text, at);
        host_span shift;
        if (is_shift(text, at, &shift)) {
            out[count++] = (layout_factor){shift, true};
            at += 2;
            continue;
        }
        const bool is_call = end > at && text.text[at] != '(' && behind(text, end) == '(';
        if (end > at && !is_call && is_multiplied(text, at, end))
            out[count++] = (layout_factor){{text.text + at, end - at}, false};
        at = end > at && text.text[at] != '(' ? end : at + 1;
    }
    return count;
}

bool layout_one_product(const layout_factor *first, const layout_factor *second) {
    for (const char *at = first->text.text + first->text.length; at < second->text.text; at++)
        if (strchr("+-/%<>&|^,?:", *at))
            return false;
    return true;
}
