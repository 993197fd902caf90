/* SPDX-License-Identifier: MIT */
/* Finds the root of the repository of a source, and the folder in it that has a header. */
#define _GNU_SOURCE /* realpath, fts */
#include "project.h"

#include <fts.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENTRIES_MAX = 100000 };

bool smp_project_trusts(const smp_project *project, const struct stat *file) {
    return file->st_uid == geteuid() || file->st_uid == 0 || file->st_uid == project->info.st_uid;
}

static size_t root_length(const smp_project *project) {
    char path[SMP_PROJECT_PATH + 8];
    struct stat info;
    const char *folder = project->folder;
    for (size_t length = strlen(folder); length > 0;) {
        (void)snprintf(path, sizeof path, "%.*s/.git", (int)length, folder);
        if (stat(path, &info) == 0)
            return smp_project_trusts(project, &info) ? length : strlen(folder);
        while (length > 0 && folder[--length] != '/')
            continue;
    }
    return strlen(folder);
}

bool smp_project_of(const char *source, smp_project *out) {
    char *whole = realpath(source, NULL);
    const bool is_there =
        whole && strlen(whole) < sizeof out->source && stat(whole, &out->info) == 0;
    if (is_there) {
        (void)strcpy(out->source, whole);
        (void)strcpy(out->folder, whole);
        *strrchr(out->folder, '/') = '\0';
        out->root = root_length(out);
    }
    free(whole);
    return is_there;
}

/* ---- A header ---- */

typedef struct header_search {
    const smp_project *project;
    const char *name;
    char *folder; /* the best so far */
    unsigned best, equals;
} header_search;

/* Number of folders that the two share, counted from the root. */
static unsigned shared_folders(const char *one, const char *other) {
    unsigned count = 0;
    for (; *one == *other && *one; one++, other++)
        count += *one == '/';
    return count + ((*one == '\0' || *one == '/') && (*other == '\0' || *other == '/'));
}

static void look_at(header_search *in, const FTSENT *entry) {
    const size_t length = strlen(in->name), path = strlen(entry->fts_path);
    const char *tail = path > length ? entry->fts_path + path - length : "";
    if (entry->fts_info != FTS_F || strcmp(tail, in->name) != 0 || tail[-1] != '/' ||
        !smp_project_trusts(in->project, entry->fts_statp) || path - length > SMP_PROJECT_PATH)
        return;
    char folder[SMP_PROJECT_PATH];
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(path - length - 1), entry->fts_path);
    const unsigned shared = shared_folders(folder, in->project->folder);
    in->equals = shared > in->best ? 1 : in->equals + (shared == in->best);
    if (shared > in->best)
        (void)strcpy(in->folder, folder);
    in->best = shared > in->best ? shared : in->best;
}

bool smp_project_header(const smp_project *project, const char *name,
                        char folder[SMP_PROJECT_PATH]) {
    char root[SMP_PROJECT_PATH];
    char *const roots[] = {root, NULL};
    header_search in = {.project = project, .name = name, .folder = folder};
    uint32_t seen = 0;
    (void)snprintf(root, sizeof root, "%.*s", (int)project->root, project->folder);
    FTS *tree = strstr(name, "..") || name[0] == '/' || root[0] == '\0'
                    ? NULL
                    : fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
    for (const FTSENT *entry; tree && seen++ < ENTRIES_MAX && (entry = fts_read(tree));) {
        if (entry->fts_info == FTS_D && entry->fts_level > 0 && entry->fts_name[0] == '.')
            (void)fts_set(tree, (FTSENT *)(uintptr_t)entry, FTS_SKIP);
        look_at(&in, entry);
    }
    if (tree)
        (void)fts_close(tree);
    return in.equals == 1 && seen <= ENTRIES_MAX;
}
