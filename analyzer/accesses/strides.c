/* SPDX-License-Identifier: MIT */
/*
 * Strides: every combination of operations, widths and strides.
 */
#include "stream.h"

typedef struct walk {
    smp_visit_fn visit;
    void *user;
    smp_error *error;
    size_t index, shown;
} walk;

static smp_status show(walk *w, const smp_pattern *pattern) {
    smp_access access;
    const smp_occurrence seen = {
        .access = &access, .times = 1, .index = w->index++, .pattern = pattern};
    if (smp_pattern_access(pattern, &access, w->error) != SMP_OK)
        return SMP_OK;
    w->shown++;
    return w->visit(w->user, &seen, w->error);
}

static smp_status visit_strides(const void *from, smp_visit_fn visit, void *user,
                                smp_error *error) {
    const smp_axes *axes = from;
    smp_pattern pattern = axes->base;
    walk w = {.visit = visit, .user = user, .error = error};
    const size_t of_op = axes->width_count * axes->stride_count;
    for (size_t i = 0; i < axes->op_count * of_op; i++) {
        pattern.op = axes->ops[i / of_op];
        pattern.width_bytes = (uint32_t)axes->widths[i % of_op / axes->stride_count];
        pattern.stride = (uint32_t)axes->strides[i % axes->stride_count];
        const smp_status status = show(&w, &pattern);
        if (status != SMP_OK)
            return status;
    }
    return w.shown > 0 || w.index == 0 ? SMP_OK : error->status;
}

const smp_stream smp_stream_strides = {"strides", visit_strides};
