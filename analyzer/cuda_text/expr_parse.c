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
    uint8_t op;    /* ct_code_op */
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
    {CT_PUNCT1('?'), POWER_CHOICE, CT_CODE_PICK},
    {CT_PUNCT2('|', '|'), POWER_OR, CT_CODE_OR_END},
    {CT_PUNCT2('&', '&'), POWER_AND, CT_CODE_AND_END},
    {CT_PUNCT1('|'), 4, CT_CODE_OR},
    {CT_PUNCT1('^'), 5, CT_CODE_XOR},
    {CT_PUNCT1('&'), 6, CT_CODE_AND},
    {CT_PUNCT2('=', '='), 7, CT_CODE_EQ},
    {CT_PUNCT2('!', '='), 7, CT_CODE_NE},
    {CT_PUNCT1('<'), 8, CT_CODE_LT},
    {CT_PUNCT2('<', '='), 8, CT_CODE_LE},
    {CT_PUNCT1('>'), 8, CT_CODE_GT},
    {CT_PUNCT2('>', '='), 8, CT_CODE_GE},
    {CT_PUNCT2('<', '<'), POWER_SHIFT, CT_CODE_SHL},
    {CT_PUNCT2('>', '>'), POWER_SHIFT, CT_CODE_SHR},
    {CT_PUNCT1('+'), POWER_SUM, CT_CODE_ADD},
    {CT_PUNCT1('-'), POWER_SUM, CT_CODE_SUB},
    {CT_PUNCT1('*'), 11, CT_CODE_MUL},
    {CT_PUNCT1('/'), 11, CT_CODE_DIV},
    {CT_PUNCT1('%'), 11, CT_CODE_MOD},
};

static bool parse_binary(ct_parser *parser, unsigned power, ct_operand *out);

static ct_kind common_kind(ct_kind a, ct_kind b) {
    return a > b ? a : b;
}

/* Counts the nesting, so that no text can exhaust the stack. */
static bool enter(ct_parser *parser) {
    if (parser->status != SMP_OK)
        return false;
    if (parser->depth >= CT_EXPR_DEPTH_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, parser->token.position,
                              "expression nested too deeply");
    parser->depth++;
    return true;
}

/* ---- Values ---------------------------------------------------------------------------- */

static ct_operand value_of(ct_kind kind, const smp_type *type, size_t position) {
    return (ct_operand){.form = CT_FORM_VALUE, .kind = kind, .type = type, .position = position};
}

const smp_type *ct_operand_type(const ct_operand *operand) {
    if (operand->form == CT_FORM_OBJECT)
        return operand->is_root || operand->shape.dim_count > 0 ? NULL : operand->shape.type;
    if (operand->form == CT_FORM_POINTER)
        return NULL;
    return operand->type ? operand->type : ct_type_of_kind(operand->kind);
}

static bool load(ct_parser *parser, ct_operand *operand) {
    const smp_type *type = operand->shape.type;
    size_t position = operand->position;
    bool sound;
    if (ct_local_array_is_element(operand))
        return ct_local_array_read(parser, operand, position);
    if (operand->array == CT_ARRAY_LOCAL) {
        ct_token name = ct_token_read(parser->text, parser->length, operand->text_start);
        sound = ct_emit_drop(parser, position) &&
                ct_emit_unknown(parser, CT_REASON_LOCAL, name.text, name.length, position);
    } else {
        bool is_given = ct_data_is_given(&parser->layout->kernel, operand);
        sound = ct_access_load(parser, operand, is_given ? CT_READS_VALUE : CT_TAKES_OFFSET);
    }
    *operand = value_of(ct_type_kind(type), type, position);
    return sound;
}

bool ct_operand_value(ct_parser *parser, ct_operand *operand) {
    if (parser->status != SMP_OK)
        return false;
    if (operand->form == CT_FORM_SLOT)
        operand->form = CT_FORM_VALUE;
    if (operand->form != CT_FORM_OBJECT)
        return true;
    if (ct_place_is_whole(parser->layout, operand))
        return load(parser, operand);
    return ct_place_decay(parser, operand, operand->position);
}

