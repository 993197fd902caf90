/* SPDX-License-Identifier: MIT */
/*
 * Operators: an operator-precedence (Pratt) parser that keeps no tree. Every operand knows its type
 * when it has been read, and a conversion is only a matter of how the operator reads its operands,
 * so code is appended while parsing. An assignment evaluates its right side first, as C++17 says:
 * the code of the left side is moved behind it.
 */
#include <stdio.h>
#include <string.h>

#include "layout.h"

typedef struct infix_row {
    uint32_t code;
    uint8_t power; /* binds stronger than all smaller ones */
    uint8_t op;    /* smp_code_op */
} infix_row;

enum {
    POWER_CHOICE = 1,
    POWER_OR,
    POWER_AND,
    POWER_COMPARE_FIRST = 7,
    POWER_SHIFT = 9,
    POWER_SUM = 10,
};

static const infix_row infixes[] = {
    {SMP_PUNCT1('?'), POWER_CHOICE, SMP_CODE_PICK},
    {SMP_PUNCT2('|', '|'), POWER_OR, SMP_CODE_OR_END},
    {SMP_PUNCT2('&', '&'), POWER_AND, SMP_CODE_AND_END},
    {SMP_PUNCT1('|'), 4, SMP_CODE_OR},
    {SMP_PUNCT1('^'), 5, SMP_CODE_XOR},
    {SMP_PUNCT1('&'), 6, SMP_CODE_AND},
    {SMP_PUNCT2('=', '='), 7, SMP_CODE_EQ},
    {SMP_PUNCT2('!', '='), 7, SMP_CODE_NE},
    {SMP_PUNCT1('<'), 8, SMP_CODE_LT},
    {SMP_PUNCT2('<', '='), 8, SMP_CODE_LE},
    {SMP_PUNCT1('>'), 8, SMP_CODE_GT},
    {SMP_PUNCT2('>', '='), 8, SMP_CODE_GE},
    {SMP_PUNCT2('<', '<'), POWER_SHIFT, SMP_CODE_SHL},
    {SMP_PUNCT2('>', '>'), POWER_SHIFT, SMP_CODE_SHR},
    {SMP_PUNCT1('+'), POWER_SUM, SMP_CODE_ADD},
    {SMP_PUNCT1('-'), POWER_SUM, SMP_CODE_SUB},
    {SMP_PUNCT1('*'), 11, SMP_CODE_MUL},
    {SMP_PUNCT1('/'), 11, SMP_CODE_DIV},
    {SMP_PUNCT1('%'), 11, SMP_CODE_MOD},
};

static bool parse_binary(smp_parser *parser, unsigned power, smp_operand *out);

static smp_kind common_kind(smp_kind a, smp_kind b) {
    return a > b ? a : b;
}

/* Counts the nesting, so that no text can exhaust the stack. */
static bool enter(smp_parser *parser) {
    if (parser->status != SMP_OK)
        return false;
    if (parser->depth >= SMP_EXPR_DEPTH_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                               "expression nested too deeply");
    parser->depth++;
    return true;
}

/* ---- Values ---------------------------------------------------------------------------- */

static smp_operand value_of(smp_kind kind, const smp_type *type, size_t position) {
    return (smp_operand){.form = SMP_FORM_VALUE, .kind = kind, .type = type, .position = position};
}

const smp_type *smp_operand_type(const smp_operand *operand) {
    if (operand->form == SMP_FORM_OBJECT)
        return operand->is_root || operand->shape.dim_count > 0 ? NULL : operand->shape.type;
    if (operand->form == SMP_FORM_POINTER)
        return NULL;
    return operand->type ? operand->type : smp_type_of_kind(operand->kind);
}

static bool load(smp_parser *parser, smp_operand *operand) {
    const smp_type *type = operand->shape.type;
    size_t position = operand->position;
    bool sound;
    if (smp_local_array_is_element(operand))
        return smp_local_array_read(parser, operand, position);
    if (operand->array == SMP_ARRAY_LOCAL) {
        smp_token name = smp_token_read(parser->text, parser->length, operand->text_start);
        sound = smp_emit_drop(parser, position) &&
                smp_emit_unknown(parser, SMP_REASON_LOCAL, name.text, name.length, position);
    } else {
        bool is_given = smp_data_is_given(parser->layout, operand);
        sound = smp_access_load(parser, operand, is_given ? SMP_READS_VALUE : SMP_TAKES_OFFSET);
    }
    *operand = value_of(smp_type_kind(type), type, position);
    return sound;
}

