/* SPDX-License-Identifier: MIT */
/*
 * What all texts for people share: colours, and lines that end before the edge of a terminal.
 */
#include "style.h"

#include <stdio.h>
#include <string.h>

#include "visible_text.h"

#define COLUMNS 78

const char *smp_paint(smp_style style, const char *color) {
    return style.color ? color : "";
}

void smp_wrapped_paint(FILE *out, const char *label, const char *text, const char *color) {
    const char *plain = color[0] != '\0' ? "\033[0m" : "";
    int indent = (int)strlen(label), at = indent;
    fprintf(out, "%s%s", label, color);
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        int word = (int)strcspn(text, " ");
        if (at > indent && at + 1 + word > COLUMNS) {
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

void smp_wrapped_print(FILE *out, const char *label, const char *text) {
    smp_wrapped_paint(out, label, text, "");
}
