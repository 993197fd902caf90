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

ct_symbol *ct_symbol_add(ct_parser *parser, const ct_symbol *symbol, size_t position) {
    ct_scope *scope = &parser->layout->scope;
    if (scope->count == CT_SYMBOLS_MAX) {
        (void)ct_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d names",
                             CT_SYMBOLS_MAX);
        return NULL;
    }
    scope->symbols[scope->count] = *symbol;
    scope->symbols[scope->count].open = parser->layout->open;
    return &scope->symbols[scope->count++];
}

bool ct_constant_add(ct_parser *parser, const ct_token *name, int64_t value, ct_kind kind) {
    ct_symbol symbol = {.name = name->text,
                        .length = name->length,
                        .meaning = CT_MEANS_CONSTANT,
                        .kind = kind,
                        .value = value};
    return ct_symbol_add(parser, &symbol, name->position) != NULL;
}

bool ct_constant_add_as(ct_parser *parser, const ct_token *name, int64_t value, ct_kind kind,
                        const smp_type *type) {
    if (!smp_type_is_integer(type))
        return ct_constant_add(parser, name, value, kind);
    ct_symbol symbol = {.name = name->text,
                        .length = name->length,
                        .meaning = CT_MEANS_CONSTANT,
                        .kind = ct_type_kind(type),
                        .value =
                            ct_integer_cast(value, type->integer.bits, type->integer.is_signed),
                        .shape = {.type = type}};
    return ct_symbol_add(parser, &symbol, name->position) != NULL;
}

bool ct_slot_new(ct_parser *parser, size_t position, uint16_t *slot) {
    smp_layout *layout = parser->layout;
    if (layout->kernel.slot_count == CT_SLOTS_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d variables",
                              CT_SLOTS_MAX - CT_SLOT_FREE);
    *slot = (uint16_t)layout->kernel.slot_count++;
    return true;
}

static bool is_in_block(const ct_scope *scope, const ct_token *name) {
    for (size_t i = scope->first; i < scope->count; i++) {
        const ct_symbol *symbol = &scope->symbols[i];
        if (symbol->length == name->length && memcmp(symbol->name, name->text, name->length) == 0)
            return true;
    }
    return false;
}

bool ct_new_name_parse(ct_parser *parser, ct_token *name) {
    uint16_t slot;
    unsigned dimensions;
    *name = parser->token;
    if (name->kind != CT_TOKEN_NAME)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name->position, "expected a name");
    bool is_taken =
        is_in_block(&parser->layout->scope, name) ||
        (!parser->layout->has_kernel && parser->layout->open == 0 &&
         smp_array_find(parser->layout, name->text, name->length) >= 0) ||
        ct_token_is(name, "warpSize") ||
        (ct_builtin_find(name->text, name->length, &slot, &dimensions) && dimensions > 1);
    if (is_taken)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name->position, "'%.*s' already has a meaning",
                              CT_TOKEN_TEXT(*name));
    ct_parser_next(parser);
    return parser->status == SMP_OK;
}

size_t ct_scope_begin(smp_layout *layout) {
    size_t mark = layout->scope.first;
    layout->scope.first = layout->scope.count;
    return mark;
}

void ct_scope_end(smp_layout *layout, size_t mark) {
    layout->scope.count = layout->scope.first;
    layout->scope.first = mark;
}

/* ---- Declarators ----------------------------------------------------------------------- */

typedef struct declarator {
    const ct_type_use *use;
    ct_token name;
    bool is_pointer, is_reference, is_const;
    smp_shape shape;
} declarator;

static bool parse_dims(ct_parser *parser, smp_shape *shape, bool *has_open) {
    while (ct_parser_accept(parser, '[')) {
        int64_t extent = 1;
        bool is_open = ct_parser_is(parser, ']');
        if (shape->dim_count == SMP_SHAPE_DIMS_MAX)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                  "more than %d dimensions", SMP_SHAPE_DIMS_MAX);
        *has_open |= is_open && shape->dim_count == 0;
        if (!is_open && !ct_expr_constant_in(parser, "the dimension", 1, INT64_C(1) << 24, &extent))
            return false;
        shape->dims[shape->dim_count++] = (uint32_t)extent;
        if (!ct_parser_expect(parser, ']'))
            return false;
    }
    return parser->status == SMP_OK;
}

