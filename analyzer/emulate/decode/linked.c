/* SPDX-License-Identifier: MIT */
/* Addresses of code and variables, as a cubin's relocations need them. */
#include "linked.h"

#include <string.h>

#include "emulate.h"
#include "system_call.h"

enum { SYMBOL_OBJECT = 1 };

uint64_t emu_symbol_address(const smp_code *code, const uint64_t *address, uint32_t symbol) {
    if (symbol >= code->symbol_count)
        return 0;
    const smp_function *function = smp_cubin_function_of(code, symbol);
    if (address[symbol] != 0 || !function)
        return address[symbol];
    return EMU_CODE_WINDOW + function->place_bytes + code->symbols[symbol].value;
}

const cubin_section *emu_variable_section(const smp_code *code, const cubin_symbol *symbol) {
    const cubin_section *section = &code->sections[symbol->section];
    const bool is_there = symbol->type == SYMBOL_OBJECT &&
                          strncmp(section->name, ".nv.global", 10) == 0 &&
                          symbol->value <= section->size_bytes &&
                          symbol->size_bytes <= section->size_bytes - symbol->value;
    return is_there ? section : NULL;
}

/* The variable that contains a section's byte; NULL if none. */
static const cubin_symbol *variable_at(const smp_code *code, uint32_t section, uint64_t offset) {
    return FIND(symbol, code->symbols, code->symbol_count,
                symbol->section == section && symbol->type == SYMBOL_OBJECT &&
                    offset >= symbol->value && offset - symbol->value + 8 <= symbol->size_bytes);
}

void smp_emu_relocate(const smp_code *code, const uint64_t *address, smp_emu_bytes_fn bytes_of,
                      void *user) {
    for (uint32_t i = 0; i < code->section_count; i++) {
        cubin_cursor cursor = {0, 0};
        cubin_relocation at;
        if (strncmp(code->sections[i].name, ".nv.global", 10) != 0)
            continue;
        while (smp_cubin_relocation(code, i, &cursor, &at)) {
            const cubin_symbol *in = variable_at(code, i, at.offset);
            const uint64_t there = in ? address[in - code->symbols] : 0;
            uint8_t *bytes = there == 0 ? NULL : bytes_of(user, there + at.offset - in->value);
            const uint64_t value = emu_symbol_address(code, address, at.symbol) + at.add;
            if (bytes && (at.type == CUBIN_RELOCATION_64 || at.type == CUBIN_RELOCATION_G64))
                memcpy(bytes, &value, sizeof(value));
        }
    }
}

uint32_t emu_code_index(const smp_function *function, uint64_t address) {
    EACH(const smp_code_part, part, function->parts, function->part_count) {
        const uint64_t offset = address - EMU_CODE_WINDOW - part->function->place_bytes;
        if (offset < part->function->code_bytes && offset % INSTRUCTION_BYTES == 0)
            return part->first + (uint32_t)(offset / INSTRUCTION_BYTES);
    }
    return UINT32_MAX;
}

bool emu_instruction_symbol(const emu_program *program, const smp_code_part *part,
                            uint32_t instruction, emu_symbol *out) {
    const uint64_t offset = (uint64_t)(instruction - part->first) * INSTRUCTION_BYTES;
    cubin_cursor cursor = {0, 0};
    cubin_relocation at;
    do {
        if (!smp_cubin_relocation(program->code, part->function->section_index, &cursor, &at))
            return false;
    } while (at.offset != offset);
    out->add = at.add;
    out->address = emu_symbol_address(program->code, program->address, at.symbol);
    out->is_outside = out->address == 0;
    if (out->is_outside && at.symbol < program->code->symbol_count)
        out->address = emu_system_address(program->code->symbols[at.symbol].name);
    return true;
}
