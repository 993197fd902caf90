/* SPDX-License-Identifier: MIT */
/*
 * The file that a repair is of, and is written into.
 */
#pragma once

#include "repair.h"

/* The name that patch -p1 finds it by from here: the path below the working folder, else the file's
 * own name. */
enum { PATCH_NAME_BYTES = 4096 };
void patch_name_of(const char *path, char out[PATCH_NAME_BYTES]);
/* Before any work: a file that may not be written is refused; without `is_forced` also one that git
 * does not have as it is, or whose tree has other changes. SMP_E_WRITE says which. */
smp_status applied_file_check(const char *path, bool is_forced, smp_error *error);
/* The file itself, unless it is another one by now. */
smp_status applied_file_write(const repair_job *job, const repair *found, smp_error *error);
/* The .cu file whose lines have most excess wavefronts of shared memory, malloc'ed, and the
 * architecture of that kernel. Only files that the profile may show (source_line.h). SMP_E_READ:
 * there is none, one line says why. */
smp_status applied_file_of_profile(const smp_profile *profile, const char *name, char **path,
                                   const smp_arch **arch, smp_error *error);
