/* SPDX-License-Identifier: MIT */
/* One folder, one source file, one program, one file that it writes. */
#define _POSIX_C_SOURCE 200809L
#include "code_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#ifndef SMP_CXX
#define SMP_CXX ""
#endif

enum { COMMAND_MAX = 1600 };

bool code_can_run(void) {
    return SMP_CXX[0] != '\0';
}

void code_folder_make(char folder[64]) {
    strcpy(folder, "/tmp/smemprobe-code-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

void code_folder_remove(const char *folder) {
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static FILE *open_in(const char *folder, const char *name, const char *mode) {
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    ck_assert_ptr_nonnull(file);
    return file;
}

FILE *code_open(const char *folder) {
    return open_in(folder, "code.cpp", "w");
}

FILE *code_records(const char *folder) {
    return open_in(folder, "records", "rb");
}

bool code_run(const char *folder, const char *flags) {
    char command[COMMAND_MAX];
    (void)snprintf(command, sizeof command,
                   "cd %s && { %s -std=c++17 -O0 -w %s -c code.cpp && %s -o code code.o && "
                   "./code records; } 2>errors || { head -n 20 errors >&2; false; }",
                   folder, SMP_CXX, flags, SMP_CXX);
    return system(command) == 0;
}

char *code_written(const smp_fix *fix, bool (*write)(FILE *, const smp_fix *)) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert(write(out, fix));
    fclose(out);
    return text;
}

uint64_t code_number(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}
