/* SPDX-License-Identifier: MIT */
/* Finds the source that a profile names, asks git about it, and writes the repaired text. */
#define _XOPEN_SOURCE 700
#include "repair.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "new_file.h"
#include "source_line.h"
#include "text_file.h"
#include "tool.h"

void patch_name_of(const char *path, char out[PATCH_NAME_BYTES]) {
    const char *slash = strrchr(path, '/');
    path = smp_path_from_here(path);
    const bool is_below = path[0] != '/' && strncmp(path, "../", 3) != 0 && !strstr(path, "/../");
    (void)snprintf(out, PATCH_NAME_BYTES, "%.4000s", is_below ? path : slash + 1);
}

enum { PATH_BYTES = 4096 };

/* Returns what `git status` lists in that folder: for `path` alone, or for all tracked files if it
 * is NULL. Returns NULL without git or a repository. Runs no hook or monitor of the repository. */
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

smp_status applied_file_check(const char *path, bool is_forced, smp_error *error) {
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

/* One file before and after. */
typedef struct version {
    const char *path;
    char *before, *after;
    size_t before_length, after_length;
    bool is_changed;
    bool is_header; /* joined without its byte-order mark */
} version;

static bool write_text(FILE *file, const void *user) {
    const version *of = user;
    return fwrite(of->after, 1, of->after_length, file) == of->after_length;
}

static smp_status read_version(const repair_job *job, const repair *found, unsigned index,
                               version *out, smp_error *error) {
    out->is_header = index > 0;
    out->path = index > 0 ? job->joined->paths[index] : job->proof.file.path;
    out->before = joined_part(job->text, job->length, index, &out->before_length);
    out->after = joined_part(found->text, found->length, index, &out->after_length);
    if (!out->before || !out->after)
        return smp_error_memory(error);
    out->is_changed = out->before_length != out->after_length ||
                      memcmp(out->before, out->after, out->after_length) != 0;
    return SMP_OK;
}

static smp_status check_version(const version *of, bool is_forced, smp_error *error) {
    char *now = NULL;
    size_t length;
    smp_status status = applied_file_check(of->path, is_forced, error);
    if (status == SMP_OK)
        status =
            (of->is_header ? smp_text_read : smp_text_read_marked)(of->path, &now, &length, error);
    if (status == SMP_OK && (length != of->before_length || memcmp(now, of->before, length) != 0))
        status = smp_error_set(error, SMP_E_READ, -1,
                               "%.160s has changed since it was read, and stays as it is: run fix "
                               "again",
                               of->path);
    free(now);
    return status;
}

static smp_status write_version(const version *of, smp_error *error) {
    char *real = realpath(of->path, NULL);
    const smp_status status = new_file_write(real ? real : of->path, true, write_text, of, error);
    free(real);
    return status;
}

smp_status applied_file_write(const repair_job *job, const repair *found, bool is_forced,
                              smp_error *error) {
    const unsigned count = job->joined ? job->joined->count : 1;
    version versions[JOINED_FILES] = {{0}};
    smp_status status = SMP_OK;
    for (unsigned i = 0; i < count && status == SMP_OK; i++) {
        status = read_version(job, found, i, &versions[i], error);
        if (status == SMP_OK && versions[i].is_changed)
            status = check_version(&versions[i], is_forced, error);
    }
    for (unsigned i = 0; i < count && status == SMP_OK; i++)
        if (versions[i].is_changed)
            status = write_version(&versions[i], error);
    for (unsigned i = 0; i < count; i++) {
        free(versions[i].before);
        free(versions[i].after);
    }
    return status;
}

/* ---- Of a profile ---- */

static const char *file_of(const smp_profile_site *site) {
    return site->frame_count > 0 ? site->frames[site->frame_count - 1].file : NULL;
}

static uint64_t excess_of(const smp_profile_site *site) {
    return smp_space_has_banks(site->space) && site->wavefronts > site->ideal
               ? site->wavefronts - site->ideal
               : 0;
}

static uint64_t excess_in(const smp_kernel_profile *kernel, const char *file) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kernel->site_count; i++) {
        const char *other = file_of(&kernel->sites[i]);
        if (other && strcmp(other, file) == 0)
            sum += excess_of(&kernel->sites[i]);
    }
    return sum;
}

/* Returns the file with the most excess in one kernel, or NULL. */
static const char *find_worst(const smp_profile *profile, const smp_kernel_profile **out) {
    const char *worst = NULL;
    uint64_t most = 0;
    EACH_SITE(kernel, site, profile) {
        const char *file = excess_of(site) > 0 ? file_of(site) : NULL;
        const uint64_t excess = file && smp_name_ends(file, ".cu") ? excess_in(kernel, file) : 0;
        if (excess > most) {
            most = excess;
            worst = file;
            *out = kernel;
        }
    }
    return worst;
}

smp_status applied_file_of_profile(const smp_profile *profile, const char *name, char **path,
                                   const smp_arch **arch, smp_error *error) {
    const smp_kernel_profile *kernel = NULL;
    const char *worst = find_worst(profile, &kernel);
    if (!worst)
        return smp_error_set(error, SMP_E_READ, -1,
                             "%.120s: no line of a .cu file in it has excess wavefronts of shared "
                             "memory (built without -lineinfo, or nothing to repair)",
                             name);
    FILE *file = smp_source_open(worst);
    if (!file)
        return smp_error_set(error, SMP_E_READ, -1,
                             "%.120s: its source %.160s is not below this folder: run fix where "
                             "the source is, or name it: fix FILE.cu",
                             name, worst);
    (void)fclose(file);
    *arch = kernel->arch;
    *path = strdup(smp_source_path(worst));
    return *path ? SMP_OK : smp_error_memory(error);
}
