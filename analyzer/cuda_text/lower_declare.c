/* SPDX-License-Identifier: MIT */
/*
 * Types: names, aliases, alignments, and structs laid out as by a compiler.
 *
 * Arrays as in a kernel, optionally with a CuTe layout: "half a[64][64] : Swizzle<3,3,3>" or "half
 * a : Swizzle<3,3,3> o (64,64):(64,1)". They are placed in order of declaration, each at the next
 * multiple of its alignment; '@ N' sets the offset.
 *
 * Variables of a thread: "const int i = threadIdx.x, *p = &s[i];", "float acc[8];", "auto &row =
 * tile[i];", "let k = 2 * i". Integers and pointers into arrays are tracked. Everything else,
 * including local arrays, is in registers: no accesses, unknown values.
 */
#include <string.h>

#include "lower.h"

enum { STRUCT_SIZE_MAX = 1 << 18 };

/* ---- Names ---- */

ct_symbol ct_type_symbol(ct_word name, const ct_type_use *use) {
    return (ct_symbol){.name = name,
                       .meaning = CT_MEANS_TYPE,
                       .value = use->is_void,
                       .shape = {.type = use->type},
                       .is_const = use->is_const};
}

bool ct_type_bind(ct_lower *l, const ct_token *name, const ct_type_use *use) {
    const ct_symbol symbol = ct_type_symbol(name->word, use);
    return ct_symbol_add(l, &symbol, name->position);
}

/* ---- Types ---- */

bool ct_lower_type_use(ct_lower *l, const ct_node *node, ct_type_use *out) {
    const ct_token *name = &l->tokens[node->at];
    *out = (ct_type_use){.is_const = node->flags & CT_IS_CONST,
                         .is_auto = node->flags & CT_IS_AUTO,
                         .is_void = node->flags & CT_IS_VOID};
    if (l->status != SMP_OK || node->kind == CT_N_FAULT)
        return l->status == SMP_OK && ct_fail_fault(l, node->fault);
    if (out->is_auto || out->is_void)
        return true;
    if (node->flags & CT_IS_WORDS) {
        out->type = ct_type_of_words(name, node->end - node->at);
        return out->type || ct_refuse(l, name->position, "these words are not a type");
    }
    const ct_symbol *known = ct_name_find(l, name);
    if (known && known->meaning == CT_MEANS_TYPE) {
        out->type = known->shape.type;
        out->is_const |= known->is_const;
        out->is_void = known->value != 0;
        return true;
    }
    out->type = ct_type_named(name->word);
    return out->type || ct_refuse(l, name->position,
                                  "'%.*s' is not a known type: define %.*s = float, or its type",
                                  CT_TOKEN_TEXT(*name), CT_TOKEN_TEXT(*name));
}

static bool lower_sized_type(ct_lower *l, const ct_node *node, ct_type_use *out) {
    if (!ct_lower_type_use(l, node, out) || out->type)
        return l->status == SMP_OK;
    return ct_refuse(l, ct_begin(l, node),
                     out->is_auto || out->is_void
                         ? "expected a type such as float, half or float4"
                         : "this type is unknown: name it in the call, as in f<float>(x)");
}

static bool lower_align(ct_lower *l, const ct_node *node, uint32_t *align) {
    const int64_t value = ct_lower_constant_in(l, node->child, "the alignment", 1, 1 << 16);
    if ((value & (value - 1)) != 0)
        return ct_refuse(l, ct_position(l, node->end), "an alignment is a power of two");
    if ((uint32_t)value > *align)
        *align = (uint32_t)value;
    return l->status == SMP_OK;
}

bool ct_lower_dims(ct_lower *l, const ct_node *dim, int64_t most, smp_shape *shape) {
    for (; dim && dim->kind == CT_N_DIM; dim = dim->next) {
        if (!ct_has_room(l, ct_begin(l, dim), shape->dim_count, SMP_SHAPE_DIMS_MAX, "dimensions"))
            return false;
        shape->dims[shape->dim_count++] =
            dim->child ? (uint32_t)ct_lower_constant_in(l, dim->child, "the dimension", 1, most)
                       : 1;
    }
    return l->status == SMP_OK;
}

/* ---- Structs ---- */

