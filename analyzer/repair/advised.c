/* SPDX-License-Identifier: MIT */
/*
 * Turns a suggested layout into edits of the source. If the edits would give a different layout
 * from the one that was judged, nothing is written.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>

#include "repair.h"

/* Limits on the size of a source, and of a patch that a person will read. */
enum { SOURCE_BYTES_MAX = 512 << 10, EDITS_MAX = 200 };

typedef struct advised {
    const char *blank; /* the text without comments */
    host_scope scope;
    shared_declaration of;
    layout_change change;
} advised;

static bool write_edits(const advised *a, text_edits *edits) {
    char why[LAYOUT_WHY];
    return layout_write(a->blank, &a->scope, &a->of, &a->change, edits, why) && why[0] == '\0' &&
           !edits->has_failed && edits->count <= EDITS_MAX;
}

static char *diff_of(const advised_source *source, text_edits *edits) {
    size_t length, size;
    char *patch = NULL, *text = text_edits_apply(edits, source->text, source->length, &length);
    FILE *out = text ? open_memstream(&patch, &size) : NULL;
    const bool is_fine = out && unified_diff(out, source->name, source->text, source->length, text,
                                             length, NULL, NULL);
    if (out && (fclose(out) != 0 || !is_fine || size == 0)) {
        free(patch);
        patch = NULL;
    }
    free(text);
    return patch;
}

char *advised_patch(const advised_source *source, const smp_kernel_profile *kernel,
                    const smp_shared_array *array, const smp_seen_fix *fix) {
    host_kernel body;
    advised a = {.blank = NULL};
    text_edits edits = {.count = 0};
    const bool is_named = array && array->name && source->length <= SOURCE_BYTES_MAX;
    char *patch = NULL, *blank = is_named ? host_text_make(source->text, source->length) : NULL;
    a.blank = blank;
    if (blank && candidates_declaration(blank, kernel, array->name, &a.of)) {
        (void)smp_launch_scope(smp_kernel_full_name(kernel), blank, &body, &a.scope);
        if (candidates_seen(kernel, array, &a.of, &a.scope, fix, &a.change) &&
            write_edits(&a, &edits))
            patch = diff_of(source, &edits);
    }
    text_edits_clear(&edits);
    free(blank);
    return patch;
}
