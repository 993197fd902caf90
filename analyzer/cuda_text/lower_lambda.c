/* SPDX-License-Identifier: MIT */
/*
 * Lambdas that a block declares by a name and calls by it: "auto f = [&](int i) { ... };". One is a
 * function that sees the names before it. What it takes as copies must not change behind it: then
 * it is the same as by reference.
 */
#include "lower.h"

/* ---- What it takes ---- */

/* True if the mention at `at` may change what it names. */
static bool may_change(const ct_token *tokens, uint32_t at) {
    const ct_token *before = &tokens[at - 1], *behind = &tokens[at + 1];
    const bool opens = ct_token_is_one_of(before, "(,"), ends = ct_token_is_one_of(behind, "),");
    /* "f(x)" may take it by reference, "&x" and "&r = x" by address. */
    const bool refers = ct_token_is_one_of(before, "&=");
    return ct_token_steps(before) || ct_token_sets(behind) || (opens && ends) ||
           (refers && (ct_token_is_punct(behind, ';') || ends));
}

/* True if the variable may change where the lambda can still be called. */
static bool changes_behind(const ct_lower *l, const ct_function *f, const ct_token *name,
                           const ct_symbol *symbol) {
    const ct_token *tokens = l->tokens;
    const ct_symbol *array = symbol->meaning == CT_MEANS_LOCAL ? symbol : NULL;
    unsigned depth = 1;
    for (uint32_t at = f->end; tokens[at].kind != CT_TOKEN_END && depth > 0; at++) {
        depth += ct_token_is_punct(&tokens[at], '{');
        depth -= ct_token_is_punct(&tokens[at], '}');
        const bool is_mention = ct_token_same(&tokens[at], name);
        if (is_mention && (array ? ct_local_array_changes(l, array, at) : may_change(tokens, at)))
            return true;
    }
    return false;
}

/* A copy of a variable that changes later would have to be kept. */
static bool check_copy(ct_lower *l, const ct_function *f, const ct_token *name) {
    const ct_symbol *symbol = ct_name_find(l, name);
    const bool is_variable =
        symbol && (symbol->meaning == CT_MEANS_INTEGER || symbol->meaning == CT_MEANS_POINTER ||
                   (symbol->meaning == CT_MEANS_LOCAL && symbol->value > 0));
    if (!is_variable || symbol->is_const || !changes_behind(l, f, name, symbol))
        return true;
    return ct_refuse(l, name->position,
                     "the lambda has a copy of '%.*s', which may change behind it: write [&] if "
                     "that is meant, or let 'emulate' run the machine code",
                     CT_TOKEN_TEXT(*name));
}

/* "[&]", "[=]", "[&a, b]": what is copied is looked at. */
static bool check_captures(ct_lower *l, const ct_function *f) {
    const ct_token *tokens = l->tokens;
    const uint32_t end = ct_behind_bracket(tokens, f->head, '[', ']') - 1;
    bool copies_all = false;
    for (uint32_t at = f->head + 1; at < end; at++) {
        const bool is_reference = ct_token_is_punct(&tokens[at], '&');
        copies_all |= ct_token_is_punct(&tokens[at], '=');
        at += is_reference && tokens[at + 1].kind == CT_TOKEN_NAME;
        const bool is_name = tokens[at].kind == CT_TOKEN_NAME;
        if (is_name && ct_token_is_punct(&tokens[at + 1], '='))
            return ct_refuse(l, tokens[at].position,
                             "a value that a lambda keeps by a name of its own is not followed: "
                             "declare it before");
        if (is_name && !is_reference && !check_copy(l, f, &tokens[at]))
            return false;
        if (ct_token_is_punct(&tokens[at + 1], ','))
            at++;
    }
    for (uint32_t at = f->body; copies_all && at < f->end; at++) {
        if (tokens[at].kind == CT_TOKEN_NAME && !check_copy(l, f, &tokens[at]))
            return false;
    }
    return true;
}

/* ---- Declaration and call ---- */

bool ct_lambda_declare(ct_lower *l, const ct_node *lambda, const ct_token *name) {
    const ct_function *f = ct_lambda_find(l->unit, lambda->mark);
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_LAMBDA, NULL);
    symbol.value = lambda->mark;
    symbol.is_const = true;
    return f && check_captures(l, f) && ct_symbol_add(l, &symbol, name->position) != NULL;
}

bool ct_lambda_use(ct_lower *l, const ct_symbol *lambda, const ct_node *call, const ct_token *name,
                   ct_operand *out) {
    ct_function *f = ct_lambda_find(l->unit, (uint32_t)lambda->value);
    if (!call || !f)
        return ct_refuse(l, name->position,
                         "the lambda '%.*s' is called here, but not passed on: write a __device__ "
                         "function, or let 'emulate' run the machine code",
                         CT_TOKEN_TEXT(*name));
    const ct_call of = {.node = call,
                        .first = call->child->next,
                        .name = *name,
                        .later = (size_t)(lambda - l->layout->scope.symbols)};
    return ct_function_call_lambda(l, &of, f, out);
}
