/* SPDX-License-Identifier: MIT */
/* Type names, aliases, alignments, and structs laid out as by a compiler. */
#include <string.h>

#include "lower.h"

enum { STRUCT_SIZE_MAX = 1 << 18 };

static bool is_same(const ct_token *token, ct_word name) {
    return token->kind == CT_TOKEN_NAME && name.length > 0 && ct_word_is(token->word, name);
}

/* ---- Names ---- */

const ct_alias *ct_alias_find(const ct_lower *l, const ct_token *name) {
    const ct_type_table *table = &l->layout->types;
    for (uint32_t i = table->alias_count; i-- > 0;)
        if (is_same(name, table->aliases[i].name))
            return &table->aliases[i];
    return NULL;
}

const smp_type *ct_type_find(const ct_lower *l, const ct_token *name) {
    const ct_type_table *table = &l->layout->types;
    for (uint32_t i = 0; i < table->count; i++)
        if (is_same(name, (ct_word){table->structs[i].name, table->structs[i].length}))
            return &table->structs[i];
    return name->kind == CT_TOKEN_NAME ? ct_type_named(name->word) : NULL;
}

bool ct_type_bind(ct_lower *l, const ct_token *name, const ct_type_use *use) {
    ct_type_table *table = &l->layout->types;
    if (table->alias_count == CT_ALIASES_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, name->position, "more than %d type names",
                       CT_ALIASES_MAX);
    table->aliases[table->alias_count++] = (ct_alias){.name = name->word, .use = *use};
    return l->status == SMP_OK;
}

bool ct_alias_add(ct_lower *l, const ct_token *name, const ct_type_use *use) {
    if (use->is_auto || use->is_void)
        return ct_refuse(l, name->position, "only plain types can be named here");
    return ct_type_bind(l, name, use);
}

/* ---- Types ---- */

static bool lower_words(ct_lower *l, const ct_node *node, ct_type_use *out) {
    ct_type_words w = {0};
    for (uint32_t at = node->at; at < node->end; at++) {
        const ct_token *word = &l->tokens[at];
        w.is_unsigned += ct_token_is(word, "unsigned");
        w.is_signed += ct_token_is(word, "signed");
        w.chars += ct_token_is(word, "char");
        w.shorts += ct_token_is(word, "short");
        w.ints += ct_token_is(word, "int");
        w.longs += ct_token_is(word, "long");
    }
    out->type = ct_type_of_words(&w);
    return out->type || ct_refuse(l, ct_position(l, node->at), "these words are not a type");
}

bool ct_lower_type_use(ct_lower *l, const ct_node *node, ct_type_use *out) {
    const ct_token *name = &l->tokens[node->at];
    *out = (ct_type_use){.is_const = node->flags & CT_IS_CONST,
                         .is_auto = node->flags & CT_IS_AUTO,
                         .is_void = node->flags & CT_IS_VOID};
    if (l->status != SMP_OK || node->kind == CT_N_FAULT)
        return l->status == SMP_OK && ct_fail_fault(l, node);
    l->at = node->at;
    if (out->is_auto || out->is_void)
        return true;
    if (node->flags & CT_IS_WORDS)
        return lower_words(l, node, out);
    const ct_alias *alias = ct_alias_find(l, name);
    if (alias) {
        const bool is_const = out->is_const;
        *out = alias->use;
        out->is_const |= is_const;
        return true;
    }
    out->type = ct_type_find(l, name);
    return out->type || ct_refuse(l, name->position,
                                  "'%.*s' is not a known type: define %.*s = float, or its type",
                                  CT_TOKEN_TEXT(*name), CT_TOKEN_TEXT(*name));
}

bool ct_lower_type(ct_lower *l, const ct_node *node, ct_type_use *out) {
    if (!ct_lower_type_use(l, node, out))
        return false;
    if (out->type)
        return true;
    if (!out->is_auto && !out->is_void)
        return ct_refuse(l, ct_begin(l, node),
                         "this type is unknown: name it in the call, as in f<float>(x)");
    return ct_refuse(l, ct_begin(l, node), "expected a type such as float, half or float4");
}

