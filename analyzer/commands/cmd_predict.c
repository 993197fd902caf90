/* SPDX-License-Identifier: MIT */
/*
 * predict: shows what one access costs, why, and whether a GPU agrees. The access is a pattern of
 * lanes given by options, or source text: accesses as arguments with options around them, or a
 * layout file.
 */
#include <stdlib.h>
#include <string.h>

#include "access_gate.h"
#include "ask.h"
#include "ask_measure.h"
#include "layout_source.h"
#include "left_out.h"
#include "output.h"
#include "say.h"
#include "smp_accesses.h"
#include "write_format.h"

static const smp_option options[] = {
    OPTION_STRIDE,      OPTION_WIDTH,  OPTION_OFFSET,    OPTION_LANES,    OPTION_OP,
    OPTION_ACCESS,      OPTION_ARCH,   OPTION_BANK_MODE, OPTION_FORMAT,   OPTION_OUTPUT,
    OPTION_FORCE,       OPTION_COLOR,  OPTION_WITNESS,   OPTION_RECORDED, OPTION_DEVICE,
    OPTION_SHARED,      OPTION_GLOBAL, OPTION_BLOCK,     OPTION_GRID,     OPTION_DEFINE,
    OPTION_KERNEL_NAME, OPTION_DATA,   OPTION_FOR,       OPTION_EXPLAIN,  OPTION_MAX_WAYS,
    OPTION_MAX_EXCESS,  OPTION_HELP,   OPTION_VERSION};

static const option_words words[] = {{OPTION_ARCH, "sm_90, 9.0, hopper, GH100 ..., several or all"},
                                     {0}};

static const option_words refused[] = {
    {OPTION_GATE, "its rules are for kernels that ran; use --max-ways and --max-excess for an "
                  "access, 'expect' lines in a layout file"},
    {OPTION_BUDGET, "predict runs nothing"},
    {OPTION_MEMORY, "the access itself names its memory (ld.shared, ld.global)"},
    {0}};

/* An access is a pattern of lanes or source text; options of one do not apply to the other. */
static smp_status check_options(const arguments *args, smp_error *error) {
    static const smp_option of_pattern[] = {OPTION_STRIDE, OPTION_WIDTH, OPTION_OFFSET,
                                            OPTION_LANES,  OPTION_OP,    OPTION_ACCESS};
    if (args->positional_count > 0)
        return refuse_options(args, of_pattern, sizeof of_pattern / sizeof *of_pattern,
                              "does not apply to an access in source text", error);
    return refuse_options(args, layout_options, LAYOUT_OPTIONS,
                          "needs an access in source text, such as 'ld tile[threadIdx.x]'", error);
}

/* The exit status: 1 if a limit was exceeded; 3, with a message, if nothing could be judged. */
static int gate_end(const access_gate *gate) {
    if (gate->bound.max_ways < 0 && gate->bound.max_excess < 0)
        return 0;
    if (gate->judged == 0)
        return complain_of(SMP_E_SYNTAX, "nothing was judged: no access has wavefronts");
    return gate->broken > 0;
}

/* ---- A pattern of lanes ---- */

static smp_status fill_request(const arguments *args, smp_prediction *report, smp_error *error) {
    report->has_pattern = !has(args, OPTION_ACCESS);
    if (report->has_pattern)
        return ask_pattern(args, &report->pattern, error)
                   ? error->status
                   : smp_pattern_access(&report->pattern, &report->access, error);
    if (has(args, OPTION_STRIDE) || has(args, OPTION_WIDTH) || has(args, OPTION_OFFSET) ||
        has(args, OPTION_LANES) || has(args, OPTION_OP))
        return usage_error(
            error,
            "--access also sets --stride, --width, --offset, --lanes and --op: leave them out");
    return ask_access_line(args, &report->access, error);
}

/* Reports that the witness named by --witness could not measure. */
static smp_status check_witness(const arguments *args, const smp_prediction *report,
                                smp_error *error) {
    const smp_measured *measured = &report->measured;
    if (!has(args, OPTION_WITNESS) || measured->origin == SMP_LIVE || measured->why == SMP_OK)
        return SMP_OK;
    return smp_error_set(error, measured->why, -1, "--witness %s: %.200s",
                         last_value(args, OPTION_WITNESS), measured->reason);
}

