/* SPDX-License-Identifier: MIT */
/* Types, casts, and structs with their members; declarations of variables and arrays. */
#include <string.h>

#include "syntax_parser.h"
#include "type.h"

/* ---- Where one begins ---- */

static bool is_integer_word(const ct_token *token) {
    return ct_token_is(token, "unsigned signed char short int long");
}

/* Types of thread groups; the initial value tells which. */
static bool is_group_word(const ct_token *token) {
    return ct_token_is(token, "thread_block thread_block_tile thread_group coalesced_group "
                              "grid_group");
}

static bool is_type_name(const ct_parser *p, const ct_token *name) {
    const ct_known_name *known = ct_known_find(p->known, name);
    return known ? known->is_type : !!ct_type_named(name->word);
}

static bool starts_at(const ct_parser *p, uint32_t at) {
    const ct_token *token = &p->tokens[at];
    if (token->kind != CT_TOKEN_NAME)
        return false;
    if (ct_token_is(token, "const volatile constexpr inline struct auto void register typename"))
        return true;
    const uint32_t scope = ct_scope_length(p->tokens, at);
    if (scope > 0) /* "E::A" is not a type */
        return starts_at(p, at + scope);
    const ct_known_name *known = ct_known_find(p->known, token);
    if (known && !known->is_type)
        return false;
    return is_integer_word(token) || is_group_word(token) || is_type_name(p, token);
}

bool ct_type_starts(const ct_parser *p) {
    return p->token->kind == CT_TOKEN_NAME && starts_at(p, p->at);
}

/* ---- Types ---- */

/* Skips words without effect; CT_IS_CONST if there is a const, else 0. */
static uint32_t skip_qualifiers(ct_parser *p) {
    static const char words[] = "const constexpr volatile register typename inline "
                                "__grid_constant__ __restrict__ __restrict";
    uint32_t flags = 0;
    for (; ct_token_is(p->token, words); ct_take(p))
        flags |= ct_token_is(p->token, "const constexpr") ? CT_IS_CONST : 0;
    return flags;
}

bool ct_text_has_type(const ct_token *tokens, const ct_token *name) {
    for (uint32_t at = 0; tokens[at].kind != CT_TOKEN_END; at++) {
        const bool is_typedef = ct_token_is(&tokens[at], "typedef");
        const bool is_parameter = at > 0 && ct_token_is_one_of(&tokens[at - 1], "<,");
        uint32_t behind = at + 1;
        if (is_parameter || !ct_token_is(&tokens[at], "struct class union enum using typedef"))
            continue;
        while (ct_token_is(&tokens[behind], "__align__ alignas"))
            behind = ct_behind(tokens, behind + 1, "(");
        while (is_typedef && tokens[behind].code != ';' && tokens[behind].kind != CT_TOKEN_END)
            behind = ct_behind(tokens, behind, "({");
        if (ct_token_same(&tokens[behind - is_typedef], name))
            return true;
    }
    return false;
}

static void fail_type(ct_parser *p) {
    const ct_token *name = p->token;
    if (name->kind != CT_TOKEN_NAME || name->starts_line)
        ct_refuse_here(p, "expected a type such as float, half or float4");
    else if (ct_text_has_type(p->tokens, name))
        ct_refuse_here(p, "types such as '%.*s'" CT_COMPILER_KNOWS, CT_TOKEN_TEXT(*name));
    else
        ct_refuse_here(p, "'%.*s' is not a known type: define %.*s = float, or its type",
                       CT_TOKEN_TEXT(*name), CT_TOKEN_TEXT(*name));
}

/* "unsigned long long" and its like. */
static void parse_words(ct_parser *p, ct_node *type) {
    unsigned longs = 0;
    type->flags |= CT_IS_WORDS;
    while (is_integer_word(p->token)) {
        longs += ct_token_is(p->token, "long");
        ct_take(p);
        type->flags |= skip_qualifiers(p);
    }
    if (longs == 1 && ct_accept_word(p, "double"))
        ct_refuse_at(p, p->tokens[type->at].position, "long double is not supported");
}

