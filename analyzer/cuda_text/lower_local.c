/* SPDX-License-Identifier: MIT */
/*
 * Arrays of a thread's own whose elements decide addresses: "int o[2][4] = {{0, 8}};". Each element
 * is in a slot.
 */
#include "lower.h"

/* ---- Mentions ---- */

/* A pointer to such an array, or a reference, could change what its name does not show: each
 * mention must be an element that is read or set. */

enum { ELEMENTS_MAX = 64, ARRAY_SLOTS_MAX = CT_SLOTS_MAX / 2 };

static bool is_operand_end(const ct_token *token) {
    return token->kind == CT_TOKEN_NAME || token->kind == CT_TOKEN_NUMBER ||
           ct_token_is_one_of(token, ")]");
}

/* The function whose argument begins or ends at `at`, or NULL: what is there is none. */
static const ct_token *callee_of(const ct_token *tokens, uint32_t at) {
    unsigned depth = 1;
    while (at > 0 && depth > 0) {
        at--;
        depth += ct_token_is_punct(&tokens[at], ')');
        depth -= ct_token_is_punct(&tokens[at], '(');
        if (ct_token_is_one_of(&tokens[at], ";{"))
            return NULL;
    }
    return at > 0 && tokens[at - 1].kind == CT_TOKEN_NAME ? &tokens[at - 1] : NULL;
}

/* "f = [" somewhere: its parameters are not looked at. */
static bool is_lambda(const ct_token *tokens, const ct_token *name) {
    for (; tokens->kind != CT_TOKEN_END; tokens++) {
        if (ct_token_same(tokens, name) && ct_token_is_punct(tokens + 1, '=') &&
            ct_token_is_punct(tokens + 2, '['))
            return true;
    }
    return false;
}

/* "f(o[1])", `next` being behind it, may take it by reference. */
static bool may_refer(const ct_lower *l, uint32_t at, const ct_token *next) {
    const ct_token *tokens = l->tokens, *before = &tokens[at - 1];
    const bool is_argument = ct_token_is_one_of(before, "(,") && ct_token_is_one_of(next, "),");
    const ct_token *callee = is_argument ? callee_of(tokens, at) : NULL;
    return callee && (ct_function_takes_reference(l->unit, callee) || is_lambda(tokens, callee));
}

/* What the mention at `at`, of an array of so many dimensions, does. */
typedef enum ct_mention { READS_ELEMENT, SETS_ELEMENT, SHOWS_MORE } ct_mention;

static ct_mention read_mention(const ct_lower *l, uint32_t at, unsigned dims) {
    const ct_token *tokens = l->tokens;
    uint32_t behind = at + 1;
    unsigned indices = 0;
    for (; ct_token_is_punct(&tokens[behind], '['); indices++)
        behind = ct_behind_bracket(tokens, behind, '[', ']');
    const ct_token *before = &tokens[at - 1], *next = &tokens[behind];
    const uint32_t first = at - 1 - ct_token_is_punct(before, '(');
    if (ct_token_is(&tokens[first], "sizeof")) /* nothing is read, but its size */
        return READS_ELEMENT;
    const bool is_address = ct_token_is_punct(before, '&') && !is_operand_end(&tokens[at - 2]);
    const bool is_member = ct_token_is_punct(before, '.') ||
                           ct_token_is_punct(before, CT_PUNCT2('-', '>')) ||
                           ct_token_is_punct(before, CT_PUNCT2(':', ':'));
    const bool is_reference =
        ct_token_is_one_of(before, "={") && ct_token_is_punct(&tokens[at - 3], '&');
    if (indices != dims || is_address || is_member || is_reference ||
        ct_token_is_punct(next, '.') || may_refer(l, at, next))
        return SHOWS_MORE;
    return ct_token_steps(before) || ct_token_sets(next) ? SETS_ELEMENT : READS_ELEMENT;
}

bool ct_local_array_changes(const ct_lower *l, const ct_symbol *array, uint32_t at) {
    return read_mention(l, at, array->shape.dim_count) != READS_ELEMENT;
}

