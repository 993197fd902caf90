/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of control flow, of barriers, and those that change nothing here.
 */
#include "decode.h"

enum { INSTRUCTION_BYTES = 16 };

/* imm2 of a branch. */
enum { BRANCH_ALWAYS, BRANCH_DIVIDED, BRANCH_CONVERGED, BRANCH_ANY };

static void want_target(decoder *d) {
    uint32_t offset = want_number(d) + (d->is_target ? 0 : d->from_bytes);
    d->is_unknown |=
        offset % INSTRUCTION_BYTES != 0 || offset / INSTRUCTION_BYTES >= d->program->count;
    d->u->target = offset / INSTRUCTION_BYTES;
}

static void want_all_lanes(decoder *d) {
    static const uint32_t all = SMP_ALL_LANES;
    d->u->a = constant_operand(d, &all, 1);
}

/* A pair that is the address. */
static void want_address_of(decoder *d, uint64_t address) {
    const uint32_t values[2] = {(uint32_t)address, (uint32_t)(address >> 32)};
    d->u->a = constant_operand(d, values, 2);
}

static void decode_bra(decoder *d) {
    static const uint16_t hints[] = {SASS_U, SASS_UNI, SASS_INC, SASS_DEC, SASS_NONE};
    d->u->kind = UOP_BRANCH;
    while (take_one(d, hints, 4) < 4)
        continue;
    const bool is_divided = take(d, SASS_DIV), is_converged = take(d, SASS_CONV);
    d->u->imm2 = is_divided ? BRANCH_DIVIDED : is_converged ? BRANCH_CONVERGED : BRANCH_ALWAYS;
    if (take(d, SASS_ANY))
        d->u->imm2 = BRANCH_ANY;
    if ((is_divided || is_converged) && d->words.operand_count == 1)
        want_all_lanes(d); /* 7.5 names none */
    else if (is_divided || is_converged)
        want(d, "i");
    else if (next_is(d, OPERAND_PREDICATE))
        want(d, "p");
    want_target(d);
}

/* "R4 -0x4c0", or "R4": a register and how far it is from there. */
static uint32_t want_place(decoder *d, unsigned rows) {
    const sass_operand *from = next_operand(d);
    const bool is_uniform = from->kind == OPERAND_UNIFORM || from->at.uniform >= 0;
    const int index = is_register(from)    ? from->index
                      : from->at.base >= 0 ? from->at.base
                                           : from->at.uniform;
    d->is_unknown |= !is_register(from) && from->kind != OPERAND_PLACE;
    d->u->a = register_operand(d, is_uniform ? OPERAND_UNIFORM : OPERAND_REGISTER, index, rows);
    return (uint32_t)from->number;
}

/* "BRX R4 -0x4c0": to R4 - 0x4c0 from the next instruction. */
static void decode_brx(decoder *d) {
    d->u->kind = UOP_BRANCH_INDEXED;
    d->u->imm = want_place(d, 1) + d->instruction->offset_bytes + INSTRUCTION_BYTES;
}

/* "RET.REL.NODEC R4 0x0": to R4 from there; "RET.ABS.NODEC R4 0x0": to the address in R4. */
static void decode_ret(decoder *d) {
    const bool is_absolute = take(d, SASS_ABS);
    const uint32_t distance = want_place(d, is_absolute ? 2 : 1);
    d->u->kind = is_absolute ? UOP_RETURN_ADDRESS : UOP_RETURN;
    d->u->imm = is_absolute ? 0 : distance + d->from_bytes;
    d->is_unknown |= is_absolute ? distance != 0 : !take(d, SASS_REL);
    need(d, SASS_NODEC);
}

/* "CALL.REL.NOINC 0x80"; "CALL.REL.NOINC R6 0x0": to R6 from there; "CALL.ABS.NOINC `(name)" and
 * "CALL.ABS.NOINC R2": to a function of its own, or of the driver's. */
