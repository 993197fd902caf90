/* SPDX-License-Identifier: MIT */
/* Measures random accesses by counters, or by clocks if counters cannot be read. */
#include "smp_verify.h"

#include <stdlib.h>

#include "list.h"
#include "smp_accesses.h"

enum { GROUP = 64 };

static smp_status by_counters(void *user, const smp_access *accesses, size_t count, size_t group,
                              uint64_t *sums, size_t *done, smp_error *error) {
    const verify_witness *by = user;
    return smp_measure_sums(by->probe, accesses, count, group, sums, done, error);
}

/* The count for a number of cycles: the prediction if they agree. A few in 100,000 readings are off
 * by half a cycle; a count that is wrong by one is off by a whole cycle. */
static uint64_t count_of(const verify_witness *by, const smp_access *access,
                         const smp_reading *reading) {
    const double noise = 0.75;
    uint64_t predicted = 0;
    if (!smp_verify_predict(by->arch, access, &predicted))
        return reading->count;
    double distance = reading->cycles - (double)predicted;
    bool fits =
        reading->is_at_most ? predicted <= reading->count : distance > -noise && distance < noise;
    return fits ? predicted : reading->count;
}

static smp_status by_clocks(void *user, const smp_access *accesses, size_t count, size_t group,
                            uint64_t *sums, size_t *done, smp_error *error) {
    const verify_witness *by = user;
    smp_reading *readings = malloc((count + 1) * sizeof *readings);
    size_t timed = 0;
    *done = 0;
    if (!readings)
        return smp_error_memory(error);
    smp_status status =
        smp_measure_clocks(by->probe, accesses, count, readings, NULL, NULL, &timed, error);
    for (; status == SMP_OK && *done * group < count; (*done)++) {
        sums[*done] = 0;
        for (size_t i = *done * group; i < count && i < (*done + 1) * group; i++)
            sums[*done] += count_of(by, &accesses[i], &readings[i]);
    }
    free(readings);
    return status;
}

static bool clocks_tell(const verify_witness *by, const smp_verify_row *row) {
    const smp_access access = {.op = row->op, .width_bytes = row->width_bytes};
    const double many = 1000;
    const smp_device *device = smp_probe_device(by->probe);
    const smp_arch *arch = smp_arch_of_cc(device->cc_major, device->cc_minor);
    return smp_clock_reading(arch, &access, many).count != SMP_NOT_COUNTED;
}

void verify_witness_set(verify_witness *by, const smp_arch *arch, smp_verify_job *job) {
    DROP_IF(row, job->rows, job->row_count, by->by_clocks && !clocks_tell(by, row));
    job->arch = by->arch = arch;
    job->measure = by->by_clocks ? by_clocks : by_counters;
    /* Counters sum without noise; clock readings are judged separately, so that a disturbed one is
     * repeated. */
    job->group = by->by_clocks ? 1 : GROUP;
    job->user = by;
}

smp_status verify_witness_choose(verify_witness *by, smp_error *error) {
    const smp_pattern unit = smp_pattern_default();
    smp_access access;
    smp_reading reading;
    if (smp_pattern_access(&unit, &access, error))
        return error->status;
    const smp_status status =
        smp_measure_readings(by->probe, &access, 1, &reading, NULL, NULL, NULL, error);
    by->by_clocks = smp_probe_witness(by->probe, NULL) == SMP_CLOCKS;
    return status;
}
