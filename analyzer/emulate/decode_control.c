/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of control flow, of barriers, and those that change nothing here.
 */
#include <stdlib.h>
#include <string.h>

#include "decode.h"

enum { INSTRUCTION_BYTES = 16 };

/* imm2 of a branch. */
enum { BRANCH_ALWAYS, BRANCH_DIVIDED, BRANCH_CONVERGED, BRANCH_ANY };

static void want_target(decoder *d) {
    uint32_t offset = want_number(d);
    uint32_t count = d->program->count;
    offset += d->is_target ? 0 : d->from_bytes;
    d->is_unknown |= offset % INSTRUCTION_BYTES != 0 || offset / INSTRUCTION_BYTES >= count;
    d->u->target = offset / INSTRUCTION_BYTES;
}

static void want_all_lanes(decoder *d, emu_operand *out) {
    static const uint32_t all = SMP_ALL_LANES;
    int32_t offset = emu_constant(d->program, &all, 1);
    d->is_out_of_memory |= offset < 0;
    *out = (emu_operand){.offset = offset | 1, .rows = 1};
}

/* A pair that is the address. */
static void want_address_of(decoder *d, uint64_t address) {
    const uint32_t values[2] = {(uint32_t)address, (uint32_t)(address >> 32)};
    int32_t offset = emu_constant(d->program, values, 2);
    d->is_out_of_memory |= offset < 0;
    d->u->a = (emu_operand){.offset = offset | 1, .rows = 2};
}

static void decode_bra(decoder *d) {
    d->u->kind = UOP_BRANCH;
    take(d, "U");
    take(d, "UNI");
    take(d, "INC");
    take(d, "DEC");
    bool is_divided = take(d, "DIV"), is_converged = take(d, "CONV");
    d->u->imm2 = is_divided ? BRANCH_DIVIDED : is_converged ? BRANCH_CONVERGED : BRANCH_ALWAYS;
    if (take(d, "ANY"))
        d->u->imm2 = BRANCH_ANY;
    if ((is_divided || is_converged) && d->operand_count == 1)
        want_all_lanes(d, &d->u->a); /* 7.5 names none */
    else if (is_divided || is_converged)
        want_source(d, &d->u->a, 1);
    else if (is_predicate(peek_operand(d)))
        want_predicate(d, &d->u->p);
    want_target(d);
}

/* "BRX R4 -0x4c0": to R4 - 0x4c0 from the next instruction. */
static void decode_brx(decoder *d) {
    register_file file;
    const char *rest = "";
    const char *text = next_operand(d);
    int index = parse_register(text, &file, &rest);
    d->u->kind = UOP_BRANCH_INDEXED;
    if (index < 0) {
        d->is_unknown = true;
        return;
    }
    d->u->a = register_operand(d, file, index, 1);
    d->u->imm =
        (uint32_t)strtoll(rest, NULL, 16) + d->instruction->offset_bytes + INSTRUCTION_BYTES;
}

/* "RET.REL.NODEC R4 0x0": to R4 from there; "RET.ABS.NODEC R4 0x0": to the address in R4. */
static void decode_ret(decoder *d) {
    if (take(d, "ABS")) {
        register_file file;
        const char *rest = "";
        int index = parse_register(next_operand(d), &file, &rest);
        d->u->kind = UOP_RETURN_ADDRESS;
        d->is_unknown |= index < 0 || strtoll(rest, NULL, 16) != 0 || !take(d, "NODEC");
        d->u->a = register_operand(d, file, index < 0 ? 0 : index, 2);
        return;
    }
    decode_brx(d);
    d->u->kind = UOP_RETURN;
    d->u->imm -= d->instruction->offset_bytes + INSTRUCTION_BYTES - d->from_bytes;
    d->is_unknown |= !take(d, "REL") || !take(d, "NODEC");
}

/* "CALL.REL.NOINC 0x80"; "CALL.REL.NOINC R6 0x0": to R6 from there; "CALL.ABS.NOINC `(name)" and
 * "CALL.ABS.NOINC R2": to a function of its own, or of the driver's. */
