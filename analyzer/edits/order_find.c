/* SPDX-License-Identifier: MIT */
/* Finds statements, blocks and functions in a text without comments and strings. */
#include "order_find.h"

#include <stdio.h>
#include <string.h>

#include "shared_source.h"
#include "source_words.h"

size_t order_line_begin(const char *text, unsigned line) {
    size_t at = 0;
    for (unsigned i = 1; i < line && text[at] != '\0'; at++)
        i += text[at] == '\n' || text[at] == '\v';
    return at;
}

/* Whether the line that ends at `end` is a preprocessor directive other than a pragma. */
static bool is_directive(const char *text, size_t end) {
    const char *line = text + source_behind_last(text, end, "\n");
    return line[strspn(line, " \t")] == '#' && !host_directive(line, "pragma");
}

size_t order_statement_begin(const char *text, size_t at) {
    int depth = 0;
    for (; at > 0; at--) {
        const char c = text[at - 1];
        depth += c == ')';
        depth -= c == '(' && depth > 0;
        if (depth == 0 && (c == '{' || c == '}' || c == ';'))
            break;
        if (c == '\n' && is_directive(text, at - 1))
            break;
    }
    return source_behind_blanks(text, at);
}

size_t order_statement_end(const char *text, size_t begin) {
    const size_t at = source_until(text, begin, ";{}");
    return text[at] == '{' ? shared_behind(text, at) : text[at] == ';' ? at + 1 : at;
}

bool order_block_open(const char *text, size_t at, size_t *open) {
    const char *found = host_around(text, text + at, "{}", "");
    *open = found ? (size_t)(found - text) : *open;
    return found;
}

bool order_begins_with(const char *text, size_t begin, const char *const *words) {
    for (; *words; words++)
        if (strncmp(text + begin, *words, strlen(*words)) == 0 &&
            !text_is_word(text[begin + strlen(*words)]))
            return true;
    return false;
}

bool order_is_controlled(const char *text, size_t begin, size_t open) {
    static const char *const words[] = {"if",   "for",     "while",  "do",
                                        "else", "#pragma", "switch", NULL};
    return begin == open || order_begins_with(text, begin, words);
}

bool order_function(const char *text, size_t at, size_t *open, size_t *end) {
    bool has_any = false;
    while (order_block_open(text, at, &at)) {
        has_any = true;
        *open = at;
        if (!order_is_controlled(text, order_statement_begin(text, at), at))
            break;
    }
    *end = has_any ? shared_behind(text, *open) - 1 : 0;
    return has_any;
}

host_span order_margin(const order_finder *f, size_t at) {
    size_t width = 0;
    while (at > width && strchr(" \t", f->text[at - width - 1]))
        width++;
    return (host_span){f->text + at - width, width};
}

void order_add(order_finder *f, size_t at, size_t length, const char *text, const char *words,
               unsigned line) {
    for (unsigned i = 0; i < f->count; i++)
        if (f->out[i].at == at && strcmp(f->out[i].text, text) == 0)
            return;
    if (f->count == ORDER_CHANGES_MAX || strlen(text) >= ORDER_TEXT)
        return;
    order_change *to = &f->out[f->count++];
    *to = (order_change){.at = at, .length = length, .line = line};
    (void)snprintf(to->text, sizeof to->text, "%s", text);
    (void)snprintf(to->words, sizeof to->words, "%s", words);
}
