/* SPDX-License-Identifier: MIT */
/*
 * A launch that was kept, to be run again elsewhere: a folder with
 *
 *   code.cubin       the module
 *   launch.json      an object (schema/launch.json):
 *     schema_version         1
 *     kernel, demangled      its mangled name, and the other or null
 *     code                   "code.cubin"
 *     cooperative            true, or not there
 *     kind                   of the kernel's launches in its run, from 1, or not there; only of
 *                            samples of a run
 *     grid, block, cluster   three numbers each
 *     dynamic_shared_bytes
 *     parameters             the kernel's, as hexadecimal digits
 *     constants              the address of constant bank 3 among the arrays, or null
 *     variables              objects: symbol (its number in the cubin), name, address
 *     arrays                 objects: name, address, size_bytes, before (a file, or null: zeros),
 *                            after (a file, or null: as before), unread (true, or not there:
 *                            what is in it is not known; only of samples of a run)
 *   memory-N.raw     the bytes of array N before the launch; memory-N.after.raw after it
 *
 * Arrays are those that the parameters, or the module's variables, point at, and those that these
 * point at in turn (any 8 bytes, aligned, that are an address of theirs). Addresses are the ones of
 * the run that was kept, so that pointers in memory hold.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct smp_kept_array {
    char *name;
    uint64_t address, size_bytes;
    uint8_t *before; /* NULL for zeros */
    uint8_t *after;  /* NULL if unchanged */
    bool is_unread;  /* too large to read for a sample of blocks: `before` is unknown */
    uint32_t flags;  /* SAN_MEMORY_... of the place it is read from; not written */
} smp_kept_array;

typedef struct smp_kept_variable {
    uint32_t symbol;
    char *name;
    uint64_t address;
} smp_kept_variable;

typedef struct smp_kept_launch {
    char *kernel, *demangled;
    uint8_t *code;
    size_t code_bytes;
    char *code_file; /* a file with this code, to be linked if possible; NULL if unknown */
    uint32_t grid[3], block[3], cluster[3], dynamic_shared_bytes;
    bool is_cooperative;
    uint32_t kind; /* 0 if unknown */
    uint8_t *parameters;
    uint32_t parameter_bytes;
    uint64_t constants; /* 0 if none */
    smp_kept_variable *variables;
    uint32_t variable_count;
    smp_kept_array *arrays;
    uint32_t array_count;
    bool is_noise; /* unread arrays are filled with noise instead of zeros; not written */
} smp_kept_launch;

/* Frees everything that the launch points to. */
void smp_kept_clear(smp_kept_launch *launch);
bool smp_kept_is_zero(const uint8_t *bytes, uint64_t size);

/* Writes all files into an existing folder; returns 0 or an errno. */
int smp_kept_put(const char *folder, const smp_kept_launch *launch);
enum { KEPT_PATH_BYTES = 4096 };
/* The same into a new folder, named by a number and the kernel; stores its path. */
int smp_kept_put_new(const char *parent, const smp_kept_launch *launch, char path[KEPT_PATH_BYTES]);
