/* SPDX-License-Identifier: MIT */
/*
 * Expressions: literals, casts, operators. Every lowered operand has a type; operators convert
 * their operands.
 */
#include <stdlib.h>

#include "lower.h"

/* ---- Casts ---- */

/* The type of a cast, and the shape of its target. */
static bool lower_cast_type(ct_lower *l, const ct_node *node, ct_type_use *use, smp_shape *shape) {
    ct_lower_type_use(l, node->child, use);
    *shape = (smp_shape){.type = use->type};
    return ct_lower_dims(l, node->child->next, 1 << 20, shape);
}

static bool cast_pointer(ct_lower *l, smp_shape shape, ct_operand *out) {
    bool is_place = out->form == CT_FORM_OBJECT || out->form == CT_FORM_POINTER;
    bool is_element = out->form == CT_FORM_OBJECT && out->shape.dim_count == 0;
    if (is_place && !is_element)
        return ct_place_cast(l, out, shape);
    if (out->form == CT_FORM_OBJECT && out->array == CT_ARRAY_LOCAL && !out->shape.type)
        return ct_place_address(l, out);
    return ct_refuse_here(l, "only arrays and pointers to them can be cast to a pointer");
}

static bool cast_value(ct_lower *l, const ct_type_use *use, ct_operand *out) {
    ct_operand_number(l, out);
    l->has_effect |= use->is_void;
    if (!use->is_void) /* otherwise it may be an atomic whose result is not used */
        *out = ct_value_of(CT_DATA, NULL, l->position);
    out->kind = CT_DATA;
    out->type = use->type;
    if (use->is_void || use->is_auto)
        return l->status == SMP_OK;
    if (!smp_type_is_integer(out->type))
        return ct_emit_merge(l, 1);
    const smp_integer_type type = out->type->integer;
    const ct_expr_instruction cast = {
        .op = CT_CODE_CAST, .slot = type.bits, .kind = type.is_signed ? CT_I64 : CT_U64};
    out->kind = ct_integer_kind(type);
    return ct_emit(l, cast, l->position, 1);
}

static bool lower_cast(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_node *made = node->child;
    ct_type_use use;
    smp_shape shape;
    if (!lower_cast_type(l, made, &use, &shape) || !ct_lower_expression(l, made->next, out))
        return false;
    if (made->flags & CT_IS_POINTER)
        return cast_pointer(l, shape, out);
    if (!(made->flags & CT_IS_REFERENCE))
        return cast_value(l, &use, out);
    return ct_place_address(l, out) && ct_place_cast(l, out, shape) &&
           ct_place_follow(l, out, l->position);
}

bool ct_lower_parts(ct_lower *l, const ct_node *first) {
    for (const ct_node *part = first; part; part = part->next) {
        ct_operand value;
        if (part->kind == CT_N_LIST)
            ct_lower_parts(l, part->child);
        else if (ct_lower_value(l, part, &value))
            ct_emit_drop(l);
    }
    return l->status == SMP_OK;
}

/* int(x), float4{...} */
static bool lower_construct(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_node *part = node->child->next;
    ct_type_use use;
    ct_lower_type_use(l, node->child, &use);
    if (!smp_type_is_integer(use.type))
        return ct_push_unknown(l, use.type, CT_REASON_FLOAT, (ct_word){0}, out) &&
               ct_lower_parts(l, part);
    if (!part)
        ct_push_constant(l, CT_I32, NULL, 0, out);
    for (; part; part = part->next) {
        ct_lower_expression(l, part, out);
        if (part->next && ct_operand_value(l, out))
            ct_emit_drop(l);
    }
    return cast_value(l, &use, out);
}

/* ---- sizeof ---- */

/* Size of an operand in bytes; 0 if unknown. */
static uint64_t size_of(const ct_operand *operand) {
    const smp_type *type = ct_operand_type(operand);
    if (operand->form == CT_FORM_POINTER)
        return 8;
    if (operand->form == CT_FORM_OBJECT && operand->shape.type)
        return smp_shape_size(operand->shape);
    return type ? type->size : 0;
}

/* The size of an expression, which is not evaluated; 0 if unknown. */
static uint64_t measure(ct_lower *l, const ct_node *node) {
    const ct_mark before = ct_look(l);
    const bool was_unrun = l->is_unrun;
    ct_operand operand;
    l->is_unrun = true;
    ct_lower_expression(l, node, &operand);
    l->is_unrun = was_unrun;
    ct_take_back(l, &before);
    return size_of(&operand);
}

