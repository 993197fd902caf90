/* SPDX-License-Identifier: MIT */
/*
 * Lays an object like one of libcudart_static.a into other bytes, as a
 * linker does, and finds it again; damaged archives are refused.
 */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inner_runtime.h"
#include "suite.h"

enum { FUNCTION = 500 };
enum { CODE = 70000, PLACE = 400, FUNCTION_AT = 4096, LAID_AT = 1234, SPACE = 100000 };

static const char names[] =
    "\0cudaGetDeviceProperties\0cudaMalloc\0cudaFree\0cudaMemset\0cudaMemcpy";

typedef struct object {
    Elf64_Ehdr header;
    Elf64_Shdr sections[5];
    Elf64_Sym symbols[6];
    Elf64_Rela places[CODE / PLACE];
    char names[sizeof names];
    uint8_t code[CODE];
} object;

static struct {
    char head[68]; /* the archive's, the member's */
    uint8_t bytes[sizeof(object)];
} archive;

static object made;
static uint8_t space[SPACE];
static const uint8_t *functions[6];
static char path[64];

static Elf64_Shdr section(unsigned type, size_t at, size_t size) {
    return (Elf64_Shdr){.sh_type = type, .sh_offset = at, .sh_size = size};
}

static void make(void) {
    memset(&made, 0, sizeof made);
    for (unsigned i = 0; i < CODE; i++)
        made.code[i] = (uint8_t)rand();
    for (unsigned i = 0; i < CODE / PLACE; i++)
        made.places[i] = (Elf64_Rela){.r_offset = (Elf64_Addr)i * PLACE, .r_info = R_X86_64_PLT32};
    memcpy(made.header.e_ident, ELFMAG, SELFMAG);
    made.header.e_shoff = offsetof(object, sections);
    made.header.e_shnum = 5;
    made.sections[1] = section(SHT_PROGBITS, offsetof(object, code), CODE);
    made.sections[1].sh_flags = SHF_EXECINSTR;
    made.sections[2] = section(SHT_RELA, offsetof(object, places), sizeof made.places);
    made.sections[2].sh_info = 1;
    made.sections[3] = section(SHT_SYMTAB, offsetof(object, symbols), sizeof made.symbols);
    made.sections[3].sh_link = 4;
    made.sections[4] = section(SHT_STRTAB, offsetof(object, names), sizeof names);
    static const Elf64_Sym rows[] = {{.st_name = 1, .st_size = FUNCTION},
                                     {.st_name = 25, .st_size = FUNCTION, .st_value = FUNCTION_AT},
                                     {.st_name = 36, .st_size = FUNCTION, .st_value = 20000},
                                     {.st_name = 45, .st_size = FUNCTION, .st_value = 30000},
                                     {.st_name = 56, .st_size = FUNCTION, .st_value = 50000}};
    memcpy(made.symbols + 1, rows, sizeof rows);
    for (unsigned i = 0; i < 5; i++) {
        made.symbols[1 + i].st_info = STT_FUNC;
        made.symbols[1 + i].st_shndx = 1;
    }
    memcpy(made.names, names, sizeof names);
}

/* The archive of what was made, cut to `size` bytes. */
static void write_archive(size_t size) {
    memset(archive.head, ' ', sizeof archive.head);
    memcpy(archive.head, "!<arch>\n", 8);
    archive.head[8 + 48 + snprintf(archive.head + 8 + 48, 11, "%zu", sizeof made)] = ' ';
    memcpy(archive.bytes, &made, sizeof made);
    (void)snprintf(path, sizeof path, "/tmp/inner-XXXXXX");
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert(write(file, &archive, size) == (ssize_t)size);
    ck_assert_int_eq(close(file), 0);
}

/* As a linker does, which fills the places in; `other`: of a thousand other bytes, how many differ.
 */
static void lay(unsigned other) {
    for (unsigned i = 0; i < SPACE; i++)
        space[i] = (uint8_t)rand();
    for (unsigned i = 0; i < CODE; i++)
        if (i % PLACE >= 4)
            space[LAID_AT + i] = (uint8_t)(made.code[i] ^ (i % 1000 < other));
}

