/* SPDX-License-Identifier: MIT */
/* Opcodes of memory accesses. */
#include "decode.h"

/* Cache hints, scopes and orders: here blocks see each other's writes immediately. */
const modifier_row memory_hints[] = {
    NAME(STRONG),  NAME(U),       NAME(E),      NAME(WEAK),    NAME(CONSTANT), NAME(GPU),
    NAME(SYS),     NAME(CTA),     NAME(SM),     NAME(EF),      NAME(EL),       NAME(LU),
    NAME(NA),      NAME(EU),      NAME(LTC64B), NAME(LTC128B), NAME(LTC256B),  NAME(BYPASS),
    NAME(ACCESS),  NAME(VC),      NAME(MMIO),   NAME(PRIVATE), NAME(RELAXED),  NAME(ACQUIRE),
    NAME(RELEASE), NAME(ACQ_REL), NAME(NONE)};

#define WIDTH(bytes, sign) bytes, sign, .to = IN_MEMORY(width_bytes), .to2 = IN_MEMORY(extend)
static const modifier_row memory_widths[] = {{SASS_U8, WIDTH(1, 0)},   {SASS_S8, WIDTH(1, 1)},
                                             {SASS_U16, WIDTH(2, 0)},  {SASS_S16, WIDTH(2, 1)},
                                             {SASS_32, WIDTH(4, 0)},   {SASS_64, WIDTH(8, 0)},
                                             {SASS_128, WIDTH(16, 0)}, {SASS_NONE, WIDTH(4, 0)}};
const modifier_row copied_widths[] = {
    {SASS_64, WIDTH(8, 0)}, {SASS_128, WIDTH(16, 0)}, {SASS_NONE, WIDTH(4, 0)}};
static const modifier_row fills[] = {{SASS_ZFILL, 1, .to = IN_MEMORY(fills_zeros)}, NAME(NONE)};

/* ---- Matrices: "LDSM.16.MT88.4" ---- */

static const modifier_row transposes[] = {
    {SASS_MT88, 1, .to = IN_MEMORY(is_transposed)}, NAME(M88), {SASS_NONE, .is_needed = true}};

#define MATRICES .to = IN_MEMORY(matrices)
static const modifier_row matrix_counts[] = {
    {SASS_1, 1, MATRICES}, {SASS_2, 2, MATRICES}, {SASS_4, 4, MATRICES}, {SASS_NONE, 1, MATRICES}};

/* ---- Atomics ---- */

#define ATOMIC(name) ATOMIC_##name, .to = IN_MEMORY(act)
const modifier_row atomics[] = {
    {SASS_ADD, ATOMIC(ADD)}, {SASS_MIN, ATOMIC(MIN)},       {SASS_MAX, ATOMIC(MAX)},
    {SASS_INC, ATOMIC(INC)}, {SASS_DEC, ATOMIC(DEC)},       {SASS_AND, ATOMIC(AND)},
    {SASS_OR, ATOMIC(OR)},   {SASS_XOR, ATOMIC(XOR)},       {SASS_EXCH, ATOMIC(EXCHANGE)},
    {SASS_CAS, ATOMIC(CAS)}, {SASS_NONE, .is_needed = true}};

#define TYPE(name, bytes) TYPE_##name, bytes, .to = IN_MEMORY(type), .to2 = IN_MEMORY(width_bytes)
const modifier_row atomic_types[] = {
    {SASS_F32x4, TYPE(F32, 16)},  {SASS_F32x2, TYPE(F32, 8)},     {SASS_F32, TYPE(F32, 4)},
    {SASS_F64, TYPE(F64, 8)},     {SASS_F16, TYPE(F16X2, 4)},     {SASS_F16x2, TYPE(F16X2, 4)},
    {SASS_BF16, TYPE(BF16X2, 4)}, {SASS_BF16x2, TYPE(BF16X2, 4)}, {SASS_BF16_V2, TYPE(BF16X2, 4)},
    {SASS_U32, TYPE(U32, 4)},     {SASS_S32, TYPE(S32, 4)},       {SASS_64, TYPE(U64, 8)},
    {SASS_U64, TYPE(U64, 8)},     {SASS_S64, TYPE(S64, 8)},       {SASS_128, TYPE(U32, 16)},
    {SASS_NONE, TYPE(U32, 4)}};

static const modifier_row spins[] = {NAME(SPIN), NAME(NONE)};
static const modifier_row spin_types[] = {{SASS_64, TYPE(U64, 8)}, {SASS_NONE, TYPE(U32, 4)}};

/* The result and its predicate come first, except for reductions. */
static void decode_atomic(decoder *d) {
    const sass_name opcode = d->words.opcode;
    uop_memory *m = memory_of(d);
    const bool is_float = m->type >= TYPE_F32, is_spin = m->act == ATOMIC_CAST_SPIN;
    const bool compares = m->act == ATOMIC_CAS || is_spin;
    if (is_float) {
        take(d, SASS_RN);
        take(d, SASS_FTZ);
        d->is_unknown |= m->act != ATOMIC_ADD;
    } else if (m->width_bytes == 16) {
        d->is_unknown |= !compares && m->act != ATOMIC_EXCHANGE;
    }
    if (opcode != SASS_RED && opcode != SASS_REDG) {
        want(d, "O");
        m->returns = !next_is(d, OPERAND_REGISTER) || peek_operand(d)->index != SASS_ZERO;
        /* from 10.0 a CAST returns only the predicate */
        want(d, !is_spin || next_is(d, OPERAND_REGISTER) ? "L" : "");
    }
    want(d, m->act == ATOMIC_POPC_INC ? "g" : compares ? "gSS" : "gS");
}

