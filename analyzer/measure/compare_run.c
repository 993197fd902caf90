/* SPDX-License-Identifier: MIT */
/* Predicts the variants of all cases, and measures or looks them up. */
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "list.h"
#include "progress.h"

/* ---- Rows ---- */

bool compare_is_exact(const compare_row *row) {
    return row->measured.is_counted && row->forecast.status == SMP_OK &&
           memcmp(&row->forecast.traffic, &row->measured.counted, sizeof(smp_traffic)) == 0;
}

bool compare_differs(const comparison *c, const compare_row *row) {
    return row->measured.is_counted && row->forecast.status == SMP_OK &&
           !smp_kernel_not_predicted(row->variant, &c->problem) && !compare_is_exact(row);
}

uint64_t compare_counted_wavefronts(const compare_row *row) {
    const uint64_t *count = row->measured.counted.count;
    return count[SMP_WAVEFRONTS_LD] + count[SMP_WAVEFRONTS_ST] + count[SMP_WAVEFRONTS_ATOM];
}

uint64_t compare_counted_sectors(const compare_row *row) {
    const uint64_t *count = row->measured.counted.count;
    return count[SMP_SECTORS_LD] + count[SMP_SECTORS_ST] + count[SMP_SECTORS_RED];
}

double compare_gb_per_s(const comparison *c, const compare_row *row) {
    if (row->measured.time_us <= 0)
        return 0;
    return (double)c->family->bytes(&c->problem).moved / row->measured.time_us / 1e3;
}

smp_gain compare_gain(const comparison *c, const compare_row *row) {
    const smp_gpu_rates *gpu = smp_gpu_rates_find(c->gpu);
    if (!gpu || !row->measured.is_timed || row->forecast.status != SMP_OK)
        return (smp_gain){0};
    const smp_kernel_shape shape = smp_kernel_shape_of(row->variant, &c->problem);
    return smp_gain_predict(
        &(smp_gain_ask){.time_us = row->measured.time_us,
                        .copy_us = row->measured.copy_us,
                        .wavefronts = (double)row->forecast.shared.wavefronts_max,
                        .excess = (double)row->forecast.shared.excess,
                        .blocks = (double)shape.blocks,
                        .multiprocessors = gpu->multiprocessors,
                        .clock_khz = gpu->clock_khz});
}

const compare_row *compare_find(const comparison *c, const char *name) {
    return FIND(one, c->rows, c->count, strcmp(one->variant->name, name) == 0);
}

/* ---- One case ---- */

/* Skips a variant that this chip cannot run and that was not requested by name. */
static smp_status leave_out(comparison *c, compare_row *row, const note_sink *notes,
                            smp_error *error) {
    if (c->count == 1)
        return error->status;
    note_add(notes, "left out: %s", error->message);
    c->count--;
    memmove(row, row + 1, (size_t)(&c->rows[c->count] - row) * sizeof *row);
    return SMP_OK;
}

static smp_status predict_rows(comparison *c, const note_sink *notes, smp_error *error) {
    void *in = malloc((size_t)c->family->bytes(&c->problem).in);
    smp_status status = SMP_OK;
    bool is_needed = false;
    for (size_t i = 0; i < c->count; i++)
        is_needed |= c->rows[i].variant->trace ? true : false;
    if (in && is_needed)
        c->family->fill(&c->problem, in);
    for (size_t i = 0; i < c->count && status == SMP_OK;) {
        compare_row *row = &c->rows[i];
        smp_error cause;
        status = smp_kernel_forecast(c->arch, c->family, row->variant, &c->problem, in,
                                     &row->forecast, &cause);
        if (status != SMP_OK)
            status =
                smp_error_set(error, status, -1, "%s: %.200s", row->variant->name, cause.message);
        if (status != SMP_E_OP_UNAVAILABLE || c->is_picked)
            i++;
        else
            status = leave_out(c, row, notes, error);
    }
    free(in);
    return status;
}

/* Shows the current variant; NULL clears the line. */
static void show_progress(const comparison *c, const compare_row *row) {
    char problem[SMP_CASE_TEXT_MAX];
    if (row)
        progress_say("measuring %s %s, %s", c->family->name, row->variant->name,
                     smp_kernel_case_format(&c->problem, c->family->is_matrix, problem));
    else
        progress_clear();
}

static bool is_measured(const comparison *c) {
    bool all = true;
    for (size_t i = 0; i < c->count; i++)
        all &= c->rows[i].origin == SMP_LIVE;
    return all;
}

static smp_status measure_row(comparison *c, compare_row *row, smp_bench *bench,
                              const progress_line *line, smp_error *error) {
    show_progress(c, row);
    if (!progress_step(line, 0))
        return smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
    smp_status status = smp_bench_run(bench, row->variant, &row->measured, error);
    if (status == SMP_OK)
        row->origin = SMP_LIVE;
    return status;
}

