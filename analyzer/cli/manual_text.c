/* SPDX-License-Identifier: MIT */
/*
 * Takes a page in Markdown apart.
 */
#include <string.h>

#include "manual_text.h"

typedef struct writer {
    char *text;
    size_t length;
} writer;

static void put(writer *to, char c) {
    if (to->length + 1 < MANUAL_TEXT_MAX)
        to->text[to->length++] = c;
    to->text[to->length] = '\0';
}

/* One line's worth, without a link's target and the backslash of an escape. */
static void put_line(writer *to, const char *from, const char *end) {
    bool is_code = false;
    for (; from < end; from++) {
        const char *middle = *from == '[' && !is_code ? strstr(from, "](") : NULL;
        const char *close = middle && middle < end ? strchr(middle, ')') : NULL;
        is_code ^= *from == '`';
        if (close && close < end) {
            put_line(to, from + 1, middle);
            from = close;
        } else if (*from != '\\' || from + 1 == end || from[1] != '|') {
            put(to, *from);
        }
    }
}

static const char *line_end(const char *at) {
    return at + strcspn(at, "\n");
}

/* "| term | meaning |": behind the bar that ends the cell. */
static const char *put_cell(writer *to, const char *at, const char *end) {
    at += strspn(at, "| ");
    const char *bar = at;
    while (bar < end && (*bar != '|' || bar[-1] == '\\'))
        bar++;
    const char *last = bar;
    while (last > at && last[-1] == ' ')
        last--;
    put_line(to, at, last);
    return bar;
}

/* A table's head and the line below it are none. */
static bool is_table_head(const char *at) {
    const char *below = line_end(at);
    return strncmp(at, "|--", 3) == 0 || (*below == '\n' && strncmp(below + 1, "|--", 3) == 0);
}

bool manual_block_next(const char **at, manual_block *out) {
    writer term = {out->term, 0}, text = {out->text, 0};
    out->term[0] = out->text[0] = '\0';
    while (**at == '\n' || (**at == '|' && is_table_head(*at)))
        *at = line_end(*at) + (**at == '\n' || *line_end(*at) == '\n');
    if (**at == '\0')
        return false;
    const char *end = line_end(*at);
    if (**at == '|') {
        out->kind = MANUAL_TERM;
        (void)put_cell(&text, put_cell(&term, *at, end), end);
    } else if (**at == '#') {
        out->kind = MANUAL_HEADING;
        put_line(&text, *at + strspn(*at, "# "), end);
    } else {
        out->kind = MANUAL_PARAGRAPH;
        put_line(&text, *at, end);
        while (*end == '\n' && end[1] != '\0' && !strchr("\n|#", end[1])) {
            put(&text, ' ');
            const char *next = line_end(end + 1);
            put_line(&text, end + 1, next);
            end = next;
        }
    }
    *at = end;
    return true;
}
