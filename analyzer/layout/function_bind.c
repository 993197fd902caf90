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
    smp_type_use use;
    smp_token name;
    bool is_pointer, is_reference;
    smp_shape shape;
    uint32_t initial; /* token behind its '=', or 0 */
} parameter;

/* ---- Templates ------------------------------------------------------------------------- */

static bool bind_type(smp_parser *parser, const smp_token *name, const smp_type_use *use) {
    smp_type_table *table = &parser->layout->types;
    if (table->alias_count == SMP_ALIASES_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, name->position, "more than %d type names",
                               SMP_ALIASES_MAX);
    table->aliases[table->alias_count++] =
        (smp_alias){.name = name->text, .length = name->length, .use = *use};
    return true;
}

bool smp_function_parse_given(smp_parser *parser, smp_given_part *parts, unsigned *count) {
    *count = 0;
    if (!smp_parser_accept(parser, '<'))
        return true;
    while (!smp_parser_is(parser, '>')) {
        if (*count == SMP_ARGUMENTS_MAX)
            return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                   "more than %d arguments", SMP_ARGUMENTS_MAX);
        smp_given_part *part = &parts[(*count)++];
        part->is_type = smp_type_starts(parser);
        bool was_in = parser->in_template;
        parser->in_template = true;
        bool sound = part->is_type ? smp_type_use_parse(parser, &part->use)
                                   : smp_expr_constant(parser, &part->value, &part->kind);
        parser->in_template = was_in;
        if (!sound)
            return false;
        if (!smp_parser_accept(parser, ','))
            break;
    }
    return smp_parser_expect(parser, '>');
}

/* Binds the parameters of the template at `head` that are given or have a default. */
bool smp_function_bind_given(smp_parser *parser, uint32_t head, const smp_given_part *parts,
                             unsigned count) {
    smp_parser_return(parser, head + 1);
    if (!smp_parser_expect(parser, '<'))
        return false;
    for (unsigned i = 0; !smp_parser_is(parser, '>'); i++) {
        smp_type_use use = {0};
        bool is_type =
            smp_parser_accept_name(parser, "typename") || smp_parser_accept_name(parser, "class");
        if (!is_type && !smp_type_use_parse(parser, &use))
            return false;
        smp_token name = parser->token;
        smp_parser_next(parser);
        bool has_default = smp_parser_accept(parser, '='), is_given = i < count;
        smp_given_part part = {.is_type = is_type};
        bool was_in = parser->in_template;
        parser->in_template = true;
        bool sound = !has_default || (is_type ? smp_type_use_parse(parser, &part.use)
                                              : smp_expr_constant(parser, &part.value, &part.kind));
        parser->in_template = was_in;
        if (!sound)
            return false;
        if (is_given && parts[i].is_type != is_type)
            return smp_parser_fail(parser, SMP_E_SYNTAX, name.position,
                                   "'%.*s' is given something else", SMP_TOKEN_TEXT(name));
        part = is_given ? parts[i] : part;
        sound = (!is_given && !has_default) ||
                (is_type ? bind_type(parser, &name, &part.use)
                         : smp_constant_add_as(parser, &name, part.value, part.kind, use.type));
        if (!sound)
            return false;
        if (!smp_parser_accept(parser, ','))
            break;
    }
    return smp_parser_expect(parser, '>');
}

/* ---- Parameters ------------------------------------------------------------------------ */

/* The shape of what an argument is, or points to. */
static smp_shape shape_of(const smp_parser *parser, const smp_operand *argument) {
    if (!argument->is_root)
        return argument->shape;
    const smp_array *array = &parser->layout->arrays[argument->array];
    smp_shape shape = {.type = array->type};
    for (uint32_t d = argument->used; d < array->table.dim_count; d++) {
        if (shape.dim_count < SMP_SHAPE_DIMS_MAX)
            shape.dims[shape.dim_count++] = array->table.dims[d].extent;
    }
    return shape;
}

/* What follows a template's type in a parameter. */
typedef enum declared_as { AS_ITSELF, AS_REFERENCE, AS_POINTER, AS_ARRAY } declared_as;

