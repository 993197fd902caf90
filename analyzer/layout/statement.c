/* SPDX-License-Identifier: MIT */
/*
 * Statements, as CUDA has them and as the layout language has them: blocks, conditions, loops,
 * declarations, expressions, accesses by name. They become a tree whose nodes hold programs.
 */
#include <string.h>

#include "function.h"
#include "layout.h"

enum { NESTED_MAX = 60 };

/* ---- The tree -------------------------------------------------------------------------- */

smp_statement *smp_statement_add(smp_parser *parser, smp_statement_kind kind) {
    smp_layout *layout = parser->layout;
    if (layout->statement_count == SMP_STATEMENTS_MAX) {
        (void)smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                              "more than %d statements", SMP_STATEMENTS_MAX - 1);
        return NULL;
    }
    uint32_t index = layout->statement_count++;
    smp_statement *added = &layout->statements[index], *in = &layout->statements[layout->open];
    *added = (smp_statement){.kind = (uint8_t)kind, .parent = layout->open};
    if (in->last != 0)
        layout->statements[in->last].next = index;
    else
        in->first = index;
    in->last = index;
    return added;
}

void smp_statement_open(smp_layout *layout, smp_statement *statement) {
    layout->open = (uint32_t)(statement - layout->statements);
}

void smp_statement_close(smp_layout *layout) {
    layout->open = layout->statements[layout->open].parent;
}

void smp_statement_claim(smp_parser *parser, const smp_statement *statement) {
    smp_layout *layout = parser->layout;
    uint32_t index = (uint32_t)(statement - layout->statements);
    for (uint32_t i = parser->first_call; i < layout->statement_count; i++) {
        if (layout->statements[i].is_unclaimed)
            layout->statements[i].parent = index;
        layout->statements[i].is_unclaimed = false;
    }
    layout->statements[index].has_barrier = parser->has_barrier;
    layout->has_barrier |= parser->has_barrier;
    parser->has_barrier = false;
    parser->first_call = layout->statement_count;
    for (uint32_t i = layout->access_count; i-- > parser->first_claim;) {
        int32_t column;
        if (layout->accesses[i].statement != 0)
            continue;
        layout->accesses[i].statement = index;
        layout->accesses[i].loops = layout->open_loops;
        layout->accesses[i].end_line = smp_parser_line(parser, parser->last_end, &column);
    }
}

bool smp_program_add(smp_parser *parser, const smp_program *program) {
    smp_statement *added = smp_statement_add(parser, SMP_DO_PROGRAM);
    if (!added)
        return false;
    added->program = *program;
    smp_statement_claim(parser, added);
    return true;
}

smp_statement *smp_loop_add(smp_parser *parser, const smp_symbol *symbol, size_t position) {
    smp_layout *layout = parser->layout;
    int32_t column;
    if (layout->loop_count == SMP_LAYOUT_LOOPS_MAX) {
        (void)smp_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d loops",
                              SMP_LAYOUT_LOOPS_MAX);
        return NULL;
    }
    smp_statement *added = smp_statement_add(parser, SMP_DO_LOOP);
    if (!added)
        return NULL;
    smp_loop *loop = &layout->loops[layout->loop_count];
    *loop = (smp_loop){.line = smp_parser_line(parser, position, &column)};
    if (symbol && !symbol->varies) {
        loop->name = symbol->name;
        loop->length = symbol->length;
        loop->slot = symbol->slot;
    }
    added->loop = layout->loop_count++;
    layout->open_loops |= UINT64_C(1) << added->loop;
    smp_statement_open(layout, added);
    return added;
}

void smp_loop_end(smp_layout *layout) {
    layout->open_loops &= ~(UINT64_C(1) << layout->statements[layout->open].loop);
    smp_statement_close(layout);
}

/* ---- Conditions ------------------------------------------------------------------------ */

/* "(c)", or, in the layout language, c. */
static bool parse_condition(smp_parser *parser, smp_program *out) {
    smp_operand value;
    bool goes_on = parser->goes_on;
    smp_program_begin(parser, out);
    parser->goes_on = false;
    if (smp_parser_is(parser, '(')) {
        size_t position = parser->token.position;
        smp_parser_next(parser);
        if (smp_type_starts(parser) && smp_parser_peek(parser, 1).kind == SMP_TOKEN_NAME)
            return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                                   "a declaration in a condition is not understood: write it "
                                   "before the statement");
        if (!smp_expr_parse(parser, &value) || !smp_parser_expect(parser, ')') ||
            !smp_expr_operators(parser, &value, true))
            return false;
        value.position = position;
    } else if (!smp_expr_assignment(parser, &value)) {
        return false;
    }
    parser->goes_on = goes_on;
    if (!smp_operand_truth(parser, &value))
        return false;
    smp_program_end(parser, value.kind, out);
    return true;
}

