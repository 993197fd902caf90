/* SPDX-License-Identifier: MIT */
/*
 * Rewrites index expressions: finds every use of a changed array, splits it into its indices,
 * and writes it again. The layout language declares swizzles; CUDA C spells them out.
 */
#include "fix_text.h"

/* ---- Finding mentions ---- */

/* The position after the bracket that closes the one at `at`, or `end`. */
static const char *skip_bracket(const char *at, const char *end) {
    int depth = 0;
    for (; at < end; at++) {
        depth += *at == '[' || *at == '(';
        depth -= *at == ']' || *at == ')';
        if (depth == 0)
            return at + 1;
    }
    return end;
}

static fix_span trim(const char *from, const char *to) {
    from = fix_skip_blanks(from, to);
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    return (fix_span){from, (size_t)(to - from)};
}

fix_span fix_argument(const char **at, const char *end) {
    const char *from = *at, *to = from;
    for (int depth = 0; to < end && (depth > 0 || *to != ','); to++) {
        depth += *to == '[' || *to == '(';
        depth -= *to == ']' || *to == ')';
    }
    *at = to < end ? to + 1 : end;
    return trim(from, to);
}

/* "(i, j)": one bracket for all indices. */
static bool split_list(const char *open, const char *close, fix_mention *out) {
    const char *at = open + 1;
    do {
        if (out->index_count == SMP_DIMS_MAX)
            return false;
        out->index[out->index_count++] = fix_argument(&at, close - 1);
    } while (at < close - 1);
    return true;
}

/* Parses the indices after a name that ends at `at`. */
static void take_indices(const char *at, const char *end, uint32_t dims, fix_mention *out) {
    const char *next = fix_skip_blanks(at, end);
    out->index_count = 0;
    out->end = at;
    if (next < end && *next == '(') {
        const char *close = skip_bracket(next, end);
        if (split_list(next, close, out))
            out->end = close;
        return;
    }
    while (out->index_count < dims && next < end && *next == '[') {
        const char *close = skip_bracket(next, end);
        out->index[out->index_count++] = trim(next + 1, close - 1);
        out->end = close;
        next = fix_skip_blanks(close, end);
    }
}

bool fix_mention_find(const char *at, const char *end, const smp_array *array, fix_mention *out) {
    for (const char *begin = at; at + array->length <= end; at++) {
        bool starts = at == begin || !text_is_word(at[-1]);
        bool is_member = at > begin && (at[-1] == '.' || (at[-1] == '>' && at - begin > 1));
        const char *behind = at + array->length;
        if (!starts || is_member || memcmp(at, array->name, array->length) != 0 ||
            (behind < end && text_is_word(*behind)))
            continue;
        out->begin = at;
        take_indices(behind, end, array->table.dim_count, out);
        return true;
    }
    return false;
}

/* True if the text after an element does not change its index: members, or the end of the
 * expression. */
static bool follows_element(const char *at, const char *end) {
    for (; at < end; at++) {
        if (*at == '[' || *at == '(' || *at == '+')
            return false;
        bool is_arrow = *at == '-' && at + 1 < end && at[1] == '>';
        if (*at == '-' && !is_arrow)
            return false;
        if (*at == ',' || *at == ';' || *at == '=')
            return true;
    }
    return true;
}

bool fix_is_indexed(const char *text, size_t length, const smp_array *array) {
    const char *at = text, *end = text + length;
    fix_mention mention;
    while (fix_mention_find(at, end, array, &mention)) {
        if (mention.index_count != array->table.dim_count || !follows_element(mention.end, end))
            return false;
        at = mention.end;
    }
    return true;
}

/* ---- Writing expressions ---- */

static bool is_zero(fix_span span) {
    return span.length == 1 && *span.text == '0';
}

static void put_operand(FILE *out, fix_span span) {
    const char *format = text_is_primary(span) ? "%.*s" : "(%.*s)";
    fprintf(out, format, SPAN(span));
}

/* Writes the row number: all indices except the last. */
static void put_row(FILE *out, const smp_fix_form *form, const fix_mention *m) {
    uint32_t rows = form->dim_count - 1;
    if (rows == 1) {
        put_operand(out, m->index[0]);
        return;
    }
    for (uint32_t d = 1; d < rows; d++)
        fputc('(', out);
    put_operand(out, m->index[0]);
    for (uint32_t d = 1; d < rows; d++) {
        fprintf(out, " * %u + ", form->extent[d] + form->pad[d]);
        put_operand(out, m->index[d]);
        fputc(')', out);
    }
}

