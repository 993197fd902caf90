/* SPDX-License-Identifier: MIT */
/*
 * Structs: members where a compiler puts them, and alignments that are asked for.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

bool ct_align_parse(ct_parser *parser, uint32_t *align) {
    while (ct_parser_accept_name(parser, "__align__") || ct_parser_accept_name(parser, "alignas")) {
        int64_t value;
        if (!ct_parser_expect(parser, '(') ||
            !ct_expr_constant_in(parser, "the alignment", 1, 1 << 16, &value) ||
            !ct_parser_expect(parser, ')'))
            return false;
        if ((value & (value - 1)) != 0)
            return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                                  "an alignment is a power of two");
        if ((uint32_t)value > *align)
            *align = (uint32_t)value;
    }
    return parser->status == SMP_OK;
}

static uint64_t round_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}

enum { STRUCT_SIZE_MAX = 1 << 18 };

static bool parse_member_dims(ct_parser *parser, smp_shape *shape) {
    while (ct_parser_accept(parser, '[')) {
        int64_t extent;
        if (shape->dim_count == SMP_SHAPE_DIMS_MAX)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                                  "a member has at most %d dimensions", SMP_SHAPE_DIMS_MAX);
        if (!ct_expr_constant_in(parser, "the dimension", 1, STRUCT_SIZE_MAX, &extent) ||
            !ct_parser_expect(parser, ']'))
            return false;
        shape->dims[shape->dim_count++] = (uint32_t)extent;
    }
    return parser->status == SMP_OK;
}

/* "= 4" behind a member: what a constructor sets is not followed. */
static bool skip_initial(ct_parser *parser) {
    const ct_token *tokens = parser->tokens;
    uint32_t at = parser->at;
    if (!ct_parser_is(parser, '=') && !ct_parser_is(parser, '{'))
        return true;
    while (tokens[at].kind != CT_TOKEN_END && !ct_token_is_punct(&tokens[at], ';') &&
           !ct_token_is_punct(&tokens[at], ',') && !ct_token_is_punct(&tokens[at], '}'))
        at = ct_token_is_punct(&tokens[at], '{')   ? ct_behind_bracket(tokens, at, '{', '}')
             : ct_token_is_punct(&tokens[at], '(') ? ct_behind_bracket(tokens, at, '(', ')')
                                                   : at + 1;
    ct_parser_return(parser, at);
    return parser->status == SMP_OK;
}

static bool parse_member(ct_parser *parser, const smp_type *of, uint32_t align, smp_type *out) {
    const smp_type *type = ct_parser_accept(parser, '*') ? ct_type_pointer() : of;
    ct_token name = parser->token;
    align = align > type->align ? align : type->align;
    if (name.kind != CT_TOKEN_NAME)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name.position, "expected a member's name");
    if (out->member_count == SMP_MEMBERS_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, name.position, "more than %d members",
                              SMP_MEMBERS_MAX);
    smp_member *member = &out->members[out->member_count];
    *member = (smp_member){name.text, name.length, {.type = type}, 0};
    ct_parser_next(parser);
    if (!parse_member_dims(parser, &member->shape) || !skip_initial(parser))
        return false;
    member->offset = (uint32_t)round_up(out->size, align);
    uint64_t end = member->offset + smp_shape_size(member->shape);
    if (end > STRUCT_SIZE_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, name.position, "a struct is at most %d bytes",
                              STRUCT_SIZE_MAX);
    out->size = (uint32_t)end;
    out->align = align > out->align ? align : out->align;
    out->member_count++;
    return true;
}

/* Behind a method, a constructor or its declaration that begins here, or 0. */
static uint32_t method_end(const ct_parser *parser) {
    const ct_token *tokens = parser->tokens;
    uint32_t at = parser->at;
    if (ct_token_is(&tokens[at], "template"))
        at = ct_behind_bracket(tokens, at + 1, '<', '>');
    while (tokens[at].kind == CT_TOKEN_NAME || ct_token_is_punct(&tokens[at], '<') ||
           ct_token_is_punct(&tokens[at], '*') || ct_token_is_punct(&tokens[at], '&') ||
           ct_token_is_punct(&tokens[at], '~') || ct_token_is_punct(&tokens[at], ':') ||
           ct_token_is_punct(&tokens[at], CT_PUNCT2(':', ':'))) {
        if (ct_token_is(&tokens[at], "operator")) {
            at += ct_token_is_punct(&tokens[at + 1], '(') ? 3 : 1; /* operator() */
            while (tokens[at].kind != CT_TOKEN_END && !ct_token_is_punct(&tokens[at], '('))
                at++;
            break;
        }
        at = ct_token_is_punct(&tokens[at], '<') ? ct_behind_bracket(tokens, at, '<', '>') : at + 1;
    }
    if (!ct_token_is_punct(&tokens[at], '('))
        return 0;
    bool has_list = false;
    for (at = ct_behind_bracket(tokens, at, '(', ')'); tokens[at].kind != CT_TOKEN_END; at++) {
        has_list |= ct_token_is_punct(&tokens[at], ':');
        if (ct_token_is_punct(&tokens[at], ';'))
            return at + 1;
        if (ct_token_is_punct(&tokens[at], '{') && has_list &&
            tokens[at - 1].kind == CT_TOKEN_NAME) /* x{1} */
            at = ct_behind_bracket(tokens, at, '{', '}');
        if (ct_token_is_punct(&tokens[at], '{'))
            return ct_behind_bracket(tokens, at, '{', '}');
        if (ct_token_is_punct(&tokens[at], '('))
            at = ct_behind_bracket(tokens, at, '(', ')') - 1;
    }
    return 0;
}

