/* SPDX-License-Identifier: MIT */
#include "access_csv.h"

#include <inttypes.h>

#include "layout_cost.h"
#include "put.h"
#include "write_prediction.h"

void smp_access_csv_head(FILE *out) {
    fputs("line,op,width_bytes,active_lanes,wavefronts_min,wavefronts_max,ideal,ways,transactions,"
          "bytes,arch,cc,bank_bytes,access,requests,excess,evidence,measured,measured_source,mean,"
          "deviation,draws,pattern\n",
          out);
}

/* Sums over all requests; `ways` is the worst one's. */
static smp_totals sums_of(const smp_prediction *one) {
    const smp_counts *c = &one->counts;
    return (smp_totals){.valid = c->valid,
                        .evidence = c->evidence,
                        .requests = 1,
                        .wavefronts_min = c->wavefronts_min,
                        .wavefronts_max = c->wavefronts_max,
                        .ideal = c->ideal,
                        .excess = c->excess,
                        .ways = c->ways,
                        .transactions = c->transactions,
                        .bytes = c->bytes};
}

/* The columns that batch writes, too. */
static void put_costs(FILE *out, const smp_csv_access *row, const smp_totals *t) {
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

void smp_access_csv_row(FILE *out, const smp_csv_access *row) {
    const smp_arch *arch = &row->worst->arch;
    const smp_totals one = sums_of(row->worst), *t = row->totals ? row->totals : &one;
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