static void parse_name(ct_parser *p, ct_node *type) {
    const ct_known_name *known =
        p->token->kind == CT_TOKEN_NAME ? ct_known_find(p->known, p->token) : NULL;
    if (!known && ct_token_is(p->token, "void")) {
        type->flags |= CT_IS_VOID;
    } else if (!known && (ct_token_is(p->token, "auto") || is_group_word(p->token))) {
        type->flags |= CT_IS_AUTO;
        if (ct_peek(p, 1)->code == '<')
            ct_go_to(p, ct_behind(p->tokens, p->at + 1, "<") - 1);
    } else if (p->token->kind != CT_TOKEN_NAME || !is_type_name(p, p->token)) {
        fail_type(p);
    }
    ct_take(p);
}

ct_node *ct_parse_type(ct_parser *p) {
    ct_node *type = ct_node_new(p, CT_N_TYPE);
    type->flags |= skip_qualifiers(p);
    if (!ct_accept_word(p, "struct"))
        ct_accept_word(p, "enum");
    ct_go_to(p, p->at + ct_scope_length(p->tokens, p->at));
    type->at = p->at;
    if (is_integer_word(p->token))
        parse_words(p, type);
    else
        parse_name(p, type);
    type->flags |= skip_qualifiers(p);
    return ct_close(p, type);
}

static ct_node *parse_type_or_value(ct_parser *p) {
    return ct_type_starts(p) ? ct_parse_type(p) : ct_parse_assignment(p);
}

ct_node *ct_parse_given(ct_parser *p) {
    ct_node *given = ct_node_new(p, CT_N_GIVEN);
    const bool was_in = p->in_template;
    ct_expect(p, '<');
    p->in_template = true;
    ct_parse_parts(p, given, '>', parse_type_or_value);
    p->in_template = was_in;
    return ct_close(p, given);
}

/* "[4][2]", and "[]" */
static void parse_dims(ct_parser *p, ct_node *into) {
    while (ct_is(p, '[') && !p->fault) {
        ct_take(p);
        ct_node *dim = ct_node_new(p, CT_N_DIM);
        if (!ct_is(p, ']'))
            ct_add(dim, ct_parse_assignment(p));
        ct_expect(p, ']');
        ct_add(into, ct_close(p, dim));
    }
}

/* "*", "(*" or "&", before the name of what is declared. */
static void parse_before(ct_parser *p, ct_node *d) {
    const bool is_nested = ct_is(p, '(') && ct_token_is_one_of(ct_peek(p, 1), "*&");
    if (is_nested)
        ct_take(p);
    const bool is_pointer = ct_accept(p, '*');
    d->flags |= (is_nested ? CT_IS_NESTED : 0) | (is_pointer ? CT_IS_POINTER : 0);
    d->flags |= skip_qualifiers(p);
    d->flags |= ct_accept(p, '&') ? CT_IS_REFERENCE : 0;
    if (ct_is(p, '*') || (is_pointer && d->flags & CT_IS_REFERENCE))
        ct_refuse_here(p, "pointers to pointers are not supported");
}

/* ")" and "[4][2]" behind it. */
static void parse_behind(ct_parser *p, ct_node *d) {
    if (d->flags & CT_IS_NESTED)
        ct_expect(p, ')');
    if (d->flags & CT_IS_POINTER && !(d->flags & CT_IS_NESTED) && ct_is(p, '['))
        ct_refuse_here(p, "arrays of pointers are not supported");
    parse_dims(p, d);
}

ct_node *ct_parse_cast_type(ct_parser *p) {
    ct_node *cast = ct_node_new(p, CT_N_CAST_TYPE);
    ct_add(cast, ct_parse_type(p));
    parse_before(p, cast);
    parse_behind(p, cast);
    return ct_close(p, cast);
}

/* "__align__(N)", "alignas(N)", any number of them. */
static void parse_aligns(ct_parser *p, ct_node *into) {
    while (!p->fault && ct_token_is(p->token, "__align__ alignas")) {
        ct_node *align = ct_node_taken(p, CT_N_ALIGN);
        ct_expect(p, '(');
        ct_add(align, ct_parse_assignment(p));
        ct_expect(p, ')');
        ct_add(into, ct_close(p, align));
    }
}

