/* SPDX-License-Identifier: MIT */
/*
 * Assignments, ++ and --: of variables, of pointers, of objects in memory. What is assigned is
 * evaluated first, as C++17 says: the code of the left side is moved behind it.
 */
#include <string.h>

#include "lower.h"

/* ---- Assignment ---- */

static bool bind_pointer(ct_lower *l, ct_symbol *symbol, const ct_operand *value, size_t position) {
    bool is_unset = symbol->array == CT_ARRAY_NONE;
    bool is_null = value->form == CT_FORM_VALUE;
    if (is_null) {
        if (!is_unset)
            return ct_refuse(l, position,
                             "'%.*s' points to an array; other values are not followed",
                             (int)symbol->length, symbol->name);
        return ct_emit_drop(l, position) &&
               ct_emit_unknown(l, CT_REASON_UNSET, symbol->name, symbol->length, position);
    }
    bool is_other = !is_unset && symbol->array != value->array;
    bool is_always = symbol->open == l->layout->open && l->choices == 0;
    if (is_other && !is_always)
        return ct_refuse(l, position,
                         "'%.*s' points to one array here and to another elsewhere, as a condition "
                         "or a loop decides, which is not followed",
                         (int)symbol->length, symbol->name);
    symbol->array = value->array;
    symbol->is_expanded |= value->is_hidden;
    if (!symbol->shape.type)
        symbol->shape = value->shape;
    return true;
}

bool ct_operand_set(ct_lower *l, ct_symbol *symbol, ct_operand *value, size_t position) {
    bool is_pointer = symbol->meaning == CT_MEANS_POINTER;
    if (is_pointer ? !bind_pointer(l, symbol, value, position) : !ct_operand_number(l, value))
        return false;
    symbol->varies |= l->is_varying || l->varying_ifs > 0;
    l->has_effect = true;
    return ct_emit_set(l, symbol->slot, is_pointer ? NULL : symbol->shape.type, position);
}

/* The result of an assignment to a variable: its value. */
static ct_operand result_of(ct_symbol *symbol, size_t position) {
    if (symbol->meaning != CT_MEANS_POINTER)
        return (ct_operand){.form = CT_FORM_VALUE,
                            .kind = symbol->kind,
                            .type = symbol->shape.type,
                            .symbol = symbol,
                            .position = position};
    return ct_place_pointer(symbol, position);
}

static bool fail_constant(ct_lower *l, const ct_symbol *symbol, size_t position) {
    return ct_refuse(l, position, "'%.*s' is constant", (int)symbol->length, symbol->name);
}

/* Takes back the instruction that read the variable. */
static void unread(ct_lower *l) {
    l->code->count--;
    l->stack--;
}

/* pointer += number: the pointer is read again behind the number. */
static bool move_pointer(ct_lower *l, ct_symbol *symbol, ct_code_op op, const ct_operand *right,
                         size_t position) {
    ct_operand pointer = result_of(symbol, position);
    if (op != CT_CODE_ADD && op != CT_CODE_SUB)
        return ct_refuse(l, position, "pointers know only += and -=");
    return ct_emit_slot(l, symbol->slot, position) &&
           ct_emit_op(l, CT_CODE_SWAP, CT_I64, position, 1) &&
           ct_place_move(l, &pointer, right->kind, op == CT_CODE_SUB, position) &&
           ct_operand_set(l, symbol, &pointer, position);
}

static bool assign_variable(ct_lower *l, ct_code_op op, ct_operand *left, const ct_node *node) {
    ct_symbol *symbol = left->symbol;
    size_t position = ct_position(l, node->at);
    ct_operand right;
    if (symbol->is_const)
        return fail_constant(l, symbol, position);
    unread(l);
    if (!ct_lower_value(l, node->child->next, &right))
        return false;
    bool is_pointer = symbol->meaning == CT_MEANS_POINTER;
    if (op != CT_CODE_CONST && !ct_operand_number(l, &right))
        return false;
    bool sound = true;
    if (op != CT_CODE_CONST && is_pointer) {
        sound = move_pointer(l, symbol, op, &right, position);
    } else if (op != CT_CODE_CONST) {
        ct_kind kind = symbol->kind;
        sound = ct_emit_slot(l, symbol->slot, position) &&
                ct_emit_op(l, CT_CODE_SWAP, CT_I32, position, 1) &&
                ct_operand_combine(l, op, symbol->kind, right.kind, position, &kind);
        right.kind = kind;
        sound = sound && ct_operand_set(l, symbol, &right, position);
    } else {
        sound = ct_operand_set(l, symbol, &right, position);
    }
    *left = result_of(symbol, position);
    return sound;
}

/* Puts value and offset in the order in which a store takes them: what is assigned is evaluated
 * first. The old value of the object, which `op=` needs, is read before, unless that would be seen.
 */