static void judge_one(access_gate *gate, const smp_prediction *report) {
    const smp_totals totals = smp_totals_of_one(report);
    access_gate_judge(gate, &report->arch, &totals, NULL, 0);
}

static smp_status predict_one(const arguments *args, smp_prediction *report, output *out,
                              smp_error *error) {
    smp_error why = {SMP_OK, -1, ""};
    witness_choice choice;
    smp_probe *probe = NULL;
    if (ask_probe(args, !has(args, OPTION_ARCH), &choice, &probe, &report->arch, &why, error))
        return error->status;
    smp_status status = smp_access_check(&report->arch, &report->access, error);
    if (status == SMP_OK) {
        smp_prediction_fill(report, probe, &why);
        if (report->measured.origin == SMP_LIVE)
            witness_explain(probe, &say_notes);
        if (choice.and_clocks && report->measured.origin == SMP_LIVE)
            status = witness_add_clocks(probe, &report->access, &report->measured, error);
        smp_format_row_of(out->format)->prediction(out->stream, report, 1, out->style);
    }
    if (status == SMP_OK)
        status = check_witness(args, report, error);
    smp_probe_close(probe);
    return status;
}

/* Explains an access that no architecture, or no named one, supports. */
static smp_status check_many(const smp_prediction *request, const arch_list *asked,
                             smp_error *error) {
    for (size_t i = 0; i < asked->count; i++) {
        const smp_status status = smp_access_check(&asked->rows[i], &request->access, error);
        if ((status == SMP_OK) == asked->all)
            return status;
    }
    return asked->all ? smp_access_check(&request->arch, &request->access, error) : SMP_OK;
}

/* Predicts on several architectures; with "all", in each bank mode. */
static smp_status predict_many(const smp_prediction *request, const arch_list *asked, output *out,
                               access_gate *gate, smp_error *error) {
    smp_arch modes[SMP_ARCH_MODES_MAX];
    const smp_arch *archs = asked->all ? modes : asked->rows;
    const size_t count = asked->all ? smp_arch_modes(modes) : asked->count;
    smp_prediction *reports = calloc(count, sizeof *reports);
    if (!reports)
        return smp_error_memory(error);
    for (size_t i = 0; i < count; i++) {
        reports[i] = *request;
        reports[i].arch = archs[i];
        smp_prediction_fill(&reports[i], NULL, NULL);
        judge_one(gate, &reports[i]);
    }
    smp_format_row_of(out->format)->prediction(out->stream, reports, count, out->style);
    free(reports);
    return SMP_OK;
}

/* ---- Source text ---- */

/* Below text output; for other formats as a message. */
static void put_left_out(const output *to, const left_out *left) {
    char text[LEFT_OUT_BYTES];
    if (!left_out_text(left, text))
        return;
    if (to->format != SMP_FORMAT_TEXT) {
        say_line("smemprobe: %s", text);
        return;
    }
    fputc('\n', to->stream);
    smp_wrapped_print(to->stream, "", text);
}

static int write_reports(const arguments *args, const smp_layout_prediction *reports, size_t count,
                         bool is_table, const left_out *left) {
    output out;
    smp_error error;
    if (output_open(args, &out, &error) != SMP_OK)
        return complain(&error);
    const smp_layout_show show = {is_table, has(args, OPTION_EXPLAIN), out.style};
    smp_format_row_of(out.format)->layout(out.stream, reports, count, &show);
    put_left_out(&out, left);
    return output_end(&out, SMP_OK, NULL, 0);
}

static void judge_layout(access_gate *gate, const smp_layout_prediction *report) {
    for (size_t i = 0; i < report->count; i++) {
        smp_layout_access access;
        smp_layout_access_at(report->layout, i, &access);
        access_gate_judge(gate, &report->arch, &report->totals[i], access.text, access.length);
    }
}

