/* SPDX-License-Identifier: MIT */
/*
 * plot stride: the cost of one operation by stride, with a panel for each width: predicted, and
 * measured where a record exists.
 */
#include <inttypes.h>

#include "plot.h"
#include "text_buffer.h"

/* Writes one line; returns true if it was measured. */
static bool put_report(plot *out, const smp_prediction *report) {
    fprintf(out->data, "%s,%s,%" PRIu32 ",%" PRIu32 ",", report->arch.name,
            smp_ops(NULL)[report->access.op].name, report->access.width_bytes,
            report->pattern.stride);
    if (report->status == SMP_OK)
        fprintf(out->data, "%" PRIu64, smp_prediction_count(report));
    return plot_put_measured(out, &report->measured, false);
}

/* "4 8 16": the widths in the order of the data. */
static void set_panels(plot *out, const sweep *all) {
    char widths[64];
    text_buffer list = TEXT_BUFFER(widths);
    for (size_t i = 0; i < all->count; i++) {
        uint32_t width = all->reports[i].access.width_bytes;
        if (i == 0 || width != all->reports[i - 1].access.width_bytes)
            text_join(&list, " ", "%" PRIu32, width);
    }
    plot_set(out, "widths", "%s", widths);
}

static void describe(plot *out, const smp_prediction *report) {
    const smp_op_row *op = &smp_ops(NULL)[report->access.op];
    bool waves = smp_op_counts_wavefronts(op->op);
    PLOT_TEXT(out->title, "%s by stride on %s (%s)", op->name, report->arch.name,
              report->arch.family);
    PLOT_TEXT(out->subtitle, "%s per request of %d lanes, on a logarithmic scale",
              waves ? "wavefronts" : "32-byte sectors", SMP_LANES);
    PLOT_TEXT(out->provenance, "smemprobe %s, model; no measurement of this is recorded",
              SMP_VERSION);
}

/* Uses `arch` and `axes`. */
static smp_status fill(plot *out, smp_error *error) {
    bool is_measured = false;
    sweep all;
    if (plot_sweep(out, &all, error))
        return error->status;
    describe(out, &all.reports[0]);
    set_panels(out, &all);
    fputs("arch,op,width_bytes,stride,predicted,measured,gpu,driver,cuda,date\n", out->data);
    for (size_t i = 0; i < all.count; i++) {
        smp_prediction_fill(&all.reports[i], NULL, NULL);
        is_measured = put_report(out, &all.reports[i]) || is_measured;
    }
    plot_set(out, "measured", "%d", is_measured);
    sweep_free(&all);
    return SMP_OK;
}

static const plot_panel panels[] = {
    {.form = PLOT_COLUMNS,
     .each = "width_bytes",
     .heading = "{n} {byte|bytes} per lane",
     .x = "stride",
     .x_name = "stride between neighbouring lanes, in elements",
     .log_y = true,
     .series =
         {{.name = "predicted", .value = "predicted"},
          {.name = "measured", .value = "measured", .is_point = true, .is_exceptions = true}}},
    {.form = PLOT_END}};

const plot_kind plot_stride = {
    .name = "stride",
    .summary = "the cost of one operation by stride, for each width",
    .operands = "",
    .fill = fill,
    .panels = panels,
};
