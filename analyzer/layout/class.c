/* SPDX-License-Identifier: MIT */
/*
 * Class templates: "P<4, float>" is a struct of its own, whose body is read once for each list of
 * arguments. Where bodies stand is kept as places among the tokens, for methods (method.c).
 */
#include <string.h>

#include "function.h"
#include "layout.h"

/* ---- Where it stands ------------------------------------------------------------------------ */

static bool is_same(const smp_token *a, const smp_token *b) {
    return a->kind == SMP_TOKEN_NAME && a->length == b->length &&
           memcmp(a->text, b->text, a->length) == 0;
}

/* The word "struct" of the template; 0: there is none of that name. */
static uint32_t find_template(const smp_parser *parser, const smp_token *name, uint32_t *head) {
    const smp_token *tokens = parser->tokens;
    for (uint32_t at = 0; tokens[at].kind != SMP_TOKEN_END; at++) {
        if (!smp_token_is(&tokens[at], "template") || !smp_token_is_punct(&tokens[at + 1], '<'))
            continue;
        const uint32_t word = smp_behind_bracket(tokens, at + 1, '<', '>');
        if (!smp_token_is(&tokens[word], "struct") && !smp_token_is(&tokens[word], "class"))
            continue; /* the last token where the bracket is never closed */
        uint32_t behind = word + 1;
        while (smp_token_is(&tokens[behind], "__align__") ||
               smp_token_is(&tokens[behind], "alignas"))
            behind = smp_behind_bracket(tokens, behind + 1, '(', ')');
        *head = at;
        if (is_same(&tokens[behind], name) && !smp_token_is_punct(&tokens[behind + 1], ';'))
            return word;
    }
    return 0;
}

bool smp_class_is_template(const smp_parser *parser, const smp_token *name) {
    uint32_t head;
    return name->kind == SMP_TOKEN_NAME && find_template(parser, name, &head) > 0;
}

/* "template <> struct P<int>" and its like. */
static bool is_specialised(const smp_parser *parser, const smp_token *name) {
    const smp_token *tokens = parser->tokens;
    for (uint32_t at = 0; tokens[at].kind != SMP_TOKEN_END; at++) {
        const bool is_class =
            smp_token_is(&tokens[at], "struct") || smp_token_is(&tokens[at], "class");
        if (is_class && is_same(&tokens[at + 1], name) && smp_token_is_punct(&tokens[at + 2], '<'))
            return true;
    }
    return false;
}

/* ---- Types ---------------------------------------------------------------------------------- */

static bool is_alike(const smp_given_part *a, const smp_given_part *b) {
    return a->is_type == b->is_type &&
           (a->is_type ? a->use.type == b->use.type : a->value == b->value);
}

static const smp_type *find_made(const smp_parser *parser, uint32_t head,
                                 const smp_given_part *parts, unsigned count) {
    const smp_type_table *table = &parser->layout->types;
    for (uint32_t i = 0; i < table->count; i++) {
        const smp_class *of = &table->classes[i];
        bool is_one = of->head == head + 1 && of->part_count == count && of->tokens == parser->text;
        for (unsigned k = 0; k < count && is_one; k++)
            is_one = is_alike(&of->parts[k], &parts[k]);
        if (is_one)
            return &table->structs[i];
    }
    return NULL;
}

/* The body with what the template is given, out of sight of what stands around its use. */
static bool make(smp_parser *parser, uint32_t word, uint32_t head, const smp_given_part *parts,
                 unsigned count, const smp_type **out) {
    smp_layout *layout = parser->layout;
    smp_scope *scope = &layout->scope;
    smp_type_table *table = &layout->types;
    const uint32_t index = table->count, aliases = table->alias_count;
    const size_t mark = smp_scope_begin(layout), from = scope->hidden_from, to = scope->hidden_to;
    scope->hidden_from = layout->has_kernel ? layout->kernel_names : scope->count;
    scope->hidden_to = scope->count;
    bool sound = smp_function_bind_given(parser, head, parts, count);
    if (sound) {
        smp_parser_return(parser, word);
        sound = smp_struct_parse(parser, out);
    }
    scope->hidden_from = from;
    scope->hidden_to = to;
    table->alias_count = aliases;
    smp_scope_end(layout, mark);
    if (!sound)
        return false;
    smp_class *of = &table->classes[index];
    of->head = head + 1;
    of->part_count = count;
    memcpy(of->parts, parts, count * sizeof parts[0]);
    return true;
}

