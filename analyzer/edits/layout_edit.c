/* SPDX-License-Identifier: MIT */
/*
 * Writes a layout. Padding an array of several dimensions changes its declaration only; any other
 * layout changes each use.
 */
#include "layout_edit.h"

#include <inttypes.h>
#include <string.h>

#include "layout_writer.h"
#include "source_words.h"
#include "text_buffer.h"

static void rows_words(const shared_declaration *of, const layout_change *change,
                       text_buffer *words) {
    if (change->is_outer)
        text_add(words, "middle dimension longer by %" PRId32, change->pad);
    else if ((of->dims > 1 && change->row > 0 && !change->is_inner) || change->row_text.length > 0)
        text_add(words, "rows of %" PRIu32 " instead of %" PRIu32,
                 change->row + (uint32_t)change->pad, change->row);
    else if (of->dims > 1 && !change->is_inner)
        text_add(words, "rows longer by %" PRId32, change->pad);
    else
        text_add(words, "%" PRId32 " unused after every %" PRIu32, change->pad, change->row);
    if (change->is_everywhere)
        text_add(words, ", through every pointer");
}

/* The elements among which a swizzle moves one. */
static uint32_t moved_elements(const layout_change *change) {
    uint32_t out = 1;
    while (out <= change->mask * (change->unit > 0 ? change->unit : 1))
        out *= 2;
    return out;
}

const char *layout_words(const shared_declaration *of, const layout_change *change,
                         char out[LAYOUT_WORDS]) {
    text_buffer words = text_buffer_over(out, LAYOUT_WORDS);
    text_add(&words, "%.*s: ", TEXT_CUT(of->name.text, of->name.length, 60));
    switch (change->kind) {
    case LAYOUT_PAD:
        rows_words(of, change, &words);
        text_add(&words, "%s", change->is_aligned ? ", aligned to 16 bytes" : "");
        break;
    case LAYOUT_XOR:
        if (of->is_extern && change->element_bytes == 1) { /* the elements are not bytes */
            text_add(&words, "swizzle within rows of %" PRIu32 " bytes, for multiples of %" PRIu32,
                     change->row, moved_elements(change));
            break;
        }
        if (change->pad != 0)
            text_add(&words, "rows of %" PRIu32 " instead of %" PRIu32 ", ",
                     change->row + (uint32_t)change->pad, change->row);
        text_add(&words, "swizzle, column ^ (%s", change->is_outer ? "plane" : "row");
        if (change->over > 1)
            text_add(&words, " / %" PRIu32, change->over);
        text_add(&words, " & %" PRIu32 ")", change->mask);
        if (change->unit > 1)
            text_add(&words, " * %" PRIu32, change->unit);
        if (of->is_extern) /* a launch gives the size, and another launch another one */
            text_add(&words, ", for multiples of %" PRIu32 " elements", moved_elements(change));
        break;
    case LAYOUT_TURN:
        text_add(&words, "transposed, %s exchanged",
                 change->is_outer ? "first and last index" : "rows and columns");
        break;
    case LAYOUT_ALIGN:
        text_add(&words, "aligned to 16 bytes, so that accesses are joined");
        break;
    case LAYOUT_THREADS:
        text_add(&words, "threadIdx.x and threadIdx.y exchanged");
        break;
    case LAYOUT_STRUCT:
        text_add(&words, "elements of %" PRIu32 " bytes instead of %" PRIu32,
                 change->element_bytes + 4 * (uint32_t)change->pad, change->element_bytes);
        break;
    case LAYOUT_APART:
        text_add(&words, "an array for each member of its elements");
        break;
    }
    return out;
}

/* ---- Swizzles of columns ---- */

/* Writes " & 31" unless there are no more rows than that, or " / 4 & 31". */
static void mask_text(const layout_change *change, char out[40]) {
    const bool is_all = change->rows > 0 && change->rows <= change->mask + 1;
    out[0] = '\0';
    if (change->over > 1)
        (void)snprintf(out, 40, " / %" PRIu32 " & %" PRIu32, change->over, change->mask);
    else if (!is_all)
        (void)snprintf(out, 40, " & %" PRIu32, change->mask);
}

