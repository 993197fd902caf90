/* SPDX-License-Identifier: MIT */
/* The whole fix of a layout: the search, the reasons for remaining conflicts, and global memory. */
#include <stdlib.h>
#include <string.h>

#include "fix_report.h"

smp_status smp_fix_solve(const char *text, size_t length, const smp_fix_options *options,
                         smp_fix **out, unsigned *line, smp_error *error) {
    *out = NULL;
    *line = 0;
    if (options->arch_count == 0)
        return smp_error_set(error, SMP_E_USAGE, -1, "no architecture to find a layout for");
    smp_fix *fix = calloc(1, sizeof *fix);
    if (!fix)
        return smp_error_memory(error);
    *fix = (smp_fix){.text = text,
                     .length = length,
                     .options = *options,
                     .own_progress = {.ask = options->progress, .user = options->user},
                     .progress = &fix->own_progress,
                     .skipped = -1};
    smp_status status = fix_read(text, length, &fix->layout, line, error);
    /* A form must not fit the random data by chance. */
    if (status == SMP_OK && smp_layout_data_count(fix->layout) > 0 && options->kinds == 0)
        fix->options.kinds = 1u << SMP_FIX_PAD | 1u << SMP_FIX_XOR;
    if (status == SMP_OK)
        status = fix_solve(fix, line, error);
    if (status == SMP_E_INTERRUPTED)
        *line = 0;
    if (status == SMP_OK) {
        if (options->explains && !fix->result.is_free)
            fix_obstacles_find(fix);
        fix_globals_find(fix);
        fix_wide_find(fix);
        status = fix_globals_apply(fix, error);
    }
    if (status != SMP_OK) {
        smp_fix_free(fix);
        return status;
    }
    fix->own_progress.ask = NULL; /* from here on, the result is only written */
    *out = fix;
    return SMP_OK;
}

smp_fix_result smp_fix_result_of(const smp_fix *fix) {
    return fix->result;
}

bool fix_is_searched(const smp_fix *fix) {
    bool is_fixed = false;
    for (uint32_t i = 0; i < fix->array_count; i++)
        is_fixed |= fix->arrays[i].is_fixed &&
                    fix->arrays[i].chosen.price.cost.excess > fix->arrays[i].floor;
    return fix->result.candidates > 0 || !is_fixed;
}

bool smp_fix_form_of(const smp_fix *fix, const char *name, smp_fix_form *out) {
    for (uint32_t i = 0; i < fix->array_count; i++) {
        const smp_array *array = fix->arrays[i].array;
        if (array->length != strlen(name) || memcmp(array->name, name, array->length) != 0)
            continue;
        *out = fix->arrays[i].chosen.form;
        return true;
    }
    return false;
}
