/* SPDX-License-Identifier: MIT */
/*
 * Names that a layout gives, and those of architectures.
 */
#include <string.h>

#include "layout.h"

bool smp_new_name_parse(smp_parser *parser, const smp_layout *layout, smp_token *name) {
    *name = parser->token;
    if (name->kind != SMP_TOKEN_NAME)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position, "expected a name");
    const char *text = parser->text + name->position;
    uint16_t slot;
    unsigned dimensions;
    bool is_taken = smp_layout_knows(layout, text, name->length) ||
                    smp_builtin_find(text, name->length, &slot, &dimensions) ||
                    smp_function_find(text, name->length) != NULL;
    if (is_taken)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position, "'%.*s' already has a meaning",
                               SMP_TOKEN_TEXT(parser, *name));
    smp_parser_next(parser);
    return parser->status == SMP_OK;
}

bool smp_symbol_add(smp_parser *parser, smp_layout *layout, smp_symbol symbol, size_t position) {
    smp_scope *scope = &layout->scope;
    if (scope->count == SMP_SYMBOLS_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d names",
                               SMP_SYMBOLS_MAX);
    scope->symbols[scope->count++] = symbol;
    return true;
}

bool smp_arch_parse(smp_parser *parser, const smp_arch **out) {
    size_t start = parser->token.position, end = start;
    char name[32] = "";
    while (end < parser->length && parser->text[end] != ',' && parser->text[end] != ' ' &&
           parser->text[end] != '\t' && parser->text[end] != ';')
        end++;
    if (end - start < sizeof name)
        memcpy(name, parser->text + start, end - start);
    *out = name[0] != '\0' ? smp_arch_find(name) : NULL;
    if (!*out)
        return smp_parser_fail(parser, SMP_E_UNKNOWN_ARCH, start,
                               "unknown architecture (see 'list archs')");
    smp_parser_seek(parser, end);
    return parser->status == SMP_OK;
}
