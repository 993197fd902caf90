/* SPDX-License-Identifier: MIT */
/*
 * system.h: what the files of the NVIDIA kernel module say, which needs neither libcuda nor a
 * toolkit. Internal to probes/. $SMP_SYSTEM_ROOT takes the place of / in tests.
 */
#pragma once

#include "smp_probes.h"

/* The first line of a file, without its end; false if there is none. */
bool smp_system_line(const char *path, char *text, size_t size);
/* 1: counters are for administrators only (RmProfilingAdminOnly), 0: for all, -1: not known. */
int smp_system_admin_only(void);
/* Fills what `out` has of the kernel module. */
void smp_system_survey(smp_survey *out);
