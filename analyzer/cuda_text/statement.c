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

ct_statement *ct_statement_add(ct_parser *parser, ct_statement_kind kind) {
    smp_layout *layout = parser->layout;
    if (layout->kernel.statement_count == CT_STATEMENTS_MAX) {
        (void)ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                             "more than %d statements", CT_STATEMENTS_MAX - 1);
        return NULL;
    }
    uint32_t index = layout->kernel.statement_count++;
    ct_statement *added = &layout->kernel.statements[index],
                 *in = &layout->kernel.statements[layout->open];
    *added = (ct_statement){.kind = (uint8_t)kind, .parent = layout->open};
    if (in->last != 0)
        layout->kernel.statements[in->last].next = index;
    else
        in->first = index;
    in->last = index;
    return added;
}

void ct_statement_open(smp_layout *layout, ct_statement *statement) {
    layout->open = (uint32_t)(statement - layout->kernel.statements);
}

void ct_statement_close(smp_layout *layout) {
    layout->open = layout->kernel.statements[layout->open].parent;
}

void ct_statement_claim(ct_parser *parser, const ct_statement *statement) {
    smp_layout *layout = parser->layout;
    uint32_t index = (uint32_t)(statement - layout->kernel.statements);
    for (uint32_t i = parser->first_call; i < layout->kernel.statement_count; i++) {
        if (layout->kernel.statements[i].is_unclaimed)
            layout->kernel.statements[i].parent = index;
        layout->kernel.statements[i].is_unclaimed = false;
    }
    layout->kernel.statements[index].has_barrier = parser->has_barrier;
    layout->kernel.has_barrier |= parser->has_barrier;
    parser->has_barrier = false;
    parser->first_call = layout->kernel.statement_count;
    for (uint32_t i = layout->kernel.access_count; i-- > parser->first_claim;) {
        int32_t column;
        if (layout->kernel.accesses[i].statement != 0)
            continue;
        layout->kernel.accesses[i].statement = index;
        layout->kernel.accesses[i].loops = layout->open_loops;
        layout->kernel.accesses[i].end_line = ct_parser_line(parser, parser->last_end, &column);
    }
}

bool ct_program_add(ct_parser *parser, const ct_program *program) {
    ct_statement *added = ct_statement_add(parser, CT_DO_PROGRAM);
    if (!added)
        return false;
    added->program = *program;
    ct_statement_claim(parser, added);
    return true;
}

ct_statement *ct_loop_add(ct_parser *parser, const ct_symbol *symbol, size_t position) {
    smp_layout *layout = parser->layout;
    int32_t column;
    if (layout->kernel.loop_count == SMP_LAYOUT_LOOPS_MAX) {
        (void)ct_parser_fail(parser, SMP_E_OVERFLOW, position, "more than %d loops",
                             SMP_LAYOUT_LOOPS_MAX);
        return NULL;
    }
    ct_statement *added = ct_statement_add(parser, CT_DO_LOOP);
    if (!added)
        return NULL;
    ct_loop *loop = &layout->kernel.loops[layout->kernel.loop_count];
    *loop = (ct_loop){.line = ct_parser_line(parser, position, &column)};
    if (symbol && !symbol->varies) {
        loop->name = symbol->name;
        loop->length = symbol->length;
        loop->slot = symbol->slot;
    }
    added->loop = layout->kernel.loop_count++;
    layout->open_loops |= UINT64_C(1) << added->loop;
    ct_statement_open(layout, added);
    return added;
}

void ct_loop_end(smp_layout *layout) {
    layout->open_loops &= ~(UINT64_C(1) << layout->kernel.statements[layout->open].loop);
    ct_statement_close(layout);
}

/* ---- Conditions ------------------------------------------------------------------------ */

/* "(c)", or, in the layout language, c. */
static bool parse_condition(ct_parser *parser, ct_program *out) {
    ct_operand value;
    bool goes_on = parser->goes_on;
    ct_program_begin(parser, out);
    parser->goes_on = false;
    if (ct_parser_is(parser, '(')) {
        size_t position = parser->token.position;
        ct_parser_next(parser);
        if (ct_type_starts(parser) && ct_parser_peek(parser, 1).kind == CT_TOKEN_NAME)
            return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                                  "a declaration in a condition is not understood: write it "
                                  "before the statement");
        if (!ct_expr_parse(parser, &value) || !ct_parser_expect(parser, ')') ||
            !ct_expr_operators(parser, &value, true))
            return false;
        value.position = position;
    } else if (!ct_expr_assignment(parser, &value)) {
        return false;
    }
    parser->goes_on = goes_on;
    if (!ct_operand_truth(parser, &value))
        return false;
    ct_program_end(parser, value.kind, out);
    return true;
}

