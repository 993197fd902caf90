/* SPDX-License-Identifier: MIT */
/*
 * What stands outside of functions in a whole .cu: types, constants and variables, of the device
 * and of the host. What is not understood there is passed over, as if it were not in the text: a
 * kernel that needs it meets a name that nothing declares.
 */
#include <string.h>

#include "suggest.h"
#include "syntax_parser.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Behind the ';' or the body that ends what begins at `at`; 0: it does not end. */
static uint32_t behind(const ct_token *tokens, uint32_t at, bool has_body) {
    for (; tokens[at].kind != CT_TOKEN_END; at++) {
        if (ct_token_is_punct(&tokens[at], ';'))
            return at + 1;
        const bool is_body = ct_token_is_punct(&tokens[at], '{');
        at = ct_behind_any(tokens, at, "([{") - 1;
        if (is_body && !has_body && !ct_token_is_one_of(&tokens[at + 1], ";,"))
            return at + 1;
    }
    return 0;
}

static bool has_kernel(const ct_token *tokens) {
    for (; tokens->kind != CT_TOKEN_END; tokens++) {
        if (ct_token_is(tokens, "__global__"))
            return true;
    }
    return false;
}

/* A slip in a word of the layout language is no type of the host. */
static bool is_like_word(const ct_token *name) {
    static const char *const words[] = {"expect", "shared", "global", "block",  "blockIdx", "grid",
                                        "define", "data",   "arch",   "kernel", "let",      "end"};
    char text[40];
    const size_t length = name->length < sizeof text ? name->length : sizeof text - 1;
    memcpy(text, name->text, length);
    text[length] = '\0';
    return suggest(text, words, COUNT(words)) != NULL;
}

/* True of what may be the host's: a declaration that ends in ';' or with a body. */
static bool may_be_of_host(const ct_parser *p) {
    const ct_token *next = ct_peek(p, 1);
    if (ct_token_is_any(p->token, "struct class union typedef using enum const constexpr static "
                                  "extern static_assert template"))
        return true;
    const bool is_declared = next->kind == CT_TOKEN_NAME || ct_token_is_one_of(next, "<*&") ||
                             ct_token_is_punct(next, CT_PUNCT2(':', ':'));
    return p->token->kind == CT_TOKEN_NAME && is_declared && !next->starts_line &&
           !ct_type_starts(p) && !is_like_word(p->token);
}

/* The device's own are asked for where they fail. */
static bool is_of_device(const ct_token *tokens, uint32_t at, uint32_t end) {
    for (; at < end && !ct_token_is_punct(&tokens[at], '{'); at++) {
        if (ct_token_is_any(&tokens[at],
                            "__global__ __device__ __shared__ __constant__ shared global"))
            return true;
    }
    return false;
}

bool ct_parse_is_of_host(ct_parser *p, uint32_t *end) {
    if (p->known->range_count > 0 || !may_be_of_host(p))
        return false;
    *end = behind(p->tokens, p->at, ct_token_is_any(p->token, "struct class union enum typedef"));
    return *end > 0 && !is_of_device(p->tokens, p->at, *end) && has_kernel(p->tokens);
}
