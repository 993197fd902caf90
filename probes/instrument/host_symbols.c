/* SPDX-License-Identifier: MIT */
/*
 * host_symbols.c: which functions of a cubin are no kernels. Their instructions are somewhere
 * else than those of the kernels that call them, so their places have to be asked for by name.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "host_part.h"

/* In st_other: the function is a kernel. */
#define IS_KERNEL 0x10

typedef struct cubin_view {
    const char *bytes;
    size_t count;
} cubin_view;

/* `bytes` bytes at `at`, or NULL if they are not all there. */
static const void *part(const cubin_view *cubin, uint64_t at, uint64_t bytes) {
    return at <= cubin->count && bytes <= cubin->count - at ? cubin->bytes + at : NULL;
}

static bool section(const cubin_view *cubin, const Elf64_Ehdr *head, size_t i, Elf64_Shdr *out) {
    const void *at = part(cubin, head->e_shoff + i * sizeof *out, sizeof *out);
    if (at != NULL)
        memcpy(out, at, sizeof *out);
    return at != NULL;
}

/* The name at `at` of a table of strings, if it ends inside it. */
static const char *name_at(const cubin_view *cubin, const Elf64_Shdr *strings, uint32_t at) {
    const char *table = part(cubin, strings->sh_offset, strings->sh_size);
    if (table == NULL || at >= strings->sh_size ||
        memchr(table + at, '\0', strings->sh_size - at) == NULL)
        return NULL;
    return table + at;
}

static void add_name(char ***names, size_t *count, const char *name) {
    char **grown = realloc(*names, (*count + 1) * sizeof *grown);
    if (grown == NULL)
        return;
    *names = grown;
    grown[*count] = strdup(name);
    *count += grown[*count] != NULL;
}

size_t host_device_functions(const char *bytes, size_t size, char ***names) {
    cubin_view cubin = {bytes, size};
    Elf64_Ehdr head;
    Elf64_Shdr symbols, strings;
    size_t count = 0;
    const void *at = part(&cubin, 0, sizeof head);
    *names = NULL;
    if (at == NULL || memcmp(at, ELFMAG, SELFMAG) != 0 || bytes[EI_CLASS] != ELFCLASS64)
        return 0;
    memcpy(&head, at, sizeof head);
    for (size_t i = 0; i < head.e_shnum; i++) {
        if (!section(&cubin, &head, i, &symbols) || symbols.sh_type != SHT_SYMTAB ||
            !section(&cubin, &head, symbols.sh_link, &strings))
            continue;
        for (uint64_t k = 0; k < symbols.sh_size / sizeof(Elf64_Sym); k++) {
            Elf64_Sym symbol;
            at = part(&cubin, symbols.sh_offset + k * sizeof symbol, sizeof symbol);
            if (at == NULL)
                break;
            memcpy(&symbol, at, sizeof symbol);
            const char *name = name_at(&cubin, &strings, symbol.st_name);
            if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & IS_KERNEL) == 0 &&
                symbol.st_size > 0 && name != NULL)
                add_name(names, &count, name);
        }
    }
    return count;
}
