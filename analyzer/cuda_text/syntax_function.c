/* SPDX-License-Identifier: MIT */
/* Parses device functions on demand, each once, and recognises host code in a whole .cu. */
#include "syntax_parser.h"

/* ---- Reading a function ---- */

/* The result type, before the name. */
static ct_node *parse_result(ct_parser *p, const ct_function *f) {
    const bool is_template = ct_function_is_template(p->unit, f);
    ct_go_to(p, is_template ? ct_behind(p->tokens, f->head + 1, "<") : f->head);
    ct_node *result = ct_node_new(p, CT_N_CAST_TYPE);
    while (ct_function_qualifies(p->token))
        ct_take(p);
    if (p->at < f->name)
        ct_add(result, ct_parse_type(p));
    while (ct_function_qualifies(p->token))
        ct_take(p);
    result->flags |= ct_accept(p, '*') ? CT_IS_POINTER : 0;
    result->flags |= ct_accept(p, '&') ? CT_IS_REFERENCE : 0;
    if (p->at != f->name)
        ct_refuse_here(p, "this return type is not supported");
    return ct_close(p, result);
}

static void parse_head(ct_parser *p, ct_function *f) {
    f->given = ct_node_new(p, CT_N_NONE);
    f->parameters = ct_node_new(p, CT_N_NONE);
    if (ct_function_is_template(p->unit, f)) {
        ct_go_to(p, f->head);
        ct_parse_template(p, f->given);
    }
    ct_go_to(p, f->list + 1);
    if (ct_token_is(p->token, "void") && ct_peek(p, 1)->code == ')')
        ct_take(p);
    ct_parse_parts(p, f->parameters, ')', ct_parse_parameter);
    f->head_fault = p->fault;
    p->fault = NULL;
    ct_node *result = parse_result(p, f);
    f->result = p->fault ? ct_fault_node(p) : result;
}

/* Starts a parser inside a function; false if out of memory. */
static bool begin_inside(ct_parser *p, ct_unit *unit, const ct_known *names, uint32_t at) {
    ct_known *known = ct_unit_take(unit, sizeof *known);
    if (!known)
        return false;
    *known = *names;
    ct_parser_init(p, unit, known, at);
    p->is_outside = false;
    p->is_body = true;
    return true;
}

void ct_function_read_head(ct_unit *unit, ct_function *f, const ct_known *names) {
    ct_parser p;
    if (!f->result && begin_inside(&p, unit, names, f->head))
        parse_head(&p, f);
}

static void know_parts(ct_known *known, const ct_unit *unit, const ct_function *f) {
    for (const ct_node *part = f->given->child; part; part = part->next)
        ct_known_add(known, &unit->tokens[part->at], part->kind == CT_N_TYPE_PARAM);
    for (const ct_node *part = f->parameters->child; part; part = part->next)
        ct_known_add(known, &unit->tokens[part->at], false);
}

void ct_function_read_body(ct_unit *unit, ct_function *f, const ct_known *names) {
    ct_parser p;
    if (f->statement || !begin_inside(&p, unit, names, f->body))
        return;
    know_parts(p.known, unit, f);
    f->statement = ct_parse_statement(&p);
    f->fault = p.fault;
}

/* ---- Host code ---- */

/* The end of a declaration at `at`, after its ';' or body; 0 if there is none. */
static uint32_t behind(const ct_token *tokens, uint32_t at, bool has_body) {
    for (; tokens[at].kind != CT_TOKEN_END; at++) {
        if (tokens[at].code == ';')
            return at + 1;
        const bool is_body = tokens[at].code == '{';
        at = ct_behind(tokens, at, "([{") - 1;
        if (is_body && !has_body && !ct_token_is_one_of(&tokens[at + 1], ";,"))
            return at + 1;
    }
    return 0;
}

static bool has_kernel(const ct_token *token) {
    while (token->kind != CT_TOKEN_END && !ct_token_is(token, "__global__"))
        token++;
    return token->kind != CT_TOKEN_END;
}

/* A misspelt word of the layout language is not a host type. */
static bool is_like_word(const ct_token *name) {
    static const char *const words[] = {"expect", "shared", "global", "block",  "blockIdx", "grid",
                                        "define", "data",   "arch",   "kernel", "let",      "end"};
    return ct_token_suggest(name, words, CT_COUNT(words));
}

/* True for a declaration that may be host code. */
static bool may_be_of_host(const ct_parser *p) {
    const ct_token *next = ct_peek(p, 1);
    if (ct_token_is(p->token, "struct class union typedef using enum const constexpr static "
                              "extern static_assert template"))
        return true;
    const bool is_declared = next->kind == CT_TOKEN_NAME || ct_token_is_one_of(next, "<*&(") ||
                             next->code == CT_PUNCT2(':', ':');
    return p->token->kind == CT_TOKEN_NAME && is_declared && !next->starts_line &&
           !ct_type_starts(p) && (next->kind != CT_TOKEN_NAME || !is_like_word(p->token));
}

/* Errors in device code must not be hidden. */
static bool is_of_device(const ct_token *tokens, uint32_t at, uint32_t end) {
    static const char words[] = "__global__ __device__ __shared__ __constant__ shared global";
    while (at < end && tokens[at].code != '{' && !ct_token_is(&tokens[at], words))
        at++;
    return at < end && tokens[at].code != '{';
}

bool ct_parse_is_of_host(ct_parser *p, uint32_t *end) {
    if (p->known->range_count > 0 || !may_be_of_host(p))
        return false;
    *end = behind(p->tokens, p->at, ct_token_is(p->token, "struct class union enum typedef"));
    return *end > 0 && !is_of_device(p->tokens, p->at, *end) && has_kernel(p->tokens);
}
