/* SPDX-License-Identifier: MIT */
/*
 * Sweeps: one report a combination, operations outermost, strides innermost; or one a batch line.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

/* Adds one combination if it exists; remembers why not otherwise. */
static void add(sweep *out, const smp_arch *arch, const smp_pattern *pattern, smp_error *why) {
    smp_report *report = &out->reports[out->count];
    memset(report, 0, sizeof *report);
    report->arch = *arch;
    report->has_pattern = true;
    report->pattern = *pattern;
    if (smp_pattern_access(pattern, &report->access, why) != SMP_OK ||
        smp_access_check(arch, &report->access, why) != SMP_OK)
        return;
    if (smp_counter_sees(pattern->op, pattern->width_bytes))
        out->count++;
    else
        (void)smp_error_set(why, SMP_E_OP_UNAVAILABLE, -1, "no counter sees %s of %u bytes alone",
                            smp_ops(NULL)[pattern->op].name, pattern->width_bytes);
}

static void combine(const sweep_axes *all, const smp_arch *arch, sweep *out, smp_error *why) {
    smp_pattern pattern = all->base;
    for (size_t o = 0; o < all->op_count; o++) {
        pattern.op = all->ops[o];
        for (size_t w = 0; w < all->width_count; w++) {
            pattern.width_bytes = (uint32_t)all->widths[w];
            for (size_t s = 0; s < all->stride_count; s++) {
                pattern.stride = (uint32_t)all->strides[s];
                add(out, arch, &pattern, why);
            }
        }
    }
}

smp_status sweep_make(const sweep_axes *axes, const smp_arch *arch, sweep *out, smp_error *error) {
    smp_error why = {SMP_OK, -1, ""};
    size_t total = axes->op_count * axes->width_count * axes->stride_count;
    *out = (sweep){.reports = calloc(total, sizeof *out->reports)};
    if (!out->reports)
        return smp_error_set(error, SMP_E_MEMORY, -1, "out of memory");
    combine(axes, arch, out, &why);
    if (out->count > 0)
        return SMP_OK;
    sweep_free(out);
    return smp_error_set(error, why.status, -1, "nothing to measure: %.200s", why.message);
}

static smp_status add_line(sweep *out, const smp_arch *arch, const char *line, size_t length,
                           smp_error *error) {
    smp_report report;
    bool is_empty;
    memset(&report, 0, sizeof report);
    report.arch = *arch;
    smp_status status = smp_batch_parse(line, length, &report.access, &is_empty, error);
    if (status != SMP_OK || is_empty)
        return status;
    status = smp_access_check(arch, &report.access, error);
    if (status != SMP_OK)
        return status;
    if ((out->count & (out->count - 1)) == 0) { /* room for 1, 2, 4, 8, ... */
        size_t room = out->count == 0 ? 1 : 2 * out->count;
        smp_report *grown = realloc(out->reports, room * sizeof *grown);
        if (!grown)
            return smp_error_set(error, SMP_E_MEMORY, -1, "out of memory");
        out->reports = grown;
    }
    out->reports[out->count++] = report;
    return SMP_OK;
}

smp_status sweep_read(const char *path, const smp_arch *arch, sweep *out, smp_error *error) {
    *out = (sweep){0};
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file)
        return smp_error_set(error, SMP_E_READ, -1, "%.80s: %s", path, strerror(errno));
    char *line = NULL;
    size_t room = 0, number = 0;
    ssize_t length;
    smp_status status = SMP_OK;
    while (status == SMP_OK && (length = getline(&line, &room, file)) >= 0) {
        smp_error where;
        number++;
        length -= length > 0 && line[length - 1] == '\n';
        status = add_line(out, arch, line, (size_t)length, &where);
        if (status == SMP_E_MEMORY)
            *error = where;
        else if (status != SMP_OK)
            (void)smp_error_set(error, SMP_E_SYNTAX, -1, "%.60s:%zu:%d: %.160s", path, number,
                                where.position + 1, where.message);
    }
    if (status == SMP_OK && ferror(file))
        status = smp_error_set(error, SMP_E_READ, -1, "%.80s: %s", path, strerror(errno));
    else if (status == SMP_OK && !feof(file)) /* getline failed otherwise */
        status = smp_error_set(error, SMP_E_MEMORY, -1, "out of memory");
    if (status == SMP_OK && out->count == 0)
        status = smp_error_set(error, SMP_E_SYNTAX, -1, "%.80s: no access in it", path);
    free(line);
    if (file != stdin)
        (void)fclose(file);
    if (status != SMP_OK)
        sweep_free(out);
    return status;
}

void sweep_free(sweep *all) {
    free(all->reports);
    free(all->labels);
    *all = (sweep){0};
}
