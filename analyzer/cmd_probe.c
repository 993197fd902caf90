/* SPDX-License-Identifier: MIT */
/*
 * probe: runs accesses on the GPU under its counters and sets prediction and measurement side by
 * side.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "sweep.h"
#include "witness.h"

static const smp_option options[] = {OPTION_STRIDE, OPTION_WIDTH,   OPTION_OP,     OPTION_OFFSET,
                                     OPTION_LANES,  OPTION_WITNESS, OPTION_DEVICE, OPTION_RECORD,
                                     OPTION_FORMAT, OPTION_OUTPUT,  OPTION_FORCE,  OPTION_COLOR,
                                     OPTION_HELP};

static bool show_progress(void *user, size_t done, size_t total) {
    (void)total;
    return progress_step(user, done);
}

/* What a row is called: the pattern's options, or the batch line. */
static void name_of(const smp_report *report, char text[SMP_BATCH_TEXT_MAX]) {
    if (report->has_pattern)
        (void)smp_pattern_format(&report->pattern, text);
    else
        (void)smp_batch_format(&report->access, text);
}

static uint64_t predicted(const smp_report *report) {
    return report->counts.valid & SMP_HAS_WAVEFRONTS ? report->counts.wavefronts_max
                                                     : report->counts.transactions;
}

static bool agrees(const smp_report *report) {
    return report->status == SMP_OK && !smp_report_differs(report);
}

/* Neither known nor open to the witness: clocks of an operation that they say nothing of. */
static bool is_unknown(const smp_report *report) {
    return report->status != SMP_OK || report->measured.count == SMP_NOT_COUNTED;
}

/* Where a GPU is: fills `measured` of every report, as far as it got. */
static smp_status measure(smp_probe *probe, const witness_choice *choice, sweep *all, size_t *done,
                          smp_error *error) {
    smp_access *accesses = calloc(all->count, sizeof *accesses);
    smp_measured **measured = calloc(all->count, sizeof *measured);
    smp_status status = SMP_OK;
    if (!accesses || !measured)
        status = smp_error_set(error, SMP_E_MEMORY, -1, "out of memory");
    for (size_t i = 0; status == SMP_OK && i < all->count; i++) {
        accesses[i] = all->reports[i].access;
        measured[i] = &all->reports[i].measured;
    }
    progress_line line;
    progress_begin(&line, "measured", all->count);
    if (status == SMP_OK)
        status = witness_read(probe, choice, accesses, all->count, measured, show_progress, &line,
                              done, error);
    progress_end(&line);
    free(accesses);
    free(measured);
    return status;
}

static void put_count(FILE *out, const smp_measured *measured) {
    char number[32] = "-";
    if (measured->count != SMP_NOT_COUNTED)
        (void)snprintf(number, sizeof number, "%s%" PRIu64, measured->is_at_most ? "<= " : "",
                       measured->count);
    fprintf(out, " %9s", number);
    if (measured->has_cycles)
        fprintf(out, " %9.2f", measured->cycles);
}

/* One table: "--op ld --width 4 --stride 33   1   1   yes". */
static void put_text(const output *out, const sweep *all, size_t done) {
    const char *bad = out->style.color ? "\033[1;31m" : "",
               *plain = out->style.color ? "\033[0m" : "";
    size_t differ = 0, open = 0;
    const bool timed = done > 0 && all->reports[0].measured.has_cycles;
    fprintf(out->stream, "%-47s %9s %9s%s  %s\n", "access", "predicted", "measured",
            timed ? "    cycles" : "", "agree");
    for (size_t i = 0; i < done; i++) {
        const smp_report *report = &all->reports[i];
        char name[SMP_BATCH_TEXT_MAX], number[24] = "open";
        name_of(report, name);
        if (report->status == SMP_OK)
            (void)snprintf(number, sizeof number, "%" PRIu64, predicted(report));
        bool is_open = is_unknown(report), equal = agrees(report);
        differ += !is_open && !equal;
        open += is_open;
        fprintf(out->stream, "%-47.47s %9s", name, number);
        put_count(out->stream, &report->measured);
        fprintf(out->stream, "  %s%s%s\n", is_open || equal ? "" : bad,
                is_open ? "-"
                : equal ? "yes"
                        : "NO",
                plain);
    }
    fprintf(out->stream, "\n%zu measured, %zu differ", done, differ);
    if (open > 0)
        fprintf(out->stream, ", %zu open", open);
    fputc('\n', out->stream);
}