/* Promises may stand between a statement and the else that follows it. */
static bool parse_promises(smp_parser *parser) {
    while (smp_parser_is_name(parser, "expect") && parser->token.starts_line) {
        smp_parser_next(parser);
        if (!smp_expectation_parse(parser))
            return false;
    }
    return parser->status == SMP_OK;
}

/* A statement in a block of its own names and statements. */
static bool parse_branch(smp_parser *parser) {
    smp_layout *layout = parser->layout;
    smp_statement *block = smp_statement_add(parser, SMP_DO_BLOCK);
    if (!block)
        return false;
    smp_statement_open(layout, block);
    size_t mark = smp_scope_begin(layout);
    bool sound = parse_promises(parser) && smp_statement_parse(parser);
    smp_scope_end(layout, mark);
    smp_statement_close(layout);
    return sound;
}

/* Behind the parenthesis that is open at `at`. */
static uint32_t behind_list(const smp_token *tokens, uint32_t at) {
    return smp_token_is_punct(&tokens[at], '(') ? smp_behind_bracket(tokens, at, '(', ')') : at;
}

/* Behind the statement at `at`, as far as tokens show it. */
static uint32_t behind_statement(const smp_token *tokens, uint32_t at, unsigned depth) {
    const smp_token *first = &tokens[at];
    const bool is_if = smp_token_is(first, "if"), is_do = smp_token_is(first, "do");
    if (depth == NESTED_MAX || first->kind == SMP_TOKEN_END)
        return at;
    if (smp_token_is_punct(first, '{'))
        return smp_behind_bracket(tokens, at, '{', '}');
    if (is_if || is_do || smp_token_is(first, "for") || smp_token_is(first, "while") ||
        smp_token_is(first, "switch")) {
        at += 1u + (is_if && smp_token_is(&tokens[at + 1], "constexpr"));
        at = behind_statement(tokens, is_do ? at : behind_list(tokens, at), depth + 1);
        if (is_if && smp_token_is(&tokens[at], "else"))
            return behind_statement(tokens, at + 1, depth + 1);
        if (!is_do)
            return at;
    }
    while (tokens[at].kind != SMP_TOKEN_END && !smp_token_is_punct(&tokens[at], ';'))
        at = smp_token_is_punct(&tokens[at], '{') ? smp_behind_bracket(tokens, at, '{', '}')
                                                  : at + 1;
    return tokens[at].kind == SMP_TOKEN_END ? at : at + 1;
}

/* "(c) a else b" behind "if constexpr": what is not chosen means nothing, and is not read. */
static bool parse_chosen(smp_parser *parser) {
    int64_t value;
    smp_kind ignored;
    const uint32_t start = parser->at;
    const smp_token *tokens = parser->tokens;
    const uint32_t behind = behind_statement(tokens, behind_list(tokens, start), 0);
    const bool has_else = smp_token_is(&tokens[behind], "else");
    if (!smp_parser_expect(parser, '(') || !smp_expr_constant(parser, &value, &ignored) ||
        !smp_parser_expect(parser, ')'))
        return false;
    const uint32_t end = has_else ? behind_statement(tokens, behind + 1, 0) : behind;
    if (value == 0)
        smp_parser_return(parser, has_else ? behind + 1 : behind);
    if ((value != 0 || has_else) && !parse_branch(parser))
        return false;
    if (value != 0)
        smp_parser_return(parser, end);
    return parser->status == SMP_OK;
}

static bool parse_if(smp_parser *parser) {
    smp_program condition;
    size_t access_start = parser->access_start;
    unsigned line, first_line;
    int32_t column;
    smp_parser_next(parser);
    if (smp_parser_accept_name(parser, "constexpr"))
        return parse_chosen(parser);
    if (!parse_condition(parser, &condition))
        return false;
    bool varies = parser->is_varying;
    smp_statement *added = smp_statement_add(parser, SMP_DO_IF);
    if (!added)
        return false;
    added->program = condition;
    smp_statement_claim(parser, added);
    smp_statement_open(parser->layout, added);
    parser->varying_ifs += varies;
    first_line = smp_parser_line(parser, access_start, &column);
    line = smp_parser_line(parser, parser->token.position, &column);
    bool is_simple = line == first_line && !smp_parser_is(parser, '{');
    parser->access_start = is_simple ? access_start : parser->token.position;
    bool sound = parse_branch(parser) && parse_promises(parser);
    if (sound && smp_parser_accept_name(parser, "else"))
        sound = parse_branch(parser);
    parser->varying_ifs -= varies;
    smp_statement_close(parser->layout);
    return sound;
}

