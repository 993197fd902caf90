/* SPDX-License-Identifier: MIT */
/*
 * predict: what one access costs, why, and whether a GPU agrees.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask_measure.h"
#include "cmd_layout.h"
#include "output.h"
#include "say.h"
#include "smp_accesses.h"
#include "write_format.h"

static const smp_option options[] = {
    OPTION_STRIDE,      OPTION_WIDTH,  OPTION_OFFSET,    OPTION_LANES,    OPTION_OP,
    OPTION_ACCESS,      OPTION_ARCH,   OPTION_BANK_MODE, OPTION_FORMAT,   OPTION_OUTPUT,
    OPTION_FORCE,       OPTION_COLOR,  OPTION_WITNESS,   OPTION_RECORDED, OPTION_DEVICE,
    OPTION_SHARED,      OPTION_GLOBAL, OPTION_BLOCK,     OPTION_GRID,     OPTION_DEFINE,
    OPTION_KERNEL_NAME, OPTION_DATA,   OPTION_FOR,       OPTION_EXPLAIN,  OPTION_HELP,
    OPTION_VERSION};

/* The first of `some` that is given, as an error that ends in `why`. */
static smp_status refuse(const arguments *args, const smp_option *some, size_t count,
                         const char *why, smp_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (has(args, some[i]))
            return smp_error_set(error, SMP_E_USAGE, -1, "--%s %s", option_rows[some[i]].name, why);
    }
    return SMP_OK;
}

/* An access is a pattern of lanes, or source text, and the options of one say nothing of the
 * other. */
static smp_status check_options(const arguments *args, smp_error *error) {
    static const smp_option of_pattern[] = {OPTION_STRIDE, OPTION_WIDTH, OPTION_OFFSET,
                                            OPTION_LANES,  OPTION_OP,    OPTION_ACCESS};
    static const smp_option of_source[] = {OPTION_SHARED, OPTION_GLOBAL,     OPTION_BLOCK,
                                           OPTION_GRID,   OPTION_DEFINE,     OPTION_DATA,
                                           OPTION_FOR,    OPTION_KERNEL_NAME};
    if (args->positional_count > 0)
        return refuse(args, of_pattern, sizeof of_pattern / sizeof *of_pattern,
                      "does not go with an access in source text, which says all of it", error);
    return refuse(args, of_source, sizeof of_source / sizeof *of_source,
                  "needs an access in source text, such as 'ld tile[threadIdx.x]'", error);
}

static smp_status fill_request(const arguments *args, smp_prediction *report, smp_error *error) {
    report->has_pattern = !has(args, OPTION_ACCESS);
    if (report->has_pattern) {
        smp_status status = ask_pattern(args, &report->pattern, error);
        if (status != SMP_OK)
            return status;
        return smp_pattern_access(&report->pattern, &report->access, error);
    }
    if (has(args, OPTION_STRIDE) || has(args, OPTION_WIDTH) || has(args, OPTION_OFFSET) ||
        has(args, OPTION_LANES) || has(args, OPTION_OP))
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--access says all of --stride, --width, --offset, --lanes and --op");
    return ask_access_line(args, &report->access, error);
}

/* A witness that was demanded by name, and could not be heard. */
static smp_status check_witness(const arguments *args, const smp_prediction *report,
                                smp_error *error) {
    const smp_measured *measured = &report->measured;
    if (!has(args, OPTION_WITNESS) || measured->origin == SMP_LIVE || measured->why == SMP_OK)
        return SMP_OK;
    return smp_error_set(error, measured->why, -1, "--witness %s: %.200s",
                         last_value(args, OPTION_WITNESS), measured->reason);
}

