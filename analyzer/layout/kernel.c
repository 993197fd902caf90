/* SPDX-License-Identifier: MIT */
/*
 * A kernel as it stands: "template <int N> __global__ void k(float *A, int n) { ... }". Pointers
 * among its parameters are arrays in global memory, unless a declaration before it says more;
 * integers need a value from 'define' where they decide an address; other parameters are data.
 */
#include <stdio.h>
#include <string.h>

#include "function.h"
#include "layout.h"

bool smp_kernel_starts(const smp_parser *parser) {
    static const char *const words[] = {"__global__", "template"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (smp_parser_is_name(parser, words[i]))
            return true;
    }
    smp_token next = smp_parser_peek(parser, 1);
    bool is_extern_c = smp_parser_is_name(parser, "extern") && next.kind == SMP_TOKEN_STRING;
    bool is_static = smp_parser_is_name(parser, "static") && smp_token_is(&next, "__global__");
    return is_extern_c || is_static;
}

/* True if the kernel gives the parameter another value somewhere. */
static bool is_set(const smp_parser *parser, const smp_token *name) {
    const smp_token *tokens = parser->tokens;
    for (uint32_t i = parser->at + 1; tokens[i].kind != SMP_TOKEN_END; i++) {
        const bool is_same = tokens[i].kind == SMP_TOKEN_NAME && tokens[i].length == name->length &&
                             memcmp(tokens[i].text, name->text, name->length) == 0;
        const bool is_stepped = smp_token_is_punct(&tokens[i - 1], SMP_PUNCT2('+', '+')) ||
                                smp_token_is_punct(&tokens[i - 1], SMP_PUNCT2('-', '-'));
        if (is_same && (is_stepped || smp_token_sets(&tokens[i + 1])))
            return true;
    }
    return false;
}

/* A variable that begins with its value, or with none that is known. */
static bool add_variable(smp_parser *parser, const smp_token *name, const smp_type *type,
                         const smp_symbol *given) {
    smp_program program;
    smp_operand value = {.form = SMP_FORM_VALUE, .kind = SMP_I64, .position = name->position};
    smp_symbol symbol = {.name = name->text,
                         .length = name->length,
                         .meaning = SMP_MEANS_INTEGER,
                         .kind = smp_type_kind(type),
                         .shape = {.type = type}};
    smp_program_begin(parser, &program);
    if (!(given ? smp_emit_constant(parser, given->value, name->position)
                : smp_emit_unknown(parser, SMP_REASON_GIVEN, name->text, name->length,
                                   name->position)) ||
        !smp_slot_new(parser, name->position, &symbol.slot) ||
        !smp_operand_set(parser, &symbol, &value, name->position))
        return false;
    smp_program_end(parser, symbol.kind, &program);
    return smp_program_add(parser, &program) &&
           smp_symbol_add(parser, &symbol, name->position) != NULL;
}

/* A parameter whose value was said before is a constant of its own type. *has: it was. */
static bool take_given(smp_parser *parser, const smp_token *name, const smp_type *type, bool *has) {
    const smp_symbol *given = smp_scope_find(&parser->layout->scope, name->text, name->length);
    *has = given != NULL;
    return !given || given->meaning != SMP_MEANS_CONSTANT ||
           smp_constant_add_as(parser, name, given->value, given->kind, type);
}

/* ---- Templates ------------------------------------------------------------------------- */

/* "int N = 4": the value that is given for it, else its own, else none. */
static bool parse_template_value(smp_parser *parser) {
    smp_type_use use;
    if (!smp_type_use_parse(parser, &use))
        return false;
    smp_token name = parser->token;
    if (name.kind != SMP_TOKEN_NAME)
        return true;
    smp_symbol symbol = {.name = name.text,
                         .length = name.length,
                         .meaning = SMP_MEANS_GIVEN,
                         .kind = use.type ? smp_type_kind(use.type) : SMP_I32,
                         .shape = {.type = use.type}};
    bool knows;
    if (!take_given(parser, &name, use.type, &knows))
        return false;
    smp_parser_next(parser);
    if (smp_parser_accept(parser, '=')) {
        smp_kind kind;
        parser->in_template = true;
        bool sound = smp_expr_constant(parser, &symbol.value, &kind);
        parser->in_template = false;
        if (!sound || !knows)
            return sound && smp_constant_add_as(parser, &name, symbol.value, kind, use.type);
    }
    return knows || smp_symbol_add(parser, &symbol, name.position) != NULL;
}