/* The index that a swizzle combines with the column. */
static host_span row_index(const layout_writer *w, const shared_use *use) {
    return use->index[use->count - (w->whole->is_outer ? 3 : 2)];
}

/* Rewrites "tile[row][column]" as "tile[row][column ^ row]". */
static void turn_column(const layout_writer *w, const shared_use *use) {
    const host_span column = use->index[use->count - 1], row = row_index(w, use);
    const layout_change *change = w->change;
    const char *open = text_is_primary(row) ? "" : "(", *close = text_is_primary(row) ? "" : ")";
    char mask[40], times[24];
    mask_text(change, mask);
    layout_times_text(change->unit, times);
    const bool has_group = mask[0] != '\0', is_plain = text_is_primary(column) && !use->is_sum;
    if (host_is(row, "0"))
        return;
    text_edits_add(w->edits, layout_place(w->text, column), column.length,
                   is_plain       ? "%.*s ^ %s%s%.*s%s%s%s%s"
                   : !use->is_sum ? "(%.*s) ^ %s%s%.*s%s%s%s%s"
                                  : "((%.*s) ^ %s%s%.*s%s%s%s%s)",
                   SPAN(column), has_group ? "(" : "", open, SPAN(row), close, mask,
                   has_group ? ")" : "", times);
}

/* ---- Uses ---- */

/* Lengthens the leading dimension in wmma::load_matrix_sync(fragment, &tile[0][k], 64). */
static bool lengthen_leading(const layout_writer *w, const shared_use *use) {
    host_span name, arguments, leading;
    return shared_use_call(w->text, use, &name, &arguments) &&
           (host_is(name, "load_matrix_sync") || host_is(name, "store_matrix_sync")) &&
           host_part(arguments, 2, &leading) && layout_lengthen(w, leading);
}

/* Rewrites "memcpy_async(group, tile, from, bytes, ...)" as a loop that copies row by row. False if
 * it is no such copy of all rows. */
static bool copy_rows(const layout_writer *w, const shared_use *use) {
    const shared_declaration *of = &w->names->list[0].of;
    host_span name, arguments, to, from, bytes;
    const unsigned outer = of->dims > 2 ? of->dims - 2 : 0; /* indices before the rows */
    if (w->name > 0 || of->dims < 2 || of->dims > 3 ||
        !shared_use_call(w->text, use, &name, &arguments) || !host_is(name, "memcpy_async") ||
        !host_part(arguments, 1, &to) || !host_part(arguments, 2, &from) ||
        !host_part(arguments, 3, &bytes) || use->begin < layout_place(w->text, to) ||
        use->end > layout_place(w->text, from))
        return false;
    for (unsigned i = outer; i < use->count; i++)
        if (!host_is(use->index[i], "0"))
            return false;
    const host_span rows = of->extent[of->dims - 2], row = of->extent[of->dims - 1];
    const size_t statement =
        source_behind_blanks(w->text, source_behind_last(w->text, use->begin, ";{}"));
    const host_span margin = source_margin(w->text, statement);
    const char *counter = host_has_name(w->text, "row") ? "copied_row" : "row";
    const size_t head =
        outer > 0 ? layout_place(w->text, use->index[outer - 1]) + use->index[outer - 1].length + 1
                  : use->begin + of->name.length;
    const char *aligned = memchr(bytes.text, '(', bytes.length);
    const bool is_typed = aligned && host_contains(bytes, "aligned_size_t");
    text_edits_add(w->edits, statement, 0, "for (int %s = 0; %s < %.*s; %s++)\n%.*s    ", counter,
                   counter, SPAN(rows), counter, SPAN(margin));
    text_edits_add(w->edits, layout_place(w->text, to), to.length, "%.*s[%s]",
                   (int)(head - use->begin), w->text + use->begin, counter);
    text_edits_add(w->edits, layout_place(w->text, from) + from.length, 0,
                   text_is_primary(row) ? " + %s * %.*s" : " + %s * (%.*s)", counter, SPAN(row));
    text_edits_add(w->edits, layout_place(w->text, bytes), bytes.length,
                   text_is_primary(row) ? "%.*s%.*s * sizeof(%.*s%s)%s"
                                        : "%.*s(%.*s) * sizeof(%.*s%s)%s",
                   is_typed ? (int)(aligned + 1 - bytes.text) : 0, bytes.text, SPAN(row),
                   SPAN(of->name), of->dims == 2 ? "[0][0]" : "[0][0][0]", is_typed ? ")" : "");
    return true;
}

