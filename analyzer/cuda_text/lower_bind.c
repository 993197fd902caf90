/* SPDX-License-Identifier: MIT */
/*
 * Binds template parameters and arguments of a call: parameters become variables with the
 * arguments' values, or other names for them.
 *
 * Kernels: a pointer parameter is an array in global memory, unless declared before. An integer
 * parameter that decides an address needs a value from 'define'. Other parameters are data.
 */
#include "lower.h"

/* ---- Templates ---- */

/* A type or a constant. */
static ct_symbol lower_given(ct_lower *l, const ct_node *node) {
    ct_symbol given = {.meaning = CT_MEANS_CONSTANT};
    ct_type_use use;
    if (node->kind != CT_N_TYPE)
        given.value = ct_lower_constant(l, node, &given.kind);
    else if (ct_lower_type_use(l, node, &use))
        given = ct_type_symbol(given.name, &use);
    return given;
}

bool ct_lower_given(ct_lower *l, ct_callee *callee) {
    const ct_node *given = ct_call_given(callee->call);
    for (const ct_node *node = given ? given->child : NULL; node; node = node->next) {
        if (!ct_has_room(l, ct_begin(l, node), callee->given_count, CT_ARGUMENTS_MAX, "arguments"))
            return false;
        callee->given[callee->given_count++] = lower_given(l, node);
    }
    return l->status == SMP_OK;
}

/* Binds a template parameter to what is given, or else to its default. False if there is neither,
 * or on failure. */
static bool bind_template(ct_lower *l, const ct_node *param, const ct_symbol *given) {
    const ct_token *name = &l->tokens[param->at];
    const bool is_type = param->kind == CT_N_TYPE_PARAM;
    const ct_node *initial = is_type ? param->child : param->child->next;
    ct_symbol own = {0};
    ct_type_use use = {0};
    if (!is_type)
        ct_lower_type_use(l, param->child, &use);
    if (given || initial)
        own = given ? *given : lower_given(l, initial);
    if (l->status != SMP_OK || (!given && !initial))
        return false;
    if ((own.meaning == CT_MEANS_TYPE) != is_type)
        return ct_refuse_name(l, name, "'%.*s' has a template argument of the wrong kind");
    own.name = name->word;
    return is_type ? !!ct_symbol_add(l, &own, name->position)
                   : ct_constant_add(l, name, own.value, own.kind, use.type);
}

/* ---- Parameters ---- */

static ct_node *first_dim(const ct_node *parameter) {
    ct_node *next = parameter->child->next;
    return next && next->kind == CT_N_DIM ? next : NULL;
}

/* The type T deduced from an argument, or NULL. */
static const smp_type *deduced_type(const ct_node *node, const ct_operand *argument) {
    const smp_shape shape = argument->shape;
    if (argument->form != CT_FORM_OBJECT && argument->form != CT_FORM_POINTER)
        return ct_operand_type(argument);
    const bool is_pointer = (node->flags & CT_IS_POINTER) || first_dim(node);
    const bool is_object = (node->flags & CT_IS_REFERENCE) && argument->form == CT_FORM_OBJECT;
    return node->flags & CT_IS_NESTED || (shape.dim_count == 0 && (is_pointer || is_object))
               ? shape.type
               : NULL;
}

/* The declared type, or the one deduced for a template parameter. */
static bool lower_type(ct_lower *l, const ct_function *f, const ct_node *node,
                       const ct_operand *argument, ct_type_use *out) {
    const ct_node *type = node->child;
    const ct_token *name = &l->tokens[type->at];
    if (!ct_function_names(l->unit, f, name) || ct_scope_has(&l->layout->scope, name->word))
        return ct_lower_type_use(l, type, out);
    *out = (ct_type_use){.type = argument ? deduced_type(node, argument) : NULL};
    return ct_type_bind(l, name, out);
}

/* "[32]", "[]", or "[N]" with N deduced from the argument. */
static bool lower_dims(ct_lower *l, const ct_function *f, const ct_node *node,
                       const ct_operand *argument, smp_shape *out) {
    unsigned at = 0, count = argument ? argument->shape.dim_count : 0;
    const ct_node *dim = first_dim(node);
    for (const ct_node *part = dim; part && part->kind == CT_N_DIM && at < count;
         part = part->next, at++) {
        const ct_token *name = &l->tokens[part->first];
        if (!ct_scope_has(&l->layout->scope, name->word) && ct_function_names(l->unit, f, name) &&
            !ct_constant_add(l, name, argument->shape.dims[at], CT_I32, NULL))
            return false;
    }
    if (dim && !(node->flags & CT_IS_NESTED))
        dim = dim->next; /* of a pointer */
    return ct_lower_dims(l, dim, 1 << 24, out);
}

