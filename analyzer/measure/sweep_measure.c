/* SPDX-License-Identifier: MIT */
/* Runs the accesses of a sweep on the GPU. */
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

size_t sweep_unmeasured(const sweep *all) {
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += all->reports[i].measured.origin != SMP_LIVE;
    return count;
}

static smp_status read_all(const sweep_witness *by, const smp_access *accesses, size_t count,
                           smp_measured *const *measured, smp_error *error) {
    return by->probe ? witness_read(by->probe, by->choice, accesses, count, measured, by->progress,
                                    by->user, error)
                     : devices_read(by->devices, by->choice, accesses, count, measured,
                                    by->progress, by->user, error);
}

smp_status sweep_measure(sweep *all, const sweep_witness *by, smp_error *error) {
    smp_access *accesses = calloc(all->count, sizeof *accesses);
    smp_measured **measured = calloc(all->count, sizeof *measured);
    smp_status status = accesses && measured ? SMP_OK : smp_error_memory(error);
    size_t count = 0;
    for (size_t i = 0; status == SMP_OK && i < all->count; i++) {
        if (all->reports[i].measured.origin == SMP_LIVE)
            continue;
        accesses[count] = all->reports[i].access;
        measured[count++] = &all->reports[i].measured;
    }
    if (status == SMP_OK)
        status = read_all(by, accesses, count, measured, error);
    free(accesses);
    free(measured);
    return status;
}

void sweep_keep_measured(sweep *all) {
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (all->reports[i].measured.origin == SMP_NOT_MEASURED)
            continue;
        if (all->labels)
            memmove(all->labels[kept], all->labels[i], sizeof all->labels[i]);
        all->reports[kept++] = all->reports[i];
    }
    all->count = kept;
}

size_t sweep_predict(sweep *all) {
    size_t differ = 0;
    for (size_t i = 0; i < all->count; i++) {
        smp_prediction *report = &all->reports[i];
        report->status = smp_predict(&report->arch, &report->access, &report->counts);
        differ += smp_prediction_differs(report);
    }
    return differ;
}
