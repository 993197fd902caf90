/* SPDX-License-Identifier: MIT */
/*
 * Accesses as one CSV document: a single access (one row per architecture) or those of a source
 * text (one row per access and architecture). The first ten columns are those of the batch command
 * (batch_rows.c).
 */
#include <inttypes.h>
#include <stdio.h>

#include "put.h"
#include "write_format.h"

typedef struct csv_access {
    const smp_prediction *worst; /* the access, or the costliest of all its requests */
    const smp_totals *totals;    /* sums over all requests; NULL for a single request */
    uint32_t line;               /* line in the source text; 0 without one */
    const char *text;            /* source text, not terminated; NULL without one */
    size_t length;
} csv_access;

static void put_head(FILE *out) {
    fputs("line,op,width_bytes,active_lanes,wavefronts_min,wavefronts_max,ideal,ways,transactions,"
          "bytes,arch,cc,bank_bytes,access,requests,excess,evidence,measured,measured_source,mean,"
          "deviation,draws,pattern\n",
          out);
}

/* Writes the columns that batch also has. */
static void put_costs(FILE *out, const csv_access *row, const smp_totals *t) {
    const smp_access *access = &row->worst->access;
    const bool waves = t->valid & SMP_HAS_WAVEFRONTS, moved = t->valid & SMP_HAS_TRANSACTIONS;
    if (row->line > 0)
        fprintf(out, "%" PRIu32, row->line);
    fprintf(out, ",%s,%u,%u", smp_ops(NULL)[access->op].name, access->width_bytes,
            (unsigned)__builtin_popcount(access->active_mask));
    put_csv_count(out, waves, t->wavefronts_min);
    put_csv_count(out, waves, t->wavefronts_max);
    put_csv_count(out, waves, t->ideal);
    put_csv_count(out, waves, t->ways);
    put_csv_count(out, moved, t->transactions);
    put_csv_count(out, moved, t->bytes);
}

static void put_spread(FILE *out, const smp_totals *t) {
    double mean, deviation;
    if (smp_layout_spread(t, &mean, &deviation))
        fprintf(out, ",%.6g,%.6g,%u", mean, deviation, t->spread.draws);
    else
        fputs(",,,", out);
}

static void put_measured(FILE *out, const smp_measured *m) {
    const bool is_known = m->origin != SMP_NOT_MEASURED;
    put_csv_count(out, is_known && !m->is_at_most && m->count != SMP_NOT_COUNTED, m->count);
    fprintf(out, ",%s", !is_known ? "" : m->origin == SMP_LIVE ? "live" : "recorded");
}

static void put_row(FILE *out, const csv_access *row) {
    const smp_arch *arch = &row->worst->arch;
    const smp_totals one = smp_totals_of_one(row->worst), *t = row->totals ? row->totals : &one;
    char pattern[SMP_BATCH_TEXT_MAX + 16];
    (void)smp_prediction_pattern(row->worst, pattern, sizeof pattern);
    put_costs(out, row, t);
    fprintf(out, ",%s,%u.%u,%u,", arch->name, arch->cc_major, arch->cc_minor, arch->bank_bytes);
    if (row->text)
        put_csv_text(out, row->text, row->length);
    put_csv_count(out, true, t->requests);
    put_csv_count(out, t->valid & SMP_HAS_WAVEFRONTS, t->excess);
    fprintf(out, ",%s", smp_evidence_name(t->evidence));
    put_measured(out, &row->worst->measured);
    put_spread(out, t);
    fprintf(out, ",%s\n", pattern);
}

void smp_prediction_csv(FILE *out, const smp_prediction *reports, size_t count, smp_style style) {
    (void)style;
    put_head(out);
    for (size_t i = 0; i < count; i++)
        put_row(out, &(csv_access){.worst = &reports[i]});
}

static void put_access(FILE *out, const smp_layout_prediction *report, size_t index) {
    smp_layout_access access;
    smp_prediction worst;
    smp_layout_access_at(report->layout, index, &access);
    smp_layout_prediction_worst(report, index, &worst);
    put_row(out, &(csv_access){.worst = &worst,
                               .totals = &report->totals[index],
                               .line = access.line,
                               .text = access.text,
                               .length = access.length});
}

void smp_layout_csv(FILE *out, const smp_layout_prediction *reports, size_t count,
                    const smp_layout_show *show) {
    (void)show;
    put_head(out);
    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < reports[r].count; i++)
            put_access(out, &reports[r], i);
    }
}
