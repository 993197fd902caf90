/* SPDX-License-Identifier: MIT */
/*
 * Makes the struct elements of a shared array longer: by an unused member, or by a derived struct
 * if the same struct also lies in global memory.
 */
#include <inttypes.h>
#include <string.h>

#include "layout_writer.h"
#include "source_words.h"

/* Whether a kernel takes such structs as parameters. */
static bool is_taken(const char *text, host_span type) {
    host_kernel kernel;
    for (const char *at = text; host_kernel_next(text, &at, &kernel);)
        if (source_next_word(kernel.parameters.text, type, 0, kernel.parameters.length) <
            kernel.parameters.length)
            return true;
    return false;
}

static void count_text(int32_t count, char out[24]) {
    out[0] = '\0';
    if (count > 1)
        (void)snprintf(out, 24, "[%" PRId32 "]", count);
}

/* Adds the unused member after the last one, on a line of its own if that one has its own. */
static void add_member(const layout_writer *w, host_span body) {
    char count[24];
    const size_t last = source_before_blanks(body.text, body.length);
    const char *line = body.text + source_behind_last(body.text, last, "\n");
    const size_t blanks = line > body.text ? strspn(line, " \t") : 0;
    count_text(w->change->pad, count);
    text_edits_add(w->edits, layout_place(w->text, body) + last, 0, "%s%.*sunsigned unused%s;",
                   line > body.text ? "\n" : " ", (int)blanks, line, count);
}

/* Adds "struct Body_apart : Body" and gives it to the array and all pointers to it. */
static bool add_struct(const layout_writer *w, host_span type) {
    char count[24], name[140], lines[512];
    size_t at = SIZE_MAX;
    const int length = (int)(type.length < 100 ? type.length : 100);
    (void)snprintf(name, sizeof name, "%.*s_apart", length, type.text);
    if (host_has_name(w->text, name))
        return layout_refuse(w, w->names->list[0].of.begin,
                             "with elements that are already longer");
    for (unsigned i = 0; i < w->names->count; i++) {
        const shared_declaration *of = &w->names->list[i].of;
        const size_t begin = layout_function_begin(w->text, of->begin);
        const size_t named = source_next_word(of->type.text, type, 0, of->type.length);
        at = begin < at ? begin : at;
        if (named < of->type.length)
            text_edits_add(w->edits, layout_place(w->text, of->type) + named, type.length, "%s",
                           name);
    }
    count_text(w->change->pad, count);
    (void)snprintf(lines, sizeof lines,
                   "struct %s : %.*s {\n    using %.*s::operator=;\n    unsigned unused%s;\n};\n",
                   name, length, type.text, length, type.text, count);
    layout_insert(w->text, at, lines, w->edits);
    return true;
}

bool layout_write_struct(const layout_writer *w) {
    const shared_declaration *of = &w->names->list[0].of;
    host_span type, body;
    char name[128];
    (void)snprintf(name, sizeof name, "%.*s", SPAN(of->name));
    if (!shared_struct_of(w->text, name, &type, &body))
        return layout_refuse(w, of->begin, "with elements whose definition is not in this file");
    if (is_taken(w->text, type))
        return add_struct(w, type);
    add_member(w, body);
    return true;
}
