/* SPDX-License-Identifier: MIT */
/*
 * Appends code. Operations on constants are folded on the way, so that what is constant in the text
 * is one instruction.
 */
#include <string.h>

#include "layout.h"
#include "list.h"

static bool foldable(const smp_parser *parser, const smp_expr_instruction *instruction,
                     unsigned operands) {
    const smp_expr_code *code = parser->code;
    bool computes = instruction->op > SMP_CODE_SLOT && instruction->op <= SMP_CODE_LAST_TERNARY;
    if (!computes || code->count < operands)
        return false;
    for (unsigned i = 1; i <= operands; i++) {
        if (code->items[code->count - i].op != SMP_CODE_CONST)
            return false;
    }
    return true;
}

/* Replaces the last operation and its constant operands by its value. One that fails stays, for
 * it matters only if a lane gets there. */
static void fold(smp_parser *parser, unsigned operands) {
    smp_expr_code *code = parser->code;
    smp_program program = {.start = code->count - operands - 1, .count = operands + 1};
    smp_lanes_state state = {.mask = 1};
    smp_unknown unknown;
    smp_lanes_value value;
    if (smp_program_run(code, &program, &state, value, &unknown) != SMP_OK)
        return;
    code->count = program.start;
    code->items[code->count++] = (smp_expr_instruction){.op = SMP_CODE_CONST, .value = value[0]};
}

bool smp_emit(smp_parser *parser, smp_expr_instruction instruction, size_t position,
              unsigned operands) {
    if (parser->status != SMP_OK)
        return false;
    if (parser->code->count == SMP_EXPR_CODE_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, position,
                               "more than %d operations in all expressions", SMP_EXPR_CODE_MAX);
    parser->stack = parser->stack - operands + 1;
    if (parser->stack >= SMP_EXPR_STACK_MAX)
        return smp_parser_fail(parser, SMP_E_OVERFLOW, position, "expression nested too deeply");
    if (!LIST_ROOM(parser->code->items, parser->code->count)) {
        parser->status = smp_error_memory(parser->error);
        return false;
    }
    bool folds = operands > 0 && foldable(parser, &instruction, operands);
    instruction.line = smp_parser_line(parser, position, &instruction.position);
    parser->code->items[parser->code->count++] = instruction;
    if (folds)
        fold(parser, operands);
    return true;
}

bool smp_emit_op(smp_parser *parser, smp_code_op op, smp_kind kind, size_t position,
                 unsigned operands) {
    smp_expr_instruction instruction = {.op = (uint8_t)op, .kind = (uint8_t)kind};
    return smp_emit(parser, instruction, position, operands);
}

bool smp_emit_constant(smp_parser *parser, int64_t value, size_t position) {
    smp_expr_instruction instruction = {.op = SMP_CODE_CONST, .value = value};
    return smp_emit(parser, instruction, position, 0);
}

bool smp_emit_slot(smp_parser *parser, uint16_t slot, size_t position) {
    smp_expr_instruction instruction = {.op = SMP_CODE_SLOT, .slot = slot};
    smp_slots_add(&parser->reads, slot);
    return smp_emit(parser, instruction, position, 0);
}

bool smp_emit_unknown(smp_parser *parser, smp_reason reason, const char *name, size_t length,
                      size_t position) {
    smp_expr_instruction instruction = {
        .op = SMP_CODE_UNKNOWN, .value = reason, .limit = (int64_t)length, .name = name};
    return smp_emit(parser, instruction, position, 0);
}

bool smp_emit_merge(smp_parser *parser, unsigned operands, size_t position) {
    smp_expr_instruction instruction = {.op = SMP_CODE_MERGE, .slot = (uint16_t)operands};
    return smp_emit(parser, instruction, position, operands);
}

bool smp_emit_drop(smp_parser *parser, size_t position) {
    if (!smp_emit_op(parser, SMP_CODE_DROP, SMP_I32, position, 1))
        return false;
    parser->stack--;
    return true;
}

bool smp_emit_barrier(smp_parser *parser, size_t position) {
    if (parser->varying_ifs == 0)
        return true;
    parser->has_barrier = true;
    if (!smp_emit_op(parser, SMP_CODE_BARRIER, SMP_I32, position, 0))
        return false;
    parser->stack--;
    return true;
}

bool smp_emit_cast(smp_parser *parser, smp_integer_type type, size_t position, smp_kind *kind) {
    smp_expr_instruction instruction = {
        .op = SMP_CODE_CAST, .slot = type.bits, .kind = type.is_signed ? SMP_I64 : SMP_U64};
    *kind = smp_integer_kind(type);
    return smp_emit(parser, instruction, position, 1);
}

smp_kind smp_integer_kind(smp_integer_type type) {
    if (type.bits < 32)
        return SMP_I32;
    if (type.bits == 32)
        return type.is_signed ? SMP_I32 : SMP_U32;
    return type.is_signed ? SMP_I64 : SMP_U64;
}

static void reverse(smp_expr_instruction *from, smp_expr_instruction *to) {
    while (from < --to) {
        smp_expr_instruction swapped = *from;
        *from++ = *to;
        *to = swapped;
    }
}

/* The code of functions' bodies goes along. */
static void move(smp_program *program, uint32_t first, uint32_t second, uint32_t count) {
    if (program->start >= second)
        program->start -= second - first;
    else if (program->start >= first)
        program->start += count;
}

bool smp_code_rotate(smp_parser *parser, uint32_t first, uint32_t second) {
    smp_expr_instruction *items = parser->code->items, *end = items + parser->code->count;
    reverse(items + first, items + second);
    reverse(items + second, end);
    reverse(items + first, end);
    uint32_t count = parser->code->count - second;
    for (uint32_t i = parser->first_call; i < parser->layout->statement_count; i++) {
        move(&parser->layout->statements[i].program, first, second, count);
        move(&parser->layout->statements[i].step, first, second, count);
    }
    return parser->status == SMP_OK;
}
