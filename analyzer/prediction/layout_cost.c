/* SPDX-License-Identifier: MIT */
/* The cost of every access of a layout on one architecture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout_cost.h"

smp_status smp_layout_prediction_fill(smp_layout_prediction *report, const char *file,
                                      const smp_layout *layout, const smp_arch *arch,
                                      unsigned *line, smp_error *error) {
    *report = (smp_layout_prediction){.file = file, .layout = layout, .arch = *arch};
    size_t count = smp_layout_access_count(layout);
    *line = 0;
    if (count == 0)
        return smp_error_set(error, SMP_E_SYNTAX, -1, "no access is given");
    smp_status room = smp_layout_check_memory(layout, &report->arch, error);
    if (room != SMP_OK)
        return room;
    report->totals = calloc(count, sizeof *report->totals);
    if (!report->totals)
        return smp_error_memory(error);
    for (; report->count < count; report->count++) {
        smp_status status = smp_layout_evaluate(layout, &report->arch, report->count,
                                                &report->totals[report->count], line, error);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

smp_status smp_layout_prediction_measure(smp_layout_prediction *report, smp_probe *probe,
                                         smp_error *error) {
    const smp_status ready = smp_recorded_ready(error);
    smp_measured *all = ready == SMP_OK ? calloc(report->count, sizeof *all) : NULL;
    if (!all)
        return smp_error_memory(error);
    for (size_t i = 0; i < report->count; i++) {
        smp_prediction worst;
        all[i].origin = SMP_NOT_MEASURED;
        if (report->totals[i].status != SMP_OK)
            continue;
        smp_layout_prediction_worst(report, i, &worst);
        smp_prediction_fill(&worst, probe, NULL);
        all[i] = worst.measured;
    }
    report->measured = all;
    return SMP_OK;
}

void smp_layout_prediction_clear(smp_layout_prediction *report) {
    free(report->totals);
    free(report->measured);
    report->totals = NULL;
    report->measured = NULL;
    report->count = 0;
}

/* Finds the pattern of an access with a constant stride from offset 0, since such accesses are
 * recorded. */
static bool find_pattern(const smp_access *access, smp_pattern *out) {
    int64_t step = smp_access_stride(access);
    bool fits = step >= 0 && access->offset_bytes[0] == 0 && step % access->width_bytes == 0 &&
                smp_ops(NULL)[access->op].space == SMP_SPACE_SHARED;
    if (!fits)
        return false;
    *out = smp_pattern_default();
    out->op = access->op;
    out->width_bytes = access->width_bytes;
    out->stride = (uint32_t)step / access->width_bytes;
    return true;
}

void smp_layout_prediction_worst(const smp_layout_prediction *report, size_t index,
                                 smp_prediction *out) {
    const smp_totals *totals = &report->totals[index];
    memset(out, 0, sizeof *out);
    out->arch = report->arch;
    out->access = totals->worst;
    out->status = totals->status;
    out->counts = totals->worst_counts;
    out->has_pattern = find_pattern(&totals->worst, &out->pattern);
    out->measured.origin = SMP_NOT_MEASURED;
    if (report->measured)
        out->measured = report->measured[index];
}

bool smp_layout_spread(const smp_totals *totals, double *mean, double *deviation) {
    const smp_request_spread *spread = &totals->spread;
    const double count = (double)totals->requests;
    *mean = *deviation = 0;
    if (!spread->is_given || totals->status != SMP_OK || totals->requests == 0)
        return false;
    *mean = (double)spread->sum / count;
    const double variance = (double)spread->square_sum / count - *mean * *mean;
    *deviation = variance > 0 ? sqrt(variance) : 0;
    return true;
}

smp_totals smp_totals_of_launch(const smp_totals *totals) {
    smp_totals out = *totals;
    const uint32_t draws = totals->spread.draws > 1 ? totals->spread.draws : 1;
    uint64_t *const sums[] = {&out.requests,     &out.wavefronts_min, &out.wavefronts_max,
                              &out.ideal,        &out.transactions,   &out.bytes,
                              &out.ideal_sectors};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        *sums[i] = (*sums[i] + draws / 2) / draws;
    out.excess =
        out.wavefronts_max - (out.ideal < out.wavefronts_max ? out.ideal : out.wavefronts_max);
    return out;
}

bool smp_totals_alike(const smp_totals *a, const smp_totals *b) {
    return a->status == b->status && a->valid == b->valid && a->evidence == b->evidence &&
           a->ways == b->ways && a->wavefronts_min == b->wavefronts_min &&
           a->wavefronts_max == b->wavefronts_max && a->ideal == b->ideal &&
           a->transactions == b->transactions && a->bytes == b->bytes;
}

smp_totals smp_totals_of_one(const smp_prediction *one) {
    const smp_counts *c = &one->counts;
    return (smp_totals){.status = one->status,
                        .valid = c->valid,
                        .evidence = c->evidence,
                        .requests = 1,
                        .wavefronts_min = c->wavefronts_min,
                        .wavefronts_max = c->wavefronts_max,
                        .ideal = c->ideal,
                        .excess = c->excess,
                        .ways = c->ways,
                        .takes_steps = smp_counts_take_steps(&one->arch, c),
                        .transactions = c->transactions,
                        .bytes = c->bytes};
}
