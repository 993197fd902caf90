/* SPDX-License-Identifier: MIT */
/*
 * Names that a text declares, in blocks.
 */
#include <string.h>

#include "lower.h"

ct_symbol *ct_scope_find(const ct_scope *scope, const char *name, size_t length) {
    for (size_t i = scope->count; i-- > 0;) {
        const ct_symbol *symbol = &scope->symbols[i];
        if ((i >= scope->hidden_from && i < scope->hidden_to) ||
            (i >= scope->later_from && i < scope->later_to))
            continue;
        if (symbol->length == length && memcmp(symbol->name, name, length) == 0)
            return (ct_symbol *)(uintptr_t)symbol;
    }
    return NULL;
}

ct_symbol *ct_name_find(const ct_lower *l, const ct_token *name) {
    return ct_scope_find(&l->layout->scope, name->text, name->length);
}

ct_symbol ct_symbol_of(const ct_token *name, ct_meaning meaning, const smp_type *type) {
    return (ct_symbol){.name = name->text,
                       .length = name->length,
                       .meaning = meaning,
                       .kind = type ? ct_type_kind(type) : CT_I32,
                       .array = CT_ARRAY_NONE,
                       .shape = {.type = type}};
}

ct_symbol *ct_symbol_add(ct_lower *l, const ct_symbol *symbol, size_t position) {
    ct_scope *scope = &l->layout->scope;
    if (scope->count == CT_SYMBOLS_MAX) {
        (void)ct_fail(l, SMP_E_OVERFLOW, position, "more than %d names", CT_SYMBOLS_MAX);
        return NULL;
    }
    scope->symbols[scope->count] = *symbol;
    scope->symbols[scope->count].open = l->layout->open;
    return &scope->symbols[scope->count++];
}

bool ct_constant_add(ct_lower *l, const ct_token *name, int64_t value, ct_kind kind) {
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_CONSTANT, NULL);
    symbol.kind = kind;
    symbol.value = value;
    return ct_symbol_add(l, &symbol, name->position) != NULL;
}

bool ct_constant_add_as(ct_lower *l, const ct_token *name, int64_t value, ct_kind kind,
                        const smp_type *type) {
    if (!smp_type_is_integer(type))
        return ct_constant_add(l, name, value, kind);
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_CONSTANT, type);
    symbol.value = ct_integer_cast(value, type->integer.bits, type->integer.is_signed);
    return ct_symbol_add(l, &symbol, name->position) != NULL;
}

static bool is_in_block(const ct_scope *scope, const ct_token *name) {
    for (size_t i = scope->first; i < scope->count; i++) {
        const ct_symbol *symbol = &scope->symbols[i];
        if (symbol->length == name->length && memcmp(symbol->name, name->text, name->length) == 0)
            return true;
    }
    return false;
}

bool ct_new_name(ct_lower *l, const ct_token *name) {
    uint16_t slot;
    unsigned dimensions;
    bool is_taken =
        is_in_block(&l->layout->scope, name) ||
        (!l->layout->kernel.has_kernel && l->layout->open == 0 &&
         smp_array_find(&l->layout->kernel, name->text, name->length) >= 0) ||
        ct_token_is(name, "warpSize") ||
        (ct_builtin_find(name->text, name->length, &slot, &dimensions) && dimensions > 1);
    return !is_taken ||
           ct_refuse(l, name->position, "'%.*s' already has a meaning", CT_TOKEN_TEXT(*name));
}

size_t ct_scope_begin(ct_draft *layout) {
    size_t mark = layout->scope.first;
    layout->scope.first = layout->scope.count;
    return mark;
}

void ct_scope_end(ct_draft *layout, size_t mark) {
    layout->scope.count = layout->scope.first;
    layout->scope.first = mark;
}

bool ct_layout_knows(const ct_draft *layout, const char *name, size_t length) {
    return smp_array_find(&layout->kernel, name, length) >= 0 ||
           ct_scope_find(&layout->scope, name, length) != NULL;
}