static bool lower_field(ct_lower *l, const ct_node *node, const smp_type *of, uint32_t align,
                        smp_type *out) {
    const smp_type *type = node->flags & CT_IS_POINTER ? &ct_type_pointer : of;
    const ct_token *name = &l->tokens[node->at];
    align = align > type->align ? align : type->align;
    if (!ct_has_room(l, name->position, out->member_count, SMP_MEMBERS_MAX, "members"))
        return false;
    smp_member *member = &out->members[out->member_count];
    *member = (smp_member){name->text, name->length, {.type = type}, 0};
    ct_lower_dims(l, node->child, STRUCT_SIZE_MAX, &member->shape);
    member->offset = (uint32_t)ct_round_up(out->size, align);
    uint64_t end = member->offset + smp_shape_size(member->shape);
    if (end > STRUCT_SIZE_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, name->position, "a struct is at most %d bytes",
                       STRUCT_SIZE_MAX);
    out->size = (uint32_t)end;
    out->align = align > out->align ? align : out->align;
    out->member_count++;
    return l->status == SMP_OK;
}

static bool lower_fields(ct_lower *l, const ct_node *node, smp_type *out) {
    uint32_t align = 1;
    const ct_node *part = node->child;
    ct_type_use use;
    for (; part->kind == CT_N_ALIGN; part = part->next)
        lower_align(l, part, &align);
    if (!lower_sized_type(l, part, &use))
        return false;
    for (part = part->next; part; part = part->next)
        lower_field(l, part, use.type, align, out);
    return l->status == SMP_OK;
}

bool ct_lower_struct(ct_lower *l, const ct_node *node, const smp_type **out) {
    const ct_token *name = &l->tokens[node->at];
    const size_t position = ct_begin(l, node);
    if (!ct_has_room(l, position, l->layout->struct_count, CT_STRUCTS_MAX, "structs"))
        return false;
    smp_type *type = &l->layout->structs[l->layout->struct_count++];
    const ct_type_use use = {.type = type};
    const bool is_named = node->at != node->first;
    *type = (smp_type){.name = is_named ? name->text : "struct",
                       .length = is_named ? name->length : 0,
                       .align = 1};
    bool sound = !is_named || ct_type_bind(l, name, &use);
    for (const ct_node *part = node->child; part && sound; part = part->next)
        sound = part->kind == CT_N_ALIGN ? lower_align(l, part, &type->align)
                                         : lower_fields(l, part, type);
    if (type->member_count == 0)
        return ct_refuse(l, position, "a struct needs a member");
    type->size = (uint32_t)ct_round_up(type->size, type->align);
    *out = type;
    return l->status == SMP_OK;
}

#define GLOBAL_ALIGN 256u
#define EXTENT_MAX (INT64_C(1) << 30)
#define SIZE_MAX_BYTES (INT64_C(1) << 40)
/* More than any shared array needs; sums of six products cannot overflow. */
#define STRIDE_MAX (INT64_C(1) << 26)
#define SHAPE_MAX (INT64_C(1) << 26)

/* ---- CuTe's layouts ---- */

/* Elements are permuted within blocks of this size: the exclusive-or changes no higher bit. */
static int64_t swizzle_atom(smp_swizzle swizzle) {
    int upwards = swizzle.shift < 0 ? -swizzle.shift : 0;
    return INT64_C(1) << (swizzle.bits + swizzle.base + upwards);
}

/* Size of the array in elements: the largest offset + 1, rounded up to whole swizzle atoms. */
static int64_t find_span(const smp_mode_table *table) {
    int64_t last = 0;
    EACH(const smp_mode, mode, table->dims, table->dim_count)
        for (unsigned i = 0; i < mode->leaf_count; i++)
            last += (int64_t)(mode->shape[i] - 1) * mode->stride[i];
    int64_t atom = table->swizzle.present ? swizzle_atom(table->swizzle) : 1;
    return (last + atom) / atom * atom;
}

/* Sets the strides of a C array with these extents. */
static void set_row_major(smp_mode_table *table) {
    int64_t stride = 1;
    for (unsigned d = table->dim_count; d-- > 0;) {
        smp_mode *mode = &table->dims[d];
        mode->leaf_count = 1;
        mode->shape[0] = mode->extent;
        mode->stride[0] = stride;
        stride *= mode->extent;
    }
    table->is_row_major = true;
}

