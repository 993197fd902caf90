/* SPDX-License-Identifier: MIT */
/* The source file of a repair: finding it, checking it, and writing it. */
#pragma once

#include "repair.h"

/* The name by which patch -p1 finds the file from the working folder: the path below that folder,
 * or else the file name alone. */
enum { PATCH_NAME_BYTES = 4096 };
void patch_name_of(const char *path, char out[PATCH_NAME_BYTES]);
/* Checks, before any work, that the file may be written. Without `is_forced` the file must also be
 * committed to git in its present form, in a tree without other changes. SMP_E_WRITE gives the
 * reason. */
smp_status applied_file_check(const char *path, bool is_forced, smp_error *error);
/* Writes the repaired text, unless the file has changed since it was read. */
smp_status applied_file_write(const repair_job *job, const repair *found, smp_error *error);
/* Finds the .cu file whose lines cause the most excess wavefronts in shared memory (*path,
 * malloc'ed), and the architecture of that kernel. Considers only files that the profile may show
 * (source_line.h). SMP_E_READ gives the reason if there is none. */
smp_status applied_file_of_profile(const smp_profile *profile, const char *name, char **path,
                                   const smp_arch **arch, smp_error *error);
