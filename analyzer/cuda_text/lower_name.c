/* SPDX-License-Identifier: MIT */
/* Scopes of names; names in expressions: declared, built-in and undeclared; and members. */
#include <string.h>

#include "lower.h"

/* ---- Declarations ---- */

ct_symbol *ct_scope_find(const ct_scope *scope, ct_word name) {
    for (size_t i = scope->count; i-- > 0;) {
        const bool is_hidden = i >= scope->view.hidden_from && i < scope->view.hidden_to;
        if (!is_hidden && ct_word_is(scope->symbols[i].name, name))
            return (ct_symbol *)(uintptr_t)&scope->symbols[i];
    }
    return NULL;
}

ct_symbol *ct_name_find(const ct_lower *l, const ct_token *name) {
    return ct_scope_find(&l->layout->scope, name->word);
}

ct_symbol ct_symbol_of(const ct_token *name, ct_meaning meaning, const smp_type *type) {
    return (ct_symbol){.name = name->word,
                       .meaning = meaning,
                       .kind = type ? ct_type_kind(type) : CT_I32,
                       .array = CT_ARRAY_NONE,
                       .shape = {.type = type}};
}

ct_symbol *ct_symbol_add(ct_lower *l, const ct_symbol *symbol, size_t position) {
    ct_scope *scope = &l->layout->scope;
    if (!ct_has_room(l, position, scope->count, CT_SYMBOLS_MAX, "names"))
        return NULL;
    scope->symbols[scope->count] = *symbol;
    scope->symbols[scope->count].open = l->layout->open;
    return &scope->symbols[scope->count++];
}

bool ct_constant_add(ct_lower *l, const ct_token *name, int64_t value, ct_kind kind,
                     const smp_type *type) {
    const bool has_type = smp_type_is_integer(type);
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_CONSTANT, has_type ? type : NULL);
    symbol.kind = has_type ? symbol.kind : kind;
    symbol.value =
        has_type ? ct_integer_cast(value, type->integer.bits, type->integer.is_signed) : value;
    return ct_symbol_add(l, &symbol, name->position);
}

bool ct_scope_has(const ct_scope *scope, ct_word name) {
    const uint32_t first = scope->view.first;
    return ANY(one, scope->symbols + first, scope->count - first, ct_word_is(one->name, name));
}

bool ct_new_name(ct_lower *l, const ct_token *name) {
    const ct_builtin *builtin = ct_builtin_find(name->word);
    bool is_taken = ct_scope_has(&l->layout->scope, name->word) || ct_token_is(name, "warpSize") ||
                    (builtin && builtin->dimensions > 1);
    return !is_taken || ct_refuse_name(l, name, "'%.*s' already has a meaning");
}

ct_view ct_scope_begin(ct_draft *layout) {
    const ct_view outer = layout->scope.view;
    layout->scope.view.first = layout->scope.count;
    return outer;
}

ct_view ct_scope_hide(ct_draft *layout) {
    const ct_view outer = ct_scope_begin(layout);
    ct_view *view = &layout->scope.view;
    view->hidden_from = layout->kernel.has_kernel ? layout->kernel_names : view->first;
    view->hidden_to = view->first;
    return outer;
}

void ct_scope_end(ct_draft *layout, ct_view outer) {
    layout->scope.count = layout->scope.view.first;
    layout->scope.view = outer;
}

bool ct_layout_knows(const ct_draft *layout, ct_word name) {
    return smp_array_find(&layout->kernel, name.text, name.length) >= 0 ||
           ct_scope_find(&layout->scope, name);
}

/* ---- Built-in variables ---- */

static const ct_builtin builtins[] = {
    {"threadIdx", CT_SLOT_THREAD, 3},   {"blockIdx", CT_SLOT_BLOCK, 3},
    {"blockDim", CT_SLOT_BLOCK_DIM, 3}, {"gridDim", CT_SLOT_GRID_DIM, 3},
    {"laneid", CT_SLOT_LANE, 1},        {"warpid", CT_SLOT_WARP, 1},
};

