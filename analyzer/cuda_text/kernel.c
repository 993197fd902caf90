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

bool ct_kernel_starts(const ct_parser *parser) {
    static const char *const words[] = {"__global__", "template"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (ct_parser_is_name(parser, words[i]))
            return true;
    }
    ct_token next = ct_parser_peek(parser, 1);
    bool is_extern_c = ct_parser_is_name(parser, "extern") && next.kind == CT_TOKEN_STRING;
    bool is_static = ct_parser_is_name(parser, "static") && ct_token_is(&next, "__global__");
    return is_extern_c || is_static;
}

/* True if the kernel gives the parameter another value somewhere. */
static bool is_set(const ct_parser *parser, const ct_token *name) {
    const ct_token *tokens = parser->tokens;
    for (uint32_t i = parser->at + 1; tokens[i].kind != CT_TOKEN_END; i++) {
        const bool is_same = tokens[i].kind == CT_TOKEN_NAME && tokens[i].length == name->length &&
                             memcmp(tokens[i].text, name->text, name->length) == 0;
        const bool is_stepped = ct_token_is_punct(&tokens[i - 1], CT_PUNCT2('+', '+')) ||
                                ct_token_is_punct(&tokens[i - 1], CT_PUNCT2('-', '-'));
        if (is_same && (is_stepped || ct_token_sets(&tokens[i + 1])))
            return true;
    }
    return false;
}

/* A variable that begins with its value, or with none that is known. */
static bool add_variable(ct_parser *parser, const ct_token *name, const smp_type *type,
                         const ct_symbol *given) {
    ct_program program;
    ct_operand value = {.form = CT_FORM_VALUE, .kind = CT_I64, .position = name->position};
    ct_symbol symbol = {.name = name->text,
                        .length = name->length,
                        .meaning = CT_MEANS_INTEGER,
                        .kind = ct_type_kind(type),
                        .shape = {.type = type}};
    ct_program_begin(parser, &program);
    if (!(given ? ct_emit_constant(parser, given->value, name->position)
                : ct_emit_unknown(parser, CT_REASON_GIVEN, name->text, name->length,
                                  name->position)) ||
        !ct_slot_new(parser, name->position, &symbol.slot) ||
        !ct_operand_set(parser, &symbol, &value, name->position))
        return false;
    ct_program_end(parser, symbol.kind, &program);
    return ct_program_add(parser, &program) &&
           ct_symbol_add(parser, &symbol, name->position) != NULL;
}

/* A parameter whose value was said before is a constant of its own type. *has: it was. */
static bool take_given(ct_parser *parser, const ct_token *name, const smp_type *type, bool *has) {
    const ct_symbol *given = ct_scope_find(&parser->layout->scope, name->text, name->length);
    *has = given != NULL;
    return !given || given->meaning != CT_MEANS_CONSTANT ||
           ct_constant_add_as(parser, name, given->value, given->kind, type);
}

/* ---- Templates ------------------------------------------------------------------------- */

/* "int N = 4": the value that is given for it, else its own, else none. */
static bool parse_template_value(ct_parser *parser) {
    ct_type_use use;
    if (!ct_type_use_parse(parser, &use))
        return false;
    ct_token name = parser->token;
    if (name.kind != CT_TOKEN_NAME)
        return true;
    ct_symbol symbol = {.name = name.text,
                        .length = name.length,
                        .meaning = CT_MEANS_GIVEN,
                        .kind = use.type ? ct_type_kind(use.type) : CT_I32,
                        .shape = {.type = use.type}};
    bool knows;
    if (!take_given(parser, &name, use.type, &knows))
        return false;
    ct_parser_next(parser);
    if (ct_parser_accept(parser, '=')) {
        ct_kind kind;
        parser->in_template = true;
        bool sound = ct_expr_constant(parser, &symbol.value, &kind);
        parser->in_template = false;
        if (!sound || !knows)
            return sound && ct_constant_add_as(parser, &name, symbol.value, kind, use.type);
    }
    return knows || ct_symbol_add(parser, &symbol, name.position) != NULL;
}

