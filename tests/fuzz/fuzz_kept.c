/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the launch.json of a kept folder, beside one file of 64 bytes under the names of
 * code and memory. What is accepted has all its files read whole.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "fuzz.h"
#include "kept_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 64, PATH_BYTES = 96 };

static char folder[] = "/dev/shm/smemprobe-fuzz-XXXXXX";

static void put(const char *name, const void *bytes, size_t size) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void remove_folder(void) {
    static const char *const names[] = {"launch.json", "code.cubin", "memory-0.raw"};
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static void make_folder(void) {
    static const uint8_t bytes[FILE_BYTES] = {1};
    if (!mkdtemp(folder))
        abort();
    (void)atexit(remove_folder);
    put("code.cubin", bytes, sizeof bytes);
    put("memory-0.raw", bytes, sizeof bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool is_made;
    smp_kept_launch launch;
    smp_error error;
    if (!is_made)
        make_folder();
    is_made = true;
    put("launch.json", data, size);
    if (smp_kept_read(folder, &launch, &error) == SMP_OK) {
        for (uint32_t i = 0; i < launch.array_count; i++)
            if (launch.arrays[i].before && launch.arrays[i].size_bytes > FILE_BYTES * 64)
                abort();
        smp_kept_clear(&launch);
    }
    return 0;
}
