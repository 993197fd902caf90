/* SPDX-License-Identifier: MIT */
/*
 * Constant banks: bank 0 as the driver fills it for a launch, as far as that is known; the others
 * from sections of the cubin, with the addresses of the module's variables filled in.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "heap.h"
#include "linked.h"
#include "system_call.h"

enum { BANK_0_BYTES = 0x400, BANK_OF_CONSTANTS = 3 };
enum { NOWHERE = 0xffff, RESERVED_FOR_CODE = 0x120 };

/* The bytes, followed by a flag for each byte that says whether it is known. */
static bool make_bank(emu_bank *bank, uint32_t size) {
    bank->bytes = calloc(2, size + 16);
    bank->size_bytes = size;
    return bank->bytes;
}

static void put(emu_bank *bank, uint32_t offset, const void *value, uint32_t bytes) {
    if (offset > bank->size_bytes || bank->size_bytes - offset < bytes)
        return;
    memcpy(bank->bytes + offset, value, bytes);
    memset(bank->bytes + bank->size_bytes + offset, 1, bytes);
}

static void put32(emu_bank *bank, uint32_t offset, uint32_t value) {
    put(bank, offset, &value, 4);
}

static void put64(emu_bank *bank, uint32_t offset, uint64_t value) {
    put(bank, offset, &value, 8);
}

/* Offsets in bank 0 that compiled code reads. */
typedef struct bank_layout {
    uint32_t first_cc;
    uint32_t block, grid, shared_window, local_window, stack, descriptor;
    uint32_t grid_barrier; /* %envreg1, followed by %envreg2: halves of the barrier's address */
    uint32_t parameters;   /* address of the parameters (before 9.0: of bank 0) in global memory */
    uint32_t bank_0;       /* address of bank 0, which NVIDIA's own libraries read */
    uint32_t constants;    /* address of bank 3 */
    uint32_t parameters_end; /* address of their last byte; before 9.0: its place in bank 0 */
} bank_layout;

static const bank_layout layouts[] = {
    {100, 0x360, 0x370, NOWHERE, 0x2f8, 0x37c, 0x358, 0x254, 0x348, NOWHERE, 0x120, 0x350},
    {90, 0x0, 0xc, 0x18, 0x20, 0x28, 0x208, 0x44, 0x198, 0xc0, 0xd0, 0x1a0},
    {80, 0x0, 0xc, 0x18, 0x20, 0x28, 0x118, 0x8c, 0x40, NOWHERE, 0x50, 0x12c},
    {0, 0x0, 0xc, 0x18, 0x20, 0x28, 0x118, 0x8c, 0x40, NOWHERE, 0x50, 0x114},
};

/* Special registers of PTX (special.c) and their offsets. On 10.0, those of clusters, of shared
 * memory and %envreg are lower by 160 bytes times SR_CgaSize, which is 0 here. */
typedef struct register_layout {
    uint32_t first_cc;
    uint32_t dynamic_shared;
    uint32_t aggregate_shared;             /* %aggr_smem_size, if SR_SMEMSZ is not less */
    uint32_t reserved_shared;              /* how much of SR_SMEMSZ is reserved */
    uint32_t reserved_end, reserved_place; /* %reserved_smem_offset_end, _1 */
    uint32_t grid, graph, sm_count;
    uint32_t is_cluster, shape, reciprocal, clusters, cluster_blocks;
} register_layout;

static const register_layout register_layouts[] = {
    {100, 0x2ac, 0x2bc, 0x16c, 0x278, 0x27c, 0x140, 0x2e8, 0x2d0, 0x36c, 0x2a0, 0x2b0, 0x2c0,
     0x2cc},
    {90, 0x2c, 0x13c, 0x114, 0x68, 0x6c, 0x30, 0x190, 0x10c, 0x140, 0x144, 0x150, 0x15c, 0x188},
    {0, 0x2c, NOWHERE, 0x114, 0x120, 0x124, 0x30, 0x130, 0x10c, NOWHERE, NOWHERE, NOWHERE, NOWHERE,
     NOWHERE},
};

