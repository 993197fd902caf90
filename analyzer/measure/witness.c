/* SPDX-License-Identifier: MIT */
/* Counters, clocks, or both. */
#include "witness.h"

#include <stdlib.h>

/* Adds the clocks' result to that of the counters. */
static void add_clocks(smp_measured *measured, const smp_reading *clocks) {
    bool is_known = clocks->count != SMP_NOT_COUNTED && measured->count != SMP_NOT_COUNTED;
    measured->has_cycles = true;
    measured->cycles = clocks->cycles;
    measured->clocks_differ = is_known && (clocks->is_at_most ? measured->count > clocks->count
                                                              : measured->count != clocks->count);
}

smp_status witness_read(smp_probe *probe, const witness_choice *choice, const smp_access *accesses,
                        size_t count, smp_measured *const *measured, smp_progress_fn progress,
                        void *user, smp_error *error) {
    smp_reading *readings = calloc(count + 1, sizeof *readings);
    if (!readings)
        return smp_error_memory(error);
    smp_status status =
        smp_measure_readings(probe, accesses, count, readings, progress, user, NULL, error);
    for (size_t i = 0; i < count; i++)
        if (readings[i].is_read)
            smp_measured_take(measured[i], probe, &accesses[i], &readings[i]);
    if (choice->and_clocks && status == SMP_OK) {
        status = smp_measure_clocks(probe, accesses, count, readings, progress, user, NULL, error);
        for (size_t i = 0; i < count; i++)
            if (readings[i].is_read)
                add_clocks(measured[i], &readings[i]);
    }
    free(readings);
    return status;
}

smp_status witness_add_clocks(smp_probe *probe, const smp_access *access, smp_measured *measured,
                              smp_error *error) {
    smp_reading reading;
    smp_status status = smp_measure_clocks(probe, access, 1, &reading, NULL, NULL, NULL, error);
    if (status == SMP_OK)
        add_clocks(measured, &reading);
    return status;
}

void witness_explain_why(const smp_error *why, const note_sink *notes) {
    if (why->status != SMP_OK)
        note_add(notes, "measured by clocks, since %s", why->message);
}

void witness_explain(const smp_probe *probe, const note_sink *notes) {
    smp_error why;
    if (smp_probe_witness(probe, &why) == SMP_CLOCKS)
        witness_explain_why(&why, notes);
}
