/* SPDX-License-Identifier: MIT */
/*
 * Class templates: "P<4, float>" is a struct of its own, whose body is read once for each list of
 * arguments. Where bodies stand is kept as places among the tokens, for methods (method.c).
 */
#include <string.h>

#include "function.h"
#include "layout.h"

/* ---- Where it stands ------------------------------------------------------------------------ */

static bool is_same(const ct_token *a, const ct_token *b) {
    return a->kind == CT_TOKEN_NAME && a->length == b->length &&
           memcmp(a->text, b->text, a->length) == 0;
}

/* The word "struct" of the template; 0: there is none of that name. */
static uint32_t find_template(const ct_parser *parser, const ct_token *name, uint32_t *head) {
    const ct_token *tokens = parser->tokens;
    for (uint32_t at = 0; tokens[at].kind != CT_TOKEN_END; at++) {
        if (!ct_token_is(&tokens[at], "template") || !ct_token_is_punct(&tokens[at + 1], '<'))
            continue;
        const uint32_t word = ct_behind_bracket(tokens, at + 1, '<', '>');
        uint32_t behind = word + 1;
        while (ct_token_is(&tokens[behind], "__align__") || ct_token_is(&tokens[behind], "alignas"))
            behind = ct_behind_bracket(tokens, behind + 1, '(', ')');
        const bool is_class =
            ct_token_is(&tokens[word], "struct") || ct_token_is(&tokens[word], "class");
        *head = at;
        if (is_class && is_same(&tokens[behind], name) &&
            !ct_token_is_punct(&tokens[behind + 1], ';'))
            return word;
    }
    return 0;
}

bool ct_class_is_template(const ct_parser *parser, const ct_token *name) {
    uint32_t head;
    return name->kind == CT_TOKEN_NAME && find_template(parser, name, &head) > 0;
}

/* "template <> struct P<int>" and its like. */
static bool is_specialised(const ct_parser *parser, const ct_token *name) {
    const ct_token *tokens = parser->tokens;
    for (uint32_t at = 0; tokens[at].kind != CT_TOKEN_END; at++) {
        const bool is_class =
            ct_token_is(&tokens[at], "struct") || ct_token_is(&tokens[at], "class");
        if (is_class && is_same(&tokens[at + 1], name) && ct_token_is_punct(&tokens[at + 2], '<'))
            return true;
    }
    return false;
}

/* ---- Types ---------------------------------------------------------------------------------- */

static bool is_alike(const ct_given_part *a, const ct_given_part *b) {
    return a->is_type == b->is_type &&
           (a->is_type ? a->use.type == b->use.type : a->value == b->value);
}

static const smp_type *find_made(const ct_parser *parser, uint32_t head, const ct_given_part *parts,
                                 unsigned count) {
    const ct_type_table *table = &parser->layout->types;
    for (uint32_t i = 0; i < table->count; i++) {
        const ct_class *of = &table->classes[i];
        bool is_one = of->head == head + 1 && of->part_count == count && of->tokens == parser->text;
        for (unsigned k = 0; k < count && is_one; k++)
            is_one = is_alike(&of->parts[k], &parts[k]);
        if (is_one)
            return &table->structs[i];
    }
    return NULL;
}

/* The body with what the template is given, out of sight of what stands around its use. */
static bool make(ct_parser *parser, uint32_t word, uint32_t head, const ct_given_part *parts,
                 unsigned count, const smp_type **out) {
    smp_layout *layout = parser->layout;
    ct_scope *scope = &layout->scope;
    ct_type_table *table = &layout->types;
    const uint32_t index = table->count, aliases = table->alias_count;
    const size_t mark = ct_scope_begin(layout), from = scope->hidden_from, to = scope->hidden_to;
    scope->hidden_from = layout->has_kernel ? layout->kernel_names : scope->count;
    scope->hidden_to = scope->count;
    bool sound = ct_function_bind_given(parser, head, parts, count);
    if (sound) {
        ct_parser_return(parser, word);
        sound = ct_struct_parse(parser, out);
    }
    scope->hidden_from = from;
    scope->hidden_to = to;
    table->alias_count = aliases;
    ct_scope_end(layout, mark);
    if (!sound)
        return false;
    ct_class *of = &table->classes[index];
    of->head = head + 1;
    of->part_count = count;
    memcpy(of->parts, parts, count * sizeof parts[0]);
    return true;
}

