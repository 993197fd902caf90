/* SPDX-License-Identifier: MIT */
/*
 * What the accesses of launches cost, by kernel and machine instruction. Profiles can be read,
 * merged, written (.smprof), checked against limits, and written as the documents of `smemprobe
 * report`.
 *
 * The order of merging does not change the result. Texts belong to the profile and are valid until
 * it is changed or freed.
 */
#ifndef SMP_PUBLIC_PROFILE_H
#define SMP_PUBLIC_PROFILE_H

#include <stddef.h>
#include <stdio.h>

#include "smp_model.h"

SMP_API_BEGIN

typedef struct smp_profile smp_profile;

/* Returns an empty profile; NULL if out of memory. */
smp_profile *smp_profile_new(void);
/* `profile` may be NULL. */
void smp_profile_free(smp_profile *profile);

/* ---- Files ---- */

/* The unreadable part of a file. */
typedef struct smp_profile_damage {
    uint32_t blocks; /* blocks with a wrong checksum or content */
    bool is_cut;     /* the file ends early */
} smp_profile_damage;

/* Merges a file into *profile; `damage` (may be NULL) reports what was skipped. SMP_E_SYNTAX if it
 * is no profile or of a newer version; or SMP_E_MEMORY. */
smp_status smp_profile_load(smp_profile *profile, FILE *in, smp_profile_damage *damage,
                            smp_error *error);
/* Moves all of `from` into `into`, which leaves `from` empty. SMP_E_MEMORY. */
smp_status smp_profile_add(smp_profile *into, smp_profile *from, smp_error *error);
/* Writes the profile as a file; `out` stays open. SMP_E_WRITE. */
smp_status smp_profile_save(const smp_profile *profile, FILE *out, smp_error *error);

/* ---- Figures ---- */

/* One operation of a machine instruction, summed over its requests. */
typedef struct smp_profile_row {
    const char *kernel, *demangled; /* demangled: same as `kernel` if unknown */
    const smp_arch *arch;           /* NULL if unknown */
    uint32_t offset_bytes;          /* offset in the function */
    const char *opcode, *operands;  /* NULL if not disassembled */
    const char *file;               /* the line in the user's own source; NULL if unknown */
    uint32_t line;
    const char *op;           /* "ld.shared"; NULL if the model has no such operation */
    const char *space;        /* "shared", "global", "local", "cluster", "copy" */
    uint32_t width_bytes;     /* bytes per lane */
    const char *not_modelled; /* why the figures are missing; NULL if they are not */
    uint64_t requests, lanes; /* warp instructions, and their active lanes */
    uint64_t wavefronts, ideal, sectors, ideal_sectors; /* 0 if not applicable */
    uint32_t ways;                                      /* of the worst request */
    uint32_t worst_mask;           /* lane mask of the worst request; 0 if none was kept */
    const uint64_t *worst_offsets; /* 32 byte offsets */
} smp_profile_row;

/* Reads row `index`, from 0; false after the last. */
bool smp_profile_row_at(const smp_profile *profile, size_t index, smp_profile_row *out);

/* A finding: an error of a kernel, or a note. */
typedef struct smp_fault {
    const char *kind; /* "out of bounds" */
    bool is_note;     /* a note, not an error */
    const char *message, *kernel;
    const char *file; /* NULL if unknown */
    uint32_t line;
    const char *instruction; /* NULL if unknown */
    bool has_thread;
    uint32_t block[3], thread[3]; /* first block and thread with this fault */
    uint64_t count;
    const char *missing; /* for a race, the missing synchronization; otherwise NULL */
} smp_fault;

/* Reads finding `index`, from 0, errors first; false after the last. */
bool smp_profile_fault_at(const smp_profile *profile, size_t index, smp_fault *out);

/* ---- The gate ---- */

typedef struct smp_profile_bounds {
    int64_t max_ways, max_excess; /* limits of a line; negative: none */
    const char *rules;            /* text of a --gate file, or NULL */
    const char *rules_name;       /* name of that file in messages; NULL: "rules" */
} smp_profile_bounds;

typedef struct smp_profile_verdict {
    uint32_t above;  /* lines above a limit */
    uint32_t faults; /* findings that are errors */
    bool is_unseen;  /* there was nothing to check, which is no success */
} smp_profile_verdict;

/* `said` (may be NULL) receives each line above a limit, and rules that matched nothing.
 * SMP_E_SYNTAX: the rules are wrong; the error names line and column. */
smp_status smp_profile_judge(const smp_profile *profile, const smp_profile_bounds *bounds,
                             void (*said)(void *user, const char *line), void *user,
                             smp_profile_verdict *out, smp_error *error);

/* ---- Documents ---- */

/* Writes the document of `smemprobe report --format FORMAT`: text, json, csv, md, html, github,
 * junit, sarif, gitlab or gcc. `bounds` may be NULL. SMP_E_USAGE: unknown format; SMP_E_WRITE. */
smp_status smp_profile_document(const smp_profile *profile, const char *format,
                                const smp_profile_bounds *bounds, FILE *out, smp_error *error);

SMP_API_END

#endif
