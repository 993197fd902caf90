/* SPDX-License-Identifier: MIT */
/* Appends code and folds operations on constants, so a constant expression is one instruction. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "list.h"
#include "lower.h"

static bool foldable(const ct_lower *l, const ct_expr_instruction *instruction, unsigned operands) {
    const ct_expr_code *code = l->code;
    bool computes = instruction->op > CT_CODE_SLOT && instruction->op <= CT_CODE_LAST_BINARY;
    if (!computes || code->count < operands)
        return false;
    for (unsigned i = 1; i <= operands; i++)
        if (code->items[code->count - i].op != CT_CODE_CONST)
            return false;
    return true;
}

/* Replaces the last operation and its constant operands by the result. One that fails stays: it
 * matters only if a lane reaches it. */
static void fold(ct_lower *l, unsigned operands) {
    ct_expr_code *code = l->code;
    ct_program program = {.start = code->count - operands - 1, .count = operands + 1};
    int64_t value;
    if (!ct_constant_run(code, &program, &value))
        return;
    code->count = program.start;
    code->items[code->count++] = (ct_expr_instruction){.op = CT_CODE_CONST, .value = value};
}

bool ct_emit(ct_lower *l, ct_expr_instruction instruction, size_t position, unsigned operands) {
    if (l->status != SMP_OK)
        return false;
    if (l->code->count == CT_EXPR_CODE_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, position, "more than %d operations in all expressions",
                       CT_EXPR_CODE_MAX);
    l->stack = l->stack - operands + 1;
    if (l->stack >= CT_EXPR_STACK_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, position, "expression nested too deeply");
    if (!LIST_ROOM(l->code->items, l->code->count))
        return ct_fail_memory(l);
    bool folds = operands > 0 && foldable(l, &instruction, operands);
    instruction.line = ct_line(l, position, &instruction.position);
    l->code->items[l->code->count++] = instruction;
    if (folds)
        fold(l, operands);
    return true;
}

bool ct_emit_op(ct_lower *l, ct_code_op op, ct_kind kind, size_t position, unsigned operands) {
    ct_expr_instruction instruction = {.op = (uint8_t)op, .kind = (uint8_t)kind};
    return ct_emit(l, instruction, position, operands);
}

bool ct_emit_constant(ct_lower *l, int64_t value, size_t position) {
    ct_expr_instruction instruction = {.op = CT_CODE_CONST, .value = value};
    return ct_emit(l, instruction, position, 0);
}

bool ct_emit_slot(ct_lower *l, uint16_t slot, size_t position) {
    ct_expr_instruction instruction = {.op = CT_CODE_SLOT, .slot = slot};
    ct_slots_add(&l->reads, slot);
    return ct_emit(l, instruction, position, 0);
}

bool ct_emit_unknown(ct_lower *l, ct_reason reason, ct_word name, size_t position) {
    ct_expr_instruction instruction = {
        .op = CT_CODE_UNKNOWN, .value = reason, .limit = (int64_t)name.length, .name = name.text};
    return ct_emit(l, instruction, position, 0);
}

bool ct_emit_set(ct_lower *l, uint16_t slot, const smp_type *type, size_t position) {
    ct_expr_instruction set = {.op = CT_CODE_SET, .slot = slot};
    if (type) {
        set.kind = type->integer.is_signed ? CT_I64 : CT_U64;
        set.limit = type->integer.bits;
    }
    ct_slots_add(&l->writes, slot);
    return ct_emit(l, set, position, 1);
}

bool ct_slot_new(ct_lower *l, size_t position, uint16_t *slot) {
    ct_draft *layout = l->layout;
    *slot = CT_SLOT_FREE;
    if (layout->kernel.slot_count == CT_SLOTS_MAX)
        return ct_fail(l, SMP_E_OVERFLOW, position, "more than %d variables",
                       CT_SLOTS_MAX - CT_SLOT_FREE);
    *slot = (uint16_t)layout->kernel.slot_count++;
    return l->status == SMP_OK;
}

bool ct_emit_merge(ct_lower *l, unsigned operands, size_t position) {
    ct_expr_instruction instruction = {.op = CT_CODE_MERGE, .slot = (uint16_t)operands};
    return ct_emit(l, instruction, position, operands);
}

bool ct_emit_drop(ct_lower *l, size_t position) {
    ct_emit_op(l, CT_CODE_DROP, CT_I32, position, 1);
    l->stack--;
    return l->status == SMP_OK;
}

bool ct_emit_cast(ct_lower *l, smp_integer_type type, size_t position, ct_kind *kind) {
    ct_expr_instruction instruction = {
        .op = CT_CODE_CAST, .slot = type.bits, .kind = type.is_signed ? CT_I64 : CT_U64};
    *kind = ct_integer_kind(type);
    return ct_emit(l, instruction, position, 1);
}

void ct_program_begin(ct_lower *l, ct_program *out) {
    *out = (ct_program){.start = l->code->count};
    l->stack = 0;
    l->is_varying = false;
    memset(&l->reads, 0, sizeof l->reads);
    memset(&l->writes, 0, sizeof l->writes);
}

void ct_program_end(ct_lower *l, ct_kind kind, ct_program *out) {
    out->count = l->code->count - out->start;
    out->kind = kind;
    out->reads = l->reads;
    out->writes = l->writes;
}

/* ---- Undo ---- */

ct_mark ct_look(const ct_lower *l) {
    const smp_layout *kernel = &l->layout->kernel;
    return (ct_mark){.code = kernel->code.count,
                     .slots = kernel->slot_count,
                     .statements = kernel->statement_count,
                     .accesses = kernel->access_count,
                     .arrays = kernel->array_count,
                     .loops = kernel->loop_count,
                     .stack = l->stack,
                     .reads = l->reads,
                     .writes = l->writes};
}

void ct_take_back(ct_lower *l, const ct_mark *to) {
    smp_layout *kernel = &l->layout->kernel;
    kernel->code.count = to->code;
    kernel->slot_count = to->slots;
    kernel->statement_count = to->statements;
    kernel->access_count = to->accesses;
    kernel->array_count = to->arrays;
    kernel->loop_count = to->loops;
    l->stack = to->stack;
    l->reads = to->reads;
    l->writes = to->writes;
}

/* ---- Errors ---- */

unsigned ct_line(ct_lower *l, size_t position, int32_t *column) {
    return ct_unit_line(l->unit, position, column);
}

bool ct_fail(ct_lower *l, smp_status status, size_t position, const char *format, ...) {
    char message[sizeof l->error->message];
    int32_t column;
    va_list arguments;
    if (l->status != SMP_OK)
        return false;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    l->error_line = ct_line(l, position, &column);
    l->status = smp_error_set(l->error, status, column, "%s", message);
    return false;
}

bool ct_fail_memory(ct_lower *l) {
    if (l->status == SMP_OK)
        l->status = smp_error_memory(l->error);
    return false;
}

bool ct_fail_fault(ct_lower *l, const ct_node *node) {
    const ct_fault *fault = node->fault;
    l->at = fault->at;
    if (fault->status == SMP_E_MEMORY)
        return ct_fail_memory(l);
    return ct_fail(l, fault->status, fault->position, "%s", fault->message);
}

const ct_node *ct_behind_kind(const ct_node *node, ct_node_kind kind) {
    while (node && node->kind == kind)
        node = node->next;
    return node;
}
