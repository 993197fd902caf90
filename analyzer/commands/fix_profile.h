/* SPDX-License-Identifier: MIT */
/*
 * fix FILE.smprof: the source that the profile's conflicts are in.
 */
#pragma once

#include "profile.h"

/* The .cu file whose lines have most excess wavefronts of shared memory, malloc'ed, and the
 * architecture of that kernel. Only files that the profile may show (source_line.h). SMP_E_READ:
 * there is none, one line says why. */
smp_status fix_profile_source(const smp_profile *profile, const char *name, char **path,
                              const smp_arch **arch, smp_error *error);
