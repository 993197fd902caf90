/* SPDX-License-Identifier: MIT */
/*
 * Variables of a thread: "const int i = threadIdx.x, *p = &s[i];", "float acc[8];", "auto &row =
 * tile[i];", "let k = 2 * i". Integers and pointers into arrays are followed; what else a thread
 * has of its own is in registers, is never accessed, and decides nothing.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

/* ---- Names ----------------------------------------------------------------------------- */

smp_symbol *smp_symbol_add(smp_parser *parser, const smp_symbol *symbol, size_t position) {
    smp_scope *scope = &parser->layout->scope;
    if (scope->count == SMP_SYMBOLS_MAX) {
        (void)smp_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d names",
                              SMP_SYMBOLS_MAX);
        return NULL;
    }
    scope->symbols[scope->count] = *symbol;
    scope->symbols[scope->count].open = parser->layout->open;
    return &scope->symbols[scope->count++];
}

bool smp_constant_add(smp_parser *parser, const smp_token *name, int64_t value, smp_kind kind) {
    smp_symbol symbol = {.name = name->text,
                         .length = name->length,
                         .meaning = SMP_MEANS_CONSTANT,
                         .kind = kind,
                         .value = value};
    return smp_symbol_add(parser, &symbol, name->position) != NULL;
}

bool smp_constant_add_as(smp_parser *parser, const smp_token *name, int64_t value, smp_kind kind,
                         const smp_type *type) {
    if (!smp_type_is_integer(type))
        return smp_constant_add(parser, name, value, kind);
    smp_symbol symbol = {.name = name->text,
                         .length = name->length,
                         .meaning = SMP_MEANS_CONSTANT,
                         .kind = smp_type_kind(type),
                         .value =
                             smp_integer_cast(value, type->integer.bits, type->integer.is_signed),
                         .shape = {.type = type}};
    return smp_symbol_add(parser, &symbol, name->position) != NULL;
}

bool smp_slot_new(smp_parser *parser, size_t position, uint16_t *slot) {
    smp_layout *layout = parser->layout;
    if (layout->slot_count == SMP_SLOTS_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d variables",
                               SMP_SLOTS_MAX - SMP_SLOT_FREE);
    *slot = (uint16_t)layout->slot_count++;
    return true;
}

static bool is_in_block(const smp_scope *scope, const smp_token *name) {
    for (size_t i = scope->first; i < scope->count; i++) {
        const smp_symbol *symbol = &scope->symbols[i];
        if (symbol->length == name->length && memcmp(symbol->name, name->text, name->length) == 0)
            return true;
    }
    return false;
}

bool smp_new_name_parse(smp_parser *parser, smp_token *name) {
    uint16_t slot;
    unsigned dimensions;
    *name = parser->token;
    if (name->kind != SMP_TOKEN_NAME)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position, "expected a name");
    bool is_taken =
        is_in_block(&parser->layout->scope, name) ||
        (!parser->layout->has_kernel && parser->layout->open == 0 &&
         smp_array_find(parser->layout, name->text, name->length) >= 0) ||
        smp_token_is(name, "warpSize") ||
        (smp_builtin_find(name->text, name->length, &slot, &dimensions) && dimensions > 1);
    if (is_taken)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position, "'%.*s' already has a meaning",
                               SMP_TOKEN_TEXT(*name));
    smp_parser_next(parser);
    return parser->status == SMP_OK;
}

size_t smp_scope_begin(smp_layout *layout) {
    size_t mark = layout->scope.first;
    layout->scope.first = layout->scope.count;
    return mark;
}

void smp_scope_end(smp_layout *layout, size_t mark) {
    layout->scope.count = layout->scope.first;
    layout->scope.first = mark;
}

/* ---- Declarators ----------------------------------------------------------------------- */

typedef struct declarator {
    const smp_type_use *use;
    smp_token name;
    bool is_pointer, is_reference, is_const;
    smp_shape shape;
} declarator;

