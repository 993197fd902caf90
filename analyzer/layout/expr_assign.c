/* SPDX-License-Identifier: MIT */
/*
 * Assignments, ++ and --: of variables, of pointers, of objects in memory. What is assigned is
 * evaluated first, as C++17 says: the code of the left side is moved behind it.
 */
#include <string.h>

#include "layout.h"

typedef struct assign_row {
    uint32_t code;
    uint8_t op; /* SMP_CODE_CONST: plain */
} assign_row;

static const assign_row assigns[] = {
    {SMP_PUNCT1('='), SMP_CODE_CONST},         {SMP_PUNCT2('+', '='), SMP_CODE_ADD},
    {SMP_PUNCT2('-', '='), SMP_CODE_SUB},      {SMP_PUNCT2('*', '='), SMP_CODE_MUL},
    {SMP_PUNCT2('/', '='), SMP_CODE_DIV},      {SMP_PUNCT2('%', '='), SMP_CODE_MOD},
    {SMP_PUNCT2('&', '='), SMP_CODE_AND},      {SMP_PUNCT2('|', '='), SMP_CODE_OR},
    {SMP_PUNCT2('^', '='), SMP_CODE_XOR},      {SMP_PUNCT3('<', '<', '='), SMP_CODE_SHL},
    {SMP_PUNCT3('>', '>', '='), SMP_CODE_SHR},
};

/* ---- Assignment ------------------------------------------------------------------------ */

static bool bind_pointer(smp_parser *parser, smp_symbol *symbol, const smp_operand *value,
                         size_t position) {
    bool is_unset = symbol->array == SMP_ARRAY_NONE;
    bool is_null = value->form == SMP_FORM_VALUE;
    if (is_null) {
        if (!is_unset)
            return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                                   "'%.*s' points to an array; other values are not followed",
                                   (int)symbol->length, symbol->name);
        return smp_emit_drop(parser, position) &&
               smp_emit_unknown(parser, SMP_REASON_UNSET, symbol->name, symbol->length, position);
    }
    bool is_other = !is_unset && symbol->array != value->array;
    bool is_always = symbol->open == parser->layout->open && parser->choices == 0;
    if (is_other && !is_always)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "'%.*s' points to one array here and to another elsewhere, as a "
                               "condition or a loop decides, which is not followed",
                               (int)symbol->length, symbol->name);
    symbol->array = value->array;
    symbol->is_expanded |= value->is_hidden;
    if (!symbol->shape.type)
        symbol->shape = value->shape;
    return true;
}

bool smp_operand_set(smp_parser *parser, smp_symbol *symbol, smp_operand *value, size_t position) {
    bool is_pointer = symbol->meaning == SMP_MEANS_POINTER;
    smp_expr_instruction set = {.op = SMP_CODE_SET, .slot = symbol->slot};
    if (is_pointer ? !bind_pointer(parser, symbol, value, position)
                   : !smp_operand_number(parser, value))
        return false;
    if (!is_pointer) {
        set.limit = symbol->shape.type->integer.bits;
        set.kind = symbol->shape.type->integer.is_signed ? SMP_I64 : SMP_U64;
    }
    symbol->varies |= parser->is_varying || parser->varying_ifs > 0;
    parser->has_effect = true;
    smp_slots_add(&parser->writes, symbol->slot);
    return smp_emit(parser, set, position, 1);
}

/* The result of an assignment to a variable: its value. */
static smp_operand result_of(smp_symbol *symbol, size_t position) {
    if (symbol->meaning != SMP_MEANS_POINTER)
        return (smp_operand){.form = SMP_FORM_VALUE,
                             .kind = symbol->kind,
                             .type = symbol->shape.type,
                             .symbol = symbol,
                             .position = position};
    return smp_place_pointer(symbol, position);
}

static bool fail_constant(smp_parser *parser, const smp_symbol *symbol, size_t position) {
    return smp_parser_fail(parser, SMP_E_SYNTAX, position, "'%.*s' is constant",
                           (int)symbol->length, symbol->name);
}