static smp_status measure_rows(comparison *c, smp_probe *probe, const progress_line *line,
                               smp_error *error) {
    const smp_device *device = smp_probe_device(probe);
    smp_bench *bench;
    (void)snprintf(c->provenance, sizeof c->provenance, "measured on %s, driver %s, CUDA %s",
                   device->name, device->driver, device->cuda);
    (void)snprintf(c->gpu, sizeof c->gpu, "%s", device->name);
    if (is_measured(c))
        return SMP_OK;
    smp_status status = smp_bench_open(probe, c->family, &c->problem, &bench, error);
    for (size_t i = 0; i < c->count && status == SMP_OK; i++)
        if (c->rows[i].origin != SMP_LIVE)
            status = measure_row(c, &c->rows[i], bench, line, error);
    show_progress(c, NULL);
    smp_bench_close(bench);
    return status;
}

static void look_up_rows(comparison *c, const char *why) {
    (void)snprintf(c->provenance, sizeof c->provenance,
                   "not measured: %.180s; there is no recording of this case", why);
    for (size_t i = 0; i < c->count; i++)
        if (!compare_find_recorded(c, &c->rows[i]))
            (void)snprintf(c->rows[i].why, sizeof c->rows[i].why, "there is no recording of it");
}

/* ---- All cases ---- */

/* Opens the GPU, unless another architecture is requested; sets *arch. */
static smp_status choose_arch(const compare_ask *ask, const smp_arch **arch, smp_probe **probe,
                              smp_error *why, smp_error *error) {
    *arch = ask->arch;
    if (smp_probe_open_with(ask->device, SMP_COUNTERS_OR_CLOCKS, probe, why) != SMP_OK)
        return SMP_OK;
    const smp_device *device = smp_probe_device(*probe);
    const smp_arch *own = smp_arch_of_cc(device->cc_major, device->cc_minor);
    if (ask->is_arch_given && own != *arch) {
        (void)smp_error_set(why, SMP_E_NO_GPU, -1, "the GPU here is not a %s", (*arch)->name);
        smp_probe_close(*probe);
        *probe = NULL;
        return SMP_OK;
    }
    *arch = own;
    if (own)
        return SMP_OK;
    return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1, "%s: this GPU has no row in the model",
                         device->name);
}

/* Without counters, results are still checked and timed. */
static void explain_counters(const smp_probe *probe, const note_sink *notes) {
    smp_error why;
    if (smp_probe_witness(probe, &why) == SMP_CLOCKS)
        note_add(notes, "timed but not counted, since %s", why.message);
}

static smp_status run_case(const compare_ask *ask, comparison *c, smp_probe *probe, const char *why,
                           const progress_line *line, smp_error *error) {
    smp_status status = predict_rows(c, ask->notes, error);
    if (status == SMP_OK && probe)
        return measure_rows(c, probe, line, error);
    if (status == SMP_OK)
        status = smp_recorded_ready(error);
    if (status == SMP_OK)
        look_up_rows(c, why);
    return status;
}

/* Runs all cases until one fails or Ctrl-C. */
static smp_status run_cases(const compare_ask *ask, comparison *cases, size_t count,
                            smp_probe *probe, const char *why, size_t *done, smp_error *error) {
    progress_line line;
    smp_status status = SMP_OK;
    progress_begin(&line, NULL, 0);
    while (*done < count && status == SMP_OK) {
        status = run_case(ask, &cases[*done], probe, why, &line, error);
        *done += status == SMP_OK;
    }
    progress_end(&line);
    if (status == SMP_E_INTERRUPTED)
        return smp_error_set(error, status, -1, "interrupted; %zu of %zu cases complete", *done,
                             count);
    return status;
}

/* Reuses the results of an earlier run of the same command. */
static smp_status resume(const record_target *to, const compare_recording *recording,
                         comparison *cases, smp_error *error) {
    size_t taken = 0, all = 0;
    bool found;
    smp_status status = record_read_partial(to, &found, error);
    if (status != SMP_OK || !found)
        return status;
    for (size_t i = 0; i < recording->count; i++)
        for (size_t k = 0; k < cases[i].count; k++, all++)
            taken += compare_take_earlier(&cases[i], &cases[i].rows[k], recording->device,
                                          recording->command);
    return record_say_taken(to, taken, all, "variants", error);
}

static smp_status record(const record_target *to, const compare_recording *recording,
                         bool is_complete, smp_error *error) {
    size_t live = 0;
    char kept[64];
    for (size_t i = 0; i < recording->count; i++)
        for (size_t k = 0; k < recording->cases[i].count; k++)
            live += recording->cases[i].rows[k].origin == SMP_LIVE;
    if (live == 0 && !is_complete)
        return SMP_OK;
    (void)snprintf(kept, sizeof kept,
                   live == 1 ? "%zu measured variant is" : "%zu measured variants are", live);
    return record_write(to, compare_write_records, recording, is_complete ? NULL : kept, error);
}

