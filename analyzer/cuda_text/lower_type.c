/* SPDX-License-Identifier: MIT */
/*
 * Types that a text names and declares: aliases, structs with members where a compiler puts them,
 * alignments that are asked for, class templates with what they are given.
 */
#include <string.h>

#include "lower.h"

enum { STRUCT_SIZE_MAX = 1 << 18 };

static bool is_same(const ct_token *token, ct_word name) {
    return token->kind == CT_TOKEN_NAME && name.length > 0 && ct_word_is(token->word, name);
}

/* ---- Names ---- */

const ct_alias *ct_alias_find(const ct_lower *l, const ct_token *name) {
    const ct_type_table *table = &l->layout->types;
    for (uint32_t i = table->alias_count; i-- > 0;) {
        if (is_same(name, table->aliases[i].name))
            return &table->aliases[i];
    }
    return NULL;
}

const smp_type *ct_type_find(const ct_lower *l, const ct_token *name) {
    const ct_type_table *table = &l->layout->types;
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->classes[i].head == 0 &&
            is_same(name, (ct_word){table->structs[i].name, table->structs[i].length}))
            return &table->structs[i];
    }
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
        return ct_refuse(l, name->position, "only names of plain types are understood here");
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
    if (node->child)
        return ct_lower_class(l, node, &out->type);
    out->type = ct_type_find(l, name);
    return out->type ||
           ct_refuse(l, name->position,
                     "'%.*s' is no type that is known here: define %.*s = float, or what it is",
                     CT_TOKEN_TEXT(*name), CT_TOKEN_TEXT(*name));
}

bool ct_lower_type(ct_lower *l, const ct_node *node, ct_type_use *out) {
    if (!ct_lower_type_use(l, node, out))
        return false;
    if (out->type)
        return true;
    if (!out->is_auto && !out->is_void)
        return ct_refuse(l, ct_begin(l, node),
                         "which type this is, is not known here: name it where the function is "
                         "called, as in f<float>(x)");
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
    for (; part->kind == CT_N_ALIGN; part = part->next) {
        ct_lower_align(l, part, &align);
    }
    if (!ct_lower_type(l, part, &use))
        return false;
    for (part = part->next; part; part = part->next) {
        lower_field(l, part, use.type, align, out);
    }
    return l->status == SMP_OK;
}

/* "static constexpr int N = 4;": constants of the struct. */
static bool lower_statics(ct_lower *l, const ct_node *node, ct_class *of) {
    const ct_scope *scope = &l->layout->scope;
    ct_type_use use;
    ct_kind kind = CT_I32;
    if (!ct_lower_type(l, node->child, &use))
        return false;
    for (const ct_node *one = node->child->next; one; one = one->next) {
        const ct_token *name = &l->tokens[one->at];
        const int64_t value = ct_lower_constant(l, one->child, &kind);
        if (!ct_constant_add_as(l, name, value, kind, use.type))
            return false;
        if (!smp_type_is_integer(use.type))
            return ct_refuse(l, name->position,
                             "a constant of a struct is understood as an integer");
        if (of->static_count == CT_STATICS_MAX)
            return ct_fail(l, SMP_E_OVERFLOW, name->position, "more than %d constants in a struct",
                           CT_STATICS_MAX);
        of->statics[of->static_count++] = scope->symbols[scope->count - 1];
    }
    return l->status == SMP_OK;
}

static bool lower_members(ct_lower *l, const ct_node *node, smp_type *type, ct_class *of) {
    for (const ct_node *part = node->child; part; part = part->next) {
        const bool sound = part->kind == CT_N_ALIGN     ? ct_lower_align(l, part, &type->align)
                           : part->kind == CT_N_STATICS ? lower_statics(l, part, of)
                                                        : lower_fields(l, part, type);
        if (!sound)
            return false;
    }
    return true;
}

bool ct_lower_struct(ct_lower *l, const ct_node *node, const smp_type **out) {
    ct_type_table *table = &l->layout->types;
    const size_t position = ct_begin(l, node);
    if (table->count == CT_STRUCTS_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, position, "more than %d structs", CT_STRUCTS_MAX);
    const uint32_t index = table->count++; /* a member's type may come behind it */
    smp_type *type = &table->structs[index];
    ct_class *of = &table->classes[index];
    *of = (ct_class){.text = l->unit->text, .body = node->mark, .end = node->end};
    *type = (smp_type){.name = "struct", .align = 1, .class_of = of};
    if (node->at != node->first) {
        type->name = l->tokens[node->at].text;
        type->length = l->tokens[node->at].length;
    }
    const size_t mark = ct_scope_begin(l->layout);
    if (!lower_members(l, node, type, of))
        return false;
    ct_scope_end(l->layout, mark);
    const bool is_empty = node->flags & CT_IS_EMPTY;
    if (type->member_count == 0 && !is_empty)
        type->size = 1; /* nothing but methods and constants */
    if (is_empty)
        return ct_refuse(l, position, "a struct needs a member");
    type->size = (uint32_t)ct_round_up(type->size, type->align);
    *out = type;
    return true;
}

/* ---- Class templates ---- */

static bool is_alike(const ct_given_part *a, const ct_given_part *b) {
    return a->is_type == b->is_type &&
           (a->is_type ? a->use.type == b->use.type : a->value == b->value);
}