const ct_builtin *ct_builtin_find(ct_word name) {
    return FIND(one, builtins, CT_COUNT(builtins), ct_word_is(ct_word_of(one->name), name));
}

/* ---- Calls of arrays ---- */

/* True for an array without indices. */
static bool is_untouched(const ct_lower *l, const ct_operand *p) {
    const smp_array *array =
        p->form == CT_FORM_OBJECT && p->array >= 0 ? ct_place_array_of(l, p) : NULL;
    return array && p->shape.type == array->type && p->shape.dim_count > 0 &&
           p->shape.dim_count == array->table.dim_count;
}

/* "(...)" after an array: indices, as CuTe writes them. */
static bool apply_call(ct_lower *l, const ct_node *call, ct_operand *out) {
    const ct_node *index = call->child->next;
    const ct_token *name = ct_plain_name(l, call->child);
    if (name && (out->form != CT_FORM_OBJECT || out->array < 0))
        return ct_refuse_name(l, name, "calls of objects such as '%.*s'" CT_COMPILER_KNOWS);
    if (!is_untouched(l, out))
        return ct_refuse(l, ct_position(l, call->at),
                         "expected an operator or the end of the line instead of '('");
    if (!index)
        return ct_refuse(l, ct_position(l, call->end - 1), "expected a value before ')'");
    for (const bool is_alone = !index->next; index; index = index->next)
        if (!ct_place_index(l, out, index, is_alone))
            return false;
    return true;
}

static bool finish(ct_lower *l, const ct_node *call, ct_operand *out) {
    return l->status == SMP_OK && (!call || apply_call(l, call, out));
}

/* ---- Declared names ---- */

/* An object in registers. */
static bool place_local(ct_lower *l, ct_symbol *symbol, const ct_token *name, ct_operand *out) {
    *out = (ct_operand){.form = CT_FORM_OBJECT,
                        .array = CT_ARRAY_LOCAL,
                        .is_constant = symbol->is_constant,
                        .shape = symbol->shape,
                        .text_start = name->position,
                        .position = name->position};
    return ct_emit_constant(l, 0);
}

static bool lower_symbol(ct_lower *l, ct_symbol *symbol, const ct_token *name, ct_operand *out) {
    l->is_varying |= symbol->varies;
    switch (symbol->meaning) {
    case CT_MEANS_CONSTANT:
        return ct_push_constant(l, symbol->kind, symbol->shape.type, symbol->value, out);
    case CT_MEANS_INTEGER:
        *out = ct_value_of(symbol->kind, symbol->shape.type, l->position);
        out->form = CT_FORM_SLOT;
        out->symbol = symbol;
        return ct_emit_slot(l, symbol->slot);
    case CT_MEANS_POINTER:
    case CT_MEANS_REFERENCE:
        *out = ct_place_pointer(l, symbol);
        out->form = symbol->meaning == CT_MEANS_REFERENCE ? CT_FORM_OBJECT : CT_FORM_POINTER;
        return ct_emit_slot(l, symbol->slot);
    case CT_MEANS_ARRAY:
        return ct_place_array(l, symbol->array, name, out);
    case CT_MEANS_GROUP:
        ct_push_unknown(l, NULL, CT_REASON_CALL, symbol->name, out);
        out->is_group = true;
        out->group = symbol->value;
        return l->status == SMP_OK;
    default:
        return place_local(l, symbol, name, out);
    }
}

/* "a::n" ignores the names of a kernel or function. */
static ct_symbol *find_outside(const ct_lower *l, const ct_token *name) {
    ct_scope *scope = &l->layout->scope;
    const uint32_t count = scope->count;
    scope->count = l->layout->kernel.has_kernel ? l->layout->kernel_names
                   : l->callee                  ? scope->view.hidden_from
                                                : count;
    ct_symbol *found = ct_name_find(l, name);
    scope->count = count;
    return found;
}

/* ---- Undeclared names ---- */

