/* SPDX-License-Identifier: MIT */
/*
 * Global memory as arrays with gaps between them, so that what leaves one is in none.
 */
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "list.h"

enum { ADDRESS_STEP = 512, GAP = 1 << 16 };
#define FIRST_ADDRESS 0x7f0000000000ull

smp_emu_array *smp_emu_memory_add(smp_emu_memory *memory, const char *name, uint64_t size_bytes) {
    if (size_bytes > (1ull << 40))
        return NULL;
    if (!LIST_ROOM(memory->arrays, memory->count))
        return NULL;
    char *copy = malloc(strlen(name) + 1);
    uint8_t *bytes = calloc(size_bytes + 16, 1);
    if (copy == NULL || bytes == NULL) {
        free(copy);
        free(bytes);
        return NULL;
    }
    if (memory->next_address == 0)
        memory->next_address = FIRST_ADDRESS;
    smp_emu_array *array = &memory->arrays[memory->count++];
    *array = (smp_emu_array){strcpy(copy, name), memory->next_address, size_bytes, bytes};
    memory->next_address += (size_bytes + GAP + ADDRESS_STEP - 1) / ADDRESS_STEP * ADDRESS_STEP;
    return array;
}

void smp_emu_memory_clear(smp_emu_memory *memory) {
    for (uint32_t i = 0; i < memory->count; i++) {
        free(memory->arrays[i].name);
        free(memory->arrays[i].bytes);
    }
    free(memory->arrays);
    memset(memory, 0, sizeof(*memory));
}
