/* SPDX-License-Identifier: MIT */
/*
 * From text to micro-operations: the opcode's row decodes its modifiers and operands; guard
 * predicates and the program's constants are everybody's.
 */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

#include "fused_ops.h"
#include "linked.h"
#include "load_chains.h"
#include "warp.h"

static void modify_half(const emu_operand *operand, const uint32_t *in, uint32_t *out) {
    uint32_t clear = operand->sign & SIGN_ABSOLUTE ? 0x80008000u : 0;
    uint32_t flip = operand->sign & SIGN_NEGATE ? 0x80008000u : 0;
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t v = in[l];
        if (operand->half == HALF_LOW)
            v = (v & 0xffff) | v << 16;
        if (operand->half == HALF_HIGH)
            v = (v & 0xffff0000u) | v >> 16;
        out[l] = (v & ~clear) ^ flip;
    }
}

static void modify_sign(const uint32_t *in, uint32_t *out, uint8_t sign) {
    uint32_t clear = sign & SIGN_ABSOLUTE ? 0x80000000u : 0;
    uint32_t flip = sign & SIGN_NEGATE ? 0x80000000u : 0;
    EACH_LANE out[l] = (in[l] & ~clear) ^ flip;
}

void emu_modify(const emu_operand *operand, const uint32_t *in, uint32_t *out) {
    switch (operand->modifier) {
    case MODIFIER_NEGATE:
        EACH_LANE out[l] = 0u - in[l];
        break;
    case MODIFIER_NOT:
        EACH_LANE out[l] = ~in[l];
        break;
    case MODIFIER_FLOAT:
        modify_sign(in, out, operand->sign);
        break;
    case MODIFIER_DOUBLE:
        memcpy(out, in, ROW_BYTES);
        modify_sign(in + ROW, out + ROW, operand->sign);
        break;
    default:
        modify_half(operand, in, out);
    }
}

/* The modifier of a constant is applied once, here. */
static void settle_constant(decoder *d, emu_operand *operand) {
    if (operand->rows == 0 || operand->modifier == MODIFIER_NONE || !(operand->offset & 1))
        return;
    uint32_t changed[2 * ROW], values[2];
    emu_modify(operand, d->program->constants + (operand->offset & ~1) / 4, changed);
    values[0] = changed[0];
    values[1] = operand->rows > 1 ? changed[ROW] : 0;
    int32_t offset = emu_constant(d->program, values, operand->rows);
    if (offset < 0)
        d->is_out_of_memory = true;
    operand->offset = offset | 1;
    operand->modifier = MODIFIER_NONE;
}

static bool decode_guard(decoder *d) {
    const char *text = d->instruction->predicate;
    d->u->guard = PREDICATE_TRUE;
    if (*text == '\0')
        return true;
    if (!is_predicate(text + 1))
        return false;
    bool is_not = text[1] == '!';
    const char *name = text + 1 + is_not;
    unsigned first = *name == 'U' ? 8 : 0;
    name += *name == 'U';
    unsigned index = name[1] == 'T' ? PREDICATE_TRUE : (unsigned)(name[1] - '0');
    d->u->guard = (uint8_t)((first + index) | (is_not ? PREDICATE_NOT : 0));
    return true;
}

