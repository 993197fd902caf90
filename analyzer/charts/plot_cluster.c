/* SPDX-License-Identifier: MIT */
/*
 * plot cluster: what the same access costs in the block's own shared memory and in that of another
 * block of the cluster, over the stride: predicted, counted, and in cycles as recorded.
 */
#include <inttypes.h>
#include <string.h>

#include "plot.h"
#include "sweep.h"

/* The operation on remote memory that corresponds. */
static const smp_op_row *remote_of(const smp_op_row *op) {
    char name[48];
    (void)snprintf(name, sizeof name, "%.30s::cluster", op->name);
    const smp_op_row *row = smp_op_find(name);
    return op->space == SMP_SPACE_SHARED && row ? row : NULL;
}

static void put_access(plot *out, smp_report *report, bool *has_cycles) {
    const smp_measured *m = &report->measured;
    const smp_counts *c = &report->counts;
    bool is_own = smp_op_counts_wavefronts(report->access.op);
    smp_report_fill(report, NULL, NULL);
    fprintf(out->data, "%s,%s,%" PRIu32 ",%" PRIu32 ",%s,", is_own ? "own" : "remote",
            smp_ops(NULL)[report->access.op].name, report->access.width_bytes,
            report->pattern.stride, is_own ? "wavefronts" : "sectors");
    if (report->status == SMP_OK)
        fprintf(out->data, "%" PRIu32, is_own ? c->wavefronts_max : c->transactions);
    if (m->source == SMP_NOT_MEASURED) {
        fputs(",,,,,,\n", out->data);
        return;
    }
    fprintf(out->data, ",%" PRIu64 ",", m->count);
    if (m->has_cycles)
        fprintf(out->data, "%.2f", m->cycles);
    *has_cycles = *has_cycles || (m->has_cycles && !is_own);
    plot_put_origin(out->data, m);
    plot_measured_on(out, m);
}

/* The options as a sweep over both operations. */
static smp_status make(const arguments *given, const smp_arch *arch, sweep *out, char *ops,
                       size_t size, smp_error *error) {
    arguments args = *given;
    smp_pattern pattern;
    args.given &= ~PLOT_OPTION(OPTION_STRIDE); /* a list here */
    smp_status status = arguments_pattern(&args, &pattern, error);
    if (status != SMP_OK)
        return status;
    const smp_op_row *own = &smp_ops(NULL)[pattern.op], *remote = remote_of(own);
    if (!remote)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--op %.40s: has no counterpart in another block's memory; ld, st and "
                             "atom have",
                             own->name);
    if (smp_op_evidence(arch, remote->op, pattern.width_bytes) == SMP_ABSENT)
        return smp_error_set(error, SMP_E_OP_UNAVAILABLE, -1, "%s does not exist on %s",
                             remote->name, arch->name);
    (void)snprintf(ops, size, "%s,%s", own->name, remote->name);
    args.value[OPTION_OP][0] = ops;
    args.count[OPTION_OP] = 1;
    if (args.count[OPTION_STRIDE] == 0)
        args.value[OPTION_STRIDE][args.count[OPTION_STRIDE]++] = "0:33";
    return sweep_make(&args, arch, out, error);
}

static void describe(plot *out, const sweep *all) {
    const smp_report *first = &all->reports[0], *last = &all->reports[all->count - 1];
    (void)snprintf(out->title, sizeof out->title,
                   "Own shared memory and another block's, by stride, on %s (%s)", first->arch.name,
                   first->arch.family);
    (void)snprintf(out->subtitle, sizeof out->subtitle, "%s and %s, %" PRIu32 " bytes a lane",
                   smp_ops(NULL)[first->access.op].name, smp_ops(NULL)[last->access.op].name,
                   first->access.width_bytes);
    plot_set(out, "first_stride", "%" PRIu32, first->pattern.stride);
    plot_set(out, "last_stride", "%" PRIu32, last->pattern.stride);
}

static smp_status nothing_recorded(const char *ops, const arguments *args, smp_error *error) {
    const char *width = last_value(args, OPTION_WIDTH), *stride = last_value(args, OPTION_STRIDE);
    return smp_error_set(
        error, SMP_E_USAGE, -1,
        "no cycles are recorded of these; on a GPU: smemprobe probe --op %s "
        "--width %.8s --stride %.20s --witness both --record FILE, then smemprobe plot "
        "cluster FILE",
        ops, width ? width : "4", stride ? stride : "0:64");
}

static int fill(plot *out) {
    smp_error error;
    smp_arch arch;
    bool is_all, has_cycles = false;
    char ops[80];
    sweep all = {0};
    smp_status status = arguments_arch(out->args, &arch, &is_all, &error);
    if (status == SMP_OK && is_all)
        status = smp_error_set(&error, SMP_E_USAGE, -1,
                               "--arch all: plot cluster needs one architecture");
    if (status == SMP_OK)
        status = plot_read_recorded(out->args, &error);
    if (status == SMP_OK)
        status = make(out->args, &arch, &all, ops, sizeof ops, &error);
    if (status == SMP_OK) {
        describe(out, &all);
        fputs("memory,op,width_bytes,stride,unit,predicted,measured,cycles,gpu,driver,cuda,date\n",
              out->data);
        for (size_t i = 0; i < all.count; i++)
            put_access(out, &all.reports[i], &has_cycles);
    }
    if (status == SMP_OK && !has_cycles)
        status = nothing_recorded(ops, out->args, &error);
    sweep_free(&all);
    return status == SMP_OK ? 0 : complain(&error);
}

const plot_kind plot_cluster = {
    .name = "cluster",
    .summary = "another block's shared memory against the own, in cycles",
    .operands = "[FILE]...",
    .operands_max = POSITIONALS_MAX,
    .options = PLOT_OPTION(OPTION_STRIDE) | PLOT_OPTION(OPTION_WIDTH) | PLOT_OPTION(OPTION_OP) |
               PLOT_OPTION(OPTION_ARCH),
    .fill = fill,
};
