/* SPDX-License-Identifier: MIT */
/*
 * Where the library lies that `profile` loads into other programs.
 */
#ifndef SMP_INSTRUMENT_LIBRARY_H
#define SMP_INSTRUMENT_LIBRARY_H

#include <stdbool.h>

#include "scratch_folder.h"

/* The file that SMEMPROBE_INSTRUMENT names, else the one beside this program; false: this build has
 * none. */
bool smp_instrument_library(char path[SCRATCH_PATH_BYTES]);

#endif