/* A pointer as a number is not known. */
bool ct_operand_number(ct_parser *parser, ct_operand *operand) {
    if (!ct_operand_value(parser, operand))
        return false;
    if (operand->form != CT_FORM_POINTER)
        return true;
    size_t position = operand->position;
    *operand = value_of(CT_U64, NULL, position);
    return ct_emit_drop(parser, position) &&
           ct_emit_unknown(parser, CT_REASON_ADDRESS, "", 0, position);
}

/* The same as a condition: a pointer into an array is not null. */
bool ct_operand_truth(ct_parser *parser, ct_operand *operand) {
    if (!ct_operand_value(parser, operand))
        return false;
    size_t position = operand->position;
    if (operand->form != CT_FORM_POINTER || operand->array < 0)
        return ct_operand_number(parser, operand);
    *operand = value_of(CT_I32, ct_type_bool(), position);
    return ct_emit_drop(parser, position) && ct_emit_constant(parser, 1, position);
}

/* left op right, both on the stack. */
bool ct_operand_combine(ct_parser *parser, ct_code_op op, ct_kind left, ct_kind right,
                        size_t position, ct_kind *out) {
    bool shifts = op == CT_CODE_SHL || op == CT_CODE_SHR;
    bool compares = op >= CT_CODE_EQ && op <= CT_CODE_GE;
    ct_kind computed = shifts && right != CT_DATA ? left : common_kind(left, right);
    *out = compares ? CT_I32 : computed;
    if (computed == CT_DATA)
        return ct_emit_merge(parser, 2, position);
    return ct_emit_op(parser, op, computed, position, 2);
}

bool ct_expr_assignment(ct_parser *parser, ct_operand *out) {
    uint32_t start = parser->code->count;
    if (!enter(parser))
        return false;
    bool sound = parse_binary(parser, POWER_CHOICE, out) && ct_expr_assign(parser, out, start);
    parser->depth--;
    return sound;
}

/* ---- Operators before an operand ------------------------------------------------------- */

/* What stands behind an operand binds first, then ++ and --. */
static bool parse_steps(ct_parser *parser, ct_operand *out) {
    if (!ct_expr_postfix(parser, out))
        return false;
    for (;;) {
        bool is_up = ct_parser_is(parser, CT_PUNCT2('+', '+'));
        bool is_down = ct_parser_is(parser, CT_PUNCT2('-', '-'));
        if ((!is_up && !is_down) || parser->token.starts_line)
            return parser->status == SMP_OK;
        size_t position = parser->token.position;
        ct_parser_next(parser);
        if (!ct_operand_step(parser, out, is_up, true, position))
            return false;
    }
}

static bool parse_sign(ct_parser *parser, uint32_t code, ct_operand *out) {
    size_t position = parser->token.position;
    ct_parser_next(parser);
    if (!ct_expr_unary(parser, out) ||
        !(code == '!' ? ct_operand_truth(parser, out) : ct_operand_number(parser, out)))
        return false;
    out->form = CT_FORM_VALUE;
    out->symbol = NULL;
    out->atomic = 0;
    if (code == '!')
        out->type = ct_type_bool();
    else if (out->kind != CT_DATA)
        out->type = NULL; /* promoted */
    if (code == '+')
        return true;
    ct_code_op op = code == '-' ? CT_CODE_NEG : code == '~' ? CT_CODE_NOT : CT_CODE_LOGIC_NOT;
    ct_kind computed = out->kind;
    if (code == '!')
        out->kind = CT_I32;
    if (computed == CT_DATA)
        return ct_emit_merge(parser, 1, position);
    return ct_emit_op(parser, op, computed, position, 1);
}

