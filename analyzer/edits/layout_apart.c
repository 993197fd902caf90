/* SPDX-License-Identifier: MIT */
/*
 * Turns an array of structs in shared memory into a struct of arrays of the same name. It takes no
 * more bytes, and a member's elements are adjacent.
 */
#include <string.h>

#include "layout_writer.h"
#include "source_words.h"
#include "struct_members.h"

/* Returns why the declaration cannot be rewritten, or NULL. */
static const char *wrong_declaration(const layout_writer *w, const char *name, host_span *type,
                                     struct_members *members) {
    const shared_declaration *of = &w->names->list[0].of;
    host_span body;
    const bool ends = w->text[source_behind_blanks(w->text, of->end)] == ';';
    if (of->is_extern)
        return "with as many elements as its launch gives";
    if (!shared_struct_of(w->text, name, type, &body))
        return "with elements whose definition is not in this file";
    if (!struct_members_read(body, members))
        return "with elements that have more than plain members";
    return ends && !memchr(of->type.text, ',', (size_t)(of->name.text - of->type.text)) &&
                   !memchr(of->type.text, '<', of->type.length)
               ? NULL
               : "in a declaration of several, or of a template";
}

static void declare(const layout_writer *w, const struct_members *members) {
    char lines[STRUCT_TEXT], extents[256], indent[64];
    text_buffer out = TEXT_BUFFER(lines);
    const shared_declaration *of = &w->names->list[0].of;
    const size_t type = layout_place(w->text, of->type), name = layout_place(w->text, of->name);
    const host_span margin = source_margin(w->text, of->begin);
    const size_t behind = name + of->name.length;
    (void)snprintf(indent, sizeof indent, "%.*s%s", TEXT_CUT(margin.text, margin.length, 56),
                   *margin.text == '\t' ? "\t" : "    ");
    (void)snprintf(extents, sizeof extents, "%.*s", (int)(of->end - behind), w->text + behind);
    struct_members_write(members, (host_span){indent, strlen(indent)}, extents, &out);
    text_edits_add(w->edits, type, name - type, "struct {\n%s%.*s} ", lines, SPAN(margin));
    text_edits_add(w->edits, behind, of->end - behind, "%s", "");
}

bool layout_write_apart(const layout_writer *w) {
    const shared_declaration *of = &w->names->list[0].of;
    struct_members members;
    host_span type;
    shared_use use;
    char name[128], back[256];
    (void)snprintf(name, sizeof name, "%.*s", SPAN(of->name));
    const char *wrong = wrong_declaration(w, name, &type, &members);
    if (wrong)
        return layout_refuse(w, of->begin, wrong);
    if (w->names->count > 1 || w->names->lost > 0)
        return layout_refuse(w,
                             w->names->count > 1 ? layout_place(w->text, w->names->list[1].of.name)
                                                 : w->names->lost,
                             "by a pointer");
    declare(w, &members);
    for (size_t at = 0; shared_use_next(w->text, of, &at, &use);) {
        const size_t index = use.begin + of->name.length;
        const int length = (int)(use.end - index);
        if (use.count < of->dims || use.is_sum || use.is_cast || length >= (int)sizeof back)
            return layout_refuse(w, use.begin, "without an index for each dimension");
        (void)snprintf(back, sizeof back, "%.*s", length, w->text + index);
        if (layout_is_nested(w, &use) || layout_acts((host_span){w->text + index, (size_t)length}))
            return layout_refuse(w, use.begin, "with an index that cannot be moved");
        const struct_element element = {.text = w->text,
                                        .type = type,
                                        .declared = type,
                                        .members = &members,
                                        .name = {w->text + use.begin, of->name.length},
                                        .end = use.end,
                                        .front = "",
                                        .back = back};
        if ((wrong = struct_element_write(&element, w->edits)))
            return layout_refuse(w, use.begin, wrong);
    }
    return true;
}