static bool lower_sizeof(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_node *of = node->child;
    uint64_t bytes = 8; /* of a pointer */
    ct_type_use use;
    smp_shape shape;
    if (of->kind != CT_N_CAST_TYPE)
        bytes = measure(l, of);
    else if (lower_cast_type(l, of, &use, &shape) && !(of->flags & CT_IS_POINTER))
        bytes = use.type ? smp_shape_size(shape) : 0;
    if (bytes == 0)
        ct_refuse(l, of->kind == CT_N_CAST_TYPE ? l->position : ct_begin(l, of),
                  "the size of this is not known");
    return ct_push_constant(l, CT_U64, NULL, (int64_t)bytes, out);
}

/* ---- Unary operators ---- */

static bool lower_sign(ct_lower *l, const ct_node *node, uint32_t code, ct_operand *out) {
    ct_lower_expression(l, node->child, out);
    if (!(code == '!' ? ct_operand_truth(l, out) : ct_operand_number(l, out)))
        return false;
    const ct_kind computed = out->kind;
    const smp_type *type = computed == CT_DATA ? out->type : NULL; /* otherwise promoted */
    *out = code == '!' ? ct_value_of(CT_I32, &ct_type_bool, out->position)
                       : ct_value_of(computed, type, out->position);
    if (code == '+')
        return true;
    if (computed == CT_DATA)
        return ct_emit_merge(l, 1);
    return ct_emit_op(l,
                      code == '-'   ? CT_CODE_NEG
                      : code == '~' ? CT_CODE_NOT
                                    : CT_CODE_LOGIC_NOT,
                      computed, 1);
}

static bool lower_unary(ct_lower *l, const ct_node *node, ct_operand *out) {
    const uint32_t code = l->tokens[node->at].code;
    if (code == '-' || code == '+' || code == '~' || code == '!')
        return lower_sign(l, node, code, out);
    ct_lower_expression(l, node->child, out);
    if (code == '&')
        return ct_place_address(l, out);
    if (code == '*')
        return ct_operand_value(l, out) && ct_place_follow(l, out, l->position);
    return ct_operand_step(l, out, code == CT_PUNCT2('+', '+'), node->kind == CT_N_STEP);
}

/* ---- Binary operators ---- */

/* The common type of both sides of ?:. */
static bool join_choice(ct_lower *l, ct_operand *a, ct_operand *b) {
    bool are_pointers = a->form == CT_FORM_POINTER && b->form == CT_FORM_POINTER;
    if (a->form == CT_FORM_POINTER || b->form == CT_FORM_POINTER) {
        if (!are_pointers || a->array != b->array)
            return ct_refuse_here(l,
                                  "a choice between pointers to different arrays is not supported");
        a->is_loose = a->is_hidden = true;
        a->symbol = NULL;
        return ct_emit_op(l, CT_CODE_PICK, CT_I64, 3);
    }
    ct_kind kind = a->kind > b->kind ? a->kind : b->kind;
    const smp_type *type = ct_operand_type(a), *other = ct_operand_type(b);
    *a = ct_value_of(kind, type == other ? type : ct_type_common(type, other), l->position);
    return ct_emit_op(l, CT_CODE_PICK, kind, 3);
}

/* c ? a : b */
static bool lower_choice(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_node *yes = node->child->next;
    ct_operand a, b;
    ct_lower_expression(l, node->child, out);
    l->choices++;
    ct_operand_truth(l, out);
    ct_emit_op(l, CT_CODE_THEN, out->kind, 1);
    ct_lower_value(l, yes, &a);
    ct_emit_op(l, CT_CODE_ELSE, CT_I32, 1);
    ct_lower_value(l, yes->next, &b);
    l->choices--;
    *out = a;
    return join_choice(l, out, &b);
}

/* && and ||. For these and the functions below, the left side is already lowered. */
static bool lower_logic(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_code_op op = ct_operator_op(&l->tokens[node->at]);
    ct_code_op begin = op == CT_CODE_AND_END ? CT_CODE_THEN : CT_CODE_OR_BEGIN;
    ct_operand right;
    l->choices++;
    ct_operand_truth(l, out);
    ct_emit_op(l, begin, out->kind, 1);
    ct_lower_expression(l, node->child->next, &right);
    ct_operand_truth(l, &right);
    l->choices--;
    *out = ct_value_of(CT_I32, &ct_type_bool, l->position);
    return ct_emit_op(l, op, CT_I32, 2);
}

