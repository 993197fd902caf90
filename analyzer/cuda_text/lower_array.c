/* SPDX-License-Identifier: MIT */
/*
 * Declarations of arrays as in a kernel, optionally with a CuTe layout: "half a[64][64] :
 * Swizzle<3,3,3>" or "half a : Swizzle<3,3,3> o (64,64):(64,1)". Arrays are placed in order of
 * declaration, each at the next multiple of its alignment; '@ N' sets the offset.
 */
#include <string.h>

#include "lower.h"

#define GLOBAL_ALIGN 256u
#define EXTENT_MAX (INT64_C(1) << 30)
#define SIZE_MAX_BYTES (INT64_C(1) << 40)
/* More than any shared array needs; sums of six products cannot overflow. */
#define STRIDE_MAX (INT64_C(1) << 26)
#define SHAPE_MAX (INT64_C(1) << 26)

/* ---- Places ---- */

/* Places an array after the previous ones. */
static void place(const smp_layout *kernel, smp_array *array) {
    if (array->is_placed || array->is_dynamic)
        return;
    uint64_t align = array->space == SMP_SPACE_GLOBAL ? GLOBAL_ALIGN : array->align;
    array->base_bytes = ct_round_up(ct_space_end(kernel, array->space, kernel->array_count), align);
}

/* ---- CuTe's layouts ---- */

/* The numbers of a shape or stride by dimension: (4,(2,8)) is {4} and {2,8}. Deeper nesting is
 * flattened in order: ((2,(2,4)),3) is {2,2,4} and {3}. */
typedef struct tuple {
    uint32_t dim_count;
    uint32_t count[SMP_DIMS_MAX];
    int64_t number[SMP_DIMS_MAX][SMP_LEAVES_MAX];
} tuple;

static bool add_numbers(ct_lower *l, const ct_node *node, bool is_shape, tuple *out) {
    const unsigned d = out->dim_count - 1;
    if (node->kind == CT_N_LIST) {
        for (const ct_node *part = node->child; part; part = part->next)
            add_numbers(l, part, is_shape, out);
        return l->status == SMP_OK;
    }
    if (out->count[d] == SMP_LEAVES_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, ct_begin(l, node),
                       "more than %d numbers in one dimension", SMP_LEAVES_MAX);
    out->number[d][out->count[d]++] =
        is_shape ? ct_lower_constant_in(l, node, "the shape", 1, SHAPE_MAX)
                 : ct_lower_constant_in(l, node, "the stride", 0, STRIDE_MAX);
    return l->status == SMP_OK;
}

static bool lower_tuple(ct_lower *l, const ct_node *node, bool is_shape, tuple *out) {
    const bool is_list = node->kind == CT_N_LIST;
    memset(out, 0, sizeof *out);
    for (const ct_node *part = is_list ? node->child : node; part;
         part = is_list ? part->next : NULL) {
        if (out->dim_count == SMP_DIMS_MAX)
            return ct_fail(l, SMP_E_OVERFLOW, ct_begin(l, part), "more than %d dimensions",
                           SMP_DIMS_MAX);
        out->dim_count++;
        add_numbers(l, part, is_shape, out);
    }
    return l->status == SMP_OK;
}

static bool fill_mode(const tuple *shape, const tuple *stride, unsigned d, smp_mode *mode) {
    int64_t extent = 1;
    mode->leaf_count = shape->count[d];
    for (unsigned i = 0; i < shape->count[d]; i++) {
        mode->shape[i] = (uint32_t)shape->number[d][i];
        mode->stride[i] = stride->number[d][i];
        extent *= shape->number[d][i];
        if (extent > SHAPE_MAX)
            return false;
    }
    mode->extent = (uint32_t)extent;
    return true;
}

/* "(64,(8,2)):(1,(64,512))" */
static bool lower_modes(ct_lower *l, const ct_node *node, smp_mode_table *out) {
    const size_t position = ct_begin(l, node);
    tuple shape, stride;
    if (!lower_tuple(l, node->child, true, &shape) ||
        !lower_tuple(l, node->child->next, false, &stride))
        return false;
    bool same = shape.dim_count == stride.dim_count &&
                memcmp(shape.count, stride.count, sizeof shape.count) == 0;
    if (!same)
        return ct_refuse(l, position, "shape and stride have different profiles");
    out->dim_count = shape.dim_count;
    out->is_row_major = false;
    for (unsigned d = 0; d < shape.dim_count; d++)
        if (!fill_mode(&shape, &stride, d, &out->dims[d]))
            return ct_fail(l, SMP_E_OVERFLOW, position, "shape too large");
    return true;
}

