/* SPDX-License-Identifier: MIT */
/*
 * What the layout language has besides CUDA's own statements: names, block and grid, architectures.
 */
#include <string.h>

#include "lower.h"

#define BLOCK_THREADS_MAX 1024u
#define GRID_MAX INT64_C(2147483647)

/* ---- Names ---- */

/* "N = 32", "N 32", or "T = float". */
bool ct_lower_define(ct_lower *l, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    int64_t value;
    ct_kind kind;
    if (ct_function_find(name->text, name->length))
        return ct_refuse(l, name->position, "'%.*s' already has a meaning", CT_TOKEN_TEXT(*name));
    if (!ct_new_name(l, name))
        return false;
    if (node->child->kind == CT_N_TYPE) {
        ct_type_use use;
        return ct_lower_type_use(l, node->child, &use) && ct_alias_add(l, name, &use);
    }
    return ct_lower_constant(l, node->child, &value, &kind) &&
           ct_constant_add(l, name, value, kind);
}

/* Constants, of which *type is the first type that holds all. */
static bool lower_enumerators(ct_lower *l, const ct_node *node, const smp_type **type) {
    int64_t value = 0, least = 0, most = 0;
    ct_kind kind;
    ct_scope *scope = &l->layout->scope;
    const size_t first = scope->count;
    for (; node; node = node->next) {
        const ct_token *name = &l->tokens[node->at];
        if (!ct_new_name(l, name) ||
            (node->child && !ct_lower_constant(l, node->child, &value, &kind)) ||
            !ct_constant_add_as(l, name, value, CT_I64, *type))
            return false;
        if (value == INT64_MAX)
            return ct_fail(l, SMP_E_OVERFLOW, name->position, "this is too large");
        least = value < least ? value : least;
        most = value > most ? value : most;
        value++;
    }
    if (*type)
        return true;
    kind = least >= INT32_MIN && most <= INT32_MAX ? CT_I32
           : least >= 0 && most <= UINT32_MAX      ? CT_U32
                                                   : CT_I64;
    *type = ct_type_of_kind(kind);
    for (size_t i = first; i < scope->count; i++)
        scope->symbols[i].kind = kind;
    return true;
}

/* "enum [class] E [: unsigned char] { A, B = 4 };": E is another name of its integer type. */
bool ct_lower_enum(ct_lower *l, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    const ct_node *part = node->child;
    ct_type_use use = {0};
    if (part && part->kind == CT_N_TYPE) {
        if (!ct_lower_type_use(l, part, &use))
            return false;
        if (use.type && !smp_type_is_integer(use.type))
            return ct_refuse(l, ct_position(l, part->first - 1), "expected an integer type");
        part = part->next;
    }
    if (node->mark && !use.type)
        use.type = ct_type_of_kind(CT_I32);
    if (!lower_enumerators(l, part, &use.type))
        return false;
    return name->kind != CT_TOKEN_NAME || ct_alias_add(l, name, &use);
}

bool ct_lower_alias(ct_lower *l, const ct_node *node) {
    const ct_token *name = &l->tokens[node->at];
    ct_type_use use = {0};
    const bool sound = node->child->kind == CT_N_STRUCT ? ct_lower_struct(l, node->child, &use.type)
                                                        : ct_lower_type_use(l, node->child, &use);
    return sound && ct_alias_add(l, name, &use);
}

/* ---- Block and grid ---- */

/* "32x8" as tokens without blanks: a number, then a name "x8". */
static unsigned read_product(const ct_token *first, int64_t dims[3]) {
    const ct_token *next = first + 1;
    unsigned count = 1;
    dims[0] = first->value > GRID_MAX ? GRID_MAX + 1 : (int64_t)first->value;
    for (size_t at = 0; at < next->length; count++) {
        int64_t value = 0;
        for (at++; at < next->length && next->text[at] != 'x'; at++)
            value = value * 10 + (next->text[at] - '0');
        dims[count] = value;
    }
    return count;
}

/* Missing ones are `rest`. */
static bool lower_sizes(ct_lower *l, const ct_node *node, int64_t least, int64_t most,
                        uint32_t rest, uint32_t out[3]) {
    int64_t dims[3];
    const size_t position = ct_begin(l, node);
    unsigned count = node->mark ? read_product(&l->tokens[node->first], dims) : 0;
    for (const ct_node *one = node->child; one; one = one->next) {
        if (!ct_lower_constant_in(l, one, "the size", least, most, &dims[count++]))
            return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        int64_t value = i < count ? dims[i] : rest;
        if (value > GRID_MAX) /* read_product counts no further */
            return ct_fail(l, SMP_E_RANGE, position, "too large: must be %lld to %lld",
                           (long long)least, (long long)most);
        if (value < least || value > most)
            return ct_fail(l, SMP_E_RANGE, position, "%lld is out of range (%lld to %lld)",
                           (long long)value, (long long)least, (long long)most);
        out[i] = (uint32_t)value;
    }
    return true;
}

static bool lower_block(ct_lower *l, const ct_node *node) {
    uint32_t *block = l->layout->kernel.block;
    if (!lower_sizes(l, node, 1, BLOCK_THREADS_MAX, 1, block))
        return false;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    return (threads <= BLOCK_THREADS_MAX && block[2] <= 64) ||
           ct_fail(l, SMP_E_RANGE, ct_begin(l, node), "a block has at most %u threads, and 64 in z",
                   BLOCK_THREADS_MAX);
}

bool ct_lower_dim_statement(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    const bool is_block = node->flags & CT_IS_PLAIN, is_grid = node->flags & CT_IS_CALL;
    bool *has = is_block  ? &layout->has_block
                : is_grid ? &layout->has_grid
                          : &layout->has_block_index;
    if (*has)
        return ct_refuse(l, ct_begin(l, node), "this is already given");
    *has = true;
    if (is_block)
        return lower_block(l, node);
    if (is_grid)
        return lower_sizes(l, node, 1, GRID_MAX, 1, layout->kernel.grid);
    layout->block_index_line = ct_line(l, ct_begin(l, node), &layout->block_index_column);
    return lower_sizes(l, node, 0, GRID_MAX, 0, layout->kernel.block_index);
}

/* ---- Architectures ---- */

bool ct_lower_arch(ct_lower *l, const ct_node *node, const smp_arch **out) {
    char name[32] = "";
    size_t length = 0;
    for (uint32_t at = node->first; at < node->end; at++) {
        const ct_token *token = &l->tokens[at];
        for (size_t i = 0; i < token->length && length + 1 < sizeof name; i++)
            name[length++] = token->text[i];
    }
    *out = length > 0 && length + 1 < sizeof name ? smp_arch_find(name) : NULL;
    return *out != NULL || ct_fail(l, SMP_E_UNKNOWN_ARCH, ct_begin(l, node),
                                   "unknown architecture (see 'list archs')");
}

bool ct_lower_archs(ct_lower *l, const ct_node *node) {
    ct_draft *layout = l->layout;
    for (const ct_node *one = node->child; one; one = one->next) {
        const smp_arch *arch;
        if (one->kind == CT_N_FAULT)
            return ct_fail_fault(l, one);
        if (!ct_lower_arch(l, one, &arch))
            return false;
        if (layout->kernel.arch_count == CT_LAYOUT_ARCHS_MAX)
            return ct_fail(l, SMP_E_OVERFLOW, ct_position(l, one->end),
                           "more than %d architectures", CT_LAYOUT_ARCHS_MAX);
        layout->kernel.archs[layout->kernel.arch_count++] = arch;
    }
    return true;
}
