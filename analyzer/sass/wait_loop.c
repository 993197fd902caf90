/* SPDX-License-Identifier: MIT */
/* Finds the loop in which a function waits for what others write. */
#include "wait_loop.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of the register at "R8" or "[R8.64]"; -1 if it is none. */
static int register_at(const char *text) {
    unsigned number;
    return text && sscanf(text + strspn(text, "["), "R%u", &number) == 1 ? (int)number : -1;
}

/* True if the instruction writes the register or the one above, which hold an address. */
static bool writes_address(const smp_instruction *one, int address) {
    const int first = register_at(one->operands);
    const int count = strstr(one->opcode, ".128")                                  ? 4
                      : strstr(one->opcode, ".64") || strstr(one->opcode, ".WIDE") ? 2
                                                                                   : 1;
    return first >= 0 && first <= address + 1 && first + count > address;
}

/* True for stores, reductions and atomics that may be in global memory. */
static bool is_global_write(const char *opcode) {
    static const char *const names[] = {"STG", "ST.", "RED", "ATOMG", "ATOM."};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(opcode, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The load among the instructions from `first` to `end`, which are a loop. */
static const smp_instruction *poll_in(const smp_instruction *first, const smp_instruction *end) {
    const smp_instruction *found = NULL;
    for (const smp_instruction *one = first; one < end; one++) {
        if (is_global_write(one->opcode))
            return NULL;
        if (found || strncmp(one->opcode, "LD", 2) != 0 || !strstr(one->opcode, ".STRONG.SYS"))
            continue;
        const int address = register_at(strstr(one->operands, "[R"));
        bool is_same = address >= 0;
        for (const smp_instruction *other = first; other < end && is_same; other++)
            is_same = !writes_address(other, address);
        found = is_same ? one : NULL;
    }
    return found;
}

const smp_instruction *smp_function_poll(const smp_function *function) {
    enum { POLL_MOST = 64 }; /* instructions of such a loop */
    const smp_instruction *all = function->instructions;
    for (uint32_t i = 0; all && i < function->instruction_count; i++) {
        const char *label = strstr(all[i].operands, "0x");
        const unsigned long to = label ? strtoul(label, NULL, 16) : ULONG_MAX;
        const smp_instruction *found = strncmp(all[i].opcode, "BRA", 3) == 0 &&
                                               to <= all[i].offset_bytes && i - to / 16 < POLL_MOST
                                           ? poll_in(&all[to / 16], &all[i])
                                           : NULL;
        if (found)
            return found;
    }
    return NULL;
}
