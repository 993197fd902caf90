/* SPDX-License-Identifier: MIT */
/*
 * Code in several sections: functions that a separately compiled kernel calls or takes the address
 * of, found by relocations.
 */
#include <stdlib.h>
#include <string.h>

#include "cubin.h"

enum { TYPE_RELA = 4, TYPE_REL = 9, RELA_BYTES = 24, REL_BYTES = 16 };

bool smp_cubin_relocation(const smp_code *code, uint32_t section, cubin_cursor *cursor,
                          cubin_relocation *out) {
    for (; cursor->table < code->section_count; cursor->table++, cursor->at = 0) {
        const cubin_section *table = &code->sections[cursor->table];
        const bool is_long = table->type == TYPE_RELA;
        const uint32_t row = is_long ? RELA_BYTES : REL_BYTES;
        if ((!is_long && table->type != TYPE_REL) || table->info != section || !table->bytes ||
            cursor->at + row > table->size_bytes)
            continue;
        const uint8_t *bytes = table->bytes + cursor->at;
        *out = (cubin_relocation){.offset = cubin_number(bytes, 8),
                                  .type = (uint32_t)cubin_number(bytes + 8, 4),
                                  .symbol = (uint32_t)cubin_number(bytes + 12, 4),
                                  .add = is_long ? cubin_number(bytes + 16, 8) : 0};
        cursor->at += row;
        return true;
    }
    return false;
}

smp_function *smp_cubin_function_of(const smp_code *code, uint32_t symbol) {
    const uint32_t section = symbol < code->symbol_count ? code->symbols[symbol].section : 0;
    for (size_t i = 0; section != 0 && i < code->function_count; i++)
        if (code->functions[i].section_index == section)
            return &code->functions[i];
    return NULL;
}

/* Marks the functions that a section's relocations name; true if any is new. */
static bool reach_named(const smp_code *code, uint32_t section, bool *is_reached) {
    bool is_new = false;
    cubin_cursor cursor = {0, 0};
    cubin_relocation named;
    while (smp_cubin_relocation(code, section, &cursor, &named)) {
        const smp_function *function = smp_cubin_function_of(code, named.symbol);
        bool *there = function ? &is_reached[function - code->functions] : NULL;
        if (!there || *there || function->is_kernel)
            continue;
        *there = is_new = true;
    }
    return is_new;
}

static bool has_data(const char *section) {
    return strncmp(section, ".nv.global", 10) == 0 || strncmp(section, ".nv.constant", 12) == 0;
}

void smp_cubin_reach(const smp_code *code, const smp_function *from, bool *is_reached) {
    is_reached[from - code->functions] = true;
    for (uint32_t i = 0; i < code->section_count; i++) /* tables of functions */
        if (has_data(code->sections[i].name))
            (void)reach_named(code, i, is_reached);
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (size_t i = 0; i < code->function_count; i++)
            if (is_reached[i] && reach_named(code, code->functions[i].section_index, is_reached))
                is_new = true;
    }
}

uint64_t smp_code_reach_bytes(const smp_code *code, const smp_function *from) {
    bool *is_reached = calloc(code->function_count + 1, sizeof(*is_reached));
    uint64_t bytes = is_reached ? 0 : UINT64_MAX;
    if (is_reached)
        smp_cubin_reach(code, from, is_reached);
    for (size_t i = 0; is_reached && i < code->function_count; i++)
        bytes += is_reached[i] ? code->functions[i].code_bytes : 0;
    free(is_reached);
    return bytes;
}

/* Joins the instructions of all parts, with continuous offsets. */
static bool join(smp_code *code, smp_function *function) {
    smp_instruction *all =
        smp_code_alloc(code, function->linked_count * sizeof(*function->instructions));
    for (uint32_t i = 0; all && i < function->part_count; i++) {
        const smp_code_part *part = &function->parts[i];
        const uint32_t count = part->function->instruction_count;
        memcpy(all + part->first, part->function->instructions, count * sizeof(*all));
        for (uint32_t j = part->first; j < part->first + count; j++)
            all[j].offset_bytes = j * INSTRUCTION_BYTES;
    }
    function->linked = all;
    return all;
}

smp_status smp_cubin_link(smp_code *code, smp_function *function, smp_error *error) {
    if (function->linked || !function->instructions)
        return SMP_OK;
    bool *is_reached = calloc(code->function_count + 1, sizeof(*is_reached));
    smp_code_part *parts = smp_code_alloc(code, (code->function_count + 1) * sizeof(*parts));
    bool is_fine = is_reached && parts;
    if (is_fine) {
        smp_cubin_reach(code, function, is_reached);
        parts[0] = (smp_code_part){function, 0};
        function->parts = parts;
        function->part_count = 1;
        function->linked_count = function->instruction_count;
    }
    for (size_t i = 0; is_fine && i < code->function_count; i++) {
        const smp_function *other = &code->functions[i];
        if (!is_reached[i] || other == function || !other->instructions)
            continue;
        parts[function->part_count++] = (smp_code_part){other, function->linked_count};
        function->linked_count += other->instruction_count;
    }
    if (is_fine && function->part_count == 1)
        function->linked = function->instructions;
    else if (is_fine)
        is_fine = join(code, function);
    free(is_reached);
    return is_fine ? SMP_OK : smp_error_memory(error);
}

uint32_t smp_function_part(const smp_function *function, uint32_t instruction) {
    uint32_t part = function->part_count > 0 ? function->part_count - 1 : 0;
    while (part > 0 && instruction < function->parts[part].first)
        part--;
    return part;
}