/* "typename T = float": a type that 'using' gives, else its own. */
static bool parse_template_type(smp_parser *parser) {
    smp_parser_next(parser);
    if (parser->token.kind != SMP_TOKEN_NAME)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "expected a name");
    bool knows = smp_type_starts(parser);
    smp_token name = parser->token, next = smp_parser_peek(parser, 1);
    if (!knows && next.code == '=')
        return smp_alias_parse(parser);
    smp_parser_next(parser);
    smp_type_use use;
    if (knows)
        return !smp_parser_accept(parser, '=') || smp_type_use_parse(parser, &use);
    return smp_parser_fail(parser, SMP_E_SYNTAX, name.position,
                           "which type '%.*s' is, is not given: define %.*s = float",
                           SMP_TOKEN_TEXT(name), SMP_TOKEN_TEXT(name));
}

static bool parse_template(smp_parser *parser) {
    smp_parser_next(parser);
    if (!smp_parser_expect(parser, '<'))
        return false;
    while (!smp_parser_is(parser, '>')) {
        bool is_type =
            smp_parser_is_name(parser, "typename") || smp_parser_is_name(parser, "class");
        if (!(is_type ? parse_template_type(parser) : parse_template_value(parser)))
            return false;
        if (!smp_parser_accept(parser, ','))
            break;
    }
    return smp_parser_expect(parser, '>');
}

/* ---- Parameters ------------------------------------------------------------------------ */

static void skip_qualifiers(smp_parser *parser) {
    while (smp_parser_accept_name(parser, "__restrict__") ||
           smp_parser_accept_name(parser, "__restrict") ||
           smp_parser_accept_name(parser, "const") || smp_parser_accept_name(parser, "volatile"))
        continue;
}

/* A pointer is an array in global memory, of unknown size if nothing before says more. */
static bool parse_pointer(smp_parser *parser, const smp_type_use *use) {
    smp_token name = parser->token;
    smp_array form = {.space = SMP_SPACE_GLOBAL, .align = 1, .type = use->type};
    int32_t column;
    form.line = smp_parser_line(parser, name.position, &column);
    int array = smp_array_find(parser->layout, name.text, name.length);
    if (array >= 0) {
        smp_parser_next(parser);
    } else if (!use->type) {
        return smp_parser_fail(parser, SMP_E_SYNTAX, name.position,
                               "what '%.*s' points to has no known size", SMP_TOKEN_TEXT(name));
    } else {
        form.align = use->type->align;
        array = (int)parser->layout->array_count;
        if (!smp_declarator_parse(parser, &form, true))
            return false;
    }
    return parser->layout->arrays[array].table.dim_count > 1 ||
           smp_pointer_declare(parser, &name, array, false);
}

static bool parse_value(smp_parser *parser, const smp_type_use *use) {
    smp_token name = parser->token;
    smp_symbol symbol = {.name = name.text,
                         .length = name.length,
                         .meaning =
                             smp_type_is_integer(use->type) ? SMP_MEANS_GIVEN : SMP_MEANS_LOCAL,
                         .kind = smp_type_kind(use->type),
                         .shape = {.type = use->type}};
    bool knows;
    const smp_symbol *given = smp_scope_find(&parser->layout->scope, name.text, name.length);
    if (smp_type_is_integer(use->type) && (!given || given->meaning == SMP_MEANS_CONSTANT) &&
        is_set(parser, &name)) {
        smp_parser_next(parser);
        return add_variable(parser, &name, use->type, given);
    }
    smp_parser_next(parser);
    return take_given(parser, &name, use->type, &knows) &&
           (knows || smp_symbol_add(parser, &symbol, name.position) != NULL);
}

