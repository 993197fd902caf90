/* SPDX-License-Identifier: MIT */
/*
 * Checks layout files: every expectation and every limit of the command line is one case, which
 * holds or not. Internal to the analyzer.
 */
#pragma once

#include "assumed_launch.h"
#include "note.h"
#include "smp_layout.h"

typedef enum smp_verdict {
    SMP_HOLDS,
    SMP_VIOLATED,
    SMP_BROKEN,     /* the file could not be read, parsed or evaluated, or has nothing to check */
    SMP_NOT_JUDGED, /* a limit, for an access without a rule */
    SMP_KNOWN,      /* violated, but listed in the baseline (baseline.h) */
} smp_verdict;

typedef struct smp_case {
    const char *file;
    unsigned line;
    int column;           /* of a broken case, from 0; else -1 */
    const smp_arch *arch; /* NULL if it concerns none */
    smp_verdict verdict;
    bool is_empty;    /* SMP_BROKEN because there is nothing to check */
    const char *rule; /* "ways <= 1"; not terminated */
    size_t rule_length;
    const char *access; /* the access, or NULL; not terminated */
    size_t access_length;
    char message[256]; /* why it does not hold ("ways is 32") or was not judged */
} smp_case;

/* Whether a verdict needs no attention. */
static inline bool smp_case_is_quiet(const smp_case *found) {
    return found->verdict == SMP_HOLDS || found->verdict == SMP_KNOWN;
}

/* The content of a file, kept because cases point into it. */
typedef struct smp_checked_file {
    char *text;
    smp_layout *layout;
} smp_checked_file;

/* The name of a file found in a folder. */
typedef struct smp_kept_name {
    struct smp_kept_name *next;
    char text[];
} smp_kept_name;

typedef struct smp_check {
    /* Limits for every access; negative for none. */
    int64_t max_ways, max_excess;
    char max_ways_text[40], max_excess_text[40]; /* as rules of a file; filled on first use */
    const smp_arch *archs;                       /* instead of those of the files */
    size_t arch_count;                           /* 0 for those of the files */
    const smp_arch *default_arch;                /* for files that name none */
    const char *kernel;                          /* the kernel of --kernel, or NULL */
    bool has_kernel;                             /* a file has that kernel, or others */
    const char *launch;                          /* of the only .cu file; NULL: the file's own */
    smp_launch_wish wish;                        /* for launches that the file leaves open */
    const char *const *flags;                    /* of the compiler */
    uint32_t flag_count;
    smp_case *cases;
    size_t count;
    smp_checked_file *files;
    smp_kept_name *names;
    size_t file_count;
    size_t source_count;    /* .cu files judged by limits */
    const note_sink *notes; /* receives the assumptions about them; may be NULL */
    bool is_misused;        /* a file is broken because of the command line */
    bool is_source_noted;   /* a note said that source text was judged instead of machine code */
    size_t accesses, violated, broken;
    size_t known;    /* violations listed in the baseline */
    size_t empty;    /* broken files with nothing to check */
    size_t unjudged; /* accesses that limits cannot judge on some GPU, for lack of a rule */
    size_t skipped;  /* their cases */
} smp_check;

/* Checks one file ("-" for standard input), or every .smp file (with limits also every .cu file) in
 * and below a folder, in the order of their names, and adds their cases. A .cu file is judged by
 * limits only. Returns only SMP_E_MEMORY; any other error is a case. `name` must live as long as
 * the check. */
smp_status smp_check_path(smp_check *check, const char *name);
/* Call after the last path, `name`: if no kernel had shared memory, nothing was checked. The caller
 * reports a kernel that no file has (has_kernel). */
smp_status smp_check_end(smp_check *check, const char *name);
/* Frees what smp_check_path allocated; accepts a zeroed struct. */
void smp_check_clear(smp_check *check);
