/* SPDX-License-Identifier: MIT */
/*
 * plot archs: the cost of one access on every generation; architectures with equal cost share a
 * row.
 */
#include <inttypes.h>
#include <string.h>

#include "layout_cost.h"
#include "plot.h"

typedef struct row {
    smp_arch first, last;
    smp_totals cost;
} row;

typedef struct rows {
    smp_prediction report; /* the access in words */
    size_t count;
    row row[SMP_ARCH_MODES_MAX];
} rows;

static bool is_alike(const row *a, const row *b) {
    return a->first.bank_bytes == b->first.bank_bytes &&
           a->first.bank_bytes_alt == b->first.bank_bytes_alt &&
           smp_totals_alike(&a->cost, &b->cost);
}

/* Returns true if `b` is the other bank mode of `a` and costs the same. */
static bool is_other_mode(const row *a, const row *b) {
    return a->last.shared_rule == b->last.shared_rule && a->last.bank_bytes != b->last.bank_bytes &&
           smp_totals_alike(&a->cost, &b->cost);
}

static void add_arch(rows *all, const smp_arch *arch) {
    smp_prediction report = all->report;
    report.arch = *arch;
    report.status = smp_predict(arch, &report.access, &report.counts);
    if (report.status != SMP_OK)
        return; /* no bar: no such operation, or not modelled */
    const row next = {*arch, *arch, smp_totals_of_one(&report)};
    row *latest = all->count ? &all->row[all->count - 1] : NULL;
    if (latest && is_other_mode(latest, &next))
        latest->first.bank_bytes_alt = 0; /* then the row does not name the mode */
    else if (latest && is_alike(latest, &next))
        latest->last = *arch;
    else
        all->row[all->count++] = next;
}

static void put_row(plot *out, const row *from, size_t index) {
    char label[80];
    const smp_totals *c = &from->cost;
    plot_archs_label(&from->first, &from->last, label, sizeof label);
    fprintf(out->data, "%zu", index);
    plot_put_text(out->data, label);
    plot_put_text(out->data, smp_evidence_name(c->evidence));
    if (c->valid & SMP_HAS_WAVEFRONTS)
        fprintf(out->data, ",wavefronts,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u\n",
                c->wavefronts_min, c->wavefronts_max, c->ideal, c->ways);
    else
        fprintf(out->data, ",transactions,%" PRIu64 ",%" PRIu64 ",,\n", c->transactions,
                c->transactions);
}

static void describe(plot *out, const smp_prediction *report) {
    char words[160], pattern[SMP_BATCH_TEXT_MAX + 16];
    (void)smp_prediction_words(report, words, sizeof words);
    (void)smp_prediction_pattern(report, pattern, sizeof pattern);
    PLOT_TEXT(out->title, "%s over the generations", smp_ops(NULL)[report->access.op].name);
    PLOT_TEXT(out->subtitle, "%s per request: %.150s",
              smp_op_counts_wavefronts(report->access.op) ? "wavefronts" : "transactions", words);
    PLOT_TEXT(out->provenance, "smemprobe %s, model%s%.200s", SMP_VERSION,
              report->has_pattern ? "; " : "", report->has_pattern ? pattern : "");
}

/* Uses `access`. */
static smp_status fill(plot *out, smp_error *error) {
    smp_arch archs[SMP_ARCH_MODES_MAX];
    rows all;
    memset(&all, 0, sizeof all);
    all.report = out->ask->access;
    size_t count = smp_arch_modes(archs);
    for (size_t i = 0; i < count; i++)
        add_arch(&all, &archs[i]);
    if (all.count == 0 &&
        smp_access_check(smp_arch_find("sm_90"), &all.report.access, error) != SMP_OK)
        return error->status;
    if (all.count == 0)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "nothing to draw: no architecture has a rule for it (smemprobe "
                             "predict --arch all says why)");
    describe(out, &all.report);
    plot_set(out, "rows", "%zu", all.count);
    fputs("row,architectures,evidence,unit,min,max,ideal,ways\n", out->data);
    for (size_t i = 0; i < all.count; i++)
        put_row(out, &all.row[i], i);
    return SMP_OK;
}

static const plot_panel panels[] = {
    {.form = PLOT_BARS,
     .x = "architectures",
     .note = "evidence",
     .series = {{.value = "max", .low = "min", .mark = "ideal", .mark_name = "ideal"}}},
    {.form = PLOT_END}};

const plot_kind plot_archs = {
    .name = "archs",
    .summary = "the cost of one access, from 1.0 to the newest",
    .operands = "",
    .fill = fill,
    .panels = panels,
};