/* Promises may stand between a statement and the else that follows it. */
static bool parse_promises(ct_parser *parser) {
    while (ct_parser_is_name(parser, "expect") && parser->token.starts_line) {
        ct_parser_next(parser);
        if (!ct_expectation_parse(parser))
            return false;
    }
    return parser->status == SMP_OK;
}

/* A statement in a block of its own names and statements. */
static bool parse_branch(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    ct_statement *block = ct_statement_add(parser, CT_DO_BLOCK);
    if (!block)
        return false;
    ct_statement_open(layout, block);
    size_t mark = ct_scope_begin(layout);
    bool sound = parse_promises(parser) && ct_statement_parse(parser);
    ct_scope_end(layout, mark);
    ct_statement_close(layout);
    return sound;
}

/* Behind the parenthesis that is open at `at`. */
static uint32_t behind_list(const ct_token *tokens, uint32_t at) {
    return ct_token_is_punct(&tokens[at], '(') ? ct_behind_bracket(tokens, at, '(', ')') : at;
}

/* Behind the statement at `at`, as far as tokens show it. */
static uint32_t behind_statement(const ct_token *tokens, uint32_t at, unsigned depth) {
    const ct_token *first = &tokens[at];
    const bool is_if = ct_token_is(first, "if"), is_do = ct_token_is(first, "do");
    if (depth == NESTED_MAX || first->kind == CT_TOKEN_END)
        return at;
    if (ct_token_is_punct(first, '{'))
        return ct_behind_bracket(tokens, at, '{', '}');
    if (is_if || is_do || ct_token_is(first, "for") || ct_token_is(first, "while") ||
        ct_token_is(first, "switch")) {
        at += 1u + (is_if && ct_token_is(&tokens[at + 1], "constexpr"));
        at = behind_statement(tokens, is_do ? at : behind_list(tokens, at), depth + 1);
        if (is_if && ct_token_is(&tokens[at], "else"))
            return behind_statement(tokens, at + 1, depth + 1);
        if (!is_do)
            return at;
    }
    while (tokens[at].kind != CT_TOKEN_END && !ct_token_is_punct(&tokens[at], ';'))
        at = ct_token_is_punct(&tokens[at], '{') ? ct_behind_bracket(tokens, at, '{', '}') : at + 1;
    return tokens[at].kind == CT_TOKEN_END ? at : at + 1;
}

/* "(c) a else b" behind "if constexpr": what is not chosen means nothing, and is not read. */
static bool parse_chosen(ct_parser *parser) {
    int64_t value;
    ct_kind ignored;
    const uint32_t start = parser->at;
    const ct_token *tokens = parser->tokens;
    const uint32_t behind = behind_statement(tokens, behind_list(tokens, start), 0);
    const bool has_else = ct_token_is(&tokens[behind], "else");
    if (!ct_parser_expect(parser, '(') || !ct_expr_constant(parser, &value, &ignored) ||
        !ct_parser_expect(parser, ')'))
        return false;
    const uint32_t end = has_else ? behind_statement(tokens, behind + 1, 0) : behind;
    if (value == 0)
        ct_parser_return(parser, has_else ? behind + 1 : behind);
    if ((value != 0 || has_else) && !parse_branch(parser))
        return false;
    if (value != 0)
        ct_parser_return(parser, end);
    return parser->status == SMP_OK;
}