static bool parse_parameter(smp_parser *parser) {
    smp_type_use use;
    smp_parser_accept_name(parser, "__grid_constant__");
    if (!smp_type_use_parse(parser, &use))
        return false;
    bool is_pointer = smp_parser_accept(parser, '*');
    skip_qualifiers(parser);
    if (smp_parser_is(parser, '*') || smp_parser_is(parser, '&') || smp_parser_is(parser, '('))
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "only values and pointers are understood as parameters");
    if (smp_parser_is(parser, ')') || smp_parser_is(parser, ','))
        return true;
    if (parser->token.kind != SMP_TOKEN_NAME)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "expected the parameter's name");
    smp_token next = smp_parser_peek(parser, 1);
    bool is_array = next.kind == SMP_TOKEN_PUNCT && next.code == '[';
    return is_pointer || is_array ? parse_pointer(parser, &use) : parse_value(parser, &use);
}

static bool parse_parameters(smp_parser *parser) {
    if (!smp_parser_expect(parser, '('))
        return false;
    while (!smp_parser_is(parser, ')')) {
        if (!parse_parameter(parser))
            return false;
        if (!smp_parser_accept(parser, ','))
            break;
    }
    return smp_parser_expect(parser, ')');
}

/* ---- The kernel ------------------------------------------------------------------------ */

/* "__launch_bounds__(256, 2)" and words that say nothing about accesses. */
static bool skip_attributes(smp_parser *parser) {
    for (;;) {
        if (smp_parser_accept_name(parser, "__launch_bounds__")) {
            if (!smp_parser_is(parser, '('))
                return smp_parser_expect(parser, '(');
            smp_parser_return(parser, smp_behind_bracket(parser->tokens, parser->at, '(', ')'));
        } else if (!smp_parser_accept_name(parser, "static") &&
                   !smp_parser_accept_name(parser, "inline") &&
                   !smp_parser_accept_name(parser, "__global__")) {
            return parser->status == SMP_OK;
        }
    }
}

/* "template __global__ void k<16>(float *);" makes code of what is there already. */
static bool is_instantiation(const smp_parser *parser) {
    smp_token next = smp_parser_peek(parser, 1);
    bool is_open = next.kind == SMP_TOKEN_PUNCT && next.code == '<';
    return smp_parser_is_name(parser, "template") && !is_open;
}

static bool skip_to_semicolon(smp_parser *parser) {
    while (parser->token.kind != SMP_TOKEN_END && !smp_parser_is(parser, ';'))
        smp_parser_next(parser);
    return smp_parser_expect(parser, ';');
}

bool smp_kernel_choose(smp_parser *parser) {
    smp_layout *layout = parser->layout;
    if (parser->token.kind != SMP_TOKEN_NAME)
        return smp_parser_fail(parser, parser->is_option ? SMP_E_USAGE : SMP_E_SYNTAX,
                               parser->token.position, "expected the name of a kernel");
    layout->kernel_name = parser->token.text;
    layout->kernel_length = parser->token.length;
    smp_parser_next(parser);
    return smp_parser_expect_end(parser);
}

/* The token before a list: the kernel's name. */
static uint32_t find_name(const smp_parser *parser) {
    const smp_token *tokens = parser->tokens;
    uint32_t at = parser->at;
    while (tokens[at].kind != SMP_TOKEN_END && !smp_token_is(&tokens[at], "void"))
        at++;
    for (; tokens[at].kind != SMP_TOKEN_END; at++) {
        bool is_list = smp_token_is_punct(&tokens[at + 1], '(');
        if (is_list && smp_token_is(&tokens[at], "__launch_bounds__"))
            at = smp_behind_bracket(tokens, at + 1, '(', ')') - 1;
        else if (is_list && tokens[at].kind == SMP_TOKEN_NAME)
            break;
    }
    return at;
}

/* Passes over a kernel that is not the one that is asked for. */
static bool skip_other(smp_parser *parser, bool *is_other) {
    smp_layout *layout = parser->layout;
    const smp_token *tokens = parser->tokens;
    uint32_t at = find_name(parser);
    const smp_token *name = &tokens[at];
    size_t length = strlen(layout->other_kernels);
    *is_other = layout->kernel_length > 0 && name->kind == SMP_TOKEN_NAME &&
                (name->length != layout->kernel_length ||
                 memcmp(name->text, layout->kernel_name, name->length) != 0);
    if (!*is_other)
        return true;
    at = smp_behind_bracket(tokens, at + 1, '(', ')');
    bool has_body = smp_token_is_punct(&tokens[at], '{');
    if (has_body)
        (void)snprintf(layout->other_kernels + length, sizeof layout->other_kernels - length,
                       "%s%.*s", length > 0 ? ", " : "", SMP_TOKEN_TEXT(*name));
    smp_parser_return(parser, has_body ? smp_behind_bracket(tokens, at, '{', '}') : at);
    return parser->status == SMP_OK;
}

