/* SPDX-License-Identifier: MIT */
/*
 * A folder that is there, or that can be made.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "capture_folder.h"
#include "command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

smp_status capture_folder_ask(const arguments *args, const char *variable,
                              char out[CAPTURE_VARIABLE_BYTES], smp_error *error) {
    const char *folder = last_value(args, OPTION_CAPTURE);
    out[0] = '\0';
    if (!folder)
        return SMP_OK;
    char *whole = mkdir(folder, 0700) != 0 && errno != EEXIST ? NULL : realpath(folder, NULL);
    if (whole && access(whole, W_OK | X_OK) == 0 && strlen(whole) < SCRATCH_PATH_BYTES) {
        (void)snprintf(out, CAPTURE_VARIABLE_BYTES, "%s=%s", variable, whole);
        free(whole);
        return SMP_OK;
    }
    free(whole);
    return smp_error_set(error, SMP_E_WRITE, -1, "--capture %.120s: %s", folder, strerror(errno));
}