static bool parse_if(ct_parser *parser) {
    ct_program condition;
    size_t access_start = parser->access_start;
    unsigned line, first_line;
    int32_t column;
    ct_parser_next(parser);
    if (ct_parser_accept_name(parser, "constexpr"))
        return parse_chosen(parser);
    if (!parse_condition(parser, &condition))
        return false;
    bool varies = parser->is_varying;
    ct_statement *added = ct_statement_add(parser, CT_DO_IF);
    if (!added)
        return false;
    added->program = condition;
    ct_statement_claim(parser, added);
    ct_statement_open(parser->layout, added);
    parser->varying_ifs += varies;
    first_line = ct_parser_line(parser, access_start, &column);
    line = ct_parser_line(parser, parser->token.position, &column);
    bool is_simple = line == first_line && !ct_parser_is(parser, '{');
    parser->access_start = is_simple ? access_start : parser->token.position;
    bool sound = parse_branch(parser) && parse_promises(parser);
    if (sound && ct_parser_accept_name(parser, "else"))
        sound = parse_branch(parser);
    parser->varying_ifs -= varies;
    ct_statement_close(parser->layout);
    return sound;
}

/* ---- Loops ----------------------------------------------------------------------------- */

static bool parse_body(ct_parser *parser) {
    unsigned depth = parser->varying_ifs;
    size_t mark = ct_scope_begin(parser->layout);
    bool sound = parse_promises(parser);
    parser->access_start = parser->token.position;
    sound = sound && ct_statement_parse(parser);
    ct_scope_end(parser->layout, mark);
    parser->varying_ifs = depth;
    return sound;
}

static bool parse_while(ct_parser *parser) {
    size_t position = parser->token.position;
    ct_program condition;
    ct_parser_next(parser);
    ct_statement *loop = ct_loop_add(parser, NULL, position);
    if (!loop || !parse_condition(parser, &condition))
        return false;
    loop->program = condition;
    ct_statement_claim(parser, loop);
    bool sound = parse_body(parser);
    ct_loop_end(parser->layout);
    return sound;
}

static bool parse_do(ct_parser *parser) {
    size_t position = parser->token.position;
    ct_parser_next(parser);
    ct_statement *loop = ct_loop_add(parser, NULL, position);
    if (!loop || !parse_body(parser) || !parse_promises(parser))
        return false;
    loop->tests_last = true;
    if (!ct_parser_accept_name(parser, "while"))
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "expected 'while' at the end of this loop");
    bool sound = parse_condition(parser, &loop->program) && ct_parser_expect_end(parser);
    ct_statement_claim(parser, loop);
    ct_loop_end(parser->layout);
    return sound;
}

/* An expression for what it does; it may be missing. */
static bool parse_step(ct_parser *parser, ct_program *out) {
    ct_operand value;
    ct_program_begin(parser, out);
    if (!ct_parser_is(parser, ')') && !ct_parser_is(parser, ';')) {
        if (!ct_expr_parse(parser, &value))
            return false;
        if (value.atomic != 0)
            ct_access_reduce(parser, &value);
    }
    ct_program_end(parser, CT_DATA, out);
    return parser->status == SMP_OK;
}

/* The first part of "for (...;...;...)", and which variable it sets. */
static bool parse_start(ct_parser *parser, ct_symbol **counter) {
    ct_scope *scope = &parser->layout->scope;
    size_t count = scope->count;
    ct_token name = parser->token;
    if (ct_type_starts(parser)) {
        if (!ct_variables_parse(parser))
            return false;
        *counter = scope->count > count ? &scope->symbols[count] : NULL;
    } else {
        ct_program program;
        if (!parse_step(parser, &program) || !ct_parser_expect(parser, ';') ||
            (program.count > 0 && !ct_program_add(parser, &program)))
            return false;
        *counter = ct_scope_find(scope, name.text, name.length);
    }
    if (*counter && (*counter)->meaning != CT_MEANS_INTEGER)
        *counter = NULL;
    return true;
}

/* "(int j = 0; j < 32; j += 8) statement". */
static bool parse_c_loop(ct_parser *parser, size_t position) {
    smp_layout *layout = parser->layout;
    ct_symbol *counter = NULL;
    ct_program condition = {0}, step;
    size_t mark = ct_scope_begin(layout);
    if (!parse_start(parser, &counter))
        return false;
    ct_statement *loop = ct_loop_add(parser, counter, position);
    if (!loop)
        return false;
    if (!ct_parser_is(parser, ';')) {
        ct_operand value;
        ct_program_begin(parser, &condition);
        if (!ct_expr_parse(parser, &value) || !ct_operand_value(parser, &value))
            return false;
        ct_program_end(parser, value.kind, &condition);
    }
    if (!ct_parser_expect(parser, ';') || !parse_step(parser, &step) ||
        !ct_parser_expect(parser, ')'))
        return false;
    loop->program = condition;
    loop->step = step;
    ct_statement_claim(parser, loop);
    bool sound = parse_body(parser);
    ct_loop_end(layout);
    ct_scope_end(layout, mark);
    return sound;
}