/* ---- Structs ---- */

bool ct_struct_starts(const ct_parser *p) {
    if (!ct_token_is(p->token, "struct"))
        return false;
    unsigned at = 1;
    while (at <= 7 &&
           (ct_token_is_one_of(ct_peek(p, at), "()") || ct_peek(p, at)->kind == CT_TOKEN_NAME ||
            ct_peek(p, at)->kind == CT_TOKEN_NUMBER))
        at++;
    return at <= 7 && ct_peek(p, at)->code == '{';
}

static void skip_initial(ct_parser *p) {
    const ct_token *tokens = p->tokens;
    uint32_t at = p->at;
    if (!ct_token_is_one_of(p->token, "={"))
        return;
    while (tokens[at].kind != CT_TOKEN_END && !ct_token_is_one_of(&tokens[at], ";,}"))
        at = ct_behind(tokens, at, "({");
    ct_go_to(p, at);
}

static void parse_fields(ct_parser *p, ct_node *into, ct_node *fields) {
    ct_add(fields, ct_parse_type(p));
    do {
        ct_node *field = ct_node_new(p, CT_N_FIELD);
        field->flags |= ct_accept(p, '*') ? CT_IS_POINTER : 0;
        field->at = p->at;
        ct_expect_name(p, "expected a member's name");
        parse_dims(p, field);
        skip_initial(p);
        ct_add(fields, ct_close(p, field));
    } while (ct_accept(p, ','));
    if (!ct_accept(p, ';') && !ct_is(p, '}'))
        ct_expect(p, ';');
    ct_add(into, ct_close(p, fields));
}

/* True for a data member, as opposed to a method, constant or access word. */
static bool is_field(const ct_token *tokens, uint32_t at) {
    if (ct_token_is(&tokens[at], "static template public private protected using friend"))
        return false;
    while (tokens[at].kind != CT_TOKEN_END && !ct_token_is_one_of(&tokens[at], "(;={}"))
        at = ct_behind(tokens, at, "[");
    return tokens[at].code != '(';
}

static void parse_member(ct_parser *p, ct_node *into) {
    ct_node *fields = ct_node_new(p, CT_N_FIELDS);
    parse_aligns(p, fields);
    if (is_field(p->tokens, p->at))
        parse_fields(p, into, fields);
    else
        ct_refuse_here(p, "methods, constants and access specifiers in structs" CT_COMPILER_KNOWS);
}

/* "struct [name] { members }" */
ct_node *ct_parse_struct(ct_parser *p) {
    ct_node *of = ct_node_taken(p, CT_N_STRUCT);
    parse_aligns(p, of);
    of->at = p->at;
    ct_known_add(p->known, p->token, true);
    if (p->token->kind == CT_TOKEN_NAME)
        ct_take(p);
    else
        of->at = of->first; /* no name */
    const uint32_t names = p->known->count;
    ct_expect(p, '{');
    while (!ct_is(p, '}') && !p->fault)
        parse_member(p, of);
    p->known->count = names;
    ct_expect(p, '}');
    return ct_close(p, of);
}

/* ---- Variables ---- */

/* "= value", "= {...}", "{...}", "(...)" or nothing. */
static void parse_initial(ct_parser *p, ct_node *declarator) {
    ct_node *initial = ct_node_new(p, CT_N_INIT);
    if (ct_accept(p, '='))
        initial->flags |= CT_IS_PLAIN;
    else if (ct_is(p, '('))
        initial->flags |= CT_IS_CALL;
    if (ct_is(p, '{'))
        initial->flags |= CT_IS_BRACED;
    if (initial->flags == 0)
        return;
    if (initial->flags & (CT_IS_CALL | CT_IS_BRACED)) {
        ct_take(p);
        ct_parse_parts(p, initial, initial->flags & CT_IS_CALL ? ')' : '}', ct_parse_nested);
    } else {
        ct_add(initial, ct_parse_assignment(p));
    }
    ct_add(declarator, ct_close(p, initial));
}

