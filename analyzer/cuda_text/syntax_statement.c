/* SPDX-License-Identifier: MIT */
/*
 * Statements of CUDA and of the layout language: blocks, conditions, loops, declarations,
 * expressions; and kernels: "template <int N> __global__ void k(float *A, int n) {".
 */
#include <stdio.h>
#include <string.h>

#include "syntax_parser.h"

/* ---- Kernels ---- */

static bool kernel_starts(const ct_parser *p) {
    unsigned ahead = 0;
    if (ct_token_is(p->token, "template") ||
        (ct_token_is(p->token, "extern") && ct_peek(p, 1)->kind == CT_TOKEN_STRING))
        return true;
    while (ct_token_is(ct_peek(p, ahead), "static extern inline void"))
        ahead++;
    return ct_token_is(ct_peek(p, ahead), "__global__");
}

/* ---- Templates ---- */

/* "typename T = float", or "int N = 4", whose `mark` is 1 if it has a name. */
static ct_node *parse_template_param(ct_parser *p) {
    const bool is_type = ct_accept_word(p, "typename") || ct_accept_word(p, "class");
    ct_node *param = ct_node_new(p, is_type ? CT_N_TYPE_PARAM : CT_N_VALUE_PARAM);
    if (!is_type)
        ct_add(param, ct_parse_type(p));
    const ct_token *name = p->token;
    param->at = p->at;
    if (!is_type && name->kind != CT_TOKEN_NAME)
        return ct_close(p, param);
    param->mark = 1;
    ct_expect_name(p, NULL);
    if (is_type)
        ct_known_add(p->known, name, true);
    if (ct_accept(p, '='))
        ct_add(param, is_type ? ct_parse_type(p) : ct_parse_assignment(p));
    if (!is_type)
        ct_known_add(p->known, name, false);
    return ct_close(p, param);
}

void ct_parse_template(ct_parser *p, ct_node *into) {
    const bool was_in = p->in_template;
    ct_take(p);
    if (!ct_expect(p, '<'))
        return;
    p->in_template = true;
    ct_parse_parts(p, into, '>', parse_template_param);
    p->in_template = was_in;
}

/* ---- The kernel ---- */

static ct_node *parse_parameter(ct_parser *p) {
    ct_node *param = ct_parse_parameter(p);
    if (param->flags & (CT_IS_REFERENCE | CT_IS_NESTED))
        ct_refuse_here(p, "kernel parameters must be values or pointers");
    return param;
}

/* "__launch_bounds__(256, 2)" and words without effect on accesses. */
static void skip_attributes(ct_parser *p) {
    while (ct_token_is(p->token, "static inline __global__ __launch_bounds__ __cluster_dims__")) {
        const bool has_list = ct_token_is(p->token, "__launch_bounds__ __cluster_dims__");
        const uint32_t list = p->at + 1;
        ct_take(p);
        if (has_list && ct_expect(p, '('))
            ct_go_to(p, ct_behind(p->tokens, list, "("));
    }
}

/* The kernel's name: the token before its parameter list. */
static uint32_t find_name(const ct_token *tokens, uint32_t at) {
    while (tokens[at].kind != CT_TOKEN_END && !ct_token_is(&tokens[at], "void"))
        at++;
    for (; tokens[at].kind != CT_TOKEN_END; at++) {
        bool is_list = tokens[at + 1].code == '(';
        if (is_list && ct_token_is(&tokens[at], "__launch_bounds__ __cluster_dims__"))
            at = ct_behind(tokens, at + 1, "(") - 1;
        else if (is_list && tokens[at].kind == CT_TOKEN_NAME)
            break;
    }
    return at;
}

