/* SPDX-License-Identifier: MIT */
/*
 * probe_record.c: recorded files. What an interrupted run has measured is kept beside the file that
 * it was to write, and the same command on the same GPU goes on from there.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout_report.h"
#include "probe_rows.h"

/* What a row is called: the pattern's options, or the batch line. */
void probe_row_name(const smp_report *report, char text[SMP_BATCH_TEXT_MAX]) {
    if (report->has_pattern)
        (void)smp_pattern_format(&report->pattern, text);
    else
        (void)smp_batch_format(&report->access, text);
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

static const char *unit_of(const smp_report *report) {
    return smp_op_counts_wavefronts(report->access.op) ? "wavefronts" : "transactions";
}

/* One row a report; each counter is named before its first row. */
static smp_status write_records(FILE *file, const sweep *all) {
    const char *counter = "";
    smp_status status = SMP_OK;
    for (size_t i = 0; status == SMP_OK && i < all->count; i++) {
        const smp_measured *measured = &all->reports[i].measured;
        smp_record_field fields[] = {{unit_of(&all->reports[i]), (double)measured->count},
                                     {"cycles", measured->cycles}};
        char name[SMP_BATCH_TEXT_MAX];
        probe_row_name(&all->reports[i], name);
        if (strcmp(counter, measured->counter) != 0)
            status = smp_record_write_counter(file, measured->counter);
        counter = measured->counter;
        if (status == SMP_OK)
            status = smp_record_write_row(file, name, fields, measured->has_cycles ? 2 : 1);
    }
    return status;
}

/* What a recorded file is made from. */
typedef struct recording {
    const smp_device *device;
    const sweep *all;
    char command[512];
} recording;

static bool write_recording(FILE *file, const void *user) {
    const recording *r = user;
    return smp_record_write_header(file, r->device, r->command) == SMP_OK &&
           write_records(file, r->all) == SMP_OK;
}

static smp_status partial_name(const arguments *args, char *text, size_t size, smp_error *error) {
    const char *path = last_value(args, OPTION_RECORD);
    if ((size_t)snprintf(text, size, "%s.partial", path) < size)
        return SMP_OK;
    return smp_error_set(error, SMP_E_USAGE, -1, "%.80s...: the name is too long", path);
}

smp_status probe_record(const arguments *args, const smp_device *device, const sweep *all,
                        bool is_complete, smp_error *error) {
    char partial[4096];
    recording r = {device, all, ""};
    smp_status status = partial_name(args, partial, sizeof partial, error);
    if (status != SMP_OK)
        return status;
    describe(args, r.command, sizeof r.command);
    (void)unlink(partial);
    if (is_complete)
        return output_write(args, last_value(args, OPTION_RECORD), write_recording, &r, error);
    status = output_write(args, partial, write_recording, &r, error);
    if (status == SMP_OK)
        fprintf(stderr,
                "smemprobe: %zu measured accesses are kept in %s; the same command goes on from "
                "there\n",
                all->count, partial);
    return status;
}

/* Takes one row from an earlier run of `command` on this GPU. */
static bool take_earlier(smp_report *report, const smp_device *device, const char *command) {
    char name[SMP_BATCH_TEXT_MAX];
    smp_record record, timed;
    smp_measured *out = &report->measured;
    probe_row_name(report, name);
    bool found = smp_recorded_find(name, unit_of(report), NULL, &record) &&
                 strcmp(record.command, command) == 0 && strcmp(record.gpu, device->name) == 0 &&
                 strcmp(record.driver, device->driver) == 0 &&
                 strcmp(record.cuda, device->cuda) == 0;
    if (!found)
        return false;
    out->source = SMP_LIVE;
    out->count = (uint64_t)record.value;
    out->has_cycles =
        smp_recorded_find(name, "cycles", NULL, &timed) && strcmp(timed.command, command) == 0;
    out->cycles = out->has_cycles ? timed.value : 0;
    (void)snprintf(out->device, sizeof out->device, "%s", record.gpu);
    (void)snprintf(out->driver, sizeof out->driver, "%s", record.driver);
    (void)snprintf(out->cuda, sizeof out->cuda, "%s", record.cuda);
    (void)snprintf(out->counter, sizeof out->counter, "%s", record.counter);
    return true;
}

smp_status probe_resume(const arguments *args, const smp_device *device, sweep *all,
                        smp_error *error) {
    char partial[4096], command[512], *text;
    size_t length, taken = 0;
    unsigned bad_line;
    smp_status status = partial_name(args, partial, sizeof partial, error);
    if (status != SMP_OK || access(partial, F_OK) != 0)
        return status;
    status = smp_text_read(partial, &text, &length, error);
    if (status != SMP_OK) {
        free(text);
        return status;
    }
    (void)smp_recorded_add(text, length, &bad_line);
    free(text);
    describe(args, command, sizeof command);
    for (size_t i = 0; i < all->count; i++)
        taken += take_earlier(&all->reports[i], device, command);
    if (taken == 0)
        return smp_error_set(error, SMP_E_EXISTS, -1,
                             "%.120s holds what another command or GPU has measured; move it away "
                             "or delete it",
                             partial);
    fprintf(stderr, "smemprobe: %zu of %zu accesses are taken from %s\n", taken, all->count,
            partial);
    return SMP_OK;
}

smp_status recorded_read(const char *option, const char *path, smp_error *error) {
    char *text;
    size_t length;
    unsigned bad_line;
    smp_error why;
    smp_status status = smp_text_read(path, &text, &length, &why);
    if (status != SMP_OK)
        (void)smp_error_set(error, status, -1, "%s%.80s: %.150s", option, path, why.message);
    else if (smp_recorded_add(text, length, &bad_line) == 0)
        status = smp_error_set(error, SMP_E_SYNTAX, -1,
                               "%s%.80s: no recorded measurement in it "
                               "(probes/recorded/README.md says how they look)",
                               option, path);
    else if (bad_line > 0)
        status = smp_error_set(error, SMP_E_SYNTAX, -1,
                               "%s%.80s:%u: expected a key and field=number, with tabs between",
                               option, path, bad_line);
    free(text);
    return status;
}

smp_status recorded_load(const arguments *args, smp_error *error) {
    smp_status status = SMP_OK;
    for (unsigned i = 0; i < args->count[OPTION_RECORDED] && status == SMP_OK; i++)
        status = recorded_read("--recorded ", args->value[OPTION_RECORDED][i], error);
    return status;
}