bool smp_operand_value(smp_parser *parser, smp_operand *operand) {
    if (parser->status != SMP_OK)
        return false;
    if (operand->form == SMP_FORM_SLOT)
        operand->form = SMP_FORM_VALUE;
    if (operand->form != SMP_FORM_OBJECT)
        return true;
    if (smp_place_is_whole(parser->layout, operand))
        return load(parser, operand);
    return smp_place_decay(parser, operand, operand->position);
}

/* A pointer as a number is not known. */
bool smp_operand_number(smp_parser *parser, smp_operand *operand) {
    if (!smp_operand_value(parser, operand))
        return false;
    if (operand->form != SMP_FORM_POINTER)
        return true;
    size_t position = operand->position;
    *operand = value_of(SMP_U64, NULL, position);
    return smp_emit_drop(parser, position) &&
           smp_emit_unknown(parser, SMP_REASON_ADDRESS, "", 0, position);
}

/* The same as a condition: a pointer into an array is not null. */
bool smp_operand_truth(smp_parser *parser, smp_operand *operand) {
    if (!smp_operand_value(parser, operand))
        return false;
    size_t position = operand->position;
    if (operand->form != SMP_FORM_POINTER || operand->array < 0)
        return smp_operand_number(parser, operand);
    *operand = value_of(SMP_I32, smp_type_bool(), position);
    return smp_emit_drop(parser, position) && smp_emit_constant(parser, 1, position);
}

/* left op right, both on the stack. */
bool smp_operand_combine(smp_parser *parser, smp_code_op op, smp_kind left, smp_kind right,
                         size_t position, smp_kind *out) {
    bool shifts = op == SMP_CODE_SHL || op == SMP_CODE_SHR;
    bool compares = op >= SMP_CODE_EQ && op <= SMP_CODE_GE;
    smp_kind computed = shifts && right != SMP_DATA ? left : common_kind(left, right);
    *out = compares ? SMP_I32 : computed;
    if (computed == SMP_DATA)
        return smp_emit_merge(parser, 2, position);
    return smp_emit_op(parser, op, computed, position, 2);
}

bool smp_expr_assignment(smp_parser *parser, smp_operand *out) {
    uint32_t start = parser->code->count;
    if (!enter(parser))
        return false;
    bool sound = parse_binary(parser, POWER_CHOICE, out) && smp_expr_assign(parser, out, start);
    parser->depth--;
    return sound;
}

/* ---- Operators before an operand ------------------------------------------------------- */

/* What stands behind an operand binds first, then ++ and --. */
static bool parse_steps(smp_parser *parser, smp_operand *out) {
    if (!smp_expr_postfix(parser, out))
        return false;
    for (;;) {
        bool is_up = smp_parser_is(parser, SMP_PUNCT2('+', '+'));
        bool is_down = smp_parser_is(parser, SMP_PUNCT2('-', '-'));
        if ((!is_up && !is_down) || parser->token.starts_line)
            return parser->status == SMP_OK;
        size_t position = parser->token.position;
        smp_parser_next(parser);
        if (!smp_operand_step(parser, out, is_up, true, position))
            return false;
    }
}

static bool parse_sign(smp_parser *parser, uint32_t code, smp_operand *out) {
    size_t position = parser->token.position;
    smp_parser_next(parser);
    if (!smp_expr_unary(parser, out) ||
        !(code == '!' ? smp_operand_truth(parser, out) : smp_operand_number(parser, out)))
        return false;
    out->form = SMP_FORM_VALUE;
    out->symbol = NULL;
    out->atomic = 0;
    if (code == '!')
        out->type = smp_type_bool();
    else if (out->kind != SMP_DATA)
        out->type = NULL; /* promoted */
    if (code == '+')
        return true;
    smp_code_op op = code == '-' ? SMP_CODE_NEG : code == '~' ? SMP_CODE_NOT : SMP_CODE_LOGIC_NOT;
    smp_kind computed = out->kind;
    if (code == '!')
        out->kind = SMP_I32;
    if (computed == SMP_DATA)
        return smp_emit_merge(parser, 1, position);
    return smp_emit_op(parser, op, computed, position, 1);
}

