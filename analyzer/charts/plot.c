/* SPDX-License-Identifier: MIT */
/* Formats the data of charts and the variables of their scripts. */
#include "plot.h"
#include "put.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "text_buffer.h"

/* gnuplot escapes a quote by doubling it. */
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
        return; /* the script then stops at the missing variable */
    put_quoted(quoted, sizeof quoted, value);
    text_buffer more = text_buffer_over(out->variables + out->variables_length, room);
    text_add(&more, "%s='%s';", name, quoted);
    out->variables_length += more.length;
}

/* "measured on NVIDIA H200, driver ..., CUDA ..., date". */
static void measured_on(plot *out, const smp_measured *m) {
    PLOT_TEXT(out->provenance, "measured on %s, driver %s, CUDA %s%s%s", m->device, m->driver,
              m->cuda, m->date[0] ? ", " : "", m->date);
}

void plot_put_text(FILE *out, const char *text) {
    if (text[strcspn(text, ",\"\n")] == '\0') {
        fprintf(out, ",%s", text);
        return;
    }
    fputc(',', out);
    put_csv_text(out, text, strlen(text));
}

bool plot_put_measured(plot *out, const smp_measured *m, bool has_cycles) {
    if (m->origin == SMP_NOT_MEASURED) {
        fputs(has_cycles ? ",,,,,,\n" : ",,,,,\n", out->data);
        return false;
    }
    fprintf(out->data, ",%" PRIu64 "%s", m->count, has_cycles ? "," : "");
    if (has_cycles && m->has_cycles)
        fprintf(out->data, "%.2f", m->cycles);
    const char *const origin[] = {m->device, m->driver, m->cuda, m->date};
    for (size_t i = 0; i < sizeof origin / sizeof origin[0]; i++)
        plot_put_text(out->data, origin[i]);
    fputc('\n', out->data);
    measured_on(out, m);
    return true;
}

smp_status plot_sweep(plot *out, sweep *all, smp_error *error) {
    if (smp_recorded_ready(error) || sweep_make(&out->ask->axes, &out->ask->arch, all, error))
        return error->status;
    plot_set(out, "first_stride", "%" PRIu32, all->reports[0].pattern.stride);
    plot_set(out, "last_stride", "%" PRIu32, all->reports[all->count - 1].pattern.stride);
    return SMP_OK;
}

void plot_archs_label(const smp_arch *first, const smp_arch *last, char *text, size_t size) {
    char until[16] = "", families[48], mode[24] = "";
    bool is_one = first->cc_major == last->cc_major && first->cc_minor == last->cc_minor;
    if (!is_one)
        (void)snprintf(until, sizeof until, " - %u.%u", last->cc_major, last->cc_minor);
    bool is_family = strcmp(first->family, last->family) == 0;
    (void)snprintf(families, sizeof families, "%.20s%s%.20s", first->family, is_family ? "" : " - ",
                   is_family ? "" : last->family);
    if (first->bank_bytes_alt != 0)
        (void)snprintf(mode, sizeof mode, " (%u-byte banks)", first->bank_bytes);
    (void)snprintf(text, size, "%u.%u%s %s%s", first->cc_major, first->cc_minor, until, families,
                   mode);
}
