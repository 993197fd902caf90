/* SPDX-License-Identifier: MIT */
/*
 * Assembles the text of what a kernel's blocks do and groups blocks that cost the same;
 * the table of element types; the noise that fills inputs; compares results with expected ones.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"
#include "families.h"

static const smp_element_row elements[SMP_ELEMENT_COUNT] = {
#define ELEMENT_ROW(id, name, bytes, layout) [id] = {name, bytes, layout},
    SMP_ELEMENT_LIST(ELEMENT_ROW)
#undef ELEMENT_ROW
};

const smp_element_row *smp_element_info(smp_element element) {
    return &elements[element];
}

void smp_script_add(smp_kernel_script *script, const char *format, ...) {
    va_list arguments;
    const size_t room = SMP_SCRIPT_BYTES - script->length;
    va_start(arguments, format);
    int length = vsnprintf(script->text + script->length, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room)
        script->overflows = true;
    else
        script->length += (size_t)length;
}

void smp_script_define(smp_kernel_script *script, const smp_script_number *numbers) {
    for (; numbers->name; numbers++)
        smp_script_add(script, "#define %s %" PRIu64 "\n", numbers->name, numbers->value);
}

void smp_script_define_text(smp_kernel_script *script, const char *name, const char *text) {
    smp_script_add(script, "#define %s %s\n", name, text);
}

void smp_script_define_type(smp_kernel_script *script, const smp_kernel_case *problem) {
    smp_script_define_text(script, "T", smp_element_info(problem->element)->layout_name);
}

void smp_script_take(smp_kernel_script *script, const char *name) {
    const size_t length = strlen(name);
    const struct smp_embedded *file = smp_script_files;
    while (file->name &&
           (strncmp(file->name, name, length) != 0 || strcmp(file->name + length, ".smp") != 0))
        file++;
    if (file->name)
        smp_script_add(script, "%s", file->text);
    else
        script->overflows = true;
}

void smp_script_add_block(smp_kernel_script *script, uint64_t index, uint64_t times) {
    if (times == 0)
        return;
    if (script->block_count == SMP_SCRIPT_BLOCKS || index > UINT32_MAX) {
        script->overflows = true;
        return;
    }
    script->blocks[script->block_count++] = (smp_script_block){(uint32_t)index, times};
}

/* How many of 0 .. count-2 are `residue` modulo `period`; count-1 is a class of its own. */
static uint64_t class_times(uint64_t count, uint32_t period, uint64_t residue) {
    uint64_t inner = count - 1;
    return inner / period + (residue < inner % period ? 1 : 0);
}

void smp_script_add_row(smp_kernel_script *script, uint64_t count, uint32_t period) {
    smp_script_add_tiles(script, 1, count, period);
}

void smp_script_add_tiles(smp_kernel_script *script, uint64_t down, uint64_t across,
                          uint32_t period) {
    for (uint64_t r = 0; r <= period; r++) {
        const uint64_t row = r < period ? r : down - 1;
        const uint64_t rows = r < period ? class_times(down, period, r) : 1;
        for (uint64_t c = 0; c <= period; c++) {
            const uint64_t column = c < period ? c : across - 1;
            const uint64_t columns = c < period ? class_times(across, period, c) : 1;
            smp_script_add_block(script, row * across + column, rows * columns);
        }
    }
}

enum { PERIOD_MAX = 32 };

/* The blocks of one dimension that differ in cost, and how many blocks each represents. */
typedef struct line_classes {
    uint64_t index[PERIOD_MAX + 3], times[PERIOD_MAX + 3];
    size_t count;
} line_classes;

static void add_class(line_classes *classes, uint64_t index, uint64_t times) {
    classes->index[classes->count] = index;
    classes->times[classes->count++] = times;
}

/* The first and the last two of `count` are classes of their own. */
static line_classes edges_of(uint64_t count, uint32_t period) {
    line_classes classes = {.count = 0};
    const uint64_t end = count > 2 ? count - 2 : 1;
    add_class(&classes, 0, 1);
    for (uint64_t i = 1; i < end && i <= period && i <= PERIOD_MAX; i++)
        add_class(&classes, i, (end - 1 - i) / period + 1);
    for (uint64_t i = end; i < count; i++)
        add_class(&classes, i, 1);
    return classes;
}

void smp_script_add_edges(smp_kernel_script *script, uint64_t down, uint32_t period,
                          uint64_t across) {
    const line_classes rows = edges_of(down, period), columns = edges_of(across, 1);
    for (size_t r = 0; r < rows.count; r++)
        for (size_t c = 0; c < columns.count; c++)
            smp_script_add_block(script, rows.index[r] * across + columns.index[c],
                                 rows.times[r] * columns.times[c]);
}

void smp_trace_show(smp_kernel_trace *trace, const char *site, const smp_access *access,
                    uint64_t times) {
    const smp_occurrence seen = {.access = access, .times = times, .site = site};
    if (times > 0 && access->active_mask && trace->status == SMP_OK)
        trace->status = trace->visit(trace->user, &seen, trace->error);
}

/* xorshift64*, by Marsaglia and Vigna. */
uint64_t smp_noise(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(2685821657736338717);
}

void smp_fill_noise(uint64_t seed, void *bytes, size_t count) {
    uint64_t state = seed * 2 + 1;
    unsigned char *out = bytes;
    for (size_t i = 0; i < count; i += sizeof state) {
        const uint64_t value = smp_noise(&state);
        memcpy(out + i, &value, count - i < sizeof value ? count - i : sizeof value);
    }
}

static double number_at(smp_element element, const void *numbers, uint64_t i) {
    return element == SMP_FLOAT ? (double)((const float *)numbers)[i]
                                : (double)((const uint32_t *)numbers)[i];
}

smp_status smp_verify_solved(const smp_kernel_case *problem, const void *in, const void *out,
                             void (*solve)(const smp_kernel_case *, const void *, void *),
                             uint64_t bytes, smp_element element, double tolerance,
                             const char *what, smp_error *error) {
    void *solved = malloc(bytes);
    smp_status status = SMP_OK;
    if (!solved)
        return smp_error_memory(error);
    solve(problem, in, solved);
    for (uint64_t i = 0; i < bytes / sizeof(uint32_t) && status == SMP_OK; i++) {
        const double found = number_at(element, out, i), expected = number_at(element, solved, i);
        if (!(fabs(found - expected) <= tolerance * expected))
            status =
                smp_error_set(error, SMP_E_RESULT, -1, "%s %" PRIu64 " is %.10g, the CPU has %.10g",
                              what, i, found, expected);
    }
    free(solved);
    return status;
}

smp_status smp_baseline_not_built(const smp_kernel_launch *launch, smp_error *error) {
    (void)launch;
    return smp_error_set(error, SMP_E_NOT_BUILT, -1,
                         "built without benchmarks/, so there is no library to compare with");
}
