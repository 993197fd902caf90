/* SPDX-License-Identifier: MIT */
/* Temporary folders, and the folders in which files of the program lie. */
#include "leftover.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

static const char *chosen_base(void) {
    const char *base = getenv("TMPDIR");
    return base && base[0] ? base : NULL;
}

/* True if it is a file system in memory with so much room. */
static bool has_room(const char *base, uint64_t bytes) {
    struct statfs info;
    return statfs(base, &info) == 0 && info.f_type == TMPFS_MAGIC &&
           (uint64_t)info.f_bavail * (uint64_t)info.f_bsize >= bytes && access(base, W_OK) == 0;
}

static smp_status make_below(const char *base, char path[SCRATCH_PATH_BYTES], smp_error *error) {
    (void)snprintf(path, SCRATCH_PATH_BYTES, "%.3900s/smemprobe.XXXXXX", base);
    if (mkdtemp(path)) {
        leftover_add(path);
        return SMP_OK;
    }
    const int cause = errno;
    smp_status status = smp_error_set(error, SMP_E_WRITE, -1, "%.120s: cannot be created: %s", path,
                                      strerror(cause));
    path[0] = '\0';
    return status;
}

smp_status scratch_folder_make(char path[SCRATCH_PATH_BYTES], smp_error *error) {
    const char *base = chosen_base();
    return make_below(base ? base : "/tmp", path, error);
}

smp_status scratch_folder_make_for(uint64_t bytes, char path[SCRATCH_PATH_BYTES],
                                   smp_error *error) {
    static const char memory[] = "/dev/shm";
    return chosen_base() || !has_room(memory, bytes) ? scratch_folder_make(path, error)
                                                     : make_below(memory, path, error);
}

static void remove_files(const char *path, bool has_folders);

static void remove_file(const char *file, bool may_be_folder) {
    if (unlink(file) == 0 || !may_be_folder)
        return;
    remove_files(file, false);
    (void)rmdir(file);
}

static void remove_files(const char *path, bool has_folders) {
    DIR *folder = path[0] != '\0' ? opendir(path) : NULL;
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char file[SCRATCH_PATH_BYTES + 300];
        (void)snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_file(file, has_folders);
    }
    if (folder)
        (void)closedir(folder);
}

void scratch_folder_remove(const char *path) {
    remove_files(path, true);
    if (path[0] != '\0')
        (void)rmdir(path);
    leftover_drop(path);
}

bool scratch_find_beside(const char *build_folder, const char *name,
                         char path[SCRATCH_PATH_BYTES]) {
    const char *const places[] = {"", build_folder, "/../lib/smemprobe", "/../lib"};
    char program[SCRATCH_PATH_BYTES];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int size = snprintf(path, SCRATCH_PATH_BYTES, "%s%s/%s", program, places[i], name);
        if (size < SCRATCH_PATH_BYTES && access(path, R_OK) == 0)
            return true;
    }
    return false;
}
