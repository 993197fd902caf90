/* SPDX-License-Identifier: MIT */
/* Opcodes of control flow and barriers, and those without an effect here. */
#include <string.h>

#include "decode.h"

static void want_all_lanes(decoder *d) {
    static const uint32_t all = SMP_ALL_LANES;
    d->u->a = constant_operand(d, &all, 1);
}

/* A pair with the address. */
static void want_address_of(decoder *d, uint64_t address) {
    const uint32_t values[2] = {(uint32_t)address, (uint32_t)(address >> 32)};
    d->u->a = constant_operand(d, values, 2);
}

static void decode_bra(decoder *d) {
    static const uint16_t hints[] = {SASS_U, SASS_UNI, SASS_INC, SASS_DEC, SASS_NONE};
    while (take_one(d, hints, 4) < 4)
        continue;
    const bool is_divided = take(d, SASS_DIV), is_converged = take(d, SASS_CONV);
    d->u->imm2 = is_divided ? BRANCH_DIVIDED : is_converged ? BRANCH_CONVERGED : BRANCH_ALWAYS;
    if (take(d, SASS_ANY))
        d->u->imm2 = BRANCH_ANY;
    if ((is_divided || is_converged) && d->words.operand_count == 1)
        want_all_lanes(d); /* 7.5 has no mask operand */
    else if (is_divided || is_converged)
        want(d, "i");
    else
        want(d, "P");
    want(d, "t");
}

/* "R4 -0x4c0" or "R4": a register and an offset. */
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

/* "BRX R4 -0x4c0": to R4 - 0x4c0 relative to the next instruction. */
static void decode_brx(decoder *d) {
    d->u->imm = want_place(d, 1) + d->instruction->offset_bytes + INSTRUCTION_BYTES;
}

/* "RET.REL.NODEC R4 0x0": to R4 relative to the function. "RET.ABS.NODEC R4 0x0": to the address in
 * R4; cuBLAS has "RET.ABS R34 0x20": 0x20 after it. */
static void decode_ret(decoder *d) {
    d->u->imm = d->u->kind == UOP_RETURN ? want_place(d, 1) + d->from_bytes : want_place(d, 2);
}

/* "CALL.REL.NOINC 0x80"; "CALL.REL.NOINC R6 0x0": to R6 relative to the function; "CALL.ABS.NOINC
 * `(name)" and "CALL.ABS.NOINC R2": to a function of the code or of the driver. */
static void decode_call(decoder *d) {
    const bool is_relative = take(d, SASS_REL), is_absolute = take(d, SASS_ABS);
    const sass_operand *to = peek_operand(d);
    d->is_unknown |= is_relative == is_absolute;
    if (d->calls_system) {
        d->u->kind = UOP_CALL_ADDRESS;
        next_operand(d);
        want_address_of(d, d->call_address);
    } else if (is_absolute && !d->is_target) {
        d->u->kind = UOP_CALL_ADDRESS;
        want(d, "B");
    } else if (to->kind == OPERAND_REGISTER || to->at.base >= 0) {
        d->u->kind = UOP_BRANCH_INDEXED;
        d->u->imm2 = INDEXED_CALL;
        d->u->imm = want_place(d, 1) + d->from_bytes;
    } else {
        d->u->kind = UOP_CALL;
        want(d, "t");
    }
}

/* "LEPC R20, 0xae0": address of a place in the function, as a pair; "LEPC R34": the address of the
 * instruction. */
static void decode_lepc(decoder *d) {
    want(d, "D");
    const uint32_t own = d->instruction->offset_bytes - d->from_bytes;
    want_address_of(d, d->code_address + (has_operand(d) ? want_number(d) : own));
}

static void decode_bmov(decoder *d) {
    d->u->imm2 = take(d, SASS_CLEAR);
    take(d, SASS_PQUAD);
    if (!next_is(d, OPERAND_BARRIER)) {
        d->u->kind = UOP_BMOV_TO_REGISTER;
        want(d, "dr");
        return;
    }
    d->u->kind = UOP_BMOV_TO_BARRIER;
    want(d, "r");
    if (next_is(d, OPERAND_BARRIER)) { /* from another barrier, as in code for 8.7 */
        d->u->kind = UOP_BMOV_BETWEEN;
        d->u->target = want_barrier_register(d);
    } else {
        want(d, "b");
    }
}

