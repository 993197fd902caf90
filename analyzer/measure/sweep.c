/* SPDX-License-Identifier: MIT */
/* Sweeps: one report per combination, batch line or distinct request; runs them on the GPU. */
#include <stdlib.h>
#include <string.h>

#include "layout_view.h"
#include "list.h"
#include "sweep.h"
#include "tally.h"

enum { DISTINCT_MAX = 8192 };

typedef struct collection {
    sweep *out;
    const smp_arch *arch;
    const smp_layout *layout; /* may be NULL */
    smp_access_set seen;      /* requests of a layout among the reports */
    smp_error why;            /* why the last combination was skipped */
} collection;

static smp_status add(collection *c, const smp_access *access, const smp_pattern *pattern,
                      smp_error *error) {
    sweep *out = c->out;
    if (!LIST_ROOM(out->reports, out->count))
        return smp_error_memory(error);
    smp_prediction *report = &out->reports[out->count++];
    report->arch = *c->arch;
    report->access = *access;
    report->has_pattern = pattern;
    if (pattern)
        report->pattern = *pattern;
    return SMP_OK;
}

/* ---- Combinations ---- */

static smp_status take_pattern(void *user, const smp_occurrence *seen, smp_error *error) {
    collection *c = user;
    const smp_access *access = seen->access;
    if (smp_access_check(c->arch, access, &c->why) != SMP_OK)
        return SMP_OK;
    if (smp_counter_sees(access->op, access->width_bytes))
        return add(c, access, seen->pattern, error);
    (void)smp_error_set(&c->why, SMP_E_OP_UNAVAILABLE, -1, "no counter sees %s of %u bytes alone",
                        smp_ops(NULL)[access->op].name, access->width_bytes);
    return SMP_OK;
}

smp_status sweep_make(const smp_axes *axes, const smp_arch *arch, sweep *out, smp_error *error) {
    collection c = {.out = out, .arch = arch};
    *out = (sweep){0};
    smp_status status = smp_stream_strides.visit(axes, take_pattern, &c, error);
    if (status != SMP_E_MEMORY && out->count == 0)
        status = smp_error_set(error, status == SMP_OK ? c.why.status : status, -1,
                               "nothing to measure: %.200s",
                               status == SMP_OK ? c.why.message : error->message);
    if (status != SMP_OK)
        sweep_free(out);
    return status;
}

/* ---- Lines ---- */

static smp_status take_line(void *user, const smp_occurrence *seen, smp_error *error) {
    collection *c = user;
    const smp_status status = smp_access_check(c->arch, seen->access, error);
    return status == SMP_OK ? add(c, seen->access, NULL, error) : status;
}

smp_status sweep_read(const char *path, const smp_arch *arch, sweep *out, smp_error *error) {
    collection c = {.out = out, .arch = arch};
    smp_file file;
    *out = (sweep){0};
    smp_status status = smp_file_open(path, &file, error);
    if (status != SMP_OK)
        return status;
    status = smp_stream_file.visit(&file, take_line, &c, error);
    smp_file_close(&file);
    if (status == SMP_OK && out->count == 0)
        status = smp_error_set(error, SMP_E_SYNTAX, -1, "%.80s: no access in it", file.name);
    if (status != SMP_OK)
        sweep_free(out);
    return status;
}

/* ---- Layouts ---- */

static void label(const collection *c, const smp_occurrence *seen, char text[SWEEP_LABEL_MAX]) {
    smp_layout_access access;
    char where[SWEEP_LABEL_MAX / 2];
    smp_layout_access_at(c->layout, seen->index, &access);
    (void)smp_request_place_format(c->layout, seen->place, where, sizeof where);
    (void)snprintf(text, SWEEP_LABEL_MAX, "%s: %.*s", where, (int)access.length, access.text);
}

static smp_status take_request(void *user, const smp_occurrence *seen, smp_error *error) {
    collection *c = user;
    const smp_access own = smp_access_canonical(seen->access);
    c->out->elsewhere += seen->ranks ? 1 : 0;
    if (seen->ranks || smp_access_set_find(&c->seen, &own, 0) >= 0)
        return SMP_OK;
    if (!smp_counter_sees(own.op, own.width_bytes)) {
        c->out->unseen++;
        return SMP_OK;
    }
    if (c->out->count == DISTINCT_MAX)
        return smp_error_set(error, SMP_E_OVERFLOW, 0,
                             "more than %d different requests; probe fewer", DISTINCT_MAX);
    if (smp_access_set_add(&c->seen, &own, 0) < 0 || !LIST_ROOM(c->out->labels, c->out->count))
        return smp_error_memory(error);
    label(c, seen, c->out->labels[c->out->count]);
    return add(c, &own, NULL, error);
}

smp_status sweep_layout(const smp_layout *layout, const smp_arch *arch, sweep *out, unsigned *line,
                        smp_error *error) {
    collection c = {.out = out, .arch = arch, .layout = layout};
    const smp_layout_stream stream = {layout, line};
    *line = 0;
    *out = (sweep){0};
    const smp_status status = smp_stream_layout.visit(&stream, take_request, &c, error);
    smp_access_set_clear(&c.seen);
    if (status != SMP_OK)
        sweep_free(out);
    return status;
}

void sweep_free(sweep *all) {
    free(all->reports);
    free(all->labels);
    *all = (sweep){0};
}

/* ---- On the GPU ---- */

size_t sweep_unmeasured(const sweep *all) {
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += all->reports[i].measured.origin != SMP_LIVE;
    return count;
}

static smp_status read_all(const sweep_witness *by, const smp_access *accesses, size_t count,
                           smp_measured *const *measured, smp_error *error) {
    return by->probe ? witness_read(by->probe, by->choice, accesses, count, measured, by->progress,
                                    by->user, error)
                     : devices_read(by->devices, by->choice, accesses, count, measured,
                                    by->progress, by->user, error);
}

smp_status sweep_measure(sweep *all, const sweep_witness *by, smp_error *error) {
    smp_access *accesses = calloc(all->count, sizeof *accesses);
    smp_measured **measured = calloc(all->count, sizeof *measured);
    smp_status status = accesses && measured ? SMP_OK : smp_error_memory(error);
    size_t count = 0;
    for (size_t i = 0; status == SMP_OK && i < all->count; i++) {
        if (all->reports[i].measured.origin == SMP_LIVE)
            continue;
        accesses[count] = all->reports[i].access;
        measured[count++] = &all->reports[i].measured;
    }
    if (status == SMP_OK)
        status = read_all(by, accesses, count, measured, error);
    free(accesses);
    free(measured);
    return status;
}

void sweep_keep_measured(sweep *all) {
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (all->reports[i].measured.origin == SMP_NOT_MEASURED)
            continue;
        if (all->labels)
            memmove(all->labels[kept], all->labels[i], sizeof all->labels[i]);
        all->reports[kept++] = all->reports[i];
    }
    all->count = kept;
}

size_t sweep_predict(sweep *all) {
    size_t differ = 0;
    EACH(smp_prediction, report, all->reports, all->count) {
        report->status = smp_predict(&report->arch, &report->access, &report->counts);
        differ += smp_prediction_differs(report);
    }
    return differ;
}
