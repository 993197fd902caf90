/* SPDX-License-Identifier: MIT */
/* Declarations of variables and arrays. */
#include <string.h>

#include "syntax_parser.h"

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
        initial->mark = p->at;
        ct_parse_parts(p, initial, initial->flags & CT_IS_CALL ? ')' : '}', true);
    } else {
        ct_add(initial, ct_parse_assignment(p));
    }
    ct_add(declarator, ct_close(p, initial));
}

/* "*p", "(*rows)[33]", "&x", "a[4][2]": a declarator up to its dimensions; adds its name. */
static void parse_declared(ct_parser *p, ct_node *d, bool needs_name) {
    ct_skip_qualifiers(p);
    const bool is_nested = ct_is(p, '(') && ct_token_is_one_of(ct_peek(p, 1), "*&");
    if (is_nested)
        ct_take(p);
    const bool is_pointer = ct_accept(p, '*');
    d->flags |= (is_nested ? CT_IS_NESTED : 0) | (is_pointer ? CT_IS_POINTER : 0);
    d->flags |= ct_skip_qualifiers(p) ? CT_IS_CONST : 0;
    d->flags |= ct_accept(p, '&') ? CT_IS_REFERENCE : 0;
    if (ct_is(p, '*') || (is_pointer && d->flags & CT_IS_REFERENCE))
        ct_refuse_here(p, "pointers to pointers are not supported");
    const ct_token *name = p->token;
    d->at = p->at;
    if (needs_name || name->kind == CT_TOKEN_NAME)
        ct_expect_name(p, NULL);
    if (is_nested)
        ct_expect(p, ')');
    if (is_pointer && !is_nested && ct_is(p, '['))
        ct_refuse_here(p, "arrays of pointers are not supported");
    ct_parse_dims(p, d);
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
    ct_parse_aligns(p, variables);
    ct_node *type = ct_parse_type(p);
    ct_add(variables, type);
    ct_parse_aligns(p, variables);
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
    const ct_token *behind = &p->tokens[ct_behind_bracket(p->tokens, p->at, '(', ')')];
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
    const bool swizzles = ct_is_word(p, "Swizzle");
    array->mark = p->at;
    if (swizzles)
        ct_add(array, parse_swizzle(p));
    if (!p->fault && (!swizzles || ct_accept_word(p, "o")))
        ct_add(array, parse_modes(p));
}

/* ---- Arrays ---- */

static ct_node *parse_array(ct_parser *p) {
    const bool is_pointer = ct_accept(p, '*');
    while (ct_accept_word(p, "__restrict__"))
        continue;
    ct_node *array = ct_node_new(p, CT_N_ARRAY);
    array->flags |= is_pointer ? CT_IS_POINTER : 0;
    ct_expect_name(p, "expected the array's name");
    ct_parse_dims(p, array);
    if (ct_accept(p, ':'))
        parse_layout(p, array);
    if (!p->fault && ct_accept(p, '@')) {
        ct_node *place = ct_node_new(p, CT_N_PLACE);
        ct_add(place, ct_parse_assignment(p));
        ct_add(array, ct_close(p, place));
    }
    if (!p->fault)
        ct_skip_initial(p);
    return ct_close(p, array);
}

/* Skips what may stand before the type. "volatile" directly before the type is part of it. */
static void skip_storage(ct_parser *p, ct_node *arrays) {
    static const char storage[] = "__shared__ static extern volatile const";
    for (;;) {
        if (ct_accept_word(p, "extern"))
            arrays->flags |= CT_IS_EXTERN;
        else if (ct_token_is_any(p->token, "__shared__ static") ||
                 (ct_is_word(p, "volatile") &&
                  ct_token_is_any(ct_peek(p, 1), "__shared__ static extern")))
            ct_take(p);
        else
            break;
    }
    for (uint32_t at = p->at; at > 0 && ct_token_is_any(&p->tokens[at - 1], storage); at--)
        if (ct_token_is_any(&p->tokens[at - 1], "volatile"))
            arrays->flags |= CT_IS_VOLATILE;
    ct_parse_aligns(p, arrays);
}

ct_node *ct_parse_arrays(ct_parser *p) {
    ct_node *arrays = ct_node_new(p, CT_N_ARRAYS);
    skip_storage(p, arrays);
    skip_storage(p, arrays);
    ct_add(arrays, ct_struct_starts(p) ? ct_parse_struct(p) : ct_parse_type(p));
    ct_parse_aligns(p, arrays);
    if (p->fault)
        return arrays;
    do {
        ct_node *array = parse_array(p);
        ct_add(arrays, p->fault ? ct_fault_node(p) : array);
    } while (ct_accept(p, ','));
    return ct_close_statement(p, arrays);
}
