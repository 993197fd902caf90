/* SPDX-License-Identifier: MIT */
/*
 * Tells a mistake of a kernel from what its assumed arguments lack.
 */
#include "unknown_argument.h"

#include <stdio.h>
#include <string.h>

#include "launch_text.h"

/* Members of objects at a null pointer lie below this address. */
enum { NULL_BYTES = 1 << 16 };

static const char zeros[] = "follows a pointer in an argument, which an assumed launch cannot have",
                  large[] = "needs a larger array than an assumed launch has";

static const char *why_of(const smp_finding *at, const char *assumed,
                          const smp_emu_memory *memory) {
    if (!at->ends || at->kind != SMP_FINDING_OUT_OF_BOUNDS || at->is_shared || !at->has_address)
        return NULL;
    if (at->address < NULL_BYTES)
        return strstr(assumed, "is all zeros") ? zeros : NULL;
    for (uint32_t i = 0; i < memory->count; i++) {
        const smp_emu_array *array = &memory->arrays[i];
        if (array->size_bytes == SMP_LAUNCH_OPEN && strcmp(array->name, at->array) == 0 &&
            at->address >= array->address + array->size_bytes)
            return large;
    }
    return NULL;
}

const char *unknown_argument_take(const char *name, const char *assumed,
                                  const smp_function *function, const smp_emu_memory *memory,
                                  smp_emulation *done, const note_sink *notes) {
    const char *why = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < done->finding_count; i++) {
        const smp_finding *at = &done->findings[i];
        const char *own = why_of(at, assumed, memory);
        if (!own) {
            done->findings[kept++] = *at;
            continue;
        }
        const smp_source_line *line = smp_emu_user_line(&function->linked[at->instruction]);
        char place[256] = "";
        if (line)
            (void)snprintf(place, sizeof place, "%.230s:%u: ", line->file, line->line);
        why = own;
        note_add(notes, "%s%.500s %s; give it with --launch, or run the program: smemprobe FILE.cu",
                 place, name, why);
    }
    done->finding_count = kept;
    return why;
}
