/* SPDX-License-Identifier: MIT */
/*
 * Reads the files of the NVIDIA kernel module, which needs neither libcuda nor a toolkit.
 * Internal to probes/. $SMP_SYSTEM_ROOT replaces / in tests.
 */
#pragma once

#include "smp_probes.h"

/* Reads the first line of a file, without its end; false if there is none. */
bool smp_system_line(const char *path, char *text, size_t size);
/* Returns 1 if counters are for administrators only (RmProfilingAdminOnly), 0 if for all, -1 if
 * unknown. */
int smp_system_admin_only(void);
/* Fills the fields of `out` about the kernel module. */
void smp_system_survey(smp_survey *out);
