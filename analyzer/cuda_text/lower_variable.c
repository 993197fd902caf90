/* SPDX-License-Identifier: MIT */
/*
 * Variables of a thread: "const int i = threadIdx.x, *p = &s[i];", "float acc[8];", "auto &row =
 * tile[i];", "let k = 2 * i". Integers and pointers into arrays are followed; what else a thread
 * has of its own, its arrays among it, is in registers, is never accessed, and decides nothing.
 */
#include "lower.h"

/* A declarator, and its value: the program. */
typedef struct declarator {
    const ct_node *node, *initial; /* initial: NULL, there is none */
    const ct_token *name;
    ct_type_use use;
    bool is_pointer, is_reference;
    smp_shape shape;
} declarator;

/* "int o[] = {1, 2, 3};" */
static void count_elements(const declarator *d, smp_shape *shape) {
    if (!d->initial || !(d->initial->flags & CT_IS_BRACED))
        return; /* a parameter's, or a text */
    const ct_node *first = d->initial->child;
    const bool is_nested = first && first->kind == CT_N_LIST;
    uint32_t row = 1, count = 0;
    for (uint32_t i = 1; i < shape->dim_count && !is_nested; i++)
        row *= shape->dims[i];
    for (; first; first = first->next)
        count++;
    shape->dims[0] = (count + row - 1) / row;
}

static bool lower_declarator(ct_lower *l, const ct_node *node, const ct_type_use *use,
                             declarator *out) {
    const ct_node *dim = node->child;
    *out = (declarator){.node = node,
                        .initial = ct_behind_kind(dim, CT_N_DIM),
                        .name = &l->tokens[node->at],
                        .use = *use,
                        .is_pointer = node->flags & CT_IS_POINTER,
                        .is_reference = node->flags & CT_IS_REFERENCE,
                        .shape = {.type = use->type}};
    ct_new_name(l, out->name);
    ct_lower_dims(l, dim, INT64_C(1) << 24, &out->shape);
    if (dim && dim->kind == CT_N_DIM && !dim->child)
        count_elements(out, &out->shape);
    return l->status == SMP_OK;
}

/* ---- Values ---- */

/* "(x)" and "{x}" of what takes one value. */
static bool lower_one(ct_lower *l, const declarator *d, bool takes_many, ct_operand *out) {
    const ct_node *part = d->initial->child;
    const size_t position = ct_begin(l, d->initial);
    const bool is_braced = d->initial->flags & CT_IS_BRACED;
    if (!part && is_braced && smp_type_is_integer(d->use.type)) {
        *out = ct_value_of(CT_I32, NULL, position);
        return ct_emit_constant(l, 0, position);
    }
    if (!part || part->kind == CT_N_LIST)
        return ct_refuse(l, ct_position(l, part ? part->first : d->initial->end - 1),
                         "expected a value before '%c'",
                         part        ? '{'
                         : is_braced ? '}'
                                     : ')');
    for (; part; part = part->next) {
        ct_lower_expression(l, part, out);
        if (part->next && !takes_many)
            return ct_refuse(l, ct_position(l, part->end), "expected '%c' instead of ','",
                             is_braced ? '}' : ')');
        if (part->next && (!ct_operand_value(l, out) || !ct_emit_drop(l, position)))
            return false;
    }
    return l->status == SMP_OK;
}

/* What follows the name: a value, or none. */
static bool lower_initial(ct_lower *l, const declarator *d, ct_operand *out) {
    const ct_node *initial = d->initial;
    const size_t position = ct_position(l, initial ? initial->first : d->node->end);
    *out = ct_value_of(CT_DATA, NULL, position);
    if (!initial)
        return ct_emit_unknown(l, CT_REASON_UNSET, d->name->word, d->name->position);
    const bool is_braced = initial->flags & CT_IS_BRACED, is_call = initial->flags & CT_IS_CALL;
    const bool is_scalar =
        (smp_type_is_integer(d->use.type) || d->use.is_auto) && d->shape.dim_count == 0;
    if (is_braced && !is_scalar)
        return ct_lower_parts(l, initial->child, position) &&
               ct_emit_unknown(l, CT_REASON_LOCAL, d->name->word, position);
    if (is_braced || is_call)
        return lower_one(l, d, is_call && !is_scalar, out);
    return ct_lower_expression(l, initial->child, out);
}

bool ct_variable_add(ct_lower *l, ct_symbol *symbol, ct_meaning meaning, ct_operand *value) {
    symbol->meaning = meaning == CT_MEANS_REFERENCE ? CT_MEANS_POINTER : meaning;
    ct_slot_new(l, value->position, &symbol->slot);
    ct_operand_set(l, symbol, value, value->position);
    symbol->meaning = meaning;
    return ct_symbol_add(l, symbol, value->position) != NULL;
}

bool ct_reference_add(ct_lower *l, ct_symbol *symbol, ct_operand *value, size_t position) {
    if (value->form == CT_FORM_SLOT) {
        ct_symbol same = *value->symbol;
        same.name = symbol->name;
        return ct_symbol_add(l, &same, value->position) != NULL;
    }
    if (!ct_place_address(l, value, position))
        return false;
    symbol->shape = value->shape;
    symbol->array = value->array;
    symbol->meaning = CT_MEANS_LOCAL;
    if (value->array == CT_ARRAY_LOCAL)
        return ct_symbol_add(l, symbol, value->position) != NULL;
    return ct_variable_add(l, symbol, CT_MEANS_REFERENCE, value);
}

