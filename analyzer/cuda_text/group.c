/* SPDX-License-Identifier: MIT */
/*
 * Cooperative groups as far as they name threads: "cg::thread_block cta = cg::this_thread_block()",
 * "auto tile = cg::tiled_partition<32>(cta)", and of these ranks, sizes, indices and sync(). What
 * else a group does (shuffles, reductions) gives data. Source: CUDA C++ Programming Guide,
 * "Cooperative Groups": ranks count threads x first; a tile is N threads of consecutive rank.
 */
#include <string.h>

#include "layout.h"

/* ---- Declarations ---------------------------------------------------------------------- */

/* Tokens that "a::b::" takes from the one `ahead` on. */
static unsigned scope_tokens(const ct_parser *parser, unsigned ahead) {
    unsigned count = 0;
    for (;;) {
        ct_token name = ct_parser_peek(parser, ahead + count);
        ct_token colons = ct_parser_peek(parser, ahead + count + 1);
        if (name.kind != CT_TOKEN_NAME || colons.kind != CT_TOKEN_PUNCT ||
            colons.code != CT_PUNCT2(':', ':'))
            return count;
        count += 2;
    }
}

static bool is_at(const ct_parser *parser, unsigned ahead, const char *name) {
    ct_token token = ct_parser_peek(parser, ahead + scope_tokens(parser, ahead));
    return token.kind == CT_TOKEN_NAME && ct_token_is(&token, name);
}

bool ct_group_starts(const ct_parser *parser) {
    unsigned at = ct_parser_is_name(parser, "const");
    if (is_at(parser, at, "thread_block") || is_at(parser, at, "thread_block_tile"))
        return true;
    ct_token first = ct_parser_peek(parser, at), equals = ct_parser_peek(parser, at + 2);
    bool is_auto = first.kind == CT_TOKEN_NAME && ct_token_is(&first, "auto") &&
                   equals.kind == CT_TOKEN_PUNCT && equals.code == '=';
    return is_auto &&
           (is_at(parser, at + 3, "this_thread_block") || is_at(parser, at + 3, "tiled_partition"));
}

static void skip_scope(ct_parser *parser) {
    for (unsigned count = scope_tokens(parser, 0); count > 0; count--)
        ct_parser_next(parser);
}

/* "<32>" and "<32, cg::thread_block>"; the tile's threads. */
static bool parse_size(ct_parser *parser, int64_t *threads) {
    size_t position = parser->token.position;
    if (!ct_parser_expect(parser, '<'))
        return false;
    parser->in_template = true;
    bool sound = ct_expr_constant_in(parser, "the tile's size", 1, 1024, threads);
    parser->in_template = false;
    if (sound && (*threads & (*threads - 1)) != 0)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "a tile has a power of two of threads, not %lld",
                              (long long)*threads);
    while (sound && !ct_parser_is(parser, '>') && !ct_parser_at_end(parser))
        ct_parser_next(parser);
    return sound && ct_parser_expect(parser, '>');
}

/* The group that a name stands for, the name being taken; NULL and an error if none. */
static const ct_symbol *parse_group(ct_parser *parser) {
    ct_token name = parser->token;
    const ct_symbol *group = ct_scope_find(&parser->layout->scope, name.text, name.length);
    if (name.kind != CT_TOKEN_NAME || !group || group->meaning != CT_MEANS_GROUP) {
        (void)ct_parser_fail(parser, SMP_E_SYNTAX, name.position, "expected a group of threads");
        return NULL;
    }
    ct_parser_next(parser);
    return group;
}

/* "this_thread_block()", "tiled_partition<N>(block)"; 0 threads: the block. */
static bool parse_value(ct_parser *parser, int64_t *threads) {
    skip_scope(parser);
    *threads = 0;
    if (ct_parser_accept_name(parser, "this_thread_block"))
        return ct_parser_expect(parser, '(') && ct_parser_expect(parser, ')');
    size_t position = parser->token.position;
    if (!ct_parser_accept_name(parser, "tiled_partition"))
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "expected this_thread_block() or tiled_partition<N>(block)");
    if (!parse_size(parser, threads) || !ct_parser_expect(parser, '('))
        return false;
    if (is_at(parser, 0, "this_thread_block")) {
        int64_t block;
        return parse_value(parser, &block) && ct_parser_expect(parser, ')');
    }
    const ct_symbol *parent = parse_group(parser);
    if (parent && parent->value != 0)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "tiles of tiles are not understood: divide the block");
    return parent && ct_parser_expect(parser, ')');
}

bool ct_group_parse(ct_parser *parser) {
    ct_token name;
    int64_t threads, declared = -1;
    ct_parser_accept_name(parser, "const");
    skip_scope(parser);
    bool is_tile = ct_parser_accept_name(parser, "thread_block_tile");
    if (is_tile && !parse_size(parser, &declared))
        return false;
    if (!is_tile && ct_parser_accept_name(parser, "thread_block"))
        declared = 0;
    else if (!is_tile)
        ct_parser_next(parser);
    size_t position = parser->token.position;
    if (!ct_new_name_parse(parser, &name) || !ct_parser_expect(parser, '=') ||
        !parse_value(parser, &threads))
        return false;
    if (declared >= 0 && declared != threads)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "'%.*s' is declared as another group than it is given",
                              CT_TOKEN_TEXT(name));
    const ct_symbol symbol = {
        .name = name.text, .length = name.length, .meaning = CT_MEANS_GROUP, .value = threads};
    return ct_symbol_add(parser, &symbol, position) && ct_parser_expect_end(parser);
}

