/* SPDX-License-Identifier: MIT */
/*
 * A library of its own, preloaded into a program that has the CUDA runtime inside, as nvcc links it
 * by default: before any constructor runs, the entry of each cuda* function in it becomes a jump to
 * ours. The functions are found by the program's table of symbols; where there is none, and in
 * NVIDIA's libraries that have the runtime inside, by an archive of the same version
 * (profile/inner_runtime.h).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inner_runtime.h"
#include "opened_later.h"

enum { JUMP_BYTES = 12 }; /* movabs $address, %rax; jmp *%rax: functions begin 16 bytes apart */

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

/* `runtime`: ours, with the driver behind it. */
static void replace(void *runtime, const char *name, uintptr_t at) {
    if (strncmp(name + (strncmp(name, "__", 2) == 0 ? 2 : 0), "cuda", 4) != 0)
        return;
    const void *ours = dlsym(runtime, name);
    if (ours)
        put_jump(at, ours);
}

/* ---- By the program's symbols ---- */

/* The program's file, and its address in memory. */
typedef struct program {
    const uint8_t *bytes;
    size_t size;
    uintptr_t base;
    void *runtime;
} program;

static int find_base(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    *(uintptr_t *)user = info->dlpi_addr;
    return 1; /* the first object is the program */
}

/* `library`: "libcudart.so.13" */
static bool open_program(const char *library, program *out) {
    const int file = library && *library ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
    struct stat info;
    void *bytes = MAP_FAILED;
    if (file >= 0 && fstat(file, &info) == 0 && (size_t)info.st_size > sizeof(Elf64_Ehdr))
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        (void)close(file);
    if (bytes == MAP_FAILED)
        return false;
    *out = (program){.bytes = bytes,
                     .size = (size_t)info.st_size,
                     .runtime = dlopen(library, RTLD_NOW | RTLD_NOLOAD)};
    (void)dl_iterate_phdr(find_base, &out->base);
    return out->runtime && memcmp(out->bytes, ELFMAG, SELFMAG) == 0;
}

static void replace_by_symbols(const program *p, const Elf64_Shdr *table, const Elf64_Shdr *texts) {
    const Elf64_Sym *symbols = (const void *)(p->bytes + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF &&
            symbols[i].st_size >= JUMP_BYTES && symbols[i].st_name < texts->sh_size)
            replace(p->runtime, (const char *)p->bytes + texts->sh_offset + symbols[i].st_name,
                    p->base + symbols[i].st_value);
}

static void replace_in_program(const char *library) {
    program p;
    const Elf64_Shdr *table;
    if (!open_program(library, &p))
        return;
    for (unsigned i = 0; (table = inner_runtime_section(p.bytes, p.size, i)); i++) {
        const Elf64_Shdr *texts = inner_runtime_section(p.bytes, p.size, table->sh_link);
        /* Texts end with a zero. */
        if (table->sh_type == SHT_SYMTAB && texts && texts->sh_size > 0 &&
            p.bytes[texts->sh_offset + texts->sh_size - 1] == '\0')
            replace_by_symbols(&p, table, texts);
    }
    (void)munmap((void *)(uintptr_t)p.bytes, p.size);
}

/* ---- By an archive ---- */

enum { ARCHIVES = 8, PLACES = 64, SEEN = 1024 };

typedef struct archive {
    inner_runtime inside;
    void *runtime; /* ours of the same version */
} archive;

typedef struct place {
    archive *of;
    const uint8_t **functions; /* of an object that contains it */
} place;

static archive archives[ARCHIVES];
static unsigned archive_count;
static uintptr_t seen[SEEN]; /* addresses of the objects that were searched */
static unsigned seen_count;

typedef struct places {
    place list[PLACES];
    unsigned count;
} places;

static bool is_new(uintptr_t base) {
    for (unsigned i = 0; i < seen_count; i++)
        if (seen[i] == base)
            return false;
    if (seen_count < SEEN)
        seen[seen_count++] = base;
    return true;
}

