/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of barriers in shared memory (PTX's mbarrier), of bulk copies and reductions, of tensor
 * copies, and of stores that signal a barrier. The forms are those that ptxas makes of each PTX
 * instruction; the PTX manual says what they do.
 */
#include "decode.h"

/* ---- Barriers ---- */

static const modifier_row waits[] = {NAME(TRYWAIT), NAME(NONE)};
static const modifier_row leaving[] = {
    NAME(RED), {SASS_OPTOUT, 1, .to = IN_MEMORY(leaves)}, NAME(NONE)};

/* A1T0: one arrival; A0T1: one more transaction; R: counts in the register; none: one arrival and
 * R. */
#define COUNTS(arrive, transact) \
    COUNT_##arrive, COUNT_##transact, .to = IN_MEMORY(arrivals), .to2 = IN_MEMORY(transactions)
static const modifier_row counts[] = {
    {SASS_A1T0, COUNTS(ONE, NONE)},     {SASS_A0T1, COUNTS(NONE, ONE)},
    {SASS_ART0, COUNTS(OPERAND, NONE)}, {SASS_A0TR, COUNTS(NONE, OPERAND)},
    {SASS_A0TX, COUNTS(NONE, MINUS)},   {SASS_A1TR, COUNTS(ONE, OPERAND)},
    {SASS_NONE, COUNTS(ONE, OPERAND)}};
/* Earlier cp.async copies have already completed. */
static const modifier_row copied[] = {
    NAME(ARVCNT), {SASS_TRANSCNT, COUNTS(NONE, MINUS_ONE)}, NAME(NONE)};

/* ---- Many bytes ---- */

/* Addresses made of uniform registers only. */
static void want_uniform(decoder *d, memory_address *out, unsigned rows) {
    want_address(d, out);
    d->is_unknown |= out->base.rows != 0 || out->uniform.rows == 0 || out->offset_bytes != 0;
    out->uniform.rows = (uint8_t)rows;
}

/* Floating-point sums round to nearest; halves also have minimum and maximum. */
static void take_reduction(decoder *d, const uop_memory *m) {
    take_modifiers(d, atomics);
    take_modifiers(d, atomic_types);
    const bool is_float = m->type >= TYPE_F32, is_half = m->type >= TYPE_F16X2;
    d->is_unknown |= is_float != take(d, SASS_RN);
    d->is_unknown |= is_float && m->act != ATOMIC_ADD && !(is_half && m->act <= ATOMIC_MAX);
}

/* "UBLKCP.S.G [UR4], [UR6], UR8": to UR4, with its barrier at UR5, from UR6; UR8: size in units of
 * 16 bytes, with the blocks of a multicast above. "UBLKRED.G.S.ADD.S32 [UR4], [UR6], UR8"
 * reduces. */
static void decode_bulk(decoder *d) {
    static const uint16_t spaces[] = {SASS_S, SASS_G, SASS_NONE};
    const uint16_t *modifiers = d->words.modifiers;
    const bool to_shared = modifiers[0] == SASS_S, from_shared = modifiers[1] == SASS_S;
    uop_memory *m = memory_of(d);
    take_one(d, spaces, 0);
    take_one(d, spaces, 0);
    m->bulk = (uint8_t)(!to_shared    ? BULK_FROM_SHARED
                        : from_shared ? BULK_BETWEEN_BLOCKS
                                      : BULK_TO_SHARED);
    if (m->reduces)
        take_reduction(d, m);
    else
        m->is_multicast = take(d, SASS_MULTICAST);
    m->width_bytes = 16;
    want_uniform(d, &m->at, 2);
    want_uniform(d, &m->from, 2);
    want(d, "b");
    d->is_unknown |= !from_shared && (m->reduces || !to_shared);
}

#define RANK(axes) axes, .to = IN_MEMORY(depth)
static const modifier_row ranks[] = {{SASS_1D, RANK(1)}, {SASS_2D, RANK(2)},
                                     {SASS_3D, RANK(3)}, {SASS_4D, RANK(4)},
                                     {SASS_5D, RANK(5)}, {SASS_NONE, .is_needed = true}};
static const modifier_row multicasts[] = {{SASS_MULTICAST, 1, .to = IN_MEMORY(is_multicast)},
                                          NAME(NONE)};

/* "UTMALDG.2D.MULTICAST [UR8], [UR16], UR4, desc[UR6]": the box at UR8, its barrier at UR9,
 * coordinates from UR10 (from UR9 without a barrier); the tensor map at UR16; blocks in UR4; a
 * cache hint. */
static void decode_tensor(decoder *d) {
    uop_memory *m = memory_of(d);
    want_uniform(d, &m->at, m->depth + (m->bulk == BULK_TO_SHARED ? 2u : 1u));
    want_uniform(d, &m->from, 2);
    want(d, m->is_multicast ? "b" : "");
    if (next_is(d, OPERAND_DESCRIPTOR))
        next_operand(d);
}

/* "STAS.128 [R4.64], R8": to R4, in the memory of a block of the cluster; R5: the barrier there.
 * REDAS reduces. */
static void decode_async_store(decoder *d) {
    const uop_memory *m = memory_of(d);
    if (m->reduces) {
        take_reduction(d, m);
        d->is_unknown |= m->type > TYPE_S64;
    }
    want(d, "@S");
    d->is_unknown |= !m->at.is_wide || m->at.base.rows != 2 || m->at.uniform.rows != 0 ||
                     m->at.offset_bytes != 0;
}

#define SYNC(...) .memory = MEMORY(SYNC, SHARED, .width_bytes = 8, .act = SYNC_##__VA_ARGS__)
#define TENSOR(...)                              \
    .is_uniform = true, .decode = decode_tensor, \
    .memory = MEMORY(TENSOR_COPY, SHARED, .width_bytes = 16, .bulk = BULK_##__VA_ARGS__)

const opcode_row opcodes_async[] = {
    {SASS_SYNCS, SASS_CCTL, .kind = UOP_NOP, .operands = "*"}, /* invalidates the barrier */
    {SASS_SYNCS, SASS_EXCH, SYNC(EXCHANGE), .needs = {SASS_64}, .operands = "D@B"},
    {SASS_SYNCS, SASS_PHASECHK, SYNC(TEST), .needs = {SASS_TRANS64}, .modifiers = {waits},
     .operands = "o@b"},
    {SASS_SYNCS, SASS_ARRIVE, SYNC(ARRIVE), .needs = {SASS_TRANS64}, .modifiers = {leaving, counts},
     .operands = "D@b"},
    {SASS_ARRIVES, SASS_LDGSTSBAR, SYNC(COPIED, .arrivals = COUNT_ONE), .needs = {SASS_64},
     .modifiers = {copied}, .operands = "@"},
    /* for compute capability 8.x */
    {SASS_ATOMS, SASS_ARRIVE, SYNC(ARRIVE, .arrivals = COUNT_ONE), .needs = {SASS_64},
     .operands = "D@"},
    {SASS_UBLKCP, .is_uniform = true, .memory = MEMORY(BULK_COPY, SHARED), .decode = decode_bulk},
    {SASS_UBLKRED, .is_uniform = true, .memory = MEMORY(BULK_COPY, SHARED, .reduces = true),
     .decode = decode_bulk},
    {SASS_UTMALDG, TENSOR(TO_SHARED), .modifiers = {ranks, multicasts}},
    {SASS_UTMASTG, TENSOR(FROM_SHARED), .modifiers = {ranks}},
    {SASS_UTMAREDG, TENSOR(FROM_SHARED, .reduces = true), .modifiers = {ranks, atomics}},
    {SASS_STAS, .memory = MEMORY(ASYNC_STORE, SHARED), .modifiers = {copied_widths},
     .decode = decode_async_store},
    {SASS_REDAS, .memory = MEMORY(ASYNC_STORE, SHARED, .reduces = true),
     .decode = decode_async_store},
    {.opcode = SASS_NONE},
};