static bool parse_prefix(smp_parser *parser, smp_operand *out) {
    size_t position = parser->token.position;
    uint32_t code = parser->token.kind == SMP_TOKEN_PUNCT ? parser->token.code : 0;
    bool is_step = code == SMP_PUNCT2('+', '+') || code == SMP_PUNCT2('-', '-');
    if (code == '-' || code == '+' || code == '~' || code == '!')
        return parse_sign(parser, code, out);
    if (!is_step && code != '&' && code != '*')
        return parse_steps(parser, out);
    smp_parser_next(parser);
    if (!smp_expr_unary(parser, out))
        return false;
    if (is_step)
        return smp_operand_step(parser, out, code == SMP_PUNCT2('+', '+'), false, position);
    if (code == '&')
        return smp_place_address(parser, out, position);
    return smp_operand_value(parser, out) && smp_place_follow(parser, out, position);
}

bool smp_expr_unary(smp_parser *parser, smp_operand *out) {
    size_t start = parser->token.position;
    bool was_expanded = parser->is_expanded;
    if (!enter(parser))
        return false;
    parser->is_expanded = false;
    bool sound = parse_prefix(parser, out); /* or nothing is in *out */
    if (sound) {
        out->text_start = start;
        out->text_end = parser->last_end;
        out->is_hidden |= parser->is_expanded;
    }
    parser->is_expanded |= was_expanded;
    parser->depth--;
    return sound && parser->status == SMP_OK;
}

/* ---- Operators between operands -------------------------------------------------------- */

/* At the start of a line, some operators begin a new statement. */
static bool is_blocked(smp_parser *parser) {
    uint32_t code = parser->token.code;
    if (!parser->token.starts_line)
        return false;
    if (!parser->goes_on)
        return true;
    if ((code == '*' || code == '&'))
        (void)smp_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                              "does this go on with the line before, or begin a statement? End "
                              "the one before with ';', or put the operator there");
    return code == '*' || code == '&';
}

static const infix_row *find_infix(smp_parser *parser) {
    bool ends = parser->in_template && (parser->token.code & 0xff) == '>';
    if (parser->token.kind != SMP_TOKEN_PUNCT || ends)
        return NULL;
    for (size_t i = 0; i < sizeof infixes / sizeof infixes[0]; i++) {
        if (infixes[i].code == parser->token.code)
            return is_blocked(parser) ? NULL : &infixes[i];
    }
    return NULL;
}

/* What both sides of ?: are together. */
static bool join_choice(smp_parser *parser, smp_operand *a, smp_operand *b, size_t position) {
    bool are_pointers = a->form == SMP_FORM_POINTER && b->form == SMP_FORM_POINTER;
    if (a->form == SMP_FORM_POINTER || b->form == SMP_FORM_POINTER) {
        if (!are_pointers || a->array != b->array)
            return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                                   "a choice between pointers to different arrays is not followed");
        a->is_loose = a->is_hidden = true;
        return smp_emit_op(parser, SMP_CODE_PICK, SMP_I64, position, 3);
    }
    smp_kind kind = common_kind(a->kind, b->kind);
    const smp_type *type = smp_operand_type(a), *other = smp_operand_type(b);
    *a = value_of(kind, type == other ? type : smp_type_common(type, other), position);
    return smp_emit_op(parser, SMP_CODE_PICK, kind, position, 3);
}

/* c ? a : b, after c; right-associative. */
static bool parse_choice(smp_parser *parser, smp_operand *out) {
    size_t position = parser->token.position;
    smp_operand a, b;
    smp_parser_next(parser);
    parser->choices++;
    if (!smp_operand_truth(parser, out) ||
        !smp_emit_op(parser, SMP_CODE_THEN, out->kind, position, 1) ||
        !smp_expr_parse(parser, &a) || !smp_operand_value(parser, &a) ||
        !smp_parser_expect(parser, ':') ||
        !smp_emit_op(parser, SMP_CODE_ELSE, SMP_I32, position, 1) ||
        !smp_expr_assignment(parser, &b) || !smp_operand_value(parser, &b))
        return false;
    parser->choices--;
    *out = a;
    return join_choice(parser, out, &b, position);
}