static void put_spread(FILE *out, const smp_fix_form *form, const fix_mention *m) {
    put_operand(out, m->index[0]);
    if (form->every == 1) {
        fprintf(out, " * %u", 1 + form->insert);
        return;
    }
    fputs(form->insert > 1 && fix_is_power(form->every) ? " + (" : " + ", out);
    bool is_shift = fix_is_power(form->every);
    if (is_shift && form->insert == 1)
        fputc('(', out);
    put_operand(out, m->index[0]);
    if (is_shift)
        fprintf(out, " >> %u)", fix_log2(form->every));
    else
        fprintf(out, " / %u", form->every);
    if (form->insert > 1)
        fprintf(out, " * %u", form->insert);
}

/* Writes the element number, in parentheses if it has operators. */
static void put_number(FILE *out, const smp_fix_form *form, const fix_mention *m) {
    uint32_t last = form->dim_count - 1;
    if (last == 0 && form->every == 0) {
        put_operand(out, m->index[0]);
        return;
    }
    fputc('(', out);
    if (form->every != 0) {
        put_spread(out, form, m);
    } else {
        put_row(out, form, m);
        fprintf(out, " * %u + ", form->extent[last] + form->pad[last]);
        put_operand(out, m->index[last]);
    }
    fputc(')', out);
}

typedef void (*put_fn)(FILE *out, const smp_fix_form *form, const fix_mention *m);

/* Writes `value & mask`, shifted. The mask is omitted if `most`, the largest value, allows it. */
static void put_field(FILE *out, put_fn put, const smp_fix_form *form, const fix_mention *m,
                      smp_fix_term term, uint32_t most) {
    uint32_t all = most == 0 ? UINT32_MAX : (uint32_t)((UINT64_C(2) << fix_log2(most)) - 1);
    uint32_t lost = term.shift > 0 ? (1u << term.shift) - 1 : 0;
    bool needs_mask = ((term.mask | lost) & all) != all;
    if (term.shift == 0 && !needs_mask) {
        put(out, form, m);
        return;
    }
    fputs(needs_mask && term.shift < 0 ? "((" : "(", out);
    put(out, form, m);
    if (term.shift > 0)
        fprintf(out, " >> %d", term.shift);
    if (needs_mask)
        fprintf(out, " & %u", term.shift > 0 ? term.mask >> term.shift : term.mask);
    if (term.shift < 0)
        fprintf(out, "%s << %d", needs_mask ? ")" : "", -term.shift);
    fputc(')', out);
}

/* Rows of the array, 0 if unknown. */
static uint32_t count_rows(const smp_fix_form *form) {
    uint32_t rows = form->extent[0] > 0 ? 1 : 0;
    for (uint32_t d = 0; d + 1 < form->dim_count; d++)
        rows *= form->extent[d] + form->pad[d];
    return rows;
}

static void put_column(FILE *out, const smp_fix_form *form, const fix_mention *m) {
    put_operand(out, m->index[form->dim_count - 1]);
}

/* Writes " ^ ..." for each term that is not always 0, based on the row or column if its bits are
 * all there, otherwise on the element number. The first term has no operator if `is_first`. */
static void put_terms(FILE *out, const smp_fix_form *form, const fix_mention *m, bool is_first) {
    uint32_t last = form->dim_count - 1, columns = form->extent[last] + form->pad[last];
    uint32_t rows = count_rows(form);
    for (uint32_t i = 0; i < form->term_count; i++) {
        smp_fix_term term = form->term[i];
        bool splits = last > 0 && fix_is_power(columns);
        bool from_row = splits && (term.mask & (columns - 1)) == 0;
        bool from_column = splits && term.mask < columns;
        if ((from_row && last == 1 && is_zero(m->index[0])) ||
            (from_column && is_zero(m->index[last])))
            continue;
        fputs(is_first ? "" : " ^ ", out);
        is_first = false;
        if (from_row) {
            term.mask >>= fix_log2(columns);
            term.shift -= (int32_t)fix_log2(columns);
        }
        uint32_t count = from_row ? rows : from_column ? columns : rows * columns;
        if (form->every != 0)
            count = (uint32_t)fix_form_elements(form, count);
        put_field(out,
                  from_row      ? put_row
                  : from_column ? put_column
                                : put_number,
                  form, m, term, count > 0 ? count - 1 : 0);
    }
    if (is_first)
        fputc('0', out);
}