bool smp_kernel_parse(smp_parser *parser) {
    smp_layout *layout = parser->layout;
    bool is_other;
    if (is_instantiation(parser))
        return skip_to_semicolon(parser);
    if (!skip_other(parser, &is_other) || is_other)
        return parser->status == SMP_OK;
    size_t mark = smp_scope_begin(layout), names = layout->scope.count;
    if (smp_parser_accept_name(parser, "extern"))
        smp_parser_next(parser);
    while (smp_parser_is_name(parser, "template")) {
        if (!parse_template(parser))
            return false;
    }
    size_t position = parser->token.position;
    if (!skip_attributes(parser))
        return false;
    if (!smp_parser_accept_name(parser, "void"))
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "expected a kernel: __global__ void name(...)");
    if (!skip_attributes(parser))
        return false;
    if (layout->has_kernel)
        return smp_parser_fail(
            parser, SMP_E_SYNTAX, position,
            "a second kernel: say which by its name, or by a line 'kernel NAME' in front");
    smp_parser_next(parser);
    if (!parse_parameters(parser))
        return false;
    if (smp_parser_accept(parser, ';')) {
        smp_scope_end(layout, mark);
        return parser->status == SMP_OK;
    }
    layout->has_kernel = true;
    layout->kernel_names = names;
    if (!smp_parser_is(parser, '{'))
        return smp_parser_expect(parser, '{');
    bool sound = smp_statement_parse(parser);
    smp_scope_end(layout, mark);
    return sound;
}

/* ---- What runs on the CPU --------------------------------------------------------------- */

/* Words that begin something else with brackets and braces: "if constexpr (c) {", or
 * "__shared__ struct __align__(16) {". */
static bool is_no_host_word(const smp_token *token) {
    static const char *const words[] = {
        "__device__", "__global__", "__shared__", "shared",    "global", "struct", "class",
        "union",      "enum",       "alignas",    "__align__", "if",     "else",   "for",
        "while",      "do",         "switch",     "return",    "goto",   "asm"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (smp_token_is(token, words[i]))
            return true;
    return false;
}

/* "int main(int argc, char **argv) {", "MODULE(name, m) {": names, a list, a body; "void f(int);"
 * and "extern int f(int);". 0: none; else the token behind it. */
static uint32_t host_function_end(const smp_parser *parser) {
    static const char between[] = "<>,*&:";
    const smp_token *tokens = parser->tokens;
    uint32_t at = parser->at;
    unsigned names = 0;
    for (;; at++) {
        const smp_token *token = &tokens[at];
        bool is_name = token->kind == SMP_TOKEN_NAME;
        if (is_no_host_word(token))
            return 0;
        names += is_name;
        if (!is_name &&
            (token->kind != SMP_TOKEN_PUNCT || !strchr(between, (int)(token->code & 0x7f))))
            break;
    }
    bool has_list = tokens[at].kind == SMP_TOKEN_PUNCT && tokens[at].code == '(';
    if (names < 1 || !has_list || tokens[at - 1].kind != SMP_TOKEN_NAME)
        return 0;
    at = smp_behind_bracket(tokens, at, '(', ')');
    bool has_body = tokens[at].kind == SMP_TOKEN_PUNCT && tokens[at].code == '{';
    bool is_declared = names > 1 && smp_token_is_punct(&tokens[at], ';') &&
                       (smp_parser_is_name(parser, "void") || smp_parser_is_name(parser, "extern"));
    return has_body ? smp_behind_bracket(tokens, at, '{', '}') : is_declared ? at + 1 : 0;
}

bool smp_host_function_skip(smp_parser *parser) {
    uint32_t end = parser->layout->open == 0 ? host_function_end(parser) : 0;
    if (end > 0)
        smp_parser_return(parser, end);
    return end > 0;
}
