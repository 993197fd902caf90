/* SPDX-License-Identifier: MIT */
/* Arguments: their names in the source, and which mistakes only assumed ones have. */
#include "assumed_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch_text.h"
#include "text_file.h"

#define ARGUMENT "argument "

/* Members of objects at a null pointer lie below this address. */
enum { NULL_BYTES = 1 << 16, NAME_MOST = 48 };

static const char zeros[] = "follows a pointer in an argument, which an assumed launch cannot have",
                  inner[] =
                      "reaches before an argument, which the file gives a pointer plus an offset",
                  large[] = "needs a larger array than an assumed launch has";

/* Whether an argument or an array is all zeros. */
static bool has_zeros(const smp_assumed_launch *assumed) {
    for (const char *at = assumed->launch; (at = strstr(at, "[]")); at += 2)
        if (strncmp(at + 2 + strspn(at + 2, "+0123456789"), " = ", 3) != 0)
            return true;
    return strstr(assumed->assumed, "is all zeros");
}

/* Whether the finding is before "argument 2", and the file's argument is `p + 3`. */
static bool is_inner(const smp_finding *at, const smp_assumed_launch *assumed) {
    unsigned number;
    return strstr(at->message, " before ") && sscanf(at->array, ARGUMENT "%u", &number) == 1 &&
           number > 0 && number <= 64 && (assumed->inner >> (number - 1) & 1) != 0;
}

static const char *why_of(const smp_finding *at, const smp_assumed_launch *assumed,
                          const smp_emu_memory *memory) {
    if (!at->ends || at->kind != SMP_FINDING_OUT_OF_BOUNDS || at->is_shared || !at->has_address)
        return NULL;
    if (at->address < NULL_BYTES)
        return has_zeros(assumed) ? zeros : NULL;
    if (is_inner(at, assumed))
        return inner;
    EACH(const smp_emu_array, array, memory->arrays, memory->count)
        if (array->size_bytes == SMP_LAUNCH_OPEN && strcmp(array->name, at->array) == 0 &&
            at->address >= array->address + array->size_bytes)
            return large;
    return NULL;
}

const char *unknown_argument_take(const char *name, const smp_assumed_launch *assumed,
                                  const smp_function *function, const smp_emu_memory *memory,
                                  smp_emulation *done, const note_sink *notes) {
    const char *why = NULL;
    uint32_t kept = 0;
    EACH(const smp_finding, at, done->findings, done->finding_count) {
        const char *own = why_of(at, assumed, memory);
        if (!own) {
            done->findings[kept++] = *at;
            continue;
        }
        const smp_source_line *line = smp_emu_user_line(&function->linked[at->instruction]);
        char place[256] = "";
        if (line)
            (void)snprintf(place, sizeof place, "%.230s:%u: ", smp_path_from_here(line->file),
                           line->line);
        why = own;
        note_add(notes, "%s%.500s %s; give it with --launch, or run the program: smemprobe FILE.cu",
                 place, name, why);
    }
    done->finding_count = kept;
    return why;
}

/* ---- Names ---- */

/* The name of a kernel's parameter in the source; false if it is unknown. */
static bool parameter_name(const char *text, const char *demangled, unsigned number,
                           host_span *out) {
    host_kernel kernel;
    host_scope scope;
    if (number == 0 || !smp_launch_scope(demangled, text, &kernel, &scope) ||
        !host_part(kernel.parameters, number - 1, out))
        return false;
    *out = host_declared_name(*out);
    out->length = out->length < NAME_MOST ? out->length : NAME_MOST;
    return out->length > 0;
}

/* Adds the parameter's name behind "argument 2" in `of`. Out of memory: the number is enough. */
static void name_in(char **of, const char *text, const char *demangled) {
    host_span part;
    unsigned number;
    int read = 0;
    const char *at = *of ? strstr(*of, ARGUMENT) : NULL;
    if (!at || sscanf(at, ARGUMENT "%u%n", &number, &read) != 1 ||
        strncmp(at + read, " (", 2) == 0 || !parameter_name(text, demangled, number, &part))
        return;
    const size_t size = strlen(*of) + part.length + sizeof " ()";
    char *named = malloc(size);
    if (!named)
        return;
    (void)snprintf(named, size, "%.*s (%.*s)%s", (int)(at + read - *of), *of, SPAN(part),
                   at + read);
    free(*of);
    *of = named;
}

void launch_arguments_name(const char *text, const char *demangled, smp_emu_memory *memory) {
    for (uint32_t i = 0; i < memory->count; i++)
        if (strncmp(memory->arrays[i].name, ARGUMENT, strlen(ARGUMENT)) == 0)
            name_in(&memory->arrays[i].name, text, demangled);
}

void launch_findings_name(smp_profile *profile) {
    EACH(smp_profile_finding, finding, profile->findings, profile->finding_count) {
        char *text = finding->at.file ? host_text_read(finding->at.file, NULL, 0) : NULL;
        const smp_kernel_profile *kernel = smp_finding_kernel_of(profile, finding);
        if (text && kernel) {
            name_in(&finding->message, text, smp_kernel_full_name(kernel));
            name_in(&finding->array, text, smp_kernel_full_name(kernel));
        }
        free(text);
    }
}
