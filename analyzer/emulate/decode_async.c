/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of barriers in shared memory (PTX's mbarrier) and of copies that arrive there. Their
 * forms are those that ptxas makes of each PTX instruction; what that does is in the PTX manual.
 */
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "decode.h"
#include "judge.h"

static uop_memory *sync(decoder *d, sync_op op) {
    d->u->kind = UOP_MEMORY;
    d->u->memory = (int32_t)d->program->memory_count++;
    uop_memory *m = &d->program->memory[d->u->memory];
    *m = (uop_memory){.kind = MEMORY_SYNC, .space = SPACE_SHARED, .width_bytes = 8};
    m->sites = (uint32_t)d->u->memory * SLOTS;
    m->atomic = (uint8_t)op;
    return m;
}

/* A1T0: one arrival; A0T1: one more transaction; R: of the register; without: one and R. */
static void take_counts(decoder *d, uop_memory *m) {
    static const struct {
        const char *name;
        uint8_t arrivals, transactions;
    } forms[] = {{"A1T0", COUNT_ONE, COUNT_NONE},     {"A0T1", COUNT_NONE, COUNT_ONE},
                 {"ART0", COUNT_OPERAND, COUNT_NONE}, {"A0TR", COUNT_NONE, COUNT_OPERAND},
                 {"A0TX", COUNT_NONE, COUNT_MINUS},   {"A1TR", COUNT_ONE, COUNT_OPERAND}};
    m->arrivals = COUNT_ONE;
    m->transactions = COUNT_OPERAND;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (take(d, forms[i].name)) {
            m->arrivals = forms[i].arrivals;
            m->transactions = forms[i].transactions;
        }
}

static void decode_syncs(decoder *d) {
    if (take(d, "CCTL")) { /* the barrier is no more */
        d->u->kind = UOP_NOP;
        d->modifiers_taken = (1u << d->modifier_count) - 1;
        d->operand_next = d->operand_count;
        return;
    }
    if (take(d, "EXCH")) {
        uop_memory *m = sync(d, SYNC_EXCHANGE);
        d->is_unknown |= !take(d, "64");
        want_destination(d, 2);
        want_address(d, &m->at);
        want_bits(d, &d->u->a, 2);
        return;
    }
    d->is_unknown |= !take(d, "TRANS64");
    if (take(d, "PHASECHK")) {
        uop_memory *m = sync(d, SYNC_TEST);
        take(d, "TRYWAIT");
        want_predicate_out(d, &d->u->p_out);
        want_address(d, &m->at);
        want_bits(d, &d->u->a, 1);
        return;
    }
    uop_memory *m = sync(d, SYNC_ARRIVE);
    d->is_unknown |= !take(d, "ARRIVE");
    take(d, "RED");
    m->leaves = take(d, "OPTOUT");
    take_counts(d, m);
    want_destination(d, 2);
    want_address(d, &m->at);
    want_bits(d, &d->u->a, 1);
}

/* What cp.async has copied until now is there already. */
static void decode_arrives(decoder *d) {
    uop_memory *m = sync(d, SYNC_COPIED);
    d->is_unknown |= !take(d, "LDGSTSBAR") || !take(d, "64");
    take(d, "ARVCNT");
    m->arrivals = COUNT_ONE;
    if (take(d, "TRANSCNT")) {
        m->arrivals = COUNT_NONE;
        m->transactions = COUNT_MINUS_ONE;
    }
    want_address(d, &m->at);
}

/* ATOMS.ARRIVE.64: the barrier of compute capability 8.x. */
void decode_atoms_arrive(decoder *d) {
    uop_memory *m = sync(d, SYNC_ARRIVE);
    d->is_unknown |= !take(d, "ARRIVE") || !take(d, "64");
    m->arrivals = COUNT_ONE;
    want_destination(d, 2);
    want_address(d, &m->at);
}

/* "UBLKCP.S.G [UR4], [UR6], UR8": to UR4, and the barrier at UR5; from UR6; UR8: 16 bytes each, the
 * blocks of a multicast above. */
static void decode_ublkcp(decoder *d) {
    static const char *const spaces[] = {"S", "G", NULL};
    d->u->kind = UOP_MEMORY;
    d->u->memory = (int32_t)d->program->memory_count++;
    uop_memory *m = &d->program->memory[d->u->memory];
    *m = (uop_memory){.kind = MEMORY_BULK_COPY, .space = SPACE_SHARED, .width_bytes = 16};
    m->sites = (uint32_t)d->u->memory * SLOTS;
    bool is_first_shared = d->modifier_count > 0 && strcmp(d->modifiers[0], "S") == 0;
    bool is_second_shared = d->modifier_count > 1 && strcmp(d->modifiers[1], "S") == 0;
    take_one(d, spaces, 0);
    take_one(d, spaces, 0);
    m->bulk = (uint8_t)(!is_first_shared   ? BULK_FROM_SHARED
                        : is_second_shared ? BULK_BETWEEN_BLOCKS
                                           : BULK_TO_SHARED);
    m->leaves = take(d, "MULTICAST");
    want_address(d, &m->at);
    want_address(d, &m->from);
    want_bits(d, &d->u->a, 1);
    d->is_unknown |= d->modifier_count < 2 || (!is_first_shared && is_second_shared == false);
    m->at.uniform.rows = m->from.uniform.rows = 2;
    d->is_unknown |= m->at.base.rows != 0 || m->from.base.rows != 0;
    d->is_uniform = true;
}

/* "64x128x16": 64 rows, columns, depth. */
static void take_shape(decoder *d, uop_memory *m) {
    for (unsigned i = 0; i < d->modifier_count; i++) {
        unsigned rows = 0, columns = 0, depth = 0;
        int end = 0;
        if (sscanf(d->modifiers[i], "%ux%ux%u%n", &rows, &columns, &depth, &end) != 3)
            continue;
        bool is_shape = rows == 64 && columns >= 8 && columns <= 256 && columns % 8 == 0 &&
                        (depth == 8 || depth == 16) && d->modifiers[i][end] == '\0';
        m->columns = (uint16_t)(is_shape ? columns : 0);
        m->depth = (uint8_t)depth;
        take(d, d->modifiers[i]);
    }
    d->is_unknown |= m->columns == 0;
}

/* "HGMMA.64x8x16.F32 R24, gdesc[UR8], R24, !UPT, gsb0": descriptors of A and B at UR8 and UR10, or
 * A in registers before them. */
static void decode_hgmma(decoder *d) {
    uop_memory *m = sync(d, SYNC_EXCHANGE);
    m->kind = MEMORY_WARPGROUP;
    take_shape(d, m);
    m->is_half = !take(d, "F32") && take(d, "F16");
    m->type = take(d, "BF16") ? CONVERT_BF16 : take(d, "TF32") ? CONVERT_F32 : CONVERT_F16;
    d->is_unknown |= m->depth != (m->type == CONVERT_F32 ? 8 : 16);
    unsigned rows = m->columns / 8u * (m->is_half ? 2 : 4);
    want_destination(d, rows);
    if (peek_operand(d)[0] == 'R')
        want_bits(d, &d->u->a, 4);
    register_file file;
    const char *text = next_operand(d), *rest = "";
    int index = strncmp(text, "gdesc[", 6) == 0 ? parse_register(text + 6, &file, &rest) : -1;
    if (index < 0 || file != FILE_UNIFORM || strcmp(rest, "]") != 0) {
        d->is_unknown = true;
        return;
    }
    m->at.uniform = register_operand(d, file, index, 4);
    d->u->p = PREDICATE_TRUE;
    if (strcmp(peek_operand(d), "RZ") == 0)
        want_zeros(d, &d->u->c, 1);
    if (strcmp(peek_operand(d), "RZ") == 0)
        next_operand(d);
    else
        want_bits(d, &d->u->c, rows);
    if (has_operand(d) && is_predicate(peek_operand(d)))
        want_predicate(d, &d->u->p);
    if (d->u->c.rows == 1) /* zeros, of which there is one row */
        d->u->p = PREDICATE_TRUE | PREDICATE_NOT;
    if (has_operand(d))
        d->is_unknown |= strncmp(next_operand(d), "gsb", 3) != 0;
}

const opcode_row opcodes_async[] = {
    {"HGMMA", decode_hgmma},
    {"SYNCS", decode_syncs},
    {"ARRIVES", decode_arrives},
    {"UBLKCP", decode_ublkcp},
    {NULL, NULL},
};