/* && and ||, after the left side. */
static bool parse_logic(smp_parser *parser, const infix_row *row, smp_operand *out) {
    size_t position = parser->token.position;
    smp_code_op begin = row->op == SMP_CODE_AND_END ? SMP_CODE_AND_BEGIN : SMP_CODE_OR_BEGIN;
    smp_operand right;
    smp_parser_next(parser);
    parser->choices++;
    if (!smp_operand_truth(parser, out) || !smp_emit_op(parser, begin, out->kind, position, 1) ||
        !parse_binary(parser, row->power + 1u, &right) || !smp_operand_truth(parser, &right))
        return false;
    parser->choices--;
    *out = value_of(SMP_I32, smp_type_bool(), position);
    return smp_emit_op(parser, (smp_code_op)row->op, SMP_I32, position, 2);
}

/* "p == nullptr" of a pointer into an array: it is not. */
static bool is_null(const smp_parser *parser, const smp_operand *left, const smp_operand *right) {
    const smp_operand *pointer = left->form == SMP_FORM_POINTER ? left : right;
    const smp_operand *value = pointer == left ? right : left;
    const smp_expr_instruction *last = &parser->code->items[parser->code->count - 1];
    return value == right && value->form == SMP_FORM_VALUE && pointer->array >= 0 &&
           last->op == SMP_CODE_CONST && last->value == 0;
}

/* Two pointers into one array: their offsets are what is compared, or subtracted. */
static bool combine_offsets(smp_parser *parser, const infix_row *row, smp_operand *out,
                            size_t position) {
    bool compares = row->op != SMP_CODE_SUB;
    int64_t size = out->shape.type ? (int64_t)smp_shape_size(out->shape) : 0;
    if (!compares && size == 0)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "what this points to has no known size");
    *out =
        compares ? value_of(SMP_I32, smp_type_bool(), position) : value_of(SMP_I64, NULL, position);
    return smp_emit_op(parser, (smp_code_op)row->op, SMP_I64, position, 2) &&
           (compares || (smp_emit_constant(parser, size, position) &&
                         smp_emit_op(parser, SMP_CODE_DIV, SMP_I64, position, 2)));
}

/* A pointer on one side at least. */
static bool combine_pointers(smp_parser *parser, const infix_row *row, smp_operand *out,
                             const smp_operand *right, size_t position) {
    bool both = out->form == right->form, is_sum = row->power == POWER_SUM;
    bool compares = row->power >= POWER_COMPARE_FIRST && row->power < POWER_SHIFT;
    if ((row->op == SMP_CODE_EQ || row->op == SMP_CODE_NE) && is_null(parser, out, right)) {
        *out = value_of(SMP_I32, smp_type_bool(), position);
        return smp_emit_drop(parser, position) && smp_emit_drop(parser, position) &&
               smp_emit_constant(parser, row->op == SMP_CODE_NE, position);
    }
    if (both && out->array == right->array && out->array >= 0 &&
        (compares || row->op == SMP_CODE_SUB))
        return combine_offsets(parser, row, out, position);
    if (compares || (both && row->op == SMP_CODE_SUB)) {
        *out = compares ? value_of(SMP_I32, smp_type_bool(), position)
                        : value_of(SMP_I64, NULL, position);
        return smp_emit_drop(parser, position) && smp_emit_drop(parser, position) &&
               smp_emit_unknown(parser, SMP_REASON_ADDRESS, "", 0, position);
    }
    bool swaps = right->form == SMP_FORM_POINTER;
    if (!is_sum || both || (swaps && row->op == SMP_CODE_SUB))
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "this operator has no meaning for pointers");
    smp_kind kind = swaps ? out->kind : right->kind;
    if (swaps) {
        *out = *right;
        if (!smp_emit_op(parser, SMP_CODE_SWAP, SMP_I64, position, 1))
            return false;
    }
    out->symbol = NULL;
    return smp_place_move(parser, out, kind, row->op == SMP_CODE_SUB, position);
}

