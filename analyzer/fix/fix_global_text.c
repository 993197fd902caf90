/* SPDX-License-Identifier: MIT */
/*
 * Source text of arrays in global memory whose order changes: their declarations, and their
 * elements in accesses. fix_global_apply.c parses and checks the result: if a mention is missed,
 * the change is dropped.
 */
#include "fix_global.h"
#include "fix_text.h"

/* ---- Declarations ---- */

/* The parts of "global const P *g[64];". */
typedef struct declared {
    fix_span indent, type; /* type: with its qualifiers */
    bool is_pointer;
    fix_mention name;
} declared;

static const char *parse(const fix_global *global, fix_span line, declared *out) {
    const char *end = line.text + line.length, *begin = fix_skip_blanks(line.text, end);
    const size_t length = fix_word_at(begin, end, "global");
    if (length == 0)
        return "it is declared as a parameter, or within other code";
    const char *name = global->array->name;
    out->indent = (fix_span){line.text, (size_t)(begin - line.text)};
    const char *type = fix_skip_blanks(begin + length, end), *behind = name;
    out->is_pointer = false;
    while (behind > type && (behind[-1] == ' ' || behind[-1] == '\t' || behind[-1] == '*'))
        out->is_pointer |= *--behind == '*';
    out->type = (fix_span){type, (size_t)(behind - type)};
    if (memchr(type, '{', out->type.length) || memchr(type, ',', out->type.length))
        return "its line also declares something else";
    if (!fix_mention_find(name, end, global->array, &out->name) || out->name.begin != name)
        return "its declaration is not supported";
    for (const char *at = out->name.end; at < end; at++) {
        if (*at != ' ' && *at != '\t' && *at != ';')
            return "its line also declares something else";
    }
    return NULL;
}

const char *fix_global_obstacle(const fix_global *global, fix_span line) {
    declared d;
    return parse(global, line, &d);
}

static void put_span(FILE *out, fix_span span) {
    fwrite(span.text, 1, span.length, out);
}

static void put_extents(FILE *out, const fix_mention *m) {
    for (uint32_t i = 0; i < m->index_count; i++)
        fprintf(out, "[%.*s]", SPAN(m->index[i]));
}

/* Writes extents or indices in the new order, with added elements. */
static void put_changed_indices(FILE *out, const fix_global *global, const fix_mention *m) {
    const fix_change *change = global->written;
    const uint32_t elements = change->bytes / global->array->type->size;
    for (uint32_t i = 0; i < m->index_count; i++) {
        const fix_span index = m->index[change->kind == FIX_PERMUTED ? change->order[i] : i];
        const bool is_moved = change->kind == FIX_SHIFT && index.length > 0;
        const char *format = !is_moved                ? "[%.*s]"
                             : text_is_primary(index) ? "[%.*s + %u]"
                                                      : "[(%.*s) + %u]";
        if (change->kind == FIX_PITCH && i + 1 == m->index_count)
            fprintf(out, "[%u]", elements);
        else
            fprintf(out, format, SPAN(index), elements);
    }
}

static void put_start(FILE *out, const fix_global *global, const declared *d) {
    put_span(out, d->indent);
    fputs("global ", out);
    put_span(out, d->type);
    fprintf(out, " %s%.*s", d->is_pointer ? "*" : "", (int)global->array->length,
            global->array->name);
}

static void declare_members(FILE *out, const fix_global *global, const declared *d) {
    const bool is_const = d->type.length > 6 && memcmp(d->type.text, "const ", 6) == 0;
    const char *name;
    size_t length;
    smp_shape shape;
    for (uint32_t i = 0; fix_member_of(global->array->type, i, &name, &length, &shape); i++) {
        if (i > 0)
            fputc('\n', out);
        put_span(out, d->indent);
        fprintf(out, "global %s%.*s %s%.*s_%.*s", is_const ? "const " : "", (int)shape.type->length,
                shape.type->name, d->is_pointer ? "*" : "", (int)global->array->length,
                global->array->name, (int)length, name);
        put_extents(out, &d->name);
        for (uint32_t k = 0; k < shape.dim_count; k++)
            fprintf(out, "[%u]", shape.dims[k]);
    }
}

bool fix_globals_declare(FILE *out, const fix_global *globals, uint32_t count, fix_span line) {
    EACH(const fix_global, global, globals, count) {
        const char *name = global->array->name;
        declared d;
        if (!global->written || name < line.text || name >= line.text + line.length ||
            parse(global, line, &d))
            continue;
        const bool has_extents = d.name.index_count == global->array->table.dim_count;
        if (global->written->kind == FIX_MEMBERS)
            declare_members(out, global, &d);
        else if (has_extents || global->written->kind == FIX_SHIFT) {
            put_start(out, global, &d);
            put_changed_indices(out, global, &d.name);
        } else
            continue;
        return true;
    }
    return false;
}

/* ---- Elements ---- */

/* Writes "g_x[i]" for "g[i].x"; false if no member follows. */
static bool put_member(FILE *out, const fix_global *global, const fix_mention *m, const char *end,
                       const char **behind) {
    const char *dot = fix_skip_blanks(m->end, end);
    if (dot >= end || *dot != '.')
        return false;
    const char *name = fix_skip_blanks(dot + 1, end);
    for (*behind = name; *behind < end && text_is_word(**behind);)
        ++*behind;
    fprintf(out, "%.*s_%.*s%.*s", (int)global->array->length, m->begin, (int)(*behind - name), name,
            (int)(m->end - m->begin - (ptrdiff_t)global->array->length),
            m->begin + global->array->length);
    return *behind > name;
}

/* Writes the element in its new form; false for another kind of mention. */
static bool put_changed(FILE *out, const fix_global *global, const fix_mention *m, const char *end,
                        const char **behind) {
    const fix_change *change = global->written;
    const uint32_t dims = global->array->table.dim_count;
    *behind = m->end;
    if (change->kind == FIX_MEMBERS)
        return put_member(out, global, m, end, behind);
    if (change->kind == FIX_PITCH || m->index_count != dims || dims == 0)
        return false;
    fprintf(out, "%.*s", (int)global->array->length, m->begin);
    put_changed_indices(out, global, m);
    return true;
}

/* The earliest mention from `at` on. */
static const fix_global *find_next(const fix_global *globals, uint32_t count, const char *at,
                                   const char *end, fix_mention *out) {
    const fix_global *found = NULL;
    for (uint32_t i = 0; i < count; i++) {
        fix_mention mention;
        if (!globals[i].written || !fix_mention_find(at, end, globals[i].array, &mention) ||
            (found && mention.begin > out->begin))
            continue;
        found = &globals[i];
        *out = mention;
    }
    return found;
}

void fix_globals_rewrite(FILE *out, const fix_global *globals, uint32_t count, const char *text,
                         size_t length) {
    const char *at = text, *end = text + length, *behind;
    fix_mention mention = {.begin = text};
    for (const fix_global *global; (global = find_next(globals, count, at, end, &mention));
         at = behind) {
        fwrite(at, 1, (size_t)(mention.begin - at), out);
        if (!put_changed(out, global, &mention, end, &behind)) {
            behind = mention.begin + global->array->length;
            fwrite(mention.begin, 1, (size_t)(behind - mention.begin), out);
        }
    }
    fwrite(at, 1, (size_t)(end - at), out);
}
