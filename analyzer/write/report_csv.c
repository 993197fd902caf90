/* SPDX-License-Identifier: MIT */
/*
 * The report as CSV: one row an architecture, empty fields where nothing is known.
 */
#include <inttypes.h>
#include <stdio.h>

#include "put.h"
#include "write_report.h"

void smp_measured_csv(FILE *out, const smp_measured *m) {
    const bool is_known = m->source != SMP_NOT_MEASURED;
    put_csv_count(out, is_known && !m->is_at_most && m->count != SMP_NOT_COUNTED, m->count);
    fprintf(out, ",%s", !is_known ? "" : m->source == SMP_LIVE ? "live" : "recorded");
}

void smp_report_csv(FILE *out, const smp_report *reports, size_t count) {
    fputs(
        "arch,cc,bank_bytes,op,width_bytes,active_lanes,wavefronts_min,wavefronts_max,ideal,excess,"
        "ways,transactions,bytes,evidence,measured,measured_source,pattern\n",
        out);
    for (size_t i = 0; i < count; i++) {
        const smp_report *r = &reports[i];
        const smp_counts *c = &r->counts;
        char pattern[SMP_BATCH_TEXT_MAX + 16];
        bool waves = c->valid & SMP_HAS_WAVEFRONTS, moved = c->valid & SMP_HAS_TRANSACTIONS;
        (void)smp_report_pattern(r, pattern, sizeof pattern);
        fprintf(out, "%s,%u.%u,%u,%s,%u,%u", r->arch.name, r->arch.cc_major, r->arch.cc_minor,
                r->arch.bank_bytes, smp_ops(NULL)[r->access.op].name, r->access.width_bytes,
                (unsigned)__builtin_popcount(r->access.active_mask));
        put_csv_count(out, waves, c->wavefronts_min);
        put_csv_count(out, waves, c->wavefronts_max);
        put_csv_count(out, waves, c->ideal);
        put_csv_count(out, waves, c->excess);
        put_csv_count(out, waves, c->ways);
        put_csv_count(out, moved, c->transactions);
        put_csv_count(out, moved, c->bytes);
        fprintf(out, ",%s", smp_evidence_name(c->evidence));
        smp_measured_csv(out, &r->measured);
        fprintf(out, ",%s\n", pattern);
    }
}

void smp_report_csv_any(FILE *out, const smp_report *reports, size_t count, smp_style style) {
    (void)style;
    smp_report_csv(out, reports, count);
}
