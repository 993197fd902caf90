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
static unsigned scope_tokens(const smp_parser *parser, unsigned ahead) {
    unsigned count = 0;
    for (;;) {
        smp_token name = smp_parser_peek(parser, ahead + count);
        smp_token colons = smp_parser_peek(parser, ahead + count + 1);
        if (name.kind != SMP_TOKEN_NAME || colons.kind != SMP_TOKEN_PUNCT ||
            colons.code != SMP_PUNCT2(':', ':'))
            return count;
        count += 2;
    }
}

static bool is_at(const smp_parser *parser, unsigned ahead, const char *name) {
    smp_token token = smp_parser_peek(parser, ahead + scope_tokens(parser, ahead));
    return token.kind == SMP_TOKEN_NAME && smp_token_is(&token, name);
}

bool smp_group_starts(const smp_parser *parser) {
    unsigned at = smp_parser_is_name(parser, "const");
    if (is_at(parser, at, "thread_block") || is_at(parser, at, "thread_block_tile"))
        return true;
    smp_token first = smp_parser_peek(parser, at), equals = smp_parser_peek(parser, at + 2);
    bool is_auto = first.kind == SMP_TOKEN_NAME && smp_token_is(&first, "auto") &&
                   equals.kind == SMP_TOKEN_PUNCT && equals.code == '=';
    return is_auto &&
           (is_at(parser, at + 3, "this_thread_block") || is_at(parser, at + 3, "tiled_partition"));
}

static void skip_scope(smp_parser *parser) {
    for (unsigned count = scope_tokens(parser, 0); count > 0; count--)
        smp_parser_next(parser);
}

/* "<32>" and "<32, cg::thread_block>"; the tile's threads. */
static bool parse_size(smp_parser *parser, int64_t *threads) {
    size_t position = parser->token.position;
    if (!smp_parser_expect(parser, '<'))
        return false;
    parser->in_template = true;
    bool sound = smp_expr_constant_in(parser, "the tile's size", 1, 1024, threads);
    parser->in_template = false;
    if (sound && (*threads & (*threads - 1)) != 0)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "a tile has a power of two of threads, not %lld",
                               (long long)*threads);
    while (sound && !smp_parser_is(parser, '>') && !smp_parser_at_end(parser))
        smp_parser_next(parser);
    return sound && smp_parser_expect(parser, '>');
}

/* The group that a name stands for, the name being taken; NULL and an error if none. */
static const smp_symbol *parse_group(smp_parser *parser) {
    smp_token name = parser->token;
    const smp_symbol *group = smp_scope_find(&parser->layout->scope, name.text, name.length);
    if (name.kind != SMP_TOKEN_NAME || !group || group->meaning != SMP_MEANS_GROUP) {
        (void)smp_parser_fail(parser, SMP_E_SYNTAX, name.position, "expected a group of threads");
        return NULL;
    }
    smp_parser_next(parser);
    return group;
}

/* "this_thread_block()", "tiled_partition<N>(block)"; 0 threads: the block. */
static bool parse_value(smp_parser *parser, int64_t *threads) {
    skip_scope(parser);
    *threads = 0;
    if (smp_parser_accept_name(parser, "this_thread_block"))
        return smp_parser_expect(parser, '(') && smp_parser_expect(parser, ')');
    size_t position = parser->token.position;
    if (!smp_parser_accept_name(parser, "tiled_partition"))
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "expected this_thread_block() or tiled_partition<N>(block)");
    if (!parse_size(parser, threads) || !smp_parser_expect(parser, '('))
        return false;
    if (is_at(parser, 0, "this_thread_block")) {
        int64_t block;
        return parse_value(parser, &block) && smp_parser_expect(parser, ')');
    }
    const smp_symbol *parent = parse_group(parser);
    if (parent && parent->value != 0)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "tiles of tiles are not understood: divide the block");
    return parent && smp_parser_expect(parser, ')');
}

bool smp_group_parse(smp_parser *parser) {
    smp_token name;
    int64_t threads, declared = -1;
    smp_parser_accept_name(parser, "const");
    skip_scope(parser);
    bool is_tile = smp_parser_accept_name(parser, "thread_block_tile");
    if (is_tile && !parse_size(parser, &declared))
        return false;
    if (!is_tile && smp_parser_accept_name(parser, "thread_block"))
        declared = 0;
    else if (!is_tile)
        smp_parser_next(parser);
    size_t position = parser->token.position;
    if (!smp_new_name_parse(parser, &name) || !smp_parser_expect(parser, '=') ||
        !parse_value(parser, &threads))
        return false;
    if (declared >= 0 && declared != threads)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "'%.*s' is declared as another group than it is given",
                               SMP_TOKEN_TEXT(name));
    const smp_symbol symbol = {
        .name = name.text, .length = name.length, .meaning = SMP_MEANS_GROUP, .value = threads};
    return smp_symbol_add(parser, &symbol, position) && smp_parser_expect_end(parser);
}

/* ---- What a group knows ---------------------------------------------------------------- */

static bool combine(smp_parser *parser, smp_code_op op, int64_t constant, size_t position) {
    smp_kind kind;
    return smp_emit_constant(parser, constant, position) &&
           smp_operand_combine(parser, op, SMP_U32, SMP_U32, position, &kind);
}