static const bank_layout *layout_of(uint32_t cc) {
    const bank_layout *layout = layouts;
    while (cc < layout->first_cc)
        layout++;
    return layout;
}

/* For clusters also the reciprocals that code divides by: floats whose product, truncated, is the
 * quotient. */
static void put_clusters(emu_bank *bank, const register_layout *at, const smp_launch *launch) {
    uint32_t blocks = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    if (at->shape == NOWHERE)
        return;
    put32(bank, at->is_cluster, blocks > 1);
    put32(bank, at->cluster_blocks, blocks);
    for (unsigned i = 0; i < 3; i++) {
        float reciprocal = 1.0f / (float)launch->cluster[i];
        if ((double)reciprocal * launch->cluster[i] < 1)
            reciprocal = nextafterf(reciprocal, 2);
        put32(bank, at->shape + 4 * i, launch->cluster[i]);
        put(bank, at->reciprocal + 4 * i, &reciprocal, 4);
        put32(bank, at->clusters + 4 * i, launch->grid[i] / launch->cluster[i]);
    }
}

/* True if an instruction of the launch reads bank 0 there: "c[0x0][0x6c]" or, with
 * `may_be_indexed`, "c[0x0][R0+0x27c]". */
static bool is_asked(const smp_function *f, uint32_t at, bool may_be_indexed) {
    char wanted[32];
    bool is_found = false;
    snprintf(wanted, sizeof wanted, "%s0x%x]", may_be_indexed ? "" : "[", at);
    for (uint32_t i = 0; i < f->linked_count && !is_found; i++) {
        const char *bank = strstr(f->linked[i].operands, "c[0x0]");
        is_found = bank && strstr(bank + strlen("c[0x0]"), wanted);
    }
    return is_found;
}

/* The reserved part of shared memory is at its start from 9.0 on, at its end before; code may use
 * its first bytes (recorded on 9.0: tests/data/sass/warps.cu). */
static void put_registers(emu_bank *bank, emu_program *program, const smp_launch *launch) {
    const smp_function *f = program->function;
    const register_layout *at = register_layouts;
    const uint32_t reserved = launch->arch->shared_reserved_bytes;
    const bool is_behind = f->shared_reserved_bytes == 0;
    const uint32_t place = is_behind ? emu_shared_size(f, launch) - reserved : 0;
    while (program->cc < at->first_cc)
        at++;
    program->reserved_place = place;
    program->reserved_bytes = is_asked(f, at->reserved_place, true) ? RESERVED_FOR_CODE : 0;
    put32(bank, at->reserved_place, place);
    put32(bank, at->reserved_end, place + RESERVED_FOR_CODE);
    put32(bank, at->dynamic_shared, launch->dynamic_shared_bytes);
    put32(bank, at->aggregate_shared, reserved + f->shared_bytes + launch->dynamic_shared_bytes);
    put32(bank, at->reserved_shared, reserved);
    put64(bank, at->grid, 0);
    put64(bank, at->graph, 0);
    put32(bank, at->sm_count, 1);
    put_clusters(bank, at, launch);
}