/* Takes back the instruction that read the variable. */
static void unread(smp_parser *parser) {
    parser->code->count--;
    parser->stack--;
}

/* pointer += number: the pointer is read again behind the number. */
static bool move_pointer(smp_parser *parser, smp_symbol *symbol, smp_code_op op,
                         const smp_operand *right, size_t position) {
    smp_operand pointer = result_of(symbol, position);
    if (op != SMP_CODE_ADD && op != SMP_CODE_SUB)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position, "pointers know only += and -=");
    return smp_emit_slot(parser, symbol->slot, position) &&
           smp_emit_op(parser, SMP_CODE_SWAP, SMP_I64, position, 1) &&
           smp_place_move(parser, &pointer, right->kind, op == SMP_CODE_SUB, position) &&
           smp_operand_set(parser, symbol, &pointer, position);
}

static bool assign_variable(smp_parser *parser, smp_code_op op, smp_operand *left) {
    smp_symbol *symbol = left->symbol;
    size_t position = parser->token.position;
    smp_operand right;
    if (symbol->is_const)
        return fail_constant(parser, symbol, position);
    unread(parser);
    smp_parser_next(parser);
    if (!smp_expr_assignment(parser, &right) || !smp_operand_value(parser, &right))
        return false;
    bool is_pointer = symbol->meaning == SMP_MEANS_POINTER;
    if (op != SMP_CODE_CONST && !smp_operand_number(parser, &right))
        return false;
    bool sound = true;
    if (op != SMP_CODE_CONST && is_pointer) {
        sound = move_pointer(parser, symbol, op, &right, position);
    } else if (op != SMP_CODE_CONST) {
        smp_kind kind = symbol->kind;
        sound = smp_emit_slot(parser, symbol->slot, position) &&
                smp_emit_op(parser, SMP_CODE_SWAP, SMP_I32, position, 1) &&
                smp_operand_combine(parser, op, symbol->kind, right.kind, position, &kind);
        right.kind = kind;
        sound = sound && smp_operand_set(parser, symbol, &right, position);
    } else {
        sound = smp_operand_set(parser, symbol, &right, position);
    }
    *left = result_of(symbol, position);
    return sound;
}

/* Puts value and offset in the order in which a store takes them: what is assigned is evaluated
 * first. The old value of the object, which `op=` needs, is read before, unless that would be seen.
 */
static bool order_sides(smp_parser *parser, uint32_t start, uint32_t end, bool reads,
                        const smp_slot_set *before, size_t position) {
    const bool is_seen = !smp_slots_empty(&parser->writes);
    smp_slots_unite(&parser->writes, before);
    if (reads && !is_seen)
        return smp_emit_op(parser, SMP_CODE_SWAP, SMP_I64, position, 1);
    return smp_code_rotate(parser, start, end);
}

/* An element of a local array that is followed: value and place are on the stack. */
static bool assign_element(smp_parser *parser, smp_code_op op, smp_operand *left, smp_kind kind,
                           size_t position) {
    const smp_type *type = left->shape.type;
    bool sound = op == SMP_CODE_CONST ? smp_local_array_set(parser, left->symbol, position)
                                      : smp_local_array_change(parser, left, op, kind, position);
    *left = (smp_operand){
        .form = SMP_FORM_VALUE, .kind = smp_type_kind(type), .type = type, .position = position};
    return sound;
}

