/* SPDX-License-Identifier: MIT */
/*
 * Kernels as a stream of accesses: the script of a variant, one class of blocks at a time, or
 * its trace over the input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout_view.h"
#include "smp_forecast.h"

/* ---- Traces ---- */

static smp_status follow_trace(const smp_kernel_stream *from, smp_visit_fn visit, void *user,
                               smp_error *error) {
    void *made = NULL;
    const void *in = from->in;
    if (!in) {
        made = malloc((size_t)from->family->bytes(from->problem).in);
        if (!made)
            return smp_error_set(error, SMP_E_MEMORY, -1, "out of memory for the input");
        from->family->fill(from->problem, made);
        in = made;
    }
    smp_kernel_trace to = {.visit = visit, .user = user, .error = error};
    from->variant->trace(from->problem, in, &to);
    free(made);
    return to.status;
}

/* ---- Scripts ---- */

typedef struct script_walk {
    const smp_kernel_script *script;
    smp_visit_fn visit;
    void *user;
    const smp_layout *layout;
    uint64_t times; /* number of equal blocks */
    size_t index;   /* access described by `site` */
    char site[SMP_SITE_NAME_MAX];
    bool has_stopped; /* the visitor failed */
} script_walk;

/* Names a site by the comment in the access's line of the script, or by the access itself. */
static void name_site(script_walk *w, size_t index) {
    smp_layout_access access;
    smp_layout_access_at(w->layout, index, &access);
    const char *at = w->script->text, *name = access.text;
    size_t length = access.length;
    for (unsigned line = 1; line < access.line && at; line++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    const char *end = at ? strchr(at, '\n') : NULL;
    const char *mark = at && end ? memchr(at, '#', (size_t)(end - at)) : NULL;
    if (mark) {
        name = mark + 1 + strspn(mark + 1, " ");
        length = name < end ? (size_t)(end - name) : 0;
    }
    w->index = index;
    (void)snprintf(w->site, sizeof w->site, "%.*s", (int)length, name);
}

/* A request occurs in every block of the class. */
static smp_status show(void *user, const smp_occurrence *seen, smp_error *error) {
    script_walk *w = user;
    smp_access access = *seen->access;
    smp_occurrence of_all = *seen;
    of_all.access = &access;
    of_all.times *= w->times;
    of_all.site = w->site;
    if (seen->ranks)
        smp_access_place_in_blocks(&access, seen->ranks);
    if (w->index != seen->index)
        name_site(w, seen->index);
    const smp_status status = w->visit(w->user, &of_all, error);
    w->has_stopped = status != SMP_OK;
    return status;
}

static smp_status show_block(script_walk *w, const smp_script_block *block, smp_error *error) {
    char index[24];
    unsigned line = 0;
    smp_error cause = {0};
    smp_layout *layout = smp_layout_new();
    const smp_layout_stream stream = {layout, &line};
    if (!layout)
        return smp_error_memory(error);
    const int length = snprintf(index, sizeof index, "%u", (unsigned)block->index);
    smp_status status = smp_layout_add(layout, "blockIdx", index, (size_t)length, 0, &cause);
    if (status == SMP_OK)
        status = smp_layout_add_lines(layout, w->script->text, w->script->length, &line, &cause);
    w->layout = layout;
    w->times = block->times;
    w->index = SIZE_MAX;
    if (status == SMP_OK)
        status = smp_stream_layout.visit(&stream, show, w, &cause);
    if (w->has_stopped)
        *error = cause;
    else if (status != SMP_OK)
        status = smp_error_set(error, SMP_E_INTERNAL, -1, "script, line %u, column %d: %.180s",
                               line, cause.position, cause.message);
    smp_layout_free(layout);
    return status;
}

static smp_status show_scripts(const smp_kernel_stream *from, script_walk *w,
                               smp_kernel_script *script, smp_error *error) {
    smp_status status = SMP_OK;
    for (uint32_t kernel = 0; status == SMP_OK; kernel++) {
        script->length = script->block_count = 0;
        script->overflows = false;
        script->text[0] = '\0';
        if (!from->variant->script(from->problem, kernel, script))
            break;
        if (script->overflows)
            return smp_error_set(error, SMP_E_INTERNAL, -1, "%s: the script is too long",
                                 from->variant->name);
        for (size_t i = 0; i < script->block_count && status == SMP_OK; i++)
            status = show_block(w, &script->blocks[i], error);
    }
    return status;
}

static smp_status follow_scripts(const smp_kernel_stream *from, smp_visit_fn visit, void *user,
                                 smp_error *error) {
    smp_kernel_script *script = malloc(sizeof *script);
    script_walk w = {.script = script, .visit = visit, .user = user};
    const smp_status status =
        script ? show_scripts(from, &w, script, error) : smp_error_memory(error);
    free(script);
    return status;
}

/* ---- Both ---- */

static smp_status visit_kernel(const void *from, smp_visit_fn visit, void *user, smp_error *error) {
    const smp_kernel_stream *stream = from;
    smp_status status = smp_kernel_check(stream->family, stream->variant, stream->problem, error);
    if (status == SMP_OK && stream->variant->script)
        status = follow_scripts(stream, visit, user, error);
    if (status == SMP_OK && stream->variant->trace)
        status = follow_trace(stream, visit, user, error);
    return status;
}

const smp_stream smp_stream_kernel = {"kernel", visit_kernel};
