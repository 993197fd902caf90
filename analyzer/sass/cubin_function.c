/* SPDX-License-Identifier: MIT */
/*
 * Functions of a cubin: one section .text.NAME each, with registers, frame, parameters and launch
 * bounds from .nv.info, and the size of .nv.shared.NAME. The attributes' numbers and layouts are
 * those that cuobjdump -elf shows by name (CUDA Binary Utilities).
 */
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "list.h"

enum {
    ATTRIBUTE_MAX_THREADS = 0x05,
    ATTRIBUTE_PARAM_CBANK = 0x0a,
    ATTRIBUTE_REQNTID = 0x10,
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_KPARAM_INFO = 0x17,
    ATTRIBUTE_KPARAM_INFO_V2 = 0x45,
    ATTRIBUTE_REGCOUNT = 0x2f,
    ATTRIBUTE_CTA_PER_CLUSTER = 0x3d,
    ATTRIBUTE_MAX_CLUSTER_RANK = 0x3f,
    ATTRIBUTE_BLOCKS_ARE_CLUSTERS = 0x5b,
    FORMAT_SIZED = 4,
    SYMBOL_FUNCTION = 2,
    SYMBOL_OTHER_ENTRY = 0x10,
    PARAMETERS_MAX = 4096,
};

/* One attribute; the value of unsized ones is in the two bytes after their number. */
typedef struct attribute {
    uint8_t number;
    const uint8_t *value;
    uint32_t size_bytes;
} attribute;

/* Reads the attribute at *at and advances; false at the end or at damaged bytes. */
static bool next_attribute(const cubin_section *section, uint64_t *at, attribute *out) {
    if (!section->bytes || section->size_bytes - *at < 4 || *at > section->size_bytes)
        return false;
    const uint8_t *bytes = section->bytes + *at;
    *out = (attribute){.number = bytes[1], .value = bytes + 2, .size_bytes = 2};
    *at += 4;
    if (bytes[0] != FORMAT_SIZED)
        return true;
    out->value = bytes + 4;
    out->size_bytes = (uint32_t)cubin_number(bytes + 2, 2);
    if (out->size_bytes > section->size_bytes - *at)
        return false;
    *at += out->size_bytes;
    return true;
}

/* SMP_E_READ, SMP_E_MEMORY or SMP_OK. */
static smp_status add_parameter(smp_function *function, const attribute *info) {
    uint32_t ordinal = (uint32_t)cubin_number(info->value + 4, 2);
    uint32_t offset = (uint32_t)cubin_number(info->value + 6, 2);
    uint32_t size = (uint32_t)cubin_number(info->value + 8, 4);
    if (info->number == ATTRIBUTE_KPARAM_INFO) /* 14 bits; other attributes add to it */
        size >>= 18;
    if (ordinal >= PARAMETERS_MAX)
        return SMP_E_READ;
    for (; ordinal >= function->parameter_count; function->parameter_count++)
        if (!LIST_ROOM(function->parameters, function->parameter_count))
            return SMP_E_MEMORY;
    function->parameters[ordinal] = (smp_parameter){offset, size};
    return SMP_OK;
}

/* "EIATTR_CTA_PER_CLUSTER" and similar attributes. */
static void read_cluster(const attribute *info, smp_function *function) {
    if (info->number == ATTRIBUTE_CTA_PER_CLUSTER && info->size_bytes >= 12)
        for (unsigned i = 0; i < 3; i++)
            function->cluster[i] = (uint32_t)cubin_number(info->value + 4 * (size_t)i, 4);
    if (info->number == ATTRIBUTE_MAX_CLUSTER_RANK && info->size_bytes >= 4)
        function->max_cluster_blocks = (uint32_t)cubin_number(info->value, 4);
    if (info->number == ATTRIBUTE_BLOCKS_ARE_CLUSTERS)
        function->is_launched_by_cluster = true;
}

/* SMP_E_READ, SMP_E_MEMORY or SMP_OK. */
static smp_status read_own_info(const cubin_section *section, smp_function *function) {
    attribute info;
    smp_status status = SMP_OK;
    for (uint64_t at = 0; status == SMP_OK && next_attribute(section, &at, &info);) {
        bool is_bound = info.number == ATTRIBUTE_MAX_THREADS || info.number == ATTRIBUTE_REQNTID;
        bool is_parameter =
            info.number == ATTRIBUTE_KPARAM_INFO || info.number == ATTRIBUTE_KPARAM_INFO_V2;
        if (is_parameter && info.size_bytes >= 12)
            status = add_parameter(function, &info);
        if (info.number == ATTRIBUTE_PARAM_CBANK && info.size_bytes >= 8) {
            function->parameter_base = (uint32_t)cubin_number(info.value + 4, 2);
            function->parameter_bytes = (uint32_t)cubin_number(info.value + 6, 2);
        }
        read_cluster(&info, function);
        for (unsigned i = 0; is_bound && info.size_bytes >= 12 && i < 3; i++)
            function->max_threads[i] = (uint32_t)cubin_number(info.value + 4 * (size_t)i, 4);
    }
    return status;
}

