/* SPDX-License-Identifier: MIT */
/*
 * Blocks one behind the other, each with 16 bytes before it; the search goes on where the last
 * ended, and joins free blocks on its way. Bytes that were never used are zero: one free block.
 */
#include "heap.h"

#include <stdlib.h>
#include <string.h>

#include "cubin.h"

enum { UNIT = 16 };
#define HEAP_BYTES (8ull << 20)

typedef struct heap_head {
    uint64_t next; /* where the search begins; 0: at the first block */
    uint64_t reserved;
} heap_head;

typedef struct block_head {
    uint64_t bytes; /* with this head; 0: up to the heap's end */
    uint64_t state;
} block_head;

#define STATE_USED 0x736d702d75736564ull
enum { STATE_FREE = 0 };

bool emu_heap_make(const smp_code *code, uint64_t bytes, smp_emu_memory *memory) {
    bool is_asked = false;
    for (uint32_t i = 0; i < code->symbol_count; i++)
        is_asked |= code->symbols[i].section == 0 && strcmp(code->symbols[i].name, "malloc") == 0;
    if (!is_asked || smp_emu_memory_find(memory, EMU_HEAP) != NULL)
        return true;
    const uint64_t size = (bytes == 0 ? HEAP_BYTES : bytes) / UNIT * UNIT + 2 * (uint64_t)UNIT;
    uint8_t *made = calloc(size, 1);
    smp_emu_array *array =
        made == NULL ? NULL
                     : smp_emu_memory_place(memory, "the heap of malloc()", EMU_HEAP, size, made);
    if (array == NULL) {
        free(made);
        return false;
    }
    array->is_borrowed = false;
    return true;
}

static uint64_t block_end(const smp_emu_array *heap, const block_head *block, uint64_t at) {
    return block->bytes == 0 ? heap->size_bytes : at + block->bytes;
}

/* The block at `at`; false: no head stands there. */
static bool read_block(const smp_emu_array *heap, uint64_t at, block_head *out) {
    if (heap->size_bytes - at < sizeof(*out) || at % UNIT != 0)
        return false;
    memcpy(out, heap->bytes + at, sizeof(*out));
    return out->bytes % UNIT == 0 && out->bytes <= heap->size_bytes - at &&
           (out->state == STATE_USED || out->state == STATE_FREE);
}

static void write_block(const smp_emu_array *heap, uint64_t at, uint64_t end, uint64_t state) {
    const block_head block = {end - at, state};
    memcpy(heap->bytes + at, &block, sizeof(block));
}

/* Joins the free blocks behind the free one at `at`; false: a head is not one. */
static bool join(const smp_emu_array *heap, uint64_t at, uint64_t *end) {
    block_head next;
    while (*end < heap->size_bytes) {
        if (!read_block(heap, *end, &next))
            return false;
        if (next.state != STATE_FREE)
            break;
        *end = block_end(heap, &next, *end);
    }
    write_block(heap, at, *end, STATE_FREE);
    return true;
}

/* A free block of `wanted` bytes from `at` up to `stop`; 0 in *found: none. */
static bool search(const smp_emu_array *heap, uint64_t at, uint64_t stop, uint64_t wanted,
                   uint64_t *found) {
    for (*found = 0; at < stop;) {
        block_head block;
        if (!read_block(heap, at, &block))
            return false;
        uint64_t end = block_end(heap, &block, at);
        if (block.state == STATE_FREE && !join(heap, at, &end))
            return false;
        if (block.state == STATE_FREE && end - at >= wanted) {
            if (end - at > wanted)
                write_block(heap, at + wanted, end, STATE_FREE);
            write_block(heap, at, at + wanted, STATE_USED);
            *found = at;
            return true;
        }
        at = end;
    }
    return true;
}

bool emu_heap_take(const smp_emu_memory *memory, uint64_t bytes, uint64_t *address) {
    const smp_emu_array *heap = smp_emu_memory_find(memory, EMU_HEAP);
    heap_head head;
    uint64_t found;
    *address = 0;
    if (heap == NULL || bytes == 0 || bytes > heap->size_bytes)
        return true;
    memcpy(&head, heap->bytes, sizeof(head));
    const uint64_t wanted = (bytes + UNIT - 1) / UNIT * UNIT + sizeof(block_head);
    const uint64_t first = head.next == 0 ? sizeof(head) : head.next;
    if (first >= heap->size_bytes || !search(heap, first, heap->size_bytes, wanted, &found) ||
        (found == 0 && !search(heap, sizeof(head), first, wanted, &found)))
        return false;
    if (found == 0)
        return true;
    head.next = found + wanted < heap->size_bytes ? found + wanted : 0;
    memcpy(heap->bytes, &head, sizeof(head));
    *address = EMU_HEAP + found + sizeof(block_head);
    return true;
}

bool emu_heap_give(const smp_emu_memory *memory, uint64_t address) {
    const smp_emu_array *heap = smp_emu_memory_find(memory, EMU_HEAP);
    const uint64_t at = address - EMU_HEAP - sizeof(block_head);
    block_head block;
    if (address == 0)
        return true;
    if (heap == NULL || at < sizeof(heap_head) || at >= heap->size_bytes ||
        !read_block(heap, at, &block) || block.state != STATE_USED)
        return false;
    write_block(heap, at, at + block.bytes, STATE_FREE);
    return true;
}
