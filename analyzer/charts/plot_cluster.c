/* SPDX-License-Identifier: MIT */
/*
 * plot cluster: the cost of an access by stride in the block's own shared memory and in another
 * block's: predicted, counted, and in recorded cycles.
 */
#include <inttypes.h>

#include "plot.h"

static void put_access(plot *out, smp_prediction *report, bool *has_cycles) {
    const smp_measured *m = &report->measured;
    const smp_counts *c = &report->counts;
    bool is_own = smp_op_counts_wavefronts(report->access.op);
    smp_prediction_fill(report, NULL, NULL);
    fprintf(out->data, "%s,%s,%" PRIu32 ",%" PRIu32 ",%s,", is_own ? "own" : "remote",
            smp_ops(NULL)[report->access.op].name, report->access.width_bytes,
            report->pattern.stride, is_own ? "wavefronts" : "sectors");
    if (report->status == SMP_OK)
        fprintf(out->data, "%" PRIu32, is_own ? c->wavefronts_max : c->transactions);
    if (plot_put_measured(out, m, true))
        *has_cycles = *has_cycles || (m->has_cycles && !is_own);
}

static void describe(plot *out, const sweep *all) {
    const smp_prediction *first = &all->reports[0], *last = &all->reports[all->count - 1];
    PLOT_TEXT(out->title, "Own shared memory and another block's, by stride, on %s (%s)",
              first->arch.name, first->arch.family);
    PLOT_TEXT(out->subtitle, "%s and %s, %" PRIu32 " bytes per lane",
              smp_ops(NULL)[first->access.op].name, smp_ops(NULL)[last->access.op].name,
              first->access.width_bytes);
}

/* Uses `arch`, `again` and `axes` with two operations: the access to own memory and the same access
 * to another block's. */
static smp_status fill(plot *out, smp_error *error) {
    bool has_cycles = false;
    sweep all;
    if (plot_sweep(out, &all, error))
        return error->status;
    describe(out, &all);
    fputs("memory,op,width_bytes,stride,unit,predicted,measured,cycles,gpu,driver,cuda,date\n",
          out->data);
    for (size_t i = 0; i < all.count; i++)
        put_access(out, &all.reports[i], &has_cycles);
    sweep_free(&all);
    return has_cycles
               ? SMP_OK
               : smp_error_set(error, SMP_E_USAGE, -1,
                               "no cycles are recorded for these; on a GPU: smemprobe probe %s "
                               "--witness both --record FILE, then smemprobe plot cluster FILE",
                               out->ask->again);
}

#define MEMORIES(column_)                                                                     \
    {                                                                                         \
        {.name = "own memory",                                                                \
         .value = column_,                                                                    \
         .is_point = true,                                                                    \
         .keep = PLOT_TEXT,                                                                   \
         .column = "memory",                                                                  \
         .with = "own"},                                                                      \
        {                                                                                     \
            .name = "another block's", .value = column_, .is_point = true, .keep = PLOT_TEXT, \
            .column = "memory", .with = "remote"                                              \
        }                                                                                     \
    }

static const plot_panel panels[] = {
    {.form = PLOT_COLUMNS,
     .heading = "cycles per request, eight warps at once",
     .x = "stride",
     .series = MEMORIES("cycles")},
    {.form = PLOT_COLUMNS,
     .heading = "wavefronts in own memory, 32-byte sectors in another block's, as predicted",
     .x = "stride",
     .x_name = "stride between neighbouring lanes, in elements",
     .series = MEMORIES("predicted")},
    {.form = PLOT_END}};

const plot_kind plot_cluster = {
    .name = "cluster",
    .summary = "another block's shared memory compared with a block's own, in cycles",
    .operands = "[FILE]...",
    .operands_max = PLOT_FILES,
    .fill = fill,
    .panels = panels,
};
