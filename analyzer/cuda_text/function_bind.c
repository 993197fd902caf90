/* SPDX-License-Identifier: MIT */
/*
 * What a call gives to a function: the values and types of its template, and its parameters, which
 * become variables that hold the arguments, or other names for them.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

/* A parameter's declaration. */
typedef struct parameter {
    ct_type_use use;
    ct_token name;
    bool is_pointer, is_reference;
    smp_shape shape;
    uint32_t initial; /* token behind its '=', or 0 */
} parameter;

/* ---- Templates ------------------------------------------------------------------------- */

static bool bind_type(ct_parser *parser, const ct_token *name, const ct_type_use *use) {
    ct_type_table *table = &parser->layout->types;
    if (table->alias_count == CT_ALIASES_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, name->position, "more than %d type names",
                              CT_ALIASES_MAX);
    table->aliases[table->alias_count++] =
        (ct_alias){.name = name->text, .length = name->length, .use = *use};
    return true;
}

bool ct_function_parse_given(ct_parser *parser, ct_given_part *parts, unsigned *count) {
    *count = 0;
    if (!ct_parser_accept(parser, '<'))
        return true;
    while (!ct_parser_is(parser, '>')) {
        if (*count == CT_ARGUMENTS_MAX)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                  "more than %d arguments", CT_ARGUMENTS_MAX);
        ct_given_part *part = &parts[(*count)++];
        part->is_type = ct_type_starts(parser);
        bool was_in = parser->in_template;
        parser->in_template = true;
        bool sound = part->is_type ? ct_type_use_parse(parser, &part->use)
                                   : ct_expr_constant(parser, &part->value, &part->kind);
        parser->in_template = was_in;
        if (!sound)
            return false;
        if (!ct_parser_accept(parser, ','))
            break;
    }
    return ct_parser_expect(parser, '>');
}

/* Binds the parameters of the template at `head` that are given or have a default. */
bool ct_function_bind_given(ct_parser *parser, uint32_t head, const ct_given_part *parts,
                            unsigned count) {
    ct_parser_return(parser, head + 1);
    if (!ct_parser_expect(parser, '<'))
        return false;
    for (unsigned i = 0; !ct_parser_is(parser, '>'); i++) {
        ct_type_use use = {0};
        bool is_type =
            ct_parser_accept_name(parser, "typename") || ct_parser_accept_name(parser, "class");
        if (!is_type && !ct_type_use_parse(parser, &use))
            return false;
        ct_token name = parser->token;
        ct_parser_next(parser);
        bool has_default = ct_parser_accept(parser, '='), is_given = i < count;
        ct_given_part part = {.is_type = is_type};
        bool was_in = parser->in_template;
        parser->in_template = true;
        bool sound = !has_default || (is_type ? ct_type_use_parse(parser, &part.use)
                                              : ct_expr_constant(parser, &part.value, &part.kind));
        parser->in_template = was_in;
        if (!sound)
            return false;
        if (is_given && parts[i].is_type != is_type)
            return ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                                  "'%.*s' is given something else", CT_TOKEN_TEXT(name));
        part = is_given ? parts[i] : part;
        sound = (!is_given && !has_default) ||
                (is_type ? bind_type(parser, &name, &part.use)
                         : ct_constant_add_as(parser, &name, part.value, part.kind, use.type));
        if (!sound)
            return false;
        if (!ct_parser_accept(parser, ','))
            break;
    }
    return ct_parser_expect(parser, '>');
}

/* ---- Parameters ------------------------------------------------------------------------ */

/* The shape of what an argument is, or points to. */
static smp_shape shape_of(const ct_parser *parser, const ct_operand *argument) {
    if (!argument->is_root)
        return argument->shape;
    const smp_array *array = &parser->layout->kernel.arrays[argument->array];
    smp_shape shape = {.type = array->type};
    for (uint32_t d = argument->used; d < array->table.dim_count; d++) {
        if (shape.dim_count < SMP_SHAPE_DIMS_MAX)
            shape.dims[shape.dim_count++] = array->table.dims[d].extent;
    }
    return shape;
}

/* What follows a template's type in a parameter. */
typedef enum declared_as { AS_ITSELF, AS_REFERENCE, AS_POINTER, AS_ARRAY } declared_as;