/* Makes a writer for the elements that the use counts. False if they are unknown. */
static bool writer_of(const layout_writer *w, const shared_use *use, layout_change *change,
                      layout_writer *out) {
    *out = *w;
    out->change = change;
    *change = *w->change;
    if (!use->is_cast)
        return true;
    *change = *w->whole;
    return layout_scale(w->text, use->type, change) ||
           layout_refuse(w, use->begin, "as wider elements, which the layout would split");
}

/* Whether the name points to a section that has no such rows: an array of its own, in memory that
 * holds several. */
static bool has_other_rows(const layout_writer *w) {
    const shared_name *of = &w->names->list[w->name];
    shared_use use;
    bool has_rows = !of->is_section || w->names->list[0].of.dims > 1;
    for (size_t at = 0; !has_rows && shared_use_next(w->text, &of->of, &at, &use);)
        has_rows = use.count > 0 && layout_has_row(w, use.index[use.count - 1]);
    return !has_rows;
}

/* Whether a pointer is compared with the sum, which is the end of a row: "p != row + N". */
static bool is_row_end(const layout_writer *w, const shared_use *use) {
    const size_t front = source_before_blanks(w->text, use->begin),
                 behind = source_behind_blanks(w->text, use->end);
    const char *before = w->text + front, *after = w->text + behind;
    if (!use->is_sum)
        return false;
    return (front > 1 && (strncmp(before - 2, "!=", 2) == 0 || strncmp(before - 2, "==", 2) == 0 ||
                          (before[-1] == '<' && before[-2] != '<'))) ||
           strncmp(after, "!=", 2) == 0 || strncmp(after, "==", 2) == 0 ||
           (after[0] == '>' && after[1] != '>');
}

/* Lengthens the row factor in an index. An index without one goes through a helper function,
 * unless the pointer stays within a row. */
static bool pad_use(const layout_writer *w, const shared_use *use) {
    const shared_name *of = &w->names->list[w->name];
    layout_change change;
    layout_writer own;
    if (copy_rows(w, use))
        return true;
    (void)lengthen_leading(w, use);
    const bool is_whole = use->count == of->of.dims && w->whole->is_inner;
    if (use->count == 0 || (of->of.dims > 1 && !use->is_cast && !is_whole))
        return true;
    const host_span index = use->index[use->count - 1];
    if (!writer_of(w, use, &change, &own))
        return false;
    if ((is_row_end(w, use) && text_is_primary(index)) || layout_lengthen_factors(&own, index) ||
        host_is(index, "0") || (of->is_part && !w->whole->is_everywhere) || has_other_rows(w))
        return true;
    if (layout_is_nested(w, use))
        return layout_refuse(w, use->begin, "inside an index of itself");
    layout_call_helper(&own, index);
    return true;
}

static bool move_use(const layout_writer *w, const shared_use *use) {
    const shared_name *of = &w->names->list[w->name];
    layout_change change;
    layout_writer own;
    if (shared_use_passes(w->text, of, use)) /* passed to a name whose uses are rewritten */
        return true;
    if (layout_is_nested(w, use))
        return layout_refuse(w, use->begin, "inside an index of itself");
    if (of->of.dims == 1 || use->is_cast) {
        if (!writer_of(w, use, &change, &own))
            return false;
        if (use->count > 0)
            layout_call_helper(&own, use->index[0]);
        return true;
    }
    if (use->count < of->of.dims)
        return true;
    if (layout_acts(row_index(w, use)))
        return layout_refuse(w, use->begin, "with an index that has a side effect");
    turn_column(w, use);
    return true;
}

static void exchange(const layout_writer *w, host_span a, host_span b) {
    text_edits_add(w->edits, layout_place(w->text, a), a.length, "%.*s", SPAN(b));
    text_edits_add(w->edits, layout_place(w->text, b), b.length, "%.*s", SPAN(a));
}

