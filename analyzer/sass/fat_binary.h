/* SPDX-License-Identifier: MIT */
/*
 * fat_binary.h: the code for GPUs that compilers put into programs. A fat binary is one container
 * or several, one behind the other; a container has an entry for each architecture, of machine code
 * or PTX, which may be packed by LZ4 (CUDA before 12.8) or zstd. The format is not documented: its
 * fields are those that `cuobjdump` and `nvcc --compress-mode` of CUDA 11 to 13 agree on.
 */
#pragma once

#include "disassembly.h"

/* Other kinds (code for the linker's optimizer) are no code that runs. */
enum { SMP_FAT_PTX = 1, SMP_FAT_CUBIN = 2 };

/* One entry, where it lies in the caller's bytes. */
typedef struct smp_fat_code {
    const uint8_t *stored;
    size_t stored_bytes;
    size_t bytes; /* of the code, unpacked */
    uint32_t kind, flags;
    uint32_t cc; /* 10 x major + minor of what it was compiled for */
} smp_fat_code;

typedef struct smp_fat_list {
    smp_fat_code *codes; /* in the order of the file */
    size_t count;
} smp_fat_list;

/* True if the bytes begin as what smp_fat_read reads. */
bool smp_fat_known(const void *bytes, size_t size);
/* The entries of containers, of an ELF file (a program, a library, an object) or of a static
 * library, whose bytes must live as long as *out is used. SMP_E_READ: damaged; the message has no
 * name of a file. No entries at all is SMP_OK. */
smp_status smp_fat_read(const void *bytes, size_t size, smp_fat_list *out, smp_error *error);
void smp_fat_free(smp_fat_list *list);

/* Bytes of one container in memory, by its header; 0: it is none. */
size_t smp_fat_size(const void *container);

/* The code, malloc'ed, with a NUL behind it; PTX ends at the first NUL. */
smp_status smp_fat_unpack(const smp_fat_code *code, char **out, smp_error *error);
/* The same of machine code, opened; *out owns the bytes. */
smp_status smp_fat_open(const smp_fat_code *code, smp_code **out, smp_error *error);