static bool declare_integer(ct_lower *l, ct_symbol *symbol, const smp_type *type, ct_operand *value,
                            bool has, ct_program *program) {
    const ct_expr_code *code = l->code;
    bool is_constant = symbol->is_const && has && program->start + 1 == code->count &&
                       code->items[program->start].op == CT_CODE_CONST && value->kind != CT_DATA;
    symbol->kind = ct_type_kind(type);
    symbol->shape = (smp_shape){.type = type};
    if (!is_constant)
        return ct_variable_add(l, symbol, CT_MEANS_INTEGER, value) &&
               ct_program_put(l, symbol->kind, program);
    symbol->meaning = CT_MEANS_CONSTANT;
    symbol->value = ct_integer_cast(code->items[--l->code->count].value, type->integer.bits,
                                    type->integer.is_signed);
    return ct_symbol_add(l, symbol, value->position) != NULL;
}

static bool declare_pointer(ct_lower *l, ct_symbol *symbol, ct_operand *value,
                            ct_program *program) {
    return ct_operand_value(l, value) && ct_variable_add(l, symbol, CT_MEANS_POINTER, value) &&
           ct_program_put(l, CT_I64, program);
}

bool ct_pointer_declare(ct_lower *l, const ct_token *name, int array) {
    ct_symbol symbol = {.name = name->word, .array = CT_ARRAY_NONE};
    ct_program program;
    ct_operand start;
    ct_program_begin(l, &program);
    return ct_place_array(l, array, name, &start) && declare_pointer(l, &symbol, &start, &program);
}

static bool declare_reference(ct_lower *l, size_t named, ct_symbol *symbol, ct_operand *value,
                              ct_program *program) {
    if (value->form != CT_FORM_SLOT && value->form != CT_FORM_OBJECT)
        return ct_refuse(l, value->position, "a reference needs a variable or an element");
    const bool has_code = value->form == CT_FORM_OBJECT && value->array != CT_ARRAY_LOCAL;
    return ct_reference_add(l, symbol, value, named) &&
           (!has_code || ct_program_put(l, CT_I64, program));
}

/* An object of the thread's own: only what its value reads counts. */
static bool declare_local(ct_lower *l, ct_symbol *symbol, ct_operand *value, ct_program *program) {
    symbol->meaning = CT_MEANS_LOCAL;
    return ct_operand_value(l, value) && ct_symbol_add(l, symbol, value->position) &&
           ct_program_put(l, CT_DATA, program);
}

static bool declare_auto(ct_lower *l, ct_symbol *symbol, ct_operand *value, bool has,
                         ct_program *program) {
    if (!has)
        return ct_refuse(l, value->position, "auto needs a value");
    ct_operand_value(l, value);
    if (value->form == CT_FORM_POINTER)
        return declare_pointer(l, symbol, value, program);
    symbol->shape.type = ct_operand_type(value);
    if (value->kind == CT_DATA)
        return declare_local(l, symbol, value, program);
    return declare_integer(l, symbol, symbol->shape.type, value, has, program);
}

/* ---- Declarators ---- */

static bool declare_as(ct_lower *l, const declarator *d, ct_symbol *symbol) {
    ct_operand value;
    ct_program program;
    const bool has = d->initial != NULL;
    ct_program_begin(l, &program);
    if (!lower_initial(l, d, &value))
        return false;
    if (d->is_reference)
        return declare_reference(l, d->name->position, symbol, &value, &program);
    if (d->is_pointer)
        return declare_pointer(l, symbol, &value, &program);
    if (d->use.is_auto)
        return declare_auto(l, symbol, &value, has, &program);
    if (d->use.is_void)
        return ct_refuse(l, d->name->position, "a variable can't be void");
    if (!smp_type_is_integer(d->use.type) || d->shape.dim_count > 0)
        return declare_local(l, symbol, &value, &program);
    return ct_operand_value(l, &value) &&
           declare_integer(l, symbol, d->use.type, &value, has, &program);
}

static bool declare(ct_lower *l, const ct_node *node, const ct_type_use *use) {
    declarator d;
    if (!lower_declarator(l, node, use, &d))
        return false;
    l->last_end = ct_end(l, node);
    ct_symbol symbol = {.name = d.name->word,
                        .shape = d.shape,
                        .array = CT_ARRAY_NONE,
                        .is_const = node->flags & CT_IS_CONST || (use->is_const && !d.is_pointer)};
    const ct_node *value = use->is_auto && d.initial ? d.initial->child : NULL;
    if (value && ct_group_is_value(l, value))
        return ct_group_declare(l, value, d.name);
    return declare_as(l, &d, &symbol);
}

bool ct_lower_variables(ct_lower *l, const ct_node *node) {
    ct_type_use use;
    uint32_t ignored = 1;
    const ct_node *part = node->child;
    for (; part->kind == CT_N_ALIGN; part = part->next) {
        ct_lower_align(l, part, &ignored);
    }
    if (!ct_lower_type_use(l, part, &use))
        return false;
    for (part = part->next; part; part = part->next) {
        const bool sound = part->kind == CT_N_FAULT   ? ct_fail_fault(l, part)
                           : part->kind == CT_N_ALIGN ? ct_lower_align(l, part, &ignored)
                                                      : declare(l, part, &use);
        if (!sound)
            return false;
    }
    return l->status == SMP_OK;
}