/* ---- Loops ----------------------------------------------------------------------------- */

static bool parse_body(smp_parser *parser) {
    unsigned depth = parser->varying_ifs;
    size_t mark = smp_scope_begin(parser->layout);
    bool sound = parse_promises(parser);
    parser->access_start = parser->token.position;
    sound = sound && smp_statement_parse(parser);
    smp_scope_end(parser->layout, mark);
    parser->varying_ifs = depth;
    return sound;
}

static bool parse_while(smp_parser *parser) {
    size_t position = parser->token.position;
    smp_program condition;
    smp_parser_next(parser);
    smp_statement *loop = smp_loop_add(parser, NULL, position);
    if (!loop || !parse_condition(parser, &condition))
        return false;
    loop->program = condition;
    smp_statement_claim(parser, loop);
    bool sound = parse_body(parser);
    smp_loop_end(parser->layout);
    return sound;
}

static bool parse_do(smp_parser *parser) {
    size_t position = parser->token.position;
    smp_parser_next(parser);
    smp_statement *loop = smp_loop_add(parser, NULL, position);
    if (!loop || !parse_body(parser) || !parse_promises(parser))
        return false;
    loop->tests_last = true;
    if (!smp_parser_accept_name(parser, "while"))
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "expected 'while' at the end of this loop");
    bool sound = parse_condition(parser, &loop->program) && smp_parser_expect_end(parser);
    smp_statement_claim(parser, loop);
    smp_loop_end(parser->layout);
    return sound;
}

/* An expression for what it does; it may be missing. */
static bool parse_step(smp_parser *parser, smp_program *out) {
    smp_operand value;
    smp_program_begin(parser, out);
    if (!smp_parser_is(parser, ')') && !smp_parser_is(parser, ';')) {
        if (!smp_expr_parse(parser, &value))
            return false;
        if (value.atomic != 0)
            smp_access_reduce(parser, &value);
    }
    smp_program_end(parser, SMP_DATA, out);
    return parser->status == SMP_OK;
}

/* The first part of "for (...;...;...)", and which variable it sets. */
static bool parse_start(smp_parser *parser, smp_symbol **counter) {
    smp_scope *scope = &parser->layout->scope;
    size_t count = scope->count;
    smp_token name = parser->token;
    if (smp_type_starts(parser)) {
        if (!smp_variables_parse(parser))
            return false;
        *counter = scope->count > count ? &scope->symbols[count] : NULL;
    } else {
        smp_program program;
        if (!parse_step(parser, &program) || !smp_parser_expect(parser, ';') ||
            (program.count > 0 && !smp_program_add(parser, &program)))
            return false;
        *counter = smp_scope_find(scope, name.text, name.length);
    }
    if (*counter && (*counter)->meaning != SMP_MEANS_INTEGER)
        *counter = NULL;
    return true;
}

/* "(int j = 0; j < 32; j += 8) statement". */
static bool parse_c_loop(smp_parser *parser, size_t position) {
    smp_layout *layout = parser->layout;
    smp_symbol *counter = NULL;
    smp_program condition = {0}, step;
    size_t mark = smp_scope_begin(layout);
    if (!parse_start(parser, &counter))
        return false;
    smp_statement *loop = smp_loop_add(parser, counter, position);
    if (!loop)
        return false;
    if (!smp_parser_is(parser, ';')) {
        smp_operand value;
        smp_program_begin(parser, &condition);
        if (!smp_expr_parse(parser, &value) || !smp_operand_value(parser, &value))
            return false;
        smp_program_end(parser, value.kind, &condition);
    }
    if (!smp_parser_expect(parser, ';') || !parse_step(parser, &step) ||
        !smp_parser_expect(parser, ')'))
        return false;
    loop->program = condition;
    loop->step = step;
    smp_statement_claim(parser, loop);
    bool sound = parse_body(parser);
    smp_loop_end(layout);
    smp_scope_end(layout, mark);
    return sound;
}

