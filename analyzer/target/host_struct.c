/* SPDX-License-Identifier: MIT */
/* Finds structs, classes and unions in the text of a file. */
#include <string.h>

#include "host_text.h"

/* The keyword at `at`, unless a template or an enum has it; length 0 otherwise. */
static host_span keyword_at(const char *text, const char *at) {
    static const char *const words[] = {"struct", "class", "union", NULL};
    host_span word = {at, 0};
    if (!strchr("cus", *at) || (at > text && text_is_word(at[-1])))
        return word;
    const char *end = host_before_blanks(text, at);
    if (host_is_one_of(host_word(at), words) && !(end > text && strchr("<,", end[-1])) &&
        !host_is(host_word_before(text, end), "enum"))
        word = host_word(at);
    return word;
}

/* Reads "__align__(16) NAME<int> final : BASE {" from `at` on, all but the brace optional. */
static bool read_head(const char *at, host_struct *out) {
    out->behind = at = host_behind_blanks(at);
    out->is_aligned = false;
    for (out->name = host_word(at); out->name.length > 0; out->name = host_word(at)) {
        const char *next = host_behind_blanks(at + out->name.length);
        if (*next != '(')
            break;
        out->is_aligned |= host_contains(host_between(at, host_behind(next)), "align");
        at = host_behind_blanks(host_behind(next));
    }
    at = host_behind_blanks(at + out->name.length);
    out->is_special = *at == '<';
    if (out->is_special)
        at = host_behind_blanks(at + strcspn(at, ">{;") + 1);
    if (host_is(host_word(at), "final"))
        at = host_behind_blanks(at + strlen("final"));
    const char *open = at + strcspn(at, "{;=()");
    if (*open != '{' || (open > at && (*at != ':' || at[1] == ':')))
        return false;
    out->base = open > at ? host_between(at + 1, open) : (host_span){at, 0};
    const char *close = host_behind(open);
    out->body = (host_span){open + 1, (size_t)(close - open) - 2};
    return close[-1] == '}' && close > open + 1;
}

/* Finds the next one with a body from *at on and moves *at into it. */
static bool find_next(const char *text, const char **at, host_struct *out) {
    for (; **at != '\0'; ++*at) {
        const host_span keyword = keyword_at(text, *at);
        if (keyword.length == 0 || !read_head(*at + keyword.length, out))
            continue;
        const char *before = host_before_blanks(text, *at);
        const host_span alias = host_word_before(text, before);
        out->at = host_is(alias, "typedef") ? alias.text : *at;
        out->is_union = host_is(keyword, "union");
        out->alias = out->at == *at
                         ? (host_span){*at, 0}
                         : host_word(host_behind_blanks(host_behind(out->body.text - 1)));
        out->templates = host_templates_before(text, *at);
        *at = out->body.text;
        return true;
    }
    return false;
}

bool host_struct_find(const char *text, host_span name, host_struct *out) {
    for (const char *at = text; find_next(text, &at, out);)
        if (!out->is_special && (host_same(out->name, name) || host_same(out->alias, name)))
            return name.length > 0;
    return false;
}
