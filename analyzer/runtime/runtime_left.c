/* SPDX-License-Identifier: MIT */
/*
 * What each launch left in memory, for `fix`, which holds two versions of a program against each
 * other: lines of the file that SMP_RUNTIME_LEFT names,
 *
 *   launch REGISTERS LOCAL SHARED DYNAMIC GRID BLOCK WHOLE SEEN KERNEL      GRID, BLOCK: X Y Z
 *   values HEX                         all parameters of the launch above
 *   array SIZE USED HASH HASH NAME      after the launch above, of an array that it has changed
 *   ordered SIZE HASH HASH              of the array above as structs one behind the other, which
 *                                       lie in groups as SMP_RUNTIME_GROUPED says
 *
 * USED ends with the last byte that is not 0. Once so many bytes were looked at that more would
 * take minutes, only launches whose number is a power of two are SEEN; the same ones in every
 * version.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grouped_bytes.h"
#include "list.h"
#include "runtime.h"

#define BYTES_MOST (UINT64_C(16) << 30)

typedef struct left_array {
    uint64_t address, size;
    uint64_t hash[2];
} left_array;

static left_array *known; /* by address, with their state after the previous launch */
static uint32_t known_count;
static uint64_t launches, bytes_seen;

static uint64_t used_bytes(const smp_emu_array *array) {
    uint64_t used = array->size_bytes;
    while (used > 0 && array->bytes[used - 1] == 0)
        used--;
    return used;
}

static const left_array *before(const smp_emu_array *array) {
    return FIND(one, known, known_count,
                one->address == array->address && one->size == array->size_bytes);
}

/* For a grouped array: its contents without groups. */
static void write_ordered(FILE *file, const smp_emu_array *array) {
    const char *sizes = getenv("SMP_RUNTIME_GROUPED");
    uint64_t hash[2];
    uint8_t *ordered = sizes ? malloc(array->size_bytes) : NULL;
    if (ordered && grouped_bytes_order(sizes, array->bytes, ordered, array->size_bytes)) {
        const uint64_t bytes = grouped_bytes_before(sizes, array->size_bytes);
        rt_hash(ordered, bytes, hash);
        (void)fprintf(file, "ordered %" PRIu64 " %016" PRIx64 " %016" PRIx64 "\n", bytes, hash[0],
                      hash[1]);
    }
    free(ordered);
}

static void write_arrays(FILE *file) {
    const smp_emu_memory *memory = rt_memory();
    left_array *now = NULL;
    uint32_t count = 0;
    EACH(const smp_emu_array, array, memory->arrays, memory->count) {
        const bool is_text = array->name && strncmp(array->name, "$str", 4) == 0; /* of assert() */
        if (!array->bytes || is_text || !LIST_ROOM(now, count))
            continue;
        left_array *one = &now[count++];
        *one = (left_array){.address = array->address, .size = array->size_bytes};
        rt_hash(array->bytes, array->size_bytes, one->hash);
        bytes_seen += array->size_bytes;
        const left_array *old = before(array);
        if (old && memcmp(old->hash, one->hash, sizeof one->hash) == 0)
            continue;
        (void)fprintf(file, "array %" PRIu64 " %" PRIu64 " %016" PRIx64 " %016" PRIx64 " %s\n",
                      array->size_bytes, used_bytes(array), one->hash[0], one->hash[1],
                      array->name ? array->name : "memory");
        write_ordered(file, array);
    }
    free(known);
    known = now;
    known_count = count;
}

void rt_left_write(const rt_kernel *kernel, const smp_launch *launch, bool is_whole) {
    const char *path = getenv("SMP_RUNTIME_LEFT");
    const smp_function *f = kernel->function;
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    launches++;
    const bool is_seen = bytes_seen < BYTES_MOST || (launches & (launches - 1)) == 0;
    (void)fprintf(file, "launch %u %u %u %u %u %u %u %u %u %u %d %d %s\n", f->registers,
                  f->local_bytes, f->shared_bytes, launch->dynamic_shared_bytes, launch->grid[0],
                  launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
                  launch->block[2], is_whole, is_seen, smp_function_full_name(f));
    fputs("values ", file);
    for (uint32_t i = 0; i < f->parameter_bytes; i++)
        (void)fprintf(file, "%02x", launch->parameters[i]);
    fputc('\n', file);
    if (is_seen)
        write_arrays(file);
    if (fclose(file) != 0)
        rt_note("%s could not be written", path);
}
