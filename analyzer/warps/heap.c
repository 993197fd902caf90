/* SPDX-License-Identifier: MIT */
/*
 * Contiguous blocks, each with 16 bytes before it. The search continues where the last one ended
 * and merges free blocks on its way. Bytes that were never used are zero: one free block. Which
 * bytes kernels may access is derived from that and kept as one bit for each byte.
 */
#include "heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin.h"

enum { UNIT = 16 };
#define HEAP_BYTES (8ull << 20)

typedef struct heap_head {
    uint64_t next; /* where the search starts; 0: at the first block */
    uint64_t used; /* end of the last block */
} heap_head;

typedef struct block_head {
    uint64_t bytes; /* including this head; 0: up to the heap's end */
    uint64_t state; /* used or free; and the unused bytes at the end of a used block */
} block_head;

#define STATE_USED 0x736d702d75736560ull
enum { STATE_FREE = 0 };

static bool is_used(const block_head *block) {
    return (block->state & ~(uint64_t)(UNIT - 1)) == STATE_USED;
}

/* The size that malloc() was called with. */
static uint64_t asked_bytes(const block_head *block) {
    return block->bytes - sizeof(*block) - (block->state & (UNIT - 1));
}

static uint64_t block_end(const smp_emu_array *heap, const block_head *block, uint64_t at) {
    return block->bytes == 0 ? heap->size_bytes : at + block->bytes;
}

/* Reads the block at `at`; false if there is no head. */
static bool read_block(const smp_emu_array *heap, uint64_t at, block_head *out) {
    if (heap->size_bytes - at < sizeof(*out) || at % UNIT != 0)
        return false;
    memcpy(out, heap->bytes + at, sizeof(*out));
    return out->bytes % UNIT == 0 && out->bytes <= heap->size_bytes - at &&
           (out->state == STATE_FREE ||
            (is_used(out) && out->bytes >= sizeof(*out) + (out->state & (UNIT - 1))));
}

static void write_block(const smp_emu_array *heap, uint64_t at, uint64_t end, uint64_t state) {
    const block_head block = {end - at, state};
    memcpy(heap->bytes + at, &block, sizeof(block));
}

/* ---- Which bytes are somebody's ---- */

/* Sets the bits of a block's bytes from a multiple of UNIT: no byte of `live` has bits of two
 * blocks. */
static void set_live(const smp_emu_array *heap, uint64_t from, uint64_t bytes, bool is_live) {
    for (uint64_t i = 0; i < bytes; i += 8) {
        const uint64_t rest = bytes - i;
        const unsigned bits = !is_live ? 0 : rest >= 8 ? 0xff : (1u << rest) - 1;
        __atomic_store_n(&heap->live[(from + i) / 8], (uint8_t)bits, __ATOMIC_RELAXED);
    }
}

bool emu_heap_is_live(const smp_emu_array *heap, uint64_t from, uint64_t bytes) {
    bool is_live = true;
    for (uint64_t i = from, end = from + bytes; i < end && is_live; i = (i / 8 + 1) * 8) {
        const uint64_t stop = end < (i / 8 + 1) * 8 ? end : (i / 8 + 1) * 8;
        const uint8_t wanted = (uint8_t)(((1u << (stop - i)) - 1) << i % 8);
        is_live = (~__atomic_load_n(&heap->live[i / 8], __ATOMIC_RELAXED) & wanted) == 0;
    }
    return is_live;
}

/* Rebuilds the bits from the blocks in the heap, up to an overwritten head. */
static void find_live(const smp_emu_array *heap) {
    block_head block;
    for (uint64_t at = sizeof(heap_head); at < heap->size_bytes && read_block(heap, at, &block);
         at = block_end(heap, &block, at))
        if (is_used(&block))
            set_live(heap, at + sizeof(block), asked_bytes(&block), true);
}

