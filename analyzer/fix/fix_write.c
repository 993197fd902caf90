/* SPDX-License-Identifier: MIT */
/*
 * Writes the layout file of the fixed version: the original text, line by line, with new
 * declarators and indices, and new expectations for each access.
 */
#define _GNU_SOURCE /* memmem */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fix_report.h"
#include "fix_text.h"

/* ---- Lines ---- */

/* True for a preprocessor directive, as opposed to a comment. */
static bool is_directive(const char *at, const char *end) {
    static const char *const words[] = {"define", "undef", "include", "if",    "ifdef",
                                        "ifndef", "elif",  "else",    "endif", "pragma"};
    at = fix_skip_blanks(at + 1, end);
    return ANY(one, words, sizeof words / sizeof words[0], fix_word_at(at, end, *one) > 0);
}

/* The line without its comment and trailing blanks. */
static fix_span significant(const char *text, const char *end) {
    const char *last = text;
    for (const char *at = text; at < end; at++) {
        if ((*at == '#' && !(last == text && is_directive(at, end))) ||
            (*at == '/' && at + 1 < end && at[1] == '/'))
            break;
        if (*at != ' ' && *at != '\t' && *at != '\r')
            last = at + 1;
    }
    return (fix_span){text, (size_t)(last - text)};
}

fix_span fix_declaration_line(const smp_fix *fix, const smp_array *array) {
    const char *begin = array->name, *end = fix->text + fix->length;
    const char *newline = memchr(begin, '\n', (size_t)(end - begin));
    while (begin > fix->text && begin[-1] != '\n')
        begin--;
    return significant(begin, newline ? newline : end);
}

static bool begins_with(fix_span line, const char *word) {
    const char *end = line.text + line.length;
    return fix_word_at(fix_skip_blanks(line.text, end), end, word) > 0;
}

/* ---- Declarations ---- */

/* The end of the declarator at `at`, including its extents and layout; *place is its "@ N". */
static const char *skip_declarator(const char *at, const char *end, fix_span *place) {
    int depth = 0, angles = 0; /* inside brackets, "<" is an operator */
    *place = (fix_span){at, 0};
    for (; at < end; at++) {
        depth += *at == '[' || *at == '(';
        depth -= *at == ']' || *at == ')';
        angles += depth == 0 && *at == '<';
        angles -= depth == 0 && *at == '>';
        if (depth + angles == 0 && *at == '@')
            place->text = at;
        if (depth + angles == 0 && (*at == ',' || *at == ';'))
            break;
    }
    if (*place->text == '@')
        place->length = (size_t)(at - place->text);
    return at;
}

/* "[32][32 + 1]": keeps the original text of the extent if possible. */
static void put_extent(FILE *out, const smp_array *array, uint32_t dim, uint32_t extent,
                       const char *end) {
    fix_mention mention;
    uint32_t before = array->table.dims[dim].extent;
    bool found = fix_mention_find(array->name, end, array, &mention) &&
                 mention.begin == array->name && mention.index_count == array->table.dim_count;
    fix_span written = found ? mention.index[dim] : (fix_span){NULL, 0};
    if (extent == 0)
        fputs("[]", out);
    else if (!found || text_is_number(written))
        fprintf(out, "[%u]", extent);
    else if (extent == before)
        fprintf(out, "[%.*s]", SPAN(written));
    else
        fprintf(out, text_is_sum(written) ? "[%.*s + %u]" : "[(%.*s) + %u]", SPAN(written),
                extent - before);
}

void fix_declarator_put(FILE *out, const fix_array *array, const char *end, bool has_swizzles) {
    const smp_array *of = array->array;
    const smp_fix_form *form = &array->chosen.form;
    bool declares = has_swizzles && form->bits != 0 && !fix_form_rewrites(form, false);
    fprintf(out, "%.*s", (int)of->length, of->name);
    if (!has_swizzles && fix_form_is_flat(form)) {
        fprintf(out, "[%" PRIu64 "]", fix_form_elements(form, array->reach));
        return;
    }
    for (uint32_t d = 0; d < form->dim_count; d++) {
        uint32_t extent = form->extent[d] > 0 ? form->extent[d] + form->pad[d] : 0;
        bool is_flat = form->dim_count == 1 && form->extent[0] > 0;
        if (is_flat && !declares)
            extent = (uint32_t)fix_form_elements(form, form->extent[0]);
        put_extent(out, of, d, extent, end);
    }
    if (declares)
        fprintf(out, " : Swizzle<%u,%u,%d>", form->bits, form->base, form->shift);
}

