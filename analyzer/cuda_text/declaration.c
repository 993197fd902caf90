/* SPDX-License-Identifier: MIT */
/*
 * Declarations of arrays, as they stand in a kernel: qualifiers, type, name, dimensions; and behind
 * a colon a layout that is not C's: "half a[64][64] : Swizzle<3,3,3>" or
 * "half a : Swizzle<3,3,3> o (64,64):(64,1)". Arrays lie in the order in which they are declared,
 * each at the next multiple of its alignment; '@ N' puts one elsewhere. Dynamic (extern) arrays all
 * begin behind the static ones, at a multiple of 16 or of the largest alignment that one of them
 * asks for: the size of the section .nv.shared that nvcc 13.0 writes for CC 7.5 and 9.0.
 */
#include <string.h>

#include "layout.h"

#define GLOBAL_ALIGN 256u
#define EXTENT_MAX (INT64_C(1) << 30)
#define SIZE_MAX_BYTES (INT64_C(1) << 40)

static uint64_t round_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}

bool smp_layout_knows(smp_layout *layout, const char *name, size_t length) {
    return smp_array_find(layout, name, length) >= 0 ||
           ct_scope_find(&layout->scope, name, length) != NULL;
}

/* ---- Places ---------------------------------------------------------------------------- */

/* Where the arrays of one kind end that are declared before `end`. */
static uint64_t space_end(const smp_layout *layout, const smp_array *end) {
    uint64_t most = 0;
    for (const smp_array *a = layout->kernel.arrays; a < end; a++) {
        bool same = a->space == end->space && !a->is_dynamic;
        if (same && a->base_bytes + a->size_bytes > most)
            most = a->base_bytes + a->size_bytes;
    }
    return most;
}

static void place(const smp_layout *layout, smp_array *array) {
    if (array->is_placed || array->is_dynamic)
        return;
    uint64_t align = array->space == SMP_SPACE_GLOBAL ? GLOBAL_ALIGN : array->align;
    array->base_bytes = round_up(space_end(layout, array), align);
}

/* ---- Parts of a declarator ------------------------------------------------------------- */

static bool parse_extent(ct_parser *parser, smp_array *array) {
    smp_mode_table *table = &array->table;
    int64_t extent = 0;
    if (table->dim_count == SMP_DIMS_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                              "more than %d dimensions", SMP_DIMS_MAX);
    bool is_open = ct_parser_is(parser, ']') && table->dim_count == 0;
    if (is_open)
        array->is_unsized = true;
    else if (!ct_expr_constant_in(parser, "the dimension", 1, EXTENT_MAX, &extent))
        return false;
    table->dims[table->dim_count++].extent = (uint32_t)extent;
    return ct_parser_expect(parser, ']');
}

/* "[32][33]", or nothing for a single object; "*name" is an open array. */
static bool parse_extents(ct_parser *parser, bool is_pointer, smp_array *array) {
    if (is_pointer) {
        array->is_unsized = true;
        array->table.dim_count = 1;
    }
    while (ct_parser_accept(parser, '[')) {
        if (!parse_extent(parser, array))
            return false;
    }
    uint64_t count = 1;
    for (uint32_t d = 0; d < array->table.dim_count; d++) {
        count *= array->table.dims[d].extent > 0 ? array->table.dims[d].extent : 1;
        if (count * array->type->size > SIZE_MAX_BYTES)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                  "array too large");
    }
    smp_mode_table_row_major(&array->table);
    return parser->status == SMP_OK;
}

/* ": Swizzle<B,M,S>", ": SHAPE:STRIDE", or both joined by "o". */
static bool parse_layout(ct_parser *parser, smp_array *array) {
    size_t position = parser->token.position;
    bool swizzles = ct_parser_is_name(parser, "Swizzle");
    if (array->is_unsized)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "an array with a layout needs its size");
    if (swizzles && !ct_swizzle_parse(parser, &array->table.swizzle))
        return false;
    bool shapes = !swizzles || ct_parser_accept_name(parser, "o");
    if (!shapes)
        return parser->status == SMP_OK;
    if (array->table.dim_count > 0)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "dimensions stand either in brackets or in the layout");
    return ct_mode_table_parse(parser, &array->table);
}

/* "@ 1024": bytes from the start of the memory. */
static bool parse_place(ct_parser *parser, smp_array *array) {
    if (!ct_parser_accept(parser, '@'))
        return parser->status == SMP_OK;
    size_t position = parser->token.position;
    int64_t base;
    if (!ct_expr_constant_in(parser, "the offset", 0, INT64_C(1) << 40, &base))
        return false;
    if (base % array->align != 0)
        return ct_parser_fail(parser, SMP_E_MISALIGNED, position,
                              "offset %lld is not a multiple of the alignment %u of %.*s",
                              (long long)base, array->align, (int)array->type->length,
                              array->type->name);
    array->is_placed = true;
    array->base_bytes = (uint64_t)base;
    return true;
}

