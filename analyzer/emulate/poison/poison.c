/* SPDX-License-Identifier: MIT */
/*
 * Poison marks the results of instructions that are not emulated, and values loaded from shared or
 * local memory that was never written; it is tracked for every bit and lane, and through
 * computations. Poison may be moved, computed with, and stored in shared and local memory and
 * loaded again. If it decides a branch, the address of a store or a value in global memory, the
 * launch ends in the case of an instruction that is not emulated; unwritten memory is a finding at
 * the load that read it, and counts as known from then on, so that one mistake is reported once.
 * None of this runs before the first such instruction or load, or after the last poison is gone.
 */
#include "poison.h"

#include <string.h>

#define ALL_BITS 0xffffffffu

/* What a person can do whose kernel ends at an instruction that has no meaning here. */
#define ADVICE "another --arch may avoid it, and profile on a GPU counts it"

/* PTX's name of instructions whose own names say little. */
static const char *ptx_of(const char *opcode) {
    static const char *const tensor_memory[] = {"UTC", "LDTM", "STTM"};
    for (size_t i = 0; i < sizeof tensor_memory / sizeof *tensor_memory; i++)
        if (strncmp(opcode, tensor_memory[i], strlen(tensor_memory[i])) == 0)
            return " (tcgen05, tensor memory)";
    return "";
}

/* Reports that an instruction is not emulated; `what` depends on it, NULL for the launch. */
static void found_unknown(emu_warp *warp, uint32_t from, unsigned lane, const char *what) {
    const emu_program *program = warp->block->worker->run->program;
    const uop *u = &program->uops[from];
    const smp_instruction *at = &program->function->linked[from];
    const char *opcode = at->opcode;
    if (at->operands && strstr(at->operands, "`("))
        emu_found(warp, u, lane, SMP_FINDING_UNKNOWN,
                  "%s needs an address that only linking gives; link it (nvcc -dlink -cubin), or "
                  "run a program that has it",
                  opcode);
    else if (u->imm2 > 0)
        emu_found(warp, u, lane, SMP_FINDING_OUT_OF_BOUNDS,
                  "%u bytes at byte %u of constant bank 3, which has %u", u->imm2, u->target,
                  program->banks[3].size_bytes);
    else
        emu_found(warp, u, lane, SMP_FINDING_UNKNOWN, "%s%s is not emulated%s%s%s; " ADVICE, opcode,
                  ptx_of(opcode), what ? ", and " : "", what ? what : "",
                  what ? " depends on it" : "");
}

/* Reports that poison decides something; false if that ended the launch. */
static bool decides(emu_warp *warp, uint32_t from, uint32_t lanes, const char *what) {
    const uop *origin = &warp->block->worker->run->program->uops[from];
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    if (origin->kind != UOP_UNKNOWN) {
        emu_unwritten_found(warp, from, lane);
        return true;
    }
    found_unknown(warp, from, lane, what);
    return false;
}

static bool decides_operand(emu_warp *warp, const emu_operand *operand, unsigned rows,
                            uint32_t exec, const char *what) {
    emu_poison_finder f = {.warp = warp, .lanes = exec};
    const uint32_t lanes = emu_poison_of(warp, operand, rows) & exec;
    if (lanes == 0)
        return true;
    emu_poison_look_at(&f, operand, rows);
    if (!decides(warp, f.from, lanes, what))
        return false;
    emu_poison_set_rows(warp, operand->offset, rows, exec, NULL, 0, 0);
    return true;
}

static bool decides_predicate(emu_warp *warp, uint8_t operand, uint32_t exec, const char *what) {
    const uint32_t which = operand & 15, lanes = warp->poison->predicates[which] & exec;
    if (lanes == 0)
        return true;
    if (!decides(warp, warp->poison->from[ROW_COUNT + which], lanes, what))
        return false;
    emu_poison_set_predicate(warp, which, exec, 0, 0);
    return true;
}

static bool decide_operands(emu_warp *warp, const uop *u, uint32_t exec, const char *what) {
    return EVERY(one, u->sources, 3, decides_operand(warp, one, one->rows, exec, what)) &&
           decides_predicate(warp, u->p, exec, what) && decides_predicate(warp, u->q, exec, what);
}

static bool decide_address(emu_warp *warp, const memory_address *at, uint32_t exec) {
    return decides_operand(warp, &at->base, at->base.rows, exec, "an address") &&
           decides_operand(warp, &at->uniform, at->uniform.rows, exec, "an address");
}

static void write_clean(emu_warp *warp, const uop *u, uint32_t lanes) {
    emu_poison_set_rows(warp, u->d, u->d_rows, lanes, NULL, 0, 0);
    emu_poison_set_predicate(warp, u->p_out, lanes, 0, 0);
    emu_poison_set_predicate(warp, u->q_out, lanes, 0, 0);
}

