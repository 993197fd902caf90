/* SPDX-License-Identifier: MIT */
/*
 * Lines are cut at columns. An escape sequence takes no column, a tab as many as on a terminal,
 * wide characters two, and any other character one.
 */
#define _GNU_SOURCE /* fopencookie */
#include "style.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "list.h"
#include "visible_text.h"

enum { CUTS_MAX = 16, COLUMNS_MOST = 1000, INDENT = 4, LABEL_MOST = 16, TAB = 8 };

typedef struct line {
    const char *text;
    size_t length;
    unsigned width;
    bool is_long, is_row; /* is_row: it has several columns of text */
} line;

/* The columns at which the lines of a table are cut. */
typedef struct cuts {
    unsigned at[CUTS_MAX];   /* columns; the first is 0 */
    unsigned left[CUTS_MAX]; /* blanks that all parts begin with */
    size_t count;
} cuts;

/* ---- Columns of a line ---- */

/* East Asian characters, their full-width forms, and emoji: two columns (UAX 11, without what is
 * ambiguous). */
static bool is_wide(const unsigned char *text, size_t bytes) {
    if (bytes == 3)
        return (text[0] >= 0xE3 && text[0] <= 0xED) ||
               (text[0] == 0xEF && (text[1] == 0xBC || text[1] == 0xBD));
    return bytes == 4 && text[0] == 0xF0 && (text[1] == 0x9F || text[1] == 0xA0);
}

/* The bytes of the first character or escape sequence of `text`, and the columns it takes at column
 * `at`. */
static size_t step(const char *text, size_t length, unsigned at, unsigned *columns) {
    size_t bytes = 1;
    *columns = 1;
    if (text[0] == '\033') {
        while (bytes < length && text[bytes] != 'm')
            bytes++;
        *columns = 0;
        return bytes < length ? bytes + 1 : bytes;
    }
    if (text[0] == '\t')
        *columns = TAB - at % TAB;
    else if (smp_utf8_bytes(text, length) > 0)
        bytes = smp_utf8_bytes(text, length);
    *columns += is_wide((const unsigned char *)text, bytes);
    return bytes;
}

/* The byte at which column `column` begins, or the length of the line. */
static size_t find_column(const line *of, unsigned column) {
    size_t i = 0;
    for (unsigned at = 0, wide; i < of->length; at += wide) {
        const size_t bytes = step(of->text + i, of->length - i, at, &wide);
        if (at + wide > column && wide > 0)
            break;
        i += bytes;
    }
    return i;
}

static unsigned width_of(const char *text, size_t length) {
    unsigned at = 0, wide;
    for (size_t i = 0; i < length; at += wide)
        i += step(text + i, length - i, at, &wide);
    return at;
}

/* True for a blank, and for everything behind the end of the line. */
static bool is_blank(const line *of, unsigned column) {
    const size_t i = find_column(of, column);
    return i >= of->length || of->text[i] == ' ' || of->text[i] == '\t';
}

static size_t blanks(const line *of) {
    size_t i = 0;
    while (i < of->length && of->text[i] == ' ')
        i++;
    return i;
}

/* ---- Lines that are no rows ---- */

/* The column at which continued lines begin: after a label and its blanks, else indented. */
static unsigned hang_of(const line *of, unsigned columns) {
    const size_t indent = blanks(of);
    for (size_t i = indent; i + 2 < of->length && i < LABEL_MOST; i++) {
        size_t end = i;
        while (end < of->length && of->text[end] == ' ')
            end++;
        if (end > i + 1 && end < columns / 3)
            return (unsigned)end;
    }
    return (unsigned)(indent + INDENT < columns / 3 ? indent + INDENT : columns / 3);
}

/* Bytes of `text` that go on a line of `room` columns: up to the last blank, else all that fit. */
static size_t part_of(const char *text, size_t length, unsigned room) {
    const line rest = {text, length, 0, false, false};
    const size_t end = find_column(&rest, room);
    size_t at = end;
    while (at > 0 && text[at] != ' ')
        at--;
    while (at > 0 && text[at - 1] == ' ')
        at--;
    return at > 0 ? at : end > 0 ? end : length;
}

void fold_rest(FILE *to, int columns, int at, int hang, const char *text, size_t length) {
    for (int indent = 0; length > 0; indent = hang) {
        const bool fits = at + (int)width_of(text, length) <= columns;
        const size_t part = fits ? length : part_of(text, length, (unsigned)(columns - at));
        fprintf(to, "%*s%.*s\n", indent, "", (int)part, text);
        text += part;
        length -= part;
        for (; length > 0 && *text == ' '; length--)
            text++;
        at = hang;
    }
}

static void put_words(FILE *to, const line *of, unsigned columns) {
    const size_t indent = blanks(of), first = indent < columns / 2 ? indent : columns / 2;
    fprintf(to, "%*s", (int)first, "");
    fold_rest(to, (int)columns, (int)first, (int)hang_of(of, columns), of->text + indent,
              of->length - indent);
}

/* ---- Rows of a table ---- */

/* True if `column` follows a blank in all rows, and if `wide` several blanks in most rows: words of
 * a heading have one blank between them. */
static bool can_cut(const line *lines, size_t count, unsigned column, bool wide) {
    size_t rows = 0, gaps = 0;
    for (size_t i = 0; i < count; i++) {
        if (!lines[i].is_row || lines[i].width <= column)
            continue;
        if (!is_blank(&lines[i], column - 1))
            return false;
        rows++;
        gaps += is_blank(&lines[i], column) || is_blank(&lines[i], column - 2);
    }
    return !wide || 2 * gaps >= rows;
}