static bool fill_bank_0(emu_program *program, const smp_launch *launch, uint32_t local_bytes) {
    const smp_function *f = program->function;
    emu_bank *bank = &program->banks[0];
    const bank_layout *layout = layout_of(program->cc);
    uint32_t size = f->parameter_base + f->parameter_bytes + 8;
    if (!make_bank(bank, size < BANK_0_BYTES ? BANK_0_BYTES : size))
        return false;
    for (unsigned i = 0; i < 3; i++) {
        put32(bank, layout->block + 4 * i, launch->block[i]);
        put32(bank, layout->grid + 4 * i, launch->grid[i]);
    }
    put64(bank, layout->shared_window, EMU_SHARED_WINDOW);
    put64(bank, layout->local_window, EMU_LOCAL_WINDOW);
    put32(bank, layout->stack, local_bytes);
    put64(bank, layout->descriptor, 0);
    put32(bank, layout->grid_barrier,
          launch->is_cooperative ? (uint32_t)(EMU_GRID_BARRIER >> 32) : 0);
    put32(bank, layout->grid_barrier + 4, launch->is_cooperative ? (uint32_t)EMU_GRID_BARRIER : 0);
    put_registers(bank, program, launch);
    if (f->parameter_bytes > 0)
        put(bank, f->parameter_base, launch->parameters, f->parameter_bytes);
    return true;
}

/* For code that takes the address of a parameter (__grid_constant__), or asks whether a pointer is
 * one: a copy of bank 0 as an array. */
static bool add_parameters(emu_program *program, const smp_launch *launch, smp_emu_memory *memory) {
    const smp_function *f = program->function;
    const bank_layout *at = layout_of(program->cc);
    if (f->parameter_bytes == 0 ||
        (!is_asked(f, at->parameters, false) && !is_asked(f, at->bank_0, false)))
        return true;
    uint32_t size = f->parameter_base + f->parameter_bytes;
    program->parameters = calloc(size, 1);
    if (!program->parameters ||
        !smp_emu_memory_place(memory, "the parameters", EMU_PARAMETERS, size, program->parameters))
        return false;
    memcpy(program->parameters + f->parameter_base, launch->parameters, f->parameter_bytes);
    put64(&program->banks[0], at->parameters,
          EMU_PARAMETERS + (program->cc >= 90 ? f->parameter_base : 0));
    put64(&program->banks[0], at->bank_0, EMU_PARAMETERS);
    if (program->cc >= 90)
        put64(&program->banks[0], at->parameters_end, EMU_PARAMETERS + size - 1);
    else
        put32(&program->banks[0], at->parameters_end, size - 1);
    return true;
}

/* For pointers to __constant__ variables, and for code that asks whether a pointer is one: the bank
 * as an array, if there are any. */
static bool add_constants(emu_program *program, smp_emu_memory *memory) {
    const emu_bank *bank = &program->banks[BANK_OF_CONSTANTS];
    const uint32_t at = layout_of(program->cc)->constants;
    put64(&program->banks[0], at, EMU_CONSTANTS);
    if (!bank->bytes || !is_asked(program->function, at, false))
        return true;
    return smp_emu_memory_place(memory, "constant memory", EMU_CONSTANTS, bank->size_bytes,
                                bank->bytes);
}

/* The barrier of a cooperative launch; the driver clears it. */
static bool add_grid_barrier(emu_program *program, const smp_launch *launch,
                             smp_emu_memory *memory) {
    if (!launch->is_cooperative)
        return true;
    memset(program->grid_barrier, 0, sizeof program->grid_barrier);
    return smp_emu_memory_place(memory, "the grid's barrier", EMU_GRID_BARRIER,
                                sizeof program->grid_barrier, program->grid_barrier);
}

void emu_remove_own(smp_emu_memory *memory) {
    static const uint64_t own[] = {EMU_PARAMETERS, EMU_GRID_BARRIER, EMU_CONSTANTS};
    for (unsigned i = 0; i < sizeof own / sizeof own[0]; i++) {
        smp_emu_array *array = smp_emu_memory_find(memory, own[i]);
        if (array)
            smp_emu_memory_remove(memory, array);
    }
}

static uint8_t *bytes_of(void *user, uint64_t address) {
    smp_emu_array *array = smp_emu_memory_find(user, address);
    return array ? array->bytes + (address - array->address) : NULL;
}

