/* SPDX-License-Identifier: MIT */
/*
 * A library of its own, preloaded into a program that has the CUDA runtime inside, as nvcc links it
 * by default: before the program's own constructors run, the entry of each cuda* function in it
 * becomes a jump to ours. The functions are found by the program's table of symbols; without one
 * there is nothing to find, and `profile --no-gpu` says so before it starts anything.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JUMP_BYTES = 12 }; /* movabs $address, %rax; jmp *%rax: functions begin 16 bytes apart */

/* The program's file, and where it lies in memory. */
typedef struct program {
    const uint8_t *bytes;
    size_t size;
    uintptr_t base;
    void *runtime; /* ours, with the driver behind it */
} program;

static int find_base(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    *(uintptr_t *)user = info->dlpi_addr;
    return 1; /* the first object is the program */
}

static bool open_program(program *out) {
    const char *library = getenv("SMP_RUNTIME_STATIC"); /* "libcudart.so.13" */
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat info;
    void *bytes = MAP_FAILED;
    if (file >= 0 && fstat(file, &info) == 0 && (size_t)info.st_size > sizeof(Elf64_Ehdr))
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        (void)close(file);
    if (bytes == MAP_FAILED || !library)
        return false;
    *out = (program){.bytes = bytes,
                     .size = (size_t)info.st_size,
                     .runtime = dlopen(library, RTLD_NOW | RTLD_NOLOAD)};
    (void)dl_iterate_phdr(find_base, &out->base);
    return out->runtime != NULL;
}

/* Section `i`, if its bytes lie in the file. */
static const Elf64_Shdr *section_at(const program *p, unsigned i) {
    const Elf64_Ehdr *header = (const void *)p->bytes;
    if (i >= header->e_shnum || header->e_shoff > p->size ||
        (p->size - header->e_shoff) / sizeof(Elf64_Shdr) <= i)
        return NULL;
    const Elf64_Shdr *section = (const Elf64_Shdr *)(const void *)(p->bytes + header->e_shoff) + i;
    return section->sh_offset <= p->size && section->sh_size <= p->size - section->sh_offset
               ? section
               : NULL;
}

static void put_jump(uintptr_t from, const void *to) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = from & ~(page - 1);
    const uintptr_t address = (uintptr_t)to, end = from + JUMP_BYTES;
    uint8_t jump[JUMP_BYTES] = {0x48, 0xb8, [10] = 0xff, [11] = 0xe0};
    memcpy(jump + 2, &address, sizeof address);
    if (mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    memcpy((void *)from, jump, sizeof jump);
    (void)mprotect((void *)begin, end - begin, PROT_READ | PROT_EXEC);
}

static void replace_all(const program *p, const Elf64_Shdr *table, const Elf64_Shdr *texts) {
    const Elf64_Sym *symbols = (const void *)(p->bytes + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const char *name = (const char *)p->bytes + texts->sh_offset + symbols[i].st_name;
        if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC || symbols[i].st_shndx == SHN_UNDEF ||
            symbols[i].st_size < JUMP_BYTES || symbols[i].st_name >= texts->sh_size ||
            strncmp(name + (strncmp(name, "__", 2) == 0 ? 2 : 0), "cuda", 4) != 0)
            continue;
        const void *ours = dlsym(p->runtime, name);
        if (ours)
            put_jump(p->base + symbols[i].st_value, ours);
    }
}

__attribute__((constructor)) static void start(void) {
    program p;
    const Elf64_Shdr *table;
    if (!open_program(&p) || memcmp(p.bytes, ELFMAG, SELFMAG) != 0)
        return;
    for (unsigned i = 0; (table = section_at(&p, i)); i++) {
        const Elf64_Shdr *texts = section_at(&p, table->sh_link);
        /* Texts end with a zero. */
        if (table->sh_type == SHT_SYMTAB && texts && texts->sh_size > 0 &&
            p.bytes[texts->sh_offset + texts->sh_size - 1] == '\0')
            replace_all(&p, table, texts);
    }
    (void)munmap((void *)(uintptr_t)p.bytes, p.size);
}