static bool measure(ct_parser *parser, smp_array *array, size_t position) {
    smp_mode_table *table = &array->table;
    table->element_bytes = array->type->size;
    if (array->is_unsized)
        return true;
    int64_t span = smp_mode_table_span(table);
    if (span > SIZE_MAX_BYTES / table->element_bytes)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, position, "array too large");
    array->size_bytes = (uint64_t)span * table->element_bytes;
    return true;
}

/* ---- Declarations ---------------------------------------------------------------------- */

/* An array that a function declares is the same in each of its calls. */
static int find_again(const ct_parser *parser, const ct_token *name) {
    const smp_layout *layout = parser->layout;
    for (uint32_t i = 0; parser->callee && i < layout->kernel.array_count; i++) {
        if (layout->kernel.arrays[i].name == name->text)
            return (int)i;
    }
    return -1;
}

/* In a function the name hides others, whatever is declared elsewhere. */
static bool name_array(ct_parser *parser, const ct_token *name, int array) {
    ct_symbol symbol = {
        .name = name->text, .length = name->length, .meaning = CT_MEANS_ARRAY, .array = array};
    return !parser->callee || ct_symbol_add(parser, &symbol, name->position) != NULL;
}

static bool is_alike(const smp_array *a, const smp_array *b) {
    return a->type == b->type && a->size_bytes == b->size_bytes &&
           a->table.dim_count == b->table.dim_count;
}

bool ct_declarator_parse(ct_parser *parser, const smp_array *form, bool is_pointer) {
    smp_layout *layout = parser->layout;
    ct_token name = parser->token;
    if (name.kind != CT_TOKEN_NAME)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name.position, "expected the array's name");
    int again = find_again(parser, &name);
    if (!parser->callee && smp_layout_knows(layout, name.text, name.length))
        return ct_parser_fail(parser, SMP_E_SYNTAX, name.position, "'%.*s' is already declared",
                              CT_TOKEN_TEXT(name));
    if (layout->kernel.array_count == SMP_ARRAYS_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, name.position, "more than %d arrays",
                              SMP_ARRAYS_MAX);
    smp_array *array = &layout->kernel.arrays[layout->kernel.array_count];
    *array = *form;
    array->name = name.text;
    array->length = name.length;
    ct_parser_next(parser);
    if (!parse_extents(parser, is_pointer, array))
        return false;
    if (ct_parser_accept(parser, ':') && !parse_layout(parser, array))
        return false;
    if (!parse_place(parser, array) || !measure(parser, array, name.position))
        return false;
    bool is_open_static = array->is_unsized && array->space == SMP_SPACE_SHARED;
    if (is_open_static && !array->is_dynamic)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                              "a shared array without a size must be extern");
    if (again >= 0)
        return is_alike(&layout->kernel.arrays[again], array)
                   ? name_array(parser, &name, again)
                   : ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                                    "'%.*s' differs between calls of the function, which is not "
                                    "followed",
                                    CT_TOKEN_TEXT(name));
    place(layout, array);
    layout->kernel.array_count++;
    return name_array(parser, &name, (int)layout->kernel.array_count - 1);
}

static bool parse_declarator(ct_parser *parser, const smp_array *form) {
    bool is_pointer = ct_parser_accept(parser, '*');
    while (ct_parser_accept_name(parser, "__restrict__"))
        continue;
    return ct_declarator_parse(parser, form, is_pointer);
}

static bool skip_storage(ct_parser *parser, smp_array *form) {
    for (;;) {
        if (ct_parser_accept_name(parser, "extern"))
            form->is_dynamic = true;
        else if (!ct_parser_accept_name(parser, "__shared__") &&
                 !ct_parser_accept_name(parser, "static"))
            return ct_align_parse(parser, &form->align);
    }
}

static bool parse_plain_type(ct_parser *parser, smp_array *form) {
    ct_type_use use;
    if (!ct_type_parse(parser, &use))
        return false;
    form->type = use.type;
    return true;
}

/* The type and its words as they stand in the text. */
static bool parse_type(ct_parser *parser, smp_array *form) {
    size_t begin = parser->token.position;
    bool sound = ct_struct_starts(parser) ? ct_struct_parse(parser, &form->type)
                                          : parse_plain_type(parser, form);
    form->type_text = parser->text + begin;
    form->type_length = parser->last_end - begin;
    return sound;
}

bool ct_declaration_parse(ct_parser *parser, smp_space space) {
    int32_t column;
    smp_array form = {.space = space, .align = 1};
    form.line = ct_parser_line(parser, parser->token.position, &column);
    if (!skip_storage(parser, &form) || !skip_storage(parser, &form))
        return false;
    if (!parse_type(parser, &form) || !ct_align_parse(parser, &form.align))
        return false;
    if (form.type->align > form.align)
        form.align = form.type->align;
    do {
        if (!parse_declarator(parser, &form))
            return false;
    } while (ct_parser_accept(parser, ','));
    return ct_parser_expect_end(parser);
}