/* ---- What a group knows ---------------------------------------------------------------- */

static bool combine(ct_parser *parser, ct_code_op op, int64_t constant, size_t position) {
    ct_kind kind;
    return ct_emit_constant(parser, constant, position) &&
           ct_operand_combine(parser, op, CT_U32, CT_U32, position, &kind);
}

/* The thread's number in its block. */
static bool emit_thread(ct_parser *parser, size_t position) {
    ct_kind kind;
    parser->is_varying = true;
    return ct_emit_slot(parser, CT_SLOT_WARP, position) &&
           combine(parser, CT_CODE_MUL, SMP_LANES, position) &&
           ct_emit_slot(parser, CT_SLOT_LANE, position) &&
           ct_operand_combine(parser, CT_CODE_ADD, CT_U32, CT_U32, position, &kind);
}

static bool emit_block_size(ct_parser *parser, size_t position) {
    ct_kind kind;
    bool sound = ct_emit_slot(parser, CT_SLOT_BLOCK_DIM, position);
    for (uint16_t i = 1; sound && i < 3; i++)
        sound = ct_emit_slot(parser, (uint16_t)(CT_SLOT_BLOCK_DIM + i), position) &&
                ct_operand_combine(parser, CT_CODE_MUL, CT_U32, CT_U32, position, &kind);
    return sound;
}

static bool emit_rank(ct_parser *parser, int64_t threads, size_t position) {
    return emit_thread(parser, position) &&
           (threads == 0 || combine(parser, CT_CODE_MOD, threads, position));
}

static bool emit_size(ct_parser *parser, int64_t threads, size_t position) {
    return threads == 0 ? emit_block_size(parser, position)
                        : ct_emit_constant(parser, threads, position);
}

/* Of tiles only: which one of the block's, and of how many. */
static bool emit_tile(ct_parser *parser, int64_t threads, size_t position) {
    return emit_thread(parser, position) && combine(parser, CT_CODE_DIV, threads, position);
}

static bool emit_tiles(ct_parser *parser, int64_t threads, size_t position) {
    return emit_block_size(parser, position) &&
           combine(parser, CT_CODE_ADD, threads - 1, position) &&
           combine(parser, CT_CODE_DIV, threads, position);
}

typedef enum group_kind { OF_ANY, OF_BLOCK, OF_TILE } group_kind;

typedef struct number_row {
    const char *name;
    bool (*emit)(ct_parser *parser, int64_t threads, size_t position);
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

static bool parse_index(ct_parser *parser, const index_row *row, size_t position) {
    static const char *const members[] = {"x", "y", "z"};
    if (!ct_parser_expect(parser, '.'))
        return false;
    parser->is_varying |= row->slot == CT_SLOT_THREAD;
    for (uint16_t i = 0; i < 3; i++) {
        if (ct_parser_accept_name(parser, members[i]))
            return ct_emit_slot(parser, (uint16_t)(row->slot + i), position);
    }
    return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "expected x, y or z");
}

static bool parse_empty(ct_parser *parser) {
    return ct_parser_expect(parser, '(') && ct_parser_expect(parser, ')');
}

/* A barrier as __syncthreads() or __syncwarp() is one, and what else gives data. */
static bool parse_other(ct_parser *parser, const ct_symbol *group, const ct_token *name,
                        ct_operand *out) {
    ct_token function = *name;
    if (ct_token_is(name, "sync")) {
        function.text = group->value == 0 ? "__syncthreads" : "__syncwarp";
        function.length = strlen(function.text);
    } else if (ct_call_is_known(name)) {
        return ct_parser_fail(parser, SMP_E_SYNTAX, name->position, "a group has no '%.*s'",
                              CT_TOKEN_TEXT(*name));
    }
    if (!ct_parser_is(parser, '('))
        return ct_parser_expect(parser, '(');
    return ct_expr_call(parser, &function, out);
}

bool ct_group_use(ct_parser *parser, const ct_symbol *group, ct_operand *out) {
    size_t position = parser->token.position;
    *out = (ct_operand){.form = CT_FORM_VALUE, .kind = CT_DATA, .position = position};
    if (!ct_parser_accept(parser, '.')) /* handed to a function */
        return ct_emit_unknown(parser, CT_REASON_CALL, group->name, group->length, position);
    ct_token name = parser->token;
    if (name.kind != CT_TOKEN_NAME)
        return ct_parser_fail(parser, SMP_E_SYNTAX, name.position, "expected a member's name");
    ct_parser_next(parser);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        bool is_fit = numbers[i].of == OF_ANY || (group->value != 0) == (numbers[i].of == OF_TILE);
        if (!is_fit || !ct_token_is(&name, numbers[i].name))
            continue;
        out->kind = CT_U32;
        return parse_empty(parser) && numbers[i].emit(parser, group->value, position);
    }
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        if (group->value != 0 || !ct_token_is(&name, indices[i].name))
            continue;
        out->kind = CT_U32;
        return parse_empty(parser) && parse_index(parser, &indices[i], position);
    }
    return parse_other(parser, group, &name, out);
}
