/* SPDX-License-Identifier: MIT */
/*
 * Appends code. Operations on constants are folded on the way, so that what is constant in the text
 * is one instruction.
 */
#include <string.h>

#include "layout.h"
#include "list.h"

static bool foldable(const ct_parser *parser, const ct_expr_instruction *instruction,
                     unsigned operands) {
    const ct_expr_code *code = parser->code;
    bool computes = instruction->op > CT_CODE_SLOT && instruction->op <= CT_CODE_LAST_TERNARY;
    if (!computes || code->count < operands)
        return false;
    for (unsigned i = 1; i <= operands; i++) {
        if (code->items[code->count - i].op != CT_CODE_CONST)
            return false;
    }
    return true;
}

/* Replaces the last operation and its constant operands by its value. One that fails stays, for
 * it matters only if a lane gets there. */
static void fold(ct_parser *parser, unsigned operands) {
    ct_expr_code *code = parser->code;
    ct_program program = {.start = code->count - operands - 1, .count = operands + 1};
    ct_lanes_state state = {.mask = 1};
    ct_unknown unknown;
    ct_lanes_value value;
    if (ct_program_run(code, &program, &state, value, &unknown) != SMP_OK)
        return;
    code->count = program.start;
    code->items[code->count++] = (ct_expr_instruction){.op = CT_CODE_CONST, .value = value[0]};
}

bool ct_emit(ct_parser *parser, ct_expr_instruction instruction, size_t position,
             unsigned operands) {
    if (parser->status != SMP_OK)
        return false;
    if (parser->code->count == CT_EXPR_CODE_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, position,
                              "more than %d operations in all expressions", CT_EXPR_CODE_MAX);
    parser->stack = parser->stack - operands + 1;
    if (parser->stack >= CT_EXPR_STACK_MAX)
        return ct_parser_fail(parser, SMP_E_OVERFLOW, position, "expression nested too deeply");
    if (!LIST_ROOM(parser->code->items, parser->code->count)) {
        parser->status = smp_error_memory(parser->error);
        return false;
    }
    bool folds = operands > 0 && foldable(parser, &instruction, operands);
    instruction.line = ct_parser_line(parser, position, &instruction.position);
    parser->code->items[parser->code->count++] = instruction;
    if (folds)
        fold(parser, operands);
    return true;
}

bool ct_emit_op(ct_parser *parser, ct_code_op op, ct_kind kind, size_t position,
                unsigned operands) {
    ct_expr_instruction instruction = {.op = (uint8_t)op, .kind = (uint8_t)kind};
    return ct_emit(parser, instruction, position, operands);
}

bool ct_emit_constant(ct_parser *parser, int64_t value, size_t position) {
    ct_expr_instruction instruction = {.op = CT_CODE_CONST, .value = value};
    return ct_emit(parser, instruction, position, 0);
}

bool ct_emit_slot(ct_parser *parser, uint16_t slot, size_t position) {
    ct_expr_instruction instruction = {.op = CT_CODE_SLOT, .slot = slot};
    ct_slots_add(&parser->reads, slot);
    return ct_emit(parser, instruction, position, 0);
}

bool ct_emit_unknown(ct_parser *parser, ct_reason reason, const char *name, size_t length,
                     size_t position) {
    ct_expr_instruction instruction = {
        .op = CT_CODE_UNKNOWN, .value = reason, .limit = (int64_t)length, .name = name};
    return ct_emit(parser, instruction, position, 0);
}

bool ct_emit_merge(ct_parser *parser, unsigned operands, size_t position) {
    ct_expr_instruction instruction = {.op = CT_CODE_MERGE, .slot = (uint16_t)operands};
    return ct_emit(parser, instruction, position, operands);
}

bool ct_emit_drop(ct_parser *parser, size_t position) {
    if (!ct_emit_op(parser, CT_CODE_DROP, CT_I32, position, 1))
        return false;
    parser->stack--;
    return true;
}

bool ct_emit_barrier(ct_parser *parser, size_t position) {
    if (parser->varying_ifs == 0)
        return true;
    parser->has_barrier = true;
    if (!ct_emit_op(parser, CT_CODE_BARRIER, CT_I32, position, 0))
        return false;
    parser->stack--;
    return true;
}

bool ct_emit_cast(ct_parser *parser, smp_integer_type type, size_t position, ct_kind *kind) {
    ct_expr_instruction instruction = {
        .op = CT_CODE_CAST, .slot = type.bits, .kind = type.is_signed ? CT_I64 : CT_U64};
    *kind = ct_integer_kind(type);
    return ct_emit(parser, instruction, position, 1);
}

ct_kind ct_integer_kind(smp_integer_type type) {
    if (type.bits < 32)
        return CT_I32;
    if (type.bits == 32)
        return type.is_signed ? CT_I32 : CT_U32;
    return type.is_signed ? CT_I64 : CT_U64;
}

static void reverse(ct_expr_instruction *from, ct_expr_instruction *to) {
    while (from < --to) {
        ct_expr_instruction swapped = *from;
        *from++ = *to;
        *to = swapped;
    }
}

/* The code of functions' bodies goes along. */
static void move(ct_program *program, uint32_t first, uint32_t second, uint32_t count) {
    if (program->start >= second)
        program->start -= second - first;
    else if (program->start >= first)
        program->start += count;
}

bool ct_code_rotate(ct_parser *parser, uint32_t first, uint32_t second) {
    ct_expr_instruction *items = parser->code->items, *end = items + parser->code->count;
    reverse(items + first, items + second);
    reverse(items + second, end);
    reverse(items + first, end);
    uint32_t count = parser->code->count - second;
    for (uint32_t i = parser->first_call; i < parser->layout->kernel.statement_count; i++) {
        move(&parser->layout->kernel.statements[i].program, first, second, count);
        move(&parser->layout->kernel.statements[i].step, first, second, count);
    }
    return parser->status == SMP_OK;
}
