/* SPDX-License-Identifier: MIT */
/*
 * Blanks, a comment and the semicolon at the end are left out.
 */
#include "sass_split.h"

#include <ctype.h>
#include <string.h>

char *smp_sass_skip_blanks(char *text) {
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

void smp_sass_cut_blanks(char *text) {
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
}

void smp_sass_split(char *text, smp_instruction *out) {
    text = smp_sass_skip_blanks(text);
    char *comment = strstr(text, "(*\"");
    char *end = comment == NULL ? strrchr(text, ';') : comment;
    if (end != NULL)
        *end = '\0';
    smp_sass_cut_blanks(text);
    out->predicate = "";
    if (*text == '@') {
        out->predicate = text;
        text += strcspn(text, " \t");
        if (*text != '\0')
            *text++ = '\0';
        text = smp_sass_skip_blanks(text);
    }
    out->opcode = text;
    text += strcspn(text, " \t");
    if (*text != '\0')
        *text++ = '\0';
    out->operands = smp_sass_skip_blanks(text);
}
