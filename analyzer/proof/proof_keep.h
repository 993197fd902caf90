/* SPDX-License-Identifier: MIT */
/* Records the launches of a proof with their inputs, to repeat them on a GPU. */
#pragma once

#include "kept_launch.h"
#include "proof.h"

/* Makes the launch of the kernel with that demangled name. For a program this is the first launch,
 * and the program runs again to record it. The caller clears *out after SMP_OK. */
smp_status proof_keep(const proof_job *job, proof_run *run, const char *name, smp_kept_launch *out,
                      smp_error *error);
