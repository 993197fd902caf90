/* SPDX-License-Identifier: MIT */
/*
 * Addresses of code and of variables, as a cubin's relocations ask for them.
 */
#include "linked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "system_call.h"
#include "warp.h"

enum { INSTRUCTION_BYTES = 16, SYMBOL_OBJECT = 1 };

uint64_t emu_symbol_address(const smp_code *code, const uint64_t *address, uint32_t symbol) {
    if (symbol >= code->symbol_count)
        return 0;
    const smp_function *function = smp_cubin_function_of(code, symbol);
    if (address[symbol] != 0 || function == NULL)
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

/* The variable in which a section's byte is; NULL: none. */
static const cubin_symbol *variable_at(const smp_code *code, uint32_t section, uint64_t offset) {
    for (uint32_t i = 0; i < code->symbol_count; i++) {
        const cubin_symbol *symbol = &code->symbols[i];
        if (symbol->section == section && symbol->type == SYMBOL_OBJECT &&
            offset >= symbol->value && offset - symbol->value + 8 <= symbol->size_bytes)
            return symbol;
    }
    return NULL;
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
            const uint64_t there = in == NULL ? 0 : address[in - code->symbols];
            uint8_t *bytes = there == 0 ? NULL : bytes_of(user, there + at.offset - in->value);
            const uint64_t value = emu_symbol_address(code, address, at.symbol) + at.add;
            if (bytes != NULL &&
                (at.type == CUBIN_RELOCATION_64 || at.type == CUBIN_RELOCATION_G64))
                memcpy(bytes, &value, sizeof(value));
        }
    }
}

uint32_t emu_code_index(const smp_function *function, uint64_t address) {
    for (uint32_t i = 0; i < function->part_count; i++) {
        const smp_code_part *part = &function->parts[i];
        const uint64_t offset = address - EMU_CODE_WINDOW - part->function->place_bytes;
        if (offset < part->function->code_bytes && offset % INSTRUCTION_BYTES == 0)
            return part->first + (uint32_t)(offset / INSTRUCTION_BYTES);
    }
    return UINT32_MAX;
}

/* ---- Instructions ---- */

static bool find(const emu_program *program, const smp_code_part *part, uint32_t offset,
                 cubin_relocation *out) {
    cubin_cursor cursor = {0, 0};
    while (smp_cubin_relocation(program->code, part->function->section_index, &cursor, out))
        if (out->offset == offset)
            return true;
    return false;
}

/* Behind the brackets that `at` opens; NULL: it does not close them. */
static const char *behind(const char *at) {
    unsigned depth = 0;
    for (; *at != '\0'; at++) {
        depth += *at == '(';
        if (*at == ')' && --depth == 0)
            return at + 1;
    }
    return NULL;
}

bool emu_relocate_instruction(const emu_program *program, const smp_code_part *part,
                              emu_relocated *out) {
    const char *operands = out->instruction.operands, *low = strstr(operands, "32@lo(");
    const char *high = strstr(operands, "32@hi("), *call = strstr(operands, "`(");
    const char *from = low != NULL ? low : high != NULL ? high : call;
    const char *end = from == NULL ? NULL : behind(from);
    const uint32_t offset = out->instruction.offset_bytes - part->first * INSTRUCTION_BYTES;
    cubin_relocation at;
    if (from == NULL)
        return true;
    if (end == NULL || !find(program, part, offset, &at))
        return false;
    uint64_t value = emu_symbol_address(program->code, program->address, at.symbol) + at.add;
    const bool is_there = value != at.add;
    if (!is_there && at.symbol < program->code->symbol_count)
        value += emu_system_address(program->code->symbols[at.symbol].name);
    if (!is_there && from == call) {
        out->calls_system = true;
        out->call_address = value;
        return true;
    }
    if (value == at.add) /* of nothing that is there */
        return false;
    if (from == call) {
        const uint32_t index = emu_code_index(program->function, value);
        value = (uint64_t)index * INSTRUCTION_BYTES;
        out->is_target = true;
        if (index == UINT32_MAX)
            return false;
    }
    const uint32_t word = (uint32_t)(from == high ? value >> 32 : value);
    int length = snprintf(out->text, sizeof(out->text), "%.*s0x%x%s", (int)(from - operands),
                          operands, word, end);
    out->instruction.operands = out->text;
    memcpy(out->raw + 4, &word, sizeof(word));
    return length > 0 && (size_t)length < sizeof(out->text);
}
