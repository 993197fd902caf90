/* SPDX-License-Identifier: MIT */
/*
 * Arrays of a thread's own whose elements decide addresses: "int o[2][4] = {{0, 8}};". Each element
 * is in a slot.
 */
#include "lower.h"

/* ---- Declarations ---- */

/* An array while its list is read. */
typedef struct array_list {
    ct_symbol *array;
    uint32_t at, count; /* the next element */
} array_list;

/* Sets one element to the value on top. */
static bool set_next(ct_lower *l, array_list *list, size_t position) {
    const uint16_t slot = (uint16_t)(list->array->slot + list->at++);
    return ct_emit_set(l, slot, list->array->shape.type, position) && ct_emit_drop(l, position);
}

static bool set_element(ct_lower *l, array_list *list, const ct_node *node) {
    const size_t position = ct_begin(l, node);
    ct_operand value;
    if (list->at == list->count)
        return ct_refuse(l, position, "more values than elements");
    if (!ct_lower_number(l, node, &value))
        return false;
    list->array->varies |= l->is_varying || l->varying_ifs > 0;
    return set_next(l, list, position);
}

/* "1, {2, 3}, 4": lists in it are those of the rows at depth `d`. */
static bool set_elements(ct_lower *l, array_list *list, const ct_node *of, uint32_t d) {
    const smp_shape *shape = &list->array->shape;
    uint32_t row = 1; /* elements that one inner list stands for */
    for (uint32_t i = d + 1; i < shape->dim_count; i++)
        row *= shape->dims[i];
    const uint32_t first = list->at;
    for (const ct_node *node = of->child; node; node = node->next) {
        const uint32_t begin = list->at;
        const size_t position = ct_begin(l, node), behind = ct_position(l, node->end);
        if (node->kind != CT_N_LIST) {
            if (!set_element(l, list, node))
                return false;
            continue;
        }
        if (d + 1 >= shape->dim_count || (begin - first) % row != 0)
            return ct_refuse(l, position, "expected a value instead of this list");
        if (!set_elements(l, list, node, d + 1))
            return false;
        if (list->at > begin + row)
            return ct_refuse(l, behind, "more values than elements");
        while (list->at < begin + row) { /* the rest of the row is 0 */
            if (!ct_emit_constant(l, 0, behind) || !set_next(l, list, behind))
                return false;
        }
    }
    return l->status == SMP_OK;
}

bool ct_local_array_declare(ct_lower *l, ct_symbol *symbol, const ct_node *declarator) {
    array_list list = {.array = symbol, .count = 1};
    const ct_node *initial = ct_behind_kind(declarator->child, CT_N_DIM);
    const size_t position = ct_position(l, declarator->at);
    ct_program program;
    uint16_t slot;
    for (uint32_t d = 0; d < symbol->shape.dim_count; d++)
        list.count *= symbol->shape.dims[d];
    symbol->meaning = CT_MEANS_LOCAL;
    symbol->value = list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        if (!ct_slot_new(l, position, i == 0 ? &symbol->slot : &slot))
            return false;
    }
    ct_program_begin(l, &program);
    if (initial && !set_elements(l, &list, initial, 0))
        return false;
    while (list.at < list.count) { /* 0 behind a list, else nothing that is known */
        if (!(initial
                  ? ct_emit_constant(l, 0, position)
                  : ct_emit_unknown(l, CT_REASON_UNSET, symbol->name, symbol->length, position)) ||
            !set_next(l, &list, position))
            return false;
    }
    if (!ct_emit_constant(l, 0, position))
        return false;
    ct_program_end(l, CT_I32, &program);
    return ct_program_add(l, &program) && ct_symbol_add(l, symbol, position) != NULL;
}

/* ---- Elements ---- */

bool ct_local_array_is_element(const ct_operand *p) {
    return p->form == CT_FORM_OBJECT && p->array == CT_ARRAY_LOCAL && p->symbol &&
           p->symbol->value > 0 && p->shape.dim_count == 0;
}

bool ct_local_array_index(ct_lower *l, ct_operand *p, ct_kind kind, size_t position) {
    ct_expr_instruction index = {
        .op = CT_CODE_POSITION, .kind = (uint8_t)kind, .value = 1, .limit = p->shape.dims[0]};
    p->shape.dim_count--;
    for (uint32_t d = 0; d < p->shape.dim_count; d++) {
        p->shape.dims[d] = p->shape.dims[d + 1];
        index.value *= p->shape.dims[d];
    }
    return ct_emit(l, index, position, 2);
}

/* Adds the elements to a set. */
static void add_slots(const ct_symbol *array, ct_slot_set *to) {
    for (unsigned i = 0; i < (unsigned)array->value; i++)
        ct_slots_add(to, array->slot + i);
}

bool ct_local_array_read(ct_lower *l, ct_operand *p, size_t position) {
    const ct_symbol *array = p->symbol;
    const ct_expr_instruction element = {
        .op = CT_CODE_ELEMENT, .slot = array->slot, .limit = array->value};
    add_slots(array, &l->reads);
    l->is_varying |= array->varies;
    *p = ct_value_of(ct_type_kind(array->shape.type), array->shape.type, p->position);
    return ct_emit(l, element, position, 1);
}

bool ct_local_array_set(ct_lower *l, ct_symbol *array, size_t position) {
    const smp_integer_type type = array->shape.type->integer;
    const ct_expr_instruction set = {.op = CT_CODE_SET_ELEMENT,
                                     .kind = type.is_signed ? CT_I64 : CT_U64,
                                     .slot = array->slot,
                                     .value = array->value,
                                     .limit = type.bits};
    add_slots(array, &l->writes);
    array->varies |= l->is_varying || l->varying_ifs > 0;
    l->has_effect = true;
    return ct_emit(l, set, position, 2);
}

bool ct_local_array_change(ct_lower *l, const ct_operand *element, ct_code_op op, ct_kind kind,
                           size_t position) {
    ct_operand old = *element;
    uint16_t slot;
    return ct_emit_keep(l, &slot, position) && ct_local_array_read(l, &old, position) &&
           ct_emit_op(l, CT_CODE_SWAP, CT_I64, position, 1) &&
           ct_operand_combine(l, op, old.kind, kind, position, &kind) &&
           ct_emit_slot(l, slot, position) && ct_local_array_set(l, element->symbol, position);
}

bool ct_local_array_step(ct_lower *l, ct_operand *element, bool is_up, bool is_after,
                         size_t position) {
    ct_symbol *array = element->symbol;
    ct_operand old = *element, again = *element;
    uint16_t slot;
    ct_kind kind = ct_type_kind(array->shape.type);
    bool sound = ct_emit_keep(l, &slot, position) && ct_local_array_read(l, &old, position);
    if (is_after)
        sound =
            sound && ct_emit_slot(l, slot, position) && ct_local_array_read(l, &again, position);
    sound =
        sound && ct_emit_constant(l, 1, position) &&
        ct_operand_combine(l, is_up ? CT_CODE_ADD : CT_CODE_SUB, kind, CT_I32, position, &kind) &&
        ct_emit_slot(l, slot, position) && ct_local_array_set(l, array, position) &&
        (!is_after || ct_emit_drop(l, position));
    *element = old;
    return sound;
}
