/* SPDX-License-Identifier: MIT */
/* Global memory as arrays with gaps between them, so that an access past one hits none. */
#include <stdlib.h>
#include <string.h>

#include "emulation.h"
#include "list.h"

enum { ADDRESS_STEP = 512 };
#define GAP (UINT64_C(1) << 32)
#define FIRST_ADDRESS 0x7f0000000000ull

uint64_t smp_emu_memory_held(const smp_emu_memory *memory) {
    uint64_t held = 0;
    for (uint32_t i = 0; i < memory->count; i++)
        held += memory->arrays[i].is_borrowed ? 0 : memory->arrays[i].size_bytes;
    return held;
}

smp_emu_array *smp_emu_memory_add(smp_emu_memory *memory, const char *name, uint64_t size_bytes) {
    if (size_bytes > SMP_EMU_ARRAY_MOST ||
        (memory->most_bytes > 0 && smp_emu_memory_held(memory) + size_bytes > memory->most_bytes))
        return NULL;
    if (!LIST_ROOM(memory->arrays, memory->count))
        return NULL;
    char *copy = strdup(name);
    uint8_t *bytes = calloc(size_bytes + 16, 1);
    if (!copy || !bytes) {
        free(copy);
        free(bytes);
        return NULL;
    }
    if (memory->next_address == 0)
        memory->next_address = FIRST_ADDRESS;
    smp_emu_array *array = &memory->arrays[memory->count++];
    *array = (smp_emu_array){
        .name = copy, .address = memory->next_address, .size_bytes = size_bytes, .bytes = bytes};
    memory->next_address += (size_bytes + GAP + ADDRESS_STEP - 1) / ADDRESS_STEP * ADDRESS_STEP;
    return array;
}

/* The first array that ends, or ended before it was freed, after `address`. */
static uint32_t place_of(const smp_emu_memory *memory, uint64_t address) {
    uint32_t low = 0, high = memory->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const smp_emu_array *array = &memory->arrays[middle];
        if (array->address + array->size_bytes + array->freed_bytes <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

smp_emu_array *smp_emu_memory_known(const smp_emu_memory *memory, uint64_t address) {
    uint32_t at = place_of(memory, address);
    return at < memory->count && memory->arrays[at].address <= address ? &memory->arrays[at] : NULL;
}

smp_emu_array *smp_emu_memory_find(const smp_emu_memory *memory, uint64_t address) {
    smp_emu_array *found = smp_emu_memory_known(memory, address);
    return found && found->freed_bytes == 0 ? found : NULL;
}

smp_emu_array *smp_emu_memory_place(smp_emu_memory *memory, const char *name, uint64_t address,
                                    uint64_t size_bytes, uint8_t *bytes) {
    char *copy = strdup(name);
    if (!copy || !LIST_ROOM(memory->arrays, memory->count)) {
        free(copy);
        return NULL;
    }
    uint32_t at = place_of(memory, address);
    smp_emu_array *array = &memory->arrays[at];
    memmove(array + 1, array, (memory->count - at) * sizeof(*array));
    memory->count++;
    *array = (smp_emu_array){.name = copy,
                             .address = address,
                             .size_bytes = size_bytes,
                             .bytes = bytes,
                             .is_borrowed = true};
    return array;
}

static void free_array(smp_emu_array *array) {
    free(array->name);
    free(array->live);
    if (!array->is_borrowed)
        free(array->bytes);
}

void smp_emu_memory_remove(smp_emu_memory *memory, smp_emu_array *array) {
    free_array(array);
    memory->count--;
    memmove(array, array + 1,
            (size_t)(memory->arrays + memory->count - array) * sizeof(*memory->arrays));
}

void smp_emu_memory_clear(smp_emu_memory *memory) {
    for (uint32_t i = 0; i < memory->count; i++)
        free_array(&memory->arrays[i]);
    free(memory->arrays);
    memset(memory, 0, sizeof(*memory));
}