/* ": Swizzle<B,M,S>", ": SHAPE:STRIDE", or both. */
static bool lower_layout(ct_lower *l, const ct_node *node, const ct_node *part, smp_array *array) {
    const size_t position = ct_position(l, node->mark);
    if (array->is_unsized)
        return ct_refuse(l, position, "an array with a layout needs its size");
    if (part->kind == CT_N_SWIZZLE) {
        array->table.swizzle = (smp_swizzle){true, (uint8_t)part->number[0],
                                             (uint8_t)part->number[1], part->number[2]};
        part = part->next;
    }
    if (!part || part->kind != CT_N_MODES)
        return true;
    if (array->table.dim_count > 0)
        return ct_refuse(l, position, "give the dimensions either in brackets or in the layout");
    return lower_modes(l, part, &array->table);
}

/* ---- Parts of a declarator ---- */

static bool lower_extent(ct_lower *l, const ct_node *dim, smp_array *array) {
    smp_mode_table *table = &array->table;
    if (table->dim_count == SMP_DIMS_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, ct_begin(l, dim), "more than %d dimensions",
                       SMP_DIMS_MAX);
    if (!dim->child && table->dim_count > 0)
        return ct_refuse(l, ct_begin(l, dim), "expected a value before ']'");
    array->is_unsized |= !dim->child;
    table->dims[table->dim_count++].extent =
        dim->child ? (uint32_t)ct_lower_constant_in(l, dim->child, "the dimension", 1, EXTENT_MAX)
                   : 0;
    return l->status == SMP_OK;
}

/* "[32][33]"; nothing for a single object; "*name" is an array of unknown size. */
static bool lower_extents(ct_lower *l, const ct_node *dim, bool is_pointer, smp_array *array) {
    if (is_pointer) {
        array->is_unsized = true;
        array->table.dim_count = 1;
    }
    uint32_t at = l->at;
    for (; dim && dim->kind == CT_N_DIM; dim = dim->next) {
        lower_extent(l, dim, array);
        at = dim->end;
    }
    uint64_t count = 1;
    for (uint32_t d = 0; d < array->table.dim_count; d++) {
        count *= array->table.dims[d].extent > 0 ? array->table.dims[d].extent : 1;
        if (count * array->type->size > SIZE_MAX_BYTES)
            return ct_fail(l, SMP_E_OVERFLOW, ct_position(l, at), "array too large");
    }
    smp_mode_table_row_major(&array->table);
    return l->status == SMP_OK;
}

/* "@ 1024": bytes from the start of the memory. */
static bool lower_place(ct_lower *l, const ct_node *node, smp_array *array) {
    const int64_t base = ct_lower_constant_in(l, node->child, "the offset", 0, INT64_C(1) << 40);
    if (base % array->align != 0)
        return ct_fail(l, SMP_E_MISALIGNED, ct_begin(l, node),
                       "offset %lld is not a multiple of the alignment %u of %.*s", (long long)base,
                       array->align, (int)array->type->length, array->type->name);
    array->is_placed = true;
    array->base_bytes = (uint64_t)base;
    return true;
}

static bool measure(ct_lower *l, smp_array *array, size_t position) {
    smp_mode_table *table = &array->table;
    table->element_bytes = array->type->size;
    if (array->is_unsized)
        return true;
    int64_t span = smp_mode_table_span(table);
    if (span > SIZE_MAX_BYTES / table->element_bytes)
        return ct_fail(l, SMP_E_OVERFLOW, position, "array too large");
    array->size_bytes = (uint64_t)span * table->element_bytes;
    return true;
}

/* ---- Declarations ---- */

