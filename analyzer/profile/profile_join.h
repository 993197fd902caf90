/* SPDX-License-Identifier: MIT */
/*
 * From what the library inside a program left, and the machine code of its modules, to a profile.
 */
#pragma once

#include "instrument_dump.h"
#include "profile.h"

/* Adds one process to *out, which is then to be sorted. Without nvdisasm there are neither
 * instructions nor lines; then *without (may be NULL) says why, else it has an empty message.
 * `ops` (may be NULL): of each site of the dump the operation by which its requests are judged;
 * SMP_OP_COUNT: none, or it is local memory. SMP_E_MEMORY or SMP_OK. */
smp_status smp_profile_join(const smp_instrument_dump *dump, smp_profile *out, smp_op *ops,
                            smp_error *without, smp_error *error);