/* True if the closing brace of a struct that gets padding is in this line. */
static bool widens_here(const fix_array *array, const char *line, const char *end,
                        const char **brace) {
    const smp_type *type = array->array->type;
    const char *word = type->length > 0 ? type->name : array->array->name;
    if (array->chosen.form.element_extra == 0 || word < line || word >= end)
        return false;
    const char *from = type->length > 0 ? word : line;
    *brace = memchr(from, '}', (size_t)(end - from));
    return *brace;
}

typedef struct edit {
    const char *at, *resume; /* replaces the text in between */
    const fix_array *array;
    enum { EDIT_NAME, EDIT_BODY, EDIT_ALIGN } kind;
    fix_span place;
} edit;

static void add_edit(edit edits[], uint32_t *count, edit added) {
    uint32_t at = (*count)++;
    for (; at > 0 && edits[at - 1].at > added.at; at--)
        edits[at] = edits[at - 1];
    edits[at] = added;
}

/* The position after "shared", "__shared__" and "extern". */
static const char *behind_storage(const char *line, const char *end) {
    static const char *const words[] = {"shared", "__shared__", "extern"};
    const char *at = fix_skip_blanks(line, end);
    for (size_t i = 0; i < sizeof words / sizeof words[0];) {
        const size_t length = fix_word_at(at, end, words[i]);
        at = fix_skip_blanks(at + length, end);
        i = length > 0 ? 0 : i + 1;
    }
    return at;
}

/* Finds the edits of a line with declarations. */
static uint32_t find_edits(const smp_fix *fix, fix_span line, edit edits[]) {
    const char *end = line.text + line.length, *brace;
    uint32_t count = 0;
    EACH(const fix_array, array, fix->arrays, fix->array_count) {
        const char *name = array->array->name;
        bool is_here = name >= line.text && name < end;
        bool is_plain = array->array->table.is_row_major && !array->array->table.swizzle.present;
        bool is_new = array->chosen.form.kind != SMP_FIX_KEEP &&
                      (array->chosen.form.element_extra == 0 || !is_plain);
        if (widens_here(array, line.text, end, &brace))
            add_edit(edits, &count, (edit){brace, brace, array, EDIT_BODY, {NULL, 0}});
        bool is_aligned =
            count > 0 && edits[0].kind == EDIT_ALIGN; /* one alignment serves the whole line */
        if (is_here && array->align_as > 0 && !is_aligned) {
            const char *at = behind_storage(line.text, end);
            add_edit(edits, &count, (edit){at, at, array, EDIT_ALIGN, {NULL, 0}});
        }
        if (is_here && is_new) {
            edit added = {.at = name, .array = array, .kind = EDIT_NAME};
            added.resume = skip_declarator(name, end, &added.place);
            add_edit(edits, &count, added);
        }
    }
    return count;
}

/* ---- Promises ---- */

/* Limits kept by all accesses of a line on one architecture. */
typedef struct promise {
    uint32_t valid, ways;
    uint64_t excess, transactions, requests;
} promise;

static promise promise_of(const smp_fix *fix, uint32_t arch, uint32_t first, uint32_t last) {
    promise out = {0};
    uint32_t unknown = 0;
    for (uint32_t i = first; i <= last; i++) {
        const smp_totals *totals = fix_after(fix, arch, i);
        const smp_space space = smp_ops(NULL)[smp_layout_request(fix->layout, i)->op].space;
        const bool has_waves = space == SMP_SPACE_SHARED || space == SMP_SPACE_COPY;
        const uint32_t counts = (has_waves ? SMP_HAS_WAVEFRONTS : 0) |
                                (space != SMP_SPACE_SHARED ? SMP_HAS_TRANSACTIONS : 0);
        unknown |= counts & ~totals->valid;
        out.valid |= totals->valid;
        out.ways = totals->ways > out.ways ? totals->ways : out.ways;
        out.excess = totals->excess > out.excess ? totals->excess : out.excess;
        if (totals->transactions > out.transactions)
            out.transactions = totals->transactions;
        out.requests = totals->requests > out.requests ? totals->requests : out.requests;
    }
    out.valid &= ~unknown;
    return out;
}