static declared_as read_declared(const ct_parser *parser) {
    unsigned at = 0;
    ct_token token = ct_parser_peek(parser, at);
    while (ct_token_is(&token, "const") || ct_token_is(&token, "volatile"))
        token = ct_parser_peek(parser, ++at);
    if (ct_token_is_punct(&token, '('))
        return AS_ARRAY;
    if (ct_token_is_punct(&token, '*'))
        return AS_POINTER;
    if (ct_token_is_punct(&token, '&'))
        return AS_REFERENCE;
    ct_token next = ct_parser_peek(parser, at + 1);
    return ct_token_is_punct(&next, '[') ? AS_POINTER : AS_ITSELF;
}

/* What T is, the current token being behind it; NULL: not known, or no plain type. */
static const smp_type *deduced_type(const ct_parser *parser, const ct_operand *argument) {
    bool is_place = argument->form == CT_FORM_OBJECT || argument->form == CT_FORM_POINTER;
    declared_as as = read_declared(parser);
    if (!is_place)
        return ct_operand_type(argument);
    smp_shape shape = shape_of(parser, argument);
    bool is_element =
        as == AS_ARRAY || (as == AS_POINTER && shape.dim_count == 0) ||
        (as == AS_REFERENCE && argument->form == CT_FORM_OBJECT && shape.dim_count == 0);
    return is_element ? shape.type : NULL;
}

/* The type that stands there, or that the argument gives to a template's name. */
static bool parse_type(ct_parser *parser, const ct_definition *f, const ct_operand *argument,
                       ct_type_use *out) {
    while (ct_parser_accept_name(parser, "const") || ct_parser_accept_name(parser, "volatile"))
        continue;
    ct_token name = parser->token;
    if (ct_type_starts(parser) || !ct_function_names(parser, f, &name))
        return ct_type_use_parse(parser, out);
    ct_parser_next(parser);
    ct_type_use use = {.type = argument ? deduced_type(parser, argument) : NULL};
    *out = use;
    return bind_type(parser, &name, &use);
}

/* "[32]", "[N]" where the argument gives N, "[]". */
static bool parse_dims(ct_parser *parser, const ct_definition *f, const ct_operand *argument,
                       bool is_array, smp_shape *out) {
    for (unsigned at = 0; ct_parser_accept(parser, '['); at++) {
        ct_token name = parser->token;
        smp_shape given = argument ? shape_of(parser, argument) : (smp_shape){0};
        int64_t extent = 1;
        bool knows = ct_scope_find(&parser->layout->scope, name.text, name.length) != NULL;
        if (out->dim_count == SMP_SHAPE_DIMS_MAX)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, name.position, "more than %d dimensions",
                                  SMP_SHAPE_DIMS_MAX);
        if (!knows && at < given.dim_count && ct_function_names(parser, f, &name)) {
            if (!ct_constant_add(parser, &name, given.dims[at], CT_I32))
                return false;
        }
        bool is_open = ct_parser_is(parser, ']');
        if (!is_open && !ct_expr_constant_in(parser, "the dimension", 1, INT64_C(1) << 24, &extent))
            return false;
        if (is_array || at > 0)
            out->dims[out->dim_count++] = (uint32_t)extent;
        if (!ct_parser_expect(parser, ']'))
            return false;
    }
    return parser->status == SMP_OK;
}

static bool skip_words(ct_parser *parser) {
    while (ct_parser_accept_name(parser, "const") ||
           ct_parser_accept_name(parser, "__restrict__") ||
           ct_parser_accept_name(parser, "__restrict") || ct_parser_accept_name(parser, "volatile"))
        continue;
    return parser->status == SMP_OK;
}

