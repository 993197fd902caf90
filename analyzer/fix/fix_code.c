/* SPDX-License-Identifier: MIT */
/*
 * The fixed version as source: declarations and accesses in CUDA C, and CuTe layouts where CuTe
 * can express them.
 */
#include <string.h>

#include "fix_text.h"

/* ---- CUDA C ---- */

static bool is_changed(const fix_array *array) {
    return array->chosen.form.kind != SMP_FIX_KEEP;
}

/* "struct P { float x;": the declaration up to the closing brace. */
static fix_span struct_text(const smp_fix *fix, const smp_array *array) {
    const char *begin = array->type_text, *word = "struct";
    if (array->type->length > 0) { /* it may be declared in a separate line */
        begin = array->type->name;
        while (begin > fix->text && strncmp(begin, word, strlen(word)) != 0)
            begin--;
    }
    return (fix_span){begin, strcspn(begin, "}")};
}

/* True for the first array of a declaration, which may contain the struct's body. */
static bool is_first_declarator(const smp_fix *fix, const smp_array *array) {
    const smp_array *before = array - 1;
    return array == smp_layout_array(fix->layout, 0) || before->type_text != array->type_text;
}

static void put_struct(FILE *out, const smp_fix *fix, const fix_array *array) {
    fix_span body = struct_text(fix, array->array);
    uint32_t extra = array->chosen.form.element_extra;
    fprintf(out, "%.*s", SPAN(body));
    if (extra > 0)
        fprintf(out, "char pad_[%u]; ", extra);
    fputc('}', out);
}

/* The type as written, with qualifiers or body: "volatile float", "struct { ... }". */
static void put_type(FILE *out, const smp_fix *fix, const fix_array *array) {
    const smp_array *of = array->array;
    bool has_body = memchr(of->type_text, '{', of->type_length);
    if (!has_body)
        fprintf(out, "%.*s", (int)of->type_length, of->type_text);
    else if (of->type->length > 0 && !is_first_declarator(fix, of))
        fprintf(out, "%.*s", (int)of->type->length, of->type->name);
    else
        put_struct(out, fix, array);
}

/* The alignment to declare: at least the original one. */
static uint32_t needed_align(const fix_array *array) {
    const smp_array *of = array->array;
    uint32_t align = of->align > of->type->align ? of->align : 0;
    uint32_t least = array->unit_bytes > of->align ? array->unit_bytes : 0;
    align = least > align ? least : align;
    return array->align_as > align ? array->align_as : align;
}

static void put_declaration(FILE *out, const smp_fix *fix, const fix_array *array) {
    const smp_array *of = array->array;
    fix_span line = fix_declaration_line(fix, of);
    uint32_t align = needed_align(array);
    bool is_declared_apart = !memchr(of->type_text, '{', of->type_length);
    if (is_declared_apart && array->chosen.form.element_extra > 0) {
        put_struct(out, fix, array);
        fputs(";\n", out);
    }
    fprintf(out, "%s%s__shared__ ", of->is_dynamic ? "extern " : "",
            of->is_volatile ? "volatile " : "");
    if (align > 0)
        fprintf(out, "__align__(%u) ", align);
    put_type(out, fix, array);
    fputc(' ', out);
    fix_declarator_put(out, array, line.text + line.length, false);
    fputs(";\n", out);
}

/* For an unchanged array that must begin at another address. */
static void put_alignment(FILE *out, const smp_fix *fix, const fix_array *array) {
    const smp_array *of = array->array;
    if (of->table.is_row_major && !of->table.swizzle.present)
        put_declaration(out, fix, array);
    else
        fprintf(out, "// %.*s: align it to %u bytes\n", (int)of->length, of->name, array->align_as);
}

static bool touches_changed(const smp_fix *fix, const smp_request *request) {
    for (uint32_t i = 0; i < fix->array_count; i++) {
        if (fix->arrays[i].array == smp_layout_array(fix->layout, request->target.array))
            return is_changed(&fix->arrays[i]);
    }
    return false;
}

static bool is_repeated(const smp_layout *layout, uint32_t index) {
    const smp_request *request = smp_layout_request(layout, index);
    for (uint32_t i = 0; i < index; i++) {
        const smp_request *other = smp_layout_request(layout, i);
        if (other->length == request->length &&
            memcmp(other->text, request->text, request->length) == 0)
            return true;
    }
    return false;
}

/* The start of an access's target, whose position is a column. */
static const char *target_of(const smp_fix *fix, const smp_request *request) {
    const char *line = request->text;
    while (line > fix->text && line[-1] != '\n')
        line--;
    return line + request->target.position;
}