static bool parse_prefix(ct_parser *parser, ct_operand *out) {
    size_t position = parser->token.position;
    uint32_t code = parser->token.kind == CT_TOKEN_PUNCT ? parser->token.code : 0;
    bool is_step = code == CT_PUNCT2('+', '+') || code == CT_PUNCT2('-', '-');
    if (code == '-' || code == '+' || code == '~' || code == '!')
        return parse_sign(parser, code, out);
    if (!is_step && code != '&' && code != '*')
        return parse_steps(parser, out);
    ct_parser_next(parser);
    if (!ct_expr_unary(parser, out))
        return false;
    if (is_step)
        return ct_operand_step(parser, out, code == CT_PUNCT2('+', '+'), false, position);
    if (code == '&')
        return ct_place_address(parser, out, position);
    return ct_operand_value(parser, out) && ct_place_follow(parser, out, position);
}

bool ct_expr_unary(ct_parser *parser, ct_operand *out) {
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
static bool is_blocked(ct_parser *parser) {
    uint32_t code = parser->token.code;
    if (!parser->token.starts_line)
        return false;
    if (!parser->goes_on)
        return true;
    if ((code == '*' || code == '&'))
        (void)ct_parser_fail(parser, SMP_E_SYNTAX, parser->token.position,
                             "does this go on with the line before, or begin a statement? End "
                             "the one before with ';', or put the operator there");
    return code == '*' || code == '&';
}

static const infix_row *find_infix(ct_parser *parser) {
    bool ends = parser->in_template && (parser->token.code & 0xff) == '>';
    if (parser->token.kind != CT_TOKEN_PUNCT || ends)
        return NULL;
    for (size_t i = 0; i < sizeof infixes / sizeof infixes[0]; i++) {
        if (infixes[i].code == parser->token.code)
            return is_blocked(parser) ? NULL : &infixes[i];
    }
    return NULL;
}

/* What both sides of ?: are together. */
static bool join_choice(ct_parser *parser, ct_operand *a, ct_operand *b, size_t position) {
    bool are_pointers = a->form == CT_FORM_POINTER && b->form == CT_FORM_POINTER;
    if (a->form == CT_FORM_POINTER || b->form == CT_FORM_POINTER) {
        if (!are_pointers || a->array != b->array)
            return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                                  "a choice between pointers to different arrays is not followed");
        a->is_loose = a->is_hidden = true;
        return ct_emit_op(parser, CT_CODE_PICK, CT_I64, position, 3);
    }
    ct_kind kind = common_kind(a->kind, b->kind);
    const smp_type *type = ct_operand_type(a), *other = ct_operand_type(b);
    *a = value_of(kind, type == other ? type : ct_type_common(type, other), position);
    return ct_emit_op(parser, CT_CODE_PICK, kind, position, 3);
}

/* c ? a : b, after c; right-associative. */
static bool parse_choice(ct_parser *parser, ct_operand *out) {
    size_t position = parser->token.position;
    ct_operand a, b;
    ct_parser_next(parser);
    parser->choices++;
    if (!ct_operand_truth(parser, out) ||
        !ct_emit_op(parser, CT_CODE_THEN, out->kind, position, 1) || !ct_expr_parse(parser, &a) ||
        !ct_operand_value(parser, &a) || !ct_parser_expect(parser, ':') ||
        !ct_emit_op(parser, CT_CODE_ELSE, CT_I32, position, 1) || !ct_expr_assignment(parser, &b) ||
        !ct_operand_value(parser, &b))
        return false;
    parser->choices--;
    *out = a;
    return join_choice(parser, out, &b, position);
}

/* && and ||, after the left side. */
static bool parse_logic(ct_parser *parser, const infix_row *row, ct_operand *out) {
    size_t position = parser->token.position;
    ct_code_op begin = row->op == CT_CODE_AND_END ? CT_CODE_AND_BEGIN : CT_CODE_OR_BEGIN;
    ct_operand right;
    ct_parser_next(parser);
    parser->choices++;
    if (!ct_operand_truth(parser, out) || !ct_emit_op(parser, begin, out->kind, position, 1) ||
        !parse_binary(parser, row->power + 1u, &right) || !ct_operand_truth(parser, &right))
        return false;
    parser->choices--;
    *out = value_of(CT_I32, ct_type_bool(), position);
    return ct_emit_op(parser, (ct_code_op)row->op, CT_I32, position, 2);
}