static declared_as read_declared(const smp_parser *parser) {
    unsigned at = 0;
    smp_token token = smp_parser_peek(parser, at);
    while (smp_token_is(&token, "const") || smp_token_is(&token, "volatile"))
        token = smp_parser_peek(parser, ++at);
    if (smp_token_is_punct(&token, '('))
        return AS_ARRAY;
    if (smp_token_is_punct(&token, '*'))
        return AS_POINTER;
    if (smp_token_is_punct(&token, '&'))
        return AS_REFERENCE;
    smp_token next = smp_parser_peek(parser, at + 1);
    return smp_token_is_punct(&next, '[') ? AS_POINTER : AS_ITSELF;
}

/* What T is, the current token being behind it; NULL: not known, or no plain type. */
static const smp_type *deduced_type(const smp_parser *parser, const smp_operand *argument) {
    bool is_place = argument->form == SMP_FORM_OBJECT || argument->form == SMP_FORM_POINTER;
    declared_as as = read_declared(parser);
    if (!is_place)
        return smp_operand_type(argument);
    smp_shape shape = shape_of(parser, argument);
    bool is_element =
        as == AS_ARRAY || (as == AS_POINTER && shape.dim_count == 0) ||
        (as == AS_REFERENCE && argument->form == SMP_FORM_OBJECT && shape.dim_count == 0);
    return is_element ? shape.type : NULL;
}

/* The type that stands there, or that the argument gives to a template's name. */
static bool parse_type(smp_parser *parser, const smp_definition *f, const smp_operand *argument,
                       smp_type_use *out) {
    while (smp_parser_accept_name(parser, "const") || smp_parser_accept_name(parser, "volatile"))
        continue;
    smp_token name = parser->token;
    if (smp_type_starts(parser) || !smp_function_names(parser, f, &name))
        return smp_type_use_parse(parser, out);
    smp_parser_next(parser);
    smp_type_use use = {.type = argument ? deduced_type(parser, argument) : NULL};
    *out = use;
    return bind_type(parser, &name, &use);
}

/* "[32]", "[N]" where the argument gives N, "[]". */
static bool parse_dims(smp_parser *parser, const smp_definition *f, const smp_operand *argument,
                       bool is_array, smp_shape *out) {
    for (unsigned at = 0; smp_parser_accept(parser, '['); at++) {
        smp_token name = parser->token;
        smp_shape given = argument ? shape_of(parser, argument) : (smp_shape){0};
        int64_t extent = 1;
        bool knows = smp_scope_find(&parser->layout->scope, name.text, name.length) != NULL;
        if (out->dim_count == SMP_SHAPE_DIMS_MAX)
            return smp_parser_fail(parser, SMP_E_OVERFLOW, name.position, "more than %d dimensions",
                                   SMP_SHAPE_DIMS_MAX);
        if (!knows && at < given.dim_count && smp_function_names(parser, f, &name)) {
            if (!smp_constant_add(parser, &name, given.dims[at], SMP_I32))
                return false;
        }
        bool is_open = smp_parser_is(parser, ']');
        if (!is_open &&
            !smp_expr_constant_in(parser, "the dimension", 1, INT64_C(1) << 24, &extent))
            return false;
        if (is_array || at > 0)
            out->dims[out->dim_count++] = (uint32_t)extent;
        if (!smp_parser_expect(parser, ']'))
            return false;
    }
    return parser->status == SMP_OK;
}

static bool skip_words(smp_parser *parser) {
    while (
        smp_parser_accept_name(parser, "const") || smp_parser_accept_name(parser, "__restrict__") ||
        smp_parser_accept_name(parser, "__restrict") || smp_parser_accept_name(parser, "volatile"))
        continue;
    return parser->status == SMP_OK;
}

