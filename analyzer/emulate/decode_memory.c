/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of memory.
 */
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "judge.h"

static uop_memory *memory(decoder *d, memory_kind kind, memory_space space) {
    d->u->kind = UOP_MEMORY;
    d->u->memory = (int32_t)d->program->memory_count++;
    uop_memory *m = &d->program->memory[d->u->memory];
    *m = (uop_memory){.kind = kind, .space = space, .width_bytes = 4};
    m->sites = (uint32_t)d->u->memory * SLOTS;
    return m;
}

/* Cache hints, scopes and orders: blocks see each other's writes at once here. */
static void take_hints(decoder *d) {
    static const char *const names[] = {
        "E",  "STRONG", "WEAK",    "CONSTANT", "GPU",     "SYS",     "CTA",     "SM",     "EF",
        "EL", "LU",     "NA",      "EU",       "LTC64B",  "LTC128B", "LTC256B", "BYPASS", "ACCESS",
        "VC", "MMIO",   "PRIVATE", "RELAXED",  "ACQUIRE", "RELEASE", "ACQ_REL", NULL};
    d->program->memory[d->u->memory].is_strong = has_modifier(d, "STRONG");
    for (unsigned i = 0; names[i] != NULL; i++)
        take(d, names[i]);
}

static void take_width(decoder *d, uop_memory *m) {
    static const struct {
        const char *name;
        uint8_t bytes, extend;
    } widths[] = {{"U8", 1, 0}, {"S8", 1, 1}, {"U16", 2, 0}, {"S16", 2, 1},
                  {"32", 4, 0}, {"64", 8, 0}, {"128", 16, 0}};
    take(d, "U");
    for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
        if (take(d, widths[i].name)) {
            m->width_bytes = widths[i].bytes;
            m->extend = widths[i].extend;
            return;
        }
}

static unsigned rows_of(unsigned bytes) {
    return bytes <= 4 ? 1 : bytes / 4;
}

/* Before 8.0 ".E" says that the address is a pair, later its register does, but where it is alone
 * and not described: "[R6+0x18]". */
static void want_global_address(decoder *d, memory_address *at, bool is_extended) {
    want_address(d, at);
    bool is_alone = at->base.rows == 1 && at->uniform.rows == 0 && !at->is_base_unsigned;
    if (!is_extended || (d->program->cc >= 80 && !is_alone))
        return;
    d->is_unknown |= at->uniform.rows == 1 && at->base.rows == 1 && !at->is_base_unsigned;
    if (at->uniform.rows == 1) {
        at->is_uniform_wide = true;
        at->uniform.rows = 2;
    } else if (at->base.rows == 1) {
        at->is_wide = true;
        at->base.rows = 2;
    }
}

static void decode_load(decoder *d, memory_space space) {
    uop_memory *m = memory(d, MEMORY_LOAD, space);
    bool is_extended = has_modifier(d, "E");
    take_hints(d);
    take_width(d, m);
    want_destination(d, rows_of(m->width_bytes));
    want_global_address(d, &m->at, is_extended);
}

static void decode_store(decoder *d, memory_space space) {
    uop_memory *m = memory(d, MEMORY_STORE, space);
    bool is_extended = has_modifier(d, "E");
    take_hints(d);
    take_width(d, m);
    want_global_address(d, &m->at, is_extended);
    want_bits(d, &d->u->a, rows_of(m->width_bytes));
}

static void decode_ldg(decoder *d) {
    decode_load(d, SPACE_GLOBAL);
}

static void decode_ld(decoder *d) {
    decode_load(d, SPACE_GENERIC);
}

static void decode_lds(decoder *d) {
    decode_load(d, SPACE_SHARED);
}

static void decode_ldl(decoder *d) {
    decode_load(d, SPACE_LOCAL);
}

static void decode_stg(decoder *d) {
    decode_store(d, SPACE_GLOBAL);
}

static void decode_st(decoder *d) {
    decode_store(d, SPACE_GENERIC);
}

static void decode_sts(decoder *d) {
    decode_store(d, SPACE_SHARED);
}

static void decode_stl(decoder *d) {
    decode_store(d, SPACE_LOCAL);
}

