/* SPDX-License-Identifier: MIT */
/*
 * What the data of charts are made of, and the variables of their scripts.
 */
#include "plot.h"
#include "put.h"

#include <stdarg.h>
#include <string.h>

#include "text_buffer.h"

/* A quote in a gnuplot string is written twice. */
static void put_quoted(char *to, size_t size, const char *text) {
    size_t length = 0;
    for (; *text != '\0' && length + 2 < size; text++) {
        if (*text == '\'')
            to[length++] = '\'';
        to[length++] = (unsigned char)*text < ' ' ? ' ' : *text;
    }
    to[length] = '\0';
}

void plot_set(plot *out, const char *name, const char *format, ...) {
    char value[1024], quoted[2 * sizeof value];
    va_list given;
    va_start(given, format);
    (void)vsnprintf(value, sizeof value, format, given);
    va_end(given);
    size_t room = sizeof out->variables - out->variables_length;
    if (room < 2 * strlen(value) + strlen(name) + 8)
        return; /* the script stops at the missing variable */
    put_quoted(quoted, sizeof quoted, value);
    text_buffer more = text_buffer_over(out->variables + out->variables_length, room);
    text_add(&more, "%s='%s';", name, quoted);
    out->variables_length += more.length;
}

void plot_measured_on(plot *out, const smp_measured *m) {
    (void)snprintf(out->provenance, sizeof out->provenance,
                   "measured on %s, driver %s, CUDA %s%s%s", m->device, m->driver, m->cuda,
                   m->date[0] ? ", " : "", m->date);
}

void plot_put_text(FILE *out, const char *text) {
    if (text[strcspn(text, ",\"\n")] == '\0') {
        fprintf(out, ",%s", text);
        return;
    }
    fputc(',', out);
    put_csv_text(out, text, strlen(text));
}

void plot_put_origin(FILE *out, const smp_measured *m) {
    plot_put_text(out, m->device);
    plot_put_text(out, m->driver);
    plot_put_text(out, m->cuda);
    plot_put_text(out, m->date);
    fputc('\n', out);
}
