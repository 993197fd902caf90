/* SPDX-License-Identifier: MIT */
/*
 * The heap that kernels' malloc() and free() use: one array of global memory, which stays from
 * launch to launch. What it knows of its blocks stands in it, so that a copy of its bytes is whole.
 * Accesses to what is in no block, or no longer, are findings, though a GPU lets them be.
 */
#pragma once

#include "emulate.h"

/* Above what processes and arrays of a launch have. */
#define EMU_HEAP 0x900000000000ull

/* The heap, if code asks for one and there is none yet; `bytes` 0: as the driver has it, 8 MiB.
 * False: out of memory. */
bool emu_heap_make(const smp_code *code, uint64_t bytes, smp_emu_memory *memory);
/* A block's address, a multiple of 16, in *address; 0 there: no room. False: what the heap knows
 * was overwritten. One at a time. */
bool emu_heap_take(const smp_emu_memory *memory, uint64_t bytes, uint64_t *address);
/* False: no block begins there. */
bool emu_heap_give(const smp_emu_memory *memory, uint64_t address);
/* Whether all these bytes, from `from` into the heap on, are in a block. */
bool emu_heap_is_live(const smp_emu_array *heap, uint64_t from, uint64_t bytes);
/* What is at `from`, where that is in none: "byte 40 of a block of malloc(), which has 40". True:
 * it was in one, and free() has taken it back. */
bool emu_heap_describe(const smp_emu_array *heap, uint64_t from, char *text, size_t size);
