/* SPDX-License-Identifier: MIT */
/*
 * The project that a source belongs to: what lies there may be read for it, since its author could
 * have written the same into the source.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { SMP_PROJECT_PATH = 4096 };

typedef struct smp_project {
    char source[SMP_PROJECT_PATH]; /* its full path */
    char folder[SMP_PROJECT_PATH]; /* of the source */
    size_t root; /* length of the repository's root in `folder`; the full length if there is none */
    struct stat info; /* of the source */
} smp_project;

/* False: the source cannot be found. */
bool smp_project_of(const char *source, smp_project *out);
/* Whether the file belongs to someone whose code runs anyway: this user, root, the source's owner.
 */
bool smp_project_trusts(const smp_project *project, const struct stat *file);
/* Finds the folder of the file that the source can mean by #include NAME; of several with this
 * name, the one that shares most folders with the source. False if there is none, if two are
 * equally near, or if the project is too large to search. */
bool smp_project_header(const smp_project *project, const char *name,
                        char folder[SMP_PROJECT_PATH]);
