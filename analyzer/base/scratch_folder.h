/* SPDX-License-Identifier: MIT */
/*
 * A temporary folder in which another process leaves files for this one.
 */
#pragma once

#include "smp_model.h"

enum { SCRATCH_PATH_BYTES = 4096 };

/* Makes one in TMPDIR. If that fails: SMP_E_WRITE and an empty `path`. */
smp_status scratch_folder_make(char path[SCRATCH_PATH_BYTES], smp_error *error);
/* Removes it with its files and folders of files; does nothing if `path` is empty. */
void scratch_folder_remove(const char *path);

/* Finds the file or folder `name` beside the program, below `build_folder` in a build, or where the
 * program is installed. False: it is not there. */
bool scratch_find_beside(const char *build_folder, const char *name, char path[SCRATCH_PATH_BYTES]);