bool smp_class_parse(smp_parser *parser, const smp_type **out) {
    const smp_token name = parser->token;
    smp_given_part parts[SMP_ARGUMENTS_MAX];
    unsigned count;
    uint32_t head;
    const uint32_t word = find_template(parser, &name, &head);
    smp_parser_next(parser);
    if (is_specialised(parser, &name))
        return smp_parser_fail(parser, SMP_E_SYNTAX, name.position,
                               "'%.*s' has a form of its own for some arguments, which is not "
                               "followed; 'emulate' runs the machine code",
                               SMP_TOKEN_TEXT(name));
    if (!smp_function_parse_given(parser, parts, &count))
        return false;
    if (count > SMP_PARTS_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, name.position,
                               "more than %d arguments of a class template", SMP_PARTS_MAX);
    *out = find_made(parser, head, parts, count);
    if (*out)
        return true;
    const uint32_t at = parser->at;
    const size_t last_end = parser->last_end;
    if (!make(parser, word, head, parts, count, out))
        return false;
    smp_parser_return(parser, at);
    parser->last_end = last_end;
    return parser->status == SMP_OK;
}

/* ---- What it holds -------------------------------------------------------------------------- */

const smp_static *smp_class_static(const smp_type *type, const smp_token *name) {
    const smp_class *of = type->class_of;
    for (unsigned i = 0; of && i < of->static_count; i++) {
        if (of->statics[i].length == name->length &&
            memcmp(of->statics[i].name, name->text, name->length) == 0)
            return &of->statics[i];
    }
    return NULL;
}

/* True if a body may access memory. */
static bool may_access(const smp_parser *parser, uint32_t body, bool has_pointer) {
    const smp_token *tokens = parser->tokens;
    const uint32_t end = smp_behind_bracket(tokens, body, '{', '}') - 1;
    for (uint32_t at = body + 1; at < end; at++) {
        const bool is_name = tokens[at].kind == SMP_TOKEN_NAME;
        if (has_pointer ||
            (is_name && smp_array_find(parser->layout, tokens[at].text, tokens[at].length) >= 0))
            return true;
    }
    return false;
}

bool smp_class_check_constructor(smp_parser *parser, const smp_type *type, bool has_pointer,
                                 size_t position) {
    const smp_class *of = type ? type->class_of : NULL;
    const smp_token *tokens = parser->tokens;
    if (!of || of->tokens != parser->text)
        return true;
    for (uint32_t at = of->body + 1; at < of->end; at++) {
        const bool is_name = tokens[at].kind == SMP_TOKEN_NAME &&
                             tokens[at].length == type->length &&
                             memcmp(tokens[at].text, type->name, type->length) == 0;
        uint32_t body = is_name && smp_token_is_punct(&tokens[at + 1], '(')
                            ? smp_behind_bracket(tokens, at + 1, '(', ')')
                            : of->end;
        while (body < of->end && !smp_token_is_punct(&tokens[body], '{') &&
               !smp_token_is_punct(&tokens[body], ';'))
            body++;
        if (smp_token_is_punct(&tokens[body], '{') && may_access(parser, body, has_pointer))
            return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                                   "what the constructor of '%.*s' does is not followed: write a "
                                   "__device__ function, or let 'emulate' run the machine code",
                                   (int)type->length, type->name);
        if (smp_token_is_punct(&tokens[at], '{')) /* of a method */
            at = smp_behind_bracket(tokens, at, '{', '}') - 1;
    }
    return true;
}

bool smp_class_bind(smp_parser *parser, const smp_type *type) {
    const smp_class *of = type->class_of;
    const smp_alias own = {.name = type->name, .length = type->length, .use = {.type = type}};
    if (of->head > 0 && !smp_function_bind_given(parser, of->head - 1, of->parts, of->part_count))
        return false;
    for (unsigned i = 0; i < of->static_count; i++) {
        const smp_static *s = &of->statics[i];
        const smp_token name = {.kind = SMP_TOKEN_NAME, .text = s->name, .length = s->length};
        if (!smp_constant_add_as(parser, &name, s->value, s->kind, s->type))
            return false;
    }
    return type->length == 0 || smp_alias_add(parser, &own, parser->token.position);
}