/* The object's offset is the code from `start` on. */
static bool assign_object(smp_parser *parser, smp_code_op op, smp_operand *left, uint32_t start) {
    size_t position = parser->token.position;
    bool reads = op != SMP_CODE_CONST, is_local = left->array == SMP_ARRAY_LOCAL;
    const bool is_followed = smp_local_array_is_element(left);
    smp_operand right;
    if (!smp_place_is_whole(parser->layout, left))
        return smp_parser_fail(parser, SMP_E_SYNTAX, position, "an array can't be assigned to");
    smp_parser_next(parser);
    if (reads && !is_local && !smp_access_load(parser, left, SMP_KEEPS_OFFSET))
        return false;
    uint32_t end = parser->code->count;
    const smp_slot_set before = parser->writes;
    memset(&parser->writes, 0, sizeof parser->writes); /* what is assigned may set the index */
    if (!smp_expr_assignment(parser, &right) || !smp_operand_number(parser, &right) ||
        !order_sides(parser, start, end, reads && !is_followed, &before, position))
        return false;
    if (is_followed)
        return assign_element(parser, op, left, right.kind, position);
    parser->has_effect = true;
    bool sound = is_local ? smp_emit_drop(parser, position)
                          : smp_access_store(parser, left, SMP_STORES_VALUE);
    const smp_type *type = left->shape.type;
    if (reads)
        sound = sound && smp_emit_merge(parser, 1, position);
    *left = (smp_operand){
        .form = SMP_FORM_VALUE, .kind = smp_type_kind(type), .type = type, .position = position};
    return sound;
}

static const assign_row *find_assign(const smp_parser *parser) {
    bool is_below = parser->token.starts_line && !parser->goes_on;
    if (parser->token.kind != SMP_TOKEN_PUNCT || is_below)
        return NULL;
    for (size_t i = 0; i < sizeof assigns / sizeof assigns[0]; i++) {
        if (assigns[i].code == parser->token.code)
            return &assigns[i];
    }
    return NULL;
}

/* ---- Both ------------------------------------------------------------------------------ */

bool smp_expr_assign(smp_parser *parser, smp_operand *out, uint32_t start) {
    const assign_row *row = find_assign(parser);
    if (!row)
        return true;
    bool is_variable = out->form == SMP_FORM_SLOT || (out->form == SMP_FORM_POINTER && out->symbol);
    if (is_variable)
        return assign_variable(parser, (smp_code_op)row->op, out);
    if (out->form == SMP_FORM_OBJECT)
        return assign_object(parser, (smp_code_op)row->op, out, start);
    return smp_parser_fail(parser, SMP_E_SYNTAX, out->position,
                           "what stands here can't be assigned to");
}

/* ++x and --x, or x++ and x--: on the stack is what was read of it. */
bool smp_operand_step(smp_parser *parser, smp_operand *operand, bool is_up, bool is_after,
                      size_t position) {
    smp_symbol *symbol = operand->symbol;
    parser->has_effect = true;
    if (smp_local_array_is_element(operand))
        return smp_local_array_step(parser, operand, is_up, is_after, position);
    if (operand->form == SMP_FORM_OBJECT && smp_place_is_whole(parser->layout, operand)) {
        const smp_type *type = operand->shape.type;
        bool sound = operand->array == SMP_ARRAY_LOCAL
                         ? smp_emit_merge(parser, 1, position)
                         : smp_access_load(parser, operand, SMP_KEEPS_OFFSET) &&
                               smp_access_store(parser, operand, SMP_TAKES_OFFSET);
        *operand = (smp_operand){.form = SMP_FORM_VALUE,
                                 .kind = smp_type_kind(type),
                                 .type = type,
                                 .position = position};
        return sound;
    }
    if (!symbol || operand->form == SMP_FORM_VALUE || operand->form == SMP_FORM_OBJECT)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "++ and -- need a variable or an element");
    if (symbol->is_const)
        return fail_constant(parser, symbol, position);
    bool is_pointer = symbol->meaning == SMP_MEANS_POINTER;
    smp_operand stepped = *operand;
    if (is_after && !smp_emit_slot(parser, symbol->slot, position))
        return false;
    bool sound = smp_emit_constant(parser, 1, position);
    if (is_pointer) {
        sound = sound && smp_place_move(parser, &stepped, SMP_I32, !is_up, position);
    } else {
        smp_code_op op = is_up ? SMP_CODE_ADD : SMP_CODE_SUB;
        sound = sound &&
                smp_operand_combine(parser, op, symbol->kind, SMP_I32, position, &stepped.kind);
        stepped.form = SMP_FORM_VALUE;
    }
    sound = sound && smp_operand_set(parser, symbol, &stepped, position) &&
            (!is_after || smp_emit_drop(parser, position));
    *operand = result_of(symbol, position);
    operand->symbol = NULL;
    return sound;
}