static bool skip_qualifiers(ct_parser *parser) {
    bool is_const = false;
    while (ct_parser_is_name(parser, "const") || ct_parser_is_name(parser, "__restrict__") ||
           ct_parser_is_name(parser, "__restrict") || ct_parser_is_name(parser, "volatile")) {
        is_const |= ct_parser_is_name(parser, "const");
        ct_parser_next(parser);
    }
    return is_const;
}

/* "int o[] = {1, 2, 3};" */
static bool count_elements(ct_parser *parser, smp_shape *shape) {
    const uint32_t at = parser->at + ct_parser_is(parser, '=');
    if (!ct_token_is_punct(&parser->tokens[at], '{'))
        return true; /* a parameter's, or a text */
    const bool is_nested = ct_token_is_punct(&parser->tokens[at + 1], '{');
    uint32_t row = 1;
    for (uint32_t d = 1; d < shape->dim_count && !is_nested; d++)
        row *= shape->dims[d];
    shape->dims[0] = (ct_list_count(parser->tokens, at) + row - 1) / row;
    return true;
}

static bool parse_declarator(ct_parser *parser, const ct_type_use *use, declarator *out) {
    *out = (declarator){.use = use, .shape = {.type = use->type}};
    bool is_nested = ct_parser_is(parser, '(') && ct_parser_peek(parser, 1).code == '*';
    if (is_nested)
        ct_parser_next(parser);
    if (ct_parser_accept(parser, '*')) {
        out->is_pointer = true;
        out->is_const = skip_qualifiers(parser);
    } else {
        out->is_reference = ct_parser_accept(parser, '&');
        out->is_const = use->is_const;
    }
    if (ct_parser_is(parser, '*'))
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "pointers to pointers are not understood");
    if (!ct_new_name_parse(parser, &out->name) || (is_nested && !ct_parser_expect(parser, ')')))
        return false;
    bool is_array = ct_parser_is(parser, '[');
    if (is_array && out->is_pointer && !is_nested)
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "arrays of pointers are not understood");
    bool has_open = false;
    return parse_dims(parser, &out->shape, &has_open) &&
           (!has_open || count_elements(parser, &out->shape));
}

static ct_symbol symbol_of(const declarator *d) {
    return (ct_symbol){.name = d->name.text,
                       .length = d->name.length,
                       .shape = d->shape,
                       .array = CT_ARRAY_NONE,
                       .is_const = d->is_const};
}

/* ---- Values ---------------------------------------------------------------------------- */

/* "{1, 2, {3}}": parts that are read for nothing but their accesses. */
static bool parse_list(ct_parser *parser, const smp_type *type, unsigned depth) {
    const uint32_t close = ct_parser_is(parser, '(') ? ')' : '}';
    const size_t start = parser->token.position;
    bool has_pointer = false;
    ct_parser_next(parser);
    while (!ct_parser_is(parser, close)) {
        ct_operand part;
        size_t position = parser->token.position;
        if (ct_parser_is(parser, '{')) {
            if (depth > 8 || !parse_list(parser, NULL, depth + 1))
                return ct_parser_fail(parser, SMP_E_SYNTAX, position, "nested too deeply");
        } else if (!ct_expr_assignment(parser, &part) || !ct_operand_value(parser, &part) ||
                   !ct_emit_drop(parser, position)) {
            return false;
        } else {
            has_pointer |= part.form == CT_FORM_POINTER && part.array >= 0;
        }
        if (!ct_parser_accept(parser, ','))
            break;
    }
    return ct_class_check_constructor(parser, type, has_pointer, start) &&
           ct_parser_expect(parser, close);
}

