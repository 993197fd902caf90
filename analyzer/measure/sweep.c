/* SPDX-License-Identifier: MIT */
/*
 * Sweeps: one report a combination, operations outermost, strides innermost; or one a batch line.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

enum { STRIDES_MAX = 4096 };

typedef struct axes {
    uint64_t strides[STRIDES_MAX], widths[WIDTHS_MAX];
    smp_op ops[SMP_OP_COUNT];
    size_t stride_count, width_count, op_count;
    smp_pattern base;
} axes;

smp_status ops_parse(const char *text, smp_op out[SMP_OP_COUNT], size_t *count, smp_error *error) {
    char name[40];
    *count = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        const smp_op_row *row = smp_op_find(name);
        if (!row || *count == SMP_OP_COUNT)
            return smp_error_set(error, SMP_E_UNKNOWN_OP, -1,
                                 "--op %.40s: unknown operation '%s' (smemprobe list ops)", text,
                                 name);
        out[(*count)++] = row->op;
        at += length;
        if (*at == '\0')
            return SMP_OK;
    }
}

smp_status widths_parse(const char *text, uint64_t out[WIDTHS_MAX], size_t *count,
                        smp_error *error) {
    smp_status status = numbers_parse(text, "width", 16, out, WIDTHS_MAX, count, error);
    for (size_t i = 0; status == SMP_OK && i < *count; i++) {
        if (out[i] == 0 || (out[i] & (out[i] - 1)) != 0)
            status = smp_error_set(error, SMP_E_WIDTH, -1, "--width %u: expected 1, 2, 4, 8 or 16",
                                   (unsigned)out[i]);
    }
    return status;
}

static smp_status parse_axes(const arguments *args, axes *out, smp_error *error) {
    const char *strides = last_value(args, OPTION_STRIDE);
    const char *widths = last_value(args, OPTION_WIDTH);
    const char *ops = last_value(args, OPTION_OP);
    uint64_t offset = 0;
    out->base = smp_pattern_default();
    smp_status status = numbers_parse(strides ? strides : "0:64", "stride", UINT32_MAX,
                                      out->strides, STRIDES_MAX, &out->stride_count, error);
    if (status == SMP_OK)
        status = widths_parse(widths ? widths : "4", out->widths, &out->width_count, error);
    if (status == SMP_OK)
        status = ops_parse(ops ? ops : "ld", out->ops, &out->op_count, error);
    if (status == SMP_OK && has(args, OPTION_OFFSET))
        status =
            number_parse(last_value(args, OPTION_OFFSET), "offset", UINT32_MAX, &offset, error);
    if (status == SMP_OK && has(args, OPTION_LANES))
        status = lanes_parse(last_value(args, OPTION_LANES), &out->base.active_mask, error);
    out->base.offset_bytes = (uint32_t)offset;
    return status;
}

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

static void combine(const axes *all, const smp_arch *arch, sweep *out, smp_error *why) {
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

smp_status sweep_make(const arguments *args, const smp_arch *arch, sweep *out, smp_error *error) {
    axes *all = calloc(1, sizeof *all);
    smp_error why = {SMP_OK, -1, ""};
    *out = (sweep){0};
    if (!all)
        return smp_error_set(error, SMP_E_MEMORY, -1, "out of memory");
    smp_status status = parse_axes(args, all, error);
    size_t total = all->op_count * all->width_count * all->stride_count;
    if (status == SMP_OK) {
        out->reports = calloc(total, sizeof *out->reports);
        if (!out->reports)
            status = smp_error_set(error, SMP_E_MEMORY, -1, "out of memory");
    }
    if (status == SMP_OK) {
        combine(all, arch, out, &why);
        if (out->count == 0)
            status =
                smp_error_set(error, why.status, -1, "nothing to measure: %.200s", why.message);
    }
    free(all);
    if (status != SMP_OK)
        sweep_free(out);
    return status;
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