/* "typename T = float": a type that 'using' gives, else its own. */
static bool parse_template_type(ct_parser *parser) {
    ct_parser_next(parser);
    if (parser->token.kind != CT_TOKEN_NAME)
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "expected a name");
    bool knows = ct_type_starts(parser);
    ct_token name = parser->token, next = ct_parser_peek(parser, 1);
    if (!knows && next.code == '=')
        return ct_alias_parse(parser);
    ct_parser_next(parser);
    ct_type_use use;
    if (knows)
        return !ct_parser_accept(parser, '=') || ct_type_use_parse(parser, &use);
    return ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                          "which type '%.*s' is, is not given: define %.*s = float",
                          CT_TOKEN_TEXT(name), CT_TOKEN_TEXT(name));
}

static bool parse_template(ct_parser *parser) {
    ct_parser_next(parser);
    if (!ct_parser_expect(parser, '<'))
        return false;
    while (!ct_parser_is(parser, '>')) {
        bool is_type = ct_parser_is_name(parser, "typename") || ct_parser_is_name(parser, "class");
        if (!(is_type ? parse_template_type(parser) : parse_template_value(parser)))
            return false;
        if (!ct_parser_accept(parser, ','))
            break;
    }
    return ct_parser_expect(parser, '>');
}

/* ---- Parameters ------------------------------------------------------------------------ */

static void skip_qualifiers(ct_parser *parser) {
    while (ct_parser_accept_name(parser, "__restrict__") ||
           ct_parser_accept_name(parser, "__restrict") || ct_parser_accept_name(parser, "const") ||
           ct_parser_accept_name(parser, "volatile"))
        continue;
}

/* A pointer is an array in global memory, of unknown size if nothing before says more. */
static bool parse_pointer(ct_parser *parser, const ct_type_use *use) {
    ct_token name = parser->token;
    smp_array form = {.space = SMP_SPACE_GLOBAL, .align = 1, .type = use->type};
    int32_t column;
    form.line = ct_parser_line(parser, name.position, &column);
    int array = smp_array_find(parser->layout, name.text, name.length);
    if (array >= 0) {
        ct_parser_next(parser);
    } else if (!use->type) {
        return ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                              "what '%.*s' points to has no known size", CT_TOKEN_TEXT(name));
    } else {
        form.align = use->type->align;
        array = (int)parser->layout->kernel.array_count;
        if (!ct_declarator_parse(parser, &form, true))
            return false;
    }
    return parser->layout->kernel.arrays[array].table.dim_count > 1 ||
           ct_pointer_declare(parser, &name, array, false);
}

static bool parse_value(ct_parser *parser, const ct_type_use *use) {
    ct_token name = parser->token;
    ct_symbol symbol = {.name = name.text,
                        .length = name.length,
                        .meaning = smp_type_is_integer(use->type) ? CT_MEANS_GIVEN : CT_MEANS_LOCAL,
                        .kind = ct_type_kind(use->type),
                        .shape = {.type = use->type}};
    bool knows;
    const ct_symbol *given = ct_scope_find(&parser->layout->scope, name.text, name.length);
    if (smp_type_is_integer(use->type) && (!given || given->meaning == CT_MEANS_CONSTANT) &&
        is_set(parser, &name)) {
        ct_parser_next(parser);
        return add_variable(parser, &name, use->type, given);
    }
    ct_parser_next(parser);
    return take_given(parser, &name, use->type, &knows) &&
           (knows || ct_symbol_add(parser, &symbol, name.position) != NULL);
}

static bool parse_parameter(ct_parser *parser) {
    ct_type_use use;
    ct_parser_accept_name(parser, "__grid_constant__");
    if (!ct_type_use_parse(parser, &use))
        return false;
    bool is_pointer = ct_parser_accept(parser, '*');
    skip_qualifiers(parser);
    if (ct_parser_is(parser, '*') || ct_parser_is(parser, '&') || ct_parser_is(parser, '('))
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "only values and pointers are understood as parameters");
    if (ct_parser_is(parser, ')') || ct_parser_is(parser, ','))
        return true;
    if (parser->token.kind != CT_TOKEN_NAME)
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "expected the parameter's name");
    ct_token next = ct_parser_peek(parser, 1);
    bool is_array = next.kind == CT_TOKEN_PUNCT && next.code == '[';
    return is_pointer || is_array ? parse_pointer(parser, &use) : parse_value(parser, &use);
}

