/* SPDX-License-Identifier: MIT */
/* Measurements of `probe` as recorded rows, and those of an earlier run. */
#include <stdio.h>
#include <string.h>

#include "sweep.h"

void probe_row_name(const smp_prediction *report, char text[SMP_BATCH_TEXT_MAX]) {
    if (report->has_pattern)
        (void)smp_pattern_format(&report->pattern, text);
    else
        (void)smp_batch_format(&report->access, text);
}

static const char *unit_of(const smp_prediction *report) {
    return smp_op_counts_wavefronts(report->access.op) ? "wavefronts" : "transactions";
}

/* Content of a recorded file. */
typedef struct recording {
    const smp_device *device;
    const sweep *all;
    const char *command;
} recording;

/* One row per report; each counter is named before its first row. */
static bool write_recording(FILE *file, const void *user) {
    const recording *r = user;
    const char *counter = "";
    smp_status status = smp_record_write_header(file, r->device, r->command);
    for (size_t i = 0; status == SMP_OK && i < r->all->count; i++) {
        const smp_prediction *report = &r->all->reports[i];
        const smp_measured *measured = &report->measured;
        smp_record_field fields[] = {{unit_of(report), (double)measured->count},
                                     {"cycles", measured->cycles}};
        char name[SMP_BATCH_TEXT_MAX];
        probe_row_name(report, name);
        if (strcmp(counter, measured->counter) != 0)
            status = smp_record_write_counter(file, measured->counter);
        counter = measured->counter;
        if (status == SMP_OK)
            status = smp_record_write_row(file, name, fields, measured->has_cycles ? 2 : 1);
    }
    return status == SMP_OK;
}

smp_status probe_record(const record_target *to, const smp_device *device, const sweep *all,
                        bool is_complete, smp_error *error) {
    recording r = {device, all, to->command};
    char kept[64];
    (void)snprintf(kept, sizeof kept, "%zu measured accesses are", all->count);
    return record_write(to, write_recording, &r, is_complete ? NULL : kept, error);
}

/* Reuses a row of an earlier run of `command` on this GPU. */
static bool take_earlier(smp_prediction *report, const smp_device *device, const char *command) {
    char name[SMP_BATCH_TEXT_MAX];
    smp_record record, timed;
    smp_measured *out = &report->measured;
    probe_row_name(report, name);
    bool found = smp_recorded_find(name, unit_of(report), NULL, &record) &&
                 record_is_of(&record, device, command);
    if (!found)
        return false;
    out->origin = SMP_LIVE;
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

smp_status probe_resume(const record_target *to, const smp_device *device, sweep *all,
                        smp_error *error) {
    size_t taken = 0;
    bool found;
    smp_status status = record_read_partial(to, &found, error);
    if (status != SMP_OK || !found)
        return status;
    for (size_t i = 0; i < all->count; i++)
        taken += take_earlier(&all->reports[i], device, to->command);
    return record_say_taken(to, taken, all->count, "accesses", error);
}