#define OF_SPACE .to = IN_MEMORY(query)
static const modifier_row spaces[] = {{SASS_S, 'S', OF_SPACE},
                                      {SASS_L, 'L', OF_SPACE},
                                      {SASS_G, 'G', OF_SPACE},
                                      {SASS_D, 'D', OF_SPACE},
                                      {SASS_NONE, .is_needed = true}};
static const modifier_row extended[] = {NAME(E), NAME(NONE)};

static void decode_qspc(decoder *d) {
    want(d, "od@");
    d->is_unknown |= d->u->d != ROW_SINK * ROW_BYTES;
    widen_address(d, &memory_of(d)->at);
}

/* ---- Constants ---- */

/* LDC and, from 10.0, LDCU into uniform registers. */
static void decode_ldc(decoder *d) {
    const sass_operand *from = &d->words.operands[1];
    const unsigned modifiers = d->words.modifier_count;
    if (d->words.operand_count == 2 && from->kind == OPERAND_BANK && from->bank < EMU_BANKS &&
        (modifiers == 0 || (modifiers == 1 && has_modifier(d, SASS_64)))) {
        decode_as_lanes(d, take(d, SASS_64) ? smp_lanes_mov2 : smp_lanes_mov);
        want(d, modifiers == 1 ? "DB" : "db");
        return;
    }
    uop_memory *m = begin_memory(d, MEMORY(CONSTANT, GLOBAL));
    take_modifiers(d, memory_widths);
    want(d, "L");
    from = next_operand(d);
    d->is_unknown |= (from->kind != OPERAND_BANK && from->kind != OPERAND_BANK_ADDRESS) ||
                     from->bank >= EMU_BANKS || from->suffix_count != 0;
    m->bank = from->bank & (EMU_BANKS - 1);
    read_address(d, from, &m->at);
}

#define LOAD(space) \
    .memory = MEMORY(LOAD, space), .modifiers = {memory_hints, memory_widths}, .operands = "Lg"
#define STORE(space) \
    .memory = MEMORY(STORE, space), .modifiers = {memory_hints, memory_widths}, .operands = "gS"
#define CHANGE(space)                                                                    \
    .memory = MEMORY(ATOMIC, space), .modifiers = {memory_hints, atomics, atomic_types}, \
    .decode = decode_atomic

const opcode_row opcodes_memory[] = {
    {SASS_LDG, .memory = MEMORY(LOAD, GLOBAL), .modifiers = {memory_hints, memory_widths},
     .operands = "LgP"},
    {SASS_LD, LOAD(GENERIC)},
    {SASS_LDS, LOAD(SHARED)},
    {SASS_LDL, LOAD(LOCAL)},
    {SASS_STG, STORE(GLOBAL)},
    {SASS_ST, STORE(GENERIC)},
    {SASS_STS, STORE(SHARED)},
    {SASS_STL, STORE(LOCAL)},
    {SASS_LDSM, SASS_16, .memory = MEMORY(MATRIX_LOAD, SHARED, .width_bytes = 16),
     .modifiers = {transposes, matrix_counts}, .operands = "L@"},
    {SASS_STSM, SASS_16, .memory = MEMORY(MATRIX_STORE, SHARED, .width_bytes = 16),
     .modifiers = {transposes, matrix_counts}, .operands = "@S"},
    {SASS_ATOMS, SASS_POPC,
     .memory = MEMORY(ATOMIC, SHARED, .act = ATOMIC_POPC_INC, .width_bytes = 4),
     .needs = {SASS_INC, SASS_32}, .modifiers = {memory_hints}, .decode = decode_atomic},
    {SASS_ATOMS, SASS_CAST, .memory = MEMORY(ATOMIC, SHARED, .act = ATOMIC_CAST_SPIN),
     .modifiers = {memory_hints, spins, spin_types}, .decode = decode_atomic},
    {SASS_ATOMS, CHANGE(SHARED)},
    {SASS_ATOMG, CHANGE(GLOBAL)},
    {SASS_ATOM, CHANGE(GENERIC)},
    {SASS_RED, CHANGE(GLOBAL)},
    {SASS_REDG, CHANGE(GLOBAL)},
    /* Where the predicate is false, zeros are written and nothing is read. */
    {SASS_LDGSTS, .memory = MEMORY(COPY, SHARED), .modifiers = {memory_hints, copied_widths, fills},
     .operands = "@AP"},
    {SASS_QSPC, .memory = MEMORY(QUERY, GENERIC, .width_bytes = 4), .modifiers = {extended, spaces},
     .decode = decode_qspc},
    {SASS_LDC, .decode = decode_ldc},
    {SASS_LDCU, .is_uniform = true, .decode = decode_ldc},
    {.opcode = SASS_NONE},
};
