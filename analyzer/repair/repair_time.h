/* SPDX-License-Identifier: MIT */
/*
 * Repairs timed on the GPU of this machine, if there is one.
 */
#pragma once

#include "search.h"

/* Runs the kernels that `run` changes against those of the best so far, in turns: fills the times
 * of `tried`, and `why` if it is not faster, or leaves other values there. */
void repair_time(search *s, proof_run *run, repair_try *tried);