static void decode_call(decoder *d) {
    bool is_relative = take(d, "REL"), is_absolute = take(d, "ABS");
    bool is_register = peek_operand(d)[0] == 'R';
    d->is_unknown |= !take(d, "NOINC") || is_relative == is_absolute;
    if (d->calls_system) {
        d->u->kind = UOP_CALL_ADDRESS;
        next_operand(d);
        want_address_of(d, d->call_address);
    } else if (is_absolute && !d->is_target) {
        d->u->kind = UOP_CALL_ADDRESS;
        want_bits(d, &d->u->a, 2);
    } else if (is_register) {
        decode_brx(d);
        d->u->imm -= d->instruction->offset_bytes + INSTRUCTION_BYTES - d->from_bytes;
    } else {
        d->u->kind = UOP_CALL;
        want_target(d);
    }
}

/* "LEPC R20, 0xae0": the address of a place in the function, in a pair. */
static void decode_lepc(decoder *d) {
    d->u->kind = UOP_LANES;
    d->u->fn = smp_lanes_mov2;
    want_destination(d, 2);
    want_address_of(d, d->code_address + want_number(d));
}

static void decode_exit(decoder *d) {
    d->u->kind = UOP_EXIT;
    if (is_predicate(peek_operand(d)))
        want_predicate(d, &d->u->p);
}

static uint32_t want_barrier_register(decoder *d) {
    const char *text = next_operand(d);
    char *end;
    unsigned long index = text[0] == 'B' ? strtoul(text + 1, &end, 10) : BARRIER_REGISTERS;
    if (index >= BARRIER_REGISTERS || *end != '\0')
        d->is_unknown = true;
    return (uint32_t)index % BARRIER_REGISTERS;
}

static void decode_bssy(decoder *d) {
    d->u->kind = UOP_BSSY;
    take(d, "RECONVERGENT");
    take(d, "RELIABLE");
    d->u->imm = want_barrier_register(d);
    want_target(d);
}

static void decode_bsync(decoder *d) {
    d->u->kind = UOP_BSYNC;
    take(d, "RECONVERGENT");
    take(d, "RELIABLE");
    d->u->imm = want_barrier_register(d);
}

static void decode_break(decoder *d) {
    d->u->kind = UOP_BREAK;
    take(d, "RELIABLE");
    if (is_predicate(peek_operand(d)))
        want_predicate(d, &d->u->p);
    d->u->imm = want_barrier_register(d);
}

static void decode_bmov(decoder *d) {
    d->is_unknown |= !take(d, "32");
    d->u->imm2 = take(d, "CLEAR");
    take(d, "PQUAD");
    if (peek_operand(d)[0] == 'B') {
        d->u->kind = UOP_BMOV_TO_BARRIER;
        d->u->imm = want_barrier_register(d);
        if (peek_operand(d)[0] == 'B') { /* from another one, as code of 8.7 begins */
            d->u->kind = UOP_BMOV_BETWEEN;
            d->u->target = want_barrier_register(d);
            return;
        }
        want_bits(d, &d->u->a, 1);
        return;
    }
    d->u->kind = UOP_BMOV_TO_REGISTER;
    want_destination(d, 1);
    d->u->imm = want_barrier_register(d);
}

/* "WARPSYNC R0", "WARPSYNC.ALL", "WARPSYNC.COLLECTIVE R0, `(.L_x_1)" (collective.c). */
static void decode_warpsync(decoder *d) {
    d->u->kind = UOP_WARPSYNC;
    const bool is_collective = take(d, "COLLECTIVE");
    d->u->imm = is_collective          ? WARPSYNC_COLLECTIVE
                : take(d, "EXCLUSIVE") ? WARPSYNC_EXCLUSIVE
                                       : WARPSYNC_PLAIN;
    if (take(d, "ALL"))
        want_all_lanes(d, &d->u->a);
    else
        want_bits(d, &d->u->a, 1);
    if (is_collective)
        want_target(d);
}

/* BAR.SYNC id[, threads]; imm2 bit 0: waits, bit 1: counts a predicate, bit 2: two registers, which
 * are one with id in its low half and threads in its high half; bits 8 and up: which result. */
