/* SPDX-License-Identifier: MIT */
/* probe: runs accesses on the GPU under its counters and compares with the prediction. */
#include <string.h>

#include "ask_measure.h"
#include "layout_source.h"
#include "output.h"
#include "progress.h"
#include "say.h"
#include "write_format.h"

static const smp_option options[] = {
    OPTION_SHARED,      OPTION_GLOBAL,  OPTION_BLOCK,  OPTION_GRID,     OPTION_DEFINE,
    OPTION_KERNEL_NAME, OPTION_DATA,    OPTION_FOR,    OPTION_RECORDED, OPTION_STRIDE,
    OPTION_WIDTH,       OPTION_OP,      OPTION_OFFSET, OPTION_LANES,    OPTION_WITNESS,
    OPTION_DEVICE,      OPTION_DEVICES, OPTION_RECORD, OUTPUT_OPTIONS};

static const option_words words[] = {
    {OPTION_STRIDE, "33, 1,2,4, 0:64 or 0:64:2, in elements (default 0:64)"},
    {OPTION_WIDTH, "bytes per lane: 1, 2, 4, 8, 16 or several of them (default 4)"},
    {OPTION_OP, "operations, separated by commas (smemprobe list ops; default ld)"},
    {0}};

/* The accesses to measure, and the GPUs that measure them. */
typedef struct probe_command {
    witness_choice choice;
    int device;
    record_target record;
    const char *file; /* NULL for the sweep of the options */
    bool is_layout;   /* source text, or a layout file */
    const smp_arch *arch;
    smp_probe *probe;    /* NULL for several GPUs, or for none (`why` says why) */
    device_list devices; /* of --devices; count 0 if not given */
    smp_device gpu;      /* the probe's GPU, or the first of `devices` */
    smp_error why;
    sweep all;
} probe_command;

/* Measures the accesses that are not yet measured. */
static smp_status measure(probe_command *c, smp_error *error) {
    progress_line line;
    const sweep_witness witness = {c->probe, &c->devices, &c->choice, progress_step_of, &line};
    progress_begin(&line, "measured", sweep_unmeasured(&c->all));
    const smp_status status = sweep_measure(&c->all, &witness, error);
    progress_end(&line);
    return status;
}

static void write_rows(const output *out, const sweep *all) {
    if (all->count > 0)
        smp_format_row_of(out->format)->sweep(out->stream, all, out->style);
}

/* Without a GPU: reports whether recordings exist. Returns the status for a run that did not
 * happen. */
static smp_status offer_recorded(const smp_error *why, sweep *all, output *out, smp_error *error) {
    if (smp_recorded_ready(error) != SMP_OK)
        return error->status;
    for (size_t i = 0; i < all->count; i++)
        smp_prediction_fill(&all->reports[i], NULL, why);
    sweep_keep_measured(all);
    write_rows(out, all);
    const char *offer =
        all->count > 0 ? "; the recorded values are shown" : "; nothing is recorded for it";
    return smp_error_set(error, why->status, -1, "%.215s%s", why->message, offer);
}

static smp_status probe_live(probe_command *c, output *out, bool *differ, smp_error *error) {
    sweep *all = &c->all;
    if (c->record.path && probe_resume(&c->record, &c->gpu, all, error))
        return error->status;
    const size_t wanted = all->count;
    smp_status status = measure(c, error);
    sweep_keep_measured(all);
    if (status == SMP_E_INTERRUPTED)
        (void)smp_error_set(error, status, -1,
                            "interrupted; %zu of %zu accesses were measured, and are valid",
                            all->count, wanted);
    if (c->probe)
        witness_explain(c->probe, &say_notes);
    else
        witness_explain_why(&c->devices.why_clocks, &say_notes);
    *differ = sweep_predict(all) > 0;
    write_rows(out, all);
    if (all->count == 0 || !c->record.path)
        return status;
    smp_error second; /* the first failure is reported */
    const bool is_whole = status == SMP_OK;
    const smp_status recorded =
        probe_record(&c->record, &c->gpu, all, is_whole, is_whole ? error : &second);
    return is_whole ? recorded : status;
}

/* The options that identify a recorded run: all with a value, except for its destination. */
static void choose_told(option_set told) {
    for (unsigned option = 0; option < OPTION_COUNT; option++)
        told[option] = option_rows[option].argument && option != OPTION_RECORD &&
                       option != OPTION_OUTPUT && option != OPTION_FORMAT;
}