static size_t count_differing(const sweep *all, size_t done) {
    size_t differ = 0;
    for (size_t i = 0; i < done; i++)
        differ += smp_report_differs(&all->reports[i]);
    return differ;
}

static void put_provenance(const output *out, const smp_report *report) {
    const smp_measured *m = &report->measured;
    fprintf(out->stream, "%s%s, driver %s, CUDA %s%s%s\n",
            m->source == SMP_RECORDED ? "recorded on " : "", m->device, m->driver, m->cuda,
            m->date[0] ? ", " : "", m->date);
}

static void write_rows(output *out, const sweep *all, size_t done) {
    if (done == 0)
        return;
    if (out->format == FORMAT_JSON) {
        smp_report_json_array(out->stream, all->reports, done);
    } else if (out->format == FORMAT_CSV) {
        smp_report_csv(out->stream, all->reports, done);
    } else {
        put_provenance(out, &all->reports[0]);
        put_text(out, all, done);
    }
}

/* The command line, for the record. */
static void describe(const arguments *args, char *text, size_t size) {
    const char *file = args->positional_count ? args->positional[0] : "";
    size_t length = (size_t)snprintf(text, size, "smemprobe probe%s%s", file[0] ? " " : "", file);
    for (unsigned option = 0; option < OPTION_COUNT; option++) {
        const char *value = last_value(args, (smp_option)option);
        if (value && length < size && option_rows[option].argument && option != OPTION_RECORD &&
            option != OPTION_OUTPUT && option != OPTION_FORMAT)
            length += (size_t)snprintf(text + length, size - length, " --%s %s",
                                       option_rows[option].name, value);
    }
}

/* One row a report; each counter is named before its first row. */
static smp_status write_records(FILE *file, const sweep *all, size_t done) {
    const char *counter = "";
    smp_status status = SMP_OK;
    for (size_t i = 0; status == SMP_OK && i < done; i++) {
        const smp_report *report = &all->reports[i];
        bool waves = smp_op_counts_wavefronts(report->access.op);
        smp_record_field fields[] = {
            {waves ? "wavefronts" : "transactions", (double)report->measured.count},
            {"cycles", report->measured.cycles}};
        char name[SMP_BATCH_TEXT_MAX];
        name_of(report, name);
        if (strcmp(counter, report->measured.counter) != 0)
            status = smp_record_write_counter(file, report->measured.counter);
        counter = report->measured.counter;
        if (status == SMP_OK)
            status = smp_record_write_row(file, name, fields, report->measured.has_cycles ? 2 : 1);
    }
    return status;
}

/* What a recorded file is made from. */
typedef struct recording {
    const smp_device *device;
    const sweep *all;
    size_t done;
    char command[512];
} recording;

static bool write_recording(FILE *file, const void *user) {
    const recording *r = user;
    return smp_record_write_header(file, r->device, r->command) == SMP_OK &&
           write_records(file, r->all, r->done) == SMP_OK;
}

static smp_status record(const arguments *args, const smp_device *device, const sweep *all,
                         size_t done, smp_error *error) {
    recording r = {device, all, done, ""};
    describe(args, r.command, sizeof r.command);
    return output_write(args, last_value(args, OPTION_RECORD), write_recording, &r, error);
}

/* No GPU: what is recorded of these accesses, and the status that says that nothing ran. */
static smp_status offer_recorded(const smp_error *why, sweep *all, output *out, smp_error *error) {
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        smp_report_fill(&all->reports[i], NULL, why);
        if (all->reports[i].measured.source == SMP_RECORDED)
            all->reports[kept++] = all->reports[i];
    }
    if (kept > 0)
        write_rows(out, all, kept);
    const char *offer =
        kept > 0 ? "; the recorded values are shown" : "; nothing is recorded for it";
    return smp_error_set(error, why->status, -1, "%.215s%s", why->message, offer);
}