/* The element of a load or store, without words of the layout language; otherwise the whole access.
 */
static fix_span expression_of(const smp_fix *fix, const smp_request *request) {
    const char *end = request->text + request->length;
    bool is_call = !smp_ops(NULL)[request->op].lanes_merge;
    const char *begin = request->is_implied || is_call ? request->text : target_of(fix, request);
    return (fix_span){begin, (size_t)(end - begin)};
}

/* Writes an address: "&tile[i][j]" for an element, but never "&*". */
static void put_address(FILE *out, const smp_fix *fix, fix_span argument) {
    const bool is_taken = argument.length > 0 && *argument.text == '*';
    const bool is_address = argument.length > 0 && *argument.text == '&';
    fputs(is_taken || is_address ? "" : "&", out);
    fix_rewrite(out, fix, argument.text + is_taken, argument.length - is_taken, true);
}

/* Writes a copy as a call of <cuda_pipeline.h>. */
static void put_copy(FILE *out, const smp_fix *fix, const smp_request *request) {
    static const char call[] = "__pipeline_memcpy_async";
    const char *end = request->text + request->length;
    if (request->length > sizeof call && memcmp(request->text, call, sizeof call - 1) == 0) {
        fix_rewrite(out, fix, request->text, request->length, true); /* already a call */
        fputc(';', out);
        return;
    }
    const char *at = target_of(fix, request);
    fputs("__pipeline_memcpy_async(", out);
    put_address(out, fix, fix_argument(&at, end));
    fputs(", ", out);
    put_address(out, fix, fix_argument(&at, end));
    fprintf(out, ", %u);", request->width_bytes);
}

/* True if an operation whose name begins with `verb` uses the array. */
static bool is_touched_by(const smp_fix *fix, const fix_array *array, const char *verb) {
    for (uint32_t i = 0; i < smp_layout_access_count(fix->layout); i++) {
        const smp_request *request = smp_layout_request(fix->layout, i);
        if (smp_layout_array(fix->layout, request->target.array) == array->array &&
            strncmp(smp_ops(NULL)[request->op].name, verb, 2) == 0)
            return true;
    }
    return false;
}

/* For an array whose stores or loads are not in the text: how to write its elements now. */
static void put_rule(FILE *out, const smp_fix *fix, const fix_array *array) {
    static const char *const names[] = {"[x]", "[y][x]", "[z][y][x]", "[w][z][y][x]"};
    const smp_array *of = array->array;
    const bool is_read = is_touched_by(fix, array, "ld");
    const bool is_written = is_touched_by(fix, array, "st") || is_touched_by(fix, array, "cp");
    char any[256];
    if (!fix_form_rewrites(&array->chosen.form, true) || (is_read && is_written))
        return;
    const int length = snprintf(any, sizeof any, "%.*s%s", (int)of->length, of->name,
                                names[array->chosen.form.dim_count - 1]);
    if (length <= 0 || (size_t)length >= sizeof any)
        return;
    fprintf(out, "// every %s: %s becomes ",
            is_read      ? "store, too"
            : is_written ? "load, too"
                         : "other access",
            any);
    fix_rewrite(out, fix, any, (size_t)length, true);
    fputc('\n', out);
}

bool smp_fix_write_cuda(FILE *out, const smp_fix *fix) {
    for (uint32_t i = 0; i < fix->array_count; i++) {
        if (is_changed(&fix->arrays[i]))
            put_declaration(out, fix, &fix->arrays[i]);
        else if (fix->arrays[i].align_as > 0)
            put_alignment(out, fix, &fix->arrays[i]);
    }
    for (uint32_t i = 0; i < smp_layout_access_count(fix->layout); i++) {
        const smp_request *request = smp_layout_request(fix->layout, i);
        if (!touches_changed(fix, request) || is_repeated(fix->layout, i))
            continue;
        fix_span expression = expression_of(fix, request);
        if (request->has_source)
            put_copy(out, fix, request);
        else
            fix_rewrite(out, fix, expression.text, expression.length, true);
        fprintf(out, "  // %s\n", smp_ops(NULL)[request->op].name);
    }
    for (uint32_t i = 0; i < fix->array_count; i++) {
        if (is_changed(&fix->arrays[i]))
            put_rule(out, fix, &fix->arrays[i]);
    }
    return !ferror(out);
}

/* ---- CuTe ---- */

enum { SWIZZLES_MAX = 64 };

typedef struct swizzle {
    uint32_t bits, base;
    int32_t shift;
} swizzle;