/* `argument` may be NULL. */
static bool lower_parameter(ct_lower *l, const ct_function *f, const ct_node *node,
                            const ct_operand *argument, ct_declared *out) {
    const ct_token *name = &l->tokens[node->at];
    *out = (ct_declared){.name = {name->text, name->kind == CT_TOKEN_NAME ? name->length : 0},
                         .is_pointer = node->flags & CT_IS_POINTER,
                         .is_reference = node->flags & CT_IS_REFERENCE};
    if (!lower_type(l, f, node, argument, &out->use))
        return false;
    out->shape.type = out->use.type;
    /* T or auto may be a pointer. */
    if (argument && argument->form == CT_FORM_POINTER && !out->use.type && !out->use.is_void) {
        if (out->is_reference && !argument->symbol && !out->use.is_const)
            return ct_refuse(l, argument->position, "a reference needs a variable or an element");
        out->is_pointer = true;
        out->is_reference &= !!argument->symbol;
    }
    lower_dims(l, f, node, argument, &out->shape);
    out->is_pointer |= first_dim(node) && !(node->flags & CT_IS_NESTED);
    return l->status == SMP_OK;
}

/* ---- Arguments ---- */

bool ct_lower_arguments(ct_lower *l, ct_callee *callee) {
    const ct_node *param = callee->function->parameters->child;
    for (const ct_node *arg = callee->call->child->next; arg; arg = arg->next) {
        if (!ct_has_room(l, ct_begin(l, arg), callee->argument_count, CT_ARGUMENTS_MAX,
                         "arguments"))
            return false;
        ct_operand *argument = &callee->arguments[callee->argument_count++];
        ct_lower_expression(l, arg, argument);
        if (!param || !(param->flags & CT_IS_REFERENCE))
            ct_operand_value(l, argument);
        param = param ? param->next : NULL;
    }
    return l->status == SMP_OK;
}

/* Pops the argument on top of the stack into a parameter. */
static bool bind(ct_lower *l, ct_declared *parameter, ct_operand *argument) {
    l->position = parameter->position = argument->position;
    return ct_declare(l, parameter, argument) && ct_emit_drop(l);
}

/* Binds the default of a parameter without argument. */
static bool bind_default(ct_lower *l, const ct_node *node, ct_declared *parameter) {
    const ct_node *initial = node->last;
    ct_operand value;
    if (initial->kind != CT_N_INIT)
        return ct_refuse(l, ct_position(l, node->at), "no argument is given here");
    return ct_lower_value(l, initial->child, &value) && bind(l, parameter, &value);
}

bool ct_bind_all(ct_lower *l, ct_callee *callee) {
    const ct_function *function = callee->function;
    const unsigned count = callee->argument_count;
    ct_declared parameters[CT_ARGUMENTS_MAX];
    const ct_node *nodes[CT_ARGUMENTS_MAX];
    unsigned declared = 0, given = 0;
    for (const ct_node *param = function->given->child; param && l->status == SMP_OK; given++) {
        bind_template(l, param, given < callee->given_count ? &callee->given[given] : NULL);
        param = param->next;
    }
    for (const ct_node *node = function->parameters->child; node; node = node->next) {
        if (!ct_has_room(l, ct_begin(l, node), declared, CT_ARGUMENTS_MAX, "parameters"))
            return false;
        nodes[declared] = node;
        lower_parameter(l, function, node, declared < count ? &callee->arguments[declared] : NULL,
                        &parameters[declared]);
        declared++;
    }
    if (count > declared)
        return ct_refuse(l, ct_end(l, callee->call), "this takes %u argument%s, not %u", declared,
                         declared == 1 ? "" : "s", count);
    for (unsigned i = count; i-- > 0;)
        bind(l, &parameters[i], &callee->arguments[i]);
    for (unsigned i = count; i < declared; i++)
        bind_default(l, nodes[i], &parameters[i]);
    return l->status == SMP_OK;
}

/* ---- Kernels ---- */

/* Adds a variable with a given or unknown value. */
static bool add_variable(ct_lower *l, const ct_token *name, const smp_type *type,
                         const ct_symbol *given) {
    ct_operand value = ct_value_of(CT_I64, NULL, name->position);
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_INTEGER, type);
    l->position = name->position;
    ct_program_open(l);
    return (given ? ct_emit_constant(l, given->value)
                  : ct_emit_unknown(l, CT_REASON_GIVEN, name->word)) &&
           ct_variable_add(l, &symbol, CT_MEANS_INTEGER, &value) && ct_program_put(l);
}

/* True for a variable that the text declares before the kernel. */
static bool is_variable(const ct_symbol *known) {
    return known && known->meaning > CT_MEANS_CONSTANT && known->meaning != CT_MEANS_ARRAY;
}