/* "p == nullptr" of a pointer into an array: it is not. */
static bool is_null(const ct_parser *parser, const ct_operand *left, const ct_operand *right) {
    const ct_operand *pointer = left->form == CT_FORM_POINTER ? left : right;
    const ct_operand *value = pointer == left ? right : left;
    const ct_expr_instruction *last = &parser->code->items[parser->code->count - 1];
    return value == right && value->form == CT_FORM_VALUE && pointer->array >= 0 &&
           last->op == CT_CODE_CONST && last->value == 0;
}

/* Two pointers into one array: their offsets are what is compared, or subtracted. */
static bool combine_offsets(ct_parser *parser, const infix_row *row, ct_operand *out,
                            size_t position) {
    bool compares = row->op != CT_CODE_SUB;
    int64_t size = out->shape.type ? (int64_t)smp_shape_size(out->shape) : 0;
    if (!compares && size == 0)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "what this points to has no known size");
    *out = compares ? value_of(CT_I32, ct_type_bool(), position) : value_of(CT_I64, NULL, position);
    return ct_emit_op(parser, (ct_code_op)row->op, CT_I64, position, 2) &&
           (compares || (ct_emit_constant(parser, size, position) &&
                         ct_emit_op(parser, CT_CODE_DIV, CT_I64, position, 2)));
}

/* A pointer on one side at least. */
static bool combine_pointers(ct_parser *parser, const infix_row *row, ct_operand *out,
                             const ct_operand *right, size_t position) {
    bool both = out->form == right->form, is_sum = row->power == POWER_SUM;
    bool compares = row->power >= POWER_COMPARE_FIRST && row->power < POWER_SHIFT;
    if ((row->op == CT_CODE_EQ || row->op == CT_CODE_NE) && is_null(parser, out, right)) {
        *out = value_of(CT_I32, ct_type_bool(), position);
        return ct_emit_drop(parser, position) && ct_emit_drop(parser, position) &&
               ct_emit_constant(parser, row->op == CT_CODE_NE, position);
    }
    if (both && out->array == right->array && out->array >= 0 &&
        (compares || row->op == CT_CODE_SUB))
        return combine_offsets(parser, row, out, position);
    if (compares || (both && row->op == CT_CODE_SUB)) {
        *out = compares ? value_of(CT_I32, ct_type_bool(), position)
                        : value_of(CT_I64, NULL, position);
        return ct_emit_drop(parser, position) && ct_emit_drop(parser, position) &&
               ct_emit_unknown(parser, CT_REASON_ADDRESS, "", 0, position);
    }
    bool swaps = right->form == CT_FORM_POINTER;
    if (!is_sum || both || (swaps && row->op == CT_CODE_SUB))
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "this operator has no meaning for pointers");
    ct_kind kind = swaps ? out->kind : right->kind;
    if (swaps) {
        *out = *right;
        if (!ct_emit_op(parser, CT_CODE_SWAP, CT_I64, position, 1))
            return false;
    }
    out->symbol = NULL;
    return ct_place_move(parser, out, kind, row->op == CT_CODE_SUB, position);
}

static bool parse_infix(ct_parser *parser, const infix_row *row, ct_operand *out) {
    if (row->power == POWER_CHOICE)
        return parse_choice(parser, out);
    if (row->power <= POWER_AND)
        return parse_logic(parser, row, out);
    size_t position = parser->token.position;
    ct_operand right;
    if (!ct_operand_value(parser, out))
        return false;
    ct_parser_next(parser);
    if (!parse_binary(parser, row->power + 1u, &right) || !ct_operand_value(parser, &right))
        return false;
    if (out->form == CT_FORM_POINTER || right.form == CT_FORM_POINTER)
        return combine_pointers(parser, row, out, &right, position);
    bool compares = row->power >= POWER_COMPARE_FIRST && row->power < POWER_SHIFT;
    const smp_type *type = ct_operand_type(out), *other = ct_operand_type(&right);
    ct_kind left = out->kind, kind;
    bool sound = ct_operand_combine(parser, (ct_code_op)row->op, left, right.kind, position, &kind);
    *out = value_of(kind,
                    compares          ? ct_type_bool()
                    : kind == CT_DATA ? ct_type_common(type, other)
                                      : NULL,
                    position);
    return sound;
}