static const smp_type *find_made(const ct_lower *l, uint32_t head, const ct_given_part *parts,
                                 unsigned count) {
    const ct_type_table *table = &l->layout->types;
    for (uint32_t i = 0; i < table->count; i++) {
        const ct_class *of = &table->classes[i];
        bool is_one = of->head == head + 1 && of->part_count == count && of->text == l->unit->text;
        for (unsigned k = 0; k < count && is_one; k++)
            is_one = is_alike(&of->parts[k], &parts[k]);
        if (is_one)
            return &table->structs[i];
    }
    return NULL;
}

/* The body with what the template is given, out of sight of what stands around its use. */
static bool make(ct_lower *l, const ct_node *read, uint32_t head, const ct_given_part *parts,
                 unsigned count, const smp_type **out) {
    ct_draft *layout = l->layout;
    ct_scope *scope = &layout->scope;
    ct_type_table *table = &layout->types;
    const uint32_t index = table->count, aliases = table->alias_count;
    const size_t mark = ct_scope_begin(layout), from = scope->hidden_from, to = scope->hidden_to;
    scope->hidden_from = layout->kernel.has_kernel ? layout->kernel_names : scope->count;
    scope->hidden_to = scope->count;
    const bool sound =
        read->last->kind == CT_N_FAULT
            ? ct_fail_fault(l, read->last)
            : ct_bind_given(l, read->child, parts, count) && ct_lower_struct(l, read->last, out);
    scope->hidden_from = from;
    scope->hidden_to = to;
    table->alias_count = aliases;
    ct_scope_end(layout, mark);
    if (!sound)
        return false;
    ct_class *of = &table->classes[index];
    of->head = head + 1;
    of->params = read->child;
    of->part_count = count;
    memcpy(of->parts, parts, count * sizeof parts[0]);
    return true;
}

bool ct_lower_class(ct_lower *l, const ct_node *type, const smp_type **out) {
    const ct_token *name = &l->tokens[type->at];
    ct_given_part parts[CT_ARGUMENTS_MAX];
    unsigned count;
    uint32_t head;
    const ct_node *read = ct_template_read(l->unit, name, &head);
    if (!read)
        return ct_fail_memory(l);
    if (ct_class_is_specialised(l->tokens, name))
        return ct_refuse(l, name->position,
                         "'%.*s' has a form of its own for some arguments, which is not followed; "
                         "'emulate' runs the machine code",
                         CT_TOKEN_TEXT(*name));
    ct_lower_given(l, type->child, parts, &count);
    if (count > CT_PARTS_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, name->position,
                       "more than %d arguments of a class template", CT_PARTS_MAX);
    *out = find_made(l, head, parts, count);
    return *out || make(l, read, head, parts, count, out);
}

/* ---- What a class holds ---- */

const ct_symbol *ct_class_static(const smp_type *type, const ct_token *name) {
    const ct_class *of = type->class_of;
    for (unsigned i = 0; of && i < of->static_count; i++) {
        if (is_same(name, of->statics[i].name))
            return &of->statics[i];
    }
    return NULL;
}

/* True if a body may access memory. */
static bool may_access(const ct_lower *l, uint32_t body, bool has_pointer) {
    const ct_token *tokens = l->tokens;
    const uint32_t end = ct_behind_bracket(tokens, body, '{', '}') - 1;
    for (uint32_t at = body + 1; at < end; at++) {
        const bool is_name = tokens[at].kind == CT_TOKEN_NAME;
        if (has_pointer || (is_name && smp_array_find(&l->layout->kernel, tokens[at].text,
                                                      tokens[at].length) >= 0))
            return true;
    }
    return false;
}

bool ct_class_check_constructor(ct_lower *l, const smp_type *type, bool has_pointer,
                                size_t position) {
    const ct_class *of = type ? type->class_of : NULL;
    const ct_token *tokens = l->tokens;
    if (!of || of->text != l->unit->text)
        return true;
    for (uint32_t at = of->body + 1; at < of->end; at = ct_behind_any(tokens, at, "{")) {
        const bool is_name = is_same(&tokens[at], (ct_word){type->name, type->length});
        uint32_t body = is_name && ct_token_is_punct(&tokens[at + 1], '(')
                            ? ct_behind_bracket(tokens, at + 1, '(', ')')
                            : of->end;
        while (body < of->end && !ct_token_is_one_of(&tokens[body], "{;"))
            body++;
        if (ct_token_is_punct(&tokens[body], '{') && may_access(l, body, has_pointer))
            return ct_refuse(l, position,
                             "what the constructor of '%.*s' does is not followed: write a "
                             "__device__ function, or let 'emulate' run the machine code",
                             (int)type->length, type->name);
    }
    return true;
}

bool ct_class_bind(ct_lower *l, const smp_type *type) {
    const ct_class *of = type->class_of;
    const ct_type_use self = {.type = type};
    const ct_token own = {
        .text = type->name, .length = type->length, .position = ct_position(l, l->at)};
    if (of->head > 0 && !ct_bind_given(l, of->params, of->parts, of->part_count))
        return false;
    for (unsigned i = 0; i < of->static_count; i++)
        ct_symbol_add(l, &of->statics[i], 0);
    return type->length == 0 || ct_alias_add(l, &own, &self);
}