/* Rewrites "tile[i][j]" as "tile[j][i]". */
static bool turn_use(const layout_writer *w, const shared_use *use) {
    const shared_declaration *of = &w->names->list[w->name].of;
    if (of->dims == 1)
        return move_use(w, use);
    const bool is_short = w->whole->is_outer && of->dims != 3;
    if (use->count < of->dims || use->is_sum || is_short || layout_is_nested(w, use))
        return layout_refuse(w, use->begin, "without an index for each dimension");
    exchange(w, use->index[use->count - (w->whole->is_outer ? 3 : 2)], use->index[use->count - 1]);
    return true;
}

static bool write_uses(const layout_writer *w) {
    static bool (*const write[])(const layout_writer *, const shared_use *) = {
        [LAYOUT_PAD] = pad_use, [LAYOUT_XOR] = move_use, [LAYOUT_TURN] = turn_use};
    const shared_declaration *of = &w->names->list[w->name].of;
    shared_use use;
    for (size_t at = 0; shared_use_next(w->text, of, &at, &use);)
        if (!write[w->whole->kind](w, &use))
            return false;
    return true;
}

/* Whether the row length is a template parameter of the function, which the compiler deduces from
 * the argument: "template <int N> void f(float (&t)[N][N])". */
static bool is_deduced(const layout_writer *w, const shared_name *name) {
    const host_span given = host_templates_before(w->text, w->text + name->of.begin);
    host_span part;
    for (unsigned i = 0; host_part(given, i, &part); i++)
        if (host_same(host_declared_name(part), name->of.extent[name->of.dims - 1]))
            return true;
    return false;
}

/* Whether the function computes with the row length that it deduces. */
static bool counts_deduced(const layout_writer *w, const shared_name *name) {
    const host_span row = name->of.extent[name->of.dims - 1];
    return is_deduced(w, name) &&
           source_next_word(w->text, row, name->of.end, name->of.scope_end) < name->of.scope_end;
}

/* Lengthens "float (&t)[N][N]", whose type must be that of the array. */
static bool lengthen_reference(const layout_writer *w, const shared_name *name) {
    const host_span last = name->of.extent[name->of.dims - 1];
    const size_t at = source_before_blanks(w->text, layout_place(w->text, name->of.name));
    const bool is_reference = at > 0 && w->text[at - 1] == '&' && last.length > 0 &&
                              name->of.dims == w->names->list[0].of.dims;
    if (is_reference)
        layout_lengthen_extent(w, last);
    return is_reference;
}

/* Rewrites every use of every name. */
static bool write_names(const layout_writer *from) {
    for (unsigned i = 0; i < from->names->count; i++) {
        layout_change own = *from->whole;
        layout_writer w = *from;
        w.name = i;
        w.change = &own;
        const shared_declaration *of = &from->names->list[i].of;
        const bool is_other = of->dims == 1 || from->names->list[0].of.dims == 1;
        if (i > 0 && is_other && !layout_scale(w.text, of->type, &own))
            return layout_refuse(&w, of->begin, "as wider elements, which the layout would split");
        const bool has_rows = own.pad != 0 && i > 0 && of->dims > 1 && !own.is_inner;
        if (has_rows && counts_deduced(&w, &from->names->list[i]))
            return layout_refuse(from, of->begin, "with a row length that the compiler deduces");
        if (has_rows && !is_deduced(&w, &from->names->list[i]))
            (void)(layout_lengthen(&w, of->extent[of->dims - 1]) |
                   layout_lengthen(&w, from->names->list[i].cast) |
                   lengthen_reference(&w, &from->names->list[i]));
        if (!write_uses(&w))
            return false;
    }
    layout_helpers_write(from->text, from->helpers, from->edits);
    return true;
}

/* ---- Declarations ---- */

static bool align(const layout_writer *w) {
    static const char word[] = "__shared__";
    const shared_declaration *of = &w->names->list[0].of;
    const char *begin = w->text + of->begin, *shared = strstr(begin, word);
    if (!shared || of->name.text < shared)
        return layout_refuse(w, of->begin, "in a way that is not understood");
    for (const char *at = begin; at < of->name.text; at++)
        if (strncmp(at, "align", 5) == 0)
            return layout_refuse(w, of->begin, "with an alignment of its own");
    text_edits_add(w->edits, (size_t)(shared - w->text) + sizeof word - 1, 0, " __align__(16)");
    return true;
}