/* "LDSM.16.MT88.4". */
static void decode_matrix(decoder *d, memory_kind kind) {
    static const char *const counts[] = {"", "1", "2", "", "4", NULL};
    uop_memory *m = memory(d, kind, SPACE_SHARED);
    d->is_unknown |= !take(d, "16");
    m->is_transposed = take(d, "MT88");
    d->is_unknown |= !m->is_transposed && !take(d, "M88");
    m->matrices = (uint8_t)take_one(d, counts, 1);
    m->width_bytes = 16;
    if (kind == MEMORY_MATRIX_LOAD)
        want_destination(d, m->matrices);
    want_address(d, &m->at);
    if (kind == MEMORY_MATRIX_STORE)
        want_bits(d, &d->u->a, m->matrices);
}

static void decode_ldsm(decoder *d) {
    decode_matrix(d, MEMORY_MATRIX_LOAD);
}

static void decode_stsm(decoder *d) {
    decode_matrix(d, MEMORY_MATRIX_STORE);
}

static void decode_ldgsts(decoder *d) {
    uop_memory *m = memory(d, MEMORY_COPY, SPACE_SHARED);
    take_hints(d);
    take_width(d, m);
    d->is_unknown |= m->width_bytes < 4;
    m->fills_zeros = take(d, "ZFILL");
    want_address(d, &m->at);
    want_address(d, &m->from);
    if (has_operand(d)) /* where it does not hold, zeros are written and nothing is read */
        want_predicate(d, &d->u->p);
}

static void take_atomic(decoder *d, uop_memory *m) {
    static const char *const names[] = {"ADD", "MIN", "MAX",  "INC", "DEC", "AND",
                                        "OR",  "XOR", "EXCH", "CAS", NULL};
    if (take(d, "POPC") && take(d, "INC")) {
        m->atomic = ATOMIC_POPC_INC;
        d->is_unknown |= !take(d, "32");
        return;
    }
    if (take(d, "CAST")) {
        m->atomic = ATOMIC_CAST_SPIN;
        take(d, "SPIN");
        m->type = take(d, "64") ? TYPE_U64 : TYPE_U32;
        m->width_bytes = m->type == TYPE_U64 ? 8 : 4;
        return;
    }
    m->atomic = (uint8_t)take_one(d, names, 10);
    d->is_unknown |= m->atomic == 10;
    const uint8_t floats = take(d, "F32x4") ? 4 : take(d, "F32x2") ? 2 : take(d, "F32");
    bool is_float = floats > 0, is_double = take(d, "F64");
    bool is_half = take(d, "F16x2"), is_bf16 = take(d, "BF16x2") || take(d, "BF16_V2");
    if (is_float || is_double || is_half || is_bf16) {
        take(d, "RN");
        take(d, "FTZ");
    }
    bool is_signed = take(d, "S32"), is_wide = take(d, "64") || take(d, "U64");
    bool is_signed_wide = take(d, "S64");
    m->type = is_float         ? TYPE_F32
              : is_double      ? TYPE_F64
              : is_half        ? TYPE_F16X2
              : is_bf16        ? TYPE_BF16X2
              : is_signed      ? TYPE_S32
              : is_signed_wide ? TYPE_S64
              : is_wide        ? TYPE_U64
                               : TYPE_U32;
    m->width_bytes = is_double || is_wide || is_signed_wide ? 8 : is_float ? 4 * floats : 4;
    if (m->type == TYPE_U32 && (m->atomic == ATOMIC_CAS || m->atomic == ATOMIC_EXCHANGE) &&
        take(d, "128"))
        m->width_bytes = 16;
    d->is_unknown |= m->type >= TYPE_F32 && m->atomic != ATOMIC_ADD;
}

/* The result and its predicate come first, but for reductions. */
static void decode_atomic(decoder *d, memory_space space, bool returns) {
    uop_memory *m = memory(d, MEMORY_ATOMIC, space);
    bool is_extended = has_modifier(d, "E");
    take_hints(d);
    take_atomic(d, m);
    unsigned rows = rows_of(m->width_bytes);
    if (returns) {
        if (is_predicate(peek_operand(d)))
            want_predicate_out(d, &d->u->p_out);
        m->returns = strcmp(peek_operand(d), "RZ") != 0;
        if (m->atomic != ATOMIC_CAST_SPIN ||
            peek_operand(d)[0] == 'R') /* from 10.0: the predicate */
            want_destination(d, rows);
    }
    want_global_address(d, &m->at, is_extended);
    if (m->atomic == ATOMIC_POPC_INC)
        return;
    want_bits(d, &d->u->a, rows);
    if (m->atomic == ATOMIC_CAS || m->atomic == ATOMIC_CAST_SPIN)
        want_bits(d, &d->u->b, rows);
}