static bool look_for(archive *of, const void *bytes, size_t size, places *found) {
    const uint8_t **functions = calloc(of->inside.symbol_count + 1, sizeof *functions);
    if (functions && inner_runtime_find(&of->inside, bytes, size, functions)) {
        found->list[found->count++] = (place){of, functions};
        return true;
    }
    free(functions);
    return false;
}

/* Searches the code of a loaded object. */
static int look_into(struct dl_phdr_info *info, size_t size, void *user) {
    places *found = user;
    (void)size;
    for (unsigned i = is_new(info->dlpi_addr) ? 0 : info->dlpi_phnum; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const void *bytes = (const void *)(info->dlpi_addr + part->p_vaddr);
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || !(part->p_flags & PF_R))
            continue;
        for (unsigned k = 0; k < archive_count && found->count < PLACES; k++)
            if (look_for(&archives[k], bytes, part->p_filesz, found))
                break;
    }
    return 0;
}

static void replace_all(const place *found) {
    const inner_runtime *inside = &found->of->inside;
    const char *name;
    size_t at;
    if (!found->of->runtime)
        found->of->runtime = dlopen(inside->library, RTLD_NOW);
    for (size_t i = 0; found->of->runtime && i < inside->symbol_count; i++)
        if (found->functions[i] && (name = inner_runtime_function(inside, i, &at)))
            replace(found->of->runtime, name, (uintptr_t)found->functions[i]);
    free(found->functions);
}

static void replace_by_archives(void) {
    places found = {.count = 0};
    (void)dl_iterate_phdr(look_into, &found);
    for (unsigned i = 0; i < found.count; i++)
        replace_all(&found.list[i]);
}

/* ---- Libraries that are opened later ---- */

/* A library at the address of a closed one must be searched, too. */
static int count_closed(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    *(unsigned long long *)user = info->dlpi_subs;
    return 1;
}

static void look_again(void) {
    static unsigned long long closed;
    unsigned long long now = closed;
    (void)dl_iterate_phdr(count_closed, &now);
    if (now != closed)
        seen_count = 0;
    closed = now;
    replace_by_archives();
}

/* The loader, which calls look_again, cannot open our runtimes then. */
static void ask_loader(void) {
    char name[sizeof OPENED_LATER_NAME + 2 * sizeof(uintptr_t)];
    for (unsigned i = 0; i < archive_count; i++)
        if (!archives[i].runtime)
            archives[i].runtime = dlopen(archives[i].inside.library, RTLD_NOW);
    (void)snprintf(name, sizeof name, OPENED_LATER_NAME "%zx", (size_t)(uintptr_t)look_again);
    (void)dlopen(name, RTLD_NOW);
    (void)dlerror();
    /* A loader that audits and opens libraries so early leaves this thread's variables of the C
     * library as they are in its file, and the tables of <ctype.h> have no address there. */
    (void)uselocale(LC_GLOBAL_LOCALE);
}

/* This runs so early that the C library's environment is not set yet; dlopen() would leave it
 * empty. */
__attribute__((constructor)) static void start(int argc, char **argv, char **environment) {
    (void)argc;
    (void)argv;
    environ = environment;
    replace_in_program(getenv("SMP_RUNTIME_STATIC"));
    const char *list = getenv("SMP_RUNTIME_ARCHIVES"), *later = getenv("SMP_RUNTIME_LATER");
    for (char path[INNER_PATH_BYTES]; archive_count < ARCHIVES && inner_runtime_next(&list, path);)
        archive_count += inner_runtime_open(path, &archives[archive_count].inside);
    replace_by_archives();
    if (later && archive_count > 0)
        ask_loader();
    for (unsigned i = 0; i < archive_count && !later; i++)
        inner_runtime_close(&archives[i].inside);
}