/* A function's array is the same in all its calls; each instance of a template has its own. */
static int find_again(const ct_lower *l, const smp_array *array) {
    const smp_layout *kernel = &l->layout->kernel;
    for (uint32_t i = 0; l->callee && i < kernel->array_count; i++) {
        const smp_array *other = &kernel->arrays[i];
        if (other->name == array->name && other->position == array->position &&
            (other->instance == array->instance || l->callee->is_vague))
            return (int)i;
    }
    return -1;
}

/* Inside a function, the name hides outer ones. */
static bool name_array(ct_lower *l, const ct_token *name, int array) {
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_ARRAY, NULL);
    symbol.array = array;
    return !l->callee || ct_symbol_add(l, &symbol, name->position);
}

static bool lower_parts(ct_lower *l, const ct_node *node, bool is_pointer, smp_array *array) {
    const ct_node *part = ct_behind_kind(node->child, CT_N_DIM);
    if (!lower_extents(l, node->child, is_pointer, array))
        return false;
    if (part && (part->kind == CT_N_SWIZZLE || part->kind == CT_N_MODES)) {
        if (!lower_layout(l, node, part, array))
            return false;
        part = ct_behind_kind(ct_behind_kind(part, CT_N_SWIZZLE), CT_N_MODES);
    }
    return (!part || lower_place(l, part, array)) && measure(l, array, ct_position(l, node->at));
}

bool ct_array_declare(ct_lower *l, const smp_array *form, const ct_node *node, bool is_pointer) {
    smp_layout *kernel = &l->layout->kernel;
    const ct_token *name = &l->tokens[node->at];
    l->at = node->at;
    if (!l->callee && ct_layout_knows(l->layout, name->word))
        return ct_refuse(l, name->position, "'%.*s' is already declared", CT_TOKEN_TEXT(*name));
    if (kernel->array_count == SMP_ARRAYS_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, name->position, "more than %d arrays", SMP_ARRAYS_MAX);
    smp_array *array = &kernel->arrays[kernel->array_count];
    *array = *form;
    array->name = name->text;
    array->length = name->length;
    array->position = l->callee ? name->position : 0;
    array->instance = l->callee ? l->callee->instance : 0;
    if (!lower_parts(l, node, is_pointer, array))
        return false;
    if (array->is_unsized && array->space == SMP_SPACE_SHARED && !array->is_dynamic)
        return ct_refuse(l, name->position, "a shared array without a size must be extern");
    const int again = find_again(l, array);
    if (again >= 0 && l->callee->is_vague)
        return ct_refuse(l, name->position,
                         "'%.*s' may differ between calls of the function, which is not supported",
                         CT_TOKEN_TEXT(*name));
    if (again >= 0)
        return name_array(l, name, again);
    place(kernel, array);
    kernel->array_count++;
    return name_array(l, name, (int)kernel->array_count - 1);
}

static bool lower_type(ct_lower *l, const ct_node *node, smp_array *form) {
    ct_type_use use;
    form->type_text = l->unit->text + ct_begin(l, node);
    form->type_length = ct_end(l, node) - ct_begin(l, node);
    if (node->kind == CT_N_STRUCT)
        return ct_lower_struct(l, node, &form->type);
    if (!ct_lower_type(l, node, &use))
        return false;
    form->type = use.type;
    return true;
}

bool ct_lower_arrays(ct_lower *l, const ct_node *node) {
    smp_array form = {.space = node->flags & CT_IS_SHARED ? SMP_SPACE_SHARED : SMP_SPACE_GLOBAL,
                      .is_dynamic = node->flags & CT_IS_EXTERN,
                      .is_volatile = node->flags & CT_IS_VOLATILE,
                      .line = ct_line(l, ct_begin(l, node), NULL),
                      .align = 1};
    for (const ct_node *part = node->child; part; part = part->next) {
        const bool is_array = part->kind == CT_N_ARRAY;
        if (is_array && form.type->align > form.align)
            form.align = form.type->align;
        const bool sound = part->kind == CT_N_FAULT   ? ct_fail_fault(l, part)
                           : part->kind == CT_N_ALIGN ? ct_lower_align(l, part, &form.align)
                           : is_array
                               ? ct_array_declare(l, &form, part, part->flags & CT_IS_POINTER)
                               : lower_type(l, part, &form);
        if (!sound)
            return false;
    }
    return true;
}
