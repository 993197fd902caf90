/* SPDX-License-Identifier: MIT */
/*
 * Code that is in several sections, and addresses in it.
 */
#ifndef SMP_LINKED_H
#define SMP_LINKED_H

#include "cubin.h"
#include "uop.h"

/* Of a variable, as `address` has it by symbol, or of code; 0: it is neither. */
uint64_t emu_symbol_address(const smp_code *code, const uint64_t *address, uint32_t symbol);
/* Where a variable of the module's global memory begins as; NULL: the symbol is no such variable.
 */
const cubin_section *emu_variable_section(const smp_code *code, const cubin_symbol *symbol);
/* Where the launch has the code at this address; UINT32_MAX: nowhere. */
uint32_t emu_code_index(const smp_function *function, uint64_t address);

/* An instruction with its numbers as they are when it runs. */
typedef struct emu_relocated {
    smp_instruction instruction;
    uint8_t raw[16];
    bool is_target;        /* its number is a place among all parts */
    bool calls_system;     /* it calls what is not in the code, */
    uint64_t call_address; /* but here; 0: nowhere */
    char text[256];
} emu_relocated;

/* False: what it names is not there. */
bool emu_relocate_instruction(const emu_program *program, const smp_code_part *part,
                              emu_relocated *out);

#endif
