/* SPDX-License-Identifier: MIT */
/*
 * From parsed text to micro-operations: the row of the opcode decodes modifiers and operands; guard
 * predicates and constants are handled here for all.
 */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "linked.h"
#include "load_chains.h"

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

/* Applies the modifier of a constant once, at decoding. */
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

/* A micro-operation without operands or results. */
static uop empty(uop_kind kind) {
    return (uop){.kind = (uint8_t)kind,
                 .guard = PREDICATE_TRUE,
                 .a = {.offset = 1}, /* zeros */
                 .b = {.offset = 1},
                 .c = {.offset = 1},
                 .p = PREDICATE_TRUE,
                 .q = PREDICATE_TRUE,
                 .r = PREDICATE_TRUE,
                 .p_out = PREDICATE_TRUE,
                 .q_out = PREDICATE_TRUE,
                 .d = ROW_SINK * ROW_BYTES,
                 .memory = -1};
}

static bool decode_guard(decoder *d) {
    const char *text = d->instruction->predicate;
    sass_operand guard = {.kind = OPERAND_PREDICATE, .index = PREDICATE_TRUE};
    if (*text != '\0')
        smp_sass_parse_operand(text + 1, strlen(text + 1), &guard);
    if (guard.kind != OPERAND_PREDICATE)
        return false;
    d->u->guard = (uint8_t)(guard.index | (guard.is_inverted ? PREDICATE_NOT : 0));
    return true;
}

static const opcode_row *row_of(const decoder *d) {
    static const opcode_row *const tables[] = {opcodes_int,    opcodes_lanes,  opcodes_float,
                                               opcodes_async,  opcodes_memory, opcodes_control,
                                               opcodes_matrix, opcodes_texture};
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        for (const opcode_row *row = tables[i]; row->opcode != SASS_NONE; row++)
            if (row->opcode == d->words.opcode &&
                (row->when == SASS_NONE || has_modifier(d, row->when)))
                return row;
    return NULL;
}

static void decode_row(decoder *d, const opcode_row *row) {
    uop *u = d->u;
    u->kind = row->fn ? UOP_LANES : row->kind;
    u->imm = row->imm;
    u->imm2 = row->imm2;
    d->is_uniform |= row->is_uniform;
    if (row->memory)
        begin_memory(d, row->memory);
    if (row->when != SASS_NONE)
        take(d, row->when);
    for (unsigned i = 0; i < OPCODE_NEEDS && row->needs[i] != SASS_NONE; i++)
        need(d, row->needs[i]);
    for (unsigned i = 0; i < OPCODE_MODIFIERS && row->modifiers[i]; i++)
        take_modifiers(d, row->modifiers[i]);
    u->fn = row->modified && u->imm != 0 ? row->modified : row->fn;
    if (row->decode)
        row->decode(d);
    if (row->operands)
        want(d, row->operands);
}

static void destination_of_unknown(decoder *d, const sass_operand *to) {
    const bool is_uniform = to->kind == OPERAND_UNIFORM;
    const int left = (is_uniform ? ROW_SINK - ROW_UNIFORM : SASS_ZERO) - to->index;
    if (!is_register(to) || to->is_negated || to->is_inverted || to->is_absolute || left <= 0)
        return;
    d->u->d = ((is_uniform ? ROW_UNIFORM : 0) + to->index) * ROW_BYTES;
    d->u->d_rows = (uint8_t)(left < 8 ? left : 8);
}

/* True if the instruction may change memory, which poisoned registers would not show. */
static bool may_write_memory(const decoder *d) {
    EACH(const sass_operand, operand, d->words.operands, d->words.operand_count)
        if (operand->kind == OPERAND_ADDRESS ||
            (operand->kind == OPERAND_OTHER && memchr(operand->text, '[', operand->length)))
            return strncmp(d->instruction->opcode, "LD", 2) != 0;
    return strncmp(d->instruction->opcode, "SU", 2) == 0;
}

static uint32_t width_of_unknown(const sass_instruction *words) {
    for (unsigned i = 0; i < words->modifier_count; i++)
        if (words->modifiers[i] == SASS_64 || words->modifiers[i] == SASS_128)
            return words->modifiers[i] == SASS_64 ? 8 : 16;
    return 4;
}

/* A constant beyond the end of its bank, which is a mistake of the program. */
static void constant_of_unknown(decoder *d, const sass_operand *from) {
    enum { CONSTANTS = 3 };
    const uint32_t bytes = width_of_unknown(&d->words);
    if (from->kind != OPERAND_BANK || from->bank != CONSTANTS ||
        (uint32_t)from->number + bytes <= d->program->banks[CONSTANTS].size_bytes)
        return;
    d->u->target = (uint32_t)from->number;
    d->u->imm2 = bytes;
}