static void decode_bar(decoder *d) {
    static const char *const results[] = {"POPC", "AND", "OR", NULL};
    d->u->kind = UOP_BARRIER;
    bool arrives_only = take(d, "ARV"), has_votes = take(d, "RED");
    d->is_unknown |= !arrives_only && !has_votes && !take(d, "SYNC");
    take(d, "DEFER_BLOCKING");
    d->u->imm2 = (arrives_only ? 0 : 1u) | (has_votes ? 2u : 0);
    if (has_votes)
        d->u->imm2 |= take_one(d, results, 3) << 8;
    want_bits_or_number(d, &d->u->a);
    want_zeros(d, &d->u->b, 1);
    if (has_operand(d) && !is_predicate(peek_operand(d)))
        want_bits_or_number(d, &d->u->b);
    d->u->imm2 |= ((d->u->a.offset | d->u->b.offset) & 1) == 0 ? 4u : 0;
    if (has_votes)
        want_predicate(d, &d->u->p);
}

static void decode_b2r(decoder *d) {
    d->u->kind = UOP_BARRIER_RESULT;
    d->is_unknown |= !take(d, "RESULT");
    want_destination(d, 1);
    if (has_operand(d))
        want_predicate_out(d, &d->u->p_out);
}

/* Orders, caches, hints and waits for what has happened here already. */
static void decode_nothing(decoder *d) {
    d->u->kind = UOP_NOP;
    d->modifiers_taken = (1u << d->modifier_count) - 1;
    d->operand_next = d->operand_count;
}

/* "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0x28": there are always enough. */
static void decode_registers(decoder *d) {
    take(d, "CTAPOOL");
    if (take(d, "DEALLOC")) {
        decode_nothing(d);
        return;
    }
    d->is_unknown |= !take(d, "TRY_ALLOC");
    d->u->kind = UOP_LANES;
    d->u->fn = smp_lanes_plop3;
    d->u->imm = 0xff;
    d->is_uniform = true;
    want_predicate_out(d, &d->u->p_out);
    want_number(d);
}

static void decode_collective_end(decoder *d) {
    decode_nothing(d);
    d->u->kind = UOP_COLLECTIVE_END;
}

static void decode_yield(decoder *d) {
    decode_nothing(d);
    d->u->kind = UOP_YIELD;
}

static void decode_trap(decoder *d) {
    decode_nothing(d);
    d->u->kind = UOP_TRAP;
}

static void decode_cluster_arrive(decoder *d) {
    decode_nothing(d);
    d->u->kind = UOP_CLUSTER_ARRIVE;
}

static void decode_cluster_wait(decoder *d) {
    decode_nothing(d);
    d->u->kind = UOP_CLUSTER_WAIT;
}

const opcode_row opcodes_control[] = {
    {"BRA", decode_bra},
    {"BRX", decode_brx},
    {"CALL", decode_call},
    {"RET", decode_ret},
    {"LEPC", decode_lepc},
    {"EXIT", decode_exit},
    {"BSSY", decode_bssy},
    {"BSYNC", decode_bsync},
    {"BREAK", decode_break},
    {"BMOV", decode_bmov},
    {"WARPSYNC", decode_warpsync},
    {"BAR", decode_bar},
    {"B2R", decode_b2r},
    {"YIELD", decode_yield},
    {"NANOSLEEP", decode_yield},
    {"BPT", decode_trap},
    {"UCGABAR_ARV", decode_cluster_arrive},
    {"UCGABAR_WAIT", decode_cluster_wait},
    {"NOP", decode_nothing},
    {"MEMBAR", decode_nothing},
    {"ERRBAR", decode_nothing},
    {"CGAERRBAR", decode_nothing},
    {"CCTL", decode_nothing},
    {"FENCE", decode_nothing},
    {"DEPBAR", decode_nothing},
    {"LDGDEPBAR", decode_nothing},
    {"CCTLL", decode_nothing},
    {"UBLKPF", decode_nothing},
    {"UTMACMDFLUSH", decode_nothing},
    {"WARPGROUP", decode_nothing},
    {"PREEXIT", decode_nothing},
    {"ACQBULK", decode_nothing},
    {"ENDCOLLECTIVE", decode_collective_end},
    {"USETMAXREG", decode_registers},
    {"UTMAPF", decode_nothing},
    {"UTMACCTL", decode_nothing},
    {NULL, NULL},
};
