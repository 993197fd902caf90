/* SPDX-License-Identifier: MIT */
/*
 * Mentions of local arrays: whether each is an element that is read or set. A pointer to one, or a
 * reference, could change what its name does not show.
 */
#include "lower.h"

enum { ELEMENTS_MAX = 64, ARRAY_SLOTS_MAX = CT_SLOTS_MAX / 2 };

/* Behind the brackets that begin at `at`, or `at`. */
static uint32_t behind_index(const ct_token *tokens, uint32_t at) {
    unsigned depth = 0;
    for (; tokens[at].kind != CT_TOKEN_END; at++) {
        depth += ct_token_is_punct(&tokens[at], '[');
        depth -= ct_token_is_punct(&tokens[at], ']') && depth > 0;
        if (depth == 0)
            return at + ct_token_is_punct(&tokens[at], ']');
    }
    return at;
}

static bool is_operand_end(const ct_token *token) {
    return token->kind == CT_TOKEN_NAME || token->kind == CT_TOKEN_NUMBER ||
           ct_token_is_one_of(token, ")]");
}

/* The function whose argument begins or ends at `at`, or NULL: what is there is none. */
static const ct_token *callee_of(const ct_token *tokens, uint32_t at) {
    unsigned depth = 1;
    while (at > 0 && depth > 0) {
        at--;
        depth += ct_token_is_punct(&tokens[at], ')');
        depth -= ct_token_is_punct(&tokens[at], '(');
        if (ct_token_is_one_of(&tokens[at], ";{"))
            return NULL;
    }
    return at > 0 && tokens[at - 1].kind == CT_TOKEN_NAME ? &tokens[at - 1] : NULL;
}

/* "f = [" somewhere: its parameters are not looked at. */
static bool is_lambda(const ct_token *tokens, const ct_token *name) {
    for (; tokens->kind != CT_TOKEN_END; tokens++) {
        if (ct_token_same(tokens, name) && ct_token_is_punct(tokens + 1, '=') &&
            ct_token_is_punct(tokens + 2, '['))
            return true;
    }
    return false;
}

/* "f(o[1])", `next` being behind it, may take it by reference. */
static bool may_refer(const ct_lower *l, uint32_t at, const ct_token *next) {
    const ct_token *tokens = l->tokens, *before = &tokens[at - 1];
    const bool is_argument = ct_token_is_one_of(before, "(,") && ct_token_is_one_of(next, "),");
    const ct_token *callee = is_argument ? callee_of(tokens, at) : NULL;
    return callee && (ct_function_takes_reference(l->unit, callee) || is_lambda(tokens, callee));
}

/* What the mention at `at`, of an array of so many dimensions, does. */
typedef enum ct_mention { READS_ELEMENT, SETS_ELEMENT, SHOWS_MORE } ct_mention;

static ct_mention read_mention(const ct_lower *l, uint32_t at, unsigned dims) {
    const ct_token *tokens = l->tokens;
    uint32_t behind = at + 1;
    unsigned indices = 0;
    for (; ct_token_is_punct(&tokens[behind], '['); indices++)
        behind = behind_index(tokens, behind);
    const ct_token *before = &tokens[at - 1], *next = &tokens[behind];
    const uint32_t first = at - 1 - ct_token_is_punct(before, '(');
    if (ct_token_is(&tokens[first], "sizeof")) /* nothing is read, but its size */
        return READS_ELEMENT;
    const bool is_address = ct_token_is_punct(before, '&') && !is_operand_end(&tokens[at - 2]);
    const bool is_member = ct_token_is_punct(before, '.') ||
                           ct_token_is_punct(before, CT_PUNCT2('-', '>')) ||
                           ct_token_is_punct(before, CT_PUNCT2(':', ':'));
    const bool is_reference =
        ct_token_is_one_of(before, "={") && ct_token_is_punct(&tokens[at - 3], '&');
    if (indices != dims || is_address || is_member || is_reference ||
        ct_token_is_punct(next, '.') || may_refer(l, at, next))
        return SHOWS_MORE;
    return ct_token_steps(before) || ct_token_sets(next) ? SETS_ELEMENT : READS_ELEMENT;
}

bool ct_local_array_changes(const ct_lower *l, const ct_symbol *array, uint32_t at) {
    return read_mention(l, at, array->shape.dim_count) != READS_ELEMENT;
}

/* True if the host may set what is declared before `at`. */
static bool is_of_the_host(const ct_token *tokens, uint32_t at) {
    while (at > 0 && !ct_token_is_one_of(&tokens[at - 1], ";}{"))
        if (ct_token_is(&tokens[--at], "__constant__"))
            return true;
    return false;
}

/* True if each mention up to the end of the block is an element. */
static bool shows_elements(const ct_lower *l, const ct_token *name, uint32_t at, unsigned dims) {
    const ct_token *tokens = l->tokens;
    unsigned depth = 1;
    for (; tokens[at].kind != CT_TOKEN_END && depth > 0; at++) {
        depth += ct_token_is_punct(&tokens[at], '{');
        depth -= ct_token_is_punct(&tokens[at], '}');
        if (ct_token_same(&tokens[at], name) && read_mention(l, at, dims) == SHOWS_MORE)
            return false;
    }
    return true;
}

bool ct_local_array_is_followed(const ct_lower *l, const ct_node *d, smp_shape shape) {
    const ct_node *initial = ct_behind_kind(d->child, CT_N_DIM);
    const bool has_list = initial && initial->kind == CT_N_INIT && initial->flags & CT_IS_BRACED;
    const uint32_t behind = initial ? initial->first : d->end;
    const ct_token *next = &l->tokens[behind];
    const bool has_none = !initial && ct_token_is_one_of(next, ";,");
    uint64_t count = 1;
    for (uint32_t i = 0; i < shape.dim_count; i++)
        count *= shape.dims[i];
    const bool fits =
        count <= ELEMENTS_MAX && l->layout->kernel.slot_count + count <= ARRAY_SLOTS_MAX;
    return (has_list || (has_none && !is_of_the_host(l->tokens, behind))) && shape.dim_count > 0 &&
           smp_type_is_integer(shape.type) && fits &&
           shows_elements(l, &l->tokens[d->at], behind, shape.dim_count);
}
