/* SPDX-License-Identifier: MIT */
/*
 * verify_witness.h: who measures the accesses of a verification. Internal to analyzer/.
 */
#pragma once

#include "smp_probes.h"
#include "smp_verify.h"

typedef struct verify_witness {
    smp_probe *probe;
    const smp_arch *arch; /* whose rules are held against it */
    bool by_clocks;
} verify_witness;

/* One access tells whether the counters may be read, or the clocks have to do. */
smp_status verify_witness_choose(verify_witness *by, smp_error *error);
/* The job is measured so, and keeps the rows of which this witness says something. */
void verify_witness_set(verify_witness *by, const smp_arch *arch, smp_verify_job *job);