static bool parse_dims(smp_parser *parser, smp_shape *shape, bool *has_open) {
    while (smp_parser_accept(parser, '[')) {
        int64_t extent = 1;
        bool is_open = smp_parser_is(parser, ']');
        if (shape->dim_count == SMP_SHAPE_DIMS_MAX)
            return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                   "more than %d dimensions", SMP_SHAPE_DIMS_MAX);
        *has_open |= is_open && shape->dim_count == 0;
        if (!is_open &&
            !smp_expr_constant_in(parser, "the dimension", 1, INT64_C(1) << 24, &extent))
            return false;
        shape->dims[shape->dim_count++] = (uint32_t)extent;
        if (!smp_parser_expect(parser, ']'))
            return false;
    }
    return parser->status == SMP_OK;
}

static bool skip_qualifiers(smp_parser *parser) {
    bool is_const = false;
    while (smp_parser_is_name(parser, "const") || smp_parser_is_name(parser, "__restrict__") ||
           smp_parser_is_name(parser, "__restrict") || smp_parser_is_name(parser, "volatile")) {
        is_const |= smp_parser_is_name(parser, "const");
        smp_parser_next(parser);
    }
    return is_const;
}

/* "int o[] = {1, 2, 3};" */
static bool count_elements(smp_parser *parser, smp_shape *shape) {
    const uint32_t at = parser->at + smp_parser_is(parser, '=');
    if (!smp_token_is_punct(&parser->tokens[at], '{'))
        return true; /* a parameter's, or a text */
    const bool is_nested = smp_token_is_punct(&parser->tokens[at + 1], '{');
    uint32_t row = 1;
    for (uint32_t d = 1; d < shape->dim_count && !is_nested; d++)
        row *= shape->dims[d];
    shape->dims[0] = (smp_list_count(parser->tokens, at) + row - 1) / row;
    return true;
}

static bool parse_declarator(smp_parser *parser, const smp_type_use *use, declarator *out) {
    *out = (declarator){.use = use, .shape = {.type = use->type}};
    bool is_nested = smp_parser_is(parser, '(') && smp_parser_peek(parser, 1).code == '*';
    if (is_nested)
        smp_parser_next(parser);
    if (smp_parser_accept(parser, '*')) {
        out->is_pointer = true;
        out->is_const = skip_qualifiers(parser);
    } else {
        out->is_reference = smp_parser_accept(parser, '&');
        out->is_const = use->is_const;
    }
    if (smp_parser_is(parser, '*'))
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "pointers to pointers are not understood");
    if (!smp_new_name_parse(parser, &out->name) || (is_nested && !smp_parser_expect(parser, ')')))
        return false;
    bool is_array = smp_parser_is(parser, '[');
    if (is_array && out->is_pointer && !is_nested)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "arrays of pointers are not understood");
    bool has_open = false;
    return parse_dims(parser, &out->shape, &has_open) &&
           (!has_open || count_elements(parser, &out->shape));
}

static smp_symbol symbol_of(const declarator *d) {
    return (smp_symbol){.name = d->name.text,
                        .length = d->name.length,
                        .shape = d->shape,
                        .array = SMP_ARRAY_NONE,
                        .is_const = d->is_const};
}

/* ---- Values ---------------------------------------------------------------------------- */

/* "{1, 2, {3}}": parts that are read for nothing but their accesses. */
static bool parse_list(smp_parser *parser, const smp_type *type, unsigned depth) {
    const uint32_t close = smp_parser_is(parser, '(') ? ')' : '}';
    const size_t start = parser->token.position;
    bool has_pointer = false;
    smp_parser_next(parser);
    while (!smp_parser_is(parser, close)) {
        smp_operand part;
        size_t position = parser->token.position;
        if (smp_parser_is(parser, '{')) {
            if (depth > 8 || !parse_list(parser, NULL, depth + 1))
                return smp_parser_fail(parser, SMP_E_SYNTAX, position, "nested too deeply");
        } else if (!smp_expr_assignment(parser, &part) || !smp_operand_value(parser, &part) ||
                   !smp_emit_drop(parser, position)) {
            return false;
        } else {
            has_pointer |= part.form == SMP_FORM_POINTER && part.array >= 0;
        }
        if (!smp_parser_accept(parser, ','))
            break;
    }
    return smp_class_check_constructor(parser, type, has_pointer, start) &&
           smp_parser_expect(parser, close);
}