static void decode_call(decoder *d) {
    const bool is_relative = take(d, SASS_REL), is_absolute = take(d, SASS_ABS);
    const sass_operand *to = peek_operand(d);
    d->is_unknown |= is_relative == is_absolute;
    need(d, SASS_NOINC);
    if (d->calls_system) {
        d->u->kind = UOP_CALL_ADDRESS;
        next_operand(d);
        want_address_of(d, d->call_address);
    } else if (is_absolute && !d->is_target) {
        d->u->kind = UOP_CALL_ADDRESS;
        want(d, "B");
    } else if (to->kind == OPERAND_REGISTER || to->at.base >= 0) {
        d->u->kind = UOP_BRANCH_INDEXED;
        d->u->imm = want_place(d, 1) + d->from_bytes;
    } else {
        d->u->kind = UOP_CALL;
        want_target(d);
    }
}

/* "LEPC R20, 0xae0": the address of a place in the function, in a pair. */
static void decode_lepc(decoder *d) {
    want(d, "D");
    want_address_of(d, d->code_address + want_number(d));
}

static uint32_t want_barrier_register(decoder *d) {
    const sass_operand *from = next_operand(d);
    d->is_unknown |= from->kind != OPERAND_BARRIER || from->index >= BARRIER_REGISTERS;
    return from->index % BARRIER_REGISTERS;
}

static void decode_exit(decoder *d) {
    d->u->kind = UOP_EXIT;
    want(d, next_is(d, OPERAND_PREDICATE) ? "p" : "");
}

static void decode_bssy(decoder *d) {
    d->u->kind = UOP_BSSY;
    d->u->imm = want_barrier_register(d);
    want_target(d);
}

static void decode_bsync(decoder *d) {
    d->u->kind = UOP_BSYNC;
    d->u->imm = want_barrier_register(d);
}

static void decode_break(decoder *d) {
    d->u->kind = UOP_BREAK;
    want(d, next_is(d, OPERAND_PREDICATE) ? "p" : "");
    d->u->imm = want_barrier_register(d);
}

static void decode_bmov(decoder *d) {
    need(d, SASS_32);
    d->u->imm2 = take(d, SASS_CLEAR);
    take(d, SASS_PQUAD);
    if (!next_is(d, OPERAND_BARRIER)) {
        d->u->kind = UOP_BMOV_TO_REGISTER;
        want(d, "d");
        d->u->imm = want_barrier_register(d);
        return;
    }
    d->u->kind = UOP_BMOV_TO_BARRIER;
    d->u->imm = want_barrier_register(d);
    if (next_is(d, OPERAND_BARRIER)) { /* from another one, as code of 8.7 begins */
        d->u->kind = UOP_BMOV_BETWEEN;
        d->u->target = want_barrier_register(d);
    } else {
        want(d, "b");
    }
}

/* "WARPSYNC R0", "WARPSYNC.ALL", "WARPSYNC.COLLECTIVE R0, `(.L_x_1)" (collective.c). */
static void decode_warpsync(decoder *d) {
    d->u->kind = UOP_WARPSYNC;
    const bool is_collective = take(d, SASS_COLLECTIVE);
    d->u->imm = is_collective             ? WARPSYNC_COLLECTIVE
                : take(d, SASS_EXCLUSIVE) ? WARPSYNC_EXCLUSIVE
                                          : WARPSYNC_PLAIN;
    if (take(d, SASS_ALL))
        want_all_lanes(d);
    else
        want(d, "b");
    if (is_collective)
        want_target(d);
}

/* BAR.SYNC id[, threads]; imm2 bit 0: waits, bit 1: counts a predicate, bit 2: two registers, which
 * are one with id in its low half and threads in its high half; bits 8 and up: which result. */
static void decode_bar(decoder *d) {
    static const uint16_t results[] = {SASS_POPC, SASS_AND, SASS_OR, SASS_NONE};
    d->u->kind = UOP_BARRIER;
    const bool arrives_only = take(d, SASS_ARV), has_votes = take(d, SASS_RED);
    d->is_unknown |= !arrives_only && !has_votes && !take(d, SASS_SYNC);
    take(d, SASS_DEFER_BLOCKING);
    d->u->imm2 = (arrives_only ? 0 : 1u) | (has_votes ? 2u : 0);
    if (has_votes)
        d->u->imm2 |= take_one(d, results, 3) << 8;
    want(d, "n");
    want(d, has_operand(d) && !next_is(d, OPERAND_PREDICATE) ? "n" : "z");
    d->u->imm2 |= ((d->u->a.offset | d->u->b.offset) & 1) == 0 ? 4u : 0;
    if (has_votes)
        want(d, "p");
}

