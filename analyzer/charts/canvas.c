/* SPDX-License-Identifier: MIT */
/* A grid of terminal cells, each with one character and one colour. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

#include "visible_text.h"

bool canvas_open(canvas *out, unsigned width, unsigned height) {
    *out = (canvas){width, height, calloc((size_t)width * height + 1, sizeof *out->cells)};
    return out->cells;
}

void canvas_close(canvas *out) {
    free(out->cells);
}

unsigned canvas_put(canvas *out, unsigned x, unsigned y, const char *text, const char *color) {
    for (; *text != '\0'; x++) {
        const size_t bytes = smp_visible_bytes(text, strlen(text));
        const bool is_known = bytes > 0 && bytes < sizeof out->cells->text;
        if (x < out->width && y < out->height) {
            canvas_cell *cell = &out->cells[(size_t)y * out->width + x];
            memset(cell->text, 0, sizeof cell->text);
            memcpy(cell->text, is_known ? text : "?", is_known ? bytes : 1);
            cell->color = color;
        }
        text += is_known ? bytes : 1;
    }
    return x;
}

static bool is_blank(const canvas_cell *cell) {
    return cell->text[0] == '\0' || cell->text[0] == ' ';
}

static void print_line(const canvas_cell *cells, unsigned width, smp_style style, FILE *out) {
    const char *now = "";
    while (width > 0 && is_blank(&cells[width - 1]))
        width--;
    for (unsigned x = 0; x < width; x++) {
        const char *color = is_blank(&cells[x]) ? now : cells[x].color;
        if (style.color && strcmp(color, now) != 0)
            fprintf(out, "%s%s", now[0] ? "\033[0m" : "", color);
        now = color;
        fputs(cells[x].text[0] ? cells[x].text : " ", out);
    }
    fprintf(out, "%s\n", now[0] && style.color ? "\033[0m" : "");
}

void canvas_print(const canvas *what, smp_style style, FILE *out) {
    for (unsigned y = 0; y < what->height; y++)
        print_line(&what->cells[(size_t)y * what->width], what->width, style, out);
}