static smp_emu_array *make_empty(uint64_t bytes, smp_emu_memory *memory) {
    const uint64_t size = (bytes == 0 ? HEAP_BYTES : bytes) / UNIT * UNIT + 2 * (uint64_t)UNIT;
    uint8_t *made = calloc(size, 1);
    smp_emu_array *heap =
        made ? smp_emu_memory_place(memory, "the heap of malloc()", EMU_HEAP, size, made) : NULL;
    if (!heap)
        free(made);
    else
        heap->is_borrowed = false;
    return heap;
}

bool emu_heap_make(const smp_code *code, uint64_t bytes, smp_emu_memory *memory) {
    bool is_asked = false;
    for (uint32_t i = 0; i < code->symbol_count; i++)
        is_asked |= code->symbols[i].section == 0 && strcmp(code->symbols[i].name, "malloc") == 0;
    smp_emu_array *heap = smp_emu_memory_find(memory, EMU_HEAP);
    if (!is_asked || (heap && heap->live))
        return true;
    if (!heap && !(heap = make_empty(bytes, memory)))
        return false;
    heap->live = calloc(heap->size_bytes / 8 + 1, 1);
    if (heap->live)
        find_live(heap);
    return heap->live;
}

/* The block that contains `from`, or the one before it if `from` is in a head; false for a free
 * block. */
static bool used_block_of(const smp_emu_array *heap, uint64_t from, uint64_t *at, block_head *out) {
    block_head block;
    bool is_found = false;
    for (uint64_t next = sizeof(heap_head);
         next < heap->size_bytes && next <= from && read_block(heap, next, &block);
         next = block_end(heap, &block, next)) {
        if (is_found && from < next + sizeof(block))
            break;
        is_found = is_used(&block);
        *at = next;
        *out = block;
    }
    return is_found;
}

bool emu_heap_describe(const smp_emu_array *heap, uint64_t from, char *text, size_t size) {
    block_head block;
    heap_head head;
    uint64_t at;
    memcpy(&head, heap->bytes, sizeof(head));
    const bool is_used = used_block_of(heap, from, &at, &block);
    if (is_used)
        (void)snprintf(text, size, "byte %lld of a block of malloc(), which has %llu",
                       (long long)(from - at - sizeof(block)),
                       (unsigned long long)asked_bytes(&block));
    else
        (void)snprintf(text, size, "byte %lld of the heap of malloc(), %s",
                       (long long)(from - sizeof(head)),
                       from < head.used ? "which free() has taken back" : "which nobody was given");
    return !is_used && from < head.used;
}

/* ---- Taking and giving ---- */

/* Merges the free blocks after the free one at `at`; false if a head is damaged. */
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

/* Allocates a free block of `wanted` bytes between `at` and `stop`; *found is 0 if there is
 * none. */
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
    if (!heap || bytes == 0 || bytes > heap->size_bytes)
        return true;
    memcpy(&head, heap->bytes, sizeof(head));
    const uint64_t wanted = (bytes + UNIT - 1) / UNIT * UNIT + sizeof(block_head);
    const uint64_t slack = wanted - sizeof(block_head) - bytes;
    const uint64_t first = head.next == 0 ? sizeof(head) : head.next;
    if (first >= heap->size_bytes || !search(heap, first, heap->size_bytes, wanted, &found) ||
        (found == 0 && !search(heap, sizeof(head), first, wanted, &found)))
        return false;
    if (found == 0)
        return true;
    write_block(heap, found, found + wanted, STATE_USED | slack);
    set_live(heap, found + sizeof(block_head), bytes, true);
    head.next = found + wanted < heap->size_bytes ? found + wanted : 0;
    head.used = found + wanted > head.used ? found + wanted : head.used;
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
    if (!heap || at < sizeof(heap_head) || at >= heap->size_bytes ||
        !read_block(heap, at, &block) || !is_used(&block))
        return false;
    set_live(heap, at + sizeof(block), asked_bytes(&block), false);
    write_block(heap, at, at + block.bytes, STATE_FREE);
    return true;
}