static bool parse_infix(smp_parser *parser, const infix_row *row, smp_operand *out) {
    if (row->power == POWER_CHOICE)
        return parse_choice(parser, out);
    if (row->power <= POWER_AND)
        return parse_logic(parser, row, out);
    size_t position = parser->token.position;
    smp_operand right;
    if (!smp_operand_value(parser, out))
        return false;
    smp_parser_next(parser);
    if (!parse_binary(parser, row->power + 1u, &right) || !smp_operand_value(parser, &right))
        return false;
    if (out->form == SMP_FORM_POINTER || right.form == SMP_FORM_POINTER)
        return combine_pointers(parser, row, out, &right, position);
    bool compares = row->power >= POWER_COMPARE_FIRST && row->power < POWER_SHIFT;
    const smp_type *type = smp_operand_type(out), *other = smp_operand_type(&right);
    smp_kind left = out->kind, kind;
    bool sound =
        smp_operand_combine(parser, (smp_code_op)row->op, left, right.kind, position, &kind);
    *out = value_of(kind,
                    compares           ? smp_type_bool()
                    : kind == SMP_DATA ? smp_type_common(type, other)
                                       : NULL,
                    position);
    return sound;
}

static bool go_on(smp_parser *parser, unsigned power, smp_operand *out) {
    for (;;) {
        const infix_row *row = find_infix(parser);
        if (!row || row->power < power)
            return parser->status == SMP_OK;
        if (!parse_infix(parser, row, out))
            return false;
    }
}

static bool parse_binary(smp_parser *parser, unsigned power, smp_operand *out) {
    if (!enter(parser))
        return false;
    bool sound = smp_expr_unary(parser, out) && go_on(parser, power, out);
    parser->depth--;
    return sound;
}

bool smp_expr_operators(smp_parser *parser, smp_operand *left, bool is_condition) {
    uint32_t code = parser->token.kind == SMP_TOKEN_PUNCT ? parser->token.code : 0;
    bool begins = code == '*' || code == '&' || code == '+' || code == '-';
    return (is_condition && (begins || parser->token.starts_line)) ||
           go_on(parser, POWER_CHOICE, left);
}

/* ---- Whole expressions ------------------------------------------------------------------ */

bool smp_expr_parse(smp_parser *parser, smp_operand *out) {
    if (!smp_expr_assignment(parser, out))
        return false;
    while (smp_parser_is(parser, ',')) {
        size_t position = parser->token.position;
        if (!smp_operand_value(parser, out) || !smp_emit_drop(parser, position))
            return false;
        smp_parser_next(parser);
        if (!smp_expr_assignment(parser, out))
            return false;
    }
    return true;
}

bool smp_expr_value(smp_parser *parser, smp_operand *out) {
    return smp_expr_assignment(parser, out) && smp_operand_number(parser, out);
}

void smp_program_begin(smp_parser *parser, smp_program *out) {
    *out = (smp_program){.start = parser->code->count};
    parser->stack = 0;
    parser->is_varying = false;
    memset(&parser->reads, 0, sizeof parser->reads);
    memset(&parser->writes, 0, sizeof parser->writes);
}

void smp_program_end(smp_parser *parser, smp_kind kind, smp_program *out) {
    out->count = parser->code->count - out->start;
    out->kind = kind;
    out->reads = parser->reads;
    out->writes = parser->writes;
}

bool smp_expr_program(smp_parser *parser, smp_program *out) {
    smp_operand value;
    smp_program_begin(parser, out);
    if (!smp_expr_value(parser, &value))
        return false;
    smp_program_end(parser, value.kind, out);
    return true;
}

/* Runs a program that needs no variables. */
static bool run_constant(smp_parser *parser, const smp_program *program, size_t position,
                         int64_t *value) {
    smp_lanes_value lanes;
    smp_unknown unknown;
    smp_lanes_state state = {.mask = 1, .error = parser->error};
    smp_status status = smp_program_run(parser->code, program, &state, lanes, &unknown);
    if (status != SMP_OK) {
        parser->status = status;
        parser->error_line = state.error_line;
        return false;
    }
    *value = lanes[0];
    if (unknown.lanes == 0)
        return true;
    const smp_expr_instruction *from = &parser->code->items[unknown.origin];
    char text[120];
    smp_origin_describe(from, text, sizeof text);
    if (from->op == SMP_CODE_UNKNOWN && from->value == SMP_REASON_NAME)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "unknown name '%.*s' (a constant comes from 'define')",
                               (int)(from->limit < 40 ? from->limit : 40), from->name);
    return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                           "this must be a constant, but depends on %s", text);
}

