/* SPDX-License-Identifier: MIT */
/*
 * What of memory a launch can read, found from its parameters; copied before and after.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "kept_launch.h"

#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "linked.h"
#include "list.h"

enum { UNNAMED_GAP = 4096 };

/* Where no driver puts memory. */
#define UNNAMED_ADDRESS 0x0f2000000000ull

void smp_kept_clear(smp_kept_launch *launch) {
    for (uint32_t i = 0; i < launch->array_count; i++) {
        free(launch->arrays[i].name);
        free(launch->arrays[i].before);
        free(launch->arrays[i].after);
    }
    for (uint32_t i = 0; i < launch->variable_count; i++)
        free(launch->variables[i].name);
    free(launch->arrays);
    free(launch->variables);
    free(launch->kernel);
    free(launch->demangled);
    free(launch->code);
    free(launch->parameters);
    memset(launch, 0, sizeof(*launch));
}

static uint8_t *copy_bytes(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size + 1);
    if (copy != NULL && size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

static bool is_zero(const uint8_t *bytes, uint64_t size) {
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* ---- Which arrays ---- */

static bool has_array(const smp_kept_launch *launch, uint64_t address) {
    for (uint32_t i = 0; i < launch->array_count; i++)
        if (launch->arrays[i].address == address)
            return true;
    return false;
}

/* The array that `address` is in, if it is not there yet; false: out of memory. */
static bool keep_array(const smp_emu_memory *memory, uint64_t address, smp_kept_launch *out) {
    const smp_emu_array *found = address == 0 ? NULL : smp_emu_memory_find(memory, address);
    if (found == NULL || found->bytes == NULL || has_array(out, found->address))
        return true;
    if (!LIST_ROOM(out->arrays, out->array_count))
        return false;
    smp_kept_array *kept = &out->arrays[out->array_count++];
    kept->address = found->address;
    kept->size_bytes = found->size_bytes;
    kept->name = strdup(found->name);
    if (is_zero(found->bytes, found->size_bytes))
        return kept->name != NULL;
    kept->before = copy_bytes(found->bytes, found->size_bytes);
    return kept->name != NULL && kept->before != NULL;
}

static bool keep_pointed_at(const smp_emu_memory *memory, const uint8_t *bytes, uint64_t size,
                            smp_kept_launch *out) {
    for (uint64_t at = 0; at + 8 <= size; at += 8) {
        uint64_t address;
        memcpy(&address, bytes + at, 8);
        if (!keep_array(memory, address, out))
            return false;
    }
    return true;
}

static bool keep_variables(const smp_code *code, const smp_emu_module *module,
                           const smp_emu_memory *memory, smp_kept_launch *out) {
    for (uint32_t i = 0; module != NULL && i < code->symbol_count; i++) {
        if (module->address[i] == 0)
            continue;
        if (!LIST_ROOM(out->variables, out->variable_count))
            return false;
        smp_kept_variable *kept = &out->variables[out->variable_count++];
        *kept = (smp_kept_variable){i, strdup(code->symbols[i].name), module->address[i]};
        const smp_emu_array *array = smp_emu_memory_find(memory, module->address[i]);
        if (array != NULL && array->bytes == module->constant)
            out->constants = array->address;
        if (kept->name == NULL || !keep_array(memory, module->address[i], out))
            return false;
    }
    return true;
}

static void copy_shape(const smp_launch *launch, smp_kept_launch *out) {
    memcpy(out->grid, launch->grid, sizeof(out->grid));
    memcpy(out->block, launch->block, sizeof(out->block));
    memcpy(out->cluster, launch->cluster, sizeof(out->cluster));
    out->dynamic_shared_bytes = launch->dynamic_shared_bytes;
    out->is_cooperative = launch->is_cooperative;
}

smp_status smp_kept_take(const smp_code *code, const smp_function *function,
                         const smp_launch *launch, const smp_emu_memory *memory,
                         smp_kept_launch *out, smp_error *error) {
    memset(out, 0, sizeof(*out));
    copy_shape(launch, out);
    out->kernel = strdup(function->name);
    out->demangled = function->demangled == NULL ? NULL : strdup(function->demangled);
    out->code = copy_bytes(code->bytes, code->size);
    out->code_bytes = code->size;
    out->parameters = copy_bytes(launch->parameters, function->parameter_bytes);
    out->parameter_bytes = function->parameter_bytes;
    bool is_fine = out->kernel != NULL && out->code != NULL && out->parameters != NULL &&
                   keep_variables(code, launch->module, memory, out) &&
                   keep_pointed_at(memory, out->parameters, out->parameter_bytes, out);
    for (uint32_t i = 0; i < out->array_count && is_fine; i++) /* the list grows behind i */
        if (out->arrays[i].before != NULL)
            is_fine =
                keep_pointed_at(memory, out->arrays[i].before, out->arrays[i].size_bytes, out);
    if (is_fine)
        return SMP_OK;
    smp_kept_clear(out);
    return smp_error_memory(error);
}

static bool is_as_before(const smp_kept_array *kept, const uint8_t *now) {
    return kept->before == NULL ? is_zero(now, kept->size_bytes)
                                : memcmp(kept->before, now, kept->size_bytes) == 0;
}

smp_status smp_kept_take_after(const smp_emu_memory *memory, smp_kept_launch *launch,
                               smp_error *error) {
    for (uint32_t i = 0; i < launch->array_count; i++) {
        smp_kept_array *kept = &launch->arrays[i];
        const smp_emu_array *now = smp_emu_memory_find(memory, kept->address);
        if (now == NULL || now->bytes == NULL || is_as_before(kept, now->bytes))
            continue;
        kept->after = copy_bytes(now->bytes, kept->size_bytes);
        if (kept->after == NULL)
            return smp_error_memory(error);
    }
    return SMP_OK;
}

/* ---- Back into memory ---- */

static smp_status place_array(const smp_kept_array *kept, smp_emu_memory *memory,
                              smp_error *error) {
    uint8_t *bytes = calloc(1, kept->size_bytes + 16);
    smp_emu_array *made = bytes == NULL ? NULL
                                        : smp_emu_memory_place(memory, kept->name, kept->address,
                                                               kept->size_bytes, bytes);
    if (made == NULL) {
        free(bytes);
        return smp_error_memory(error);
    }
    made->is_borrowed = false;
    if (kept->before != NULL)
        memcpy(bytes, kept->before, kept->size_bytes);
    return SMP_OK;
}

/* Variables that the run had no name for (texts of printf, say), as the code has them. */
static smp_status place_unnamed(const smp_code *code, smp_emu_memory *memory,
                                smp_emu_module *module, smp_error *error) {
    uint64_t next = UNNAMED_ADDRESS;
    for (uint32_t i = 0; i < code->symbol_count; i++) {
        const cubin_symbol *symbol = &code->symbols[i];
        const cubin_section *section = emu_variable_section(code, symbol);
        if (module->address[i] != 0 || section == NULL)
            continue;
        const smp_kept_array array = {
            .name = (char *)(uintptr_t)symbol->name,
            .address = next,
            .size_bytes = symbol->size_bytes,
            .before = section->bytes ? (uint8_t *)(uintptr_t)section->bytes + symbol->value : NULL};
        const smp_status status = place_array(&array, memory, error);
        if (status != SMP_OK)
            return status;
        module->address[i] = next;
        next += (symbol->size_bytes + UNNAMED_GAP) / 256 * 256;
    }
    return SMP_OK;
}

smp_status smp_kept_place(const smp_kept_launch *launch, const smp_code *code,
                          smp_emu_memory *memory, smp_emu_module *module, smp_error *error) {
    smp_status status = SMP_OK;
    module->address = calloc((size_t)code->symbol_count + 1, sizeof(*module->address));
    if (module->address == NULL)
        return smp_error_memory(error);
    for (uint32_t i = 0; i < launch->array_count && status == SMP_OK; i++)
        status = place_array(&launch->arrays[i], memory, error);
    for (uint32_t i = 0; i < launch->variable_count; i++)
        if (launch->variables[i].symbol < code->symbol_count)
            module->address[launch->variables[i].symbol] = launch->variables[i].address;
    const smp_emu_array *constants =
        launch->constants == 0 ? NULL : smp_emu_memory_find(memory, launch->constants);
    if (constants != NULL && constants->size_bytes <= UINT32_MAX) {
        module->constant = constants->bytes;
        module->constant_bytes = (uint32_t)constants->size_bytes;
    }
    return status == SMP_OK ? place_unnamed(code, memory, module, error) : status;
}

bool smp_kept_differs(const smp_kept_launch *launch, const smp_emu_memory *memory, uint32_t *array,
                      uint64_t *byte) {
    for (*array = 0; *array < launch->array_count; ++*array) {
        const smp_kept_array *kept = &launch->arrays[*array];
        const uint8_t *wanted = kept->after != NULL ? kept->after : kept->before;
        const smp_emu_array *now = smp_emu_memory_find(memory, kept->address);
        for (*byte = 0; now != NULL && *byte < kept->size_bytes; ++*byte)
            if (now->bytes[*byte] != (wanted == NULL ? 0 : wanted[*byte]))
                return true;
    }
    return false;
}
