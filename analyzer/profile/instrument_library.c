/* SPDX-License-Identifier: MIT */
/*
 * Where the library lies that `profile` loads into other programs.
 */
#define _POSIX_C_SOURCE 200809L
#include "instrument_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool smp_instrument_library(char path[SCRATCH_PATH_BYTES]) {
    const char *wanted = getenv("SMEMPROBE_INSTRUMENT");
    if (wanted && wanted[0] != '\0')
        return snprintf(path, SCRATCH_PATH_BYTES, "%s", wanted) < SCRATCH_PATH_BYTES &&
               access(path, R_OK) == 0;
    return scratch_find_beside("probes/instrument", "libsmemprobe_instrument.so", path);
}
