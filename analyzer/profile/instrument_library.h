/* SPDX-License-Identifier: MIT */
/*
 * Finds the library that `profile` loads into other programs, and makes the folder for kept
 * launches.
 */
#pragma once

#include <stdbool.h>

#include "child.h"
#include "leftover.h"

/* Stores the file that SMEMPROBE_INSTRUMENT names, else the one beside this program; false if this
 * build has none. */
bool smp_instrument_library(char path[SCRATCH_PATH_BYTES]);

/* profile --capture DIR: the folder for kept launches. */

/* Creates the folder if needed, and sets variable `name` to its absolute path; does nothing if
 * `folder` is NULL. SMP_E_WRITE. */
smp_status capture_folder_set(const char *folder, const char *name, child_variables *to,
                              smp_error *error);
