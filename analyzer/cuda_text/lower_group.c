/* SPDX-License-Identifier: MIT */
/*
 * Cooperative groups: "cg::thread_block cta = cg::this_thread_block()", "auto tile =
 * cg::tiled_partition<32>(cta)", with their ranks, sizes and sync(). Other members (shuffles,
 * reductions) return data. Source: CUDA C++ Programming Guide, "Cooperative Groups": ranks count
 * threads x first; a tile is N threads of consecutive rank.
 */
#include <string.h>

#include "lower.h"

/* ---- Declarations ---- */

static const ct_symbol *find_group(const ct_lower *l, const ct_token *name) {
    const ct_symbol *found = ct_name_find(l, name);
    return found && found->meaning == CT_MEANS_GROUP ? found : NULL;
}

/* The callee of "this_thread_block()" or "tiled_partition<N>(block)"; otherwise NULL. */
static const ct_node *group_maker(const ct_lower *l, const ct_node *node) {
    const ct_node *name = node->kind == CT_N_CALL ? node->child : NULL;
    const bool is_name = name && name->kind == CT_N_NAME;
    return is_name && ct_token_is_any(&l->tokens[name->at], "this_thread_block tiled_partition")
               ? name
               : NULL;
}

bool ct_group_is_value(const ct_lower *l, const ct_node *node) {
    return group_maker(l, node);
}

/* Threads per tile; 0 for the block. */
static int64_t lower_size(ct_lower *l, const ct_node *maker) {
    const ct_node *parent = maker->next, *given = maker->child ? maker->child->child : NULL;
    if (!given && ct_token_is(&l->tokens[maker->at], "tiled_partition"))
        given = parent ? parent->next : NULL; /* tiled_partition(block, 16) */
    if (!given)
        return 0;
    const int64_t threads = ct_lower_constant_in(l, given, "the tile's size", 1, 1024);
    if ((threads & (threads - 1)) != 0)
        ct_refuse(l, ct_begin(l, given), "the size of a tile must be a power of two, not %lld",
                  (long long)threads);
    const ct_token *name = parent ? ct_plain_name(l, parent) : NULL;
    const ct_symbol *group = name ? find_group(l, name) : NULL;
    const ct_node *made = parent ? group_maker(l, parent) : NULL;
    if (!group && !made)
        ct_refuse(l, ct_position(l, maker->end), "expected a thread group");
    else if (made ? ct_token_is(&l->tokens[made->at], "tiled_partition") : group->value != 0)
        ct_refuse(l, ct_begin(l, maker), "tiles of tiles are not supported: partition the block");
    return threads;
}

bool ct_group_declare(ct_lower *l, const ct_node *value, const ct_token *name) {
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_GROUP, NULL);
    symbol.value = lower_size(l, group_maker(l, value));
    return ct_symbol_add(l, &symbol, name->position);
}

/* ---- Members ---- */

typedef enum group_kind { OF_BLOCK, OF_TILE } group_kind;

/* A number in reverse Polish notation: w warp, l lane, X Y Z block size, n threads per tile, s
 * threads per warp, 1. */
typedef struct number_row {
    const char *name;
    group_kind of;
    const char *steps;
} number_row;

static const number_row numbers[] = {
    {"thread_rank", OF_BLOCK, "ws*l+"},
    {"thread_rank", OF_TILE, "ws*l+n%"},
    {"size", OF_BLOCK, "XY*Z*"},
    {"size", OF_TILE, "n"},
    {"num_threads", OF_BLOCK, "XY*Z*"},
    {"num_threads", OF_TILE, "n"},
    {"meta_group_rank", OF_TILE, "ws*l+n/"},
    {"meta_group_size", OF_TILE, "XY*Z*n+1-n/"},
};

static bool emit_number(ct_lower *l, const char *steps, int64_t threads, size_t position) {
    static const char operators[] = "+-*/%", slots[] = "wlXYZ";
    static const ct_code_op ops[] = {CT_CODE_ADD, CT_CODE_SUB, CT_CODE_MUL, CT_CODE_DIV,
                                     CT_CODE_MOD};
    static const uint16_t slot[] = {CT_SLOT_WARP, CT_SLOT_LANE, CT_SLOT_BLOCK_DIM,
                                    CT_SLOT_BLOCK_DIM + 1, CT_SLOT_BLOCK_DIM + 2};
    for (; *steps != '\0'; steps++) {
        const char *op = strchr(operators, *steps), *read = strchr(slots, *steps);
        const int64_t constant = *steps == 'n' ? threads : *steps == 's' ? SMP_LANES : 1;
        l->is_varying |= *steps == 'l';
        if (!(op     ? ct_emit_op(l, ops[op - operators], CT_U32, position, 2)
              : read ? ct_emit_slot(l, slot[read - slots], position)
                     : ct_emit_constant(l, constant, position)))
            return false;
    }
    return true;
}

/* "group.name()" */
static bool lower_group_call(ct_lower *l, const ct_node *call, const ct_symbol *group,
                             ct_operand *out) {
    ct_token name = l->tokens[call->child->at];
    const size_t position = ct_position(l, call->child->mark);
    *out = ct_value_of(CT_U32, NULL, position);
    for (size_t i = 0; i < CT_COUNT(numbers); i++) {
        if ((group->value != 0) == (numbers[i].of == OF_TILE) &&
            ct_token_is(&name, numbers[i].name))
            return emit_number(l, numbers[i].steps, group->value, position);
    }
    if (ct_token_is(&name, "sync")) {
        name.text = group->value == 0 ? "__syncthreads" : "__syncwarp";
        name.length = strlen(name.text);
    } else if (ct_call_is_known(&name)) {
        return ct_refuse(l, name.position, "a group has no '%.*s'", CT_TOKEN_TEXT(name));
    }
    return ct_call_name(l, call, &name, out);
}

/* The group of a member, or NULL. */
static const ct_symbol *group_of(const ct_lower *l, const ct_node *member) {
    const ct_token *name = member->kind == CT_N_MEMBER ? ct_plain_name(l, member->child) : NULL;
    return name ? find_group(l, name) : NULL;
}

bool ct_lower_group_use(ct_lower *l, const ct_node *node, ct_operand *out) {
    const bool is_call = node->kind == CT_N_CALL;
    const ct_symbol *group = group_of(l, is_call ? node->child : node);
    if (group && is_call) {
        l->has_known = true;
        l->is_varying |= group->varies;
        lower_group_call(l, node, group, out);
        return true;
    }
    const ct_token *next = &l->tokens[node->end];
    return group &&
           !ct_refuse(l, next->position, "expected '(' instead of '%.*s'", CT_TOKEN_TEXT(*next));
}
