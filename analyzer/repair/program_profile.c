/* SPDX-License-Identifier: MIT */
/* Profiles a program on the CPU, to find the source to repair. */
#define _XOPEN_SOURCE 700
#include "repair.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

/* smemprobe profile --no-gpu -o PROFILE --force -- COMMAND */
smp_status program_profile_make(const char *const *command, unsigned count, const char *profile,
                                smp_error *error) {
    static const char *const words[] = {"profile", "--no-gpu", "--force", "-o"};
    enum { WORDS = sizeof words / sizeof *words };
    char own[4096], *said = NULL;
    size_t length = 0, used = 0;
    struct stat info;
    const ssize_t own_length = readlink("/proc/self/exe", own, sizeof own - 1);
    const char **argv = calloc(WORDS + 4 + (size_t)count, sizeof *argv);
    if (!argv || own_length <= 0) {
        free(argv);
        return smp_error_memory(error);
    }
    own[own_length] = '\0';
    argv[used++] = own;
    for (size_t i = 0; i < WORDS; i++)
        argv[used++] = words[i];
    argv[used++] = profile;
    argv[used++] = "--";
    for (unsigned i = 0; i < count; i++)
        argv[used++] = command[i];
    smp_status status = smp_tool_run((char *const *)argv, &said, &length, error);
    if (stat(profile, &info) == 0 && info.st_size > 0)
        status = SMP_OK; /* whatever the program's own exit status is */
    free(said);
    free(argv);
    return status;
}