static bool is_understood(const emu_warp *warp, uint32_t from) {
    return warp->block->worker->run->program->uops[from].kind != UOP_UNKNOWN;
}

/* Code may load from an address, or on a condition, that later turns out not to matter: the result
 * is poison. False if it depends on an instruction that is not emulated. */
static bool load_step(emu_warp *warp, const uop *u, const memory_address *at, uint32_t exec,
                      uint32_t doubt) {
    emu_poison_finder f = {.warp = warp, .lanes = exec | doubt};
    const uint32_t address = emu_poison_of(warp, &at->base, at->base.rows) |
                             emu_poison_of(warp, &at->uniform, at->uniform.rows);
    const uint32_t lanes = (address & exec) | doubt;
    if (doubt != 0)
        emu_poison_look(&f, ROW_COUNT + (u->guard & 15), doubt);
    emu_poison_look_at(&f, &at->base, at->base.rows);
    emu_poison_look_at(&f, &at->uniform, at->uniform.rows);
    if (lanes != 0 && !is_understood(warp, f.from))
        return decides(warp, f.from, lanes,
                       address != 0 ? "an address" : "whether an instruction runs");
    uint32_t bits[ROW];
    EACH_LANE bits[l] = lanes >> l & 1 ? ALL_BITS : 0;
    emu_poison_set_rows(warp, u->d, u->d_rows, exec | doubt, bits, 0, f.from);
    return true;
}

/* Stores to shared and local memory carry poison along (poison_memory.c). */
static bool memory_step(emu_warp *warp, const uop *u, uint32_t exec, uint32_t doubt) {
    const emu_program *program = warp->block->worker->run->program;
    const uop_memory *m = &program->memory[u->memory];
    if (m->kind == MEMORY_LOAD && !u->ignores_exec)
        return load_step(warp, u, &m->at, exec, doubt);
    if (doubt != 0 && !decides_predicate(warp, u->guard, doubt, "whether an instruction runs"))
        return false;
    if (exec == 0)
        return true;
    if (!decide_address(warp, &m->at, exec) || !decide_address(warp, &m->from, exec))
        return false;
    const uint32_t data = exec & emu_poison_of(warp, &u->a, u->a.rows);
    const bool moves = m->kind == MEMORY_STORE || m->kind == MEMORY_MATRIX_STORE;
    if (data != 0 && moves && is_understood(warp, emu_poison_from(warp, u, data)))
        warp->stores_poison = true;
    else if (!decide_operands(warp, u, exec, "what is stored"))
        return false;
    write_clean(warp, u, u->ignores_exec ? SMP_ALL_LANES : exec);
    return true;
}

static bool unknown_step(emu_warp *warp, const uop *u, uint32_t exec) {
    uint32_t all[ROW];
    memset(all, 0xff, sizeof(all));
    const uint32_t from = (uint32_t)(u - warp->block->worker->run->program->uops);
    bool writes = u->d_rows > 0 || u->p_out % 8 != PREDICATE_TRUE;
    if (!writes || u->imm) {
        found_unknown(warp, from, (unsigned)__builtin_ctz(exec), NULL);
        return false;
    }
    warp->block->worker->unknown_executed++;
    bool is_uniform = u->d >= ROW_UNIFORM * ROW_BYTES && u->d < ROW_SINK * ROW_BYTES;
    emu_poison_set_rows(warp, u->d, u->d_rows, is_uniform ? SMP_ALL_LANES : exec, all, 0, from);
    emu_poison_set_predicate(warp, u->p_out, exec, SMP_ALL_LANES, from);
    emu_poison_set_predicate(warp, u->q_out, exec, SMP_ALL_LANES, from);
    return true;
}

static bool has_any(const emu_poison *p) {
    uint64_t any = 0;
    for (unsigned i = 0; i < POISON_WORDS; i++)
        any |= p->some[i];
    return any != 0;
}

bool emu_poison_step(emu_warp *warp, const uop *u, uint32_t mask, uint32_t exec) {
    warp->stores_poison = false;
    if (u->kind == UOP_UNKNOWN)
        return exec == 0 || unknown_step(warp, u, exec);
    if (!has_any(warp->poison)) {
        warp->tracks_poison = false;
        return true;
    }
    uint32_t doubt = warp->poison->predicates[u->guard & 15] & mask;
    if (doubt != 0 && u->kind != UOP_LANES && u->kind != UOP_MEMORY) {
        if (!decides_predicate(warp, u->guard, mask, "whether an instruction runs"))
            return false;
        doubt = 0;
    }
    if ((exec | doubt) == 0)
        return true;
    if (u->kind == UOP_MEMORY)
        return memory_step(warp, u, exec, doubt);
    if (u->kind == UOP_LANES) {
        emu_poison_flow(warp, u, exec, doubt);
        return true;
    }
    if (!decide_operands(warp, u, exec, "a branch"))
        return false;
    write_clean(warp, u, exec);
    return true;
}