static bool go_on(ct_parser *parser, unsigned power, ct_operand *out) {
    for (;;) {
        const infix_row *row = find_infix(parser);
        if (!row || row->power < power)
            return parser->status == SMP_OK;
        if (!parse_infix(parser, row, out))
            return false;
    }
}

static bool parse_binary(ct_parser *parser, unsigned power, ct_operand *out) {
    if (!enter(parser))
        return false;
    bool sound = ct_expr_unary(parser, out) && go_on(parser, power, out);
    parser->depth--;
    return sound;
}

bool ct_expr_operators(ct_parser *parser, ct_operand *left, bool is_condition) {
    uint32_t code = parser->token.kind == CT_TOKEN_PUNCT ? parser->token.code : 0;
    bool begins = code == '*' || code == '&' || code == '+' || code == '-';
    return (is_condition && (begins || parser->token.starts_line)) ||
           go_on(parser, POWER_CHOICE, left);
}

/* ---- Whole expressions ------------------------------------------------------------------ */

bool ct_expr_parse(ct_parser *parser, ct_operand *out) {
    if (!ct_expr_assignment(parser, out))
        return false;
    while (ct_parser_is(parser, ',')) {
        size_t position = parser->token.position;
        if (!ct_operand_value(parser, out) || !ct_emit_drop(parser, position))
            return false;
        ct_parser_next(parser);
        if (!ct_expr_assignment(parser, out))
            return false;
    }
    return true;
}

bool ct_expr_value(ct_parser *parser, ct_operand *out) {
    return ct_expr_assignment(parser, out) && ct_operand_number(parser, out);
}

void ct_program_begin(ct_parser *parser, ct_program *out) {
    *out = (ct_program){.start = parser->code->count};
    parser->stack = 0;
    parser->is_varying = false;
    memset(&parser->reads, 0, sizeof parser->reads);
    memset(&parser->writes, 0, sizeof parser->writes);
}

void ct_program_end(ct_parser *parser, ct_kind kind, ct_program *out) {
    out->count = parser->code->count - out->start;
    out->kind = kind;
    out->reads = parser->reads;
    out->writes = parser->writes;
}

bool ct_expr_program(ct_parser *parser, ct_program *out) {
    ct_operand value;
    ct_program_begin(parser, out);
    if (!ct_expr_value(parser, &value))
        return false;
    ct_program_end(parser, value.kind, out);
    return true;
}

/* Runs a program that needs no variables. */
static bool run_constant(ct_parser *parser, const ct_program *program, size_t position,
                         int64_t *value) {
    ct_lanes_value lanes;
    ct_unknown unknown;
    ct_lanes_state state = {.mask = 1, .error = parser->error};
    smp_status status = ct_program_run(parser->code, program, &state, lanes, &unknown);
    if (status != SMP_OK) {
        parser->status = status;
        parser->error_line = state.error_line;
        return false;
    }
    *value = lanes[0];
    if (unknown.lanes == 0)
        return true;
    const ct_expr_instruction *from = &parser->code->items[unknown.origin];
    char text[120];
    ct_origin_describe(from, text, sizeof text);
    if (from->op == CT_CODE_UNKNOWN && from->value == CT_REASON_NAME)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "unknown name '%.*s' (a constant comes from 'define')",
                              (int)(from->limit < 40 ? from->limit : 40), from->name);
    return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                          "this must be a constant, but depends on %s", text);
}

