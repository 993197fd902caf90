/* SPDX-License-Identifier: MIT */
/*
 * verify: compares random accesses with the hardware until a count or a time is reached, and
 * reduces the first mismatch to the smallest access that shows it.
 */
#include <inttypes.h>
#include <time.h>

#include "ask_measure.h"
#include "output.h"
#include "progress.h"
#include "say.h"
#include "write_format.h"

enum { DEFAULT_COUNT = 100000 };

static const smp_option options[] = {OPTION_ACCESSES, OPTION_SECONDS, OPTION_SEED,
                                     OPTION_OP,       OPTION_WIDTH,   OPTION_ARCH,
                                     OPTION_WITNESS,  OPTION_DEVICE,  OUTPUT_OPTIONS};

static const option_words words[] = {
    {OPTION_OP, "operations, separated by commas (default: all that have a rule)"},
    {OPTION_WIDTH, "bytes per lane, separated by commas (default: all)"},
    {OPTION_ARCH, "rules to compare with the GPU (default: its own)"},
    {0}};

typedef struct verify_command {
    verify_witness witness;
    smp_device device;
    smp_arch arch;
    uint32_t ops, widths; /* masks of --op and --width; 0 for all */
    smp_verify_job job;
    smp_verify_result result;
    progress_line line;
    witness_choice choice;
    bool interrupted;
    char date[16]; /* of today, UTC */
} verify_command;

static bool show_progress(void *user, uint64_t done) {
    return progress_step(user, done);
}

static void put_report(const output *out, const verify_command *c) {
    const smp_verify_shown shown = {&c->job, &c->result,           &c->device,    &c->arch,
                                    c->date, c->witness.by_clocks, c->interrupted};
    smp_format_row_of(out->format)->verify(out->stream, &shown, out->style);
    if (out->format == SMP_FORMAT_CSV &&
        c->result.differs) { /* CSV has no column for the mismatch */
        FILE *beside = say_open();
        smp_verify_mismatch_text(beside, &shown, (smp_style){0});
        say_close(beside);
    }
}

/* ---- Arguments ---- */

static smp_status choose_rows(verify_command *c, smp_error *error) {
    smp_verify_rows(&c->arch, c->ops, c->widths, &c->job);
    verify_witness_set(&c->witness, &c->arch, &c->job);
    if (c->job.row_count > 0)
        return SMP_OK;
    return usage_error(error,
                       "nothing to verify: %s see no rule for these operations and widths on "
                       "%s (smemprobe list coverage)",
                       c->witness.by_clocks ? "clocks" : "counters", c->arch.name);
}

/* Chooses the rules to compare with this GPU: its own, or those of --arch. */
static smp_status choose_arch(const arguments *args, verify_command *c, smp_error *error) {
    if (has(args, OPTION_ARCH))
        return ask_one_arch(args, "verify needs one architecture", &c->arch, error);
    const smp_arch *arch = smp_arch_of_cc(c->device.cc_major, c->device.cc_minor);
    if (!arch)
        return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1, "%s: this GPU has no row in the model",
                             c->device.name);
    c->arch = *arch;
    return SMP_OK;
}

static smp_status parse(const arguments *args, verify_command *c, int *device, smp_error *error) {
    uint64_t seconds = 0;
    c->job.seed = 1;
    if (args->positional_count > 0)
        return usage_error(error, "verify takes no file, but '%.60s' was given",
                           args->positional[0]);
    if (ask_number(args, OPTION_SECONDS, 1000000, &seconds, error))
        return error->status;
    c->job.seconds = (double)seconds;
    c->job.count = seconds > 0 ? 0 : DEFAULT_COUNT;
    if (ask_number(args, OPTION_ACCESSES, INT64_MAX, &c->job.count, error) ||
        ask_number(args, OPTION_SEED, INT64_MAX, &c->job.seed, error) ||
        ask_device(args, device, error) || ask_masks(args, &c->ops, &c->widths, error) ||
        ask_witness(args, SMP_COUNTERS_OR_CLOCKS, &c->choice, error))
        return error->status;
    if (c->choice.and_clocks)
        return usage_error(error, "--witness both: verify uses one at a time; run it twice");
    if (output_words_check(args, error) || (has(args, OPTION_ARCH) && choose_arch(args, c, error)))
        return error->status;
    return SMP_OK;
}

static smp_status verify_now(verify_command *c, smp_error *error) {
    const time_t now = time(NULL);
    (void)strftime(c->date, sizeof c->date, "%Y-%m-%d", gmtime(&now));
    c->job.progress = show_progress;
    c->job.progress_user = &c->line;
    progress_begin(&c->line, "verified", c->job.count);
    smp_status status = smp_verify_run(&c->job, &c->result, error);
    progress_end(&c->line);
    c->interrupted = status == SMP_E_INTERRUPTED;
    if (c->interrupted)
        return smp_error_set(error, status, -1,
                             "interrupted; the results of %" PRIu64 " accesses are valid",
                             c->result.accesses);
    return status;
}

static smp_status prepare(const arguments *args, verify_command *c, output *out, smp_error *error) {
    int device = 0;
    if (parse(args, c, &device, error) ||
        smp_probe_open_with(device, c->choice.first, &c->witness.probe, error))
        return error->status;
    const smp_status heard = verify_witness_choose(&c->witness, error);
    witness_explain(c->witness.probe, &say_notes);
    if (heard != SMP_OK)
        return heard;
    c->device = *smp_probe_device(c->witness.probe);
    if (choose_arch(args, c, error) || choose_rows(c, error) || output_open(args, out, error))
        return error->status;
    return SMP_OK;
}

static int run(const arguments *args) {
    static verify_command c;
    smp_error error;
    output out;
    if (prepare(args, &c, &out, &error)) {
        smp_probe_close(c.witness.probe);
        return complain(&error);
    }
    const smp_status status = verify_now(&c, &error);
    smp_probe_close(c.witness.probe);
    const bool is_report = status == SMP_OK || status == SMP_E_INTERRUPTED;
    if (is_report)
        put_report(&out, &c);
    return output_end_kept(&out, is_report, status, &error, c.result.differs);
}

const command_row command_verify = {
    .name = "verify",
    .summary = "try random accesses on the GPU until one differs",
    .usage = "[OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = SMP_FORMATS(SMP_VERIFY_FORMS),
    .words = words,
    .run = run,
};
