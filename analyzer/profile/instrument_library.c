/* SPDX-License-Identifier: MIT */
/* Finds the library that `profile` loads into other programs. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "instrument_library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "leftover.h"

bool smp_instrument_library(char path[SCRATCH_PATH_BYTES]) {
    const char *wanted = getenv("SMEMPROBE_INSTRUMENT");
    if (wanted && wanted[0] != '\0')
        return snprintf(path, SCRATCH_PATH_BYTES, "%s", wanted) < SCRATCH_PATH_BYTES &&
               access(path, R_OK) == 0;
    return scratch_find_beside("probes/instrument", "libsmemprobe_instrument.so", path);
}

smp_status capture_folder_set(const char *folder, const char *name, child_variables *to,
                              smp_error *error) {
    if (!folder)
        return SMP_OK;
    char *whole = mkdir(folder, 0700) != 0 && errno != EEXIST ? NULL : realpath(folder, NULL);
    const bool is_fine =
        whole && access(whole, W_OK | X_OK) == 0 && strlen(whole) < SCRATCH_PATH_BYTES;
    if (is_fine)
        child_set(to, "%s=%s", name, whole);
    free(whole);
    return is_fine ? SMP_OK
                   : smp_error_set(error, SMP_E_WRITE, -1, "--capture %.120s: %s", folder,
                                   strerror(errno));
}