/* "p == nullptr" is false for a pointer into an array. */
static bool is_null(const ct_lower *l, const ct_operand *left, const ct_operand *right) {
    const ct_operand *pointer = left->form == CT_FORM_POINTER ? left : right;
    const ct_operand *value = pointer == left ? right : left;
    const ct_expr_instruction *last = &l->code->items[l->code->count - 1];
    return value == right && value->form == CT_FORM_VALUE && pointer->array >= 0 &&
           last->op == CT_CODE_CONST && last->value == 0;
}

/* Compares or subtracts the offsets of two pointers into one array. */
static bool combine_offsets(ct_lower *l, ct_code_op op, ct_operand *out) {
    const int64_t size = out->shape.type ? (int64_t)smp_shape_size(out->shape) : 0;
    if (op != CT_CODE_SUB) {
        *out = ct_value_of(CT_I32, &ct_type_bool, l->position);
        return ct_emit_op(l, op, CT_I64, 2);
    }
    if (size == 0)
        return ct_refuse_here(l, "what this points to has an unknown size");
    *out = ct_value_of(CT_I64, NULL, l->position);
    return ct_emit_op(l, op, CT_I64, 2) && ct_emit_constant(l, size) &&
           ct_emit_op(l, CT_CODE_DIV, CT_I64, 2);
}

/* At least one side is a pointer. */
static bool combine_pointers(ct_lower *l, ct_code_op op, ct_operand *out, const ct_operand *right) {
    bool both = out->form == right->form, is_sum = op == CT_CODE_ADD || op == CT_CODE_SUB;
    bool compares = ct_op_compares(op);
    if ((op == CT_CODE_EQ || op == CT_CODE_NE) && is_null(l, out, right)) {
        return ct_emit_drop(l) && ct_emit_drop(l) &&
               ct_push_constant(l, CT_I32, &ct_type_bool, op == CT_CODE_NE, out);
    }
    if (both && out->array == right->array && out->array >= 0 && (compares || op == CT_CODE_SUB))
        return combine_offsets(l, op, out);
    if (compares || (both && op == CT_CODE_SUB)) {
        *out = compares ? ct_value_of(CT_I32, &ct_type_bool, l->position)
                        : ct_value_of(CT_I64, NULL, l->position);
        return ct_emit_drop(l) && ct_emit_drop(l) &&
               ct_emit_unknown(l, CT_REASON_ADDRESS, (ct_word){0});
    }
    bool swaps = right->form == CT_FORM_POINTER;
    if (!is_sum || both || (swaps && op == CT_CODE_SUB))
        return ct_refuse_here(l, "this operator has no meaning for pointers");
    ct_kind kind = swaps ? out->kind : right->kind;
    if (swaps) {
        *out = *right;
        ct_emit_op(l, CT_CODE_SWAP, CT_I64, 1);
    }
    out->symbol = NULL;
    return ct_place_move(l, out, kind, op == CT_CODE_SUB);
}

static bool lower_binary(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_code_op op = ct_operator_op(&l->tokens[node->at]);
    ct_operand right;
    ct_operand_value(l, out);
    ct_lower_value(l, node->child->next, &right);
    if (out->form == CT_FORM_POINTER || right.form == CT_FORM_POINTER)
        return combine_pointers(l, op, out, &right);
    bool compares = ct_op_compares(op);
    const smp_type *type = ct_operand_type(out), *other = ct_operand_type(&right);
    ct_kind left = out->kind, kind;
    bool sound = ct_operand_combine(l, op, left, right.kind, &kind);
    *out = ct_value_of(kind,
                       compares          ? &ct_type_bool
                       : kind == CT_DATA ? ct_type_common(type, other)
                                         : NULL,
                       l->position);
    return sound;
}

static bool lower_comma(ct_lower *l, const ct_node *node, ct_operand *out) {
    return ct_operand_value(l, out) && ct_emit_drop(l) &&
           ct_lower_expression(l, node->child->next, out);
}