/* "*p", "(*rows)[33]", "&x", "a[4][2]": a declarator up to its dimensions; adds its name. */
static void parse_declared(ct_parser *p, ct_node *d, bool needs_name) {
    parse_before(p, d);
    const ct_token *name = p->token;
    d->at = p->at;
    if (needs_name || name->kind == CT_TOKEN_NAME)
        ct_expect_name(p, NULL);
    parse_behind(p, d);
    ct_known_add(p->known, name, false);
}

ct_node *ct_parse_parameter(ct_parser *p) {
    ct_node *parameter = ct_node_new(p, CT_N_PARAM);
    ct_add(parameter, ct_parse_type(p));
    parse_declared(p, parameter, false);
    if (ct_is(p, '=')) {
        ct_node *initial = ct_node_taken(p, CT_N_INIT);
        ct_add(initial, ct_parse_assignment(p));
        ct_add(parameter, ct_close(p, initial));
    }
    return ct_close(p, parameter);
}

static ct_node *parse_declarator(ct_parser *p, const ct_node *type) {
    ct_node *d = ct_node_new(p, CT_N_DECLARATOR);
    parse_declared(p, d, true);
    d->flags |= d->flags & CT_IS_POINTER ? 0 : type->flags & CT_IS_CONST;
    parse_initial(p, d);
    return ct_close(p, d);
}

static ct_node *parse_declarators(ct_parser *p, ct_node *variables, const ct_node *type) {
    p->goes_on = true;
    do {
        ct_node *d = parse_declarator(p, type);
        if (!p->fault)
            ct_add(variables, d);
    } while (ct_accept(p, ','));
    p->goes_on = false;
    ct_expect_end(p);
    if (p->fault && variables->last->kind == CT_N_DECLARATOR)
        ct_add(variables, ct_fault_node(p));
    return ct_close(p, variables);
}

ct_node *ct_parse_variables(ct_parser *p) {
    ct_node *variables = ct_node_new(p, CT_N_VARIABLES);
    while (ct_accept_word(p, "static"))
        continue;
    parse_aligns(p, variables);
    ct_node *type = ct_parse_type(p);
    ct_add(variables, type);
    parse_aligns(p, variables);
    return parse_declarators(p, variables, type);
}

ct_node *ct_parse_let(ct_parser *p) {
    ct_node *variables = ct_node_new(p, CT_N_VARIABLES), *type = ct_node_new(p, CT_N_TYPE);
    type->flags |= CT_IS_AUTO;
    ct_add(variables, type);
    ct_node *d = parse_declarator(p, type);
    if (p->fault)
        return variables;
    ct_add(variables, d);
    return ct_close_statement(p, variables);
}

/* ---- Layouts of arrays ---- */

/* "Swizzle<3,3,3>" */
static ct_node *parse_swizzle(ct_parser *p) {
    ct_node *swizzle = ct_node_new(p, CT_N_SWIZZLE);
    const size_t position = p->token->position;
    ct_take(p);
    ct_expect(p, '<');
    for (int i = 0; i < 3 && !p->fault; i++) {
        if (i > 0 && !ct_expect(p, ','))
            break;
        const bool negative = i == 2 && ct_accept(p, '-');
        if (p->token->kind != CT_TOKEN_NUMBER || p->token->value > 20) {
            ct_refuse_here(p, "Swizzle<B,M,S> needs three numbers, at most 20");
            break;
        }
        const int value = (int)p->token->value;
        swizzle->number[i] = (int8_t)(negative ? -value : value);
        ct_take(p);
    }
    const int8_t *n = swizzle->number;
    if (!p->fault && (n[2] < 0 ? -n[2] : n[2]) < n[0])
        ct_refuse_at(p, position,
                     "Swizzle<%d,%d,%d>: the shift must be at least the %d bits, or the two bit "
                     "fields overlap",
                     n[0], n[1], n[2], n[0]);
    ct_expect(p, '>');
    return ct_close(p, swizzle);
}