static smp_status probe_live(const arguments *args, smp_probe *probe, const witness_choice *choice,
                             sweep *all, output *out, bool *differ, smp_error *error) {
    size_t done = 0;
    smp_status status = measure(probe, choice, all, &done, error);
    witness_explain(probe);
    for (size_t i = 0; i < done; i++)
        all->reports[i].status =
            smp_predict(&all->reports[i].arch, &all->reports[i].access, &all->reports[i].counts);
    write_rows(out, all, done);
    *differ = count_differing(all, done) > 0;
    if (done > 0 && has(args, OPTION_RECORD)) {
        smp_error failed;
        smp_status recorded = record(args, smp_probe_device(probe), all, done, &failed);
        if (recorded != SMP_OK && status == SMP_OK) {
            *error = failed;
            status = recorded;
        }
    }
    return status;
}

/* What is asked for, and with what. */
typedef struct probe_command {
    witness_choice choice;
    uint64_t device;
    const char *file; /* NULL: the sweep of the options */
    const smp_arch *arch;
    smp_probe *probe; /* NULL: `why` */
    smp_error why;
    sweep all;
} probe_command;

static smp_status parse(const arguments *args, probe_command *c, smp_error *error) {
    c->file = args->positional_count ? args->positional[0] : NULL;
    if (args->positional_count > 1)
        return smp_error_set(error, SMP_E_USAGE, -1, "probe reads one file, not %u",
                             args->positional_count);
    /* What is recorded are counters. */
    smp_witness usual = has(args, OPTION_RECORD) ? SMP_COUNTERS : SMP_COUNTERS_OR_CLOCKS;
    smp_status status = witness_parse(args, usual, &c->choice, error);
    if (status == SMP_OK && has(args, OPTION_RECORD) && c->choice.first != SMP_COUNTERS)
        status = smp_error_set(error, SMP_E_USAGE, -1,
                               "--record keeps what counters say; not with --witness %s",
                               last_value(args, OPTION_WITNESS));
    if (status == SMP_OK && has(args, OPTION_DEVICE))
        status = number_parse(last_value(args, OPTION_DEVICE), "device", 1023, &c->device, error);
    if (status == SMP_OK && has(args, OPTION_RECORD))
        status = output_check(args, last_value(args, OPTION_RECORD), error);
    return status;
}

static smp_status prepare(const arguments *args, probe_command *c, smp_error *error) {
    c->arch = smp_arch_find("sm_90");
    if (smp_probe_open_with((int)c->device, c->choice.first, &c->probe, &c->why) == SMP_OK) {
        const smp_device *device = smp_probe_device(c->probe);
        c->arch = smp_arch_of_cc(device->cc_major, device->cc_minor);
        if (!c->arch)
            return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                                 "%s: this GPU has no row in the model", device->name);
    }
    return c->file ? sweep_read(c->file, c->arch, &c->all, error)
                   : sweep_make(args, c->arch, &c->all, error);
}

static int run(const arguments *args) {
    smp_error error, closing;
    probe_command c = {.probe = NULL};
    output out;
    bool differ = false;
    smp_status status = parse(args, &c, &error);
    if (status == SMP_OK)
        status = prepare(args, &c, &error);
    if (status == SMP_OK)
        status = output_open(args, &out, &error);
    if (status != SMP_OK) {
        smp_probe_close(c.probe);
        sweep_free(&c.all);
        return complain(&error);
    }
    status = c.probe ? probe_live(args, c.probe, &c.choice, &c.all, &out, &differ, &error)
                     : offer_recorded(&c.why, &c.all, &out, &error);
    smp_probe_close(c.probe);
    sweep_free(&c.all);
    smp_status closed = output_close(&out, true, &closing);
    if (status != SMP_OK)
        return complain(&error);
    return closed != SMP_OK ? complain(&closing) : differ;
}

const command_row command_probe = {
    .name = "probe",
    .summary = "runs accesses on the GPU under its counters and compares",
    .usage = "[OPTIONS] [FILE|-]",
    COMMAND_OPTIONS(options),
    .examples = "  smemprobe probe --stride 0:64 --width 4\n"
                "  smemprobe probe --stride 0:64 --width 1,2,4,8,16 --op ld,st --record mine.txt\n"
                "  smemprobe probe accesses.txt             lines of the batch format\n",
    .run = run,
};
