/* SPDX-License-Identifier: MIT */
/*
 * Changes the dynamic bytes of a launch: in the launch itself or where the value is defined, and
 * in the call of cudaFuncSetAttribute that permits them.
 */
#include <inttypes.h>
#include <string.h>

#include "launch_found.h"
#include "layout_writer.h"
#include "source_words.h"

static void spread(const layout_writer *w, host_span bytes) {
    const uint32_t row = w->whole->row * w->whole->element_bytes,
                   more = w->whole->pad * w->whole->element_bytes;
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
    text_edits_add(w->edits, at, bytes.length,
                   layout_is_primary(bytes) ? "%.*s / %" PRIu32 " * %" PRIu32
                                            : "(%.*s) / %" PRIu32 " * %" PRIu32,
                   (int)bytes.length, bytes.text, row, row + more);
}

/* Changes the definition of a name such as "smem" if it is in scope, else the use. */
static void spread_value(const layout_writer *w, host_span bytes) {
    const host_scope scope = {.text = w->text, .at = bytes.text, .is_strict = true};
    host_span value;
    if (host_part(bytes, 0, &value) && value.length > 0 && layout_is_primary(bytes) &&
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

/* Changes argument `index` of each call of that function for the kernel. */
static bool spread_calls(const layout_writer *w, const char *function, unsigned index) {
    bool has_any = false;
    for (const char *at = w->text; (at = strstr(at, function)); at++) {
        const char *open = at + strlen(function);
        host_span first, bytes;
        if (*open == '<')
            open += strcspn(open, "(");
        if (*open != '(' || (at > w->text && host_is_word(at[-1])))
            continue;
        const size_t begin = (size_t)(open - w->text), end = shared_behind(w->text, begin);
        const host_span list = {open + 1, end - begin - 2};
        if (end < begin + 2 || !host_part(list, 0, &first) || !host_part(list, index, &bytes))
            continue;
        while (first.length > 0 && (strchr("&(", *first.text) || *first.text == ' ' ||
                                    memchr(first.text, ')', first.length))) {
            const char *close = memchr(first.text, ')', first.length);
            const size_t skip = close ? (size_t)(close - first.text) + 1 : 1;
            first = (host_span){first.text + skip, first.length - skip};
        }
        if (!declares(w, host_trim(first)))
            continue;
        has_any = true;
        spread_value(w, bytes);
    }
    return has_any;
}

bool layout_lengthen_launches(const layout_writer *w) {
    bool has_any = false;
    host_launch launch;
    host_span bytes;
    for (const char *at = w->text; host_launch_next(w->text, &at, &launch);) {
        if (!declares(w, launch.name))
            continue;
        if (!host_part(launch.configuration, 2, &bytes))
            return false;
        has_any = true;
        spread_value(w, bytes);
    }
    has_any |= spread_calls(w, "cudaLaunchKernel", 4);
    (void)spread_calls(w, "cudaFuncSetAttribute", 2);
    return has_any;
}