/* What follows the name: a value, or none. *has: there is one. */
static bool parse_initial(ct_parser *parser, const declarator *d, ct_operand *out, bool *has) {
    size_t position = parser->token.position;
    bool is_plain = ct_parser_accept(parser, '=');
    bool is_call = !is_plain && ct_parser_is(parser, '(');
    *out = (ct_operand){.form = CT_FORM_VALUE, .kind = CT_DATA, .position = position};
    *has = is_plain || is_call || ct_parser_is(parser, '{');
    if (!*has && !d->is_pointer &&
        !ct_class_check_constructor(parser, d->use->type, false, d->name.position))
        return false;
    if (!*has)
        return ct_emit_unknown(parser, CT_REASON_UNSET, d->name.text, d->name.length,
                               d->name.position);
    bool is_scalar =
        (smp_type_is_integer(d->use->type) || d->use->is_auto) && d->shape.dim_count == 0;
    const bool is_object = d->use->type && d->use->type->class_of && !d->is_pointer &&
                           !d->is_reference && d->shape.dim_count == 0;
    if ((ct_parser_is(parser, '{') && !is_scalar) || (is_call && is_object))
        return parse_list(parser, d->use->type, 0) &&
               ct_emit_unknown(parser, CT_REASON_LOCAL, d->name.text, d->name.length, position);
    uint32_t close = is_call ? ')' : ct_parser_is(parser, '{') ? '}' : 0;
    if (close != 0)
        ct_parser_next(parser);
    if (close == '}' && smp_type_is_integer(d->use->type) && ct_parser_accept(parser, '}')) {
        out->kind = CT_I32;
        return ct_emit_constant(parser, 0, position);
    }
    bool takes_many = is_call && !is_scalar;
    if (takes_many ? !ct_expr_parse(parser, out) : !ct_expr_assignment(parser, out))
        return false;
    return close == 0 || ct_parser_expect(parser, close);
}

/* The code of a declarator's value is a statement of its own. */
static bool finish(ct_parser *parser, ct_program *program, ct_kind kind) {
    ct_program_end(parser, kind, program);
    return ct_program_add(parser, program);
}

static bool declare_integer(ct_parser *parser, ct_symbol *symbol, const smp_type *type,
                            ct_operand *value, bool has, ct_program *program) {
    size_t position = value->position;
    const ct_expr_code *code = parser->code;
    bool is_constant = symbol->is_const && has && program->start + 1 == code->count &&
                       code->items[program->start].op == CT_CODE_CONST && value->kind != CT_DATA;
    symbol->kind = ct_type_kind(type);
    symbol->shape = (smp_shape){.type = type};
    if (is_constant) {
        ct_kind kind;
        if (!ct_emit_cast(parser, type->integer, position, &kind))
            return false;
        symbol->meaning = CT_MEANS_CONSTANT;
        symbol->value = parser->code->items[--parser->code->count].value;
        return ct_symbol_add(parser, symbol, position) != NULL;
    }
    symbol->meaning = CT_MEANS_INTEGER;
    return ct_slot_new(parser, position, &symbol->slot) &&
           ct_operand_set(parser, symbol, value, position) &&
           ct_symbol_add(parser, symbol, position) && finish(parser, program, symbol->kind);
}

static bool declare_pointer(ct_parser *parser, ct_symbol *symbol, ct_operand *value,
                            ct_program *program) {
    symbol->meaning = CT_MEANS_POINTER;
    return ct_operand_value(parser, value) && ct_slot_new(parser, value->position, &symbol->slot) &&
           ct_operand_set(parser, symbol, value, value->position) &&
           ct_symbol_add(parser, symbol, value->position) && finish(parser, program, CT_I64);
}

bool ct_pointer_declare(ct_parser *parser, const ct_token *name, int array, bool is_const) {
    ct_symbol symbol = {
        .name = name->text, .length = name->length, .array = CT_ARRAY_NONE, .is_const = is_const};
    ct_program program;
    ct_operand start;
    ct_program_begin(parser, &program);
    return ct_place_array(parser, array, name, &start) &&
           declare_pointer(parser, &symbol, &start, &program);
}

