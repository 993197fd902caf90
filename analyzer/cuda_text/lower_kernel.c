/* SPDX-License-Identifier: MIT */
/*
 * A kernel as it stands. Pointers among its parameters are arrays in global memory, unless a
 * declaration before it says more; integers need a value from 'define' where they decide an
 * address; other parameters are data.
 */
#include "lower.h"

/* True if the kernel gives the parameter at that token another value somewhere. */
static bool is_set(const ct_lower *l, uint32_t at) {
    const ct_token *tokens = l->tokens, *name = &tokens[at];
    for (uint32_t i = at + 1; tokens[i].kind != CT_TOKEN_END; i++) {
        if (ct_token_same(&tokens[i], name) &&
            (ct_token_steps(&tokens[i - 1]) || ct_token_sets(&tokens[i + 1])))
            return true;
    }
    return false;
}

/* A variable that begins with its value, or with none that is known. */
static bool add_variable(ct_lower *l, const ct_token *name, const smp_type *type,
                         const ct_symbol *given) {
    ct_program program;
    ct_operand value = ct_value_of(CT_I64, NULL, name->position);
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_INTEGER, type);
    ct_program_begin(l, &program);
    if (!(given ? ct_emit_constant(l, given->value, name->position)
                : ct_emit_unknown(l, CT_REASON_GIVEN, name->word, name->position)) ||
        !ct_variable_add(l, &symbol, CT_MEANS_INTEGER, &value))
        return false;
    ct_program_end(l, symbol.kind, &program);
    return ct_program_add(l, &program);
}

/* A parameter whose value was said before is a constant of its own type. *has: it was. */
static bool take_given(ct_lower *l, const ct_token *name, const smp_type *type, bool *has) {
    const ct_symbol *given = ct_name_find(l, name);
    *has = given != NULL;
    return !given || given->meaning != CT_MEANS_CONSTANT ||
           ct_constant_add_as(l, name, given->value, given->kind, type);
}

/* ---- Templates ---- */

/* "int N = 4": the value that is given for it, else its own, else none. */
static bool lower_value_param(ct_lower *l, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    const ct_node *initial = node->child->next;
    ct_type_use use;
    ct_kind kind = CT_I32;
    bool knows;
    if (!ct_lower_type_use(l, node->child, &use))
        return false;
    if (node->mark == 0)
        return true;
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_GIVEN, use.type);
    if (!take_given(l, name, use.type, &knows))
        return false;
    symbol.value = initial ? ct_lower_constant(l, initial, &kind) : 0;
    if (initial && !knows)
        return ct_constant_add_as(l, name, symbol.value, kind, use.type);
    return knows || ct_symbol_add(l, &symbol, name->position) != NULL;
}

/* "typename T = float": a type that 'using' gives, else its own. */
static bool lower_type_param(ct_lower *l, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    const bool knows = ct_alias_find(l, name) || ct_type_find(l, name);
    ct_type_use use;
    if (node->child && !ct_lower_type_use(l, node->child, &use))
        return false;
    if (knows)
        return true;
    if (node->child)
        return ct_alias_add(l, name, &use);
    return ct_refuse(l, name->position, "which type '%.*s' is, is not given: define %.*s = float",
                     CT_TOKEN_TEXT(*name), CT_TOKEN_TEXT(*name));
}

/* ---- Parameters ---- */

/* A pointer is an array in global memory, of unknown size if nothing before says more. */
static bool lower_pointer(ct_lower *l, const ct_node *node, const ct_type_use *use) {
    const ct_token *name = &l->tokens[node->at];
    const ct_node *dim = node->child->next;
    smp_layout *kernel = &l->layout->kernel;
    smp_array form = {.space = SMP_SPACE_GLOBAL, .align = 1, .type = use->type};
    form.line = ct_line(l, name->position, NULL);
    int array = smp_array_find(kernel, name->text, name->length);
    if (array >= 0 && dim)
        return ct_refuse(l, ct_position(l, dim->first - 1), "expected ')' instead of '['");
    if (array < 0 && !use->type)
        return ct_refuse(l, name->position, "what '%.*s' points to has no known size",
                         CT_TOKEN_TEXT(*name));
    if (array < 0) {
        ct_node declared = *node;
        declared.child = node->child->next;
        form.align = use->type->align;
        array = (int)kernel->array_count;
        if (!ct_array_declare(l, &form, &declared, true))
            return false;
    }
    return kernel->arrays[array].table.dim_count > 1 || ct_pointer_declare(l, name, array);
}

static bool lower_value(ct_lower *l, const ct_node *node, const ct_type_use *use) {
    const ct_token *name = &l->tokens[node->at];
    const bool is_integer = smp_type_is_integer(use->type);
    const ct_meaning meaning = is_integer ? CT_MEANS_GIVEN : CT_MEANS_LOCAL;
    ct_symbol symbol = ct_symbol_of(name, meaning, use->type);
    bool knows;
    const ct_symbol *given = ct_name_find(l, name);
    if (is_integer && (!given || given->meaning == CT_MEANS_CONSTANT) && is_set(l, node->at))
        return add_variable(l, name, use->type, given);
    return take_given(l, name, use->type, &knows) &&
           (knows || ct_symbol_add(l, &symbol, name->position) != NULL);
}

static bool lower_parameter(ct_lower *l, const ct_node *node) {
    ct_type_use use;
    l->last_end = ct_end(l, node);
    if (!ct_lower_type_use(l, node->child, &use))
        return false;
    const bool is_array = node->child->next != NULL;
    return node->flags & CT_IS_POINTER || is_array ? lower_pointer(l, node, &use)
                                                   : lower_value(l, node, &use);
}

/* ---- The kernel ---- */

static bool lower_parts(ct_lower *l, const ct_node *node, const ct_node **body) {
    const ct_draft *layout = l->layout;
    bool sound = true, has_head = false;
    *body = NULL;
    for (const ct_node *part = node->child; part && sound; part = part->next) {
        const bool is_template = part->kind == CT_N_TYPE_PARAM || part->kind == CT_N_VALUE_PARAM;
        if (!is_template && !has_head && layout->kernel.has_kernel)
            break;
        has_head |= !is_template;
        if (part->kind == CT_N_TYPE_PARAM)
            sound = lower_type_param(l, part);
        else if (part->kind == CT_N_VALUE_PARAM)
            sound = lower_value_param(l, part);
        else if (part->kind == CT_N_PARAM)
            sound = lower_parameter(l, part);
        else
            *body = part;
    }
    if (sound && layout->kernel.has_kernel)
        return ct_refuse(
            l, ct_position(l, node->mark),
            "a second kernel: say which by its name, or by a line 'kernel NAME' in front");
    return sound;
}

bool ct_lower_kernel(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    const size_t mark = ct_scope_begin(layout), names = layout->scope.count;
    const ct_node *body;
    if (!lower_parts(l, node, &body))
        return false;
    if (!body) {
        ct_scope_end(layout, mark);
        return l->status == SMP_OK;
    }
    layout->kernel.has_kernel = true;
    layout->kernel_names = names;
    bool sound = ct_lower_statement(l, body);
    ct_scope_end(layout, mark);
    return sound;
}