/* With a GPU and --record. */
static smp_status run_recording(const compare_ask *ask, comparison *cases, size_t count,
                                smp_probe *probe, size_t *done, smp_error *error) {
    smp_error failed;
    compare_recording recording = {smp_probe_device(probe), cases, count, ask->record.command};
    smp_status status = resume(&ask->record, &recording, cases, error);
    if (status != SMP_OK)
        return status;
    status = run_cases(ask, cases, count, probe, "", done, error);
    smp_status recorded = record(&ask->record, &recording, status == SMP_OK, &failed);
    if (status == SMP_OK && recorded != SMP_OK)
        *error = failed;
    return status == SMP_OK ? recorded : status;
}

smp_status compare_run(const compare_ask *ask, comparison *cases, size_t count, size_t *done,
                       smp_error *error) {
    smp_error why = {0};
    smp_probe *probe = NULL;
    const smp_arch *arch = NULL;
    *done = 0;
    smp_status status = choose_arch(ask, &arch, &probe, &why, error);
    if (status == SMP_OK && ask->record.path && !probe)
        status = smp_error_set(error, why.status != SMP_OK ? why.status : SMP_E_NO_GPU, -1,
                               "--record %.80s: nothing can be measured here: %.120s",
                               ask->record.path, why.message);
    for (size_t i = 0; i < count; i++)
        cases[i].arch = arch;
    if (status == SMP_OK)
        status = probe && ask->record.path
                     ? run_recording(ask, cases, count, probe, done, error)
                     : run_cases(ask, cases, count, probe, why.message, done, error);
    if (probe && *done > 0)
        explain_counters(probe, ask->notes);
    smp_probe_close(probe);
    return status;
}

smp_status compare_fill(const compare_ask *ask, comparison *out, smp_error *error) {
    comparison *cases;
    size_t count, done;
    smp_status status = compare_cases(ask, &cases, &count, error);
    if (status == SMP_OK && count != 1)
        status = smp_error_set(error, SMP_E_USAGE, -1, "one case can be drawn, not %zu", count);
    if (status == SMP_OK)
        status = compare_run(ask, cases, count, &done, error);
    if (status == SMP_OK)
        *out = cases[0];
    free(cases);
    return status;
}

/* ---- Cases ---- */

static void set_size(const compare_size *size, comparison *c) {
    c->problem.rows = size->rows;
    c->problem.columns = size->columns;
    if (size->is_one_number)
        c->problem.columns = size->rows;
    if (size->is_one_number && !c->family->is_matrix)
        c->problem.rows = 1;
}

static bool is_wanted(const compare_ask *ask, const char *name) {
    return !ask->is_picked || ANY(one, ask->variants, ask->variant_count, strcmp(*one, name) == 0);
}

static smp_status choose_rows(const compare_ask *ask, comparison *c, smp_error *error) {
    c->is_picked = ask->is_picked;
    for (size_t i = 0; i < c->family->variant_count && c->count < COMPARE_ROWS_MAX; i++) {
        const smp_kernel_variant *variant = &c->family->variants[i];
        smp_error cause;
        if (!is_wanted(ask, variant->name))
            continue;
        if (smp_kernel_check(c->family, variant, &c->problem, &cause) == SMP_OK)
            c->rows[c->count++].variant = variant;
        else if (ask->is_picked)
            return smp_error_set(error, cause.status, -1, "%s", cause.message);
        else
            note_add(ask->notes, "left out: %s: %s", variant->name, cause.message);
    }
    return SMP_OK;
}

/* Combination `index` of size, type and cluster, the last fastest. */
static smp_status fill_case(const compare_ask *ask, size_t index, comparison *c, smp_error *error) {
    const size_t clusters = ask->cluster_count ? ask->cluster_count : 1;
    const size_t elements = ask->element_count ? ask->element_count : 1;
    c->problem = c->family->standard;
    if (ask->cluster_count)
        c->problem.cluster = ask->clusters[index % clusters];
    if (ask->element_count)
        c->problem.element = ask->elements[index / clusters % elements];
    if (ask->size_count)
        set_size(&ask->sizes[index / clusters / elements], c);
    smp_status status = smp_kernel_check(c->family, NULL, &c->problem, error);
    return status == SMP_OK ? choose_rows(ask, c, error) : status;
}

static size_t at_least_one(size_t count) {
    return count > 0 ? count : 1;
}

smp_status compare_cases(const compare_ask *ask, comparison **out, size_t *count,
                         smp_error *error) {
    const size_t each = at_least_one(ask->size_count) * at_least_one(ask->element_count) *
                        at_least_one(ask->cluster_count);
    smp_status status = SMP_OK;
    *count = 0;
    *out = NULL;
    if (each > COMPARE_CASES_MAX / ask->family_count)
        return smp_error_set(error, SMP_E_USAGE, -1, "compare: more than %d cases at once",
                             COMPARE_CASES_MAX);
    *out = calloc(each * ask->family_count, sizeof **out);
    if (!*out)
        return smp_error_memory(error);
    for (size_t i = 0; i < each * ask->family_count && status == SMP_OK; i++) {
        comparison *c = &(*out)[(*count)++];
        c->family = ask->families[i / each];
        status = fill_case(ask, i % each, c, error);
    }
    return status;
}