bool ct_loop_parse(ct_parser *parser) {
    size_t position = parser->token.position;
    if (parser->is_option && ct_parser_is(parser, '('))
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "a loop around all accesses is written j=0:32:8");
    if (ct_parser_accept(parser, '('))
        return parse_c_loop(parser, position);
    return ct_range_loop_parse(parser);
}

static bool parse_jump(ct_parser *parser, ct_statement_kind kind) {
    size_t position = parser->token.position;
    ct_parser_next(parser);
    if (kind == CT_DO_RETURN && parser->callee)
        return ct_function_return(parser);
    const bool leaves_switch = kind == CT_DO_BREAK && parser->switches > 0;
    if (kind != CT_DO_RETURN && parser->layout->open_loops == 0 && !leaves_switch)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "no loop is open here");
    return ct_statement_add(parser, kind) != NULL && ct_parser_expect_end(parser);
}

/* ---- Blocks and expressions ------------------------------------------------------------ */

/* "end" of a loop of the layout language. */
static bool parse_end(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    const ct_statement *open = &layout->kernel.statements[layout->open];
    size_t position = parser->token.position;
    if (layout->open == parser->block_open || !open->is_open)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position, "no loop is open here");
    ct_parser_next(parser);
    ct_loop_end(layout);
    ct_scope_end(layout, layout->kernel.loops[open->loop].mark);
    return ct_parser_expect_end(parser);
}

static bool parse_block(ct_parser *parser) {
    smp_layout *layout = parser->layout;
    size_t position = parser->token.position, mark = ct_scope_begin(layout);
    uint32_t block_open = parser->block_open;
    ct_parser_next(parser);
    parser->block_open = layout->open;
    while (parser->status == SMP_OK && !ct_parser_is(parser, '}')) {
        if (parser->token.kind == CT_TOKEN_END)
            return ct_parser_fail(parser, SMP_E_SYNTAX, position, "the '}' of this is missing");
        parser->access_start = parser->token.position;
        if (!ct_statement_parse(parser))
            return false;
    }
    if (layout->open != parser->block_open)
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "a loop in this block has no 'end'");
    ct_parser_next(parser);
    parser->block_open = block_open;
    ct_scope_end(layout, mark);
    return parser->status == SMP_OK;
}

static bool fail_statement(ct_parser *parser) {
    return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                          "expected a statement: shared, global, block, for, define, ld, st, "
                          "expect ...");
}

/* A name that nothing knows, with nothing behind it that could make it an expression. */
static bool is_nonsense(const ct_parser *parser) {
    const ct_token *name = &parser->token;
    ct_token next = ct_parser_peek(parser, 1);
    uint16_t slot;
    unsigned dimensions;
    if (name->kind != CT_TOKEN_NAME)
        return name->kind != CT_TOKEN_PUNCT || strchr("*(&+-", (int)(name->code & 0xff)) == NULL;
    return next.kind != CT_TOKEN_PUNCT && !ct_type_starts(parser) &&
           !ct_scope_find(&parser->layout->scope, name->text, name->length) &&
           smp_array_find(parser->layout, name->text, name->length) < 0 &&
           !ct_call_is_known(name) &&
           !ct_builtin_find(name->text, name->length, &slot, &dimensions);
}

