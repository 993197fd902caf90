/* SPDX-License-Identifier: MIT */
/*
 * Objects in memory: arrays, indices, members, address-of, dereference, pointer arithmetic and
 * reinterpreting casts ("*(float4 *)&tile[i][j]"). The code computes the byte offset from the
 * start of the array. Each index is checked against its dimension; after a cast or pointer
 * arithmetic, the offset is checked against the whole array. Local arrays and structs have no
 * offset, and their values are not tracked.
 */
#include "lower.h"

const smp_array *ct_place_array_of(const ct_lower *l, const ct_operand *p) {
    return &l->layout->kernel.arrays[p->array];
}

bool ct_place_is_shared(const ct_lower *l, const ct_operand *p) {
    return p->array >= 0 && ct_place_array_of(l, p)->space == SMP_SPACE_SHARED;
}

static bool is_memory(const ct_operand *p) {
    return p->array >= 0;
}

bool ct_place_is_whole(const ct_operand *p) {
    return p->shape.dim_count == 0;
}

static bool emit_index(ct_lower *l, ct_kind kind, size_t position, int64_t stride, int64_t limit) {
    ct_expr_instruction instruction = {
        .op = CT_CODE_INDEX, .kind = (uint8_t)kind, .value = stride, .limit = limit};
    return ct_emit(l, instruction, position, 2);
}

/* ---- Arrays ---- */

ct_operand ct_place_pointer(ct_symbol *symbol, size_t position) {
    return (ct_operand){.form = CT_FORM_POINTER,
                        .kind = CT_I64,
                        .symbol = symbol,
                        .position = position,
                        .array = symbol->array,
                        .is_loose = true,
                        .is_hidden = true,
                        .shape = symbol->shape};
}

bool ct_place_array(ct_lower *l, int array, const ct_token *name, ct_operand *out) {
    const smp_array *of = &l->layout->kernel.arrays[array];
    const smp_mode_table *table = &of->table;
    *out = (ct_operand){.form = CT_FORM_OBJECT,
                        .array = array,
                        .shape = {.type = of->type, .dim_count = table->dim_count},
                        .is_hidden = name->is_expanded,
                        .position = name->position};
    for (uint32_t d = 0; d < table->dim_count; d++)
        out->shape.dims[d] = table->dims[d].extent;
    out->has_layout = table->dim_count > 0 && (!table->is_row_major || table->swizzle.present);
    return ct_emit_constant(l, 0, name->position);
}

/* ---- CuTe layouts ---- */

/* Applies one index; `is_of_all`: a linear index, "a(i)". */
static bool index_layout(ct_lower *l, ct_operand *p, ct_kind kind, bool is_of_all,
                         size_t position) {
    const smp_mode_table *table = &ct_place_array_of(l, p)->table;
    const uint32_t dim = table->dim_count - p->shape.dim_count;
    const bool is_plain = table->is_row_major; /* apart from the swizzle */
    ct_expr_instruction index = {.op = is_plain ? CT_CODE_INDEX : CT_CODE_MODE,
                                 .kind = (uint8_t)kind,
                                 .slot = (uint16_t)(is_of_all ? SMP_DIMS_MAX : dim),
                                 .value = table->element_bytes *
                                          (is_plain ? table->dims[dim].stride[0] : 1),
                                 .limit = 1,
                                 .mode = table};
    do {
        index.limit *= p->shape.dims[0];
        p->shape = ct_shape_element(p->shape);
    } while (is_of_all && p->shape.dim_count > 0);
    p->has_layout = p->shape.dim_count > 0;
    const ct_expr_instruction swizzle = {.op = CT_CODE_SWIZZLE, .mode = table};
    return ct_emit(l, index, position, 2) &&
           (p->has_layout || !table->swizzle.present || ct_emit(l, swizzle, p->position, 1));
}

/* Fails if the array has a CuTe layout and lacks indices. */
static bool check_layout(ct_lower *l, const ct_operand *p, size_t position) {
    const smp_array *array = p->has_layout ? ct_place_array_of(l, p) : NULL;
    return !array || ct_refuse(l, position, "index '%.*s' in all its dimensions first",
                               (int)array->length, array->name);
}

/* ---- Pointers ---- */

bool ct_place_decay(ct_lower *l, ct_operand *p, size_t position) {
    if (p->form == CT_FORM_POINTER)
        return true;
    if (p->form != CT_FORM_OBJECT || ct_place_is_whole(p))
        return ct_refuse(l, position, "this is neither an array nor a pointer");
    if (!check_layout(l, p, position))
        return false;
    p->shape = ct_shape_element(p->shape);
    p->form = CT_FORM_POINTER;
    p->symbol = NULL;
    return true;
}

bool ct_place_move(ct_lower *l, ct_operand *p, ct_kind kind, bool subtract, size_t position) {
    p->is_loose = true;
    p->symbol = NULL;
    if (!is_memory(p))
        return ct_emit_merge(l, 2, position);
    if (!p->shape.type)
        return ct_refuse(l, position, "what this points to has an unknown size");
    int64_t stride = (int64_t)smp_shape_size(p->shape);
    return emit_index(l, kind, position, subtract ? -stride : stride, 0);
}

