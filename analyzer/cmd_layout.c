/* SPDX-License-Identifier: MIT */
/*
 * predict with source text: accesses as arguments and their surroundings as options, or a layout
 * file. Both go through the same statements.
 */
#include <string.h>

#include "cli.h"
#include "layout_report.h"
#include "witness.h"

enum { REPORTS_MAX = 64 };

/* Which architectures: those asked for, else those of the file, else the one of the options. */
static size_t choose_archs(const arguments *args, const layout_source *from, const smp_arch *one,
                           bool all, smp_arch out[REPORTS_MAX]) {
    size_t count = 0, own = smp_layout_arch_count(from->layout);
    if (all) {
        const smp_arch *rows = smp_archs(&count);
        memcpy(out, rows, count * sizeof *rows);
        return count;
    }
    out[0] = *one;
    if (has(args, OPTION_ARCH) || own == 0)
        return 1;
    for (; count < own && count < REPORTS_MAX; count++)
        out[count] = *smp_layout_arch(from->layout, count);
    return count;
}

static void write_text(FILE *out, const smp_layout_report *reports, size_t count, bool is_table,
                       bool explains, smp_style style) {
    if (is_table) {
        smp_layout_report_table(out, reports, count);
        return;
    }
    smp_layout_report_text(out, &reports[0], style, explains);
    if (count > 1) {
        fputs("\nOn all architectures of the file:\n", out);
        smp_layout_report_table(out, reports, count);
    }
}

static int write_reports(const arguments *args, const smp_layout_report *reports, size_t count,
                         bool is_table) {
    output out;
    smp_error error;
    if (output_open(args, &out, &error) != SMP_OK)
        return complain(&error);
    if (out.format == FORMAT_JSON)
        smp_layout_report_json(out.stream, reports, count);
    else if (out.format == FORMAT_CSV)
        smp_layout_report_csv(out.stream, reports, count);
    else
        write_text(out.stream, reports, count, is_table, has(args, OPTION_EXPLAIN), out.style);
    return output_close(&out, true, &error) == SMP_OK ? 0 : complain(&error);
}

/* Opens the GPU if there is one; its architecture is the default. */
static int open_probe(const arguments *args, bool is_default, smp_arch *arch, smp_probe **probe) {
    uint64_t device = 0;
    smp_error error;
    const char *text = last_value(args, OPTION_DEVICE);
    smp_status status = text ? number_parse(text, "device", 1023, &device, &error) : SMP_OK;
    if (status != SMP_OK)
        return complain(&error);
    witness_choice choice;
    if (witness_parse(args, SMP_COUNTERS_OR_CLOCKS, &choice, &error) != SMP_OK)
        return complain(&error);
    if (smp_probe_open_with((int)device, choice.first, probe, NULL) != SMP_OK)
        return 0;
    const smp_device *found = smp_probe_device(*probe);
    const smp_arch *own = smp_arch_of_cc(found->cc_major, found->cc_minor);
    if (own && is_default && !has(args, OPTION_BANK_MODE))
        *arch = *own;
    return 0;
}

static int report_all(const arguments *args, const layout_source *from, const smp_arch *archs,
                      size_t count, bool all, smp_probe *probe) {
    smp_layout_report reports[REPORTS_MAX];
    smp_error error;
    size_t done = 0;
    unsigned line = 0;
    int exit_status = 0;
    for (size_t i = 0; i < count && exit_status == 0; i++) {
        smp_status status = smp_layout_report_fill(&reports[done], from->file, from->layout,
                                                   &archs[i], &line, &error);
        bool is_absent = all && status != SMP_OK && status != SMP_E_MEMORY && i + 1 < count;
        if (status == SMP_OK) {
            reports[done].probe = probe;
            done++;
            continue;
        }
        smp_layout_report_clear(&reports[done]);
        if (!is_absent)
            exit_status = layout_source_complain(args, from, line, &error);
    }
    if (exit_status == 0)
        exit_status = write_reports(args, reports, done, all);
    while (done > 0)
        smp_layout_report_clear(&reports[--done]);
    return exit_status;
}

int run_layout(const arguments *args) {
    smp_arch one, archs[REPORTS_MAX];
    smp_error error;
    bool all;
    smp_probe *probe = NULL;
    layout_source from;
    if (arguments_arch(args, &one, &all, &error) != SMP_OK)
        return complain(&error);
    int exit_status = layout_source_read(args, &from);
    bool is_default =
        exit_status == 0 && !has(args, OPTION_ARCH) && smp_layout_arch_count(from.layout) == 0;
    if (exit_status == 0 && !all)
        exit_status = open_probe(args, is_default, &one, &probe);
    if (exit_status == 0) {
        size_t count = choose_archs(args, &from, &one, all, archs);
        exit_status = report_all(args, &from, archs, count, all, probe);
    }
    smp_probe_close(probe);
    layout_source_clear(&from);
    return exit_status;
}