bool ct_class_parse(ct_parser *parser, const smp_type **out) {
    const ct_token name = parser->token;
    ct_given_part parts[CT_ARGUMENTS_MAX];
    unsigned count;
    uint32_t head;
    const uint32_t word = find_template(parser, &name, &head);
    ct_parser_next(parser);
    if (is_specialised(parser, &name))
        return ct_parser_fail(parser, SMP_E_SYNTAX, name.position,
                              "'%.*s' has a form of its own for some arguments, which is not "
                              "followed; 'emulate' runs the machine code",
                              CT_TOKEN_TEXT(name));
    if (!ct_function_parse_given(parser, parts, &count))
        return false;
    if (count > CT_PARTS_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, name.position,
                              "more than %d arguments of a class template", CT_PARTS_MAX);
    *out = find_made(parser, head, parts, count);
    if (*out)
        return true;
    const uint32_t at = parser->at;
    const size_t last_end = parser->last_end;
    if (!make(parser, word, head, parts, count, out))
        return false;
    ct_parser_return(parser, at);
    parser->last_end = last_end;
    return parser->status == SMP_OK;
}

/* ---- What it holds -------------------------------------------------------------------------- */

const ct_static *ct_class_static(const smp_type *type, const ct_token *name) {
    const ct_class *of = type->class_of;
    for (unsigned i = 0; of && i < of->static_count; i++) {
        if (of->statics[i].length == name->length &&
            memcmp(of->statics[i].name, name->text, name->length) == 0)
            return &of->statics[i];
    }
    return NULL;
}

/* True if a body may access memory. */
static bool may_access(const ct_parser *parser, uint32_t body, bool has_pointer) {
    const ct_token *tokens = parser->tokens;
    const uint32_t end = ct_behind_bracket(tokens, body, '{', '}') - 1;
    for (uint32_t at = body + 1; at < end; at++) {
        const bool is_name = tokens[at].kind == CT_TOKEN_NAME;
        if (has_pointer ||
            (is_name && smp_array_find(parser->layout, tokens[at].text, tokens[at].length) >= 0))
            return true;
    }
    return false;
}

bool ct_class_check_constructor(ct_parser *parser, const smp_type *type, bool has_pointer,
                                size_t position) {
    const ct_class *of = type ? type->class_of : NULL;
    const ct_token *tokens = parser->tokens;
    if (!of || of->tokens != parser->text)
        return true;
    for (uint32_t at = of->body + 1; at < of->end; at++) {
        const bool is_name = tokens[at].kind == CT_TOKEN_NAME &&
                             tokens[at].length == type->length &&
                             memcmp(tokens[at].text, type->name, type->length) == 0;
        uint32_t body = is_name && ct_token_is_punct(&tokens[at + 1], '(')
                            ? ct_behind_bracket(tokens, at + 1, '(', ')')
                            : of->end;
        while (body < of->end && !ct_token_is_punct(&tokens[body], '{') &&
               !ct_token_is_punct(&tokens[body], ';'))
            body++;
        if (ct_token_is_punct(&tokens[body], '{') && may_access(parser, body, has_pointer))
            return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                                  "what the constructor of '%.*s' does is not followed: write a "
                                  "__device__ function, or let 'emulate' run the machine code",
                                  (int)type->length, type->name);
        if (ct_token_is_punct(&tokens[at], '{')) /* of a method */
            at = ct_behind_bracket(tokens, at, '{', '}') - 1;
    }
    return true;
}

bool ct_class_bind(ct_parser *parser, const smp_type *type) {
    const ct_class *of = type->class_of;
    const ct_alias own = {.name = type->name, .length = type->length, .use = {.type = type}};
    if (of->head > 0 && !ct_function_bind_given(parser, of->head - 1, of->parts, of->part_count))
        return false;
    for (unsigned i = 0; i < of->static_count; i++) {
        const ct_static *s = &of->statics[i];
        const ct_token name = {.kind = CT_TOKEN_NAME, .text = s->name, .length = s->length};
        if (!ct_constant_add_as(parser, &name, s->value, s->kind, s->type))
            return false;
    }
    return type->length == 0 || ct_alias_add(parser, &own, parser->token.position);
}
