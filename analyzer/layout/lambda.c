/* SPDX-License-Identifier: MIT */
/*
 * Lambdas that a block declares by a name and calls by it: "auto f = [&](int i) { ... };". One is a
 * function that sees the names before it. What it takes as copies must not change behind it: then
 * it is the same as by reference.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

bool smp_lambda_starts(const smp_parser *parser) {
    const smp_token *tokens = &parser->tokens[parser->at];
    return smp_token_is_punct(&tokens[0], '=') && smp_token_is_punct(&tokens[1], '[');
}

/* Where its parts stand, `at` being its first bracket; false: there is something else in it. */
static bool find_parts(const smp_token *tokens, uint32_t at, smp_definition *out) {
    *out = (smp_definition){.head = at, .name = at, .is_lambda = true};
    uint32_t behind = smp_behind_bracket(tokens, at, '[', ']');
    out->list = behind;
    if (smp_token_is_punct(&tokens[behind], '('))
        behind = smp_behind_bracket(tokens, behind, '(', ')');
    else
        out->list = behind - 1;
    while (smp_function_qualifier(&tokens[behind]) || smp_token_is(&tokens[behind], "noexcept"))
        behind++;
    if (smp_token_is_punct(&tokens[behind], SMP_PUNCT2('-', '>'))) {
        out->result = ++behind;
        while (tokens[behind].kind == SMP_TOKEN_NAME || smp_token_is_punct(&tokens[behind], '*') ||
               smp_token_is_punct(&tokens[behind], '&'))
            behind++;
    }
    out->body = behind;
    if (!smp_token_is_punct(&tokens[behind], '{'))
        return false;
    out->end = smp_behind_bracket(tokens, behind, '{', '}');
    return smp_token_is_punct(&tokens[out->end], ';') || smp_token_is_punct(&tokens[out->end], ',');
}

/* ---- What it takes -------------------------------------------------------------------------- */

static bool is_same(const smp_token *a, const smp_token *b) {
    return a->kind == SMP_TOKEN_NAME && a->length == b->length &&
           memcmp(a->text, b->text, a->length) == 0;
}

/* True if the mention at `at` may change what it names. */
static bool may_change(const smp_token *tokens, uint32_t at) {
    const smp_token *before = &tokens[at - 1], *behind = &tokens[at + 1];
    const bool steps = smp_token_is_punct(before, SMP_PUNCT2('+', '+')) ||
                       smp_token_is_punct(before, SMP_PUNCT2('-', '-'));
    const bool opens = smp_token_is_punct(before, '(') || smp_token_is_punct(before, ',');
    const bool ends = smp_token_is_punct(behind, ')') || smp_token_is_punct(behind, ',');
    /* "f(x)" may take it by reference, "&x" and "&r = x" by address. */
    const bool refers = smp_token_is_punct(before, '&') || smp_token_is_punct(before, '=');
    return steps || smp_token_sets(behind) || (opens && ends) ||
           (refers && (smp_token_is_punct(behind, ';') || ends));
}

/* True if the variable may change where the lambda can still be called. */
static bool changes_behind(const smp_parser *parser, const smp_definition *f, const smp_token *name,
                           const smp_symbol *symbol) {
    const smp_token *tokens = parser->tokens;
    const smp_symbol *array = symbol->meaning == SMP_MEANS_LOCAL ? symbol : NULL;
    unsigned depth = 1;
    for (uint32_t at = f->end; tokens[at].kind != SMP_TOKEN_END && depth > 0; at++) {
        depth += smp_token_is_punct(&tokens[at], '{');
        depth -= smp_token_is_punct(&tokens[at], '}');
        const bool is_mention = is_same(&tokens[at], name);
        if (is_mention &&
            (array ? smp_local_array_changes(parser, array, at) : may_change(tokens, at)))
            return true;
    }
    return false;
}

/* A copy of a variable that changes later would have to be kept. */
static bool check_copy(smp_parser *parser, const smp_definition *f, const smp_token *name) {
    const smp_symbol *symbol = smp_scope_find(&parser->layout->scope, name->text, name->length);
    const bool is_variable =
        symbol && (symbol->meaning == SMP_MEANS_INTEGER || symbol->meaning == SMP_MEANS_POINTER ||
                   (symbol->meaning == SMP_MEANS_LOCAL && symbol->value > 0));
    if (!is_variable || symbol->is_const || !changes_behind(parser, f, name, symbol))
        return true;
    return smp_parser_fail(parser, SMP_E_SYNTAX, name->position,
                           "the lambda has a copy of '%.*s', which may change behind it: write "
                           "[&] if that is meant, or let 'emulate' run the machine code",
                           SMP_TOKEN_TEXT(*name));
}

/* "[&]", "[=]", "[&a, b]": what is copied is looked at. */
static bool check_captures(smp_parser *parser, const smp_definition *f) {
    const smp_token *tokens = parser->tokens;
    const uint32_t end = smp_behind_bracket(tokens, f->head, '[', ']') - 1;
    bool copies_all = false;
    for (uint32_t at = f->head + 1; at < end; at++) {
        const bool is_reference = smp_token_is_punct(&tokens[at], '&');
        copies_all |= smp_token_is_punct(&tokens[at], '=');
        at += is_reference && tokens[at + 1].kind == SMP_TOKEN_NAME;
        const bool is_name = tokens[at].kind == SMP_TOKEN_NAME;
        if (is_name && smp_token_is_punct(&tokens[at + 1], '='))
            return smp_parser_fail(parser, SMP_E_SYNTAX, tokens[at].position,
                                   "a value that a lambda keeps by a name of its own is not "
                                   "followed: declare it before");
        if (is_name && !is_reference && !check_copy(parser, f, &tokens[at]))
            return false;
        if (smp_token_is_punct(&tokens[at + 1], ','))
            at++;
    }
    for (uint32_t at = f->body; copies_all && at < f->end; at++) {
        if (tokens[at].kind == SMP_TOKEN_NAME && !check_copy(parser, f, &tokens[at]))
            return false;
    }
    return true;
}

/* ---- Declaration and call ------------------------------------------------------------------- */

bool smp_lambda_declare(smp_parser *parser, const smp_token *name) {
    const uint32_t at = parser->at + 1;
    smp_definition f;
    if (!find_parts(parser->tokens, at, &f))
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->tokens[at].position,
                               "a lambda is understood as '[&](...) { ... };', called by its "
                               "name: else write a __device__ function, or let 'emulate' run the "
                               "machine code");
    if (!check_captures(parser, &f))
        return false;
    const smp_symbol symbol = {.name = name->text,
                               .length = name->length,
                               .meaning = SMP_MEANS_LAMBDA,
                               .value = at,
                               .array = SMP_ARRAY_NONE,
                               .is_const = true};
    smp_parser_return(parser, f.end);
    return smp_symbol_add(parser, &symbol, name->position) != NULL;
}

bool smp_lambda_use(smp_parser *parser, const smp_symbol *lambda, const smp_token *name,
                    smp_operand *out) {
    smp_definition f;
    if (!smp_parser_is(parser, '('))
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position,
                               "the lambda '%.*s' is called here, but not passed on: write a "
                               "__device__ function, or let 'emulate' run the machine code",
                               SMP_TOKEN_TEXT(*name));
    (void)find_parts(parser->tokens, (uint32_t)lambda->value, &f);
    f.later = (size_t)(lambda - parser->layout->scope.symbols);
    return smp_function_call_lambda(parser, name, &f, out);
}