static bool parse_expression(ct_parser *parser) {
    ct_program program;
    ct_operand value;
    size_t position = parser->token.position;
    if (is_nonsense(parser))
        return fail_statement(parser);
    ct_program_begin(parser, &program);
    const uint32_t accesses = parser->layout->kernel.access_count;
    parser->has_effect = parser->has_known = parser->has_stray = parser->has_new = false;
    parser->goes_on = true;
    bool sound = ct_expr_parse(parser, &value);
    parser->goes_on = false;
    if (!sound)
        return false;
    if (value.atomic != 0) {
        smp_request *request = ct_access_reduce(parser, &value);
        request->text = parser->text + parser->access_start;
        request->length = parser->last_end - parser->access_start;
    }
    /* A slip in a promise must not make it a variable: "expecways = 1"; CUDA's ends with ';'. */
    const bool is_cuda = ct_parser_is(parser, ';') && !parser->token.starts_line;
    if (!ct_parser_expect_end(parser))
        return false;
    if (parser->has_new && !is_cuda && parser->layout->kernel.access_count == accesses)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "nothing declares what is set here, and nothing is accessed: "
                              "'expect' promises, 'let' declares");
    if (!parser->has_effect)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "this has no effect: expected an assignment, '=', or an access such "
                              "as 'ld tile[threadIdx.x]'");
    if (parser->has_stray && !parser->has_known)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "nothing here declares any name of this statement");
    ct_program_end(parser, CT_DATA, &program);
    return ct_program_add(parser, &program);
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

static bool is_refused(ct_parser *parser) {
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (ct_parser_is_name(parser, refused[i].word))
            return !ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position, "%s",
                                   refused[i].why);
    }
    return false;
}

static bool parse_any(ct_parser *parser) {
    ct_token second = ct_parser_peek(parser, 1);
    if (ct_parser_is(parser, '[') && ct_token_is_punct(&second, '[')) /* [[maybe_unused]] */
        ct_parser_return(parser, ct_behind_bracket(parser->tokens, parser->at, '[', ']'));
    if (ct_parser_is(parser, '{'))
        return parse_block(parser);
    if (ct_parser_accept(parser, ';'))
        return parser->status == SMP_OK;
    if (ct_parser_is_name(parser, "if"))
        return parse_if(parser);
    if (ct_parser_accept_name(parser, "for"))
        return ct_loop_parse(parser);
    if (ct_parser_is_name(parser, "while"))
        return parse_while(parser);
    if (ct_parser_is_name(parser, "do"))
        return parse_do(parser);
    if (ct_parser_is_name(parser, "switch"))
        return ct_switch_parse(parser);
    if (ct_parser_is_name(parser, "case") || ct_parser_is_name(parser, "default"))
        return ct_label_parse(parser);
    if (ct_parser_is_name(parser, "break"))
        return parse_jump(parser, CT_DO_BREAK);
    if (ct_parser_is_name(parser, "continue"))
        return parse_jump(parser, CT_DO_CONTINUE);
    if (ct_parser_is_name(parser, "return"))
        return parse_jump(parser, CT_DO_RETURN);
    bool is_function;
    if (!ct_function_skip(parser, &is_function) || is_function)
        return parser->status == SMP_OK;
    if (ct_kernel_starts(parser))
        return ct_kernel_parse(parser);
    if (ct_host_function_skip(parser))
        return parser->status == SMP_OK;
    if (is_refused(parser))
        return false;
    if (ct_group_starts(parser))
        return ct_group_parse(parser);
    bool keeps = false;
    ct_keyword_fn keyword = ct_keyword_find(parser, &keeps);
    if (keyword) {
        if (!keeps)
            ct_parser_next(parser);
        return keyword(parser);
    }
    if (ct_parser_is_name(parser, "end"))
        return parse_end(parser);
    if (ct_access_starts(parser))
        return ct_access_parse(parser);
    ct_token next = ct_parser_peek(parser, 1);
    ct_token third = ct_parser_peek(parser, 2);
    bool is_row = next.code == '(' && third.kind == CT_TOKEN_PUNCT && third.code == '*';
    bool is_cast = next.kind == CT_TOKEN_PUNCT && !is_row && (next.code == '(' || next.code == '{');
    const bool is_aligned =
        ct_parser_is_name(parser, "alignas") || ct_parser_is_name(parser, "__align__");
    if (ct_parser_is_name(parser, "static") || is_aligned || (ct_type_starts(parser) && !is_cast))
        return ct_variables_parse(parser);
    return parse_expression(parser);
}

bool ct_statement_parse(ct_parser *parser) {
    if (parser->status != SMP_OK)
        return false;
    if (parser->statement_depth == NESTED_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                              "statements nested too deeply");
    if (parser->token.kind == CT_TOKEN_END)
        return ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "expected a statement, but the text ends here");
    parser->statement_depth++;
    bool sound = parse_any(parser);
    parser->statement_depth--;
    return sound && parser->status == SMP_OK;
}
