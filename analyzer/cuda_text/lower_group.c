/* SPDX-License-Identifier: MIT */
/*
 * Cooperative groups as far as they name threads: "cg::thread_block cta = cg::this_thread_block()",
 * "auto tile = cg::tiled_partition<32>(cta)", and of these ranks, sizes, indices and sync(). What
 * else a group does (shuffles, reductions) gives data. Source: CUDA C++ Programming Guide,
 * "Cooperative Groups": ranks count threads x first; a tile is N threads of consecutive rank.
 */
#include <string.h>

#include "lower.h"

/* ---- Declarations ---- */

static const ct_symbol *find_group(const ct_lower *l, const ct_token *name) {
    const ct_symbol *found = ct_name_find(l, name);
    return found && found->meaning == CT_MEANS_GROUP ? found : NULL;
}

/* The callee of "this_thread_block()" or "tiled_partition<N>(block)"; NULL: it is another value. */
static const ct_node *group_maker(const ct_lower *l, const ct_node *node) {
    const ct_node *name = node->kind == CT_N_CALL ? node->child : NULL;
    const bool is_name = name && name->kind == CT_N_NAME;
    return is_name && ct_token_is_any(&l->tokens[name->at], "this_thread_block tiled_partition")
               ? name
               : NULL;
}

bool ct_group_is_value(const ct_lower *l, const ct_node *node) {
    return group_maker(l, node) != NULL;
}

/* Threads of a tile of the block; 0: the block. */
static int64_t lower_size(ct_lower *l, const ct_node *maker) {
    const ct_node *given = maker->child, *parent = maker->next;
    if (!given)
        return 0;
    const int64_t threads = ct_lower_constant_in(l, given->child, "the tile's size", 1, 1024);
    if ((threads & (threads - 1)) != 0)
        ct_refuse(l, ct_begin(l, given), "a tile has a power of two of threads, not %lld",
                  (long long)threads);
    const ct_token *name = parent ? ct_plain_name(l, parent) : NULL;
    const ct_symbol *group = name ? find_group(l, name) : NULL;
    const ct_node *made = parent ? group_maker(l, parent) : NULL;
    if (!group && !made)
        ct_refuse(l, ct_position(l, maker->end), "expected a group of threads");
    else if (made ? made->child != NULL : group->value != 0)
        ct_refuse(l, ct_begin(l, maker), "tiles of tiles are not understood: divide the block");
    return threads;
}

bool ct_group_declare(ct_lower *l, const ct_node *value, const ct_token *name) {
    ct_symbol symbol = ct_symbol_of(name, CT_MEANS_GROUP, NULL);
    symbol.value = lower_size(l, group_maker(l, value));
    return ct_symbol_add(l, &symbol, name->position) != NULL;
}

/* ---- What a group knows ---- */

static bool combine(ct_lower *l, ct_code_op op, int64_t constant, size_t position) {
    ct_kind kind;
    return ct_emit_constant(l, constant, position) &&
           ct_operand_combine(l, op, CT_U32, CT_U32, position, &kind);
}

/* The thread's number in its block. */
static bool emit_thread(ct_lower *l, size_t position) {
    ct_kind kind;
    l->is_varying = true;
    return ct_emit_slot(l, CT_SLOT_WARP, position) &&
           combine(l, CT_CODE_MUL, SMP_LANES, position) &&
           ct_emit_slot(l, CT_SLOT_LANE, position) &&
           ct_operand_combine(l, CT_CODE_ADD, CT_U32, CT_U32, position, &kind);
}

static bool emit_block_size(ct_lower *l, size_t position) {
    ct_kind kind;
    bool sound = ct_emit_slot(l, CT_SLOT_BLOCK_DIM, position);
    for (uint16_t i = 1; sound && i < 3; i++)
        sound = ct_emit_slot(l, (uint16_t)(CT_SLOT_BLOCK_DIM + i), position) &&
                ct_operand_combine(l, CT_CODE_MUL, CT_U32, CT_U32, position, &kind);
    return sound;
}

static bool emit_rank(ct_lower *l, int64_t threads, size_t position) {
    return emit_thread(l, position) && (threads == 0 || combine(l, CT_CODE_MOD, threads, position));
}

