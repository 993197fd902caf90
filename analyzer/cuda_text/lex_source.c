/* SPDX-License-Identifier: MIT */
/*
 * What is kept from text to text.
 */
#include <stdlib.h>
#include <string.h>

#include "lex.h"

typedef struct ct_kept_text {
    struct ct_kept_text *next;
    char text[];
} ct_kept_text;

const char *ct_source_keep(ct_source *source, const char *text, size_t length) {
    ct_kept_text *kept = malloc(sizeof *kept + length + 1);
    if (!kept)
        return NULL;
    memcpy(kept->text, text, length);
    kept->text[length] = '\0';
    kept->next = source->kept;
    source->kept = kept;
    return kept->text;
}

void ct_source_init(ct_source *source, ct_outside_fn fn, const void *user) {
    memset(source, 0, offsetof(ct_source, macros));
    source->outside = fn;
    source->user = user;
}

void ct_source_clear(ct_source *source) {
    for (ct_kept_text *at = source->kept, *next; at; at = next) {
        next = at->next;
        free(at);
    }
    for (ct_header *at = source->headers, *next; at; at = next) {
        next = at->next;
        free(at->text);
        free(at);
    }
}