/* Attributes of all functions, by symbol. */
static void read_common_info(smp_code *code) {
    const cubin_section *section = smp_cubin_section(code, ".nv.info");
    attribute info;
    for (uint64_t at = 0; section && next_attribute(section, &at, &info);) {
        bool is_ours = info.number == ATTRIBUTE_REGCOUNT || info.number == ATTRIBUTE_FRAME_SIZE;
        for (size_t i = 0; is_ours && info.size_bytes >= 8 && i < code->function_count; i++) {
            smp_function *function = &code->functions[i];
            if (function->symbol_index != (uint32_t)cubin_number(info.value, 4))
                continue;
            uint32_t *field =
                info.number == ATTRIBUTE_REGCOUNT ? &function->registers : &function->local_bytes;
            *field = (uint32_t)cubin_number(info.value + 4, 4);
        }
    }
}

/* FNV-1a over words of eight bytes; instructions have 16. */
static uint64_t hash_code(const uint8_t *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        hash = (hash ^ cubin_number(bytes + i, 8)) * 0x100000001b3u;
        hash ^= hash >> 32;
    }
    return hash;
}

static void find_symbol(const smp_code *code, smp_function *function) {
    for (uint32_t i = 0; i < code->symbol_count; i++) {
        const cubin_symbol *symbol = &code->symbols[i];
        if (symbol->type != SYMBOL_FUNCTION || symbol->section != function->section_index ||
            strcmp(symbol->name, function->name) != 0)
            continue;
        function->symbol_index = i;
        function->is_kernel = (symbol->other & SYMBOL_OTHER_ENTRY) != 0;
    }
}

static const cubin_section *section_of(const smp_code *code, const char *prefix, const char *name) {
    size_t length = strlen(prefix);
    return FIND(one, code->sections, code->section_count,
                strncmp(one->name, prefix, length) == 0 && strcmp(one->name + length, name) == 0);
}

static smp_status name_function(smp_code *code, smp_function *out, smp_error *error) {
    char *demangled;
    if (smp_demangle(out->name, &demangled, error) != SMP_OK)
        return SMP_E_MEMORY;
    if (demangled)
        out->demangled = smp_code_copy(code, demangled, strlen(demangled));
    const bool has_room = !demangled || out->demangled;
    free(demangled);
    return has_room ? SMP_OK : smp_error_memory(error);
}

static smp_status read_function(smp_code *code, uint32_t index, smp_function *out,
                                smp_error *error) {
    const cubin_section *section = &code->sections[index];
    out->name = section->name + strlen(".text.");
    out->section_index = index;
    out->code = section->bytes;
    out->code_bytes = (uint32_t)section->size_bytes;
    out->code_hash = hash_code(section->bytes, section->size_bytes);
    find_symbol(code, out);
    const cubin_section *info = section_of(code, ".nv.info.", out->name);
    smp_status status = name_function(code, out, error);
    if (status == SMP_OK && info)
        status = read_own_info(info, out);
    if (status == SMP_E_MEMORY)
        return smp_error_memory(error);
    if (status != SMP_OK)
        return smp_error_set(error, SMP_E_READ, -1, "not a sound cubin: the parameters of %.100s",
                             out->name);
    const cubin_section *shared = section_of(code, ".nv.shared.", out->name);
    out->shared_reserved_bytes = code->cc >= 90 ? 1024 : 0;
    uint64_t shared_bytes = shared ? shared->size_bytes : 0;
    if (shared_bytes > UINT32_MAX / 2)
        return smp_error_set(error, SMP_E_READ, -1,
                             "not a sound cubin: the shared memory of %.100s", out->name);
    if (shared_bytes > out->shared_reserved_bytes)
        out->shared_bytes = (uint32_t)shared_bytes - out->shared_reserved_bytes;
    return SMP_OK;
}

static bool is_code(const cubin_section *section) {
    return strncmp(section->name, ".text.", 6) == 0 && section->bytes &&
           section->size_bytes < UINT32_MAX;
}

smp_status smp_cubin_functions(smp_code *code, smp_error *error) {
    size_t count = 0;
    uint64_t place = 0;
    for (uint32_t i = 0; i < code->section_count; i++)
        count += is_code(&code->sections[i]);
    code->functions = calloc(count + 1, sizeof(*code->functions));
    if (!code->functions)
        return smp_error_memory(error);
    for (uint32_t i = 0; i < code->section_count; i++) {
        if (!is_code(&code->sections[i]))
            continue;
        smp_function *function = &code->functions[code->function_count++];
        smp_status status = read_function(code, i, function, error);
        if (status != SMP_OK)
            return status;
        function->place_bytes = place;
        place += (function->code_bytes + 15ull) / 16 * 16;
    }
    read_common_info(code);
    const cubin_section *ptx = smp_cubin_section(code, ".nv_debug_ptx_txt");
    smp_code_use_ptx(code, ptx ? (const char *)ptx->bytes : NULL,
                     !ptx || !ptx->bytes ? 0 : ptx->size_bytes);
    return SMP_OK;
}