static void put_tuple(FILE *out, const char *name, const uint32_t *numbers, uint32_t count) {
    fprintf(out, "%s<", name);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%sInt<%u>", i > 0 ? "," : "", numbers[i]);
    fputc('>', out);
}

/* Accessed rows of an array of unknown size. */
static uint32_t open_extent(const smp_fix_form *form, uint32_t reach) {
    uint32_t row = 1;
    for (uint32_t d = 1; d < form->dim_count; d++)
        row *= form->extent[d];
    return (reach + row - 1) / row;
}

static void put_plain_layout(FILE *out, const smp_fix_form *form, uint32_t reach) {
    uint32_t shape[SMP_DIMS_MAX], stride[SMP_DIMS_MAX], next = 1, count = form->dim_count;
    for (uint32_t d = count; d-- > 0;) {
        shape[d] = form->extent[d] > 0 ? form->extent[d] : open_extent(form, reach);
        stride[d] = next;
        next *= form->extent[d] + form->pad[d];
    }
    if (form->every > 1) {
        count = 2;
        shape[1] = (shape[0] + form->every - 1) / form->every;
        shape[0] = form->every;
        stride[0] = 1;
        stride[1] = form->every + form->insert;
    } else if (form->every == 1) {
        stride[0] = 1 + form->insert;
    }
    fputs("Layout<", out);
    put_tuple(out, "Shape", shape, count);
    fputs(", ", out);
    put_tuple(out, "Stride", stride, count);
    fputs(">{}", out);
}

/* Lists the swizzles from left to right; the last acts first. None reads bits that another writes,
 * so their order does not matter. CuTe composes one with a layout, and the next with the result. */
static uint32_t list_swizzles(const smp_fix_form *form, swizzle out[SWIZZLES_MAX]) {
    uint32_t count = 0;
    if (form->bits != 0) {
        out[0] = (swizzle){form->bits, form->base, form->shift};
        return 1;
    }
    for (uint32_t i = 0; i < form->term_count; i++) {
        for (uint32_t mask = form->term[i].mask; mask != 0 && count < SWIZZLES_MAX;) {
            uint32_t first = (uint32_t)__builtin_ctz(mask), bits = 0;
            for (; mask >> (first + bits) & 1; bits++)
                mask &= ~(1u << (first + bits));
            out[count++] =
                (swizzle){bits, first - (uint32_t)form->term[i].shift, form->term[i].shift};
        }
    }
    return count;
}

static void put_layout(FILE *out, const smp_fix_form *form, uint32_t reach) {
    swizzle list[SWIZZLES_MAX];
    uint32_t count = list_swizzles(form, list);
    for (uint32_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        fprintf(out, "%s(Swizzle<%u,%u,%d>{},%s\n    ",
                is_last ? "composition" : "make_composed_layout", list[i].bits, list[i].base,
                list[i].shift, is_last ? "" : " Int<0>{},");
    }
    put_plain_layout(out, form, reach);
    for (uint32_t i = 0; i < count; i++)
        fputc(')', out);
}

/* Writes the unit of the numbers and, for a swizzle, its form in bytes, which TMA uses. */
static void put_unit(FILE *out, const fix_array *array) {
    const smp_fix_form *form = &array->chosen.form;
    uint32_t bytes = form->element_bytes;
    fprintf(out, "// %.*s: counts elements of %u byte%s", (int)array->array->length,
            array->array->name, bytes, bytes == 1 ? "" : "s");
    if (form->bits != 0 && bytes > 1 && fix_is_power(bytes)) {
        uint32_t base = form->base + fix_log2(bytes);
        fprintf(out, "; in bytes Swizzle<%u,%u,%d>", form->bits, base, form->shift);
        if (base == 4 && form->shift == 3 && form->kind == SMP_FIX_XOR)
            fprintf(out, " (TMA: %uB)", 16u << form->bits);
    }
    fputc('\n', out);
}

bool smp_fix_write_cute(FILE *out, const smp_fix *fix) {
    EACH(const fix_array, array, fix->arrays, fix->array_count) {
        const smp_fix_form *form = &array->chosen.form;
        const smp_array *of = array->array;
        if (!is_changed(array))
            continue;
        if (form->step != 0 || form->element_extra != 0) {
            fprintf(out, "// %.*s: %s has no name in CuTe\n", (int)of->length, of->name,
                    form->step != 0 ? "a rotation" : "a wider struct");
            continue;
        }
        put_unit(out, array);
        fprintf(out, "auto %.*s_layout = ", (int)of->length, of->name);
        put_layout(out, form, array->reach);
        fputs(";\n", out);
    }
    return !ferror(out);
}
