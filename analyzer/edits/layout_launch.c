/* SPDX-License-Identifier: MIT */
/*
 * Changes the dynamic bytes of a launch: in the launch itself or where the value is defined, and
 * in the call of cudaFuncSetAttribute that permits them.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch_found.h"
#include "layout_writer.h"
#include "source_words.h"

static void spread(const layout_writer *w, host_span bytes) {
    const uint32_t row = w->whole->row * w->whole->element_bytes,
                   more = (uint32_t)w->whole->pad * w->whole->element_bytes;
    const size_t at = layout_place(w->text, bytes);
    for (unsigned i = 0; i < w->names->count; i++) { /* rows whose type becomes longer */
        const host_span rows = w->names->list[i].row_type;
        if (rows.length > 0 &&
            source_next_word(w->text, rows, at, at + bytes.length) < at + bytes.length)
            return;
    }
    for (size_t i = 0; i < w->edits->count; i++)
        if (w->edits->items[i].at >= at && w->edits->items[i].at < at + bytes.length)
            return; /* already done */
    if (layout_lengthen_factors(w, bytes))
        return;
    const host_scope scope = {.text = w->text};
    int64_t value;
    if (!layout_value(&scope, bytes, &value) || value % row != 0) /* the last row is shorter */
        text_edits_add(w->edits, at, bytes.length,
                       text_is_sum(bytes) ? "(%.*s + %" PRIu32 ") / %" PRIu32 " * %" PRIu32
                                          : "((%.*s) + %" PRIu32 ") / %" PRIu32 " * %" PRIu32,
                       SPAN(bytes), row - 1, row, row + more);
    else
        text_edits_add(w->edits, at, bytes.length,
                       text_is_primary(bytes) ? "%.*s / %" PRIu32 " * %" PRIu32
                                              : "(%.*s) / %" PRIu32 " * %" PRIu32,
                       SPAN(bytes), row, row + more);
}

/* Changes the definition of a name such as "smem" if it is in scope, else the use. */
static void spread_value(const layout_writer *w, host_span bytes) {
    const host_scope scope = {.text = w->text, .at = bytes.text, .is_strict = true};
    host_span value;
    if (host_part(bytes, 0, &value) && value.length > 0 && text_is_primary(bytes) &&
        host_definition(&scope, bytes, &value) && value.length > 0)
        spread(w, value);
    else
        spread(w, bytes);
}

static bool declares(const layout_writer *w, host_span launched) {
    host_kernel kernel;
    bool is_there = false;
    if (!host_kernel_find(w->text, host_name_base(launched), &kernel))
        return false;
    for (unsigned i = 0; i < w->names->count && !is_there; i++) { /* or returned by a function */
        const char *name = w->names->list[i].of.name.text;
        is_there = name >= kernel.body.text && name < kernel.body.text + kernel.body.length;
    }
    return is_there;
}

/* Changes the bytes that cudaFuncSetAttribute() permits the kernel. */
static void spread_permission(const layout_writer *w) {
    static const char function[] = "cudaFuncSetAttribute";
    host_span list, kernel, bytes;
    for (const char *at = w->text; (at = strstr(at, function));) {
        at += sizeof function - 1;
        if (*at == '<')
            at += strcspn(at, "(");
        if (*at == '(' && host_inside(at, &list) && host_part(list, 0, &kernel) &&
            host_part(list, 2, &bytes) && declares(w, host_launch_name(kernel)))
            spread_value(w, bytes);
    }
}

/* Finds the bytes of a launch in an expansion among the arguments of the macro's call, which are
 * at `call`. False if the macro itself gives them. */
static bool bytes_in_call(const layout_writer *w, size_t call, host_span bytes, host_span *out) {
    const char *open = w->text + call + source_word(w->text, call).length;
    host_span list, inside;
    while (bytes.length > 2 && *bytes.text == '(' && host_inside(bytes.text, &inside) &&
           inside.length + 2 == bytes.length) /* "(bytes)" of the macro */
        bytes = host_trim(inside);
    if (!host_inside(w->text + source_behind_blanks(w->text, (size_t)(open - w->text)), &list))
        return false;
    for (unsigned i = 0; host_part(list, i, out); i++)
        if (host_same(*out, bytes))
            return true;
    return false;
}

/* Changes the bytes of launches that macros make. False if one cannot be changed. */
static bool lengthen_expanded(const layout_writer *w, bool *has_any) {
    const size_t length = strlen(w->text);
    char *copy = strdup(w->text), *all = copy ? host_launches_expand(copy) : NULL;
    host_launch launch;
    host_span bytes;
    bool is_fine = all;
    for (const char *at = all && strlen(all) > length ? all + length : "";
         is_fine && host_launch_next(all, &at, &launch);) {
        if (!declares(w, launch.name))
            continue;
        is_fine = bytes_in_call(w, (size_t)(launch.at - all), launch.bytes, &bytes);
        *has_any |= is_fine;
        if (is_fine)
            spread_value(w, bytes);
    }
    free(all);
    return is_fine;
}

/* Says which launch is not understood. */
static bool refuse_launch(const layout_writer *w) {
    const size_t begin = w->names->list[0].of.begin;
    host_kernel kernel;
    host_span launcher;
    char what[120];
    for (const char *at = w->text; host_kernel_next(w->text, &at, &kernel);)
        if (declares(w, kernel.name) && launcher_of(w->text, kernel.name, &launcher)) {
            (void)snprintf(what, sizeof what,
                           "with dynamic bytes of a launch by %.*s(), which is not understood",
                           TEXT_CUT(launcher.text, launcher.length, 60));
            return layout_refuse(w, begin, what);
        }
    return layout_refuse(w, begin, "with dynamic bytes that no launch in this file gives");
}

bool layout_lengthen_launches(const layout_writer *w) {
    bool has_any = false;
    host_launch launch;
    for (const char *at = w->text; host_launch_next(w->text, &at, &launch);) {
        if (!declares(w, launch.name))
            continue;
        if (launch.bytes.length == 0)
            return refuse_launch(w);
        has_any = true;
        spread_value(w, launch.bytes);
    }
    if (!lengthen_expanded(w, &has_any) || !has_any)
        return refuse_launch(w);
    spread_permission(w);
    return true;
}
