/* SPDX-License-Identifier: MIT */
/*
 * Reads cubins: for kept launches, the size and offset of each kernel parameter (.nv.info.NAME) and
 * the module's variables; and the functions that are not kernels. The instructions of these lie
 * outside the kernels that call them, so their addresses have to be looked up by name.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_capture.h"

/* In st_other: the function is a kernel. */
#define IS_KERNEL 0x10

enum {
    FORMAT_SIZED = 4,
    PARAMETER = 0x17,
    PARAMETER_V2 = 0x45,
    PARAMETER_BANK = 0x0a,
    RESERVED_USED = 0x41, /* system-reserved shared memory; cooperative groups use it */
    RESERVED_SIZE = 0x42,
    NAME_BYTES = 4096
};

/* Returns NULL beyond the last section, and for what is no cubin. */
static const Elf64_Shdr *section_at(const cubin_image *image, unsigned i) {
    const Elf64_Ehdr *head = (const void *)image->bytes;
    const bool is_sound = image->size >= sizeof *head &&
                          memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                          head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_shoff <= image->size &&
                          (image->size - head->e_shoff) / sizeof(Elf64_Shdr) >= head->e_shnum;
    return is_sound && i < head->e_shnum
               ? (const Elf64_Shdr *)(const void *)(image->bytes + head->e_shoff) + i
               : NULL;
}

static const char *bytes_of(const cubin_image *image, const Elf64_Shdr *section) {
    return section->sh_type != SHT_NOBITS && section->sh_offset <= image->size &&
                   section->sh_size <= image->size - section->sh_offset
               ? image->bytes + section->sh_offset
               : NULL;
}

static const char *text_at(const cubin_image *image, unsigned table, uint32_t at) {
    const Elf64_Shdr *section = section_at(image, table);
    const char *texts = section ? bytes_of(image, section) : NULL;
    return texts && at < section->sh_size && memchr(texts + at, '\0', section->sh_size - at)
               ? texts + at
               : "";
}

static const char *name_of(const cubin_image *image, const Elf64_Shdr *section) {
    const Elf64_Ehdr *head = (const void *)image->bytes;
    return text_at(image, head->e_shstrndx, section->sh_name);
}

static const Elf64_Shdr *find_section(const cubin_image *image, const char *name) {
    const Elf64_Shdr *section;
    for (unsigned i = 0; (section = section_at(image, i)); i++)
        if (strcmp(name_of(image, section), name) == 0)
            return section;
    return NULL;
}

/* Returns the kernel's section whose name begins with `kind`, or NULL. */
static const Elf64_Shdr *find_section_of(const cubin_image *image, const char *kind,
                                         const char *kernel) {
    char name[NAME_BYTES];
    (void)snprintf(name, sizeof name, "%s%s", kind, kernel);
    return find_section(image, name);
}