/* An instruction that is not emulated: its first operand may be written, as many registers as its
 * width allows. */
static void make_unknown(decoder *d) {
    uop *u = d->u;
    const uint8_t guard = u->guard;
    *u = empty(UOP_UNKNOWN);
    u->guard = guard;
    const sass_operand *operands = d->words.operands;
    uint8_t *const predicates[] = {&u->p_out, &u->q_out};
    if (d->words.operand_count > 0)
        destination_of_unknown(d, &operands[0]);
    for (unsigned i = 0; i < 2 && i < d->words.operand_count; i++)
        if (operands[i].kind == OPERAND_PREDICATE && !operands[i].is_inverted)
            *predicates[i] = operands[i].index;
    if (d->words.operand_count > 1 && u->d_rows == 0 && u->p_out != PREDICATE_TRUE)
        destination_of_unknown(d, &operands[1]);
    u->imm = may_write_memory(d);
    for (unsigned i = 0; i < d->words.operand_count; i++)
        constant_of_unknown(d, &operands[i]);
}

/* Replaces a symbol by its value at run time. */
static void resolve(decoder *d, const smp_code_part *part, sass_operand *operand) {
    const bool is_code = operand->text[0] == '`', is_high = !is_code && operand->text[3] == 'h';
    emu_symbol symbol = {0};
    const bool is_there =
        emu_instruction_symbol(d->program, part, (uint32_t)(d->u - d->program->uops), &symbol);
    uint64_t value = symbol.address + symbol.add;
    if (is_there && is_code && symbol.is_outside) {
        d->calls_system = true;
        d->call_address = value;
        return;
    }
    const uint32_t index = is_code ? emu_code_index(d->program->function, value) : 0;
    d->is_unknown |= !is_there || symbol.address == 0 || index == UINT32_MAX;
    d->is_target = is_code;
    value = is_code ? (uint64_t)index * INSTRUCTION_BYTES : value;
    d->own_bits = (uint32_t)(is_high ? value >> 32 : value); /* "32@hi(name)" */
    operand->kind = OPERAND_NUMBER;
    operand->number = d->own_bits;
    operand->real = d->own_bits;
}

static void decode_one(decoder *d, const smp_code_part *part) {
    uop *u = d->u;
    *u = empty(UOP_UNKNOWN);
    const bool is_read = smp_sass_parse(d->instruction, &d->words) && decode_guard(d);
    for (unsigned i = 0; i < d->words.operand_count; i++)
        if (d->words.operands[i].kind == OPERAND_SYMBOL)
            resolve(d, part, &d->words.operands[i]);
    const opcode_row *row = is_read ? row_of(d) : NULL;
    d->is_uniform = d->words.is_uniform;
    if (row)
        decode_row(d, row);
    const bool is_whole = row && !d->is_unknown && !has_operand(d) &&
                          d->modifiers_taken == (1u << d->words.modifier_count) - 1;
    if (!is_whole) {
        make_unknown(d);
        return;
    }
    u->ignores_exec = d->is_uniform;
    EACH(emu_operand, one, u->sources, 3)
        settle_constant(d, one);
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
    EACH(const uop, u, program->uops, program->count) {
        const uop_memory *m = emu_memory_of(program, u);
        count_rows(program, u->d, u->d_rows);
        for (unsigned j = 0; j < 3; j++)
            count_rows(program, u->sources[j].offset, u->sources[j].rows);
        if (!m)
            continue;
        const emu_operand *parts[] = {&m->at.base, &m->at.uniform, &m->from.base, &m->from.uniform};
        for (unsigned j = 0; j < 4; j++)
            count_rows(program, parts[j]->offset, parts[j]->rows);
    }
}

/* Returns false if out of memory. */
static bool decode_part(emu_program *program, const smp_code_part *part) {
    for (uint32_t i = part->first; i < part->first + part->function->instruction_count; i++) {
        decoder d = {.program = program,
                     .instruction = &program->function->linked[i],
                     .from_bytes = 16 * part->first,
                     .code_address = EMU_CODE_WINDOW + part->function->place_bytes,
                     .u = &program->uops[i]};
        memcpy(&d.own_bits, part->function->code + 16 * (size_t)(i - part->first) + 4,
               sizeof(d.own_bits));
        decode_one(&d, part);
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
    bool is_out = !program->uops || !program->memory || emu_constant(program, zeros, ROWS_ZERO) < 0;
    for (uint32_t i = 0; i < function->part_count && !is_out; i++)
        is_out = !decode_part(program, &function->parts[i]);
    if (is_out)
        return smp_error_memory(error);
    program->uops[program->count] = empty(UOP_TRAP); /* execution past the end stops */
    count_registers(program);
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