/* Skips a kernel other than the requested one. */
static bool skip_other(ct_parser *p) {
    ct_known *known = p->known;
    uint32_t at = find_name(p->tokens, p->at);
    const ct_token *name = &p->tokens[at];
    const size_t length = strlen(known->other_kernels);
    if (known->kernel.length == 0 || name->kind != CT_TOKEN_NAME ||
        ct_word_is(name->word, known->kernel))
        return false;
    at = ct_behind(p->tokens, at + 1, "(");
    bool has_body = p->tokens[at].code == '{';
    if (has_body)
        (void)snprintf(known->other_kernels + length, sizeof known->other_kernels - length,
                       "%s%.*s", length > 0 ? ", " : "", CT_TOKEN_TEXT(*name));
    ct_go_to(p, has_body ? ct_behind(p->tokens, at, "{") : at);
    return true;
}

/* Skips "extern "C" {". */
static bool skip_scope(ct_parser *p) {
    const bool is_scope = ct_token_is(p->token, "extern") && ct_peek(p, 2)->code == '{';
    ct_go_to(p, p->at + 3 * is_scope);
    p->namespaces += is_scope;
    return is_scope;
}

/* Skips "template __global__ void k<16>(float *);". */
static bool skip_instantiation(ct_parser *p) {
    if (!ct_token_is(p->token, "template") || ct_peek(p, 1)->code == '<')
        return false;
    while (p->token->kind != CT_TOKEN_END && !ct_is(p, ';'))
        ct_take(p);
    ct_expect(p, ';');
    return true;
}

static bool parse_head(ct_parser *p, ct_node *kernel) {
    if (ct_accept_word(p, "extern"))
        ct_take(p);
    while (ct_token_is(p->token, "template"))
        ct_parse_template(p, kernel);
    kernel->mark = p->at;
    skip_attributes(p);
    if (!ct_accept_word(p, "void"))
        return ct_refuse_here(p, "expected a kernel: __global__ void name(...)");
    skip_attributes(p);
    kernel->at = p->at;
    ct_take(p);
    if (ct_expect(p, '('))
        ct_parse_parts(p, kernel, ')', parse_parameter);
    return !p->fault;
}

static ct_node *parse_kernel(ct_parser *p) {
    ct_node *kernel = ct_node_new(p, CT_N_KERNEL);
    if (skip_scope(p) || skip_instantiation(p) || skip_other(p)) {
        kernel->kind = CT_N_NONE;
        return kernel;
    }
    const uint32_t names = p->known->count;
    const bool was_outside = p->is_outside;
    p->is_outside = false;
    if (parse_head(p, kernel) && !ct_accept(p, ';')) {
        p->is_body = true;
        if (ct_is(p, '{'))
            ct_add(kernel, ct_parse_statement(p));
        else
            ct_expect(p, '{');
        p->is_body = false;
    }
    if (p->fault && !p->is_placed)
        ct_add(kernel, ct_fault_node(p));
    p->is_outside = was_outside;
    p->known->count = names;
    return ct_close(p, kernel);
}

enum { NESTED_MAX = 60 };

/* ---- Conditions ---- */

/* "(c)", or just c in the layout language. */
static ct_node *parse_condition(ct_parser *p) {
    if (!ct_is(p, '('))
        return ct_parse_assignment(p);
    ct_node *nested = ct_node_taken(p, CT_N_PAREN);
    if (ct_type_starts(p) && ct_peek(p, 1)->kind == CT_TOKEN_NAME)
        ct_refuse_here(
            p, "a declaration in a condition is not supported: write it before the statement");
    ct_add(nested, ct_parse_expression(p));
    ct_expect(p, ')');
    return p->fault ? nested : ct_parse_operators(p, ct_close(p, nested));
}

/* Promises, which may come between a statement and its else. */
static void parse_promises(ct_parser *p, ct_node *into) {
    while (!p->fault && ct_token_is(p->token, "expect") && p->token->starts_line) {
        ct_take(p);
        ct_node *promise = ct_parse_expect(p);
        ct_add(into, p->fault && !p->is_placed ? ct_fault_node(p) : promise);
    }
}

/* A statement with its own scope; `mark` is its first token. */
static ct_node *parse_branch(ct_parser *p, bool has_promises) {
    ct_node *branch = ct_node_new(p, CT_N_BRANCH);
    const uint32_t names = p->known->count;
    parse_promises(p, branch);
    branch->mark = p->at;
    if (!p->fault)
        ct_add(branch, ct_parse_statement(p));
    p->known->count = names;
    if (has_promises)
        parse_promises(p, branch);
    if (p->fault && !p->is_placed)
        ct_add(branch, ct_fault_node(p));
    return ct_close(p, branch);
}