/* One parameter's declaration, with what its argument says; `argument` may be NULL. */
static bool parse_parameter(ct_parser *parser, const ct_definition *f, const ct_operand *argument,
                            parameter *out) {
    *out = (parameter){0};
    if (!parse_type(parser, f, argument, &out->use) || !skip_words(parser))
        return false;
    bool is_nested = ct_parser_accept(parser, '(');
    out->is_pointer = ct_parser_accept(parser, '*');
    (void)skip_words(parser);
    out->is_reference = ct_parser_accept(parser, '&');
    out->shape.type = out->use.type;
    out->name = parser->token;
    if (ct_parser_is(parser, '*') || (out->is_pointer && out->is_reference))
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "pointers to pointers are not understood");
    if (out->name.kind == CT_TOKEN_NAME)
        ct_parser_next(parser);
    if (is_nested && !ct_parser_expect(parser, ')'))
        return false;
    if (out->is_pointer && ct_parser_is(parser, '[') && !is_nested)
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "arrays of pointers are not understood");
    bool is_array = ct_parser_is(parser, '[') && !is_nested;
    /* T or auto is a pointer. */
    if (argument && argument->form == CT_FORM_POINTER && !out->use.type && !out->use.is_void) {
        out->is_pointer = true;
        out->is_reference = false;
    }
    if (!parse_dims(parser, f, argument, is_nested, &out->shape))
        return false;
    out->is_pointer |= is_array;
    if (ct_parser_accept(parser, '=')) {
        out->initial = parser->at;
        for (unsigned depth = 0; parser->token.kind != CT_TOKEN_END; ct_parser_next(parser)) {
            bool closes = ct_parser_is(parser, ')') || ct_parser_is(parser, '}');
            if (depth == 0 && (closes || ct_parser_is(parser, ',')))
                break;
            depth += ct_parser_is(parser, '(') || ct_parser_is(parser, '{');
            depth -= closes;
        }
    }
    return parser->status == SMP_OK;
}

/* ---- Arguments ------------------------------------------------------------------------- */

/* True if the parameter from `at` on is a reference. */
static bool takes_reference(const ct_token *tokens, uint32_t at, uint32_t end) {
    for (unsigned depth = 0; at < end; at++) {
        bool ends = ct_token_is_punct(&tokens[at], ',') || ct_token_is_punct(&tokens[at], ')');
        if (depth == 0 && (ends || ct_token_is_punct(&tokens[at], '=')))
            return false;
        if (ct_token_is_punct(&tokens[at], '&'))
            return true;
        depth += ct_token_is_punct(&tokens[at], '(');
        depth -= ct_token_is_punct(&tokens[at], ')') && depth > 0;
    }
    return false;
}

/* Behind the comma that ends the parameter at `at`. */
static uint32_t next_parameter(const ct_token *tokens, uint32_t at, uint32_t end) {
    for (unsigned depth = 0; at < end; at++) {
        if (depth == 0 && ct_token_is_punct(&tokens[at], ','))
            return at + 1;
        depth += ct_token_is_punct(&tokens[at], '(') || ct_token_is_punct(&tokens[at], '{');
        depth -= (ct_token_is_punct(&tokens[at], ')') || ct_token_is_punct(&tokens[at], '}')) &&
                 depth > 0;
    }
    return end;
}

/* All arguments, each as one value on the stack; a reference as what it is. */
bool ct_function_parse_arguments(ct_parser *parser, const ct_definition *f, ct_operand *out,
                                 unsigned *count) {
    uint32_t at = f->list + 1, end = f->body;
    const uint32_t close = ct_parser_is(parser, '[') ? ']' : ')'; /* of an operator */
    *count = 0;
    if (close == ')' && !ct_parser_is(parser, '('))
        return ct_parser_expect(parser, '(');
    ct_parser_next(parser);
    parser->in_arguments = true;
    while (!ct_parser_is(parser, close)) {
        if (*count == CT_ARGUMENTS_MAX)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                  "more than %d arguments", CT_ARGUMENTS_MAX);
        ct_operand *argument = &out[(*count)++];
        if (!ct_expr_assignment(parser, argument))
            return false;
        if (!takes_reference(parser->tokens, at, end) && !ct_operand_value(parser, argument))
            return false;
        at = next_parameter(parser->tokens, at, end);
        if (!ct_parser_accept(parser, ','))
            break;
    }
    parser->in_arguments = false;
    return ct_parser_expect(parser, close);
}

static ct_symbol symbol_of(const parameter *p) {
    return (ct_symbol){.name = p->name.text,
                       .length = p->name.length,
                       .meaning = CT_MEANS_LOCAL,
                       .array = CT_ARRAY_NONE,
                       .shape = p->shape};
}