/* True if the host may set what is declared before `at`. */
static bool is_of_the_host(const ct_token *tokens, uint32_t at) {
    while (at > 0 && !ct_token_is_one_of(&tokens[at - 1], ";}{"))
        if (ct_token_is(&tokens[--at], "__constant__"))
            return true;
    return false;
}

/* True if each mention up to the end of the block is an element. */
static bool shows_elements(const ct_lower *l, const ct_token *name, uint32_t at, unsigned dims) {
    const ct_token *tokens = l->tokens;
    unsigned depth = 1;
    for (; tokens[at].kind != CT_TOKEN_END && depth > 0; at++) {
        depth += ct_token_is_punct(&tokens[at], '{');
        depth -= ct_token_is_punct(&tokens[at], '}');
        if (ct_token_same(&tokens[at], name) && read_mention(l, at, dims) == SHOWS_MORE)
            return false;
    }
    return true;
}

bool ct_local_array_is_followed(const ct_lower *l, const ct_node *d, smp_shape shape) {
    const ct_node *initial = ct_behind_kind(d->child, CT_N_DIM);
    const bool has_list = initial && initial->kind == CT_N_INIT && initial->flags & CT_IS_BRACED;
    const uint32_t behind = initial ? initial->first : d->end;
    const ct_token *next = &l->tokens[behind];
    const bool has_none = !initial && ct_token_is_one_of(next, ";,");
    uint64_t count = 1;
    for (uint32_t i = 0; i < shape.dim_count; i++)
        count *= shape.dims[i];
    const bool fits =
        count <= ELEMENTS_MAX && l->layout->kernel.slot_count + count <= ARRAY_SLOTS_MAX;
    return (has_list || (has_none && !is_of_the_host(l->tokens, behind))) && shape.dim_count > 0 &&
           smp_type_is_integer(shape.type) && fits &&
           shows_elements(l, &l->tokens[d->at], behind, shape.dim_count);
}

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
    ct_lower_number(l, node, &value);
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
            set_element(l, list, node);
            continue;
        }
        if (d + 1 >= shape->dim_count || (begin - first) % row != 0)
            return ct_refuse(l, position, "expected a value instead of this list");
        set_elements(l, list, node, d + 1);
        if (list->at > begin + row)
            return ct_refuse(l, behind, "more values than elements");
        while (list->at < begin + row) { /* the rest of the row is 0 */
            ct_emit_constant(l, 0, behind);
            set_next(l, list, behind);
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
        ct_slot_new(l, position, i == 0 ? &symbol->slot : &slot);
    }
    ct_program_begin(l, &program);
    if (initial && !set_elements(l, &list, initial, 0))
        return false;
    while (list.at < list.count) { /* 0 behind a list, else nothing that is known */
        if (!(initial ? ct_emit_constant(l, 0, position)
                      : ct_emit_unknown(l, CT_REASON_UNSET, symbol->name, position)) ||
            !set_next(l, &list, position))
            return false;
    }
    ct_emit_constant(l, 0, position);
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
    p->shape = ct_shape_element(p->shape);
    for (uint32_t d = 0; d < p->shape.dim_count; d++)
        index.value *= p->shape.dims[d];
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
    const smp_type *type = element->symbol->shape.type;
    ct_operand old = *element;
    uint16_t slot = 0;
    if (is_after) {
        ct_emit_keep(l, &slot, position);
        ct_local_array_read(l, &old, position);
    }
    ct_emit_constant(l, 1, position);
    if (is_after)
        ct_emit_slot(l, slot, position);
    else
        ct_emit_op(l, CT_CODE_SWAP, CT_I64, position, 1);
    ct_local_array_change(l, element, is_up ? CT_CODE_ADD : CT_CODE_SUB, CT_I32, position);
    if (is_after)
        ct_emit_drop(l, position);
    *element = ct_value_of(ct_type_kind(type), type, element->position);
    return l->status == SMP_OK;
}