static ct_node *parse_if(ct_parser *p) {
    ct_node *node = ct_node_taken(p, CT_N_IF);
    if (ct_accept_word(p, "constexpr"))
        node->kind = CT_N_IF_CONSTANT;
    ct_add(node, parse_condition(p));
    if (p->fault)
        return node;
    ct_add(node, parse_branch(p, true));
    if (ct_accept_word(p, "else"))
        ct_add(node, parse_branch(p, false));
    return ct_close(p, node);
}

/* ---- Loops ---- */

static ct_node *parse_while(ct_parser *p) {
    ct_node *node = ct_node_new(p, CT_N_FOR);
    node->mark = p->at;
    ct_add(node, ct_node_taken(p, CT_N_NONE));
    ct_add(node, parse_condition(p));
    ct_add(node, ct_node_new(p, CT_N_NONE));
    if (!p->fault)
        ct_add(node, parse_branch(p, false));
    return ct_close(p, node);
}

static ct_node *parse_do(ct_parser *p) {
    ct_node *node = ct_node_taken(p, CT_N_DO);
    ct_add(node, parse_branch(p, true));
    if (p->fault)
        return node;
    if (!ct_accept_word(p, "while"))
        ct_refuse_here(p, "expected 'while' at the end of this loop");
    ct_add(node, parse_condition(p));
    ct_expect_end(p);
    return ct_close(p, node);
}

/* An optional expression. */
static ct_node *parse_step(ct_parser *p) {
    if (ct_is(p, ')') || ct_is(p, ';'))
        return ct_node_new(p, CT_N_NONE);
    return ct_parse_expression(p);
}

/* "int j = 0; j < 32; j += 8) statement", after the parenthesis. */
static ct_node *parse_c_loop(ct_parser *p, uint32_t first) {
    ct_node *node = ct_node_from(p, CT_N_FOR, first);
    const uint32_t names = p->known->count;
    node->mark = p->at;
    if (ct_type_starts(p)) {
        ct_add(node, ct_parse_variables(p));
    } else {
        ct_add(node, parse_step(p));
        ct_expect(p, ';');
    }
    if (!p->fault)
        ct_add(node, ct_is(p, ';') ? ct_node_new(p, CT_N_NONE) : ct_parse_expression(p));
    ct_expect(p, ';');
    if (!p->fault)
        ct_add(node, parse_step(p));
    if (ct_expect(p, ')'))
        ct_add(node, parse_branch(p, false));
    p->known->count = names;
    return ct_close(p, node);
}

static ct_node *parse_for(ct_parser *p) {
    ct_take(p);
    const uint32_t first = p->at;
    return !p->is_option && ct_accept(p, '(') ? parse_c_loop(p, first) : ct_parse_range(p);
}

/* ---- Blocks and jumps ---- */

/* Statements up to and including '}', which is `mark`. */
static ct_node *parse_block(ct_parser *p) {
    ct_node *node = ct_node_new(p, CT_N_BLOCK);
    const size_t position = p->token->position;
    const uint32_t names = p->known->count, ranges = p->known->range_count;
    ct_take(p);
    while (!p->fault && !ct_is(p, '}')) {
        if (p->token->kind == CT_TOKEN_END)
            ct_refuse_at(p, position, "this '{' is not closed");
        else
            ct_add(node, ct_parse_statement(p));
    }
    if (p->fault && !p->is_placed)
        ct_add(node, ct_fault_node(p));
    node->mark = p->at;
    ct_take(p);
    p->known->count = names;
    if (p->known->range_count > ranges)
        p->known->range_count = ranges;
    return ct_close(p, node);
}

static ct_node *parse_jump(ct_parser *p) {
    const bool returns = ct_token_is(p->token, "return");
    ct_node *node = ct_node_taken(p, CT_N_JUMP);
    p->goes_on = true;
    if (returns && !ct_is(p, ';') && !ct_is(p, '}'))
        ct_add(node, ct_parse_expression(p));
    p->goes_on = false;
    ct_expect_end(p);
    return ct_close(p, node);
}

