/* SPDX-License-Identifier: MIT */
/*
 * A launch that was kept, to be run again elsewhere: a folder with
 *
 *   launch.json      {"schema_version": 1, "kernel": mangled name, "demangled", "code":
 * "code.cubin", "grid": [3], "block": [3], "cluster": [3], "dynamic_shared_bytes", "cooperative":
 * true, or not there, "parameters": the kernel's, as hexadecimal digits, "constants": address of
 * constant bank 3 among the arrays, or null, "variables": [{"symbol": its number in the cubin,
 * "name", "address"}], "arrays": [{"name", "address", "size_bytes", "before": file, or null: zeros,
 * "after": file, or null: as before}]}
 *                    (schema/launch.json)
 *   code.cubin       the module
 *   memory-N.raw     the bytes of array N before the launch; memory-N.after.raw after it
 *
 * Arrays are those that the parameters, or the module's variables, point at, and those that these
 * point at in turn (any 8 bytes, aligned, that are an address of theirs). Addresses are the ones of
 * the run that was kept, so that pointers in memory hold.
 */
#ifndef SMP_KEPT_LAUNCH_H
#define SMP_KEPT_LAUNCH_H

#include "emulate.h"

typedef struct smp_kept_array {
    char *name;
    uint64_t address, size_bytes;
    uint8_t *before; /* NULL: zeros */
    uint8_t *after;  /* NULL: as before */
} smp_kept_array;

typedef struct smp_kept_variable {
    uint32_t symbol;
    char *name;
    uint64_t address;
} smp_kept_variable;

/* Owns all it points to. */
typedef struct smp_kept_launch {
    char *kernel, *demangled;
    uint8_t *code;
    size_t code_bytes;
    uint32_t grid[3], block[3], cluster[3], dynamic_shared_bytes;
    bool is_cooperative;
    uint8_t *parameters;
    uint32_t parameter_bytes;
    uint64_t constants; /* 0: none */
    smp_kept_variable *variables;
    uint32_t variable_count;
    smp_kept_array *arrays;
    uint32_t array_count;
} smp_kept_launch;

void smp_kept_clear(smp_kept_launch *launch);

/* Copies what a launch will read out of `memory`. */
smp_status smp_kept_take(const smp_code *code, const smp_function *function,
                         const smp_launch *launch, const smp_emu_memory *memory,
                         smp_kept_launch *out, smp_error *error);
/* After the launch: copies the arrays that it changed. */
smp_status smp_kept_take_after(const smp_emu_memory *memory, smp_kept_launch *launch,
                               smp_error *error);

/* Writes a new folder; SMP_E_EXISTS, SMP_E_WRITE. */
smp_status smp_kept_write(const smp_kept_launch *launch, const char *folder, smp_error *error);
/* SMP_E_READ, SMP_E_SYNTAX: one line that names the file and what is wrong. */
smp_status smp_kept_read(const char *folder, smp_kept_launch *out, smp_error *error);

/* Arrays as they were before the launch, at their addresses, and the module's variables. The bytes
 * are copies: *memory and the module's lists are the caller's. */
smp_status smp_kept_place(const smp_kept_launch *launch, const smp_code *code,
                          smp_emu_memory *memory, smp_emu_module *module, smp_error *error);
/* The first array, and the first byte in it, where memory is not as it was after the kept launch;
 * false: all is equal. */
bool smp_kept_differs(const smp_kept_launch *launch, const smp_emu_memory *memory, uint32_t *array,
                      uint64_t *byte);

#endif