START_TEST(code_is_found_again) {
    inner_runtime runtime;
    size_t at;
    make();
    write_archive(sizeof archive);
    ck_assert(inner_runtime_open(path, &runtime));
    ck_assert_str_eq(runtime.library, "libcudart.so.13");
    lay(5);
    ck_assert(inner_runtime_find(&runtime, space, SPACE, functions));
    ck_assert_ptr_null(functions[0]);
    ck_assert_ptr_eq(functions[2], space + LAID_AT + FUNCTION_AT);
    ck_assert(inner_runtime_find(&runtime, space + LAID_AT, CODE, functions));
    ck_assert(!inner_runtime_find(&runtime, space + LAID_AT, CODE - 1, functions));
    lay(20); /* another version */
    ck_assert(!inner_runtime_find(&runtime, space, SPACE, functions));
    ck_assert_str_eq(inner_runtime_function(&runtime, 2, &at), "cudaMalloc");
    ck_assert_uint_eq(at, FUNCTION_AT);
    inner_runtime_close(&runtime);
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

/* Moves a function of what is laid by 600 bytes at most, over bytes that are of none. */
static void move(unsigned at, int by) {
    memmove(space + LAID_AT + at + by, space + LAID_AT + at, FUNCTION);
    if (by > 0)
        memset(space + LAID_AT + at, 0, (unsigned)by);
}

START_TEST(functions_are_found_one_by_one) {
    inner_runtime runtime;
    make();
    write_archive(sizeof archive);
    ck_assert(inner_runtime_open(path, &runtime));
    lay(0);
    memset(space + LAID_AT + 21000, 7, 8000); /* it is not the same any more */
    memset(space + LAID_AT + 31000, 7, 18000);
    move(FUNCTION_AT, 300);
    move(30000, -200);
    ck_assert(inner_runtime_find(&runtime, space, SPACE, functions));
    ck_assert_ptr_eq(functions[1], space + LAID_AT);
    ck_assert_ptr_eq(functions[2], space + LAID_AT + FUNCTION_AT + 300);
    ck_assert_ptr_eq(functions[3], space + LAID_AT + 20000);
    ck_assert_ptr_eq(functions[4], space + LAID_AT + 29800);
    ck_assert_ptr_eq(functions[5], space + LAID_AT + 50000);
    space[LAID_AT + 29900] ^= 1; /* one of five that is not there */
    ck_assert(inner_runtime_find(&runtime, space, SPACE, functions));
    ck_assert_ptr_null(functions[4]);
    memcpy(space + LAID_AT + 60000, space + LAID_AT + 50000,
           FUNCTION); /* as far as the one before */
    ck_assert(inner_runtime_find(&runtime, space, SPACE, functions));
    space[LAID_AT + 20100] ^= 1; /* two of them: another version */
    ck_assert(!inner_runtime_find(&runtime, space, SPACE, functions));
    inner_runtime_close(&runtime);
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

START_TEST(damaged_archives_are_refused) {
    inner_runtime runtime;
    size_t at;
    ck_assert(!inner_runtime_open("/nowhere/libcudart_static.a", &runtime));
    make();
    const object whole = made;
    for (unsigned i = 0; i < 300; i++) {
        made = whole;
        uint8_t *bytes = (uint8_t *)&made;
        for (unsigned k = 0; k < 1 + i % 4; k++)
            bytes[(unsigned)rand() % offsetof(object, places[3])] = (uint8_t)rand();
        write_archive(i % 3 == 0 ? (size_t)rand() % sizeof archive : sizeof archive);
        if (inner_runtime_open(path, &runtime)) {
            const uint8_t **any = calloc(runtime.symbol_count + 1, sizeof *any);
            (void)inner_runtime_find(&runtime, space, SPACE, any);
            free(any);
            for (size_t k = 0; k < runtime.symbol_count; k++)
                (void)inner_runtime_function(&runtime, k, &at);
        }
        inner_runtime_close(&runtime);
        ck_assert_int_eq(unlink(path), 0);
    }
}
END_TEST

int main(void) {
    return SUITE("inner runtime", TEST(code_is_found_again), TEST(functions_are_found_one_by_one),
                 TEST(damaged_archives_are_refused));
}