/* One parameter's declaration, with what its argument says; `argument` may be NULL. */
static bool parse_parameter(smp_parser *parser, const smp_definition *f,
                            const smp_operand *argument, parameter *out) {
    *out = (parameter){0};
    if (!parse_type(parser, f, argument, &out->use) || !skip_words(parser))
        return false;
    bool is_nested = smp_parser_accept(parser, '(');
    out->is_pointer = smp_parser_accept(parser, '*');
    (void)skip_words(parser);
    out->is_reference = smp_parser_accept(parser, '&');
    out->shape.type = out->use.type;
    out->name = parser->token;
    if (smp_parser_is(parser, '*') || (out->is_pointer && out->is_reference))
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "pointers to pointers are not understood");
    if (out->name.kind == SMP_TOKEN_NAME)
        smp_parser_next(parser);
    if (is_nested && !smp_parser_expect(parser, ')'))
        return false;
    if (out->is_pointer && smp_parser_is(parser, '[') && !is_nested)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "arrays of pointers are not understood");
    bool is_array = smp_parser_is(parser, '[') && !is_nested;
    /* T or auto is a pointer. */
    if (argument && argument->form == SMP_FORM_POINTER && !out->use.type && !out->use.is_void) {
        out->is_pointer = true;
        out->is_reference = false;
    }
    if (!parse_dims(parser, f, argument, is_nested, &out->shape))
        return false;
    out->is_pointer |= is_array;
    if (smp_parser_accept(parser, '=')) {
        out->initial = parser->at;
        for (unsigned depth = 0; parser->token.kind != SMP_TOKEN_END; smp_parser_next(parser)) {
            bool closes = smp_parser_is(parser, ')') || smp_parser_is(parser, '}');
            if (depth == 0 && (closes || smp_parser_is(parser, ',')))
                break;
            depth += smp_parser_is(parser, '(') || smp_parser_is(parser, '{');
            depth -= closes;
        }
    }
    return parser->status == SMP_OK;
}

/* ---- Arguments ------------------------------------------------------------------------- */

/* True if the parameter from `at` on is a reference. */
static bool takes_reference(const smp_token *tokens, uint32_t at, uint32_t end) {
    for (unsigned depth = 0; at < end; at++) {
        bool ends = smp_token_is_punct(&tokens[at], ',') || smp_token_is_punct(&tokens[at], ')');
        if (depth == 0 && (ends || smp_token_is_punct(&tokens[at], '=')))
            return false;
        if (smp_token_is_punct(&tokens[at], '&'))
            return true;
        depth += smp_token_is_punct(&tokens[at], '(');
        depth -= smp_token_is_punct(&tokens[at], ')') && depth > 0;
    }
    return false;
}

/* Behind the comma that ends the parameter at `at`. */
static uint32_t next_parameter(const smp_token *tokens, uint32_t at, uint32_t end) {
    for (unsigned depth = 0; at < end; at++) {
        if (depth == 0 && smp_token_is_punct(&tokens[at], ','))
            return at + 1;
        depth += smp_token_is_punct(&tokens[at], '(') || smp_token_is_punct(&tokens[at], '{');
        depth -= (smp_token_is_punct(&tokens[at], ')') || smp_token_is_punct(&tokens[at], '}')) &&
                 depth > 0;
    }
    return end;
}

/* All arguments, each as one value on the stack; a reference as what it is. */
bool smp_function_parse_arguments(smp_parser *parser, const smp_definition *f, smp_operand *out,
                                  unsigned *count) {
    uint32_t at = f->list + 1, end = f->body;
    const uint32_t close = smp_parser_is(parser, '[') ? ']' : ')'; /* of an operator */
    *count = 0;
    if (close == ')' && !smp_parser_is(parser, '('))
        return smp_parser_expect(parser, '(');
    smp_parser_next(parser);
    parser->in_arguments = true;
    while (!smp_parser_is(parser, close)) {
        if (*count == SMP_ARGUMENTS_MAX)
            return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                   "more than %d arguments", SMP_ARGUMENTS_MAX);
        smp_operand *argument = &out[(*count)++];
        if (!smp_expr_assignment(parser, argument))
            return false;
        if (!takes_reference(parser->tokens, at, end) && !smp_operand_value(parser, argument))
            return false;
        at = next_parameter(parser->tokens, at, end);
        if (!smp_parser_accept(parser, ','))
            break;
    }
    parser->in_arguments = false;
    return smp_parser_expect(parser, close);
}