/* True at a list. In "(N + 1) * 2" an operator follows the ')'. */
static bool is_list(const ct_parser *p) {
    if (!ct_is(p, '('))
        return false;
    const ct_token *behind = &p->tokens[ct_behind(p->tokens, p->at, "(")];
    return behind->kind != CT_TOKEN_PUNCT || behind->starts_line || behind->code > 127 ||
           !strchr("*/%+-&|^?<>", (int)behind->code);
}

/* A number or a list of numbers. */
static ct_node *parse_numbers(ct_parser *p, unsigned depth) {
    if (!is_list(p))
        return ct_parse_assignment(p);
    ct_node *list = ct_node_new(p, CT_N_LIST);
    if (depth == 10)
        ct_fail_at(p, SMP_E_OVERFLOW, p->token->position, "nested too deeply");
    ct_take(p);
    do {
        ct_add(list, parse_numbers(p, depth + 1));
    } while (!p->fault && ct_accept(p, ','));
    ct_expect(p, ')');
    return ct_close(p, list);
}

/* "(64,(8,2)):(1,(64,512))" */
static ct_node *parse_modes(ct_parser *p) {
    ct_node *modes = ct_node_new(p, CT_N_MODES);
    ct_add(modes, parse_numbers(p, 0));
    ct_expect(p, ':');
    ct_add(modes, parse_numbers(p, 0));
    return ct_close(p, modes);
}

/* ": Swizzle<B,M,S>", ": SHAPE:STRIDE", or both joined by "o"; `mark` is its first token. */
static void parse_layout(ct_parser *p, ct_node *array) {
    const bool swizzles = ct_token_is(p->token, "Swizzle");
    array->mark = p->at;
    if (swizzles)
        ct_add(array, parse_swizzle(p));
    if (!p->fault && (!swizzles || ct_accept_word(p, "o")))
        ct_add(array, parse_modes(p));
}

/* ---- Arrays ---- */

static ct_node *parse_array(ct_parser *p) {
    const bool is_pointer = ct_accept(p, '*');
    skip_qualifiers(p);
    ct_node *array = ct_node_new(p, CT_N_ARRAY);
    array->flags |= is_pointer ? CT_IS_POINTER : 0;
    ct_expect_name(p, "expected the array's name");
    parse_dims(p, array);
    if (ct_accept(p, ':'))
        parse_layout(p, array);
    if (!p->fault && ct_accept(p, '@')) {
        ct_node *place = ct_node_new(p, CT_N_PLACE);
        ct_add(place, ct_parse_assignment(p));
        ct_add(array, ct_close(p, place));
    }
    if (!p->fault)
        skip_initial(p);
    return ct_close(p, array);
}

/* Skips what may stand before the type. "volatile" directly before the type is part of it. */
static void skip_storage(ct_parser *p, ct_node *arrays) {
    static const char storage[] = "__shared__ static extern volatile const";
    for (;;) {
        if (ct_accept_word(p, "extern"))
            arrays->flags |= CT_IS_EXTERN;
        else if (ct_token_is(p->token, "__shared__ static") ||
                 (ct_token_is(p->token, "volatile") &&
                  ct_token_is(ct_peek(p, 1), "__shared__ static extern")))
            ct_take(p);
        else
            break;
    }
    for (uint32_t at = p->at; at > 0 && ct_token_is(&p->tokens[at - 1], storage); at--)
        if (ct_token_is(&p->tokens[at - 1], "volatile"))
            arrays->flags |= CT_IS_VOLATILE;
    parse_aligns(p, arrays);
}

ct_node *ct_parse_arrays(ct_parser *p) {
    ct_node *arrays = ct_node_new(p, CT_N_ARRAYS);
    skip_storage(p, arrays);
    skip_storage(p, arrays);
    ct_add(arrays, ct_struct_starts(p) ? ct_parse_struct(p) : ct_parse_type(p));
    parse_aligns(p, arrays);
    if (p->fault)
        return arrays;
    do {
        ct_node *array = parse_array(p);
        ct_add(arrays, p->fault ? ct_fault_node(p) : array);
    } while (ct_accept(p, ','));
    return ct_close_statement(p, arrays);
}
