/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a program, lets one of its own requests for memory fail: the one whose number is
 * $SMP_STARVE, counted from 1, and that of no library. Makes the file $SMP_STARVED when it does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static uintptr_t code_from, code_to; /* of the program */
static atomic_long left;             /* requests until the one that fails; 0: none fails */

/* The first object is the program. */
static int find_program(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size, (void)user;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            code_from = info->dlpi_addr + part->p_vaddr;
            code_to = code_from + part->p_memsz;
        }
    }
    return 1;
}

__attribute__((constructor)) static void start(void) {
    (void)dl_iterate_phdr(find_program, NULL);
    (void)unsetenv("LD_PRELOAD"); /* programs that this one starts are let alone */
}

static bool fails(const void *caller) {
    const uintptr_t address = (uintptr_t)caller;
    if (left <= 0 || address < code_from || address >= code_to)
        return false;
    if (atomic_fetch_sub(&left, 1) != 1)
        return false;
    const char *note = getenv("SMP_STARVED");
    if (note)
        (void)close(open(note, O_CREAT | O_WRONLY, 0600));
    return true;
}

typedef int (*main_fn)(int, char **, char **);

static main_fn program_main;

/*
 * Code that runs before main (the CUDA runtime, which does not check for memory there) and after
 * it (gcov's counters) gets all the memory that it requests.
 */
static int run_main(int argc, char **argv, char **environment) {
    const char *number = getenv("SMP_STARVE");
    left = number ? strtol(number, NULL, 10) : 0;
    const int status = program_main(argc, argv, environment);
    left = 0;
    return status;
}

int __libc_start_main(main_fn start_main, int argc, char **argv, void (*begin)(void),
                      void (*end)(void), void (*end_loader)(void), void *stack) {
    int (*real)(main_fn, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = start_main;
    return real(run_main, argc, argv, begin, end, end_loader, stack);
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *address, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(address, bytes);
}