/* The last column up to `most` where all rows may be cut, or 0. */
static unsigned last_cut(const line *lines, size_t count, unsigned from, unsigned most) {
    for (unsigned wide = 2; wide-- > 0;)
        for (unsigned c = most; c > from + (most - from) / (wide ? 2u : 3u); c--)
            if (can_cut(lines, count, c, wide == 1))
                return c;
    return 0;
}

/* The blanks that all rows have behind a cut. */
static unsigned common_blanks(const line *lines, size_t count, unsigned from) {
    for (unsigned more = 0; from + more < COLUMNS_MOST; more++)
        for (size_t i = 0; i < count; i++)
            if (lines[i].is_row && lines[i].width > from + more &&
                !is_blank(&lines[i], from + more))
                return more;
    return 0;
}

/* False if the rows have no columns in common. */
static bool find_cuts(const line *lines, size_t count, unsigned columns, cuts *out) {
    unsigned widest = 0;
    *out = (cuts){{0}, {0}, 1};
    for (size_t i = 0; i < count; i++)
        if (lines[i].is_row && lines[i].width > widest)
            widest = lines[i].width;
    for (unsigned at = 0, room = columns; widest - at > room; room = columns - INDENT) {
        const unsigned next = last_cut(lines, count, at, at + room);
        if (next == 0 || out->count == CUTS_MAX)
            return false;
        out->left[out->count] = common_blanks(lines, count, next);
        at = next + out->left[out->count];
        out->at[out->count++] = at;
        if (at >= widest)
            break;
    }
    return true;
}

static void put_row(FILE *to, const line *of, const cuts *where) {
    for (size_t k = 0; k < where->count; k++) {
        const size_t begin = find_column(of, where->at[k]);
        size_t end = k + 1 < where->count ? find_column(of, where->at[k + 1]) : of->length;
        while (end > begin && of->text[end - 1] == ' ')
            end--;
        if (end > begin)
            fprintf(to, "%*s%.*s\n", k ? INDENT : 0, "", (int)(end - begin), of->text + begin);
    }
}

/* ---- Blocks ---- */

/* Cuts all rows at the same columns if they have some in common; else only consecutive rows; else
 * each line alone. */
static void put_lines(FILE *to, const line *lines, size_t count, unsigned columns) {
    cuts where;
    const bool is_table = find_cuts(lines, count, columns, &where);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (lines[i].is_row && end < count && lines[end].is_row)
            end++;
        if (!lines[i].is_long)
            fprintf(to, "%.*s\n", (int)lines[i].length, lines[i].text);
        else if (lines[i].is_row && is_table)
            put_row(to, &lines[i], &where);
        else if (lines[i].is_row && end - i < count) {
            put_lines(to, lines + i, end - i, columns);
            i = end - 1;
        } else
            put_words(to, &lines[i], columns);
        i++;
    }
}

static line line_of(const char *text, size_t length, unsigned columns) {
    line out = {text, length, width_of(text, length), false, false};
    while (out.length > 0 && text[out.length - 1] == ' ')
        out.length--;
    out.width = width_of(text, out.length);
    out.is_long = out.width > columns;
    for (size_t i = blanks(&out); i + 1 < out.length && out.is_long; i++)
        out.is_row = out.is_row || (text[i] == ' ' && text[i + 1] == ' ');
    return out;
}

void fold_put(FILE *to, int columns, const char *text, size_t length) {
    line *lines = NULL;
    size_t count = 0;
    for (size_t i = 0; i < length;) {
        const char *end = memchr(text + i, '\n', length - i);
        const size_t bytes = end ? (size_t)(end - text) - i : length - i;
        if (!LIST_ROOM(lines, count)) { /* out of memory: long lines are better than lost ones */
            (void)fwrite(text + i, 1, length - i, to);
            break;
        }
        lines[count++] = line_of(text + i, bytes, (unsigned)columns);
        i += bytes + 1;
    }
    put_lines(to, lines, count, (unsigned)columns);
    free(lines);
}

/* ---- The stream ---- */

typedef struct fold {
    FILE *to;
    int columns;
    char *text; /* owned: the text since the last empty line */
    size_t length;
} fold;

static void put_text(fold *of) {
    fold_put(of->to, of->columns, of->text, of->length);
    free(of->text);
    of->text = NULL;
    of->length = 0;
}

static ssize_t take(void *cookie, const char *text, size_t size) {
    fold *of = cookie;
    for (size_t i = 0; i < size; i++) {
        if (!LIST_ROOM(of->text, of->length))
            return 0;
        of->text[of->length++] = text[i];
        if (text[i] == '\n' && (of->length == 1 || of->text[of->length - 2] == '\n'))
            put_text(of);
    }
    return ferror(of->to) ? 0 : (ssize_t)size;
}

static int end(void *cookie) {
    fold *of = cookie;
    if (of->length > 0)
        put_text(of);
    free(of);
    return 0;
}

FILE *fold_open(FILE *to, int columns) {
    const cookie_io_functions_t functions = {NULL, take, NULL, end};
    fold *of = calloc(1, sizeof *of);
    if (!of)
        return NULL;
    *of = (fold){to, columns, NULL, 0};
    FILE *out = fopencookie(of, "w", functions);
    if (!out)
        free(of);
    return out;
}