static int report_all(const arguments *args, const layout_source *from, const arch_list *archs,
                      smp_probe *probe, access_gate *gate) {
    smp_layout_prediction reports[ARCHS_MAX];
    smp_error error;
    left_out left = {0};
    size_t done = 0;
    unsigned line = 0;
    int exit_status = 0;
    for (size_t i = 0; i < archs->count && exit_status == 0; i++) {
        smp_status status = smp_layout_prediction_fill(&reports[done], from->file, from->layout,
                                                       &archs->rows[i], &line, &error);
        bool is_last = i + 1 == archs->count && done == 0;
        if (status == SMP_OK)
            status = smp_layout_prediction_measure(&reports[done], probe, &error);
        if (status == SMP_OK) {
            judge_layout(gate, &reports[done++]);
            continue;
        }
        smp_layout_prediction_clear(&reports[done]);
        if (archs->all && status != SMP_E_MEMORY && !is_last)
            (void)left_out_add(&left, &archs->rows[i], &error);
        else
            exit_status = layout_source_complain(from, line, &error);
    }
    if (exit_status == 0)
        exit_status = write_reports(args, reports, done, archs->all, &left);
    while (done > 0)
        smp_layout_prediction_clear(&reports[--done]);
    return exit_status != 0 ? exit_status : gate_end(gate);
}

static int run_layout(const arguments *args, access_gate *gate) {
    arch_list archs;
    smp_error error;
    smp_probe *probe = NULL;
    witness_choice choice;
    smp_error why;
    layout_source from;
    int exit_status = layout_source_read(args, args->positional, args->positional_count, &from);
    if (exit_status == 0 && layout_source_archs(args, &from, &archs, &error) != SMP_OK)
        exit_status = complain(&error);
    bool is_default =
        exit_status == 0 && !has(args, OPTION_ARCH) && smp_layout_arch_count(from.layout) == 0;
    if (exit_status == 0 && !archs.all &&
        ask_probe(args, is_default, &choice, &probe, &archs.rows[0], &why, &error) != SMP_OK)
        exit_status = complain(&error);
    if (exit_status == 0)
        exit_status = report_all(args, &from, &archs, probe, gate);
    smp_probe_close(probe);
    layout_source_clear(&from);
    return exit_status;
}

/* ---- The command ---- */

static int run(const arguments *args) {
    smp_error error;
    smp_prediction report;
    output out;
    arch_list archs;
    access_gate gate = {.notes = &say_notes};
    memset(&report, 0, sizeof report);
    if (check_options(args, &error) ||
        ask_bounds(args, INT64_MAX, &gate.bound.max_ways, &gate.bound.max_excess, &error))
        return complain(&error);
    if (args->positional_count > 0)
        return run_layout(args, &gate);
    if (ask_arch_list(args, &archs, &error))
        return complain(&error);
    const bool is_one = archs.count < 2;
    if ((archs.count == 0 && ask_arch_more(args, "sm_90", &archs, &error)))
        return complain(&error);
    report.arch = *(archs.all ? smp_arch_find("sm_90") : &archs.rows[0]);
    if (fill_request(args, &report, &error) || (!is_one && check_many(&report, &archs, &error)) ||
        smp_recorded_ready(&error) || output_open(args, &out, &error))
        return complain(&error);
    const smp_status status = is_one ? predict_one(args, &report, &out, &error)
                                     : predict_many(&report, &archs, &out, &gate, &error);
    const bool differs = is_one && status == SMP_OK && smp_prediction_differs(&report);
    const int exit_status = output_end(&out, status, &error, differs);
    if (is_one && status == SMP_OK)
        judge_one(&gate, &report);
    return exit_status != 0 ? exit_status : gate_end(&gate);
}

const command_row command_predict = {
    .name = "predict",
    .heading = "every day",
    .summary = "show what one access costs, why, and whether a GPU agrees",
    .usage = "[OPTIONS] [ACCESS... | FILE.smp | FILE.cu | -]",
    COMMAND_OPTIONS(options),
    .words = words,
    .refused = refused,
    .formats = SMP_FORMATS(SMP_PREDICTION_FORMS),
    .run = run,
};
