/* SPDX-License-Identifier: MIT */
/*
 * Device code in programs. A fat binary is a sequence of containers; a container has an entry for
 * each architecture, with machine code or PTX, possibly packed by LZ4 (CUDA before 12.8) or zstd.
 * The format is undocumented: these fields are those on which `cuobjdump` and `nvcc
 * --compress-mode` of CUDA 11 to 13 agree.
 */
#pragma once

#include "disassembly.h"

/* Other kinds (code for the linker's optimizer) never run. */
enum { SMP_FAT_PTX = 1, SMP_FAT_CUBIN = 2 };

/* One entry, in the caller's bytes. */
typedef struct smp_fat_code {
    const uint8_t *stored;
    size_t stored_bytes;
    size_t bytes; /* unpacked size */
    uint32_t kind, flags;
    uint32_t cc; /* 10 x major + minor of its compute capability */
} smp_fat_code;

typedef struct smp_fat_list {
    smp_fat_code *codes; /* in file order */
    size_t count;
} smp_fat_list;

/* True if the bytes look like something that smp_fat_read reads. */
bool smp_fat_known(const void *bytes, size_t size);
/* Lists the entries of containers, an ELF file (program, library, object) or a static library,
 * whose bytes must live as long as *out. SMP_E_READ: damaged; the message does not name the file.
 * SMP_OK with no entries if there are none. */
smp_status smp_fat_read(const void *bytes, size_t size, smp_fat_list *out, smp_error *error);
void smp_fat_free(smp_fat_list *list);

/* Size of a container in memory, from its header; 0 if it is none. */
size_t smp_fat_size(const void *container);

/* Unpacks the code, malloc'ed, with a NUL after it; PTX ends at the first NUL. */
smp_status smp_fat_unpack(const smp_fat_code *code, char **out, smp_error *error);
/* Unpacks machine code and opens it; *out owns the bytes. */
smp_status smp_fat_open(const smp_fat_code *code, smp_code **out, smp_error *error);