bool smp_loop_parse(smp_parser *parser) {
    size_t position = parser->token.position;
    if (parser->is_option && smp_parser_is(parser, '('))
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "a loop around all accesses is written j=0:32:8");
    if (smp_parser_accept(parser, '('))
        return parse_c_loop(parser, position);
    return smp_range_loop_parse(parser);
}

static bool parse_jump(smp_parser *parser, smp_statement_kind kind) {
    size_t position = parser->token.position;
    smp_parser_next(parser);
    if (kind == SMP_DO_RETURN && parser->callee)
        return smp_function_return(parser);
    const bool leaves_switch = kind == SMP_DO_BREAK && parser->switches > 0;
    if (kind != SMP_DO_RETURN && parser->layout->open_loops == 0 && !leaves_switch)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position, "no loop is open here");
    return smp_statement_add(parser, kind) != NULL && smp_parser_expect_end(parser);
}

/* ---- Blocks and expressions ------------------------------------------------------------ */

/* "end" of a loop of the layout language. */
static bool parse_end(smp_parser *parser) {
    smp_layout *layout = parser->layout;
    const smp_statement *open = &layout->statements[layout->open];
    size_t position = parser->token.position;
    if (layout->open == parser->block_open || !open->is_open)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position, "no loop is open here");
    smp_parser_next(parser);
    smp_loop_end(layout);
    smp_scope_end(layout, layout->loops[open->loop].mark);
    return smp_parser_expect_end(parser);
}

static bool parse_block(smp_parser *parser) {
    smp_layout *layout = parser->layout;
    size_t position = parser->token.position, mark = smp_scope_begin(layout);
    uint32_t block_open = parser->block_open;
    smp_parser_next(parser);
    parser->block_open = layout->open;
    while (parser->status == SMP_OK && !smp_parser_is(parser, '}')) {
        if (parser->token.kind == SMP_TOKEN_END)
            return smp_parser_fail(parser, SMP_E_SYNTAX, position, "the '}' of this is missing");
        parser->access_start = parser->token.position;
        if (!smp_statement_parse(parser))
            return false;
    }
    if (layout->open != parser->block_open)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "a loop in this block has no 'end'");
    smp_parser_next(parser);
    parser->block_open = block_open;
    smp_scope_end(layout, mark);
    return parser->status == SMP_OK;
}

static bool fail_statement(smp_parser *parser) {
    return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                           "expected a statement: shared, global, block, for, define, ld, st, "
                           "expect ...");
}

/* A name that nothing knows, with nothing behind it that could make it an expression. */
static bool is_nonsense(const smp_parser *parser) {
    const smp_token *name = &parser->token;
    smp_token next = smp_parser_peek(parser, 1);
    uint16_t slot;
    unsigned dimensions;
    if (name->kind != SMP_TOKEN_NAME)
        return name->kind != SMP_TOKEN_PUNCT || strchr("*(&+-", (int)(name->code & 0xff)) == NULL;
    return next.kind != SMP_TOKEN_PUNCT && !smp_type_starts(parser) &&
           !smp_scope_find(&parser->layout->scope, name->text, name->length) &&
           smp_array_find(parser->layout, name->text, name->length) < 0 &&
           !smp_call_is_known(name) &&
           !smp_builtin_find(name->text, name->length, &slot, &dimensions);
}

static bool parse_expression(smp_parser *parser) {
    smp_program program;
    smp_operand value;
    size_t position = parser->token.position;
    if (is_nonsense(parser))
        return fail_statement(parser);
    smp_program_begin(parser, &program);
    const uint32_t accesses = parser->layout->access_count;
    parser->has_effect = parser->has_known = parser->has_stray = parser->has_new = false;
    parser->goes_on = true;
    bool sound = smp_expr_parse(parser, &value);
    parser->goes_on = false;
    if (!sound)
        return false;
    if (value.atomic != 0) {
        smp_request *request = smp_access_reduce(parser, &value);
        request->text = parser->text + parser->access_start;
        request->length = parser->last_end - parser->access_start;
    }
    /* A slip in a promise must not make it a variable: "expecways = 1"; CUDA's ends with ';'. */
    const bool is_cuda = smp_parser_is(parser, ';') && !parser->token.starts_line;
    if (!smp_parser_expect_end(parser))
        return false;
    if (parser->has_new && !is_cuda && parser->layout->access_count == accesses)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "nothing declares what is set here, and nothing is accessed: "
                               "'expect' promises, 'let' declares");
    if (!parser->has_effect)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "this has no effect: expected an assignment, '=', or an access such "
                               "as 'ld tile[threadIdx.x]'");
    if (parser->has_stray && !parser->has_known)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "nothing here declares any name of this statement");
    smp_program_end(parser, SMP_DATA, &program);
    return smp_program_add(parser, &program);
}

