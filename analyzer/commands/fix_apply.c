/* SPDX-License-Identifier: MIT */
/*
 * What git says of the source, and writing it.
 */
#define _XOPEN_SOURCE 700
#include "fix_patch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "new_file.h"
#include "text_file.h"
#include "tool.h"

enum { PATH_BYTES = 4096 };

/* What `git status` lists in that folder, of tracked files or of `path` alone; NULL: there is no
 * git, or no repository. No hook or monitor of the repository runs. */
static char *git_status(const char *folder, const char *path) {
    char *argv[] = {"/usr/bin/env",
                    "git",
                    "--no-optional-locks",
                    "-c",
                    "core.fsmonitor=false",
                    "-C",
                    (char *)(uintptr_t)folder,
                    "status",
                    "--porcelain",
                    path ? "--untracked-files=all" : "--untracked-files=no",
                    path ? "--" : NULL,
                    (char *)(uintptr_t)path,
                    NULL};
    char *out = NULL;
    size_t length;
    smp_error ignored;
    return smp_tool_run(argv, &out, &length, &ignored) == SMP_OK ? out : NULL;
}

static smp_status check_git(const char *real, smp_error *error) {
    char folder[PATH_BYTES];
    const char *slash = strrchr(real, '/');
    (void)snprintf(folder, sizeof folder, "%.*s", slash > real ? (int)(slash - real) : 1, real);
    char *own = git_status(folder, real), *all = git_status(folder, NULL);
    smp_status status = SMP_OK;
    if (own && strncmp(own, "??", 2) == 0)
        status = smp_error_set(error, SMP_E_WRITE, -1,
                               "--apply: git does not know %.160s, so the change could not be "
                               "undone: add it, or --force",
                               real);
    else if (own && own[0])
        status = smp_error_set(error, SMP_E_WRITE, -1,
                               "--apply: %.160s has changes that are not committed: commit them, "
                               "or --force",
                               real);
    else if (all && all[0])
        status = smp_error_set(error, SMP_E_WRITE, -1,
                               "--apply: the git tree has changes that are not committed (%.*s): "
                               "commit them, or --force",
                               (int)strcspn(all + 3, "\n"), all + 3);
    free(own);
    free(all);
    return status;
}

smp_status fix_apply_check(const char *path, bool is_forced, smp_error *error) {
    struct stat about;
    char *real = realpath(path, NULL);
    smp_status status = SMP_OK;
    if (!real || stat(real, &about) != 0)
        status = smp_error_set(error, SMP_E_READ, -1, "%.160s cannot be read", path);
    else if ((about.st_mode & 0222) == 0 || access(real, W_OK) != 0)
        status = smp_error_set(error, SMP_E_WRITE, -1,
                               "--apply: %.160s is read-only: chmod u+w, or -o FILE.patch", path);
    else if (!is_forced)
        status = check_git(real, error);
    free(real);
    return status;
}

static bool write_text(FILE *file, const void *user) {
    const repair *found = user;
    return fwrite(found->text, 1, found->length, file) == found->length;
}

smp_status fix_apply(const repair_job *job, const repair *found, smp_error *error) {
    const char *path = job->proof.file.path;
    char *now = NULL, *real = realpath(path, NULL);
    size_t length;
    smp_status status = smp_text_read(path, &now, &length, error);
    if (status == SMP_OK && (length != job->length || memcmp(now, job->text, length) != 0))
        status = smp_error_set(error, SMP_E_READ, -1,
                               "%.160s has changed since it was read, and stays as it is: run fix "
                               "again",
                               path);
    if (status == SMP_OK)
        status = new_file_write(real ? real : path, true, write_text, found, error);
    free(now);
    free(real);
    return status;
}
