/* SPDX-License-Identifier: MIT */
/*
 * The heap of malloc() and free() in kernels: one array of global memory that persists between
 * launches. Its administration is inside it, so a copy of its bytes is complete. Accesses outside
 * of allocated blocks are findings, although a GPU allows them.
 */
#pragma once

#include "emulation.h"

/* Above the addresses of processes and of launches' arrays. */
#define EMU_HEAP 0x900000000000ull

/* Makes the heap if code needs it and there is none; `bytes` 0: the driver's default, 8 MiB. False
 * if out of memory. */
bool emu_heap_make(const smp_code *code, uint64_t bytes, smp_emu_memory *memory);
/* Allocates a block at *address, a multiple of 16; 0 if there is no room. False if the heap's
 * administration was overwritten. One call at a time. */
bool emu_heap_take(const smp_emu_memory *memory, uint64_t bytes, uint64_t *address);
/* False if no block begins there. */
bool emu_heap_give(const smp_emu_memory *memory, uint64_t address);
/* True if all these bytes, `from` the start of the heap, are allocated. */
bool emu_heap_is_live(const smp_emu_array *heap, uint64_t from, uint64_t bytes);
/* Describes bytes at `from` that are not allocated: "byte 40 of a block of malloc(), which has 40".
 * True if they were in a block that free() released. */
bool emu_heap_describe(const smp_emu_array *heap, uint64_t from, char *text, size_t size);
/* True if the bytes are inside the array, which may be NULL. */
static inline bool emu_is_inside(const smp_emu_array *array, uint64_t address, uint64_t bytes) {
    return array && address >= array->address && address - array->address <= array->size_bytes &&
           array->size_bytes - (address - array->address) >= bytes &&
           (!array->live || emu_heap_is_live(array, address - array->address, bytes));
}
/* The array of the first of *lanes and which others are `here`, in the same one, with their
 * offsets; they leave *lanes. NULL if there is none, or no lane is left. */
static inline smp_emu_array *emu_next_array(const smp_emu_memory *memory, const uint64_t *address,
                                            uint64_t bytes, uint32_t *lanes, uint32_t *here,
                                            uint32_t offset[SMP_LANES]) {
    smp_emu_array *array =
        *lanes != 0 ? smp_emu_memory_find(memory, address[__builtin_ctz(*lanes)]) : NULL;
    *here = 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        if (*lanes >> l & 1 && emu_is_inside(array, address[l], bytes) &&
            address[l] - array->address < INT32_MAX) {
            offset[l] = (uint32_t)(address[l] - array->address);
            *here |= 1u << l;
        }
    *lanes &= ~*here;
    return *here != 0 ? array : NULL;
}
