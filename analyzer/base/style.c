/* SPDX-License-Identifier: MIT */
/*
 * What all texts for people share: colours, and lines that end before the edge of a terminal.
 */
#define _DEFAULT_SOURCE /* ioctl, isatty */
#include "style.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "visible_text.h"

enum { COLUMNS_UNKNOWN = 78, COLUMNS_LEAST = 40, COLUMNS_MOST = 1000, COLUMNS_READABLE = 100 };

const char *smp_paint(smp_style style, const char *color) {
    return style.color ? color : "";
}

/* What the environment says, or 0. */
static int columns_asked(void) {
    const char *text = getenv("COLUMNS");
    char *end = NULL;
    const long columns = text ? strtol(text, &end, 10) : 0;
    return text && end != text && *end == '\0' && columns > 0 && columns <= COLUMNS_MOST
               ? (int)columns
               : 0;
}

static int columns_of_terminal(FILE *out) {
    struct winsize size = {0};
    const int file = fileno(out);
    if (file < 0 || !isatty(file) || ioctl(file, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col <= COLUMNS_MOST ? size.ws_col : 0;
}

int smp_columns_or(FILE *out, int unknown) {
    int columns = columns_asked();
    if (columns == 0)
        columns = columns_of_terminal(out);
    if (columns == 0)
        columns = unknown;
    return columns > COLUMNS_LEAST ? columns : COLUMNS_LEAST;
}

int smp_columns(FILE *out) {
    return smp_columns_or(out, COLUMNS_UNKNOWN);
}

/* Words in a colour from column `indent` on, where the line stands. */
static void put_words(FILE *out, int indent, const char *text, const char *color) {
    const char *plain = color[0] != '\0' ? "\033[0m" : "";
    const int columns = smp_columns(out);
    const int most = columns < COLUMNS_READABLE ? columns : COLUMNS_READABLE;
    int at = indent;
    fputs(color, out);
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        int word = (int)strcspn(text, " ");
        if (at > indent && at + 1 + word > most) {
            fprintf(out, "%s\n%*s%s", plain, indent, "", color);
            at = indent;
        } else if (at > indent) {
            at += fprintf(out, " ");
        }
        smp_visible_put(out, text, (size_t)word);
        at += word;
        text += word;
    }
    fprintf(out, "%s\n", plain);
}

void smp_wrapped_paint(FILE *out, const char *label, const char *text, const char *color) {
    fputs(label, out);
    put_words(out, (int)strlen(label), text, color);
}

void smp_wrapped_print(FILE *out, const char *label, const char *text) {
    smp_wrapped_paint(out, label, text, "");
}

void smp_wrapped_rest(FILE *out, int indent, const char *text) {
    put_words(out, indent, text, "");
}
