/* SPDX-License-Identifier: MIT */
/*
 * smp_profile.h: what the accesses of launches cost, by kernel and machine instruction: read,
 * merged, written (.smprof), judged by a gate, and shown as the documents of `smemprobe report`.
 *
 * Merging gives the same in any order. Texts belong to the profile and live until it is changed or
 * freed.
 */
#ifndef SMP_PUBLIC_PROFILE_H
#define SMP_PUBLIC_PROFILE_H

#include <stddef.h>
#include <stdio.h>

#include "smp_model.h"

SMP_API_BEGIN

typedef struct smp_profile smp_profile;

/* An empty one; NULL: out of memory. */
smp_profile *smp_profile_new(void);
/* Takes NULL. */
void smp_profile_free(smp_profile *profile);

/* ---- Files ---- */

/* What of a file could not be read. */
typedef struct smp_profile_damage {
    uint32_t blocks; /* whose checksum or content is wrong */
    bool is_cut;     /* it ends early */
} smp_profile_damage;

/* Merges a file into *profile; `damage` (may be NULL) says what was left out of it. SMP_E_SYNTAX:
 * no profile, or of a newer version. */
smp_status smp_profile_load(smp_profile *profile, FILE *in, smp_profile_damage *damage,
                            smp_error *error);
/* Moves all of `from` into `into`; `from` is empty then. */
smp_status smp_profile_add(smp_profile *into, smp_profile *from, smp_error *error);
/* Writes the file. SMP_E_WRITE. */
smp_status smp_profile_save(const smp_profile *profile, FILE *out, smp_error *error);

/* ---- Figures ---- */

/* One machine instruction and one operation of it, over all requests. */
typedef struct smp_profile_row {
    const char *kernel, *demangled; /* demangled: as `kernel` where there is no other name */
    const smp_arch *arch;           /* NULL: unknown */
    uint32_t offset_bytes;          /* in the function */
    const char *opcode, *operands;  /* NULL: not disassembled */
    const char *file;               /* of the user's own line; NULL: unknown */
    uint32_t line;
    const char *op;           /* "ld.shared"; NULL: no operation of the model */
    const char *space;        /* "shared", "global", "local", "cluster", "copy" */
    uint32_t width_bytes;     /* per lane */
    const char *not_modelled; /* why there are no figures; NULL: there are */
    uint64_t requests, lanes; /* warp instructions, and their active lanes */
    uint64_t wavefronts, ideal, sectors, ideal_sectors; /* 0 where they do not apply */
    uint32_t ways;                                      /* of the worst request */
    uint32_t worst_mask;                                /* its lanes; 0: none is kept */
    const uint64_t *worst_offsets;                      /* 32 of them, in bytes */
} smp_profile_row;

/* Row `index`, from 0; false: there are no more. */
bool smp_profile_row_at(const smp_profile *profile, size_t index, smp_profile_row *out);

/* What a kernel did that none may do. */
typedef struct smp_fault {
    const char *kind; /* "out of bounds" */
    bool is_note;     /* else an error */
    const char *message, *kernel;
    const char *file; /* NULL: unknown */
    uint32_t line;
    const char *instruction; /* NULL: unknown */
    bool has_thread;
    uint32_t block[3], thread[3]; /* of the first that did */
    uint64_t count;
    const char *missing; /* of a race: what would order the two; else NULL */
} smp_fault;

/* Number `index`, from 0, errors first; false: there are no more. */
bool smp_profile_fault_at(const smp_profile *profile, size_t index, smp_fault *out);

/* ---- The gate ---- */

typedef struct smp_profile_bounds {
    int64_t max_ways, max_excess; /* of a line; negative: none */
    const char *rules;            /* the text of a file of --gate; NULL: none */
    const char *rules_name;       /* its name, for messages; NULL: "rules" */
} smp_profile_bounds;

typedef struct smp_profile_verdict {
    uint32_t above;  /* lines that cost more */
    uint32_t faults; /* findings that are errors */
    bool is_unseen;  /* there was nothing to judge: no success */
} smp_profile_verdict;

/* `said` (may be NULL) is told of each line above a bound, and of rules that decide on none.
 * SMP_E_SYNTAX: the rules, with their line and column. */
smp_status smp_profile_judge(const smp_profile *profile, const smp_profile_bounds *bounds,
                             void (*said)(void *user, const char *line), void *user,
                             smp_profile_verdict *out, smp_error *error);

/* ---- Documents ---- */

/* Writes the document of `smemprobe report --format FORMAT`: text, json, csv, md, html, github,
 * junit, sarif, gitlab or gcc. `bounds` may be NULL. SMP_E_USAGE: no such format; SMP_E_WRITE. */
smp_status smp_profile_document(const smp_profile *profile, const char *format,
                                const smp_profile_bounds *bounds, FILE *out, smp_error *error);

SMP_API_END

#endif