/* "(column + row) % columns"; row 0 is unchanged. */
static void put_rotated(FILE *out, const smp_fix_form *form, const fix_mention *m) {
    uint32_t last = form->dim_count - 1, columns = form->extent[last];
    fix_span column = m->index[last], row = m->index[last - 1];
    if (is_zero(row)) {
        fprintf(out, "%.*s", SPAN(column));
        return;
    }
    bool is_sum = !is_zero(column), is_alone = !is_sum && form->divide <= 1 && form->step <= 1;
    fputs(is_alone ? "" : "(", out);
    if (is_sum) {
        put_operand(out, column);
        fputs(" + ", out);
    }
    put_operand(out, row);
    if (form->divide > 1)
        fprintf(out, " / %u", form->divide);
    if (form->step > 1)
        fprintf(out, " * %u", form->step);
    fputs(is_alone ? "" : ")", out);
    if (fix_is_power(columns))
        fprintf(out, " & %u", columns - 1);
    else
        fprintf(out, " %% %u", columns);
}

bool fix_form_rewrites(const smp_fix_form *form, bool spells_swizzles) {
    bool swizzles = form->kind == SMP_FIX_XOR || form->kind == SMP_FIX_PAD_XOR;
    spells_swizzles |= form->extent[0] == 0; /* an array of unknown size cannot declare one */
    return form->step != 0 || form->every != 0 ||
           (form->term_count > 0 && (!swizzles || spells_swizzles));
}

/* The whole element: "tile[i][j ^ i]". */
static void put_element(FILE *out, const smp_array *array, const smp_fix_form *form,
                        const fix_mention *m) {
    uint32_t last = form->dim_count - 1;
    fprintf(out, "%.*s", (int)array->length, array->name);
    if (fix_form_is_flat(form)) {
        fputc('[', out);
        put_number(out, form, m);
        put_terms(out, form, m, false);
        fputc(']', out);
        return;
    }
    for (uint32_t d = 0; d < last; d++)
        fprintf(out, "[%.*s]", SPAN(m->index[d]));
    fputc('[', out);
    if (form->step != 0)
        put_rotated(out, form, m);
    else if (form->every != 0 && form->term_count > 0)
        put_number(out, form, m);
    else if (form->every != 0)
        put_spread(out, form, m);
    else if (form->term_count == 0)
        fprintf(out, "%.*s", SPAN(m->index[last]));
    else if (!is_zero(m->index[last]))
        put_operand(out, m->index[last]);
    bool is_first = form->step == 0 && form->every == 0 && is_zero(m->index[last]);
    if (form->term_count > 0)
        put_terms(out, form, m, is_first);
    fputc(']', out);
}

/* The next mention of `array` to rewrite. "t(i, j)" is not C and is always rewritten. */
static bool find_rewritten(const fix_array *array, const char *at, const char *end,
                           bool spells_swizzles, fix_mention *out) {
    bool rewrites = fix_form_rewrites(&array->chosen.form, spells_swizzles);
    bool spells_calls = spells_swizzles && array->chosen.form.kind != SMP_FIX_KEEP;
    while ((rewrites || spells_calls) && fix_mention_find(at, end, array->array, out)) {
        if (rewrites || out->end[-1] == ')')
            return true;
        at = out->end;
    }
    return false;
}

/* The earliest mention of a changed array from `at` on. */
static const fix_array *find_moved(const smp_fix *fix, const char *at, const char *end,
                                   bool spells_swizzles, fix_mention *out) {
    const fix_array *found = NULL;
    EACH(const fix_array, array, fix->arrays, fix->array_count) {
        fix_mention mention;
        if (!find_rewritten(array, at, end, spells_swizzles, &mention))
            continue;
        if (!found || mention.begin < out->begin) {
            found = array;
            *out = mention;
        }
    }
    return found;
}

void fix_rewrite(FILE *out, const smp_fix *fix, const char *text, size_t length,
                 bool spells_swizzles) {
    const char *at = text, *end = text + length;
    fix_mention mention;
    for (;;) {
        const fix_array *array = find_moved(fix, at, end, spells_swizzles, &mention);
        if (!array)
            break;
        fwrite(at, 1, (size_t)(mention.begin - at), out);
        put_element(out, array->array, &array->chosen.form, &mention);
        at = mention.end;
    }
    fwrite(at, 1, (size_t)(end - at), out);
}