/* Makes an array for each variable of the module; stores their addresses by symbol. */
static smp_status add_variables(const smp_code *code, smp_emu_memory *memory, uint64_t *address) {
    for (uint32_t i = 0; i < code->symbol_count; i++) {
        const cubin_symbol *symbol = &code->symbols[i];
        const cubin_section *section = emu_variable_section(code, symbol);
        if (!section)
            continue;
        smp_emu_array *array = smp_emu_memory_add(memory, symbol->name, symbol->size_bytes);
        if (!array)
            return SMP_E_MEMORY;
        if (section->bytes)
            memcpy(array->bytes, section->bytes + symbol->value, symbol->size_bytes);
        address[i] = array->address;
    }
    smp_emu_relocate(code, address, bytes_of, memory);
    return SMP_OK;
}

/* Applies the relocations of section `index` to the bank made from it. */
static void relocate(const emu_program *program, uint32_t index, emu_bank *bank) {
    const smp_code *code = program->code;
    cubin_cursor cursor = {0, 0};
    cubin_relocation at;
    while (smp_cubin_relocation(code, index, &cursor, &at)) {
        uint64_t value = emu_symbol_address(code, program->address, at.symbol);
        bool is_wide = at.type == CUBIN_RELOCATION_64 || at.type == CUBIN_RELOCATION_G64;
        if (value == 0 && at.symbol < code->symbol_count)
            value = emu_system_address(code->symbols[at.symbol].name);
        if (at.offset > bank->size_bytes || bank->size_bytes - at.offset < 8)
            continue;
        if (value != 0 && is_wide)
            put64(bank, (uint32_t)at.offset, value + at.add);
        else /* not known */
            memset(bank->bytes + bank->size_bytes + at.offset, 0, 8);
    }
}

static bool fill_bank(emu_program *program, unsigned which, const smp_emu_module *module) {
    const smp_code *code = program->code;
    char general[32], own[1200];
    snprintf(general, sizeof(general), ".nv.constant%u", which);
    snprintf(own, sizeof(own), ".nv.constant%u.%.1100s", which, program->function->name);
    for (uint32_t s = 0; s < code->section_count; s++) {
        const cubin_section *section = &code->sections[s];
        bool is_it = strcmp(section->name, own) == 0 || strcmp(section->name, general) == 0;
        if (!is_it || section->size_bytes > 1u << 20 || program->banks[which].bytes)
            continue;
        if (!make_bank(&program->banks[which], (uint32_t)section->size_bytes))
            return false;
        emu_bank *bank = &program->banks[which];
        if (section->bytes)
            memcpy(bank->bytes, section->bytes, section->size_bytes);
        if (which == BANK_OF_CONSTANTS && module && module->constant &&
            module->constant_bytes == bank->size_bytes)
            memcpy(bank->bytes, module->constant, bank->size_bytes);
        memset(bank->bytes + bank->size_bytes, 1, bank->size_bytes);
        relocate(program, s, bank);
    }
    return true;
}

smp_status emu_fill_banks(emu_program *program, const smp_launch *launch, uint32_t local_bytes,
                          smp_emu_memory *memory, smp_error *error) {
    const smp_emu_module *module = launch->module;
    if (!module)
        program->own_address = calloc((size_t)program->code->symbol_count + 1, sizeof(uint64_t));
    program->address = module ? module->address : program->own_address;
    bool is_filled = program->address && fill_bank_0(program, launch, local_bytes) &&
                     add_parameters(program, launch, memory) &&
                     add_grid_barrier(program, launch, memory);
    if (is_filled && !module)
        is_filled = add_variables(program->code, memory, program->own_address) == SMP_OK;
    if (is_filled) /* after all others */
        is_filled = emu_heap_make(program->code, launch->heap_bytes, memory);
    for (unsigned i = 1; i < EMU_BANKS && is_filled; i++)
        is_filled = fill_bank(program, i, module);
    is_filled = is_filled && add_constants(program, memory);
    return is_filled ? SMP_OK : smp_error_memory(error);
}