static bool parse_parameters(ct_parser *parser) {
    if (!ct_parser_expect(parser, '('))
        return false;
    while (!ct_parser_is(parser, ')')) {
        if (!parse_parameter(parser))
            return false;
        if (!ct_parser_accept(parser, ','))
            break;
    }
    return ct_parser_expect(parser, ')');
}

/* ---- The kernel ------------------------------------------------------------------------ */

/* "__launch_bounds__(256, 2)" and words that say nothing about accesses. */
static bool skip_attributes(ct_parser *parser) {
    for (;;) {
        if (ct_parser_accept_name(parser, "__launch_bounds__")) {
            if (!ct_parser_is(parser, '('))
                return ct_parser_expect(parser, '(');
            ct_parser_return(parser, ct_behind_bracket(parser->tokens, parser->at, '(', ')'));
        } else if (!ct_parser_accept_name(parser, "static") &&
                   !ct_parser_accept_name(parser, "inline") &&
                   !ct_parser_accept_name(parser, "__global__")) {
            return parser->status == SMP_OK;
        }
    }
}

/* "template __global__ void k<16>(float *);" makes code of what is there already. */
static bool is_instantiation(const ct_parser *parser) {
    ct_token next = ct_parser_peek(parser, 1);
    bool is_open = next.kind == CT_TOKEN_PUNCT && next.code == '<';
    return ct_parser_is_name(parser, "template") && !is_open;
}

static bool skip_to_semicolon(ct_parser *parser) {
    while (parser->token.kind != CT_TOKEN_END && !ct_parser_is(parser, ';'))
        ct_parser_next(parser);
    return ct_parser_expect(parser, ';');
}

bool ct_kernel_choose(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    if (parser->token.kind != CT_TOKEN_NAME)
        return ct_parser_fail(parser, parser->is_option ? SMP_E_USAGE : SMP_E_SYNTAX,
                              parser->token.position, "expected the name of a kernel");
    layout->kernel_name = parser->token.text;
    layout->kernel_length = parser->token.length;
    ct_parser_next(parser);
    return ct_parser_expect_end(parser);
}

/* The token before a list: the kernel's name. */
static uint32_t find_name(const ct_parser *parser) {
    const ct_token *tokens = parser->tokens;
    uint32_t at = parser->at;
    while (tokens[at].kind != CT_TOKEN_END && !ct_token_is(&tokens[at], "void"))
        at++;
    for (; tokens[at].kind != CT_TOKEN_END; at++) {
        bool is_list = ct_token_is_punct(&tokens[at + 1], '(');
        if (is_list && ct_token_is(&tokens[at], "__launch_bounds__"))
            at = ct_behind_bracket(tokens, at + 1, '(', ')') - 1;
        else if (is_list && tokens[at].kind == CT_TOKEN_NAME)
            break;
    }
    return at;
}

/* Passes over a kernel that is not the one that is asked for. */
static bool skip_other(ct_parser *parser, bool *is_other) {
    smp_layout *layout = parser->layout;
    const ct_token *tokens = parser->tokens;
    uint32_t at = find_name(parser);
    const ct_token *name = &tokens[at];
    size_t length = strlen(layout->other_kernels);
    *is_other = layout->kernel_length > 0 && name->kind == CT_TOKEN_NAME &&
                (name->length != layout->kernel_length ||
                 memcmp(name->text, layout->kernel_name, name->length) != 0);
    if (!*is_other)
        return true;
    at = ct_behind_bracket(tokens, at + 1, '(', ')');
    bool has_body = ct_token_is_punct(&tokens[at], '{');
    if (has_body)
        (void)snprintf(layout->other_kernels + length, sizeof layout->other_kernels - length,
                       "%s%.*s", length > 0 ? ", " : "", CT_TOKEN_TEXT(*name));
    ct_parser_return(parser, has_body ? ct_behind_bracket(tokens, at, '{', '}') : at);
    return parser->status == SMP_OK;
}