/* What follows the name: a value, or none. *has: there is one. */
static bool parse_initial(smp_parser *parser, const declarator *d, smp_operand *out, bool *has) {
    size_t position = parser->token.position;
    bool is_plain = smp_parser_accept(parser, '=');
    bool is_call = !is_plain && smp_parser_is(parser, '(');
    *out = (smp_operand){.form = SMP_FORM_VALUE, .kind = SMP_DATA, .position = position};
    *has = is_plain || is_call || smp_parser_is(parser, '{');
    if (!*has && !d->is_pointer &&
        !smp_class_check_constructor(parser, d->use->type, false, d->name.position))
        return false;
    if (!*has)
        return smp_emit_unknown(parser, SMP_REASON_UNSET, d->name.text, d->name.length,
                                d->name.position);
    bool is_scalar =
        (smp_type_is_integer(d->use->type) || d->use->is_auto) && d->shape.dim_count == 0;
    const bool is_object = d->use->type && d->use->type->class_of && !d->is_pointer &&
                           !d->is_reference && d->shape.dim_count == 0;
    if ((smp_parser_is(parser, '{') && !is_scalar) || (is_call && is_object))
        return parse_list(parser, d->use->type, 0) &&
               smp_emit_unknown(parser, SMP_REASON_LOCAL, d->name.text, d->name.length, position);
    uint32_t close = is_call ? ')' : smp_parser_is(parser, '{') ? '}' : 0;
    if (close != 0)
        smp_parser_next(parser);
    if (close == '}' && smp_type_is_integer(d->use->type) && smp_parser_accept(parser, '}')) {
        out->kind = SMP_I32;
        return smp_emit_constant(parser, 0, position);
    }
    bool takes_many = is_call && !is_scalar;
    if (takes_many ? !smp_expr_parse(parser, out) : !smp_expr_assignment(parser, out))
        return false;
    return close == 0 || smp_parser_expect(parser, close);
}

/* The code of a declarator's value is a statement of its own. */
static bool finish(smp_parser *parser, smp_program *program, smp_kind kind) {
    smp_program_end(parser, kind, program);
    return smp_program_add(parser, program);
}

static bool declare_integer(smp_parser *parser, smp_symbol *symbol, const smp_type *type,
                            smp_operand *value, bool has, smp_program *program) {
    size_t position = value->position;
    const smp_expr_code *code = parser->code;
    bool is_constant = symbol->is_const && has && program->start + 1 == code->count &&
                       code->items[program->start].op == SMP_CODE_CONST && value->kind != SMP_DATA;
    symbol->kind = smp_type_kind(type);
    symbol->shape = (smp_shape){.type = type};
    if (is_constant) {
        smp_kind kind;
        if (!smp_emit_cast(parser, type->integer, position, &kind))
            return false;
        symbol->meaning = SMP_MEANS_CONSTANT;
        symbol->value = parser->code->items[--parser->code->count].value;
        return smp_symbol_add(parser, symbol, position) != NULL;
    }
    symbol->meaning = SMP_MEANS_INTEGER;
    return smp_slot_new(parser, position, &symbol->slot) &&
           smp_operand_set(parser, symbol, value, position) &&
           smp_symbol_add(parser, symbol, position) && finish(parser, program, symbol->kind);
}

static bool declare_pointer(smp_parser *parser, smp_symbol *symbol, smp_operand *value,
                            smp_program *program) {
    symbol->meaning = SMP_MEANS_POINTER;
    return smp_operand_value(parser, value) &&
           smp_slot_new(parser, value->position, &symbol->slot) &&
           smp_operand_set(parser, symbol, value, value->position) &&
           smp_symbol_add(parser, symbol, value->position) && finish(parser, program, SMP_I64);
}

bool smp_pointer_declare(smp_parser *parser, const smp_token *name, int array, bool is_const) {
    smp_symbol symbol = {
        .name = name->text, .length = name->length, .array = SMP_ARRAY_NONE, .is_const = is_const};
    smp_program program;
    smp_operand start;
    smp_program_begin(parser, &program);
    return smp_place_array(parser, array, name, &start) &&
           declare_pointer(parser, &symbol, &start, &program);
}

