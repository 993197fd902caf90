/* SPDX-License-Identifier: MIT */
/*
 * Measures candidates on a GPU: runs every request of every form in the tables under the
 * counters and compares the sum with the prediction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fix_measure.h"
#include "list.h"
#include "smp_prediction.h"

/* Adds the requests of one form; false if out of memory. */
static bool add_trial(fix_trials *trials, const fix_array *array, const smp_fix_form *form) {
    fix_trial *trial = &trials->item[trials->count];
    fix_map map;
    fix_map_init(&map, form);
    *trial = (fix_trial){.array = array, .form = *form, .first = trials->access_count};
    for (uint32_t i = 0; i < array->pattern_count; i++) {
        if (array->patterns[i].is_open) /* the probe cannot run the compiled code */
            continue;
        if (!LIST_ROOM(trials->accesses, trials->access_count) ||
            !LIST_ROOM(trials->times, trials->access_count))
            return false;
        smp_access *access = &trials->accesses[trials->access_count];
        *access = array->patterns[i].access;
        if (form->kind != SMP_FIX_KEEP)
            fix_map_lanes(&map, &array->patterns[i], access->offset_bytes);
        for (unsigned l = 0; l < SMP_LANES; l++)
            access->offset_bytes[l] =
                smp_access_lanes(access) >> l & 1 ? access->offset_bytes[l] : 0;
        trials->times[trials->access_count++] = array->patterns[i].times;
        trial->count++;
    }
    trials->count++;
    return true;
}

static bool add_array(const smp_fix *fix, fix_trials *trials, const fix_array *array) {
    fix_row rows[FIX_ROWS_MAX];
    bool has_choice = fix_is_shown(array) && !array->is_fixed;
    uint32_t count = has_choice ? fix_rows(fix, array, rows) : 0;
    if (array->pattern_count == 0)
        return true;
    if (!has_choice)
        return add_trial(trials, array, &array->keep);
    return EVERY(one, rows, count,
                 !one->fits || trials->count >= FIX_TRIALS_MAX ||
                     add_trial(trials, array, &one->form));
}

/* Sums one trial: predictions for this chip, and counts. */
static void conclude(fix_trials *trials, fix_trial *trial, const smp_arch *arch, size_t done) {
    for (size_t i = trial->first; i < trial->first + trial->count; i++) {
        smp_counts counts;
        bool is_known = smp_predict(arch, &trials->accesses[i], &counts) == SMP_OK;
        if (i >= done || !trials->readings[i].is_read) {
            trial->unmeasured += trials->times[i];
            continue;
        }
        if (!is_known) {
            trial->open += trials->times[i];
            continue;
        }
        bool waves = counts.valid & SMP_HAS_WAVEFRONTS;
        uint32_t predicted = waves ? counts.wavefronts_max : counts.transactions;
        trial->predicted += trials->times[i] * predicted;
        trial->measured += trials->times[i] * trials->readings[i].count;
        trial->differing += predicted != trials->readings[i].count;
    }
    trials->differing += trial->differing;
}

smp_status fix_measure(const smp_fix *fix, smp_probe *probe, smp_progress_fn progress, void *user,
                       fix_trials *out, smp_error *error) {
    const smp_device *device = smp_probe_device(probe);
    const smp_arch *arch = smp_arch_of_cc(device->cc_major, device->cc_minor);
    size_t done = 0;
    *out = (fix_trials){.device = *device};
    if (!arch)
        return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1, "%s: this GPU has no row in the model",
                             device->name);
    bool sound = true;
    for (uint32_t i = 0; i < fix->array_count && sound; i++)
        sound = add_array(fix, out, &fix->arrays[i]);
    out->readings = calloc(out->access_count + 1, sizeof *out->readings);
    if (!sound || !out->readings)
        return smp_error_memory(error);
    smp_status status = smp_measure_readings(probe, out->accesses, out->access_count, out->readings,
                                             progress, user, &done, error);
    out->done = done;
    for (uint32_t i = 0; i < out->count; i++)
        conclude(out, &out->item[i], arch, done);
    return status;
}

void fix_trials_clear(fix_trials *trials) {
    free(trials->accesses);
    free(trials->times);
    free(trials->readings);
    *trials = (fix_trials){0};
}

/* ---- Recording ---- */

static bool is_known(const fix_trials *trials, size_t index) {
    return ANY(one, trials->accesses, index,
               memcmp(one, &trials->accesses[index], sizeof *trials->accesses) == 0);
}

bool fix_trials_record(FILE *file, const void *of) {
    const fix_trials *trials = of;
    const char *counter = "";
    smp_status status = smp_record_write_header(file, &trials->device, trials->command);
    for (size_t i = 0; i < trials->done && status == SMP_OK; i++) {
        const smp_access *access = &trials->accesses[i];
        const smp_counter *row = smp_counter_of(access->op);
        bool waves = smp_op_counts_wavefronts(access->op);
        smp_record_field field = {waves ? "wavefronts" : "transactions",
                                  (double)trials->readings[i].count};
        char key[SMP_BATCH_TEXT_MAX];
        if (!trials->readings[i].is_read || !row || is_known(trials, i))
            continue;
        (void)smp_batch_format(access, key);
        if (strcmp(counter, row->metric) != 0)
            status = smp_record_write_counter(file, row->metric);
        counter = row->metric;
        if (status == SMP_OK)
            status = smp_record_write_row(file, key, &field, 1);
    }
    return status == SMP_OK;
}
