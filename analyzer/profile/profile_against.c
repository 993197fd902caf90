/* SPDX-License-Identifier: MIT */
/*
 * Compares two profiles.
 */
#include "profile_against.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const smp_against_line *a, const smp_profile_line *b) {
    if (strcmp(smp_kernel_full_name(a->kernel), smp_kernel_full_name(b->kernel)) != 0 ||
        !a->frame != !b->frame)
        return false;
    return !a->frame || (a->frame->line == b->frame->line && a->frame->file && b->frame->file &&
                         strcmp(a->frame->file, b->frame->file) == 0);
}

static void add(smp_against *out, const smp_ranking *from, bool is_after) {
    for (uint32_t i = 0; i < from->line_count; i++) {
        const smp_profile_line *line = &from->lines[i];
        uint32_t at = 0;
        while (at < out->line_count && !is_same(&out->lines[at], line))
            at++;
        smp_against_line *to = &out->lines[at];
        if (at == out->line_count) {
            *to = (smp_against_line){.kernel = line->kernel, .frame = line->frame};
            out->line_count++;
        }
        smp_sums_add(is_after ? &to->after : &to->before, &line->sums);
        *(is_after ? &to->in_after : &to->in_before) = true;
    }
}

static int64_t cost_of(const smp_profile_sums *sums) {
    return (int64_t)(sums->wavefronts + sums->sectors);
}

int64_t smp_against_change(const smp_against_line *line) {
    return cost_of(&line->after) - cost_of(&line->before);
}

static int by_change(const void *left, const void *right) {
    const int64_t a = smp_against_change(left), b = smp_against_change(right);
    if (a != b)
        return a > b ? -1 : 1;
    const smp_against_line *first = left, *second = right;
    const int order =
        strcmp(smp_kernel_full_name(first->kernel), smp_kernel_full_name(second->kernel));
    const uint32_t line_a = first->frame ? first->frame->line : 0;
    const uint32_t line_b = second->frame ? second->frame->line : 0;
    return order != 0 ? order : (line_a > line_b) - (line_a < line_b);
}

smp_status smp_against_make(const smp_ranking *before, const smp_ranking *after, smp_against *out,
                            smp_error *error) {
    memset(out, 0, sizeof *out);
    out->lines = calloc((size_t)before->line_count + after->line_count + 1, sizeof *out->lines);
    if (!out->lines)
        return smp_error_memory(error);
    add(out, after, true);
    add(out, before, false);
    out->before = before->sums;
    out->after = after->sums;
    if (out->line_count > 1)
        qsort(out->lines, out->line_count, sizeof *out->lines, by_change);
    return SMP_OK;
}

void smp_against_clear(smp_against *against) {
    free(against->lines);
    memset(against, 0, sizeof *against);
}
