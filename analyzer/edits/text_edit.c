/* SPDX-License-Identifier: MIT */
/* Edits of a text. */
#define _POSIX_C_SOURCE 200809L
#include "text_edit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

void text_edits_add(text_edits *to, size_t at, size_t length, const char *format, ...) {
    va_list values;
    size_t size;
    char *text = NULL;
    FILE *file = open_memstream(&text, &size);
    va_start(values, format);
    if (file)
        (void)vfprintf(file, format, values);
    va_end(values);
    if (!file || fclose(file) != 0 || !LIST_ROOM(to->items, to->count)) {
        to->has_failed = true;
        free(text);
        return;
    }
    to->items[to->count++] = (text_edit){at, length, text};
}

void text_edits_clear(text_edits *edits) {
    for (size_t i = 0; i < edits->count; i++)
        free(edits->items[i].text);
    free(edits->items);
    *edits = (text_edits){.count = 0};
}

static int by_place(const void *left, const void *right) {
    const text_edit *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* Whether the line before `at` ends with a carriage return, or that of `at` if it is the first. */
static bool has_returns(const char *text, size_t at) {
    size_t end = at;
    while (end > 0 && text[end - 1] != '\n')
        end--;
    if (end > 0)
        return end > 1 && text[end - 2] == '\r';
    end = at + strcspn(text + at, "\n");
    return end > 0 && text[end] == '\n' && text[end - 1] == '\r';
}

size_t text_edit_size(const char *inserted, const char *text, size_t at) {
    size_t size = strlen(inserted);
    for (const char *c = has_returns(text, at) ? inserted : ""; *c != '\0'; c++)
        size += *c == '\n' && (c == inserted || c[-1] != '\r');
    return size;
}

static void put_edit(FILE *file, const char *inserted, const char *text, size_t at) {
    const bool needs_return = has_returns(text, at);
    for (const char *c = inserted; *c != '\0'; c++) {
        if (needs_return && *c == '\n' && (c == inserted || c[-1] != '\r'))
            (void)fputc('\r', file);
        (void)fputc(*c, file);
    }
}

static void sort_edits(text_edits *edits) {
    if (edits->count > 1)
        qsort(edits->items, edits->count, sizeof *edits->items, by_place);
}

bool text_edits_overlap(text_edits *edits) {
    bool overlap = false;
    sort_edits(edits);
    for (size_t i = 1; i < edits->count; i++)
        overlap |= edits->items[i - 1].at + edits->items[i - 1].length > edits->items[i].at;
    return overlap;
}

char *text_edits_apply(text_edits *edits, const char *text, size_t length, size_t *out_length) {
    char *out = NULL;
    size_t at = 0;
    FILE *file = edits->has_failed ? NULL : open_memstream(&out, out_length);
    if (!file)
        return NULL;
    sort_edits(edits);
    EACH(const text_edit, edit, edits->items, edits->count) {
        (void)fwrite(text + at, 1, edit->at - at, file);
        put_edit(file, edit->text, text, edit->at);
        at = edit->at + edit->length;
    }
    (void)fwrite(text + at, 1, length - at, file);
    if (fclose(file) == 0)
        return out;
    free(out);
    return NULL;
}
