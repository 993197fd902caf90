/* SPDX-License-Identifier: MIT */
/*
 * Values.
 */
#include "put.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "progress.h"
#include "style.h"
#include "visible_text.h"

const char *count_text(uint64_t value) {
    static char texts[8][32];
    static unsigned next;
    char *text = texts[next++ % 8];
    (void)progress_number(value, text);
    return text;
}

void put_wrapped(FILE *out, const char *label, const char *format, ...) {
    char text[2048];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    smp_wrapped_print(out, label, text);
}

void put_csv_count(FILE *out, bool is_known, uint64_t value) {
    if (is_known)
        fprintf(out, ",%" PRIu64, value);
    else
        fputc(',', out);
}

void put_csv_real(FILE *out, bool is_known, double value) {
    if (is_known)
        fprintf(out, ",%.3f", value);
    else
        fputc(',', out);
}

void put_csv_field(FILE *out, const char *text) {
    fputc(',', out);
    put_csv_text(out, text, text ? strlen(text) : 0);
}

void put_csv_text(FILE *out, const char *text, size_t length) {
    fputc('"', out);
    if (text && length > 0 && strchr("=+-@", text[0]) != NULL && text[0] != '\0')
        fputc('\'', out);
    for (size_t start = 0; text && start < length;) {
        const char *quote = memchr(text + start, '"', length - start);
        const size_t end = quote ? (size_t)(quote - text) : length;
        smp_visible_put(out, text + start, end - start);
        fputs(quote ? "\"\"" : "", out);
        start = end + (quote != NULL);
    }
    fputc('"', out);
}

void put_range(FILE *out, int width, bool is_known, uint64_t low, uint64_t high) {
    char text[48] = "-";
    if (is_known && low == high)
        (void)snprintf(text, sizeof text, "%" PRIu64, low);
    else if (is_known)
        (void)snprintf(text, sizeof text, "%" PRIu64 "-%" PRIu64, low, high);
    fprintf(out, "%*s", width, text);
}

const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}
