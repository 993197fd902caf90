/* SPDX-License-Identifier: MIT */
/* Where temporary folders lie. */
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "leftover.h"
#include "suite.h"

static void ck_assert_made(bool in_memory, uint64_t bytes, const char *base) {
    char path[SCRATCH_PATH_BYTES];
    struct stat info;
    smp_error error;
    ck_assert_int_eq(in_memory ? scratch_folder_make_for(bytes, path, &error)
                               : scratch_folder_make(path, &error),
                     SMP_OK);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_msg(strncmp(path, base, strlen(base)) == 0, "%s", path);
    ck_assert_int_eq(strncmp(path + strlen(base), "/smemprobe.", 11), 0);
    scratch_folder_remove(path);
    ck_assert_int_ne(stat(path, &info), 0);
}

/* Memory is for those who did not choose, and only if there is enough. */
START_TEST(memory_is_taken_if_it_has_room) {
    struct statfs info;
    const bool has_memory = statfs("/dev/shm", &info) == 0 && info.f_type == TMPFS_MAGIC &&
                            access("/dev/shm", W_OK) == 0;
    ck_assert_int_eq(unsetenv("TMPDIR"), 0);
    ck_assert_made(false, 0, "/tmp");
    ck_assert_made(true, UINT64_MAX, "/tmp");
    if (has_memory)
        ck_assert_made(true, 0, "/dev/shm");
    ck_assert_int_eq(setenv("TMPDIR", "/var/tmp", 1), 0);
    ck_assert_made(false, 0, "/var/tmp");
    ck_assert_made(true, 0, "/var/tmp");
}
END_TEST

int main(void) {
    return SUITE("scratch_folder", TEST(memory_is_taken_if_it_has_room));
}
