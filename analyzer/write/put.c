/* SPDX-License-Identifier: MIT */
/* Formats values. */
#include "put.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "text_buffer.h"

const char *count_text(uint64_t value) {
    static _Thread_local char texts[8][32];
    static _Thread_local unsigned next;
    char *text = texts[next++ % 8];
    (void)text_grouped(value, text);
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

/* Writes one number by a conversion such as "%5u" or "%lx". */
static void put_conversion(FILE *out, const char *spec, size_t length, va_list *values) {
    char own[16];
    (void)snprintf(own, sizeof own, "%.*s", (int)length, spec);
    if (strpbrk(own, "fge"))
        fprintf(out, own, va_arg(*values, double));
    else if (strstr(own, "ll"))
        fprintf(out, own, va_arg(*values, unsigned long long));
    else if (strpbrk(own, "lz")) /* long and size_t have one size on all targets */
        fprintf(out, own, va_arg(*values, unsigned long));
    else
        fprintf(out, own, va_arg(*values, unsigned));
}

void put_escaped(FILE *out, put_escape *escape, const char *format, ...) {
    va_list values;
    va_start(values, format);
    for (const char *at = format; *at != '\0';) {
        const size_t plain = strcspn(at, "%");
        (void)fwrite(at, 1, plain, out);
        at += plain;
        if (strncmp(at, "%s", 2) == 0 || strncmp(at, "%.*s", 4) == 0) {
            const int most = at[1] == '.' ? va_arg(values, int) : -1;
            const char *text = va_arg(values, const char *);
            if (text)
                escape(out, text, most >= 0 ? (size_t)most : strlen(text));
            at += most >= 0 ? 4 : 2;
        } else if (strncmp(at, "%%", 2) == 0) {
            fputc('%', out);
            at += 2;
        } else if (*at == '%') {
            const size_t length = strcspn(at, "cdufgex") + 1;
            put_conversion(out, at, length, &values);
            at += length;
        }
    }
    va_end(values);
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
    if (text && length > 0 && strchr("=+-@", text[0]) && text[0] != '\0')
        fputc('\'', out);
    for (size_t start = 0; text && start < length;) {
        const char *quote = memchr(text + start, '"', length - start);
        const size_t end = quote ? (size_t)(quote - text) : length;
        smp_visible_put(out, text + start, end - start);
        fputs(quote ? "\"\"" : "", out);
        start = end + !!quote;
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

const char *put_diff_color(smp_style style, char sign) {
    return smp_paint(style, sign == '+'   ? "\033[32m"
                            : sign == '-' ? "\033[31m"
                            : sign == '@' ? "\033[2m"
                                          : "");
}

/* Writes a line as it is, with its tabs and the \r of its end, but nothing else that is hidden. */
static void put_source(FILE *out, const char *text, size_t length) {
    const bool is_returned = length > 0 && text[length - 1] == '\r';
    const char *end = text + length - is_returned;
    for (const char *at = text; at < end;) {
        const char *tab = memchr(at, '\t', (size_t)(end - at)), *stop = tab ? tab : end;
        smp_visible_put(out, at, (size_t)(stop - at));
        fputs(tab ? "\t" : "", out);
        at = stop + !!tab;
    }
    fputs(is_returned ? "\r" : "", out);
}

void put_diff(FILE *out, const char *patch, smp_style style) {
    for (const char *at = patch; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        const char *color = put_diff_color(style, *at);
        fputs(color, out);
        put_source(out, at, length);
        fprintf(out, "%s\n", *color ? "\033[0m" : "");
        at += length + (at[length] == '\n');
    }
}

const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}
