/* SPDX-License-Identifier: MIT */
/*
 * Code that is in several sections, and addresses in it.
 */
#pragma once

#include "cubin.h"
#include "uop.h"

/* Of a variable, as `address` has it by symbol, or of code; 0: it is neither. */
uint64_t emu_symbol_address(const smp_code *code, const uint64_t *address, uint32_t symbol);
/* Where a variable of the module's global memory begins as; NULL: the symbol is no such variable.
 */
const cubin_section *emu_variable_section(const smp_code *code, const cubin_symbol *symbol);
/* Where the launch has the code at this address; UINT32_MAX: nowhere. */
uint32_t emu_code_index(const smp_function *function, uint64_t address);

/* What an instruction names. */
typedef struct emu_symbol {
    uint64_t address, add; /* address 0: nowhere */
    bool is_outside;       /* it is not in the code, but the driver's */
} emu_symbol;

/* False: the instruction of that number names nothing. */
bool emu_instruction_symbol(const emu_program *program, const smp_code_part *part,
                            uint32_t instruction, emu_symbol *out);