/* A fault is a child of the node: the text before it may give a better error. */
static ct_node *parse_plain(ct_parser *p) {
    ct_node *node = ct_node_new(p, CT_N_EXPRESSION);
    p->goes_on = true;
    ct_node *value = ct_parse_expression(p);
    p->goes_on = false;
    node->mark = p->at;
    if (!p->fault)
        ct_add(node, value);
    if (!ct_expect_end(p))
        ct_add(node, ct_fault_node(p));
    return ct_close(p, node);
}

/* ---- One statement ---- */

/* Words that begin a statement, and those that are refused. */
typedef struct word_row {
    const char *words;
    ct_node *(*parse)(ct_parser *p);
    const char *why;
} word_row;

static const word_row words[] = {
    {"if", parse_if, NULL},
    {"for", parse_for, NULL},
    {"while", parse_while, NULL},
    {"do", parse_do, NULL},
    {"break continue return", parse_jump, NULL},
    {"goto", NULL, "goto is not supported"},
    {"switch", NULL, "switch is not supported: use 'if', or run the machine code with 'emulate'"},
    {"asm __asm__", NULL,
     "inline PTX is not supported: use ld, st, ldmatrix, stmatrix or cp.async"},
    {"union", NULL, "unions are not supported: cast the address instead"},
    {"else", NULL, "there is no 'if' before this"},
};

/* True if the next tokens look like a declaration. */
static bool is_declaration(const ct_parser *p) {
    const ct_token *next = ct_peek(p, 1);
    bool is_row = next->code == '(' && ct_peek(p, 2)->code == '*';
    bool is_cast =
        next->kind == CT_TOKEN_PUNCT && !is_row && (next->code == '(' || next->code == '{');
    const bool is_refused =
        next->kind == CT_TOKEN_NAME && !next->starts_line && ct_text_has_type(p->tokens, p->token);
    return ct_token_is(p->token, "static alignas __align__") ||
           (ct_type_starts(p) ? !is_cast : is_refused);
}

static ct_node *parse_declared(ct_parser *p) {
    ct_node *node = ct_parse_layout_word(p);
    return node ? node : is_declaration(p) ? ct_parse_variables(p) : parse_plain(p);
}

static ct_node *parse_any(ct_parser *p) {
    if (ct_is(p, '[') && ct_peek(p, 1)->code == '[') /* [[maybe_unused]] */
        ct_go_to(p, ct_behind(p->tokens, p->at, "["));
    if (ct_is(p, '{'))
        return parse_block(p);
    if (ct_is(p, ';'))
        return ct_close(p, ct_node_taken(p, CT_N_NONE));
    const word_row *row = FIND(one, words, CT_COUNT(words), ct_token_is(p->token, one->words));
    if (row && row->parse)
        return row->parse(p);
    const uint32_t first = p->at;
    if (ct_skip_function(p))
        return ct_node_from(p, CT_N_NONE, first);
    if (kernel_starts(p))
        return parse_kernel(p);
    if (row)
        ct_refuse_here(p, "%s", row->why);
    return row ? ct_node_from(p, CT_N_NONE, first) : parse_declared(p);
}

ct_node *ct_parse_statement(ct_parser *p) {
    const bool was_outside = p->is_outside;
    if (p->statement_depth == NESTED_MAX)
        ct_fail_at(p, SMP_E_OVERFLOW, p->token->position, "statements nested too deeply");
    if (!p->fault && p->token->kind == CT_TOKEN_END)
        ct_refuse_here(p, "expected a statement, but the text ends here");
    if (p->fault)
        return ct_fault_node(p);
    p->statement_depth++;
    p->is_outside &= p->statement_depth == 1 && p->known->range_count == 0;
    ct_node *node = parse_any(p);
    p->statement_depth--;
    p->is_outside = was_outside;
    return p->fault && !p->is_placed ? ct_fault_node(p) : node;
}
