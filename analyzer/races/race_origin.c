/* SPDX-License-Identifier: MIT */
/*
 * Where a stored value comes from. Two blocks that store a constant or a parameter always store the
 * same; equal values from memory, or from who the thread is, are chance. In a block, what all
 * threads read at one place is no chance. Code is read backwards from the store, without its jumps.
 */
#include <string.h>

#include "race_state.h"

enum { FOLLOWED = 1024, REGISTERS = 512 };

static void want(bool wanted[REGISTERS], const emu_operand *from) {
    const int32_t first = (from->offset & ~1) / (int32_t)ROW_BYTES;
    for (uint32_t i = 0; (from->offset & 1) == 0 && i < from->rows; i++)
        if (first >= 0 && (uint32_t)first + i < REGISTERS)
            wanted[(uint32_t)first + i] = true;
}

/* Whether the instruction writes a wanted register. What it held before is not asked for, even if
 * a guard leaves lanes out: it is mostly another variable. */
static bool is_written(bool wanted[REGISTERS], const uop *u) {
    const uint32_t first = (uint32_t)u->d / ROW_BYTES;
    bool is = false;
    for (uint32_t i = first; u->d >= 0 && i < first + u->d_rows && i < REGISTERS; i++) {
        is |= wanted[i];
        wanted[i] = false;
    }
    return is;
}

/* Whether the instruction reads who the thread is; of one block only what differs there. */
static bool reads_identity(const smp_instruction *from, bool of_blocks) {
    const char *name = strstr(from->operands, "SR_");
    return name && (of_blocks || strncmp(name, "SR_TID", 6) == 0 ||
                    strncmp(name, "SR_LANEID", 9) == 0 || strncmp(name, "SR_CLOCK", 8) == 0);
}

/* "PRMT R2, R8, 0x7610, R2" puts a small value into the low half, and keeps the other half. */
static bool is_merged(const smp_instruction *from, const uop *u) {
    return strncmp(from->opcode, "PRMT", 4) == 0 && u->c.offset == u->d;
}

static bool is_chance(const emu_race *race, uint32_t instruction, bool of_blocks) {
    const emu_program *program = race->worker->run->program;
    bool wanted[REGISTERS] = {false};
    want(wanted, &program->uops[instruction].a);
    for (uint32_t i = instruction; i-- > 0 && instruction - i < FOLLOWED;) {
        const uop *u = &program->uops[i];
        const uop_memory *m = emu_memory_of(program, u);
        if (!is_written(wanted, u))
            continue;
        if ((of_blocks && m && m->kind != MEMORY_CONSTANT) ||
            reads_identity(&program->function->linked[i], of_blocks))
            return true;
        want(wanted, m ? &m->at.base : &u->a);
        want(wanted, m ? &m->at.uniform : &u->b);
        if (!is_merged(&program->function->linked[i], u))
            want(wanted, &u->c);
    }
    return false;
}

bool race_is_value_chance(const emu_race *race, uint32_t instruction, bool of_blocks) {
    enum { KNOWN = 1, CHANCE = 2, OF_BLOCKS = 4 };
    const unsigned unit = of_blocks ? OF_BLOCKS : 1;
    uint8_t *known = &race->origins[instruction];
    if ((*known & KNOWN * unit) == 0)
        *known |=
            (uint8_t)(unit * (is_chance(race, instruction, of_blocks) ? KNOWN | CHANCE : KNOWN));
    return (*known & CHANCE * unit) != 0;
}