/* Another name for an object, or for a variable. */
static bool declare_reference(ct_parser *parser, const declarator *d, ct_symbol *symbol,
                              ct_operand *value, ct_program *program) {
    if (value->form == CT_FORM_SLOT) {
        ct_symbol same = *value->symbol;
        same.name = symbol->name;
        same.length = symbol->length;
        return ct_symbol_add(parser, &same, value->position) != NULL;
    }
    if (value->form != CT_FORM_OBJECT)
        return ct_parser_fail(parser, SMP_E_SYNTAX, value->position,
                              "a reference needs a variable or an element");
    if (!ct_place_address(parser, value, d->name.position))
        return false;
    symbol->shape = value->shape;
    symbol->array = value->array;
    if (value->array == CT_ARRAY_LOCAL) {
        symbol->meaning = CT_MEANS_LOCAL;
        return ct_symbol_add(parser, symbol, value->position) != NULL;
    }
    symbol->meaning = CT_MEANS_POINTER;
    if (!ct_slot_new(parser, value->position, &symbol->slot) ||
        !ct_operand_set(parser, symbol, value, value->position))
        return false;
    symbol->meaning = CT_MEANS_REFERENCE;
    return ct_symbol_add(parser, symbol, value->position) && finish(parser, program, CT_I64);
}

/* An object of the thread's own: only what its value reads counts. */
static bool declare_local(ct_parser *parser, ct_symbol *symbol, ct_operand *value,
                          ct_program *program) {
    symbol->meaning = CT_MEANS_LOCAL;
    return ct_operand_value(parser, value) && ct_symbol_add(parser, symbol, value->position) &&
           finish(parser, program, CT_DATA);
}

static bool declare_auto(ct_parser *parser, ct_symbol *symbol, ct_operand *value, bool has,
                         ct_program *program) {
    if (!has)
        return ct_parser_fail(parser, SMP_E_SYNTAX, value->position, "auto needs a value");
    if (!ct_operand_value(parser, value))
        return false;
    if (value->form == CT_FORM_POINTER)
        return declare_pointer(parser, symbol, value, program);
    symbol->shape.type = ct_operand_type(value);
    if (value->kind == CT_DATA)
        return declare_local(parser, symbol, value, program);
    return declare_integer(parser, symbol, symbol->shape.type, value, has, program);
}

static bool declare(ct_parser *parser, const ct_type_use *use) {
    declarator d;
    ct_operand value;
    ct_program program;
    bool has;
    if (!parse_declarator(parser, use, &d))
        return false;
    ct_symbol symbol = symbol_of(&d);
    if (use->is_auto && !d.is_pointer && ct_lambda_starts(parser))
        return ct_lambda_declare(parser, &d.name);
    const bool is_plain = !use->is_auto && !use->is_void && !d.is_pointer && !d.is_reference;
    if (is_plain && ct_local_array_is_followed(parser, &d.name, d.shape))
        return ct_local_array_declare(parser, &symbol, d.name.position);
    ct_program_begin(parser, &program);
    if (!parse_initial(parser, &d, &value, &has))
        return false;
    if (d.is_reference)
        return declare_reference(parser, &d, &symbol, &value, &program);
    if (d.is_pointer)
        return declare_pointer(parser, &symbol, &value, &program);
    if (use->is_auto)
        return declare_auto(parser, &symbol, &value, has, &program);
    if (use->is_void)
        return ct_parser_fail(parser, SMP_E_SYNTAX, d.name.position, "a variable can't be void");
    if (!smp_type_is_integer(use->type) || d.shape.dim_count > 0)
        return declare_local(parser, &symbol, &value, &program);
    return ct_operand_value(parser, &value) &&
           declare_integer(parser, &symbol, use->type, &value, has, &program);
}

bool ct_variables_parse(ct_parser *parser) {
    ct_type_use use;
    bool sound = true;
    uint32_t ignored = 1;
    while (ct_parser_accept_name(parser, "static"))
        continue;
    if (!ct_align_parse(parser, &ignored) || !ct_type_use_parse(parser, &use) ||
        !ct_align_parse(parser, &ignored))
        return false;
    parser->goes_on = true;
    do {
        sound = declare(parser, &use);
    } while (sound && ct_parser_accept(parser, ','));
    parser->goes_on = false;
    return sound && ct_parser_expect_end(parser);
}

bool ct_let_parse(ct_parser *parser) {
    const ct_type_use use = {.is_auto = true};
    return declare(parser, &use) && ct_parser_expect_end(parser);
}
