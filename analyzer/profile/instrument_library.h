/* SPDX-License-Identifier: MIT */
/*
 * Where the library lies that `profile` loads into other programs, and the folder for launches that
 * it keeps.
 */
#pragma once

#include <stdbool.h>

#include "child.h"
#include "leftover.h"

/* The file that SMEMPROBE_INSTRUMENT names, else the one beside this program; false: this build has
 * none. */
bool smp_instrument_library(char path[SCRATCH_PATH_BYTES]);

/* profile --capture DIR: the folder for launches that are kept. */

/* Makes the folder where it is not there, and sets `name` to its whole path; nothing where `folder`
 * is NULL. SMP_E_WRITE. */
smp_status capture_folder_set(const char *folder, const char *name, child_variables *to,
                              smp_error *error);
