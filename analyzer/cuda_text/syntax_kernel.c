/* SPDX-License-Identifier: MIT */
/*
 * A kernel: "template <int N> __global__ void k(float *A, int n) { ... }".
 */
#include <stdio.h>
#include <string.h>

#include "syntax_parser.h"

bool ct_kernel_starts(const ct_parser *p) {
    const ct_token *next = ct_peek(p, 1);
    return ct_is_word(p, "__global__") || ct_is_word(p, "template") ||
           (ct_is_word(p, "extern") && next->kind == CT_TOKEN_STRING) ||
           (ct_is_word(p, "static") && ct_token_is(next, "__global__"));
}

/* ---- Templates ---- */

/* "typename T = float" */
static ct_node *parse_type_param(ct_parser *p) {
    ct_take(p);
    ct_node *param = ct_node_new(p, CT_N_TYPE_PARAM);
    ct_known_add(p->known, p->token, true);
    ct_expect_name(p, NULL);
    if (ct_accept(p, '='))
        ct_add(param, ct_parse_type(p));
    return ct_close(p, param);
}

/* "int N = 4"; `mark`: it has a name. */
static ct_node *parse_value_param(ct_parser *p) {
    ct_node *param = ct_node_new(p, CT_N_VALUE_PARAM);
    ct_add(param, ct_parse_type(p));
    param->at = p->at;
    const ct_token *name = p->token;
    if (name->kind != CT_TOKEN_NAME)
        return ct_close(p, param);
    param->mark = 1;
    ct_take(p);
    if (ct_accept(p, '='))
        ct_add(param, ct_parse_assignment(p));
    ct_known_add(p->known, name, false);
    return ct_close(p, param);
}

void ct_parse_template(ct_parser *p, ct_node *into) {
    const bool was_in = p->in_template;
    ct_take(p);
    if (!ct_expect(p, '<'))
        return;
    p->in_template = true;
    while (!ct_is(p, '>') && !p->fault) {
        const bool is_type = ct_is_word(p, "typename") || ct_is_word(p, "class");
        ct_node *param = is_type ? parse_type_param(p) : parse_value_param(p);
        if (!p->fault) /* nothing unfinished stands before a fault */
            ct_add(into, param);
        if (!ct_accept(p, ','))
            break;
    }
    p->in_template = was_in;
    ct_expect(p, '>');
}

/* ---- Parameters ---- */

static void parse_parameter(ct_parser *p, ct_node *kernel) {
    ct_accept_word(p, "__grid_constant__");
    ct_node *param = ct_node_new(p, CT_N_PARAM);
    ct_add(param, ct_parse_type(p));
    param->flags |= ct_accept(p, '*') ? CT_IS_POINTER : 0;
    ct_skip_qualifiers(p);
    if (ct_is(p, '*') || ct_is(p, '&') || ct_is(p, '('))
        ct_refuse_here(p, "only values and pointers are understood as parameters");
    if (p->fault || ct_is(p, ')') || ct_is(p, ','))
        return;
    param->at = p->at;
    const ct_token *name = p->token;
    ct_expect_name(p, "expected the parameter's name");
    ct_parse_dims(p, param);
    if (p->fault)
        return;
    ct_known_add(p->known, name, false);
    ct_add(kernel, ct_close(p, param));
}

/* ---- The kernel ---- */

/* "__launch_bounds__(256, 2)" and words that say nothing about accesses. */
static void skip_attributes(ct_parser *p) {
    for (;;) {
        if (ct_accept_word(p, "__launch_bounds__")) {
            if (!ct_is(p, '(')) {
                ct_expect(p, '(');
                return;
            }
            ct_go_to(p, ct_behind_bracket(p->tokens, p->at, '(', ')'));
        } else if (!ct_accept_word(p, "static") && !ct_accept_word(p, "inline") &&
                   !ct_accept_word(p, "__global__")) {
            return;
        }
    }
}

/* The token before a list: the kernel's name. */
static uint32_t find_name(const ct_token *tokens, uint32_t at) {
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
static bool skip_other(ct_parser *p) {
    ct_known *known = p->known;
    uint32_t at = find_name(p->tokens, p->at);
    const ct_token *name = &p->tokens[at];
    size_t length = strlen(known->other_kernels);
    const bool is_other = known->kernel.length > 0 && name->kind == CT_TOKEN_NAME &&
                          !ct_word_is(name->word, known->kernel);
    if (!is_other)
        return false;
    at = ct_behind_bracket(p->tokens, at + 1, '(', ')');
    bool has_body = ct_token_is_punct(&p->tokens[at], '{');
    if (has_body)
        (void)snprintf(known->other_kernels + length, sizeof known->other_kernels - length,
                       "%s%.*s", length > 0 ? ", " : "", CT_TOKEN_TEXT(*name));
    ct_go_to(p, has_body ? ct_behind_bracket(p->tokens, at, '{', '}') : at);
    return true;
}

/* "template __global__ void k<16>(float *);" makes code of what is there already. */
static bool skip_instantiation(ct_parser *p) {
    if (!ct_is_word(p, "template") || ct_token_is_punct(ct_peek(p, 1), '<'))
        return false;
    while (p->token->kind != CT_TOKEN_END && !ct_is(p, ';'))
        ct_take(p);
    ct_expect(p, ';');
    return true;
}

static bool parse_head(ct_parser *p, ct_node *kernel) {
    if (ct_accept_word(p, "extern"))
        ct_take(p);
    while (ct_is_word(p, "template"))
        ct_parse_template(p, kernel);
    kernel->mark = p->at;
    skip_attributes(p);
    if (!ct_accept_word(p, "void"))
        return ct_refuse_here(p, "expected a kernel: __global__ void name(...)");
    skip_attributes(p);
    kernel->at = p->at;
    ct_take(p);
    if (!ct_expect(p, '('))
        return false;
    while (!ct_is(p, ')') && !p->fault) {
        parse_parameter(p, kernel);
        if (!ct_accept(p, ','))
            break;
    }
    return ct_expect(p, ')');
}

ct_node *ct_parse_kernel(ct_parser *p) {
    ct_node *kernel = ct_node_new(p, CT_N_KERNEL);
    if (skip_instantiation(p) || skip_other(p)) {
        kernel->kind = CT_N_NONE;
        return kernel;
    }
    const uint32_t names = p->known->count;
    const bool was_outside = p->is_outside;
    p->is_outside = false;
    if (parse_head(p, kernel) && !ct_accept(p, ';')) {
        if (ct_is(p, '{'))
            ct_add(kernel, ct_parse_statement(p));
        else
            ct_expect(p, '{');
    }
    if (p->fault && !p->is_placed)
        ct_add(kernel, ct_fault_node(p));
    p->is_outside = was_outside;
    p->known->count = names;
    return ct_close(p, kernel);
}