/* Exchanges threadIdx.x and threadIdx.y in the kernel that declares the array. */
static bool exchange_threads(const layout_writer *w) {
    static const char word[] = "threadIdx.";
    const size_t length = sizeof word - 1;
    const char *name = w->names->list[0].of.name.text;
    host_kernel kernel;
    bool has_any = false;
    for (const char *at = w->text; host_kernel_next(w->text, &at, &kernel);) {
        const char *end = kernel.body.text + kernel.body.length;
        if (name < kernel.body.text || name >= end)
            continue;
        for (const char *i = kernel.body.text; i + length < end; i++) {
            if (memcmp(i, word, length) != 0 || !strchr("xy", i[length]))
                continue;
            has_any = true;
            text_edits_add(w->edits, (size_t)(i + length - w->text), 1,
                           i[length] == 'x' ? "y" : "x");
        }
    }
    return has_any || layout_refuse(w, w->names->list[0].of.begin, "outside of a kernel");
}

/* Handles uses that are not followed. False if the layout changes them; then w->why names one. */
static bool check_lost(const layout_writer *w) {
    const shared_names *names = w->names;
    const bool moves = w->whole->kind == LAYOUT_XOR || w->whole->kind == LAYOUT_TURN;
    if (names->lost > 0) {
        (void)layout_refuse(w, names->lost, "without an index for each dimension");
        return !moves;
    }
    for (unsigned i = 1; moves && i < names->count; i++) {
        const shared_name *name = &names->list[i];
        if (name->is_flat && (name->is_part || w->whole->kind == LAYOUT_TURN) &&
            shared_name_steps(w->text, name))
            return layout_refuse(w, name->of.begin, "without an index for each dimension");
    }
    return true;
}

static bool write_layout(const layout_writer *w) {
    const shared_declaration *of = &w->names->list[0].of;
    const layout_change *change = w->whole;
    if (change->kind == LAYOUT_ALIGN)
        return align(w);
    if (change->kind == LAYOUT_THREADS)
        return exchange_threads(w);
    if (change->kind == LAYOUT_STRUCT)
        return layout_write_struct(w);
    if (change->kind == LAYOUT_APART)
        return layout_write_apart(w);
    if (change->is_outer && of->dims != 3)
        return layout_refuse(w, of->begin, "without three dimensions");
    if (!check_lost(w) || (change->is_aligned && !align(w)))
        return false;
    if (change->kind == LAYOUT_TURN && of->dims > 1)
        exchange(w, of->extent[of->dims - (change->is_outer ? 3 : 2)], of->extent[of->dims - 1]);
    if (change->pad != 0 && of->is_extern && !layout_lengthen_launches(w))
        return false;
    for (unsigned i = 0; i < w->names->count && (!of->is_extern || of->dims > 1); i++) {
        const shared_name *name = &w->names->list[i];
        if (name->is_twin && change->kind == LAYOUT_TURN)
            return layout_refuse(w, of->begin, "by pointers that are exchanged");
        if (change->pad != 0 && (i == 0 || name->is_twin))
            layout_lengthen_extent(w, name->of.extent[of->dims - (change->is_outer ? 2 : 1)]);
    }
    if (change->kind == LAYOUT_PAD && change->is_outer)
        return w->names->count == 1 || layout_refuse(w, of->begin, "by pointers");
    return write_names(w);
}

bool layout_write(const char *text, const host_scope *scope, const shared_declaration *of,
                  const layout_change *change, text_edits *edits, char why[LAYOUT_WHY]) {
    shared_names names;
    layout_helpers helpers = {.count = 0};
    const layout_writer w = {text, scope, &names, 0, change, change, &helpers, edits, why};
    why[0] = '\0';
    shared_names_find(text, of, &names);
    return write_layout(&w) && (!text_edits_overlap(edits) ||
                                layout_refuse(&w, of->begin, "in a way that is not understood"));
}
