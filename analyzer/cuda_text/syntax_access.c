/* SPDX-License-Identifier: MIT */
/*
 * Accesses that are said by name, as in PTX: ld st atom red ldmatrix stmatrix cp.async, with
 * .shared .global .cluster and what else PTX writes there.
 */
#include <string.h>

#include "syntax_parser.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char verbs[] = "ld st atom red", matrices[] = "ldmatrix stmatrix";

bool ct_access_starts(const ct_parser *p) {
    const ct_token *next = ct_peek(p, 1);
    bool assigns = next->kind == CT_TOKEN_PUNCT && next->code != '.' && next->code != '*' &&
                   next->code != '&' && next->code != '(' && next->code != CT_PUNCT2(':', ':');
    return (ct_token_is_any(p->token, verbs) || ct_token_is_any(p->token, matrices) ||
            ct_is_word(p, "cp")) &&
           !assigns && !ct_known_find(p->known, p->token);
}

/* "v2", "f32": how many, of how many bytes; and words of PTX that say nothing about which bytes are
 * accessed. False: it is none of these. */
static bool read_detail(const ct_token *token, struct ct_access_words *out) {
    static const char types[] = "bufs", *const bits[] = {"8", "16", "32", "64", "128"};
    if (ct_token_is_any(token, "v2 v4"))
        out->count = token->text[1] == '2' ? 2 : 4;
    for (size_t i = 0; i < COUNT(bits) && token->kind == CT_TOKEN_NAME; i++) {
        const size_t length = strlen(bits[i]);
        if (token->length != length + 1 || memcmp(token->text + 1, bits[i], length) != 0 ||
            !memchr(types, token->text[0], sizeof types - 1))
            continue;
        out->bytes = (uint8_t)(1u << i);
        return true;
    }
    return ct_token_is_any(
        token, "volatile weak relaxed acquire release cta gpu sys ca cg cs lu cv wb wt nc v2 v4");
}

/* ".shared", "::cluster(rank)", ".v4.f32": the rank is a child. */
static void parse_words(ct_parser *p, ct_node *access) {
    bool is_remote = false;
    access->words.space = SMP_SPACE_COPY;
    while (!p->fault && (ct_is(p, '.') || ct_is(p, CT_PUNCT2(':', ':')))) {
        ct_take(p);
        const bool is_cluster = ct_is_word(p, "cluster"), is_shared = ct_is_word(p, "shared");
        const bool is_memory = is_shared || ct_is_word(p, "global");
        is_remote = is_cluster || (is_remote && !is_memory);
        if (is_memory)
            access->words.space = is_shared ? SMP_SPACE_SHARED : SMP_SPACE_GLOBAL;
        else if (!is_cluster && !read_detail(p->token, &access->words))
            ct_fail_at(p, SMP_E_UNKNOWN_OP, p->token->position,
                       "expected shared, global or cluster, or a width such as v4.f32");
        ct_take(p);
    }
    if (is_remote && ct_expect(p, '(')) {
        access->flags |= CT_IS_REMOTE;
        access->words.space = SMP_SPACE_SHARED;
        ct_add(access, ct_parse_assignment(p));
        ct_expect(p, ')');
    }
}

/* "ldmatrix.x4.trans", with PTX's other modifiers allowed in between. */
static void parse_matrix(ct_parser *p, ct_node *access) {
    while (!p->fault && ct_accept(p, '.')) {
        if (ct_token_is_any(p->token, "x1 x2 x4"))
            access->words.count = (uint8_t)(p->token->text[1] - '0');
        else if (ct_is_word(p, "trans"))
            access->words.is_transposed = true;
        else if (!ct_token_is_any(p->token, "sync aligned m8n8 shared b16"))
            ct_fail_at(p, SMP_E_UNKNOWN_OP, p->token->position, "expected x1, x2, x4 or trans");
        ct_take(p);
    }
    if (access->words.count == 0)
        ct_fail_at(p, SMP_E_UNKNOWN_OP, p->token->position,
                   "the number of matrices is missing: .x1, .x2 or .x4");
}

/* "cp.async &s[...], &g[...] [, bytes]". */
static void parse_copy(ct_parser *p, ct_node *access) {
    if (!ct_accept(p, '.') || !ct_accept_word(p, "async"))
        ct_fail_at(p, SMP_E_UNKNOWN_OP, p->token->position, "expected cp.async");
    while (!p->fault && ct_accept(p, '.')) {
        if (!ct_token_is_any(p->token, "ca cg shared global"))
            ct_fail_at(p, SMP_E_UNKNOWN_OP, p->token->position,
                       "expected ca, cg, shared or global");
        ct_take(p);
    }
    ct_add(access, ct_parse_assignment(p));
    if (ct_expect(p, ','))
        ct_add(access, ct_parse_assignment(p));
    if (!p->fault && ct_accept(p, ','))
        ct_add(access, ct_parse_assignment(p));
}

ct_node *ct_parse_access(ct_parser *p) {
    ct_node *access = ct_node_new(p, CT_N_ACCESS);
    const ct_token *word = p->token;
    ct_take(p);
    if (ct_token_is_any(word, verbs))
        parse_words(p, access);
    else if (ct_token_is_any(word, matrices))
        parse_matrix(p, access);
    if (ct_token_is(word, "cp"))
        parse_copy(p, access);
    else if (!p->fault)
        ct_add(access, ct_parse_assignment(p));
    ct_close(p, access);
    if (!p->fault && !ct_expect_end(p))
        ct_add(access, ct_fault_node(p));
    return access;
}