bool ct_lower_align(ct_lower *l, const ct_node *node, uint32_t *align) {
    const int64_t value = ct_lower_constant_in(l, node->child, "the alignment", 1, 1 << 16);
    if ((value & (value - 1)) != 0)
        return ct_refuse(l, ct_position(l, node->end), "an alignment is a power of two");
    if ((uint32_t)value > *align)
        *align = (uint32_t)value;
    return l->status == SMP_OK;
}

bool ct_lower_dims(ct_lower *l, const ct_node *dim, int64_t most, smp_shape *shape) {
    for (; dim && dim->kind == CT_N_DIM; dim = dim->next) {
        if (shape->dim_count == SMP_SHAPE_DIMS_MAX)
            return ct_fail(l, SMP_E_OVERFLOW, ct_begin(l, dim), "more than %d dimensions",
                           SMP_SHAPE_DIMS_MAX);
        shape->dims[shape->dim_count++] =
            dim->child ? (uint32_t)ct_lower_constant_in(l, dim->child, "the dimension", 1, most)
                       : 1;
    }
    return l->status == SMP_OK;
}

/* ---- Structs ---- */

static bool lower_field(ct_lower *l, const ct_node *node, const smp_type *of, uint32_t align,
                        smp_type *out) {
    const smp_type *type = node->flags & CT_IS_POINTER ? &ct_type_pointer : of;
    const ct_token *name = &l->tokens[node->at];
    align = align > type->align ? align : type->align;
    if (out->member_count == SMP_MEMBERS_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, name->position, "more than %d members", SMP_MEMBERS_MAX);
    smp_member *member = &out->members[out->member_count];
    *member = (smp_member){name->text, name->length, {.type = type}, 0};
    ct_lower_dims(l, node->child, STRUCT_SIZE_MAX, &member->shape);
    member->offset = (uint32_t)ct_round_up(out->size, align);
    uint64_t end = member->offset + smp_shape_size(member->shape);
    if (end > STRUCT_SIZE_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, name->position, "a struct is at most %d bytes",
                       STRUCT_SIZE_MAX);
    out->size = (uint32_t)end;
    out->align = align > out->align ? align : out->align;
    out->member_count++;
    return l->status == SMP_OK;
}

static bool lower_fields(ct_lower *l, const ct_node *node, smp_type *out) {
    uint32_t align = 1;
    const ct_node *part = node->child;
    ct_type_use use;
    for (; part->kind == CT_N_ALIGN; part = part->next)
        ct_lower_align(l, part, &align);
    if (!ct_lower_type(l, part, &use))
        return false;
    for (part = part->next; part; part = part->next)
        lower_field(l, part, use.type, align, out);
    return l->status == SMP_OK;
}

bool ct_lower_struct(ct_lower *l, const ct_node *node, const smp_type **out) {
    ct_type_table *table = &l->layout->types;
    const size_t position = ct_begin(l, node);
    if (table->count == CT_STRUCTS_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, position, "more than %d structs", CT_STRUCTS_MAX);
    const uint32_t index = table->count++; /* a member's type may be added after it */
    smp_type *type = &table->structs[index];
    *type = (smp_type){.name = "struct", .align = 1};
    if (node->at != node->first) {
        type->name = l->tokens[node->at].text;
        type->length = l->tokens[node->at].length;
    }
    for (const ct_node *part = node->child; part; part = part->next) {
        if (!(part->kind == CT_N_ALIGN ? ct_lower_align(l, part, &type->align)
                                       : lower_fields(l, part, type)))
            return false;
    }
    if (type->member_count == 0)
        return ct_refuse(l, position, "a struct needs a member");
    type->size = (uint32_t)ct_round_up(type->size, type->align);
    *out = type;
    return true;
}
