/* SPDX-License-Identifier: MIT */
/* Code in several sections, and addresses in it. */
#pragma once

#include "cubin.h"
#include "uop.h"

/* Address of a variable (from `address`, by symbol) or of code; 0 if the symbol is neither. */
uint64_t emu_symbol_address(const smp_code *code, const uint64_t *address, uint32_t symbol);
/* The section that initializes a global variable; NULL if the symbol is no such variable. */
const cubin_section *emu_variable_section(const smp_code *code, const cubin_symbol *symbol);
/* Index of the launch's instruction at this address; UINT32_MAX if none. */
uint32_t emu_code_index(const smp_function *function, uint64_t address);

/* The target of an instruction's relocation. */
typedef struct emu_symbol {
    uint64_t address, add; /* address 0: unknown */
    bool is_outside;       /* a driver function */
} emu_symbol;

/* False if the instruction has no relocation. */
bool emu_instruction_symbol(const emu_program *program, const smp_code_part *part,
                            uint32_t instruction, emu_symbol *out);