/* Appends the numbers of one dimension of a shape or stride, flattened in order: (2,(2,4)) is
 * {2,2,4}. Returns their count. */
static uint32_t add_numbers(ct_lower *l, const ct_node *node, bool is_shape, uint32_t count,
                            smp_mode *mode) {
    for (const ct_node *part = node->child; node->kind == CT_N_LIST && part; part = part->next)
        count = add_numbers(l, part, is_shape, count, mode);
    if (node->kind == CT_N_LIST ||
        !ct_has_room(l, ct_begin(l, node), count, SMP_LEAVES_MAX, "numbers in one dimension"))
        return count;
    if (is_shape)
        mode->shape[count] = (uint32_t)ct_lower_constant_in(l, node, "the shape", 1, SHAPE_MAX);
    else
        mode->stride[count] = ct_lower_constant_in(l, node, "the stride", 0, STRIDE_MAX);
    return count + 1;
}

/* Sets the shapes or strides of all dimensions: (4,(2,8)) has {4} and {2,8}. Returns the number of
 * dimensions. */
static uint32_t lower_numbers(ct_lower *l, const ct_node *node, bool is_shape,
                              uint32_t count[SMP_DIMS_MAX], smp_mode_table *out) {
    uint32_t dims = 0;
    if (node->kind != CT_N_LIST) {
        count[0] = add_numbers(l, node, is_shape, 0, &out->dims[0]);
        return 1;
    }
    for (const ct_node *part = node->child; part; part = part->next, dims++) {
        if (!ct_has_room(l, ct_begin(l, part), dims, SMP_DIMS_MAX, "dimensions"))
            break;
        count[dims] = add_numbers(l, part, is_shape, 0, &out->dims[dims]);
    }
    return dims;
}

