/* SPDX-License-Identifier: MIT */
/*
 * smp_analyzer.h: ways to make accesses, and ways to show what they cost.
 *
 * A pattern is what people say ("stride 33, floats, the first 16 lanes"); it becomes an
 * smp_access, whose prediction and measurement form a report, which a writer prints. The command
 * line is rows over these: one row a command, an option, an output format.
 *
 * Functions that parse fill an smp_error with the position; nothing here prints except the writers,
 * to the stream they are given.
 */
#ifndef SMP_ANALYZER_H
#define SMP_ANALYZER_H

#include <stdio.h>

#include "smp_model.h"
#include "smp_probes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMP_SCHEMA_VERSION 1
#define SMP_PATTERN_TEXT_MAX 160

/* A constant stride over the lanes: lane l is at offset_bytes + l x stride x width_bytes. */
typedef struct smp_pattern {
    smp_op op;
    uint32_t width_bytes;
    uint32_t stride; /* in elements of width_bytes */
    uint32_t offset_bytes;
    uint32_t active_mask;
} smp_pattern;

/* stride 1, width 4, ld.shared, all lanes. */
smp_pattern smp_pattern_default(void);
/* Fills *out; SMP_E_OVERFLOW if a lane's offset does not fit. */
smp_status smp_pattern_access(const smp_pattern *pattern, smp_access *out, smp_error *error);
/* Canonical text: the options that reproduce the run, defaults left out except op, width and
 * stride:
 * "--op ld --width 4 --stride 33". Returns its length. */
size_t smp_pattern_format(const smp_pattern *pattern, char text[SMP_PATTERN_TEXT_MAX]);

/* One line of the batch format (INTERFACE: "OP WIDTH MASK OFF0 ... OFF31 [: GOFF0 ... GOFF31]").
 * `length` excludes the newline. A blank or comment line gives SMP_OK with *is_empty true.
 * error->position is the column. */
smp_status smp_batch_parse(const char *line, size_t length, smp_access *out, bool *is_empty,
                           smp_error *error);
/* The canonical line, without newline; returns its length. `text` holds at least SMP_BATCH_TEXT_MAX
 * bytes. */
#define SMP_BATCH_TEXT_MAX 1152
size_t smp_batch_format(const smp_access *access, char *text);

/* What the measured column says. */
typedef enum smp_source { SMP_NOT_MEASURED, SMP_LIVE, SMP_RECORDED } smp_source;

typedef struct smp_measured {
    smp_source source;
    smp_status why;   /* of SMP_NOT_MEASURED */
    char reason[256]; /* of SMP_NOT_MEASURED: one clause, in words */
    char device[64], driver[32], cuda[16], counter[128], date[16];
    uint64_t count; /* wavefronts or transactions, as predicted */
} smp_measured;

/* Everything that is known of one access on one architecture. */
typedef struct smp_report {
    smp_arch arch; /* a copy, with the bank mode in force */
    smp_pattern pattern;
    smp_access access;
    smp_status status; /* of smp_predict: SMP_OK or SMP_E_NOT_MODELLED */
    smp_counts counts;
    smp_measured measured;
} smp_report;

/* Writes the sentence that says why: "stride 32 words shares a factor 32 with the 32 banks, so
 * ...". */
size_t smp_report_why(const smp_report *report, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