static smp_status parse(const arguments *args, probe_command *c, smp_error *error) {
    option_set told;
    choose_told(told);
    c->file = args->positional_count ? args->positional[0] : NULL;
    c->is_layout = layout_source_is_given(args);
    if (args->positional_count > 1 && !c->is_layout)
        return usage_error(error, "probe reads one file, but %u were given",
                           args->positional_count);
    if (has(args, OPTION_KERNEL_NAME) && !c->is_layout)
        return usage_error(error, "--kernel needs a file of source text");
    /* Records hold counter values only. */
    smp_witness usual = has(args, OPTION_RECORD) ? SMP_COUNTERS : SMP_COUNTERS_OR_CLOCKS;
    if (ask_witness(args, usual, &c->choice, error) || ask_device(args, &c->device, error))
        return error->status;
    if (has(args, OPTION_RECORD) && c->choice.first != SMP_COUNTERS)
        return usage_error(error,
                           "--record keeps counter values, so it does not go with --witness %s",
                           last_value(args, OPTION_WITNESS));
    if (has(args, OPTION_DEVICE) && has(args, OPTION_DEVICES))
        return usage_error(error, "give --device or --devices, not both");
    return ask_record(args, "probe", 1, told, &c->record, error);
}

/* Opens the GPU, or lists the GPUs, and takes the architecture. */
static smp_status choose_gpu(const arguments *args, probe_command *c, smp_error *error) {
    c->arch = smp_arch_find("sm_90");
    bool found = has(args, OPTION_DEVICES) ? ask_devices(args, &c->devices, &c->why) == SMP_OK
                                           : smp_probe_open_with(c->device, c->choice.first,
                                                                 &c->probe, &c->why) == SMP_OK;
    if (!found && c->why.status == SMP_E_USAGE)
        return usage_error(error, "%s", c->why.message);
    if (!found) {
        c->devices.count = 0;
        return SMP_OK;
    }
    c->gpu = c->probe ? *smp_probe_device(c->probe) : c->devices.first;
    c->arch = smp_arch_of_cc(c->gpu.cc_major, c->gpu.cc_minor);
    if (!c->arch)
        return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1, "%s: this GPU has no row in the model",
                             c->gpu.name);
    return SMP_OK;
}

/* Measures every request of a layout. Returns the exit status. */
static int prepare_layout(const arguments *args, probe_command *c) {
    layout_source from;
    smp_error error;
    unsigned line = 0;
    int exit_status = layout_source_read(args, args->positional, args->positional_count, &from);
    if (exit_status == 0 && sweep_layout(from.layout, c->arch, &c->all, &line, &error) != SMP_OK)
        exit_status = layout_source_complain(&from, line, &error);
    layout_source_clear(&from);
    if (exit_status != 0)
        return exit_status;
    if (c->all.elsewhere + c->all.unseen > 0)
        note_add(&say_notes,
                 "not run: %zu requests to other blocks of a cluster, %zu that no counter can "
                 "isolate",
                 c->all.elsewhere, c->all.unseen);
    if (c->all.count > 0)
        return 0;
    return complain_of(SMP_E_SYNTAX, "none of these accesses can be run");
}

static smp_status prepare_axes(const arguments *args, probe_command *c, smp_error *error) {
    smp_axes axes;
    return ask_axes(args, "0:64", "4", &axes, error) ? error->status
                                                     : sweep_make(&axes, c->arch, &c->all, error);
}

/* Collects the accesses to measure. Returns the exit status. */
static int prepare(const arguments *args, probe_command *c) {
    smp_error error;
    if (parse(args, c, &error) || choose_gpu(args, c, &error))
        return complain(&error);
    if (c->is_layout)
        return prepare_layout(args, c);
    const smp_status status =
        c->file ? sweep_read(c->file, c->arch, &c->all, &error) : prepare_axes(args, c, &error);
    return status == SMP_OK ? 0 : complain(&error);
}

static int measure_and_write(const arguments *args, probe_command *c) {
    smp_error error;
    output out;
    bool differ = false;
    if (output_open(args, &out, &error) != SMP_OK)
        return complain(&error);
    smp_status status = c->probe || c->devices.count > 0
                            ? probe_live(c, &out, &differ, &error)
                            : offer_recorded(&c->why, &c->all, &out, &error);
    return output_end_kept(&out, true, status, &error, differ);
}

static int run(const arguments *args) {
    probe_command c = {.probe = NULL};
    int exit_status = prepare(args, &c);
    if (exit_status == 0)
        exit_status = measure_and_write(args, &c);
    smp_probe_close(c.probe);
    sweep_free(&c.all);
    return exit_status;
}

const command_row command_probe = {
    .name = "probe",
    .summary = "run accesses on the GPU under its counters, and compare",
    .usage = "[OPTIONS] [FILE|-|ACCESS...]",
    COMMAND_OPTIONS(options),
    .formats = SMP_FORMATS(SMP_SWEEP_FORMS),
    .words = words,
    .run = run,
};
