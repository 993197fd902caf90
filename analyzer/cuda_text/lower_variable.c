/* SPDX-License-Identifier: MIT */
/*
 * Variables of a thread: "const int i = threadIdx.x, *p = &s[i];", "float acc[8];", "auto &row =
 * tile[i];", "let k = 2 * i". Integers and pointers into arrays are tracked. Everything else,
 * including local arrays, is in registers: no accesses, unknown values.
 */
#include "lower.h"

/* ---- Values ---- */

/* "(x)" and "{x}" of a single value. */
static bool lower_one(ct_lower *l, const ct_declared *d, const ct_node *initial, ct_operand *out) {
    const ct_node *part = initial->child;
    const bool is_braced = initial->flags & CT_IS_BRACED;
    if (!part && is_braced && smp_type_is_integer(d->use.type)) {
        *out = ct_value_of(CT_I32, NULL, ct_begin(l, initial));
        return ct_emit_constant(l, 0, out->position);
    }
    if (!part || part->kind == CT_N_LIST)
        return ct_refuse(l, ct_position(l, part ? part->first : initial->end - 1),
                         "expected a value before '%c'",
                         part        ? '{'
                         : is_braced ? '}'
                                     : ')');
    if (part->next)
        return ct_lower_expression(l, part, out) &&
               ct_refuse(l, ct_position(l, part->end), "expected '%c' instead of ','",
                         is_braced ? '}' : ')');
    return ct_lower_expression(l, part, out);
}

/* The initial value, if any. */
static bool lower_initial(ct_lower *l, const ct_declared *d, const ct_node *initial,
                          ct_operand *out) {
    const size_t position = initial ? ct_begin(l, initial) : d->position;
    const unsigned form = initial ? initial->flags & (CT_IS_BRACED | CT_IS_CALL) : 0;
    const bool is_object = !d->is_pointer && !d->is_reference && !d->use.is_auto &&
                           (!smp_type_is_integer(d->use.type) || d->shape.dim_count > 0);
    *out = ct_value_of(CT_DATA, NULL, position);
    if (!initial)
        return ct_emit_unknown(l, CT_REASON_UNSET, d->name, position);
    if (form == 0)
        return ct_lower_expression(l, initial->child, out);
    if (!is_object)
        return lower_one(l, d, initial, out);
    return ct_lower_parts(l, initial->child, position) &&
           ct_emit_unknown(l, CT_REASON_LOCAL, d->name, position);
}

/* ---- Variables ---- */

bool ct_variable_add(ct_lower *l, ct_symbol *symbol, ct_meaning meaning, ct_operand *value) {
    symbol->meaning = meaning == CT_MEANS_REFERENCE ? CT_MEANS_POINTER : meaning;
    ct_slot_new(l, value->position, &symbol->slot);
    ct_operand_set(l, symbol, value, value->position);
    symbol->meaning = meaning;
    return ct_symbol_add(l, symbol, value->position);
}

/* Adds another name for the variable or object on top of the stack. */
static bool add_reference(ct_lower *l, ct_symbol *symbol, ct_operand *value, size_t position) {
    if (value->form == CT_FORM_SLOT) {
        ct_symbol same = *value->symbol;
        same.name = symbol->name;
        return ct_symbol_add(l, &same, value->position);
    }
    if (!ct_place_address(l, value, position))
        return false;
    symbol->shape = value->shape;
    symbol->array = value->array;
    if (value->array == CT_ARRAY_LOCAL)
        return ct_symbol_add(l, symbol, value->position);
    return ct_variable_add(l, symbol, CT_MEANS_REFERENCE, value);
}

bool ct_declare(ct_lower *l, const ct_declared *d, ct_operand *value) {
    const bool is_place = value->form == CT_FORM_SLOT || value->form == CT_FORM_OBJECT;
    ct_symbol symbol = {.name = d->name,
                        .meaning = CT_MEANS_LOCAL,
                        .array = CT_ARRAY_NONE,
                        .shape = d->shape,
                        .is_const = d->is_const};
    if (d->is_reference && is_place)
        return add_reference(l, &symbol, value, d->position);
    if (!ct_operand_value(l, value))
        return false;
    if (d->is_pointer || (d->use.is_auto && value->form == CT_FORM_POINTER))
        return ct_variable_add(l, &symbol, CT_MEANS_POINTER, value);
    if (d->use.is_auto)
        symbol.shape.type = ct_operand_type(value);
    if (!smp_type_is_integer(symbol.shape.type) || symbol.shape.dim_count > 0)
        return ct_symbol_add(l, &symbol, value->position);
    symbol.kind = ct_type_kind(symbol.shape.type);
    return ct_variable_add(l, &symbol, CT_MEANS_INTEGER, value);
}

bool ct_pointer_declare(ct_lower *l, const ct_token *name, int array) {
    const ct_declared declared = {.name = name->word, .is_pointer = true};
    ct_program program;
    ct_operand start;
    ct_program_begin(l, &program);
    return ct_place_array(l, array, name, &start) && ct_declare(l, &declared, &start) &&
           ct_program_put(l, CT_I32, &program);
}

/* ---- Declarators ---- */

/* "const int n = 3;": keeps the program's value instead of its code. */
static bool take_constant(ct_lower *l, const ct_declared *d, const ct_token *name,
                          const ct_program *program, const ct_operand *value) {
    const ct_expr_code *code = l->code;
    const smp_type *type = d->use.is_auto ? ct_operand_type(value) : d->use.type;
    const bool is_plain = !d->is_pointer && !d->is_reference && d->shape.dim_count == 0;
    if (!d->is_const || !is_plain || !smp_type_is_integer(type) || value->kind == CT_DATA ||
        value->form == CT_FORM_POINTER || program->start + 1 != code->count ||
        code->items[program->start].op != CT_CODE_CONST)
        return false;
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

static bool declare(ct_lower *l, const ct_node *node, const ct_type_use *use) {
    const ct_token *name = &l->tokens[node->at];
    const ct_node *dim = node->child, *initial = ct_behind_kind(dim, CT_N_DIM);
    ct_declared d = {.name = name->word,
                     .position = name->position,
                     .use = *use,
                     .is_pointer = node->flags & CT_IS_POINTER,
                     .is_reference = node->flags & CT_IS_REFERENCE,
                     .shape = {.type = use->type}};
    ct_operand value;
    ct_program program;
    d.is_const = node->flags & CT_IS_CONST || (use->is_const && !d.is_pointer);
    ct_new_name(l, name);
    ct_lower_dims(l, dim, INT64_C(1) << 24, &d.shape);
    if (dim && dim->kind == CT_N_DIM && !dim->child)
        d.shape.dims[0] = 0; /* "int o[] = {1, 2}": size unknown */
    l->last_end = ct_end(l, node);
    const ct_node *group = use->is_auto && initial ? initial->child : NULL;
    if (group && ct_group_is_value(l, group))
        return ct_group_declare(l, group, name);
    ct_program_begin(l, &program);
    if (!lower_initial(l, &d, initial, &value) || !check(l, &d, initial, &value))
        return false;
    return take_constant(l, &d, name, &program, &value) ||
           (ct_declare(l, &d, &value) && ct_program_put(l, CT_DATA, &program));
}

bool ct_lower_variables(ct_lower *l, const ct_node *node) {
    ct_type_use use;
    uint32_t ignored = 1;
    const ct_node *part = node->child;
    for (; part->kind == CT_N_ALIGN; part = part->next)
        ct_lower_align(l, part, &ignored);
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
