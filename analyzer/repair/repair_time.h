/* SPDX-License-Identifier: MIT */
/* Times repairs on the GPU of this machine, if there is one. */
#pragma once

#include "search.h"

/* Runs the kernels that `run` changes alternately with the best version so far. Sets the times of
 * `tried`, and `why` if it is not faster or leaves different values. */
void repair_time(search *s, proof_run *run, repair_try *tried);