static smp_symbol symbol_of(const parameter *p) {
    return (smp_symbol){.name = p->name.text,
                        .length = p->name.length,
                        .meaning = SMP_MEANS_LOCAL,
                        .array = SMP_ARRAY_NONE,
                        .shape = p->shape};
}

/* The argument is on top of the stack, and is taken from there. */
static bool set_parameter(smp_parser *parser, smp_symbol *symbol, smp_operand *argument) {
    size_t position = argument->position;
    return smp_slot_new(parser, position, &symbol->slot) &&
           smp_operand_set(parser, symbol, argument, position) && smp_emit_drop(parser, position) &&
           smp_symbol_add(parser, symbol, position) != NULL;
}

static bool bind_reference(smp_parser *parser, const parameter *p, smp_operand *argument) {
    smp_symbol symbol = symbol_of(p);
    if (argument->form == SMP_FORM_SLOT) {
        smp_symbol same = *argument->symbol;
        same.name = symbol.name;
        same.length = symbol.length;
        return smp_emit_drop(parser, argument->position) &&
               smp_symbol_add(parser, &same, argument->position) != NULL;
    }
    if (!smp_place_address(parser, argument, argument->position))
        return false;
    symbol.shape = argument->shape;
    if (argument->array == SMP_ARRAY_LOCAL)
        return smp_emit_drop(parser, argument->position) &&
               smp_symbol_add(parser, &symbol, argument->position) != NULL;
    symbol.meaning = SMP_MEANS_POINTER;
    if (!set_parameter(parser, &symbol, argument))
        return false;
    parser->layout->scope.symbols[parser->layout->scope.count - 1].meaning = SMP_MEANS_REFERENCE;
    return true;
}

static bool bind(smp_parser *parser, const parameter *p, smp_operand *argument) {
    smp_symbol symbol = symbol_of(p);
    bool is_place = argument->form == SMP_FORM_OBJECT || argument->form == SMP_FORM_SLOT;
    if (p->is_reference && is_place)
        return bind_reference(parser, p, argument);
    if (p->is_pointer) {
        symbol.meaning = SMP_MEANS_POINTER;
        return set_parameter(parser, &symbol, argument);
    }
    if (p->use.is_auto)
        symbol.shape.type = smp_operand_type(argument);
    if (!smp_type_is_integer(symbol.shape.type))
        return smp_emit_drop(parser, argument->position) &&
               smp_symbol_add(parser, &symbol, argument->position) != NULL;
    symbol.meaning = SMP_MEANS_INTEGER;
    symbol.kind = smp_type_kind(symbol.shape.type);
    return set_parameter(parser, &symbol, argument);
}

/* Parameters without argument have their default. */
static bool bind_default(smp_parser *parser, const parameter *p) {
    smp_operand value;
    if (p->initial == 0)
        return smp_parser_fail(parser, SMP_E_SYNTAX, p->name.position, "no argument is given here");
    smp_parser_return(parser, p->initial);
    return smp_expr_assignment(parser, &value) && smp_operand_value(parser, &value) &&
           bind(parser, p, &value);
}

bool smp_function_bind_all(smp_parser *parser, const smp_definition *f, smp_operand *arguments,
                           unsigned count) {
    parameter parameters[SMP_ARGUMENTS_MAX];
    unsigned declared = 0;
    const size_t position = parser->last_end;
    const bool has_list = smp_token_is_punct(&parser->tokens[f->list], '('); /* [&] { } has none */
    smp_parser_return(parser, f->list + 1);
    smp_parser_accept_name(parser, "void");
    while (has_list && !smp_parser_is(parser, ')')) {
        if (declared == SMP_ARGUMENTS_MAX)
            return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                   "more than %d parameters", SMP_ARGUMENTS_MAX);
        if (!parse_parameter(parser, f, declared < count ? &arguments[declared] : NULL,
                             &parameters[declared]))
            return false;
        declared++;
        if (!smp_parser_accept(parser, ','))
            break;
    }
    if (has_list && !smp_parser_expect(parser, ')'))
        return false;
    if (count > declared)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position, "this takes %u argument%s, not %u",
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
