/* SPDX-License-Identifier: MIT */
/* What all texts for people share: colours, and lines that end before the edge of a terminal. */
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

/* COLUMNS of the environment, or 0. */
static int columns_asked(void) {
    const char *text = getenv("COLUMNS");
    char *end = NULL;
    const long columns = text ? strtol(text, &end, 10) : 0;
    return text && end != text && *end == '\0' && columns > 0 && columns <= COLUMNS_MOST
               ? (int)columns
               : 0;
}

static int columns_of_file(int file) {
    struct winsize size = {0};
    if (!isatty(file) || ioctl(file, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col <= COLUMNS_MOST ? size.ws_col : 0;
}

/* A stream without a file descriptor passes its text to standard output or standard error. */
static int columns_of_terminal(FILE *out) {
    const int file = fileno(out);
    if (file >= 0)
        return columns_of_file(file);
    const int columns = columns_of_file(STDOUT_FILENO);
    return columns > 0 ? columns : columns_of_file(STDERR_FILENO);
}

int smp_columns_known(FILE *out) {
    const int asked = columns_asked(), columns = asked > 0 ? asked : columns_of_terminal(out);
    return columns > 0 && columns < COLUMNS_LEAST ? COLUMNS_LEAST : columns;
}

int smp_columns(FILE *out) {
    const int columns = smp_columns_known(out);
    return columns > 0 ? columns : COLUMNS_UNKNOWN;
}

/* A label that leaves fewer columns than this for the words gets a line of its own. */
enum { WORDS_LEAST = 20, HANG_NARROW = 6 };

static int most_columns(FILE *out) {
    const int columns = smp_columns(out);
    return columns < COLUMNS_READABLE ? columns : COLUMNS_READABLE;
}

/* Prints words in a colour on a line that has `at` columns; later lines begin at column `hang`. */
static void put_words(FILE *out, int at, int hang, const char *text, const char *color) {
    const char *plain = color[0] != '\0' ? "\033[0m" : "";
    const int most = most_columns(out);
    bool begins = true; /* no word stands on the line */
    fputs(color, out);
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        int word = (int)strcspn(text, " ");
        if ((!begins || at > hang) && at + !begins + word > most) {
            fprintf(out, "%s\n%*s%s", plain, hang, "", color);
            at = hang;
        } else if (!begins) {
            at += fprintf(out, " ");
        }
        smp_visible_put(out, text, (size_t)word);
        at += word;
        text += word;
        begins = false;
    }
    fprintf(out, "%s\n", plain);
}

void smp_wrapped_paint(FILE *out, const char *label, const char *text, const char *color) {
    const int length = (int)strlen(label), most = most_columns(out);
    const bool is_narrow = length > HANG_NARROW && most - length < WORDS_LEAST && text[0] != '\0';
    int blanks = 0;
    while (is_narrow && blanks < length && label[length - blanks - 1] == ' ')
        blanks++;
    fprintf(out, "%.*s", length - blanks, label);
    if (is_narrow)
        fprintf(out, "\n%*s", HANG_NARROW, "");
    put_words(out, is_narrow ? HANG_NARROW : length, is_narrow ? HANG_NARROW : length, text, color);
}

void smp_wrapped_print(FILE *out, const char *label, const char *text) {
    smp_wrapped_paint(out, label, text, "");
}

void smp_wrapped_hang(FILE *out, int at, int hang, const char *text) {
    put_words(out, at, hang, text, "");
}
