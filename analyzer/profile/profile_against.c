/* SPDX-License-Identifier: MIT */
/* Compares two profiles. */
#include "profile_against.h"
#include "visible_text.h"

#include <stdlib.h>
#include <string.h>

/* Two rankings, and the one file of each that the other lacks; NULL if there are none or several.
 */
struct pair {
    const smp_ranking *before, *after;
    const char *before_file, *after_file;
};

static bool has_file(const smp_ranking *ranking, const char *file) {
    return ANY(line, ranking->lines, ranking->line_count,
               line->frame && line->frame->file && strcmp(line->frame->file, file) == 0);
}

/* The only file of `ranking` that `other` lacks; NULL if there is none or more than one. */
static const char *only_file(const smp_ranking *ranking, const smp_ranking *other) {
    const char *only = NULL;
    for (uint32_t i = 0; i < ranking->line_count; i++) {
        const smp_frame *frame = ranking->lines[i].frame;
        if (!frame || !frame->file || has_file(other, frame->file))
            continue;
        if (only && strcmp(only, frame->file) != 0)
            return NULL;
        only = frame->file;
    }
    return only;
}

/* A file is moved if the other profile has a file of its name in another folder. It is renamed if
 * each profile has only one file that the other lacks. */
static bool is_same_file(const struct pair *pair, const char *before, const char *after) {
    if (strcmp(before, after) == 0)
        return true;
    if (has_file(pair->after, before) || has_file(pair->before, after))
        return false;
    return strcmp(smp_base_name(before), smp_base_name(after)) == 0 ||
           (pair->before_file && pair->after_file);
}

/* `a` may come from the later profile, `b` is a line of the earlier one if `is_before`. */
static bool is_same(const struct pair *pair, const smp_against_line *a, const smp_profile_line *b,
                    bool is_before) {
    if (strcmp(smp_kernel_full_name(a->kernel), smp_kernel_full_name(b->kernel)) != 0 ||
        !a->frame != !b->frame)
        return false;
    if (!a->frame)
        return true;
    if (a->frame->line != b->frame->line || !a->frame->file || !b->frame->file)
        return false;
    return is_before && a->in_after ? is_same_file(pair, b->frame->file, a->frame->file)
                                    : strcmp(a->frame->file, b->frame->file) == 0;
}

static void add(smp_against *out, const struct pair *pair, bool is_before) {
    const smp_ranking *from = is_before ? pair->before : pair->after;
    EACH(const smp_profile_line, line, from->lines, from->line_count) {
        uint32_t at = 0;
        while (at < out->line_count && !is_same(pair, &out->lines[at], line, is_before))
            at++;
        smp_against_line *to = &out->lines[at];
        if (at == out->line_count) {
            *to = (smp_against_line){.kernel = line->kernel, .frame = line->frame};
            out->line_count++;
        }
        smp_sums_add(is_before ? &to->before : &to->after, &line->sums);
        *(is_before ? &to->in_before : &to->in_after) = true;
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
    const struct pair pair = {before, after, only_file(before, after), only_file(after, before)};
    add(out, &pair, false);
    add(out, &pair, true);
    if (pair.before_file && pair.after_file) {
        out->before_file = pair.before_file;
        out->after_file = pair.after_file;
    }
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
