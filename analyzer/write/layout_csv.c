/* SPDX-License-Identifier: MIT */
/*
 * What a layout costs, as CSV: one line an access and architecture.
 */
#include <inttypes.h>
#include <stdio.h>

#include "put.h"
#include "write_layout.h"
#include "write_report.h"

static void put_csv_row(FILE *out, const smp_layout_report *report, size_t index) {
    const smp_totals *t = &report->totals[index];
    bool waves = t->valid & SMP_HAS_WAVEFRONTS, moved = t->valid & SMP_HAS_TRANSACTIONS;
    smp_layout_access access;
    smp_report worst;
    smp_layout_access_at(report->layout, index, &access);
    fprintf(out, "%s,%u,", report->arch.name, access.line);
    put_csv_text(out, access.text, access.length);
    fprintf(out, ",%s,%u,%" PRIu64, smp_ops(NULL)[access.op].name, access.width_bytes, t->requests);
    put_csv_count(out, waves, t->wavefronts_min);
    put_csv_count(out, waves, t->wavefronts_max);
    put_csv_count(out, waves, t->ideal);
    put_csv_count(out, waves, t->ways);
    put_csv_count(out, moved, t->transactions);
    put_csv_count(out, moved, t->bytes);
    smp_layout_report_worst(report, index, &worst);
    smp_measured_csv(out, &worst.measured);
    double mean, deviation;
    if (smp_layout_spread(t, &mean, &deviation))
        fprintf(out, ",%.6g,%.6g,%u", mean, deviation, t->spread.draws);
    else
        fputs(",,,", out);
    fputc('\n', out);
}

void smp_layout_report_csv(FILE *out, const smp_layout_report *reports, size_t count) {
    fputs("arch,line,access,op,width_bytes,requests,wavefronts_min,wavefronts_max,ideal,ways,"
          "transactions,bytes,measured,measured_source,mean,deviation,draws\n",
          out);
    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < reports[r].count; i++)
            put_csv_row(out, &reports[r], i);
    }
}

void smp_layout_csv_any(FILE *out, const smp_layout_report *reports, size_t count,
                        const smp_layout_show *show) {
    (void)show;
    smp_layout_report_csv(out, reports, count);
}
