/* SPDX-License-Identifier: MIT */
/*
 * A remark on one place in a source, in all formats: code scanning (SARIF 2.1.0), GitLab's code
 * quality, GitHub's annotations, and editors.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include <stdint.h>

#include "format.h"
#include "profile_finding.h"

/* Rules of remarks: name, default level, GitLab's severity, meaning. */
#define SMP_REMARK_RULES(X)                                                                      \
    X(BANK_CONFLICT, "bank-conflict",                                                            \
      "Lanes of a warp access different words in one bank of shared memory, one wavefront "      \
      "after the other.",                                                                        \
      "A wavefront serves each bank once. Pad the rows of the array, or XOR the row into the "   \
      "column, to spread the words over the banks.")                                             \
    X(EXCESS_SECTORS, "excess-sectors",                                                          \
      "More sectors of global memory are moved than the requested bytes need.",                  \
      "Sectors are 32 aligned bytes. Let neighbouring lanes access neighbouring addresses, or "  \
      "stage the data through shared memory.")                                                   \
    X(EXPECTATION, "expectation", "An expectation or limit of a layout file is violated.",       \
      "The file limits the cost of its accesses, and one exceeds its limit.")                    \
    X(UNREADABLE, "unreadable", "A layout file cannot be read, or expects nothing.",             \
      "Its accesses could not be checked.")                                                      \
    X(NOT_JUDGED, "not-judged", "There is no rule for an access, so its limit was not checked.", \
      "An access that is not modelled gets no figures.")

typedef enum smp_remark_rule {
#define SMP_REMARK_ENUM(id, name, what, help) SMP_REMARK_##id,
    SMP_REMARK_RULES(SMP_REMARK_ENUM)
#undef SMP_REMARK_ENUM
/* Each kind of finding is a rule, too. */
#define SMP_REMARK_ENUM(id, name, rule, what, help) SMP_REMARK_FINDING_##id,
        SMP_FINDING_KIND_ROWS(SMP_REMARK_ENUM)
#undef SMP_REMARK_ENUM
            SMP_REMARK_RULE_COUNT,
    SMP_REMARK_FIRST_FINDING = SMP_REMARK_NOT_JUDGED + 1
} smp_remark_rule;

typedef enum smp_remark_level {
    SMP_REMARK_NOTE,
    SMP_REMARK_WARNING,
    SMP_REMARK_ERROR
} smp_remark_level;

typedef struct smp_remark {
    smp_remark_rule rule;
    smp_remark_level level;
    const char *file;               /* NULL without a source */
    uint32_t line;                  /* from 1; 0 for the whole file */
    uint32_t last_line;             /* 0: same as `line` */
    int column;                     /* from 0; -1 for the whole line */
    const char *where;              /* a function, or NULL */
    char key[160];                  /* distinguishes remarks of the same rule and line, or "" */
    char message[1200];             /* a longer text is cut at the end */
    json_t *figures;                /* a JSON object, taken over, or NULL */
    json_t *fixes;                  /* a JSON list for SARIF, taken over, or NULL */
    const smp_finding_place *other; /* another place, or NULL */
} smp_remark;

/* Formats by function and constant: SARIF, GitLab's list, GitHub's workflow commands, and compiler
 * style, file:line:column: warning: message [rule]. */
#define SMP_REMARK_FORMS(X) X(sarif, SARIF) X(gitlab, GITLAB) X(github, GITHUB) X(gcc, GCC)

/* A document of remarks between begin and end. */
typedef struct smp_remarks {
    FILE *out;
    smp_format form;
    json_t *items; /* for formats that are JSON */
} smp_remarks;

/* A file's URI for SARIF. */
json_t *smp_remark_uri(const char *file);

smp_remarks smp_remarks_begin(FILE *out, smp_format form);
void smp_remark_add(smp_remarks *to, const smp_remark *remark);
void smp_remarks_end(smp_remarks *to);