/* A misspelt promise must not become a variable: "expectways = 1". */
static bool is_like_expect(const ct_token *name) {
    static const char *const words[] = {"expect"};
    return (name->length >= 6 && memcmp(name->text, words[0], 6) == 0) ||
           ct_token_suggest(name, words, 1);
}

/* An undeclared name is data, and an error where it decides an address. One that is assigned to is
 * a variable of the thread. `next` is the token after it. */
static bool lower_unknown(ct_lower *l, const ct_token *name, const ct_token *next,
                          ct_operand *out) {
    const bool sets = !next->starts_line && (ct_token_assigns(next) || ct_token_steps(next));
    if (l->in_index == 0 && sets) {
        if (is_like_expect(name))
            return ct_refuse_name(l, name, "unknown name '%.*s'; did you mean 'expect'?");
        ct_symbol symbol = {.name = name->word, .meaning = CT_MEANS_LOCAL};
        ct_symbol *added = ct_symbol_add(l, &symbol, name->position);
        l->has_new = true;
        return added && place_local(l, added, name, out);
    }
    bool is_indexed = next->code == '[' && !next->starts_line;
    if (is_indexed && l->in_index > 0)
        return ct_refuse_name(
            l, name, "the values of '%.*s' are unknown: write an expression of the thread instead");
    if (is_indexed)
        return ct_refuse(l, name->position,
                         "no array '%.*s' is declared: shared float %.*s[32][32] declares one",
                         CT_TOKEN_TEXT(*name), CT_TOKEN_TEXT(*name));
    if (next->code == '.' || next->code == CT_PUNCT2('-', '>'))
        return ct_refuse_name(l, name, "unknown name '%.*s' (it is not declared)");
    l->has_stray = true;
    return ct_push_unknown(l, NULL, CT_REASON_NAME, name->word, out);
}

/* warpSize and other constants. */
typedef struct word_row {
    const char *words;
    int64_t value;
    bool is_truth;
} word_row;

static const word_row words[] = {{"warpSize", SMP_LANES, false},
                                 {"INT_MAX", INT32_MAX, false},
                                 {"INT_MIN", INT32_MIN, false},
                                 {"true", 1, true},
                                 {"false", 0, true},
                                 {"nullptr NULL", 0, false}};

/* ---- A name ---- */

static bool lower_builtin(ct_lower *l, const ct_node *node, const ct_builtin *builtin,
                          ct_operand *out) {
    const uint16_t slot = builtin->slot;
    *out = ct_value_of(CT_U32, NULL, l->position);
    l->is_varying |= slot < CT_SLOT_BLOCK || slot == CT_SLOT_LANE || slot == CT_SLOT_WARP;
    return builtin->dimensions == 1
               ? ct_emit_slot(l, slot)
               : ct_refuse(l, ct_position(l, node->end), "%s needs .x, .y or .z", builtin->name);
}

/* A name, or the call `call` of a name. */
static bool lower_any(ct_lower *l, const ct_node *node, const ct_node *call, ct_operand *out) {
    const ct_token *name = &l->tokens[node->at];
    const bool is_scoped = node->flags & CT_IS_SCOPED;
    ct_symbol *symbol = is_scoped ? find_outside(l, name) : ct_name_find(l, name);
    if (symbol && symbol->meaning == CT_MEANS_TYPE)
        symbol = NULL;
    const int array = smp_array_find(&l->layout->kernel, name->text, name->length);
    const ct_builtin *builtin = ct_builtin_find(name->word);
    const word_row *word = FIND(one, words, CT_COUNT(words), ct_token_is(name, one->words));
    l->position = name->position;
    l->has_known |= symbol || array >= 0 || builtin || call;
    if (is_scoped && call) /* a local name has no scope */
        return ct_call_name(l, call, name, out);
    if (symbol)
        return lower_symbol(l, symbol, name, out) && finish(l, call, out);
    if (array >= 0)
        return ct_place_array(l, array, name, out) && finish(l, call, out);
    if (builtin)
        return lower_builtin(l, node, builtin, out) && finish(l, call, out);
    if (word)
        return ct_push_constant(l, CT_I32, word->is_truth ? &ct_type_bool : NULL, word->value,
                                out) &&
               finish(l, call, out);
    if (call)
        return ct_call_name(l, call, name, out);
    const ct_token *next = &l->tokens[node->end];
    if (ct_call_is_known(name) || (node->last && node->last->kind == CT_N_GIVEN))
        return ct_refuse_name(l, next, "expected '(' instead of '%.*s'");
    return lower_unknown(l, name, next, out);
}