/* The thread's number in its block. */
static bool emit_thread(smp_parser *parser, size_t position) {
    smp_kind kind;
    parser->is_varying = true;
    return smp_emit_slot(parser, SMP_SLOT_WARP, position) &&
           combine(parser, SMP_CODE_MUL, SMP_LANES, position) &&
           smp_emit_slot(parser, SMP_SLOT_LANE, position) &&
           smp_operand_combine(parser, SMP_CODE_ADD, SMP_U32, SMP_U32, position, &kind);
}

static bool emit_block_size(smp_parser *parser, size_t position) {
    smp_kind kind;
    bool sound = smp_emit_slot(parser, SMP_SLOT_BLOCK_DIM, position);
    for (uint16_t i = 1; sound && i < 3; i++)
        sound = smp_emit_slot(parser, (uint16_t)(SMP_SLOT_BLOCK_DIM + i), position) &&
                smp_operand_combine(parser, SMP_CODE_MUL, SMP_U32, SMP_U32, position, &kind);
    return sound;
}

static bool emit_rank(smp_parser *parser, int64_t threads, size_t position) {
    return emit_thread(parser, position) &&
           (threads == 0 || combine(parser, SMP_CODE_MOD, threads, position));
}

static bool emit_size(smp_parser *parser, int64_t threads, size_t position) {
    return threads == 0 ? emit_block_size(parser, position)
                        : smp_emit_constant(parser, threads, position);
}

/* Of tiles only: which one of the block's, and of how many. */
static bool emit_tile(smp_parser *parser, int64_t threads, size_t position) {
    return emit_thread(parser, position) && combine(parser, SMP_CODE_DIV, threads, position);
}

static bool emit_tiles(smp_parser *parser, int64_t threads, size_t position) {
    return emit_block_size(parser, position) &&
           combine(parser, SMP_CODE_ADD, threads - 1, position) &&
           combine(parser, SMP_CODE_DIV, threads, position);
}

typedef enum group_kind { OF_ANY, OF_BLOCK, OF_TILE } group_kind;

typedef struct number_row {
    const char *name;
    bool (*emit)(smp_parser *parser, int64_t threads, size_t position);
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
    {"thread_index", SMP_SLOT_THREAD},
    {"group_index", SMP_SLOT_BLOCK},
    {"group_dim", SMP_SLOT_BLOCK_DIM},
    {"dim_threads", SMP_SLOT_BLOCK_DIM},
};

static bool parse_index(smp_parser *parser, const index_row *row, size_t position) {
    static const char *const members[] = {"x", "y", "z"};
    if (!smp_parser_expect(parser, '.'))
        return false;
    parser->is_varying |= row->slot == SMP_SLOT_THREAD;
    for (uint16_t i = 0; i < 3; i++) {
        if (smp_parser_accept_name(parser, members[i]))
            return smp_emit_slot(parser, (uint16_t)(row->slot + i), position);
    }
    return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "expected x, y or z");
}

static bool parse_empty(smp_parser *parser) {
    return smp_parser_expect(parser, '(') && smp_parser_expect(parser, ')');
}

/* A barrier as __syncthreads() or __syncwarp() is one, and what else gives data. */
static bool parse_other(smp_parser *parser, const smp_symbol *group, const smp_token *name,
                        smp_operand *out) {
    smp_token function = *name;
    if (smp_token_is(name, "sync")) {
        function.text = group->value == 0 ? "__syncthreads" : "__syncwarp";
        function.length = strlen(function.text);
    } else if (smp_call_is_known(name)) {
        return smp_parser_fail(parser, SMP_E_SYNTAX, name->position, "a group has no '%.*s'",
                               SMP_TOKEN_TEXT(*name));
    }
    if (!smp_parser_is(parser, '('))
        return smp_parser_expect(parser, '(');
    return smp_expr_call(parser, &function, out);
}

bool smp_group_use(smp_parser *parser, const smp_symbol *group, smp_operand *out) {
    size_t position = parser->token.position;
    *out = (smp_operand){.form = SMP_FORM_VALUE, .kind = SMP_DATA, .position = position};
    if (!smp_parser_accept(parser, '.')) /* handed to a function */
        return smp_emit_unknown(parser, SMP_REASON_CALL, group->name, group->length, position);
    smp_token name = parser->token;
    if (name.kind != SMP_TOKEN_NAME)
        return smp_parser_fail(parser, SMP_E_SYNTAX, name.position, "expected a member's name");
    smp_parser_next(parser);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        bool is_fit = numbers[i].of == OF_ANY || (group->value != 0) == (numbers[i].of == OF_TILE);
        if (!is_fit || !smp_token_is(&name, numbers[i].name))
            continue;
        out->kind = SMP_U32;
        return parse_empty(parser) && numbers[i].emit(parser, group->value, position);
    }
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        if (group->value != 0 || !smp_token_is(&name, indices[i].name))
            continue;
        out->kind = SMP_U32;
        return parse_empty(parser) && parse_index(parser, &indices[i], position);
    }
    return parse_other(parser, group, &name, out);
}