static smp_status predict_one(const arguments *args, smp_prediction *report, output *out,
                              smp_error *error) {
    smp_error why = {SMP_OK, -1, ""};
    witness_choice choice;
    smp_probe *probe = NULL;
    smp_status status =
        ask_probe(args, !has(args, OPTION_ARCH), &choice, &probe, &report->arch, &why, error);
    if (status != SMP_OK)
        return status;
    status = smp_access_check(&report->arch, &report->access, error);
    if (status == SMP_OK) {
        smp_prediction_fill(report, probe, &why);
        if (report->measured.origin == SMP_LIVE)
            witness_explain(probe, &say_notes);
        if (choice.and_clocks && report->measured.origin == SMP_LIVE)
            status = witness_add_clocks(probe, &report->access, &report->measured, error);
        smp_format_row_of(out->format)->report(out->stream, report, 1, out->style);
    }
    if (status == SMP_OK)
        status = check_witness(args, report, error);
    smp_probe_close(probe);
    return status;
}

/* An access that no architecture takes is wrong, and this is why. */
static smp_status check_all(const smp_prediction *request, smp_error *error) {
    size_t count;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++) {
        if (smp_access_check(&rows[i], &request->access, NULL) == SMP_OK)
            return SMP_OK;
    }
    return smp_access_check(&request->arch, &request->access, error);
}

static smp_status predict_all(const smp_prediction *request, output *out, smp_error *error) {
    smp_arch archs[SMP_ARCH_MODES_MAX];
    size_t count = smp_arch_modes(archs);
    smp_prediction *reports = calloc(count, sizeof *reports);
    if (!reports)
        return smp_error_memory(error);
    for (size_t i = 0; i < count; i++) {
        reports[i] = *request;
        reports[i].arch = archs[i];
        smp_prediction_fill(&reports[i], NULL, NULL);
    }
    smp_format_row_of(out->format)->report(out->stream, reports, count, out->style);
    free(reports);
    return SMP_OK;
}

static int run(const arguments *args) {
    smp_error error;
    smp_prediction report;
    output out;
    bool all;
    memset(&report, 0, sizeof report);
    smp_status status = check_options(args, &error);
    if (status == SMP_OK && args->positional_count > 0)
        return run_layout(args);
    if (status == SMP_OK)
        status = ask_arch(args, &report.arch, &all, &error);
    if (status == SMP_OK)
        status = fill_request(args, &report, &error);
    if (status == SMP_OK && all)
        status = check_all(&report, &error);
    if (status == SMP_OK)
        status = smp_recorded_ready(&error);
    if (status == SMP_OK)
        status = output_open(args, &out, &error);
    if (status != SMP_OK)
        return complain(&error);
    status = all ? predict_all(&report, &out, &error) : predict_one(args, &report, &out, &error);
    const bool differs = !all && status == SMP_OK && smp_prediction_differs(&report);
    return output_end(&out, status, &error, differs);
}

const command_row command_predict = {
    .name = "predict",
    .heading = "an access, a layout, a kernel's source",
    .summary = "what one access costs, why, and whether a GPU agrees",
    .usage = "[OPTIONS] [ACCESS... | FILE.smp | FILE.cu | -]",
    COMMAND_OPTIONS(options),
    .formats = SMP_REPORT_FORMATS,
    .examples = "  smemprobe --stride 33 --width 4          a column of float tile[32][33]\n"
                "  smemprobe --stride 32                    the same without padding\n"
                "  smemprobe --stride 1 --width 16          float4, one after the other\n"
                "  smemprobe --stride 32 --arch all         what changes on another GPU\n"
                "  smemprobe --op atom --stride 0           a histogram's worst case\n"
                "  smemprobe --stride 2 --format json       for programs\n"
                "  smemprobe 'ld tile[threadIdx.x][threadIdx.y + j]' --block 32x8 \\\n"
                "            --for j=0:32:8 --shared 'float tile[32][33]'   as in the kernel\n"
                "  smemprobe 'atomicAdd(&bin[data[threadIdx.x]], 1);' --data data=zipf:256 \\\n"
                "            --shared 'int bin[256]' --global 'int *data'   what data decide\n"
                "  smemprobe predict examples/scan.smp      the same from a layout file\n",
    .run = run,
};
