/* SPDX-License-Identifier: MIT */
/*
 * Translates addresses: finds the bytes that lanes access in each memory. Accesses out of bounds or
 * misaligned are findings.
 */
#define _DEFAULT_SOURCE /* mincore */
#include <sys/mman.h>

#include "heap.h"
#include "memory.h"

static void complain_heap(const access_lanes *x, unsigned l, const smp_emu_array *heap) {
    char place[120];
    const bool is_freed =
        emu_heap_describe(heap, x->address[l] - heap->address, place, sizeof place);
    emu_found_at(x->warp, x->u, l, is_freed ? SMP_FINDING_FREED : SMP_FINDING_OUT_OF_BOUNDS,
                 (emu_target){x->address[l], false, heap, FOUND_THERE}, "%u bytes at %s", x->width,
                 place);
}

/* The array after the address that a negative index was meant for: it is near and the previous one
 * is not. */
static const smp_emu_array *find_behind(const smp_emu_memory *memory, uint64_t address) {
    enum { NEAR = 4096 };
    uint32_t i = 0;
    while (i < memory->count && memory->arrays[i].address <= address)
        i++;
    if (i == memory->count || memory->arrays[i].address - address > NEAR)
        return NULL;
    const smp_emu_array *before = i > 0 ? &memory->arrays[i - 1] : NULL;
    return before && address - before->address < before->size_bytes + before->freed_bytes +
                                                     memory->arrays[i].address - address
               ? NULL
               : &memory->arrays[i];
}

/* True if the program's process has memory there, from malloc() for example. */
static bool is_of_host(uint64_t address) {
    enum { PAGE = 4096 };
    unsigned char unused;
    return address >> 40 != 0 &&
           mincore((void *)(uintptr_t)(address / PAGE * PAGE), 1, &unused) == 0;
}

/* A 32-bit index into 16-byte elements misses an array by less than this. */
#define FAR (UINT64_C(1) << 36)

static void complain_global(const access_lanes *x, unsigned l) {
    const smp_emu_memory *memory = x->worker->run->memory;
    const smp_emu_array *nearest = NULL, *behind = find_behind(memory, x->address[l]);
    for (uint32_t i = 0; i < memory->count; i++)
        if (memory->arrays[i].address <= x->address[l])
            nearest = &memory->arrays[i];
    if (behind) {
        emu_found_at(x->warp, x->u, l, SMP_FINDING_OUT_OF_BOUNDS,
                     (emu_target){x->address[l], false, behind, FOUND_THERE},
                     "%u bytes, %llu bytes before %.80s, which has %llu", x->width,
                     (unsigned long long)(behind->address - x->address[l]), behind->name,
                     (unsigned long long)behind->size_bytes);
        return;
    }
    const emu_target target = {x->address[l], false, nearest, FOUND_THERE};
    const bool is_freed = nearest && x->address[l] - nearest->address < nearest->freed_bytes;
    if (nearest && nearest->live && x->address[l] - nearest->address < nearest->size_bytes)
        complain_heap(x, l, nearest);
    else if (!nearest || x->address[l] - nearest->address > FAR)
        emu_found_at(x->warp, x->u, l, SMP_FINDING_OUT_OF_BOUNDS,
                     (emu_target){x->address[l], false, NULL, FOUND_THERE},
                     "%u bytes at global address 0x%llx: no array is there%s", x->width,
                     (unsigned long long)x->address[l],
                     is_of_host(x->address[l]) ? ", it is host memory" : "");
    else if (is_freed)
        emu_found_at(x->warp, x->u, l, SMP_FINDING_FREED, target, "%u bytes at byte %llu of %.80s",
                     x->width, (unsigned long long)(x->address[l] - nearest->address),
                     nearest->name);
    else
        emu_found_at(x->warp, x->u, l, SMP_FINDING_OUT_OF_BOUNDS, target,
                     "%u bytes at byte %llu of %.80s, which has %llu", x->width,
                     (unsigned long long)(x->address[l] - nearest->address), nearest->name,
                     (unsigned long long)nearest->size_bytes);
}