static bool emit_size(ct_lower *l, int64_t threads, size_t position) {
    return threads == 0 ? emit_block_size(l, position) : ct_emit_constant(l, threads, position);
}

/* Of tiles only: which one of the block's, and of how many. */
static bool emit_tile(ct_lower *l, int64_t threads, size_t position) {
    return emit_thread(l, position) && combine(l, CT_CODE_DIV, threads, position);
}

static bool emit_tiles(ct_lower *l, int64_t threads, size_t position) {
    return emit_block_size(l, position) && combine(l, CT_CODE_ADD, threads - 1, position) &&
           combine(l, CT_CODE_DIV, threads, position);
}

typedef enum group_kind { OF_ANY, OF_BLOCK, OF_TILE } group_kind;

typedef struct number_row {
    const char *name;
    bool (*emit)(ct_lower *l, int64_t threads, size_t position);
    group_kind of;
} number_row;

static const number_row numbers[] = {
    {"thread_rank", emit_rank, OF_ANY},       {"size", emit_size, OF_ANY},
    {"num_threads", emit_size, OF_ANY},       {"meta_group_rank", emit_tile, OF_TILE},
    {"meta_group_size", emit_tiles, OF_TILE},
};

typedef struct index_row {
    const char *name;
    uint16_t slot;
} index_row;

/* Of a block: the names of CUDA's own variables, with .x .y .z behind the call. */
static const index_row indices[] = {
    {"thread_index", CT_SLOT_THREAD},
    {"group_index", CT_SLOT_BLOCK},
    {"group_dim", CT_SLOT_BLOCK_DIM},
    {"dim_threads", CT_SLOT_BLOCK_DIM},
};

/* "group.name()", the call of a member. */
static bool lower_group_call(ct_lower *l, const ct_node *call, const ct_symbol *group,
                             ct_operand *out) {
    ct_token name = l->tokens[call->child->at];
    const size_t position = ct_position(l, call->child->mark);
    *out = ct_value_of(CT_U32, NULL, position);
    for (size_t i = 0; i < CT_COUNT(numbers); i++) {
        bool is_fit = numbers[i].of == OF_ANY || (group->value != 0) == (numbers[i].of == OF_TILE);
        if (is_fit && ct_token_is(&name, numbers[i].name))
            return numbers[i].emit(l, group->value, position);
    }
    if (ct_token_is(&name, "sync")) {
        name.text = group->value == 0 ? "__syncthreads" : "__syncwarp";
        name.length = strlen(name.text);
    } else if (ct_call_is_known(&name)) {
        return ct_refuse(l, name.position, "a group has no '%.*s'", CT_TOKEN_TEXT(name));
    }
    return ct_call_name(l, call, &name, out);
}

/* The group whose member a node is; NULL: it is none. */
static const ct_symbol *group_of(const ct_lower *l, const ct_node *member) {
    const ct_token *name = member->kind == CT_N_MEMBER ? ct_plain_name(l, member->child) : NULL;
    return name ? find_group(l, name) : NULL;
}

/* True of "block.thread_index().x". */
static bool lower_group_index(ct_lower *l, const ct_node *node, const ct_node *call,
                              ct_operand *out) {
    const ct_token *name = &l->tokens[call->child->at], *member = &l->tokens[node->at];
    for (size_t i = 0; i < CT_COUNT(indices); i++) {
        if (!ct_token_is(name, indices[i].name))
            continue;
        const size_t position = ct_position(l, call->child->mark);
        l->has_known = true;
        l->is_varying |= indices[i].slot == CT_SLOT_THREAD;
        *out = ct_value_of(CT_U32, NULL, position);
        if (member->length != 1 || member->text[0] < 'x' || member->text[0] > 'z')
            ct_refuse(l, member->position, "expected x, y or z");
        else
            ct_emit_slot(l, (uint16_t)(indices[i].slot + (member->text[0] - 'x')), position);
        return true;
    }
    return false;
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
    if (group) {
        const ct_token *next = &l->tokens[node->end];
        return !ct_refuse(l, next->position, "expected '(' instead of '%.*s'",
                          CT_TOKEN_TEXT(*next));
    }
    const ct_node *call = is_call ? NULL : node->child;
    group = call && call->kind == CT_N_CALL ? group_of(l, call->child) : NULL;
    return group && group->value == 0 && lower_group_index(l, node, call, out);
}