/* "a + b + c ...": without recursion, since a sum may be very long. */
static bool lower_chain(ct_lower *l, const ct_node *node, ct_operand *out) {
    size_t count = 0;
    const ct_node *few[16], **links = few, *left = node;
    while (left->kind == CT_N_BINARY || left->kind == CT_N_LOGIC || left->kind == CT_N_COMMA) {
        left = left->child;
        count++;
    }
    if (count > CT_COUNT(few) && !(links = malloc(count * sizeof *links)))
        return ct_fail_memory(l);
    for (size_t i = count; i-- > 0; node = node->child)
        links[i] = node;
    bool sound = ct_lower_expression(l, left, out);
    for (size_t i = 0; i < count && sound; i++) {
        l->position = ct_position(l, links[i]->at);
        sound = links[i]->kind == CT_N_BINARY  ? lower_binary(l, links[i], out)
                : links[i]->kind == CT_N_LOGIC ? lower_logic(l, links[i], out)
                                               : lower_comma(l, links[i], out);
    }
    if (links != few)
        free(links);
    return sound;
}

/* ---- Operands ---- */

static bool lower_number(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_token *token = &l->tokens[node->at];
    return ct_push_constant(l, token->number_kind, token->text[0] == '\'' ? &ct_type_char : NULL,
                            (int64_t)token->value, out);
}

static bool lower_float(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_token *token = &l->tokens[node->at];
    const char last = token->text[token->length - 1];
    const smp_type *type = token->kind != CT_TOKEN_FLOAT || last == 'l' || last == 'L' ? NULL
                           : last == 'f' || last == 'F' ? &ct_type_float
                                                        : &ct_type_double;
    return ct_push_unknown(l, type, CT_REASON_FLOAT, (ct_word){0}, out);
}

/* "{...}" as an argument or "a::b<c>{...}": an unknown object. */
static bool lower_object(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_reason reason = node->kind == CT_N_LIST ? CT_REASON_LOCAL : CT_REASON_CALL;
    return ct_push_unknown(l, NULL, reason, l->tokens[node->at].word, out) &&
           ct_lower_parts(l, node->child);
}

static bool lower_paren(ct_lower *l, const ct_node *node, ct_operand *out) {
    const unsigned in_index = l->in_index;
    l->in_index = 0;
    const bool sound = ct_lower_expression(l, node->child, out);
    l->in_index = in_index;
    return sound;
}

static bool lower_index(ct_lower *l, const ct_node *node, ct_operand *out) {
    return ct_lower_expression(l, node->child, out) &&
           ct_place_index(l, out, node->child->next, false);
}

static ct_expression_fn *const lowered_by[] = {
    [CT_N_NUMBER] = lower_number, [CT_N_FLOAT] = lower_float,
    [CT_N_NAME] = ct_lower_use,   [CT_N_LIST] = lower_object,
    [CT_N_OBJECT] = lower_object, [CT_N_PAREN] = lower_paren,
    [CT_N_CAST] = lower_cast,     [CT_N_CONSTRUCT] = lower_construct,
    [CT_N_SIZEOF] = lower_sizeof, [CT_N_UNARY] = lower_unary,
    [CT_N_STEP] = lower_unary,    [CT_N_BINARY] = lower_chain,
    [CT_N_LOGIC] = lower_chain,   [CT_N_COMMA] = lower_chain,
    [CT_N_CHOICE] = lower_choice, [CT_N_ASSIGN] = ct_lower_assign,
    [CT_N_INDEX] = lower_index,   [CT_N_CALL] = ct_lower_use,
    [CT_N_MEMBER] = ct_lower_use,
};

/* On failure *out is data, so that callers may continue. */
bool ct_lower_expression(ct_lower *l, const ct_node *node, ct_operand *out) {
    *out = ct_value_of(CT_DATA, NULL, 0);
    if (l->status != SMP_OK)
        return false;
    ct_expression_fn *const lower =
        node->kind < CT_COUNT(lowered_by) ? lowered_by[node->kind] : NULL;
    const size_t outer = l->position;
    l->position = ct_position(l, node->at);
    const bool sound = lower ? lower(l, node, out) : ct_fail_fault(l, node->fault);
    l->position = outer;
    if (!sound || l->status != SMP_OK)
        *out = ct_value_of(CT_DATA, NULL, 0);
    else if (node->flags & CT_IS_UNARY) {
        out->text_start = ct_begin(l, node);
        out->text_end = ct_end(l, node);
        out->is_hidden |=
            ANY(one, l->tokens + node->first, node->end - node->first, one->is_expanded);
    }
    return l->status == SMP_OK;
}