const ct_token *ct_plain_name(const ct_lower *l, const ct_node *node) {
    const bool is_plain = node->kind == CT_N_NAME && !(node->flags & CT_IS_SCOPED) && !node->child;
    return is_plain ? &l->tokens[node->at] : NULL;
}

/* ---- Members ---- */

/* "threadIdx.x" or "block.thread_index().x"; false for anything else. */
static bool lower_index_member(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_word name = ct_group_index(l, node->child);
    const ct_token *member = &l->tokens[node->at];
    const ct_builtin *builtin = ct_builtin_find(name);
    if (!builtin || builtin->dimensions == 1 ||
        (ct_plain_name(l, node->child) && ct_layout_knows(l->layout, name)))
        return false;
    l->has_known = true;
    l->is_varying |= builtin->slot < CT_SLOT_BLOCK;
    l->position = ct_begin(l, node->child);
    *out = ct_value_of(CT_U32, NULL, l->position);
    if (!(node->flags & CT_IS_ARROW) && member->length == 1 && member->text[0] >= 'x' &&
        member->text[0] <= 'z')
        ct_emit_slot(l, (uint16_t)(builtin->slot + (member->text[0] - 'x')));
    else
        ct_refuse(l, member->position, "%s needs .x, .y or .z", builtin->name);
    return true;
}

/* A member of data, called or not, is data. */
static bool lower_data_member(ct_lower *l, const ct_node *node, const ct_node *call,
                              ct_operand *out) {
    const ct_token *name = &l->tokens[node->at];
    smp_member member;
    bool is_known = out->type && ct_type_member(out->type, name->word, &member);
    *out = ct_value_of(CT_DATA, NULL, l->position);
    if (is_known && member.shape.dim_count == 0)
        out->type = member.shape.type;
    if (!call)
        return ct_emit_merge(l, 1);
    l->has_effect = true;
    return ct_emit_drop(l) && ct_emit_unknown(l, CT_REASON_CALL, name->word) &&
           ct_lower_parts(l, call->child->next) && ct_call_check(l, call, name);
}

static bool lower_member_of(ct_lower *l, const ct_node *node, const ct_node *call,
                            ct_operand *out) {
    if (ct_lower_group_use(l, call ? call : node, out))
        return l->status == SMP_OK;
    if (lower_index_member(l, node, out))
        return finish(l, call, out);
    l->position = ct_position(l, node->mark);
    ct_lower_expression(l, node->child, out);
    bool is_opaque =
        out->form == CT_FORM_OBJECT && out->array == CT_ARRAY_LOCAL && !out->shape.type;
    if ((out->form == CT_FORM_VALUE && out->kind == CT_DATA) || is_opaque)
        return lower_data_member(l, node, call, out);
    if (node->flags & CT_IS_ARROW)
        ct_place_follow(l, out, l->position);
    return ct_place_member(l, out, node) && finish(l, call, out);
}

/* A name, a member or a call. */
bool ct_lower_use(ct_lower *l, const ct_node *node, ct_operand *out) {
    const ct_node *call = node->kind == CT_N_CALL ? node : NULL, *of = call ? node->child : node;
    if (of->kind == CT_N_NAME)
        return lower_any(l, of, call, out);
    if (of->kind == CT_N_MEMBER)
        return lower_member_of(l, of, call, out);
    return ct_lower_expression(l, of, out) && apply_call(l, node, out);
}