static const char *const space_names[] = {
    [SLOT_SHARED] = "shared", [SLOT_GLOBAL] = "global", [SLOT_LOCAL] = "local"};

/* What lane l accesses in the memory of a slot. */
static emu_target target_of(const access_lanes *x, unsigned l, unsigned slot) {
    const uint64_t address = x->address[l];
    if (slot == SLOT_SHARED)
        return (emu_target){emu_shared_offset(x, address), true, NULL, FOUND_THERE};
    return (emu_target){address, false,
                        slot == SLOT_GLOBAL ? smp_emu_memory_find(x->worker->run->memory, address)
                                            : NULL,
                        FOUND_THERE};
}

LANES_CLONED static bool is_aligned(const access_lanes *x, uint32_t lanes, unsigned slot) {
    const uint32_t is_odd = lanes & LANES_WHERE((x->address[l] & (x->width - 1)) != 0);
    const unsigned l = is_odd == 0 ? 0 : (unsigned)__builtin_ctz(is_odd);
    if (is_odd != 0)
        emu_found_at(x->warp, x->u, l, SMP_FINDING_MISALIGNED, target_of(x, l, slot),
                     "%u bytes at %s address 0x%llx, which is not a multiple of %u", x->width,
                     space_names[slot], (unsigned long long)x->address[l], x->width);
    return is_odd == 0;
}

/* For all lanes in one array; false if some are not. */
LANES_CLONED static bool reach_array(access_lanes *x, uint32_t lanes, const smp_emu_array *array) {
    uint64_t beyond = 0;
    if (!array || array->size_bytes < x->width || array->live)
        return false;
    const uint64_t from = array->address, most = array->size_bytes - x->width;
    const uint64_t bytes = (uintptr_t)array->bytes;
    EACH_LANE {
        const uint64_t at = x->address[l] - from;
        beyond |= lanes >> l & 1 && at > most ? 1 : 0;
        x->bytes[l] = (uint8_t *)(uintptr_t)(bytes + at);
    }
    return beyond == 0;
}

static bool swaps_words(const emu_program *program) {
    return ANY(one, program->memory, program->memory_count,
               one->kind == MEMORY_ATOMIC && one->act == ATOMIC_CAS && one->width_bytes == 4);
}

/* The compiler makes an atomic of 16 bits a loop that loads the word around it, and compares and
 * swaps that. Arrays have room for its other half, which the address does not tell apart. In a
 * kernel without such a swap, a load of half a word too many is an error. */
static bool is_around_half(const access_lanes *x, const smp_emu_array *array, uint64_t address) {
    const bool is_swap = x->m->kind == MEMORY_ATOMIC && x->m->act == ATOMIC_CAS;
    return array && !array->live && x->width == 4 &&
           address - array->address + 2 == array->size_bytes &&
           (is_swap || x->m->kind == MEMORY_LOAD) && swaps_words(x->worker->run->program);
}

static bool is_reached(const access_lanes *x, const smp_emu_array *array, uint64_t address) {
    return emu_is_inside(array, address, x->width) || is_around_half(x, array, address);
}

bool emu_check_global(access_lanes *x, uint32_t lanes) {
    smp_emu_array **last = &x->worker->last_array[x->u - x->worker->run->program->uops];
    smp_emu_array *array = *last;
    if (!is_aligned(x, lanes, SLOT_GLOBAL))
        return false;
    if (reach_array(x, lanes, array))
        return true;
    EACH_LANE_OF(l, lanes) {
        if (!is_reached(x, array, x->address[l])) {
            array = smp_emu_memory_find(x->worker->run->memory, x->address[l]);
            if (!is_reached(x, array, x->address[l])) {
                complain_global(x, l);
                return false;
            }
            *last = array;
        }
        x->bytes[l] = array->bytes + (x->address[l] - array->address);
    }
    return true;
}

