/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of memory.
 */
#include "decode.h"

/* Cache hints, scopes and orders: blocks see each other's writes at once here. */
static void take_hints(decoder *d, uop_memory *m) {
    static const uint16_t names[] = {
        SASS_E,       SASS_STRONG,  SASS_WEAK,    SASS_CONSTANT, SASS_GPU, SASS_SYS,  SASS_CTA,
        SASS_SM,      SASS_EF,      SASS_EL,      SASS_LU,       SASS_NA,  SASS_EU,   SASS_LTC64B,
        SASS_LTC128B, SASS_LTC256B, SASS_BYPASS,  SASS_ACCESS,   SASS_VC,  SASS_MMIO, SASS_PRIVATE,
        SASS_RELAXED, SASS_ACQUIRE, SASS_RELEASE, SASS_ACQ_REL,  SASS_NONE};
    m->is_strong = has_modifier(d, SASS_STRONG);
    for (unsigned i = 0; names[i] != SASS_NONE; i++)
        take(d, names[i]);
}

static void take_width(decoder *d, uop_memory *m) {
    static const struct {
        uint16_t name;
        uint8_t bytes, extend;
    } widths[] = {{SASS_U8, 1, 0}, {SASS_S8, 1, 1}, {SASS_U16, 2, 0}, {SASS_S16, 2, 1},
                  {SASS_32, 4, 0}, {SASS_64, 8, 0}, {SASS_128, 16, 0}};
    take(d, SASS_U);
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

/* By the letter behind LD, ST, RED and ATOM. */
static memory_space space_of(sass_name opcode) {
    switch (opcode) {
    case SASS_LDS:
    case SASS_STS:
    case SASS_ATOMS:
        return SPACE_SHARED;
    case SASS_LDL:
    case SASS_STL:
        return SPACE_LOCAL;
    case SASS_LD:
    case SASS_ST:
    case SASS_ATOM:
        return SPACE_GENERIC;
    default:
        return SPACE_GLOBAL;
    }
}

static void decode_access(decoder *d, memory_kind kind) {
    uop_memory *m = begin_memory(d, kind, space_of(d->words.opcode), 4);
    const bool is_extended = has_modifier(d, SASS_E);
    take_hints(d, m);
    take_width(d, m);
    if (kind == MEMORY_LOAD)
        want_destination(d, rows_of(m->width_bytes));
    want_global_address(d, &m->at, is_extended);
    if (kind == MEMORY_STORE)
        want_bits(d, &d->u->a, rows_of(m->width_bytes));
}

static void decode_load(decoder *d) {
    decode_access(d, MEMORY_LOAD);
}

static void decode_store(decoder *d) {
    decode_access(d, MEMORY_STORE);
}

/* "LDSM.16.MT88.4", and STSM. */
static void decode_matrix(decoder *d) {
    static const uint16_t counts[] = {SASS_1, SASS_2, SASS_4, SASS_NONE};
    const bool is_load = d->words.opcode == SASS_LDSM;
    uop_memory *m =
        begin_memory(d, is_load ? MEMORY_MATRIX_LOAD : MEMORY_MATRIX_STORE, SPACE_SHARED, 16);
    m->is_transposed = take(d, SASS_MT88);
    d->is_unknown |= !m->is_transposed && !take(d, SASS_M88);
    m->matrices = (uint8_t)(1u << take_one(d, counts, 0));
    if (is_load)
        want_destination(d, m->matrices);
    want(d, "@");
    if (!is_load)
        want_bits(d, &d->u->a, m->matrices);
}

static void decode_ldgsts(decoder *d) {
    uop_memory *m = begin_memory(d, MEMORY_COPY, SPACE_SHARED, 4);
    take_hints(d, m);
    take_width(d, m);
    d->is_unknown |= m->width_bytes < 4;
    m->fills_zeros = take(d, SASS_ZFILL);
    want(d, "@AP"); /* where it does not hold, zeros are written and nothing is read */
}

/* ---- Atomics ---- */

static void take_atomic_type(decoder *d, uop_memory *m) {
    static const struct {
        uint16_t name;
        uint8_t type, bytes;
    } types[] = {
        {SASS_F32x4, TYPE_F32, 16},     {SASS_F32x2, TYPE_F32, 8},   {SASS_F32, TYPE_F32, 4},
        {SASS_F64, TYPE_F64, 8},        {SASS_F16x2, TYPE_F16X2, 4}, {SASS_BF16x2, TYPE_BF16X2, 4},
        {SASS_BF16_V2, TYPE_BF16X2, 4}, {SASS_S32, TYPE_S32, 4},     {SASS_64, TYPE_U64, 8},
        {SASS_U64, TYPE_U64, 8},        {SASS_S64, TYPE_S64, 8},     {SASS_128, TYPE_U32, 16}};
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (take(d, types[i].name)) {
            m->type = types[i].type;
            m->width_bytes = types[i].bytes;
            break;
        }
    if (m->type >= TYPE_F32) {
        take(d, SASS_RN);
        take(d, SASS_FTZ);
    }
    d->is_unknown |= m->type >= TYPE_F32 && m->atomic != ATOMIC_ADD;
    d->is_unknown |= m->type == TYPE_U32 && m->width_bytes == 16 && m->atomic != ATOMIC_CAS &&
                     m->atomic != ATOMIC_EXCHANGE;
}

static void take_atomic(decoder *d, uop_memory *m) {
    static const uint16_t names[] = {SASS_ADD, SASS_MIN, SASS_MAX,  SASS_INC, SASS_DEC, SASS_AND,
                                     SASS_OR,  SASS_XOR, SASS_EXCH, SASS_CAS, SASS_NONE};
    m->type = TYPE_U32;
    if (take(d, SASS_POPC)) {
        m->atomic = ATOMIC_POPC_INC;
        need(d, SASS_INC);
        need(d, SASS_32);
    } else if (take(d, SASS_CAST)) {
        m->atomic = ATOMIC_CAST_SPIN;
        take(d, SASS_SPIN);
        if (take(d, SASS_64)) {
            m->type = TYPE_U64;
            m->width_bytes = 8;
        }
    } else {
        m->atomic = (uint8_t)need_one(d, names);
        take_atomic_type(d, m);
    }
}

/* The result and its predicate come first, but for reductions. */
static void decode_atomic(decoder *d) {
    const sass_name opcode = d->words.opcode;
    uop_memory *m = begin_memory(d, MEMORY_ATOMIC, space_of(opcode), 4);
    const bool is_extended = has_modifier(d, SASS_E);
    take_hints(d, m);
    take_atomic(d, m);
    const unsigned rows = rows_of(m->width_bytes);
    if (opcode != SASS_RED && opcode != SASS_REDG) {
        want(d, "O");
        m->returns = !next_is(d, OPERAND_REGISTER) || peek_operand(d)->index != SASS_ZERO;
        /* from 10.0 on the predicate is all that a CAST returns */
        if (m->atomic != ATOMIC_CAST_SPIN || next_is(d, OPERAND_REGISTER))
            want_destination(d, rows);
    }
    want_global_address(d, &m->at, is_extended);
    if (m->atomic == ATOMIC_POPC_INC)
        return;
    want_bits(d, &d->u->a, rows);
    if (m->atomic == ATOMIC_CAS || m->atomic == ATOMIC_CAST_SPIN)
        want_bits(d, &d->u->b, rows);
}

static void decode_qspc(decoder *d) {
    static const uint16_t spaces[] = {SASS_S, SASS_L, SASS_G, SASS_NONE};
    uop_memory *m = begin_memory(d, MEMORY_QUERY, SPACE_GENERIC, 4);
    take(d, SASS_E);
    m->query = (uint8_t) "SLG?"[need_one(d, spaces)];
    want(d, "od@");
    d->is_unknown |= d->u->d != ROW_SINK * ROW_BYTES;
    m->at.is_wide = true;
    if (m->at.base.rows == 1)
        m->at.base.rows = 2;
}

/* ---- Constants ---- */

/* LDC, and from 10.0 on LDCU into uniform registers. */
static void decode_ldc(decoder *d) {
    const sass_operand *from = &d->words.operands[1];
    const unsigned modifiers = d->words.modifier_count;
    d->is_uniform |= d->words.opcode == SASS_LDCU;
    if (d->words.operand_count == 2 && from->kind == OPERAND_BANK && from->bank < EMU_BANKS &&
        (modifiers == 0 || (modifiers == 1 && has_modifier(d, SASS_64)))) {
        decode_as_lanes(d, take(d, SASS_64) ? smp_lanes_mov2 : smp_lanes_mov);
        want(d, modifiers == 1 ? "DB" : "db");
        return;
    }
    uop_memory *m = begin_memory(d, MEMORY_CONSTANT, SPACE_GLOBAL, 4);
    take_width(d, m);
    want_destination(d, rows_of(m->width_bytes));
    from = next_operand(d);
    d->is_unknown |= (from->kind != OPERAND_BANK && from->kind != OPERAND_BANK_ADDRESS) ||
                     from->bank >= EMU_BANKS || from->suffix_count != 0;
    m->bank = from->bank & (EMU_BANKS - 1);
    read_address(d, from, &m->at);
}

const opcode_row opcodes_memory[] = {
    {SASS_LDG, .decode = decode_load},
    {SASS_LD, .decode = decode_load},
    {SASS_LDS, .decode = decode_load},
    {SASS_LDL, .decode = decode_load},
    {SASS_STG, .decode = decode_store},
    {SASS_ST, .decode = decode_store},
    {SASS_STS, .decode = decode_store},
    {SASS_STL, .decode = decode_store},
    {SASS_LDSM, SASS_16, .decode = decode_matrix},
    {SASS_STSM, SASS_16, .decode = decode_matrix},
    {SASS_ATOMS, .decode = decode_atomic},
    {SASS_ATOMG, .decode = decode_atomic},
    {SASS_ATOM, .decode = decode_atomic},
    {SASS_RED, .decode = decode_atomic},
    {SASS_REDG, .decode = decode_atomic},
    {SASS_LDGSTS, .decode = decode_ldgsts},
    {SASS_QSPC, .decode = decode_qspc},
    {SASS_LDC, .decode = decode_ldc},
    {SASS_LDCU, .decode = decode_ldc},
    {.opcode = SASS_NONE},
};