/* The argument is on top of the stack, and is taken from there. */
static bool set_parameter(ct_parser *parser, ct_symbol *symbol, ct_operand *argument) {
    size_t position = argument->position;
    return ct_slot_new(parser, position, &symbol->slot) &&
           ct_operand_set(parser, symbol, argument, position) && ct_emit_drop(parser, position) &&
           ct_symbol_add(parser, symbol, position) != NULL;
}

static bool bind_reference(ct_parser *parser, const parameter *p, ct_operand *argument) {
    ct_symbol symbol = symbol_of(p);
    if (argument->form == CT_FORM_SLOT) {
        ct_symbol same = *argument->symbol;
        same.name = symbol.name;
        same.length = symbol.length;
        return ct_emit_drop(parser, argument->position) &&
               ct_symbol_add(parser, &same, argument->position) != NULL;
    }
    if (!ct_place_address(parser, argument, argument->position))
        return false;
    symbol.shape = argument->shape;
    if (argument->array == CT_ARRAY_LOCAL)
        return ct_emit_drop(parser, argument->position) &&
               ct_symbol_add(parser, &symbol, argument->position) != NULL;
    symbol.meaning = CT_MEANS_POINTER;
    if (!set_parameter(parser, &symbol, argument))
        return false;
    parser->layout->scope.symbols[parser->layout->scope.count - 1].meaning = CT_MEANS_REFERENCE;
    return true;
}

static bool bind(ct_parser *parser, const parameter *p, ct_operand *argument) {
    ct_symbol symbol = symbol_of(p);
    bool is_place = argument->form == CT_FORM_OBJECT || argument->form == CT_FORM_SLOT;
    if (p->is_reference && is_place)
        return bind_reference(parser, p, argument);
    if (p->is_pointer) {
        symbol.meaning = CT_MEANS_POINTER;
        return set_parameter(parser, &symbol, argument);
    }
    if (p->use.is_auto)
        symbol.shape.type = ct_operand_type(argument);
    if (!smp_type_is_integer(symbol.shape.type))
        return ct_emit_drop(parser, argument->position) &&
               ct_symbol_add(parser, &symbol, argument->position) != NULL;
    symbol.meaning = CT_MEANS_INTEGER;
    symbol.kind = ct_type_kind(symbol.shape.type);
    return set_parameter(parser, &symbol, argument);
}

/* Parameters without argument have their default. */
static bool bind_default(ct_parser *parser, const parameter *p) {
    ct_operand value;
    if (p->initial == 0)
        return ct_parser_fail(parser, SMP_E_SYNTAX, p->name.position, "no argument is given here");
    ct_parser_return(parser, p->initial);
    return ct_expr_assignment(parser, &value) && ct_operand_value(parser, &value) &&
           bind(parser, p, &value);
}

bool ct_function_bind_all(ct_parser *parser, const ct_definition *f, ct_operand *arguments,
                          unsigned count) {
    parameter parameters[CT_ARGUMENTS_MAX];
    unsigned declared = 0;
    const size_t position = parser->last_end;
    const bool has_list = ct_token_is_punct(&parser->tokens[f->list], '('); /* [&] { } has none */
    ct_parser_return(parser, f->list + 1);
    ct_parser_accept_name(parser, "void");
    while (has_list && !ct_parser_is(parser, ')')) {
        if (declared == CT_ARGUMENTS_MAX)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                  "more than %d parameters", CT_ARGUMENTS_MAX);
        if (!parse_parameter(parser, f, declared < count ? &arguments[declared] : NULL,
                             &parameters[declared]))
            return false;
        declared++;
        if (!ct_parser_accept(parser, ','))
            break;
    }
    if (has_list && !ct_parser_expect(parser, ')'))
        return false;
    if (count > declared)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "this takes %u argument%s, not %u",
                              declared, declared == 1 ? "" : "s", count);
    for (unsigned i = count; i-- > 0;) {
        if (!bind(parser, &parameters[i], &arguments[i]))
            return false;
    }
    for (unsigned i = count; i < declared; i++) {
        if (!bind_default(parser, &parameters[i]))
            return false;
    }
    return true;
}