bool emu_check_part(access_lanes *x, unsigned l, uint32_t bytes) {
    access_lanes part = *x;
    const smp_emu_array *array = smp_emu_memory_find(x->worker->run->memory, x->address[l]);
    part.width = bytes;
    if (!emu_is_inside(array, x->address[l], bytes)) {
        complain_global(&part, l);
        return false;
    }
    x->bytes[l] = array->bytes + (x->address[l] - array->address);
    return true;
}

/* True within the part of reserved memory that code may use. */
static bool is_open(const emu_program *program, uint64_t offset, uint32_t bytes) {
    return offset >= program->reserved_place &&
           offset + bytes <= program->reserved_place + program->reserved_bytes;
}

/* ptxas combines several loads of the source into a wide one that may end after the block's last
 * byte: the chip allocates shared memory in units of 128 bytes (256 before 8.0). What is read there
 * is unwritten, and using it is a finding. */
static bool is_over_read(const access_lanes *x, uint64_t offset, uint32_t size) {
    return x->m->kind == MEMORY_LOAD && offset >= x->reserved && offset < size &&
           offset + x->width <= (size + EMU_SHARED_TAIL - 1) / EMU_SHARED_TAIL * EMU_SHARED_TAIL;
}

bool emu_check_shared(access_lanes *x, uint32_t lanes) {
    const emu_block *own = x->warp->block;
    if (!is_aligned(x, lanes, SLOT_SHARED))
        return false;
    EACH_LANE_OF(l, lanes) {
        uint64_t rank = x->address[l] >> SMP_BLOCK_SHIFT;
        uint64_t offset = x->address[l] & ((1u << SMP_BLOCK_SHIFT) - 1);
        if (rank >= x->worker->cluster_blocks) {
            emu_found_at(x->warp, x->u, l, SMP_FINDING_OUT_OF_BOUNDS, target_of(x, l, SLOT_SHARED),
                         "%u bytes in the shared memory of block %llu of the cluster, which has %u",
                         x->width, (unsigned long long)rank, x->worker->cluster_blocks);
            return false;
        }
        const bool is_own = offset >= x->reserved && offset + x->width <= own->shared_bytes;
        if (!is_own && !is_open(x->worker->run->program, offset, x->width) &&
            !is_over_read(x, offset, own->shared_bytes)) {
            emu_found_at(x->warp, x->u, l, SMP_FINDING_OUT_OF_BOUNDS, target_of(x, l, SLOT_SHARED),
                         "%u bytes at byte %lld of the block's shared memory, which has %u",
                         x->width, (long long)offset - x->reserved,
                         own->shared_bytes - x->reserved);
            return false;
        }
        x->bytes[l] = emu_cluster_of(x->warp->block)[rank].shared + offset;
    }
    return true;
}

/* A thread's stack ends at its first byte: the pointer moved down too far. */
static void complain_local(const access_lanes *x, unsigned l, uint32_t size) {
    if (x->address[l] < size || (int32_t)x->address[l] >= 0)
        emu_found_at(x->warp, x->u, l, SMP_FINDING_OUT_OF_BOUNDS, target_of(x, l, SLOT_LOCAL),
                     "%u bytes at byte %lld of the thread's local memory, which has %u", x->width,
                     (long long)x->address[l], size);
    else
        emu_found_at(
            x->warp, x->u, l, SMP_FINDING_OUT_OF_BOUNDS, target_of(x, l, SLOT_LOCAL),
            "the thread's stack overflows: %u bytes at byte %d of %u; --stack (in a program, "
            "cudaLimitStackSize) gives more, less recursion or smaller local arrays need less",
            x->width, (int32_t)x->address[l], size);
}

bool emu_check_local(access_lanes *x, uint32_t lanes) {
    uint32_t size = x->worker->run->local_bytes;
    if (!is_aligned(x, lanes, SLOT_LOCAL))
        return false;
    EACH_LANE_OF(l, lanes) {
        if (x->address[l] >= size || size - x->address[l] < x->width) {
            complain_local(x, l, size);
            return false;
        }
        x->bytes[l] =
            x->warp->block->local + (size_t)(x->warp->index * SMP_LANES + l) * size + x->address[l];
    }
    return true;
}