/* The variable is none; its first value says perhaps why. */
static bool fail_symbol(ct_parser *parser, const ct_symbol *symbol, size_t position) {
    const ct_expr_code *code = parser->code;
    const ct_expr_instruction *unknown = NULL;
    char text[200];
    for (uint32_t i = 0; i < code->count; i++) {
        const ct_expr_instruction *in = &code->items[i];
        if (in->op == CT_CODE_SET && in->slot == symbol->slot)
            break;
        if (in->op == CT_CODE_SET || in->op == CT_CODE_DROP)
            unknown = NULL; /* of another statement */
        else if (in->op == CT_CODE_UNKNOWN && in->value != CT_REASON_UNSET)
            unknown = in;
    }
    if (unknown && unknown->value == CT_REASON_GIVEN)
        return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                              "this must be a constant; the value of '%.*s' is not given: define "
                              "%.*s = ...",
                              (int)unknown->limit, unknown->name, (int)unknown->limit,
                              unknown->name);
    if (unknown)
        ct_origin_describe(unknown, text, sizeof text);
    else
        (void)snprintf(text, sizeof text, "what is known only as threads run");
    return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                          "this must be a constant, but '%.*s' is a variable that depends on %s",
                          (int)symbol->length, symbol->name, text);
}

/* What is no constant in the code from `start` on. */
static bool fail_variable(ct_parser *parser, uint32_t start, size_t position) {
    const ct_scope *scope = &parser->layout->scope;
    for (uint32_t i = start; i < parser->code->count; i++) {
        const ct_expr_instruction *in = &parser->code->items[i];
        const unsigned slot = in->slot;
        if (in->op == CT_CODE_ACCESS)
            return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                                  "this must be a constant, but memory is read for it");
        if (in->op != CT_CODE_SLOT)
            continue;
        if (slot >= CT_SLOT_BLOCK_DIM && slot < CT_SLOT_LANE)
            return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                                  "this must be a constant: write a number for the size of the "
                                  "block or grid");
        if (slot < CT_SLOT_FREE)
            return ct_parser_fail(
                parser, SMP_E_SYNTAX, position, "this must be a constant, but differs between %s",
                slot >= CT_SLOT_BLOCK && slot < CT_SLOT_BLOCK_DIM ? "blocks" : "threads");
        for (size_t k = scope->count; k-- > 0;) {
            if (scope->symbols[k].meaning == CT_MEANS_INTEGER && scope->symbols[k].slot == slot)
                return fail_symbol(parser, &scope->symbols[k], position);
        }
    }
    return ct_parser_fail(parser, SMP_E_SYNTAX, position,
                          "this must be a constant, but depends on variables");
}

bool ct_expr_constant(ct_parser *parser, int64_t *value, ct_kind *kind) {
    size_t position = parser->token.position;
    uint32_t accesses = parser->layout->kernel.access_count;
    ct_slot_set reads = parser->reads, writes = parser->writes;
    unsigned stack = parser->stack;
    ct_operand operand;
    ct_program program = {.start = parser->code->count};
    memset(&parser->reads, 0, sizeof parser->reads);
    memset(&parser->writes, 0, sizeof parser->writes);
    if (!ct_expr_value(parser, &operand))
        return false;
    bool is_constant = ct_slots_empty(&parser->reads) && ct_slots_empty(&parser->writes) &&
                       parser->layout->kernel.access_count == accesses;
    if (!is_constant)
        return fail_variable(parser, program.start, position);
    ct_program_end(parser, operand.kind, &program);
    bool sound = run_constant(parser, &program, position, value);
    if (sound && operand.kind == CT_DATA)
        sound = ct_parser_fail(parser, SMP_E_SYNTAX, position, "this must be an integer");
    parser->code->count = program.start;
    parser->stack = stack;
    parser->reads = reads;
    parser->writes = writes;
    *kind = operand.kind;
    return sound;
}

bool ct_expr_constant_in(ct_parser *parser, const char *what, int64_t least, int64_t most,
                         int64_t *value) {
    size_t position = parser->token.position;
    ct_kind kind;
    if (!ct_expr_constant(parser, value, &kind))
        return false;
    bool huge = kind == CT_U64 && *value < 0;
    if (!huge && *value >= least && *value <= most)
        return true;
    if (huge)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, position, "%s is too large (at most %lld)",
                              what, (long long)most);
    return ct_parser_fail(parser, SMP_E_OVERFLOW, position, "%s is %lld, but must be %lld to %lld",
                          what, (long long)*value, (long long)least, (long long)most);
}
