/* SPDX-License-Identifier: MIT */
/* Reads a file with the headers that it includes in quotes, for their kernels and constants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_text.h"
#include "list.h"
#include "text_file.h"

enum { HEADERS_MOST = 64, PATH_BYTES = 4096, BYTES_MOST = 4 << 20 };

typedef struct reading {
    char *headers[HEADERS_MOST]; /* paths */
    unsigned count;
    size_t length; /* length of the text */
    const char *const *flags;
    uint32_t flag_count;
    FILE *text;
} reading;

static bool is_new(reading *r, const char *path) {
    if (LIST_FIND(r->headers, r->count, path) || r->count == HEADERS_MOST ||
        !(r->headers[r->count] = strdup(path)))
        return false;
    r->count++;
    return true;
}

static bool add_file(reading *r, const char *path, bool is_own);

/* Reads a header of this folder; false if it is not there. A header is read once. */
static bool add_from(reading *r, const char *folder, size_t length, const char *name,
                     size_t name_length) {
    char header[PATH_BYTES];
    const int used =
        snprintf(header, sizeof header, "%.*s%.*s", (int)length, folder, (int)name_length, name);
    if (used <= 0 || used >= PATH_BYTES || access(header, R_OK) != 0)
        return false;
    if (is_new(r, header))
        (void)add_file(r, header, false);
    return true;
}

const char *host_search_folder(const char *const *flags, uint32_t count, uint32_t *at) {
    while (*at < count) {
        const char *word = flags[(*at)++];
        if (strncmp(word, "-I", 2) == 0 && (word[2] != '\0' || *at < count))
            return word[2] != '\0' ? word + 2 : flags[(*at)++];
    }
    return NULL;
}

/* Searches the folders of -I. */
static void add_searched(reading *r, const char *name, size_t length) {
    char folder[PATH_BYTES];
    const char *found;
    for (uint32_t i = 0; (found = host_search_folder(r->flags, r->flag_count, &i));) {
        const int used = snprintf(folder, sizeof folder, "%s/", found);
        if (used < PATH_BYTES && add_from(r, folder, (size_t)used, name, length))
            return;
    }
}

/* Reads the header of each `#include "NAME"` line. */
static void add_headers(reading *r, const char *path, const char *text) {
    const char *slash = strrchr(path, '/');
    for (const char *line = text, *next; line; line = next ? next + 1 : NULL) {
        host_span name;
        next = strchr(line, '\n');
        if (!host_included(line, &name) || *name.text != '"')
            continue;
        const bool is_whole = name.text[1] == '/' || !slash;
        const size_t length = name.length - 1;
        if (!add_from(r, path, is_whole ? 0 : (size_t)(slash - path + 1), name.text + 1, length))
            add_searched(r, name.text + 1, length);
    }
}

static bool add_file(reading *r, const char *path, bool is_own) {
    char *text;
    size_t length;
    smp_error ignored;
    if (smp_text_read(path, &text, &length, &ignored) != SMP_OK)
        return false;
    char *blank = length < BYTES_MOST - r->length ? host_text_make(text, length) : NULL;
    r->length += blank ? length : 0;
    if (blank)
        add_headers(r, path, text);
    if (blank)
        fprintf(r->text, "%c%s\n", is_own ? HOST_OWN : ' ', blank);
    free(text);
    free(blank);
    return blank;
}

char *host_text_read(const char *path, const char *const *flags, uint32_t flag_count) {
    size_t length;
    char *text = NULL;
    reading r = {.flags = flags, .flag_count = flag_count, .text = open_memstream(&text, &length)};
    if (!r.text)
        return NULL;
    const bool is_read = add_file(&r, path, true);
    for (unsigned i = 0; i < r.count; i++)
        free(r.headers[i]);
    if (fclose(r.text) == 0 && is_read)
        return host_launches_expand(text);
    free(text);
    return NULL;
}
