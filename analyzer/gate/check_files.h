/* SPDX-License-Identifier: MIT */
/*
 * Checking layout files: every expectation and every bound of the command line is one case, which
 * holds or does not. Internal to the analyzer.
 */
#pragma once

#include "note.h"
#include "smp_layout.h"

typedef enum smp_verdict {
    SMP_HOLDS,
    SMP_VIOLATED,
    SMP_BROKEN,     /* the file could not be read, parsed or evaluated, or asks for nothing */
    SMP_NOT_JUDGED, /* a bound, for an access without a rule */
    SMP_KNOWN,      /* violated, as a baseline says (baseline.h) */
} smp_verdict;

typedef struct smp_case {
    const char *file;
    unsigned line;
    int column;           /* of a broken one, counted from 0; else -1 */
    const smp_arch *arch; /* NULL: not about one */
    smp_verdict verdict;
    bool is_empty;    /* SMP_BROKEN because there is nothing to check */
    const char *rule; /* "ways <= 1"; not terminated */
    size_t rule_length;
    const char *access; /* the access it is about, or NULL; not terminated */
    size_t access_length;
    char message[256]; /* of one that does not hold: "ways is 32"; of one not judged: why */
} smp_case;

/* True of what nobody needs to look at. */
static inline bool smp_case_is_quiet(const smp_case *found) {
    return found->verdict == SMP_HOLDS || found->verdict == SMP_KNOWN;
}

/* What one file holds, kept because cases point into it. */
typedef struct smp_checked_file {
    char *text;
    smp_layout *layout;
} smp_checked_file;

/* The name of a file that a folder held. */
typedef struct smp_kept_name {
    struct smp_kept_name *next;
    char text[];
} smp_kept_name;

typedef struct smp_check {
    /* Bounds for every access; negative: none. */
    int64_t max_ways, max_excess;
    char max_ways_text[40], max_excess_text[40]; /* as the rules of a file; filled when met */
    const smp_arch *archs;                       /* instead of those of the files */
    size_t arch_count;                           /* 0: those of the files */
    const smp_arch *default_arch;                /* for files that name none */
    const char *kernel; /* which kernel of files that have several; NULL: not said */
    bool has_kernel;    /* one of the files has it, or others */
    smp_case *cases;
    size_t count;
    smp_checked_file *files;
    smp_kept_name *names;
    size_t file_count;
    size_t source_count;    /* .cu files before bounds */
    const note_sink *notes; /* told what was assumed of them; NULL: nobody */
    size_t accesses, violated, broken;
    size_t known;    /* violations that a baseline has */
    size_t empty;    /* of those broken: files with nothing to check */
    size_t unjudged; /* accesses without a rule that the bounds say nothing of, on some GPU */
    size_t skipped;  /* cases of them */
} smp_check;

/* Checks one file ("-": standard input), or every .smp file, and where there are bounds every .cu
 * file, in a folder and below, in the order of their names, and adds their cases. A .cu file is
 * judged by the bounds alone, the same in a folder and by its name. Only SMP_E_MEMORY is returned:
 * all else that goes wrong is a case. `name` must live as long as the check. */
smp_status smp_check_path(smp_check *check, const char *name);
/* After the last one, `name`: where all kernels have no shared memory, nothing was checked. A
 * kernel that no file has (has_kernel) is the caller's to tell. */
smp_status smp_check_end(smp_check *check, const char *name);
/* Frees what smp_check_path allocated; takes a zeroed struct. */
void smp_check_clear(smp_check *check);