/* "int n": a variable with its value, if a constant of its name or a default gives one. */
static bool lower_value(ct_lower *l, const ct_node *node, const ct_type_use *use) {
    const ct_token *name = &l->tokens[node->at];
    const ct_symbol *known = ct_name_find(l, name);
    const bool is_given = known && known->meaning == CT_MEANS_CONSTANT;
    ct_symbol own = ct_symbol_of(name, CT_MEANS_LOCAL, use->type);
    if (is_variable(known))
        return true;
    if (!is_given && !smp_type_is_integer(use->type))
        return ct_symbol_add(l, &own, name->position);
    if (is_given || node->last->kind != CT_N_INIT)
        return add_variable(l, name, use->type, is_given ? known : NULL);
    own.value = ct_lower_constant(l, node->last->child, &own.kind);
    return add_variable(l, name, use->type, &own);
}

/* "int N = 4", "typename T = float": a constant or type given by 'define' or 'using', or its
 * default. */
static bool lower_template_param(ct_lower *l, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    const bool is_type = node->kind == CT_N_TYPE_PARAM;
    const ct_symbol *known = ct_name_find(l, name);
    const bool is_given = known && known->meaning == (is_type ? CT_MEANS_TYPE : CT_MEANS_CONSTANT);
    ct_type_use use;
    if (node->mark == 0 || (!is_type && is_variable(known)) ||
        bind_template(l, node, is_given ? known : NULL) || l->status != SMP_OK)
        return l->status == SMP_OK;
    if (!is_type)
        return ct_lower_type_use(l, node->child, &use) && lower_value(l, node, &use);
    return ct_refuse(l, name->position, "the type '%.*s' is not given: define %.*s = float",
                     CT_TOKEN_TEXT(*name), CT_TOKEN_TEXT(*name));
}

/* Declares a pointer to the start of an array. */
static bool declare_pointer(ct_lower *l, const ct_token *name, int array) {
    const ct_declared declared = {.name = name->word, .is_pointer = true};
    ct_operand start;
    l->position = name->position;
    ct_program_open(l);
    return ct_place_array(l, array, name, &start) && ct_declare(l, &declared, &start) &&
           ct_program_put(l);
}

/* A pointer is an array in global memory, of unknown size unless declared before. */
static bool lower_pointer(ct_lower *l, const ct_node *node, const ct_type_use *use) {
    const ct_token *name = &l->tokens[node->at];
    ct_node *dim = first_dim(node);
    smp_layout *kernel = &l->layout->kernel;
    smp_array form = {.space = SMP_SPACE_GLOBAL, .align = 1, .type = use->type};
    form.line = ct_unit_line(l->unit, name->position, NULL);
    int array = smp_array_find(kernel, name->text, name->length);
    if (array >= 0 && dim)
        return ct_refuse(l, ct_position(l, dim->first - 1), "expected ')' instead of '['");
    if (array < 0 && !use->type)
        return ct_refuse_name(l, name, "what '%.*s' points to has an unknown size");
    if (array < 0) {
        ct_node declared = *node;
        declared.child = dim;
        form.align = use->type->align;
        array = (int)kernel->array_count;
        if (!ct_array_declare(l, &form, &declared, true))
            return false;
    }
    return kernel->arrays[array].table.dim_count > 1 || declare_pointer(l, name, array);
}

static bool lower_kernel_parameter(ct_lower *l, const ct_node *node) {
    ct_type_use use;
    if (!ct_lower_type_use(l, node->child, &use))
        return false;
    return node->flags & CT_IS_POINTER || first_dim(node) ? lower_pointer(l, node, &use)
                                                          : lower_value(l, node, &use);
}

/* Lowers what stands before the body, which it returns; NULL if there is none. */
static const ct_node *lower_head(ct_lower *l, const ct_node *node) {
    const bool is_second = l->layout->kernel.has_kernel;
    const ct_node *part = node->child;
    for (; part && l->status == SMP_OK; part = part->next) {
        if (part->kind == CT_N_TYPE_PARAM || part->kind == CT_N_VALUE_PARAM)
            lower_template_param(l, part);
        else if (is_second || part->kind != CT_N_PARAM)
            break;
        else if (l->tokens[part->at].kind == CT_TOKEN_NAME)
            lower_kernel_parameter(l, part);
    }
    if (is_second)
        ct_refuse(l, ct_position(l, node->mark),
                  "a second kernel: choose one by its name, or by a line 'kernel NAME' before it");
    return part;
}

bool ct_lower_kernel(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    const ct_view outer = ct_scope_begin(layout);
    const uint32_t names = layout->scope.count;
    const ct_node *body = lower_head(l, node);
    if (body && l->status == SMP_OK) {
        layout->kernel.has_kernel = true;
        layout->kernel_names = names;
        ct_lower_statement(l, body);
    }
    ct_scope_end(layout, outer);
    return l->status == SMP_OK;
}