static void put_promise(FILE *out, const promise *kept, const char *arch) {
    const char *on = arch ? " on " : "";
    arch = arch ? arch : "";
    if (kept->valid & SMP_HAS_WAVEFRONTS) {
        fprintf(out, "expect ways <= %u%s%s\n", kept->ways, on, arch);
        fprintf(out, "expect excess <= %" PRIu64 "%s%s\n", kept->excess, on, arch);
    }
    if (kept->valid & SMP_HAS_TRANSACTIONS)
        fprintf(out, "expect transactions <= %" PRIu64 "%s%s\n", kept->transactions, on, arch);
    if (kept->valid == 0) /* so that a gate has something to check */
        fprintf(out, "expect requests <= %" PRIu64 "%s%s\n", kept->requests, on, arch);
}

static bool promises_alike(const promise *a, const promise *b) {
    return a->valid == b->valid && a->ways == b->ways && a->excess == b->excess &&
           a->transactions == b->transactions;
}

/* Writes the promises of accesses `first` to `last` in as few lines as possible. */
static void put_promises(FILE *out, const smp_fix *fix, uint32_t first, uint32_t last) {
    const promise one = promise_of(fix, 0, first, last);
    bool alike = true;
    for (uint32_t i = 0; i < fix->arch_count; i++) {
        if (fix->archs[i].bank_bytes != smp_arch_find(fix->archs[i].name)->bank_bytes)
            return; /* a bank mode that a layout file cannot specify */
        const promise here = promise_of(fix, i, first, last);
        alike &= promises_alike(&one, &here);
    }
    for (uint32_t i = 0; i < (alike ? 1 : fix->arch_count); i++) {
        const promise here = promise_of(fix, i, first, last);
        put_promise(out, &here, alike ? NULL : fix->archs[i].name);
    }
}

/* True if a statement with accesses continues after the line. */
static bool is_in_statement(const smp_layout *layout, unsigned line) {
    for (uint32_t i = 0; i < smp_layout_access_count(layout); i++) {
        if (smp_layout_request(layout, i)->line <= line &&
            line < smp_layout_request(layout, i)->end_line)
            return true;
    }
    return false;
}

/* Finds the accesses of statements that end in a line. */
static bool accesses_of_line(const smp_layout *layout, unsigned line, uint32_t *first,
                             uint32_t *last) {
    bool found = false;
    for (uint32_t i = 0; i < smp_layout_access_count(layout); i++) {
        const smp_request *access = smp_layout_request(layout, i);
        if (access->end_line != line || (access->length > 0 && access->text[0] == '#'))
            continue; /* no promises for an #include, whose accesses are in the header */
        *first = found ? *first : i;
        *last = i;
        found = true;
    }
    return found;
}

/* ---- The file ---- */

/* Advice that affects other code becomes a comment. */
static void put_open(void *user, const char *kind, const char *text) {
    (void)kind;
    fprintf(user, "# Unchanged (the surrounding statements would change, too): %s\n", text);
}

/* Describes the result for each array in global memory that moves more than needed. */
static void put_globals(FILE *out, const smp_fix *fix) {
    EACH(const fix_global, global, fix->globals, fix->global_count) {
        char text[256];
        text_buffer words = TEXT_BUFFER(text);
        if (global->written) {
            fix_change_text(&words, global->array, global->written);
            fprintf(out,
                    "# Written here, in global memory: %.*s: %s sectors instead of %" PRIu64 ".\n",
                    (int)global->array->length, global->array->name, text, global->sectors);
        } else if (global->advice < fix->advice.count) {
            fprintf(out, "# Unchanged, in global memory: %s",
                    fix->advice.items[global->advice].text);
            fprintf(out, global->count > 0 ? " Not written: %s.\n" : "\n", global->why_not);
        }
    }
}

static void put_head(FILE *out, const smp_fix *fix) {
    const smp_fix_result *r = &fix->result;
    fprintf(out, "# Made by smemprobe fix: %" PRIu64 " excess wavefronts became %" PRIu64,
            r->excess_before, r->excess_after);
    if (r->bytes_after > r->bytes_before)
        fprintf(out, ", for %" PRIu64 " bytes", r->bytes_after - r->bytes_before);
    fputs(".\narch", out);
    for (uint32_t i = 0; i < fix->arch_count; i++)
        fprintf(out, "%s %s", i > 0 ? "," : "", fix->archs[i].name);
    fputc('\n', out);
    put_globals(out, fix);
    if (!fix->result.is_better) /* the advice is about the original layouts */
        fix_advice(fix, "wider", put_open, out);
}