/* "WARPSYNC R0", "WARPSYNC.ALL", "WARPSYNC.COLLECTIVE R0, `(.L_x_1)" (collective.c). */
static void decode_warpsync(decoder *d) {
    const bool is_collective = take(d, SASS_COLLECTIVE);
    d->u->imm = is_collective             ? WARPSYNC_COLLECTIVE
                : take(d, SASS_EXCLUSIVE) ? WARPSYNC_EXCLUSIVE
                                          : WARPSYNC_PLAIN;
    if (take(d, SASS_ALL))
        want_all_lanes(d);
    else
        want(d, "b");
    want(d, is_collective ? "t" : "");
}

/* BAR.SYNC id[, threads]. imm2 bit 0: waits; bit 1: counts a predicate; bit 2: both operands are
 * registers, which are the same one with the id in its low half and threads in its high half; from
 * bit 8: the kind of result. */
static void decode_bar(decoder *d) {
    static const uint16_t results[] = {SASS_POPC, SASS_AND, SASS_OR, SASS_NONE};
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

/* "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0x28": always succeeds. */
static void decode_registers(decoder *d) {
    take(d, SASS_CTAPOOL);
    d->is_uniform = true;
    want(d, "o");
    want_number(d);
}

/* "DEPBAR.LE SB0, 0x1", "WARPGROUP.DEPBAR.LE gsb0, 0x1": waits until at most that many groups are
 * pending. */
static void decode_depbar(decoder *d) {
    while (has_operand(d)) {
        const sass_operand *at = next_operand(d);
        d->u->imm2 = at->kind == OPERAND_NUMBER ? (uint32_t)at->number : d->u->imm2;
    }
    want(d, "*");
}

static const modifier_row reconvergences[] = {
    {.name = SASS_RECONVERGENT}, {.name = SASS_RELIABLE}, {.name = SASS_NONE}};
static const modifier_row returns[] = {{.name = SASS_NODEC}, {.name = SASS_NONE}};
static const modifier_row calls[] = {{.name = SASS_NOINC}, {.name = SASS_NONE}};

static bool is_matrix(const smp_instruction *at) {
    return at->opcode[0] != '\0' && strncmp(at->opcode + 1, "MMA", 3) == 0; /* HMMA, IMMA, ... */
}

static bool is_at_one_place(const smp_instruction *a, const smp_instruction *b) {
    bool is_same = a->frame_count == b->frame_count && a->frame_count > 0;
    for (uint32_t i = 0; is_same && i < a->frame_count; i++)
        is_same = a->frames[i].line == b->frames[i].line &&
                  strcmp(a->frames[i].file, b->frames[i].file) == 0;
    return is_same;
}

/* A full __syncwarp() is a NOP. ptxas also puts NOPs of the same line before and after matrix
 * instructions, which order nothing. */
static void decode_nop(decoder *d) {
    const smp_instruction *at = d->instruction;
    const uint32_t index = (uint32_t)(d->u - d->program->uops);
    if (index > 0 && index + 1 < d->program->count && (is_matrix(at - 1) || is_matrix(at + 1)) &&
        is_at_one_place(at, at - 1))
        d->u->imm = 0;
}

const opcode_row opcodes_control[] = {
    {SASS_BRA, .kind = UOP_BRANCH, .decode = decode_bra},
    {SASS_BRX, .kind = UOP_BRANCH_INDEXED, .decode = decode_brx},
    {SASS_BRXU, .kind = UOP_BRANCH_INDEXED, .decode = decode_brx},
    {SASS_CALL, .modifiers = {calls}, .decode = decode_call},
    {SASS_RET, SASS_ABS, .kind = UOP_RETURN_ADDRESS, .modifiers = {returns}, .decode = decode_ret},
    {SASS_RET, SASS_REL, .kind = UOP_RETURN, .modifiers = {returns}, .decode = decode_ret},
    {SASS_LEPC, .fn = smp_lanes_mov2, .decode = decode_lepc},
    {SASS_EXIT, .kind = UOP_EXIT, .operands = "P"},
    {SASS_BSSY, .kind = UOP_BSSY, .modifiers = {reconvergences}, .operands = "rt"},
    {SASS_BSYNC, .kind = UOP_BSYNC, .modifiers = {reconvergences}, .operands = "r"},
    {SASS_BREAK, .kind = UOP_BREAK, .modifiers = {reconvergences}, .operands = "Pr"},
    {SASS_BMOV, SASS_32, .decode = decode_bmov},
    {SASS_WARPSYNC, .kind = UOP_WARPSYNC, .decode = decode_warpsync},
    {SASS_BAR, .kind = UOP_BARRIER, .decode = decode_bar},
    {SASS_B2R, SASS_RESULT, .kind = UOP_BARRIER_RESULT, .operands = "dO"},
    {SASS_USETMAXREG, SASS_TRY_ALLOC, .fn = smp_lanes_plop3, .imm = 0xff,
     .decode = decode_registers},
    {SASS_USETMAXREG, SASS_DEALLOC, .kind = UOP_NOP, .operands = "*"},
    /* Gives shared memory back that the block does not use any more. */
    {SASS_USETSHMSZ, .kind = UOP_NOP, .operands = "*"},
    {SASS_YIELD, .kind = UOP_YIELD, .operands = "*"},
    {SASS_NANOSLEEP, .kind = UOP_YIELD, .operands = "*"},
    {SASS_BPT, .kind = UOP_TRAP, .operands = "*"},
    {SASS_UCGABAR_ARV, .kind = UOP_CLUSTER_ARRIVE, .operands = "*"},
    {SASS_UCGABAR_WAIT, .kind = UOP_CLUSTER_WAIT, .operands = "*"},
    {SASS_ENDCOLLECTIVE, .kind = UOP_COLLECTIVE_END, .operands = "*"},
    /* Ordering, cache operations, hints, and waits for what has already completed here. */
    {SASS_NOP, .kind = UOP_NOP, .imm = ORDER_LANES, .operands = "*", .decode = decode_nop},
    {SASS_MEMBAR, SASS_CTA, .kind = UOP_NOP, .imm = ORDER_FENCE_BLOCK, .operands = "*"},
    {SASS_MEMBAR, .kind = UOP_NOP, .imm = ORDER_FENCE, .operands = "*"},
    {SASS_ERRBAR, .kind = UOP_NOP, .operands = "*"},
    {SASS_CGAERRBAR, .kind = UOP_NOP, .operands = "*"},
    {SASS_CCTL, SASS_IVALL, .kind = UOP_NOP, .imm = ORDER_INVALIDATE, .operands = "*"},
    {SASS_CCTL, .kind = UOP_NOP, .operands = "*"},
    {SASS_FENCE, .kind = UOP_NOP, .imm = ORDER_PROXY, .operands = "*"},
    {SASS_DEPBAR, .kind = UOP_NOP, .imm = ORDER_COPIES_WAIT, .decode = decode_depbar},
    {SASS_LDGDEPBAR, .kind = UOP_NOP, .imm = ORDER_COPIES_COMMIT, .operands = "*"},
    {SASS_CCTLL, .kind = UOP_NOP, .operands = "*"},
    {SASS_UBLKPF, .kind = UOP_NOP, .operands = "*"},
    {SASS_UTMACMDFLUSH, .kind = UOP_NOP, .imm = ORDER_STORES_COMMIT, .operands = "*"},
    {SASS_WARPGROUP, SASS_DEPBAR, .kind = UOP_NOP, .imm = ORDER_MATRIX_WAIT,
     .decode = decode_depbar},
    {SASS_WARPGROUP, SASS_WAIT, .kind = UOP_BARRIER, .imm2 = 1 | BARRIER_OF_WARPGROUP,
     .operands = "*"},
    {SASS_WARPGROUP, .kind = UOP_NOP, .operands = "*"},
    {SASS_PREEXIT, .kind = UOP_NOP, .imm = ORDER_LAUNCH_NEXT, .operands = "*"},
    {SASS_ACQBULK, .kind = UOP_NOP, .imm = ORDER_LAUNCH_WAIT, .operands = "*"},
    {SASS_UTMAPF, .kind = UOP_NOP, .operands = "*"},
    {SASS_UTMACCTL, .kind = UOP_NOP, .operands = "*"},
    {.opcode = SASS_NONE},
};