/* "(64,(8,2)):(1,(64,512))" */
static bool lower_modes(ct_lower *l, const ct_node *node, smp_mode_table *out) {
    const size_t position = ct_begin(l, node);
    uint32_t shapes[SMP_DIMS_MAX] = {0}, strides[SMP_DIMS_MAX] = {0};
    out->dim_count = lower_numbers(l, node->child, true, shapes, out);
    const uint32_t stride_dims = lower_numbers(l, node->child->next, false, strides, out);
    if (out->dim_count != stride_dims || memcmp(shapes, strides, sizeof shapes) != 0)
        return ct_refuse(l, position, "shape and stride have different profiles");
    out->is_row_major = false;
    for (unsigned d = 0; d < out->dim_count; d++) {
        smp_mode *mode = &out->dims[d];
        int64_t extent = 1;
        mode->leaf_count = shapes[d];
        for (unsigned i = 0; i < shapes[d] && extent <= SHAPE_MAX; i++)
            extent *= mode->shape[i];
        if (extent > SHAPE_MAX)
            return ct_fail(l, SMP_E_OVERFLOW, position, "shape too large");
        mode->extent = (uint32_t)extent;
    }
    return l->status == SMP_OK;
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

/* "[32][33]"; nothing for a single object; "*name" is an array of unknown size. */
static bool lower_extents(ct_lower *l, const ct_node *dim, bool is_pointer, smp_array *array) {
    const uint64_t too_many = SIZE_MAX_BYTES + 1;
    smp_mode_table *table = &array->table;
    uint64_t count = 1;
    uint32_t end = 0;
    array->is_unsized = is_pointer;
    table->dim_count = is_pointer;
    for (; dim && dim->kind == CT_N_DIM; dim = dim->next) {
        if (!ct_has_room(l, ct_begin(l, dim), table->dim_count, SMP_DIMS_MAX, "dimensions"))
            return false;
        if (!dim->child && table->dim_count > 0)
            return ct_refuse(l, ct_begin(l, dim), "expected a value before ']'");
        const int64_t extent =
            dim->child ? ct_lower_constant_in(l, dim->child, "the dimension", 1, EXTENT_MAX) : 0;
        array->is_unsized |= !dim->child;
        table->dims[table->dim_count++].extent = (uint32_t)extent;
        if (extent > 0)
            count = (uint64_t)extent > too_many / count ? too_many : count * (uint64_t)extent;
        end = dim->end;
    }
    if (count * array->type->size > SIZE_MAX_BYTES)
        return ct_fail(l, SMP_E_OVERFLOW, ct_position(l, end), "array too large");
    set_row_major(table);
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

/* ---- Declarations ---- */

/* A function's array is the same in all its calls; each instance of a template has its own. */
static int find_again(const ct_lower *l, const smp_array *array) {
    const smp_layout *kernel = &l->layout->kernel;
    const smp_array *again = FIND(one, kernel->arrays, l->callee ? kernel->array_count : 0,
                                  one->name == array->name && one->position == array->position &&
                                      (one->instance == array->instance || l->callee->is_vague));
    return again ? (int)(again - kernel->arrays) : -1;
}

/* Names of a kernel or function hide those of the file. */
static bool is_declared(const ct_lower *l, const ct_node *node, ct_word name) {
    if (l->callee || node->kind == CT_N_PARAM)
        return false;
    return l->layout->kernel.has_kernel ? ct_scope_has(&l->layout->scope, name)
                                        : ct_layout_knows(l->layout, name);
}

static bool lower_parts(ct_lower *l, const ct_node *node, bool is_pointer, smp_array *array) {
    const ct_node *part = ct_behind_kind(node->child, CT_N_DIM);
    lower_extents(l, node->child, is_pointer, array);
    if (part && part->kind != CT_N_PLACE)
        lower_layout(l, node, part, array);
    part = ct_behind_kind(ct_behind_kind(part, CT_N_SWIZZLE), CT_N_MODES);
    if (part)
        lower_place(l, part, array);
    array->table.element_bytes = array->type->size;
    const int64_t span = array->is_unsized || l->status != SMP_OK ? 0 : find_span(&array->table);
    if (span > SIZE_MAX_BYTES / array->type->size)
        ct_fail(l, SMP_E_OVERFLOW, ct_position(l, node->at), "array too large");
    array->size_bytes = (uint64_t)span * array->type->size;
    return l->status == SMP_OK;
}

bool ct_array_declare(ct_lower *l, const smp_array *form, const ct_node *node, bool is_pointer) {
    smp_layout *kernel = &l->layout->kernel;
    const ct_token *name = &l->tokens[node->at];
    if (is_declared(l, node, name->word))
        return ct_refuse_name(l, name, "'%.*s' is already declared");
    if (!ct_has_room(l, name->position, kernel->array_count, SMP_ARRAYS_MAX, "arrays"))
        return false;
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
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_ARRAY, NULL);
    symbol.array = find_again(l, array);
    if (symbol.array >= 0 && l->callee->is_vague)
        return ct_refuse_name(
            l, name, "'%.*s' may differ between calls of the function, which is not supported");
    const uint64_t align = array->space == SMP_SPACE_GLOBAL ? GLOBAL_ALIGN : array->align;
    if (!array->is_placed && !array->is_dynamic) /* after the arrays before it */
        array->base_bytes = ct_round_up(ct_space_end(kernel, array->space), align);
    if (symbol.array < 0)
        symbol.array = (int)kernel->array_count++;
    return ct_symbol_add(l, &symbol, name->position);
}

static bool lower_type(ct_lower *l, const ct_node *node, smp_array *form) {
    ct_type_use use;
    form->type_text = l->unit->text + ct_begin(l, node);
    form->type_length = ct_end(l, node) - ct_begin(l, node);
    if (node->kind == CT_N_STRUCT)
        return ct_lower_struct(l, node, &form->type);
    const bool sound = lower_sized_type(l, node, &use);
    form->type = use.type;
    return sound;
}

bool ct_lower_arrays(ct_lower *l, const ct_node *node) {
    smp_array form = {.space = node->flags & CT_IS_SHARED ? SMP_SPACE_SHARED : SMP_SPACE_GLOBAL,
                      .is_dynamic = node->flags & CT_IS_EXTERN,
                      .is_volatile = node->flags & CT_IS_VOLATILE,
                      .line = ct_unit_line(l->unit, ct_begin(l, node), NULL),
                      .align = 1};
    bool sound = true;
    for (const ct_node *part = node->child; part && sound; part = part->next) {
        if (part->kind == CT_N_ARRAY && form.type->align > form.align)
            form.align = form.type->align;
        sound = part->kind == CT_N_FAULT   ? ct_fail_fault(l, part->fault)
                : part->kind == CT_N_ALIGN ? lower_align(l, part, &form.align)
                : part->kind == CT_N_ARRAY
                    ? ct_array_declare(l, &form, part, part->flags & CT_IS_POINTER)
                    : lower_type(l, part, &form);
    }
    return sound;
}

/* ---- Values ---- */

/* "(x)" and "{x}" of a single value. */
static bool lower_one(ct_lower *l, const ct_declared *d, const ct_node *initial, ct_operand *out) {
    const ct_node *part = initial->child;
    const bool is_braced = initial->flags & CT_IS_BRACED;
    if (!part && is_braced && smp_type_is_integer(d->use.type))
        return ct_push_constant(l, CT_I32, NULL, 0, out);
    if (!part || part->kind == CT_N_LIST)
        return ct_refuse(l, ct_position(l, part ? part->first : initial->end - 1),
                         "expected a value before '%c'",
                         part        ? '{'
                         : is_braced ? '}'
                                     : ')');
    ct_lower_expression(l, part, out);
    if (part->next)
        ct_refuse(l, ct_position(l, part->end), "expected '%c' instead of ','",
                  is_braced ? '}' : ')');
    return l->status == SMP_OK;
}

/* The initial value, if any. */
static bool lower_initial(ct_lower *l, const ct_declared *d, const ct_node *initial,
                          ct_operand *out) {
    const unsigned form = initial ? initial->flags & (CT_IS_BRACED | CT_IS_CALL) : 0;
    const bool is_object = !d->is_pointer && !d->is_reference && !d->use.is_auto &&
                           (!smp_type_is_integer(d->use.type) || d->shape.dim_count > 0);
    l->position = initial ? ct_begin(l, initial) : d->position;
    *out = ct_value_of(CT_DATA, NULL, l->position);
    if (!initial)
        return ct_emit_unknown(l, CT_REASON_UNSET, d->name);
    if (form == 0)
        return ct_lower_expression(l, initial->child, out);
    if (!is_object)
        return lower_one(l, d, initial, out);
    return ct_lower_parts(l, initial->child) && ct_emit_unknown(l, CT_REASON_LOCAL, d->name);
}

/* ---- Variables ---- */

bool ct_variable_add(ct_lower *l, ct_symbol *symbol, ct_meaning meaning, ct_operand *value) {
    symbol->meaning = meaning == CT_MEANS_REFERENCE ? CT_MEANS_POINTER : meaning;
    l->position = value->position;
    ct_slot_new(l, &symbol->slot);
    ct_operand_set(l, symbol, value);
    symbol->meaning = meaning;
    return ct_symbol_add(l, symbol, value->position);
}

/* Adds another name for the variable or object on top of the stack. */
static bool add_reference(ct_lower *l, ct_symbol *symbol, ct_operand *value) {
    if (value->form != CT_FORM_OBJECT) {
        ct_symbol same = *value->symbol;
        same.name = symbol->name;
        return ct_symbol_add(l, &same, value->position);
    }
    ct_place_address(l, value);
    symbol->shape = value->shape;
    symbol->array = value->array;
    if (value->array == CT_ARRAY_LOCAL)
        return ct_symbol_add(l, symbol, value->position);
    return ct_variable_add(l, symbol, CT_MEANS_REFERENCE, value);
}

bool ct_declare(ct_lower *l, const ct_declared *d, ct_operand *value) {
    const bool is_place = value->form == CT_FORM_SLOT || value->form == CT_FORM_OBJECT ||
                          (value->form == CT_FORM_POINTER && value->symbol);
    ct_symbol symbol = {.name = d->name,
                        .meaning = CT_MEANS_LOCAL,
                        .array = CT_ARRAY_NONE,
                        .shape = d->shape,
                        .is_const = d->is_const,
                        .is_constant = d->is_constant || value->is_constant};
    l->position = d->position;
    if (value->is_group) {
        symbol.meaning = CT_MEANS_GROUP;
        symbol.value = value->group;
        return ct_symbol_add(l, &symbol, value->position);
    }
    if (d->is_reference && is_place)
        return add_reference(l, &symbol, value);
    ct_operand_value(l, value);
    if (d->is_pointer || (d->use.is_auto && value->form == CT_FORM_POINTER))
        return ct_variable_add(l, &symbol, CT_MEANS_POINTER, value);
    if (d->use.is_auto)
        symbol.shape.type = ct_operand_type(value);
    if (!smp_type_is_integer(symbol.shape.type) || symbol.shape.dim_count > 0)
        return ct_symbol_add(l, &symbol, value->position);
    symbol.kind = ct_type_kind(symbol.shape.type);
    return ct_variable_add(l, &symbol, CT_MEANS_INTEGER, value);
}

/* ---- Declarators ---- */

/* "const int n = 3;": keeps the program's value instead of its code. */
static bool take_constant(ct_lower *l, const ct_declared *d, const ct_token *name,
                          const ct_operand *value) {
    const ct_expr_code *code = l->code;
    const smp_type *type = d->use.is_auto ? ct_operand_type(value) : d->use.type;
    const bool is_plain = !d->is_pointer && !d->is_reference && d->shape.dim_count == 0;
    if (!d->is_const || !is_plain || !smp_type_is_integer(type) || value->kind == CT_DATA ||
        value->form == CT_FORM_POINTER || l->program.start + 1 != code->count ||
        code->items[l->program.start].op != CT_CODE_CONST)
        return false;
    l->layout->kernel.statement_count--;
    return ct_constant_add(l, name, code->items[--l->code->count].value, value->kind, type);
}

static bool check(ct_lower *l, const ct_declared *d, const ct_node *initial,
                  const ct_operand *value) {
    if (d->is_reference && value->form != CT_FORM_SLOT && value->form != CT_FORM_OBJECT)
        return ct_refuse(l, value->position, "a reference needs a variable or an element");
    if (d->use.is_auto && !d->is_pointer && !initial)
        return ct_refuse(l, value->position, "auto needs a value");
    if (d->use.is_void && !d->is_pointer && !d->is_reference)
        return ct_refuse(l, d->position, "a variable cannot be void");
    return l->status == SMP_OK;
}

static bool declare(ct_lower *l, const ct_node *node, const ct_type_use *use, bool is_constant) {
    const ct_token *name = &l->tokens[node->at];
    const ct_node *dim = node->child, *initial = ct_behind_kind(dim, CT_N_DIM);
    ct_declared d = {.name = name->word,
                     .position = name->position,
                     .use = *use,
                     .is_pointer = node->flags & CT_IS_POINTER,
                     .is_reference = node->flags & CT_IS_REFERENCE,
                     .is_constant = is_constant,
                     .shape = {.type = use->type}};
    ct_operand value;
    d.is_const = node->flags & CT_IS_CONST || (use->is_const && !d.is_pointer);
    ct_new_name(l, name);
    ct_lower_dims(l, dim, INT64_C(1) << 24, &d.shape);
    if (dim && dim->kind == CT_N_DIM && !dim->child)
        d.shape.dims[0] = 0; /* "int o[] = {1, 2}": size unknown */
    l->end = ct_end(l, node);
    ct_program_open(l);
    return lower_initial(l, &d, initial, &value) && check(l, &d, initial, &value) &&
           (take_constant(l, &d, name, &value) || (ct_declare(l, &d, &value) && ct_program_put(l)));
}

bool ct_lower_variables(ct_lower *l, const ct_node *node) {
    ct_type_use use;
    uint32_t ignored = 1;
    const ct_node *part = node->child;
    for (bool sound = true; part && sound; part = part->next)
        sound = part->kind == CT_N_FAULT   ? ct_fail_fault(l, part->fault)
                : part->kind == CT_N_ALIGN ? lower_align(l, part, &ignored)
                : part->kind == CT_N_TYPE  ? ct_lower_type_use(l, part, &use)
                                           : declare(l, part, &use, node->flags & CT_IS_CONSTANT);
    return l->status == SMP_OK;
}
