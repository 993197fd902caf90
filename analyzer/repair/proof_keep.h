/* SPDX-License-Identifier: MIT */
/*
 * The launches of a proof as they were before they ran, for a GPU.
 */
#pragma once

#include "kept_launch.h"
#include "proof.h"

/* The launch that the kernel of that demangled name was run by; of a program its first one, for
 * which the program runs once more. The caller clears *out after SMP_OK. */
smp_status proof_keep(const proof_job *job, proof_run *run, const char *name, smp_kept_launch *out,
                      smp_error *error);