static void decode_atoms(decoder *d) {
    if (d->modifier_count > 0 && strcmp(d->modifiers[0], "ARRIVE") == 0) {
        decode_atoms_arrive(d);
        return;
    }
    decode_atomic(d, SPACE_SHARED, true);
}

static void decode_atomg(decoder *d) {
    decode_atomic(d, SPACE_GLOBAL, true);
}

static void decode_atom(decoder *d) {
    decode_atomic(d, SPACE_GENERIC, true);
}

static void decode_red(decoder *d) {
    decode_atomic(d, SPACE_GLOBAL, false);
}

static void decode_qspc(decoder *d) {
    static const char *const spaces[] = {"S", "L", "G", NULL};
    uop_memory *m = memory(d, MEMORY_QUERY, SPACE_GENERIC);
    take(d, "E");
    unsigned which = take_one(d, spaces, 3);
    d->is_unknown |= which == 3;
    m->query = (uint8_t) "SLG?"[which];
    want_predicate_out(d, &d->u->p_out);
    want_destination(d, 1);
    d->is_unknown |= d->u->d != ROW_SINK * ROW_BYTES;
    want_address(d, &m->at);
    m->at.is_wide = true;
    if (m->at.base.rows == 1)
        m->at.base.rows = 2;
}

/* "c[0x3][R4+0x10]" as the bank and an address. */
static void want_bank_address(decoder *d, uop_memory *m) {
    char *text = d->operands[d->operand_next];
    char *at = has_operand(d) ? strstr(text, "][") : NULL;
    if (at == NULL || strncmp(text, "c[0x", 4) != 0) {
        d->is_unknown = true;
        return;
    }
    unsigned long bank = strtoul(text + 2, NULL, 16);
    d->is_unknown |= bank >= EMU_BANKS;
    m->bank = (uint8_t)(bank & (EMU_BANKS - 1));
    memmove(text, at + 1, strlen(at + 1) + 1);
    want_address(d, &m->at);
}

static void decode_ldc(decoder *d);

/* From 10.0: into uniform registers. */
static void decode_ldcu(decoder *d) {
    d->is_uniform = true;
    decode_ldc(d);
}

static void decode_ldc(decoder *d) {
    unsigned bank;
    uint32_t offset;
    if (d->operand_count == 2 && d->modifier_count <= 1 &&
        read_bank(d->operands[1], &bank, &offset)) {
        bool is_wide = take(d, "64");
        if (is_wide || d->modifier_count == 0) {
            d->u->kind = UOP_LANES;
            d->u->fn = is_wide ? smp_lanes_mov2 : smp_lanes_mov;
            want_destination(d, is_wide ? 2 : 1);
            want_bits(d, &d->u->a, is_wide ? 2 : 1);
            return;
        }
    }
    uop_memory *m = memory(d, MEMORY_CONSTANT, SPACE_GLOBAL);
    take_width(d, m);
    want_destination(d, rows_of(m->width_bytes));
    want_bank_address(d, m);
}

const opcode_row opcodes_memory[] = {
    {"LDG", decode_ldg},       {"LD", decode_ld},
    {"LDS", decode_lds},       {"LDL", decode_ldl},
    {"STG", decode_stg},       {"ST", decode_st},
    {"STS", decode_sts},       {"STL", decode_stl},
    {"LDSM", decode_ldsm},     {"STSM", decode_stsm},
    {"LDGSTS", decode_ldgsts}, {"ATOMS", decode_atoms},
    {"ATOMG", decode_atomg},   {"ATOM", decode_atom},
    {"RED", decode_red},       {"REDG", decode_red},
    {"QSPC", decode_qspc},     {"LDC", decode_ldc},
    {"LDCU", decode_ldcu},     {NULL, NULL},
};
