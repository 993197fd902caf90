/* SPDX-License-Identifier: MIT */
/* Types, casts, and structs with their members. */
#include "syntax_parser.h"
#include "type.h"

/* ---- Where one begins ---- */

static bool is_integer_word(const ct_token *token) {
    return ct_token_is_any(token, "unsigned signed char short int long");
}

/* Types of thread groups; the initial value tells which. */
static bool is_group_word(const ct_token *token) {
    return ct_token_is_any(token, "thread_block thread_block_tile thread_group coalesced_group "
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
    if (ct_token_is_any(token, "const volatile constexpr struct auto void register typename"))
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

static void skip_qualifiers(ct_parser *p, ct_node *type) {
    for (;;) {
        if (ct_token_is_any(p->token, "const constexpr"))
            type->flags |= CT_IS_CONST;
        else if (!ct_token_is_any(p->token, "volatile register typename inline"))
            return;
        ct_take(p);
    }
}

bool ct_text_has_type(const ct_token *tokens, const ct_token *name) {
    for (uint32_t at = 0; tokens[at].kind != CT_TOKEN_END; at++) {
        const bool is_typedef = ct_token_is(&tokens[at], "typedef");
        const bool is_parameter = at > 0 && ct_token_is_one_of(&tokens[at - 1], "<,");
        uint32_t behind = at + 1;
        if (is_parameter || !ct_token_is_any(&tokens[at], "struct class union enum using typedef"))
            continue;
        while (ct_token_is_any(&tokens[behind], "__align__ alignas"))
            behind = ct_behind_bracket(tokens, behind + 1, '(', ')');
        while (is_typedef && !ct_token_is_punct(&tokens[behind], ';') &&
               tokens[behind].kind != CT_TOKEN_END)
            behind = ct_behind_any(tokens, behind, "({");
        if (ct_token_same(&tokens[behind - is_typedef], name))
            return true;
    }
    return false;
}

static bool fail_type(ct_parser *p) {
    const ct_token *name = p->token;
    if (name->kind != CT_TOKEN_NAME || name->starts_line)
        return ct_refuse_at(p, name->position, "expected a type such as float, half or float4");
    if (ct_text_has_type(p->tokens, name))
        return ct_refuse_at(p, name->position, "types such as '%.*s'" CT_COMPILER_KNOWS,
                            CT_TOKEN_TEXT(*name));
    return ct_refuse_at(p, name->position,
                        "'%.*s' is not a known type: define %.*s = float, or its type",
                        CT_TOKEN_TEXT(*name), CT_TOKEN_TEXT(*name));
}

/* "unsigned long long" and its like. */
static void parse_words(ct_parser *p, ct_node *type) {
    const size_t position = p->token->position;
    unsigned longs = 0;
    type->flags |= CT_IS_WORDS;
    while (is_integer_word(p->token)) {
        longs += ct_is_word(p, "long");
        ct_take(p);
        skip_qualifiers(p, type);
    }
    if (longs == 1 && ct_accept_word(p, "double"))
        ct_refuse_at(p, position, "long double is not supported");
}

static void parse_name(ct_parser *p, ct_node *type) {
    const ct_known_name *known =
        p->token->kind == CT_TOKEN_NAME ? ct_known_find(p->known, p->token) : NULL;
    if (!known && ct_is_word(p, "auto")) {
        type->flags |= CT_IS_AUTO;
    } else if (!known && ct_is_word(p, "void")) {
        type->flags |= CT_IS_VOID;
    } else if (!known && is_group_word(p->token)) {
        type->flags |= CT_IS_AUTO;
        if (ct_token_is_punct(ct_peek(p, 1), '<'))
            ct_go_to(p, ct_behind_bracket(p->tokens, p->at + 1, '<', '>') - 1);
    } else if (p->token->kind != CT_TOKEN_NAME || !is_type_name(p, p->token)) {
        fail_type(p);
        return;
    }
    ct_take(p);
}

ct_node *ct_parse_type(ct_parser *p) {
    ct_node *type = ct_node_new(p, CT_N_TYPE);
    skip_qualifiers(p, type);
    if (!ct_accept_word(p, "struct"))
        ct_accept_word(p, "enum");
    ct_skip_scope(p);
    type->at = p->at;
    if (is_integer_word(p->token))
        parse_words(p, type);
    else
        parse_name(p, type);
    skip_qualifiers(p, type);
    return ct_close(p, type);
}

ct_node *ct_parse_given(ct_parser *p) {
    ct_node *given = ct_node_new(p, CT_N_GIVEN);
    const bool was_in = p->in_template;
    ct_expect(p, '<');
    while (!ct_is(p, '>') && !p->fault) {
        p->in_template = true;
        ct_add(given, ct_type_starts(p) ? ct_parse_type(p) : ct_parse_assignment(p));
        p->in_template = was_in;
        if (!ct_accept(p, ','))
            break;
    }
    ct_expect(p, '>');
    return ct_close(p, given);
}

/* "[4][2]", and "[]" */
void ct_parse_dims(ct_parser *p, ct_node *into) {
    while (ct_is(p, '[') && !p->fault) {
        ct_take(p);
        ct_node *dim = ct_node_new(p, CT_N_DIM);
        if (!ct_is(p, ']'))
            ct_add(dim, ct_parse_assignment(p));
        ct_expect(p, ']');
        ct_add(into, ct_close(p, dim));
    }
}

ct_node *ct_parse_cast_type(ct_parser *p) {
    ct_node *cast = ct_node_new(p, CT_N_CAST_TYPE);
    ct_add(cast, ct_parse_type(p));
    if (ct_is(p, '(') && ct_token_is_punct(ct_peek(p, 1), '*')) { /* "(*)[33]" */
        ct_take(p);
        ct_take(p);
        cast->flags |= CT_IS_POINTER | CT_IS_NESTED;
        ct_expect(p, ')');
        ct_parse_dims(p, cast);
    } else if (ct_accept(p, '*')) {
        cast->flags |= CT_IS_POINTER;
        while (ct_accept_word(p, "const") || ct_accept_word(p, "__restrict__"))
            continue;
        if (ct_is(p, '*'))
            ct_refuse_here(p, "pointers to pointers are not supported");
    } else if (ct_accept(p, '&')) {
        cast->flags |= CT_IS_REFERENCE;
    }
    return ct_close(p, cast);
}

/* "__align__(N)", "alignas(N)", any number of them. */
void ct_parse_aligns(ct_parser *p, ct_node *into) {
    while (!p->fault && ct_token_is_any(p->token, "__align__ alignas")) {
        ct_node *align = ct_node_taken(p, CT_N_ALIGN);
        ct_expect(p, '(');
        ct_add(align, ct_parse_assignment(p));
        ct_expect(p, ')');
        ct_add(into, ct_close(p, align));
    }
}

/* ---- Structs ---- */

bool ct_struct_starts(const ct_parser *p) {
    if (!ct_is_word(p, "struct"))
        return false;
    for (unsigned at = 1; ct_peek(p, at)->kind != CT_TOKEN_END; at++) {
        const ct_token *token = ct_peek(p, at);
        if (ct_token_is_punct(token, '{'))
            return true;
        bool is_head = token->kind == CT_TOKEN_NAME || token->kind == CT_TOKEN_NUMBER ||
                       token->code == '(' || token->code == ')';
        if (!is_head || at > 6)
            return false;
    }
    return false;
}

void ct_skip_initial(ct_parser *p) {
    const ct_token *tokens = p->tokens;
    uint32_t at = p->at;
    if (!ct_token_is_one_of(p->token, "={"))
        return;
    while (tokens[at].kind != CT_TOKEN_END && !ct_token_is_one_of(&tokens[at], ";,}"))
        at = ct_behind_any(tokens, at, "({");
    ct_go_to(p, at);
}

static void parse_fields(ct_parser *p, ct_node *into, ct_node *fields) {
    ct_add(fields, ct_parse_type(p));
    do {
        ct_node *field = ct_node_new(p, CT_N_FIELD);
        field->flags |= ct_accept(p, '*') ? CT_IS_POINTER : 0;
        field->at = p->at;
        ct_expect_name(p, "expected a member's name");
        ct_parse_dims(p, field);
        ct_skip_initial(p);
        ct_add(fields, ct_close(p, field));
    } while (ct_accept(p, ','));
    if (!ct_accept(p, ';') && !ct_is(p, '}'))
        ct_expect(p, ';');
    ct_add(into, ct_close(p, fields));
}

/* True for a data member, as opposed to a method, constant or access word. */
static bool is_field(const ct_token *tokens, uint32_t at) {
    if (ct_token_is_any(&tokens[at], "static template public private protected using friend"))
        return false;
    while (tokens[at].kind != CT_TOKEN_END && !ct_token_is_one_of(&tokens[at], "(;={}"))
        at = ct_behind_any(tokens, at, "[");
    return !ct_token_is_punct(&tokens[at], '(');
}

static void parse_member(ct_parser *p, ct_node *into) {
    ct_node *fields = ct_node_new(p, CT_N_FIELDS);
    ct_parse_aligns(p, fields);
    if (is_field(p->tokens, p->at))
        parse_fields(p, into, fields);
    else
        ct_refuse_here(p, "methods, constants and access specifiers in structs" CT_COMPILER_KNOWS);
}

/* "struct [name] { members }"; `mark` is its first bracket. */
ct_node *ct_parse_struct(ct_parser *p) {
    ct_node *of = ct_node_taken(p, CT_N_STRUCT);
    ct_parse_aligns(p, of);
    of->at = p->at;
    if (p->token->kind == CT_TOKEN_NAME) {
        ct_known_add(p->known, p->token, true);
        ct_take(p);
    } else {
        of->at = of->first; /* no name */
    }
    const uint32_t names = p->known->count;
    of->mark = p->at;
    ct_expect(p, '{');
    while (!ct_is(p, '}') && !p->fault)
        parse_member(p, of);
    p->known->count = names;
    ct_expect(p, '}');
    return ct_close(p, of);
}
