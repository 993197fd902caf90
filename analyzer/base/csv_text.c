/* SPDX-License-Identifier: MIT */
/* Rows and cells of comma-separated values (RFC 4180), and the numbers in them. */
#include "csv_text.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"

static smp_status add_cell(csv_row *row, char *cell, smp_error *error) {
    if (!LIST_ROOM(row->cells, row->count))
        return smp_error_memory(error);
    row->cells[row->count++] = cell;
    return SMP_OK;
}

/* Moves a quoted cell, whose opening quote was read, to its start `to` and returns its new end;
 * NULL if the closing quote is missing. */
static char *unquote(csv_text *text, char *to) {
    while (text->at < text->end) {
        const char c = *text->at++;
        const bool is_doubled = c == '"' && text->at < text->end && *text->at == '"';
        if (c == '"' && !is_doubled)
            return to;
        text->at += is_doubled;
        text->line += c == '\n';
        *to++ = c;
    }
    return NULL;
}

/* Reads one cell up to, not including, the comma or line end after it. Text after a closing quote
 * is skipped. */
static smp_status read_cell(csv_text *text, csv_row *row, char **stop, smp_error *error) {
    char *start = text->at;
    char *end = NULL;
    if (text->at < text->end && *text->at == '"') {
        text->at++;
        end = unquote(text, start);
        if (!end)
            return smp_error_set(error, SMP_E_SYNTAX, -1, "line %u: unclosed quote", row->line);
    }
    while (text->at < text->end && *text->at != ',' && *text->at != '\n')
        text->at++;
    *stop = end ? end : text->at;
    if (!end && *stop > start && (*stop)[-1] == '\r')
        --*stop;
    return add_cell(row, start, error);
}

smp_status csv_next(csv_text *text, csv_row *row, smp_error *error) {
    row->count = 0;
    row->line = text->line;
    bool goes_on = text->at < text->end;
    while (goes_on) {
        char *stop = text->at;
        smp_status status = read_cell(text, row, &stop, error);
        if (status != SMP_OK)
            return status;
        goes_on = text->at < text->end && *text->at == ',';
        text->line += text->at < text->end && *text->at == '\n';
        text->at += text->at < text->end;
        *stop = '\0';
    }
    return SMP_OK;
}

/* Length of the digits, or of groups of three digits with commas, at the start; 0: neither. */
static size_t whole_part(const char *text) {
    size_t first = strspn(text, "0123456789"), length = first;
    if (text[length] != ',' || first == 0 || first > 3)
        return length;
    while (text[length] == ',') {
        if (strspn(text + length + 1, "0123456789") != 3)
            return 0;
        length += 4;
    }
    return length;
}

csv_value csv_count(const char *text, double *out) {
    char digits[64];
    size_t length = 0;
    text += strspn(text, " \t");
    if (text[strcspn(text, "0123456789")] == '\0' || strchr(text, '('))
        return CSV_NO_VALUE;
    size_t whole = whole_part(text), end = whole;
    if (whole > 0 && text[end] == '.')
        end += 1 + strspn(text + end + 1, "0123456789");
    if (whole > 0 && (text[end] == 'e' || text[end] == 'E')) {
        size_t sign = text[end + 1] == '+' || text[end + 1] == '-';
        size_t power = strspn(text + end + 1 + sign, "0123456789");
        end += power > 0 ? 1 + sign + power : 0;
    }
    if (whole == 0 || end >= sizeof digits || text[end + strspn(text + end, " \t")] != '\0')
        return CSV_BAD_VALUE;
    for (size_t i = 0; i < end; i++)
        if (text[i] != ',')
            digits[length++] = text[i];
    digits[length] = '\0';
    *out = strtod(digits, NULL);
    return *out <= CSV_COUNT_MAX ? CSV_VALUE : CSV_BAD_VALUE;
}

int csv_find(const csv_row *row, const char *text) {
    char **found = LIST_FIND(row->cells, row->count, text);
    return found ? (int)(found - row->cells) : -1;
}