/* The variable is none; its first value says perhaps why. */
static bool fail_symbol(smp_parser *parser, const smp_symbol *symbol, size_t position) {
    const smp_expr_code *code = parser->code;
    const smp_expr_instruction *unknown = NULL;
    char text[200];
    for (uint32_t i = 0; i < code->count; i++) {
        const smp_expr_instruction *in = &code->items[i];
        if (in->op == SMP_CODE_SET && in->slot == symbol->slot)
            break;
        if (in->op == SMP_CODE_SET || in->op == SMP_CODE_DROP)
            unknown = NULL; /* of another statement */
        else if (in->op == SMP_CODE_UNKNOWN && in->value != SMP_REASON_UNSET)
            unknown = in;
    }
    if (unknown && unknown->value == SMP_REASON_GIVEN)
        return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                               "this must be a constant; the value of '%.*s' is not given: define "
                               "%.*s = ...",
                               (int)unknown->limit, unknown->name, (int)unknown->limit,
                               unknown->name);
    if (unknown)
        smp_origin_describe(unknown, text, sizeof text);
    else
        (void)snprintf(text, sizeof text, "what is known only as threads run");
    return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                           "this must be a constant, but '%.*s' is a variable that depends on %s",
                           (int)symbol->length, symbol->name, text);
}

/* What is no constant in the code from `start` on. */
static bool fail_variable(smp_parser *parser, uint32_t start, size_t position) {
    const smp_scope *scope = &parser->layout->scope;
    for (uint32_t i = start; i < parser->code->count; i++) {
        const smp_expr_instruction *in = &parser->code->items[i];
        const unsigned slot = in->slot;
        if (in->op == SMP_CODE_ACCESS)
            return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                                   "this must be a constant, but memory is read for it");
        if (in->op != SMP_CODE_SLOT)
            continue;
        if (slot >= SMP_SLOT_BLOCK_DIM && slot < SMP_SLOT_LANE)
            return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                                   "this must be a constant: write a number for the size of the "
                                   "block or grid");
        if (slot < SMP_SLOT_FREE)
            return smp_parser_fail(
                parser, SMP_E_SYNTAX, position, "this must be a constant, but differs between %s",
                slot >= SMP_SLOT_BLOCK && slot < SMP_SLOT_BLOCK_DIM ? "blocks" : "threads");
        for (size_t k = scope->count; k-- > 0;) {
            if (scope->symbols[k].meaning == SMP_MEANS_INTEGER && scope->symbols[k].slot == slot)
                return fail_symbol(parser, &scope->symbols[k], position);
        }
    }
    return smp_parser_fail(parser, SMP_E_SYNTAX, position,
                           "this must be a constant, but depends on variables");
}

bool smp_expr_constant(smp_parser *parser, int64_t *value, smp_kind *kind) {
    size_t position = parser->token.position;
    uint32_t accesses = parser->layout->access_count;
    smp_slot_set reads = parser->reads, writes = parser->writes;
    unsigned stack = parser->stack;
    smp_operand operand;
    smp_program program = {.start = parser->code->count};
    memset(&parser->reads, 0, sizeof parser->reads);
    memset(&parser->writes, 0, sizeof parser->writes);
    if (!smp_expr_value(parser, &operand))
        return false;
    bool is_constant = smp_slots_empty(&parser->reads) && smp_slots_empty(&parser->writes) &&
                       parser->layout->access_count == accesses;
    if (!is_constant)
        return fail_variable(parser, program.start, position);
    smp_program_end(parser, operand.kind, &program);
    bool sound = run_constant(parser, &program, position, value);
    if (sound && operand.kind == SMP_DATA)
        sound = smp_parser_fail(parser, SMP_E_SYNTAX, position, "this must be an integer");
    parser->code->count = program.start;
    parser->stack = stack;
    parser->reads = reads;
    parser->writes = writes;
    *kind = operand.kind;
    return sound;
}

bool smp_expr_constant_in(smp_parser *parser, const char *what, int64_t least, int64_t most,
                          int64_t *value) {
    size_t position = parser->token.position;
    smp_kind kind;
    if (!smp_expr_constant(parser, value, &kind))
        return false;
    bool huge = kind == SMP_U64 && *value < 0;
    if (!huge && *value >= least && *value <= most)
        return true;
    if (huge)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, position, "%s is too large (at most %lld)",
                               what, (long long)most);
    return smp_parser_fail(parser, SMP_E_OVERFLOW, position, "%s is %lld, but must be %lld to %lld",
                           what, (long long)*value, (long long)least, (long long)most);
}