static uint32_t word(const char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

/* An attribute of .nv.info; unsized ones have their value in the two bytes before `value`. */
typedef struct attribute {
    uint8_t number;
    const char *value;
    uint32_t size;
} attribute;

/* Reads the attribute at *at and advances *at; false at the end, or if the rest is not an
 * attribute. */
static bool next_attribute(const char *bytes, uint64_t count, uint64_t *at, attribute *out) {
    if (*at + 4 > count)
        return false;
    *out = (attribute){.number = (uint8_t)bytes[*at + 1],
                       .value = bytes + *at + 4,
                       .size = bytes[*at] == FORMAT_SIZED ? word(bytes + *at) >> 16 : 0};
    *at += 4 + (uint64_t)out->size;
    return *at <= count;
}

static void add_parameter(const char *value, uint32_t size, bool is_v2, cubin_parameters *out) {
    const uint32_t ordinal = word(value + 4) & 0xffff, offset = word(value + 4) >> 16;
    if (ordinal >= CUBIN_PARAMETERS)
        return;
    out->list[ordinal].offset = offset;
    out->list[ordinal].size = is_v2 && size >= 16 ? word(value + 12) : word(value + 8) >> 18;
    if (ordinal >= out->count)
        out->count = ordinal + 1;
    if (offset + out->list[ordinal].size > out->bytes)
        out->bytes = offset + out->list[ordinal].size;
}

bool host_cubin_parameters(const cubin_image *image, const char *kernel, cubin_parameters *out) {
    memset(out, 0, sizeof *out);
    if (!find_section_of(image, ".text.", kernel))
        return false;
    const Elf64_Shdr *section = find_section_of(image, ".nv.info.", kernel);
    const char *bytes = section ? bytes_of(image, section) : NULL;
    attribute one;
    for (uint64_t at = 0; bytes && next_attribute(bytes, section->sh_size, &at, &one);) {
        const bool is_v2 = one.number == PARAMETER_V2;
        if ((one.number == PARAMETER || is_v2) && one.size >= 12)
            add_parameter(one.value, one.size, is_v2, out);
        else if (one.number == PARAMETER_BANK && one.size >= 8 &&
                 word(one.value + 4) >> 16 > out->bytes)
            out->bytes = word(one.value + 4) >> 16;
    }
    return out->bytes <= CUBIN_PARAMETER_BYTES;
}

static bool uses_reserved(const char *bytes, uint64_t count) {
    bool uses = !bytes;
    attribute one;
    for (uint64_t at = 0; !uses && next_attribute(bytes, count, &at, &one);)
        uses = one.number == RESERVED_USED || one.number == RESERVED_SIZE;
    return uses;
}

/* Returns false if the kernel's blocks have no shared memory except what a launch adds and
 * `reserved` bytes that they do not use. True if they have some, or if the cubin does not say. */
static bool has_shared(const cubin_image *image, const char *kernel, uint32_t reserved) {
    const Elf64_Shdr *info = find_section_of(image, ".nv.info.", kernel);
    const Elf64_Shdr *memory = find_section_of(image, ".nv.shared.", kernel);
    return !info || uses_reserved(bytes_of(image, info), info->sh_size) ||
           (memory && memory->sh_size > reserved);
}

bool host_module_has_shared(const host_context *context, const host_module *module,
                            const char *kernel) {
    const cubin_image image = {module->cubin, module->cubin_bytes};
    return !attach.settings.is_shared_only || !host_is_still_there(module) ||
           has_shared(&image, kernel, context->reserved_bytes);
}

host_parameters host_module_parameters(const host_module *module, const char *kernel) {
    const cubin_image image = {module->cubin, module->cubin_bytes};
    host_parameters out = {.count = 0};
    cubin_parameters *all = host_is_budgeted() ? malloc(sizeof *all) : NULL;
    const bool is_known =
        all && host_is_still_there(module) && host_cubin_parameters(&image, kernel, all);
    for (uint16_t i = 0; is_known && i < all->count && out.count < PARAMETERS_MAX; i++)
        if (all->list[i].size > 0)
            out.list[out.count++] =
                (host_parameter){i, (uint16_t)all->list[i].size, (uint16_t)all->list[i].offset};
    free(all);
    return out;
}

bool host_module_has_kernel(const host_module *module, const char *kernel) {
    const cubin_image image = {module->cubin, module->cubin_bytes};
    return host_is_still_there(module) && find_section_of(&image, ".text.", kernel);
}

/* Visits every symbol; `name` is "" if it has none. */
static void each_symbol(const cubin_image *image,
                        void (*visit)(void *user, const cubin_image *image, uint32_t number,
                                      const Elf64_Sym *symbol, const char *name),
                        void *user) {
    const Elf64_Shdr *section;
    for (unsigned i = 0; (section = section_at(image, i)); i++) {
        const char *bytes = section->sh_type == SHT_SYMTAB ? bytes_of(image, section) : NULL;
        for (uint32_t k = 0; bytes && k < section->sh_size / sizeof(Elf64_Sym); k++) {
            Elf64_Sym symbol;
            memcpy(&symbol, bytes + k * sizeof symbol, sizeof symbol);
            visit(user, image, k, &symbol, text_at(image, section->sh_link, symbol.st_name));
        }
    }
}

static void add_variable(void *user, const cubin_image *image, uint32_t number,
                         const Elf64_Sym *symbol, const char *name) {
    host_variables *to = user;
    const Elf64_Shdr *home = section_at(image, symbol->st_shndx);
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || !home)
        return;
    const char *place = name_of(image, home);
    const bool is_constant = strcmp(place, ".nv.constant3") == 0;
    if (!is_constant && strncmp(place, ".nv.global", 10) != 0)
        return;
    host_variable *made = host_grow((void **)&to->list, &to->count, sizeof *made);
    if (!made)
        return;
    *made = (host_variable){.symbol = number,
                            .is_constant = is_constant,
                            .name = strdup(name),
                            .bytes = symbol->st_size,
                            .value = symbol->st_value,
                            .home = bytes_of(image, home) ? home->sh_offset : 0,
                            .home_bytes = home->sh_size};
    to->count -= !made->name;
}