bool ct_kernel_parse(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    bool is_other;
    if (is_instantiation(parser))
        return skip_to_semicolon(parser);
    if (!skip_other(parser, &is_other) || is_other)
        return parser->status == SMP_OK;
    size_t mark = ct_scope_begin(layout), names = layout->scope.count;
    if (ct_parser_accept_name(parser, "extern"))
        ct_parser_next(parser);
    while (ct_parser_is_name(parser, "template")) {
        if (!parse_template(parser))
            return false;
    }
    size_t position = parser->token.position;
    if (!skip_attributes(parser))
        return false;
    if (!ct_parser_accept_name(parser, "void"))
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "expected a kernel: __global__ void name(...)");
    if (!skip_attributes(parser))
        return false;
    if (layout->has_kernel)
        return ct_parser_fail(
            parser, SMP_E_SYNTAX, position,
            "a second kernel: say which by its name, or by a line 'kernel NAME' in front");
    ct_parser_next(parser);
    if (!parse_parameters(parser))
        return false;
    if (ct_parser_accept(parser, ';')) {
        ct_scope_end(layout, mark);
        return parser->status == SMP_OK;
    }
    layout->has_kernel = true;
    layout->kernel_names = names;
    if (!ct_parser_is(parser, '{'))
        return ct_parser_expect(parser, '{');
    bool sound = ct_statement_parse(parser);
    ct_scope_end(layout, mark);
    return sound;
}

/* ---- What runs on the CPU --------------------------------------------------------------- */

/* Words that begin something else with brackets and braces: "if constexpr (c) {", or
 * "__shared__ struct __align__(16) {". */
static bool is_no_host_word(const ct_token *token) {
    static const char *const words[] = {
        "__device__", "__global__", "__shared__", "shared",    "global", "struct", "class",
        "union",      "enum",       "alignas",    "__align__", "if",     "else",   "for",
        "while",      "do",         "switch",     "return",    "goto",   "asm"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (ct_token_is(token, words[i]))
            return true;
    return false;
}

/* "int main(int argc, char **argv) {", "MODULE(name, m) {": names, a list, a body; "void f(int);"
 * and "extern int f(int);". 0: none; else the token behind it. */
static uint32_t host_function_end(const ct_parser *parser) {
    static const char between[] = "<>,*&:";
    const ct_token *tokens = parser->tokens;
    uint32_t at = parser->at;
    unsigned names = 0;
    for (;; at++) {
        const ct_token *token = &tokens[at];
        bool is_name = token->kind == CT_TOKEN_NAME;
        if (is_no_host_word(token))
            return 0;
        names += is_name;
        if (!is_name &&
            (token->kind != CT_TOKEN_PUNCT || !strchr(between, (int)(token->code & 0x7f))))
            break;
    }
    bool has_list = tokens[at].kind == CT_TOKEN_PUNCT && tokens[at].code == '(';
    if (names < 1 || !has_list || tokens[at - 1].kind != CT_TOKEN_NAME)
        return 0;
    at = ct_behind_bracket(tokens, at, '(', ')');
    bool has_body = tokens[at].kind == CT_TOKEN_PUNCT && tokens[at].code == '{';
    bool is_declared = names > 1 && ct_token_is_punct(&tokens[at], ';') &&
                       (ct_parser_is_name(parser, "void") || ct_parser_is_name(parser, "extern"));
    return has_body ? ct_behind_bracket(tokens, at, '{', '}') : is_declared ? at + 1 : 0;
}

bool ct_host_function_skip(ct_parser *parser) {
    uint32_t end = parser->layout->open == 0 ? host_function_end(parser) : 0;
    if (end > 0)
        ct_parser_return(parser, end);
    return end > 0;
}