static const opcode_row *row_in(const opcode_row *rows, const char *name) {
    for (; rows->name != NULL; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

static const opcode_row *row_of(const char *name) {
    const opcode_row *const tables[] = {opcodes_int,    opcodes_lanes,   opcodes_float,
                                        opcodes_memory, opcodes_control, opcodes_async,
                                        opcodes_bulk,   opcodes_matrix,  opcodes_packed,
                                        opcodes_wide,   opcodes_texture};
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        const opcode_row *row = row_in(tables[i], name);
        if (row != NULL)
            return row;
    }
    return NULL;
}

/* "UIADD3" is IADD3 on uniform registers. */
static const opcode_row *find_row(decoder *d) {
    const opcode_row *row = row_of(d->base);
    if (row != NULL || d->base[0] != 'U')
        return row;
    d->is_uniform = true;
    return row_of(d->base + 1);
}

static void destination_of_unknown(decoder *d, const char *operand) {
    register_file file;
    const char *rest;
    int index = parse_register(operand, &file, &rest);
    const int limit = register_count(file);
    if (index < 0 || index == REGISTER_ZERO)
        return;
    d->u->d = ((file == FILE_UNIFORM ? ROW_UNIFORM : 0) + index) * ROW_BYTES;
    d->u->d_rows = (uint8_t)(limit - index < 8 ? limit - index : 8);
}

static unsigned predicate_number(const char *operand) {
    const char *name = operand + (operand[0] == 'U');
    return name[1] == 'T' ? PREDICATE_TRUE : (unsigned)(name[1] - '0');
}

/* It may change memory, so that poison in registers would not say all. */
static bool may_write_memory(const decoder *d) {
    const char *operands = d->instruction->operands;
    if (strncmp(d->base, "LD", 2) == 0)
        return false;
    for (const char *at = strchr(operands, '['); at != NULL; at = strchr(at + 1, '['))
        if (at == operands || (at[-1] != ']' && at[-1] != 'c' && at[-1] != 'x'))
            return true;
    return strncmp(d->base, "SU", 2) == 0;
}

/* What an unknown instruction may write: its first operand, as many registers as its width says;
 * imm: memory, too. */
static void make_unknown(decoder *d) {
    uop *u = d->u;
    *u = (uop){.kind = UOP_UNKNOWN, .guard = u->guard, .memory = -1};
    u->p_out = u->q_out = PREDICATE_TRUE;
    u->d = ROW_SINK * ROW_BYTES;
    if (d->operand_count > 0)
        destination_of_unknown(d, d->operands[0]);
    uint8_t *const predicates[] = {&u->p_out, &u->q_out};
    for (unsigned i = 0; i < 2 && i < d->operand_count; i++)
        if (is_predicate(d->operands[i]) && d->operands[i][0] != '!')
            *predicates[i] =
                (uint8_t)((d->operands[i][0] == 'U' ? 8 : 0) + predicate_number(d->operands[i]));
    if (d->operand_count > 1 && u->d_rows == 0 && u->p_out != PREDICATE_TRUE)
        destination_of_unknown(d, d->operands[1]);
    u->imm = may_write_memory(d);
    d->program->unknown_count++;
}

static void decode_one(decoder *d) {
    uop *u = d->u;
    *u = (uop){.memory = -1};
    u->p = u->q = u->r = u->p_out = u->q_out = PREDICATE_TRUE;
    u->d = ROW_SINK * ROW_BYTES;
    bool is_split = split_instruction_words(d) && decode_guard(d);
    const opcode_row *row = is_split ? find_row(d) : NULL;
    if (row != NULL)
        row->decode(d);
    bool is_whole = row != NULL && !d->is_unknown && d->operand_next == d->operand_count &&
                    d->modifiers_taken == (1u << d->modifier_count) - 1;
    if (!is_whole) {
        make_unknown(d);
        return;
    }
    u->ignores_exec = d->is_uniform;
    settle_constant(d, &u->a);
    settle_constant(d, &u->b);
    settle_constant(d, &u->c);
}

static void count_rows(emu_program *program, int32_t offset, uint32_t rows) {
    uint32_t first = (uint32_t)offset / ROW_BYTES, end = first + rows;
    if (offset & 1 || rows == 0)
        return;
    if (first < ROW_UNIFORM && end > program->registers)
        program->registers = end;
    if (first >= ROW_UNIFORM && first < ROW_SINK && end - ROW_UNIFORM > program->uniform_registers)
        program->uniform_registers = end - ROW_UNIFORM;
}

static void count_registers(emu_program *program) {
    uint32_t declared = program->function->registers;
    program->registers = declared < ROW_UNIFORM ? declared : ROW_UNIFORM;
    for (uint32_t i = 0; i < program->count; i++) {
        const uop *u = &program->uops[i];
        const emu_operand *operands[] = {&u->a, &u->b, &u->c};
        count_rows(program, u->d, u->d_rows);
        for (unsigned j = 0; j < 3; j++)
            count_rows(program, operands[j]->offset, operands[j]->rows);
        if (u->memory < 0)
            continue;
        const uop_memory *m = &program->memory[u->memory];
        const emu_operand *parts[] = {&m->at.base, &m->at.uniform, &m->from.base, &m->from.uniform};
        for (unsigned j = 0; j < 4; j++)
            count_rows(program, parts[j]->offset, parts[j]->rows);
    }
}

/* False: out of memory. */
static bool decode_part(emu_program *program, const smp_code_part *part) {
    for (uint32_t i = part->first; i < part->first + part->function->instruction_count; i++) {
        emu_relocated at = {.instruction = program->function->linked[i]};
        memcpy(at.raw, part->function->code + 16 * (size_t)(i - part->first), sizeof(at.raw));
        decoder d = {.program = program,
                     .instruction = &at.instruction,
                     .raw = at.raw,
                     .from_bytes = 16 * part->first,
                     .code_address = EMU_CODE_WINDOW + part->function->place_bytes,
                     .u = &program->uops[i]};
        d.is_unknown = !emu_relocate_instruction(program, part, &at);
        d.is_target = at.is_target;
        d.calls_system = at.calls_system;
        d.call_address = at.call_address;
        decode_one(&d);
        if (d.is_out_of_memory)
            return false;
    }
    return true;
}

smp_status emu_decode(emu_program *program, smp_error *error) {
    static const uint32_t zeros[ROWS_ZERO];
    const smp_function *function = program->function;
    program->count = function->linked_count;
    program->uops = calloc(program->count + 1, sizeof(*program->uops));
    program->memory = aligned_alloc(EMU_ALIGN, (program->count + 1) * sizeof(*program->memory));
    bool is_out = program->uops == NULL || program->memory == NULL ||
                  emu_constant(program, zeros, ROWS_ZERO) < 0;
    for (uint32_t i = 0; i < function->part_count && !is_out; i++)
        is_out = !decode_part(program, &function->parts[i]);
    if (is_out)
        return smp_error_memory(error);
    program->uops[program->count] = (uop){.kind = UOP_TRAP, /* whoever comes here stops */
                                          .guard = PREDICATE_TRUE,
                                          .p = PREDICATE_TRUE,
                                          .q = PREDICATE_TRUE,
                                          .r = PREDICATE_TRUE,
                                          .p_out = PREDICATE_TRUE,
                                          .q_out = PREDICATE_TRUE,
                                          .memory = -1};
    count_registers(program);
    for (uint32_t i = 0; i < program->memory_count; i++)
        emu_memory_plan(&program->memory[i]);
    if (!emu_plan(program) || !emu_chain_find(program))
        return smp_error_memory(error);
    return SMP_OK;
}

void emu_program_clear(emu_program *program) {
    free(program->uops);
    free(program->memory);
    free(program->series);
    free(program->series_members);
    free(program->constants);
    free(program->parameters);
    free(program->own_address);
    for (unsigned i = 0; i < EMU_BANKS; i++)
        free(program->banks[i].bytes);
    memset(program, 0, sizeof(*program));
}