static bool order_sides(ct_lower *l, uint32_t start, uint32_t end, bool reads,
                        const ct_slot_set *before, size_t position) {
    const bool is_seen = !ct_slots_empty(&l->writes);
    ct_slots_unite(&l->writes, before);
    if (reads && !is_seen)
        return ct_emit_op(l, CT_CODE_SWAP, CT_I64, position, 1);
    return ct_code_rotate(l, start, end);
}

/* An element of a local array that is followed: value and place are on the stack. */
static bool assign_element(ct_lower *l, ct_code_op op, ct_operand *left, ct_kind kind,
                           size_t position) {
    const smp_type *type = left->shape.type;
    bool sound = op == CT_CODE_CONST ? ct_local_array_set(l, left->symbol, position)
                                     : ct_local_array_change(l, left, op, kind, position);
    *left = ct_value_of(ct_type_kind(type), type, position);
    return sound;
}

/* The object's offset is the code from `start` on. */
static bool assign_object(ct_lower *l, ct_code_op op, ct_operand *left, uint32_t start,
                          const ct_node *node) {
    size_t position = ct_position(l, node->at);
    bool reads = op != CT_CODE_CONST, is_local = left->array == CT_ARRAY_LOCAL;
    const bool is_followed = ct_local_array_is_element(left);
    ct_operand right;
    if (!ct_place_is_whole(l, left))
        return ct_refuse(l, position, "an array can't be assigned to");
    if (reads && !is_local && !ct_access_load(l, left, CT_KEEPS_OFFSET))
        return false;
    uint32_t end = l->code->count;
    const ct_slot_set before = l->writes;
    memset(&l->writes, 0, sizeof l->writes); /* what is assigned may set the index */
    if (!ct_lower_number(l, node->child->next, &right) ||
        !order_sides(l, start, end, reads && !is_followed, &before, position))
        return false;
    if (is_followed)
        return assign_element(l, op, left, right.kind, position);
    l->has_effect = true;
    bool sound = is_local ? ct_emit_drop(l, position) : ct_access_store(l, left, CT_STORES_VALUE);
    const smp_type *type = left->shape.type;
    if (reads)
        sound = sound && ct_emit_merge(l, 1, position);
    *left = ct_value_of(ct_type_kind(type), type, position);
    return sound;
}

/* ---- Both ---- */

bool ct_lower_assign(ct_lower *l, const ct_node *node, ct_operand *out) {
    const uint32_t start = l->code->count;
    const ct_code_op op = ct_operator_op(&l->tokens[node->at]);
    if (!ct_lower_expression(l, node->child, out))
        return false;
    bool is_variable = out->form == CT_FORM_SLOT || (out->form == CT_FORM_POINTER && out->symbol);
    if (is_variable)
        return assign_variable(l, op, out, node);
    if (out->form == CT_FORM_OBJECT)
        return assign_object(l, op, out, start, node);
    return ct_refuse(l, out->position, "what stands here can't be assigned to");
}

/* ++x and --x, or x++ and x--: on the stack is what was read of it. */
bool ct_operand_step(ct_lower *l, ct_operand *operand, bool is_up, bool is_after, size_t position) {
    ct_symbol *symbol = operand->symbol;
    l->has_effect = true;
    if (ct_local_array_is_element(operand))
        return ct_local_array_step(l, operand, is_up, is_after, position);
    if (operand->form == CT_FORM_OBJECT && ct_place_is_whole(l, operand)) {
        const smp_type *type = operand->shape.type;
        bool sound = operand->array == CT_ARRAY_LOCAL
                         ? ct_emit_merge(l, 1, position)
                         : ct_access_load(l, operand, CT_KEEPS_OFFSET) &&
                               ct_access_store(l, operand, CT_TAKES_OFFSET);
        *operand = ct_value_of(ct_type_kind(type), type, position);
        return sound;
    }
    if (!symbol || operand->form == CT_FORM_VALUE || operand->form == CT_FORM_OBJECT)
        return ct_refuse(l, position, "++ and -- need a variable or an element");
    if (symbol->is_const)
        return fail_constant(l, symbol, position);
    bool is_pointer = symbol->meaning == CT_MEANS_POINTER;
    ct_operand stepped = *operand;
    if (is_after && !ct_emit_slot(l, symbol->slot, position))
        return false;
    bool sound = ct_emit_constant(l, 1, position);
    if (is_pointer) {
        sound = sound && ct_place_move(l, &stepped, CT_I32, !is_up, position);
    } else {
        ct_code_op op = is_up ? CT_CODE_ADD : CT_CODE_SUB;
        sound = sound && ct_operand_combine(l, op, symbol->kind, CT_I32, position, &stepped.kind);
        stepped.form = CT_FORM_VALUE;
    }
    sound = sound && ct_operand_set(l, symbol, &stepped, position) &&
            (!is_after || ct_emit_drop(l, position));
    *operand = result_of(symbol, position);
    operand->symbol = NULL;
    return sound;
}