bool ct_place_address(ct_lower *l, ct_operand *p, size_t position) {
    if (p->form == CT_FORM_SLOT)
        return ct_refuse(l, position, "the address of a variable is not supported");
    if (p->form != CT_FORM_OBJECT)
        return ct_refuse(l, position, "this has no address");
    if (!check_layout(l, p, position))
        return false;
    p->form = CT_FORM_POINTER;
    p->symbol = NULL;
    return true;
}

bool ct_place_follow(ct_lower *l, ct_operand *p, size_t position) {
    if (!ct_place_decay(l, p, position))
        return false;
    if (p->array == CT_ARRAY_NONE)
        return ct_refuse(l, position, "the target of this pointer is unknown");
    if (is_memory(p) && !p->shape.type)
        return ct_refuse(l, position, "what this points to has an unknown size");
    p->form = CT_FORM_OBJECT;
    p->symbol = NULL;
    return true;
}

bool ct_place_cast(ct_lower *l, ct_operand *p, smp_shape shape, size_t position) {
    if (!check_layout(l, p, position))
        return false;
    if (p->form == CT_FORM_OBJECT && p->shape.dim_count == 0)
        return ct_refuse(l, position,
                         "this is neither an array nor a pointer; did you mean its address?");
    p->form = CT_FORM_POINTER;
    p->symbol = NULL;
    p->is_loose = true;
    if (shape.type)
        p->shape = shape;
    return true;
}

/* ---- Indices and members ---- */

static bool fail_too_many(ct_lower *l, const ct_operand *p, size_t position) {
    if (p->form == CT_FORM_VALUE || p->form == CT_FORM_SLOT)
        return ct_refuse(l, position, "too many indices: this is neither an array nor a pointer");
    if (p->array < 0)
        return ct_refuse(l, position, "too many indices");
    const smp_array *array = ct_place_array_of(l, p);
    return ct_refuse(l, position, "too many indices for '%.*s'",
                     (int)(array->length < 40 ? array->length : 40), array->name);
}

/* An index of a local object. */
static bool index_local(ct_lower *l, ct_operand *p, size_t position) {
    if (p->form == CT_FORM_OBJECT && p->shape.dim_count == 0 && p->shape.type == &ct_type_pointer)
        return ct_refuse(l, position,
                         "pointers in structs are not tracked; 'emulate' runs "
                         "the machine code");
    if (p->form == CT_FORM_OBJECT && p->shape.dim_count == 0 && p->shape.type)
        return ct_refuse(l, position, "too many indices: this is neither an array nor a pointer");
    if (p->form == CT_FORM_OBJECT && p->shape.dim_count > 0)
        p->shape = ct_shape_element(p->shape);
    p->form = CT_FORM_OBJECT;
    p->symbol = NULL;
    return ct_emit_merge(l, 2, position);
}

static bool index_pointer(ct_lower *l, ct_operand *p, ct_kind kind, size_t position) {
    bool is_member = p->form == CT_FORM_OBJECT;
    int64_t limit = is_member ? p->shape.dims[0] : 0;
    if (!ct_place_decay(l, p, position))
        return false;
    if (!p->shape.type)
        return ct_refuse(l, position, "what this points to has an unknown size");
    p->form = CT_FORM_OBJECT;
    p->symbol = NULL;
    p->is_loose |= !is_member;
    return emit_index(l, kind, position, (int64_t)smp_shape_size(p->shape), limit);
}

bool ct_place_index(ct_lower *l, ct_operand *p, const ct_node *node, bool is_alone) {
    size_t position = ct_begin(l, node);
    ct_operand index;
    bool is_array = p->form == CT_FORM_OBJECT || p->form == CT_FORM_POINTER;
    if (p->array == CT_ARRAY_NONE && p->form == CT_FORM_POINTER)
        return ct_place_follow(l, p, position);
    if (!is_array || (is_memory(p) && p->form == CT_FORM_OBJECT && ct_place_is_whole(p)))
        return fail_too_many(l, p, position);
    l->in_index++;
    bool sound = ct_lower_number(l, node, &index);
    l->in_index--;
    if (!sound)
        return false;
    if (!is_memory(p))
        return index_local(l, p, position);
    if (p->has_layout)
        return index_layout(l, p, index.kind,
                            is_alone && !ct_place_array_of(l, p)->table.is_row_major, position);
    return index_pointer(l, p, index.kind, position);
}

bool ct_place_member(ct_lower *l, ct_operand *p, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    smp_member member;
    if (p->array == CT_ARRAY_LOCAL && !p->shape.type)
        return l->status == SMP_OK;
    bool has_members = p->form == CT_FORM_OBJECT && p->shape.dim_count == 0;
    if (!has_members || !ct_type_member(p->shape.type, name->word, &member))
        return ct_refuse(l, name->position, "no member '%.*s' here%s%.*s", CT_TOKEN_TEXT(*name),
                         has_members ? ": this is a " : "",
                         has_members ? (int)p->shape.type->length : 0,
                         has_members ? p->shape.type->name : "");
    p->shape = member.shape;
    if (!is_memory(p))
        return l->status == SMP_OK;
    return ct_emit_constant(l, member.offset, name->position) &&
           ct_emit_op(l, CT_CODE_ADD, CT_I64, name->position, 2);
}