/* Another name for an object, or for a variable. */
static bool declare_reference(smp_parser *parser, const declarator *d, smp_symbol *symbol,
                              smp_operand *value, smp_program *program) {
    if (value->form == SMP_FORM_SLOT) {
        smp_symbol same = *value->symbol;
        same.name = symbol->name;
        same.length = symbol->length;
        return smp_symbol_add(parser, &same, value->position) != NULL;
    }
    if (value->form != SMP_FORM_OBJECT)
        return smp_parser_fail(parser, SMP_E_SYNTAX, value->position,
                               "a reference needs a variable or an element");
    if (!smp_place_address(parser, value, d->name.position))
        return false;
    symbol->shape = value->shape;
    symbol->array = value->array;
    if (value->array == SMP_ARRAY_LOCAL) {
        symbol->meaning = SMP_MEANS_LOCAL;
        return smp_symbol_add(parser, symbol, value->position) != NULL;
    }
    symbol->meaning = SMP_MEANS_POINTER;
    if (!smp_slot_new(parser, value->position, &symbol->slot) ||
        !smp_operand_set(parser, symbol, value, value->position))
        return false;
    symbol->meaning = SMP_MEANS_REFERENCE;
    return smp_symbol_add(parser, symbol, value->position) && finish(parser, program, SMP_I64);
}

/* An object of the thread's own: only what its value reads counts. */
static bool declare_local(smp_parser *parser, smp_symbol *symbol, smp_operand *value,
                          smp_program *program) {
    symbol->meaning = SMP_MEANS_LOCAL;
    return smp_operand_value(parser, value) && smp_symbol_add(parser, symbol, value->position) &&
           finish(parser, program, SMP_DATA);
}

static bool declare_auto(smp_parser *parser, smp_symbol *symbol, smp_operand *value, bool has,
                         smp_program *program) {
    if (!has)
        return smp_parser_fail(parser, SMP_E_SYNTAX, value->position, "auto needs a value");
    if (!smp_operand_value(parser, value))
        return false;
    if (value->form == SMP_FORM_POINTER)
        return declare_pointer(parser, symbol, value, program);
    symbol->shape.type = smp_operand_type(value);
    if (value->kind == SMP_DATA)
        return declare_local(parser, symbol, value, program);
    return declare_integer(parser, symbol, symbol->shape.type, value, has, program);
}

static bool declare(smp_parser *parser, const smp_type_use *use) {
    declarator d;
    smp_operand value;
    smp_program program;
    bool has;
    if (!parse_declarator(parser, use, &d))
        return false;
    smp_symbol symbol = symbol_of(&d);
    if (use->is_auto && !d.is_pointer && smp_lambda_starts(parser))
        return smp_lambda_declare(parser, &d.name);
    const bool is_plain = !use->is_auto && !use->is_void && !d.is_pointer && !d.is_reference;
    if (is_plain && smp_local_array_is_followed(parser, &d.name, d.shape))
        return smp_local_array_declare(parser, &symbol, d.name.position);
    smp_program_begin(parser, &program);
    if (!parse_initial(parser, &d, &value, &has))
        return false;
    if (d.is_reference)
        return declare_reference(parser, &d, &symbol, &value, &program);
    if (d.is_pointer)
        return declare_pointer(parser, &symbol, &value, &program);
    if (use->is_auto)
        return declare_auto(parser, &symbol, &value, has, &program);
    if (use->is_void)
        return smp_parser_fail(parser, SMP_E_SYNTAX, d.name.position, "a variable can't be void");
    if (!smp_type_is_integer(use->type) || d.shape.dim_count > 0)
        return declare_local(parser, &symbol, &value, &program);
    return smp_operand_value(parser, &value) &&
           declare_integer(parser, &symbol, use->type, &value, has, &program);
}

bool smp_variables_parse(smp_parser *parser) {
    smp_type_use use;
    bool sound = true;
    uint32_t ignored = 1;
    while (smp_parser_accept_name(parser, "static"))
        continue;
    if (!smp_align_parse(parser, &ignored) || !smp_type_use_parse(parser, &use) ||
        !smp_align_parse(parser, &ignored))
        return false;
    parser->goes_on = true;
    do {
        sound = declare(parser, &use);
    } while (sound && smp_parser_accept(parser, ','));
    parser->goes_on = false;
    return sound && smp_parser_expect_end(parser);
}

bool smp_let_parse(smp_parser *parser) {
    const smp_type_use use = {.is_auto = true};
    return declare(parser, &use) && smp_parser_expect_end(parser);
}