static void decode_b2r(decoder *d) {
    d->u->kind = UOP_BARRIER_RESULT;
    need(d, SASS_RESULT);
    want(d, d->words.operand_count > 1 ? "do" : "d");
}

void decode_nothing(decoder *d) {
    static const struct {
        uint16_t opcode;
        uint8_t kind;
    } others[] = {{SASS_YIELD, UOP_YIELD},
                  {SASS_NANOSLEEP, UOP_YIELD},
                  {SASS_BPT, UOP_TRAP},
                  {SASS_UCGABAR_ARV, UOP_CLUSTER_ARRIVE},
                  {SASS_UCGABAR_WAIT, UOP_CLUSTER_WAIT},
                  {SASS_ENDCOLLECTIVE, UOP_COLLECTIVE_END}};
    d->u->kind = UOP_NOP;
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (d->words.opcode == others[i].opcode)
            d->u->kind = others[i].kind;
    d->modifiers_taken = (1u << d->words.modifier_count) - 1;
    d->operand_next = d->words.operand_count;
}

/* "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0x28": there are always enough. */
static void decode_registers(decoder *d) {
    take(d, SASS_CTAPOOL);
    if (take(d, SASS_DEALLOC)) {
        decode_nothing(d);
        return;
    }
    need(d, SASS_TRY_ALLOC);
    decode_as_lanes(d, smp_lanes_plop3);
    d->u->imm = 0xff;
    d->is_uniform = true;
    want(d, "o");
    want_number(d);
}

static const modifier_row reconvergences[] = {
    {.name = SASS_RECONVERGENT}, {.name = SASS_RELIABLE}, {.name = SASS_NONE}};

const opcode_row opcodes_control[] = {
    {SASS_BRA, .decode = decode_bra},
    {SASS_BRX, .decode = decode_brx},
    {SASS_CALL, .decode = decode_call},
    {SASS_RET, .decode = decode_ret},
    {SASS_LEPC, .fn = smp_lanes_mov2, .decode = decode_lepc},
    {SASS_EXIT, .decode = decode_exit},
    {SASS_BSSY, .decode = decode_bssy, .modifiers = {reconvergences}},
    {SASS_BSYNC, .decode = decode_bsync, .modifiers = {reconvergences}},
    {SASS_BREAK, .decode = decode_break, .modifiers = {reconvergences}},
    {SASS_BMOV, .decode = decode_bmov},
    {SASS_WARPSYNC, .decode = decode_warpsync},
    {SASS_BAR, .decode = decode_bar},
    {SASS_B2R, .decode = decode_b2r},
    {SASS_USETMAXREG, .decode = decode_registers},
    /* Orders, caches, hints and waits for what has happened here already; the first six do one
     * thing, whatever their modifiers and operands. */
    {SASS_YIELD, .decode = decode_nothing},
    {SASS_NANOSLEEP, .decode = decode_nothing},
    {SASS_BPT, .decode = decode_nothing},
    {SASS_UCGABAR_ARV, .decode = decode_nothing},
    {SASS_UCGABAR_WAIT, .decode = decode_nothing},
    {SASS_ENDCOLLECTIVE, .decode = decode_nothing},
    {SASS_NOP, .decode = decode_nothing},
    {SASS_MEMBAR, .decode = decode_nothing},
    {SASS_ERRBAR, .decode = decode_nothing},
    {SASS_CGAERRBAR, .decode = decode_nothing},
    {SASS_CCTL, .decode = decode_nothing},
    {SASS_FENCE, .decode = decode_nothing},
    {SASS_DEPBAR, .decode = decode_nothing},
    {SASS_LDGDEPBAR, .decode = decode_nothing},
    {SASS_CCTLL, .decode = decode_nothing},
    {SASS_UBLKPF, .decode = decode_nothing},
    {SASS_UTMACMDFLUSH, .decode = decode_nothing},
    {SASS_WARPGROUP, .decode = decode_nothing},
    {SASS_PREEXIT, .decode = decode_nothing},
    {SASS_ACQBULK, .decode = decode_nothing},
    {SASS_UTMAPF, .decode = decode_nothing},
    {SASS_UTMACCTL, .decode = decode_nothing},
    {.opcode = SASS_NONE},
};