void host_variables_list(const cubin_image *image, host_variables *out) {
    each_symbol(image, add_variable, out);
}

/* A list of names. */
typedef struct name_list {
    char **names;
    size_t count;
} name_list;

static void add_device_function(void *user, const cubin_image *image, uint32_t number,
                                const Elf64_Sym *symbol, const char *name) {
    name_list *to = user;
    (void)image, (void)number;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || (symbol->st_other & IS_KERNEL) != 0 ||
        symbol->st_size == 0 || name[0] == '\0')
        return;
    char **made = host_grow((void **)&to->names, &to->count, sizeof *made);
    if (made && !(*made = strdup(name)))
        to->count--;
}

size_t host_device_functions(const char *bytes, size_t size, char ***names) {
    name_list list = {NULL, 0};
    each_symbol(&(cubin_image){bytes, size}, add_device_function, &list);
    *names = list.names;
    return list.count;
}

static void find_launch(void *user, const cubin_image *image, uint32_t number,
                        const Elf64_Sym *symbol, const char *name) {
    (void)image, (void)number, (void)symbol;
    *(bool *)user |= strncmp(name, "__cudaCDP", 9) == 0 && strstr(name, "LaunchDevice");
}

bool host_module_nests(const host_module *module) {
    bool found = false;
    if (host_is_still_there(module))
        each_symbol(&(cubin_image){module->cubin, module->cubin_bytes}, find_launch, &found);
    return found;
}

/* ---- Variables of a module whose launch is kept: __device__ ones, an array each, and constant
 * memory ---- */

void host_variables_find(void *module, host_variables *variables) {
    int (*find)(uint64_t * address, size_t * bytes, void *module, const char *name);
    const bool is_there = host_driver_function("cuModuleGetGlobal_v2", &find);
    for (size_t i = 0; is_there && i < variables->count; i++) {
        host_variable *variable = &variables->list[i];
        size_t bytes;
        if (variable->address == 0 && find(&variable->address, &bytes, module, variable->name) != 0)
            variable->address = 0;
    }
}

bool host_variables_copy(const host_variables *from, host_variables *out) {
    memset(out, 0, sizeof *out);
    out->list = calloc(from->count + 1, sizeof *out->list);
    for (size_t i = 0; out->list && i < from->count; i++) {
        out->list[i] = from->list[i];
        out->list[i].name = strdup(from->list[i].name);
        if (!out->list[i].name)
            return false;
        out->count++;
    }
    return out->list;
}

void host_variables_clear(host_variables *variables) {
    for (size_t i = 0; i < variables->count; i++)
        free(variables->list[i].name);
    free(variables->list);
    memset(variables, 0, sizeof *variables);
}

enum { EXTRA_END = 0, EXTRA_BYTES = 1, EXTRA_SIZE = 2 };

const char *host_packed(void **extra, size_t *size) {
    const char *packed = NULL;
    *size = 0;
    for (size_t i = 0; extra && extra[i] != (void *)EXTRA_END; i += 2) {
        if (extra[i] == (void *)EXTRA_BYTES)
            packed = extra[i + 1];
        else if (extra[i] == (void *)EXTRA_SIZE)
            *size = *(const size_t *)extra[i + 1];
    }
    return *size > 0 ? packed : NULL;
}

void host_copy_packed(void **extra, void *to, size_t bytes) {
    size_t size;
    const char *packed = host_packed(extra, &size);
    if (packed)
        memcpy(to, packed, size < bytes ? size : bytes);
}