/* Rewrites the accesses of a line: global ones first, since shared ones may contain them. */
static bool put_accesses(FILE *out, const smp_fix *fix, fix_span line) {
    char *text = NULL;
    size_t length = 0;
    FILE *changed = open_memstream(&text, &length);
    if (changed)
        fix_globals_rewrite(changed, fix->globals, fix->global_count, line.text, line.length);
    const bool sound = changed && fclose(changed) == 0 && text; /* otherwise out of memory */
    if (sound)
        fix_rewrite(out, fix, text, length, false);
    free(text);
    return sound;
}

static void put_edit(FILE *out, const edit *e, const char *end) {
    if (e->kind == EDIT_BODY)
        fprintf(out, "char pad_[%u]; ", e->array->chosen.form.element_extra);
    else if (e->kind == EDIT_ALIGN)
        fprintf(out, "__align__(%u) ", e->array->align_as);
    else
        fix_declarator_put(out, e->array, end, true);
    if (e->kind == EDIT_NAME && e->place.length > 0)
        fprintf(out, " %.*s", SPAN(e->place));
}

/* Writes a line: its declarations, and its accesses between them. */
static bool put_code(FILE *out, const smp_fix *fix, fix_span line, bool has_accesses) {
    edit edits[3 * SMP_ARRAYS_MAX];
    const char *at = line.text, *end = line.text + line.length;
    const uint32_t count = find_edits(fix, line, edits);
    for (uint32_t i = 0; i <= count; i++) {
        const fix_span between = {at, (size_t)((i < count ? edits[i].at : end) - at)};
        if (!has_accesses)
            fwrite(between.text, 1, between.length, out);
        else if (!put_accesses(out, fix, between))
            return false;
        if (i == count)
            break;
        put_edit(out, &edits[i], end);
        at = edits[i].resume;
    }
    return true;
}

/* Number of braces opened minus closed in the line. */
static int braces(fix_span line) {
    int open = 0;
    for (size_t i = 0; i < line.length; i++)
        open += line.text[i] == '{' ? 1 : line.text[i] == '}' ? -1 : 0;
    return open;
}

/* After a function in one line, a promise would refer to other accesses, unless the function is the
 * kernel, whose accesses come last. */
static bool may_promise(const smp_fix *fix, fix_span line) {
    return !smp_layout_has_kernel(fix->layout) || !memchr(line.text, '{', line.length) ||
           braces(line) != 0 || memmem(line.text, line.length, "__global__", 10);
}

/* True if the statement that ends in the line calls a function with accesses: they follow the
 * statement's last own access `last`, so a promise would refer to them. The function is above the
 * line or below all that follows. */
static bool calls_accesses(const smp_layout *layout, uint32_t last, unsigned line) {
    const uint32_t count = (uint32_t)smp_layout_access_count(layout);
    if (last + 1 == count)
        return false;
    const unsigned next = smp_layout_request(layout, last + 1)->end_line;
    for (uint32_t i = last + 2; i < count && next > line; i++) {
        const unsigned here = smp_layout_request(layout, i)->end_line;
        if (here < smp_layout_request(layout, i - 1)->end_line)
            return here > line && here < next;
    }
    return next < line;
}

static bool put_line(FILE *out, const smp_fix *fix, const char *text, const char *end,
                     unsigned number) {
    fix_span line = significant(text, end);
    if (begins_with(line, "arch") || begins_with(line, "expect"))
        return true;
    uint32_t first = 0, last = 0;
    const bool ends = accesses_of_line(fix->layout, number, &first, &last);
    const bool has_accesses = ends || is_in_statement(fix->layout, number);
    if ((has_accesses || !fix_globals_declare(out, fix->globals, fix->global_count, line)) &&
        !put_code(out, fix, line, has_accesses))
        return false;
    fwrite(line.text + line.length, 1, (size_t)(end - text) - line.length, out);
    fputc('\n', out);
    if (ends && fix->after && may_promise(fix, line) && !calls_accesses(fix->layout, last, number))
        put_promises(out, fix, first, last);
    return true;
}

/* Skips comments at the head, which describe the original version. */
static const char *skip_head(const char *text, const char *end, unsigned *line) {
    for (*line = 1; text < end; ++*line) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        if (significant(text, stop).length > 0 || stop == text)
            return text;
        text = newline ? newline + 1 : end;
    }
    return text;
}

bool smp_fix_write_layout(FILE *out, const smp_fix *fix) {
    const char *end = fix->text + fix->length;
    unsigned number;
    const char *at = skip_head(fix->text, end, &number);
    put_head(out, fix);
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!put_line(out, fix, at, newline ? newline : end, number++))
            return false;
        at = newline ? newline + 1 : end;
    }
    return !ferror(out);
}