/* "static constexpr int N = 4;": a constant of the struct. */
static bool parse_static(ct_parser *parser, ct_class *of) {
    ct_type_use use;
    int64_t value;
    ct_kind kind;
    if (!ct_type_parse(parser, &use))
        return false;
    do {
        const ct_token name = parser->token;
        ct_parser_next(parser);
        if (!ct_parser_expect(parser, '=') || !ct_expr_constant(parser, &value, &kind) ||
            !ct_constant_add_as(parser, &name, value, kind, use.type))
            return false;
        if (!smp_type_is_integer(use.type))
            return ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                                  "a constant of a struct is understood as an integer");
        if (of->static_count == CT_STATICS_MAX)
            return ct_parser_fail(parser, SMP_E_OVERFLOW, name.position,
                                  "more than %d constants in a struct", CT_STATICS_MAX);
        of->statics[of->static_count++] = (ct_static){.name = name.text,
                                                      .length = name.length,
                                                      .value = value,
                                                      .kind = kind,
                                                      .type = use.type};
    } while (ct_parser_accept(parser, ','));
    return ct_parser_expect(parser, ';');
}

/* What is no member that takes room; *has: there was such a thing. */
static bool pass_over(ct_parser *parser, ct_class *of, bool *has) {
    static const char *const words[] = {"public", "private", "protected"};
    const uint32_t end = method_end(parser);
    *has = true;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (ct_parser_accept_name(parser, words[i]))
            return ct_parser_expect(parser, ':');
    }
    if (end > 0) {
        ct_parser_return(parser, end);
        return parser->status == SMP_OK;
    }
    *has = ct_parser_accept_name(parser, "static");
    return !*has || parse_static(parser, of);
}

static bool parse_members(ct_parser *parser, smp_type *out, ct_class *of, bool *is_empty) {
    *is_empty = ct_parser_is(parser, '}');
    while (!ct_parser_is(parser, '}')) {
        ct_type_use use;
        uint32_t align = 1;
        bool passed;
        if (!ct_align_parse(parser, &align) || !pass_over(parser, of, &passed))
            return false;
        if (passed)
            continue;
        if (!ct_type_parse(parser, &use))
            return false;
        do {
            if (!parse_member(parser, use.type, align, out))
                return false;
        } while (ct_parser_accept(parser, ','));
        bool more = ct_parser_accept(parser, ';');
        if (!more && !ct_parser_is(parser, '}'))
            return ct_parser_expect(parser, ';');
    }
    return parser->status == SMP_OK;
}

bool ct_struct_starts(const ct_parser *parser) {
    if (!ct_parser_is_name(parser, "struct") && !ct_parser_is_name(parser, "class"))
        return false;
    unsigned at = 1;
    for (; ct_parser_peek(parser, at).kind != CT_TOKEN_END; at++) {
        ct_token token = ct_parser_peek(parser, at);
        if (token.kind == CT_TOKEN_PUNCT && token.code == '{')
            return true;
        bool is_head = token.kind == CT_TOKEN_NAME || token.kind == CT_TOKEN_NUMBER ||
                       token.code == '(' || token.code == ')';
        if (!is_head || at > 6)
            return false;
    }
    return false;
}

bool ct_struct_parse(ct_parser *parser, const smp_type **out) {
    ct_type_table *table = &parser->layout->types;
    size_t position = parser->token.position;
    if (table->count == CT_STRUCTS_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d structs",
                              CT_STRUCTS_MAX);
    const uint32_t index = table->count++; /* a member's type may come behind it */
    smp_type *type = &table->structs[index];
    ct_class *of = &table->classes[index];
    *of = (ct_class){.tokens = parser->text};
    *type = (smp_type){.name = "struct", .align = 1, .class_of = of};
    ct_parser_next(parser);
    if (!ct_align_parse(parser, &type->align))
        return false;
    if (parser->token.kind == CT_TOKEN_NAME) {
        type->name = parser->token.text;
        type->length = parser->token.length;
        ct_parser_next(parser);
    }
    bool is_empty;
    const size_t mark = ct_scope_begin(parser->layout);
    of->body = parser->at;
    if (!ct_parser_expect(parser, '{') || !parse_members(parser, type, of, &is_empty) ||
        !ct_parser_expect(parser, '}'))
        return false;
    of->end = parser->at;
    ct_scope_end(parser->layout, mark);
    if (type->member_count == 0 && !is_empty)
        type->size = 1; /* nothing but methods and constants */
    if (is_empty)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "a struct needs a member");
    type->size = (uint32_t)round_up(type->size, type->align);
    *out = type;
    return true;
}
