/* SPDX-License-Identifier: MIT */
/*
 * Files that appear whole or not at all.
 */
#define _POSIX_C_SOURCE 200809L
#include "new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder that a file is to be made in. */
static smp_status check_folder(const char *path, smp_error *error) {
    const char *slash = strrchr(path, '/');
    char folder[4096] = ".";
    if (slash)
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
    if (access(folder, W_OK | X_OK) == 0)
        return SMP_OK;
    return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: cannot be written: %s", path,
                         strerror(errno));
}

/* A file takes the place of what has its name, which must not happen to /dev/null. */
smp_status new_file_check(const char *path, bool overwrites, smp_error *error) {
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: is %s", path,
                             S_ISDIR(found.st_mode)
                                 ? "a folder"
                                 : "no ordinary file; redirect the standard output to it");
    if (access(path, F_OK) == 0 && !overwrites)
        return smp_error_set(error, SMP_E_EXISTS, -1, "%.180s: exists", path);
    return check_folder(path, error);
}

smp_status new_file_reserve(const char *path, bool overwrites, char *temporary, size_t size,
                            smp_error *error) {
    smp_status status = new_file_check(path, overwrites, error);
    if (status != SMP_OK)
        return status;
    if ((size_t)snprintf(temporary, size, "%s.XXXXXX", path) >= size)
        return smp_error_set(error, SMP_E_USAGE, -1, "%.80s...: the name is too long", path);
    int file = mkstemp(temporary);
    if (file < 0)
        return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: cannot be written: %s", path,
                             strerror(errno));
    mode_t hidden = umask(0); /* what a file made by open() would get; mkstemp gives less */
    (void)umask(hidden);
    (void)fchmod(file, 0666 & ~hidden);
    (void)close(file);
    return SMP_OK;
}

smp_status new_file_write(const char *path, bool overwrites,
                          bool (*write)(FILE *file, const void *user), const void *user,
                          smp_error *error) {
    char temporary[4096];
    smp_status status = new_file_reserve(path, overwrites, temporary, sizeof temporary, error);
    if (status != SMP_OK)
        return status;
    FILE *file = fopen(temporary, "w");
    bool ok = file && write(file, user);
    ok = (file && fclose(file) == 0) && ok;
    if (ok && rename(temporary, path) == 0)
        return SMP_OK;
    (void)remove(temporary);
    return smp_error_set(error, SMP_E_WRITE, -1, "%.180s: could not be written", path);
}