/* ---- One statement --------------------------------------------------------------------- */

typedef struct refused_row {
    const char *word, *why;
} refused_row;

static const refused_row refused[] = {
    {"goto", "goto is not understood"},
    {"asm", "inline PTX is not understood: write ld, st, ldmatrix, stmatrix or cp.async"},
    {"__asm__", "inline PTX is not understood: write ld, st, ldmatrix, stmatrix or cp.async"},
    {"union", "unions are not understood: cast the address instead"},
    {"else", "there is no 'if' before this"},
};

static bool is_refused(smp_parser *parser) {
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (smp_parser_is_name(parser, refused[i].word))
            return !smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "%s",
                                    refused[i].why);
    }
    return false;
}

static bool parse_any(smp_parser *parser) {
    smp_token second = smp_parser_peek(parser, 1);
    if (smp_parser_is(parser, '[') && smp_token_is_punct(&second, '[')) /* [[maybe_unused]] */
        smp_parser_return(parser, smp_behind_bracket(parser->tokens, parser->at, '[', ']'));
    if (smp_parser_is(parser, '{'))
        return parse_block(parser);
    if (smp_parser_accept(parser, ';'))
        return parser->status == SMP_OK;
    if (smp_parser_is_name(parser, "if"))
        return parse_if(parser);
    if (smp_parser_accept_name(parser, "for"))
        return smp_loop_parse(parser);
    if (smp_parser_is_name(parser, "while"))
        return parse_while(parser);
    if (smp_parser_is_name(parser, "do"))
        return parse_do(parser);
    if (smp_parser_is_name(parser, "switch"))
        return smp_switch_parse(parser);
    if (smp_parser_is_name(parser, "case") || smp_parser_is_name(parser, "default"))
        return smp_label_parse(parser);
    if (smp_parser_is_name(parser, "break"))
        return parse_jump(parser, SMP_DO_BREAK);
    if (smp_parser_is_name(parser, "continue"))
        return parse_jump(parser, SMP_DO_CONTINUE);
    if (smp_parser_is_name(parser, "return"))
        return parse_jump(parser, SMP_DO_RETURN);
    bool is_function;
    if (!smp_function_skip(parser, &is_function) || is_function)
        return parser->status == SMP_OK;
    if (smp_kernel_starts(parser))
        return smp_kernel_parse(parser);
    if (smp_host_function_skip(parser))
        return parser->status == SMP_OK;
    if (is_refused(parser))
        return false;
    if (smp_group_starts(parser))
        return smp_group_parse(parser);
    bool keeps = false;
    smp_keyword_fn keyword = smp_keyword_find(parser, &keeps);
    if (keyword) {
        if (!keeps)
            smp_parser_next(parser);
        return keyword(parser);
    }
    if (smp_parser_is_name(parser, "end"))
        return parse_end(parser);
    if (smp_access_starts(parser))
        return smp_access_parse(parser);
    smp_token next = smp_parser_peek(parser, 1);
    smp_token third = smp_parser_peek(parser, 2);
    bool is_row = next.code == '(' && third.kind == SMP_TOKEN_PUNCT && third.code == '*';
    bool is_cast =
        next.kind == SMP_TOKEN_PUNCT && !is_row && (next.code == '(' || next.code == '{');
    const bool is_aligned =
        smp_parser_is_name(parser, "alignas") || smp_parser_is_name(parser, "__align__");
    if (smp_parser_is_name(parser, "static") || is_aligned || (smp_type_starts(parser) && !is_cast))
        return smp_variables_parse(parser);
    return parse_expression(parser);
}

bool smp_statement_parse(smp_parser *parser) {
    if (parser->status != SMP_OK)
        return false;
    if (parser->statement_depth == NESTED_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                               "statements nested too deeply");
    if (parser->token.kind == SMP_TOKEN_END)
        return smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                               "expected a statement, but the text ends here");
    parser->statement_depth++;
    bool sound = parse_any(parser);
    parser->statement_depth--;
    return sound && parser->status == SMP_OK;
}
