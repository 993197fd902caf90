/* SPDX-License-Identifier: MIT */
/*
 * A launch in CUDA C++ syntax:
 *     transpose<<<dim3(4,4), dim3(32,8)>>>(float[16384], float[16384] = iota, 128, 128)
 *
 * Numbers may be expressions (see below); 32x8 is also a shape. Arguments: a number, true,
 * false, nullptr; an array TYPE[COUNT], filled with zero (the default), iota,
 * random:LOW:HIGH[:SEED] or @FILE (raw bytes, or .npy); TYPE[COUNT]+4 for an array that starts 4
 * bytes after a multiple of 256; $2 or $2+64 for the address of the second argument's array, plus
 * bytes; hex:00ff... for a structure's bytes; tensor(half[8192], [64][128],
 * [8][32], swizzle64) for a tensor map. "-> FILE" after an array saves it when the kernel has
 * ended.
 */
#pragma once

#include <stdio.h>

#include "emulate.h"
#include "launch_type.h"

/* TYPE[]: the size of its address range; only touched pages take memory. A sanitizer records each
 * freed page, so it gets less. */
#ifdef __SANITIZE_ADDRESS__
#define SMP_LAUNCH_OPEN (UINT64_C(1) << 26)
#else
#define SMP_LAUNCH_OPEN (UINT64_C(1) << 30)
#endif

enum {
    SMP_ARGUMENTS_MAX = 256,
    SMP_LAUNCH_FILLED = 1 << 20 /* elements of a growing array TYPE[] that are filled */
};

typedef struct smp_launch_text {
    char *name; /* "reduce<float>" */
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    char *arguments[SMP_ARGUMENTS_MAX]; /* as written */
    int positions[SMP_ARGUMENTS_MAX];   /* columns in the text */
    uint32_t argument_count;
} smp_launch_text;

/* SMP_E_SYNTAX with the column. Clear *out in any case. */
smp_status smp_launch_parse(const char *text, smp_launch_text *out, smp_error *error);
void smp_launch_clear(smp_launch_text *launch);

/* Finds the kernel called `name`: its mangled name, its demangled name without parameters, or
 * without template arguments if only one kernel fits. SMP_E_SYNTAX lists the kernels. */
smp_status smp_launch_kernel(const smp_code *code, const char *name, const smp_function **out,
                             smp_error *error);

typedef struct smp_saved_array {
    uint32_t argument; /* from 0 */
    char *path;
} smp_saved_array;

/* The array of one argument. */
typedef struct smp_launch_array {
    uint32_t array; /* index in memory */
    smp_element_kind kind;
    bool is_unsigned;
    uint8_t element_bytes; /* of a component; 0: the argument is no array */
    bool is_unset;         /* its contents were not given */
    bool is_open;          /* grows when touched */
} smp_launch_array;

typedef struct smp_launch_arguments {
    uint8_t *bytes;                             /* of all parameters */
    smp_launch_array arrays[SMP_ARGUMENTS_MAX]; /* by argument */
    smp_saved_array saved[SMP_ARGUMENTS_MAX];
    uint32_t saved_count;
} smp_launch_arguments;

/* Lays out the arguments as `function` expects them and makes their arrays. error->position:
 * column. */
smp_status smp_launch_arguments_make(const smp_launch_text *launch, const smp_function *function,
                                     smp_emu_memory *memory, smp_launch_arguments *out,
                                     smp_error *error);
/* Parses the launch and checks everything that does not need the kernel: shape, types, numbers,
 * fills, and that files can be read. `text` may be NULL. Clear *out in any case. */
smp_status smp_launch_check(const char *text, smp_launch_text *out, smp_error *error);
void smp_launch_arguments_clear(smp_launch_arguments *arguments);
/* Writes the arrays with "->", in NumPy's format if the file's name ends in .npy. */
smp_status smp_launch_save(const smp_launch_arguments *arguments, const smp_emu_memory *memory,
                           smp_error *error);

typedef struct smp_difference {
    uint32_t argument;  /* from 1 */
    uint64_t count, of; /* elements that differ, out of how many; 0 if none do */
    uint64_t first;     /* index of the first difference */
    double is, should;  /* values there */
} smp_difference;

/* `text` is "N=@FILE" or "N=@FILE~TOLERANCE" (relative): argument N, from 1, and a file of its
 * bytes, raw or NumPy's. SMP_E_USAGE for any other text, SMP_E_READ for a file that does not
 * fit. */
smp_status smp_launch_compare(const char *text, const smp_launch_arguments *arguments,
                              const smp_emu_memory *memory, smp_difference *out, smp_error *error);

/* Checks the text and opens its file, before there is a launch. */
smp_status smp_launch_compare_check(const char *text, smp_error *error);

/* The number at `at`. */
double smp_launch_element(const smp_launch_array *array, const uint8_t *at);

/* Length of the header of a NumPy file; 0 if it is none. */
size_t smp_npy_head(const uint8_t *bytes, size_t size);

/* launch_number.c: integers in C++ syntax: decimal, hexadecimal and octal, + - * / % << >> ( ).
 * Reads the integer at *text and moves *text past it and following blanks. Accepts any signed or
 * unsigned 64-bit integer. `has_x`: x also multiplies, as in 32x8. Returns NULL, or what is wrong
 * at the new *text. Stops before "->" and ">>>". */
const char *smp_launch_integer(const char **text, bool has_x, __int128 *out);
