/* SPDX-License-Identifier: MIT */
/*
 * remark.h: one thing to say of one place in a source, however it is passed on: code scanning
 * (SARIF 2.1.0), GitLab's code quality, GitHub's annotations, editors. Documents that have findings
 * make remarks of them.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include <stdint.h>

#include "format.h"
#include "profile_finding.h"

/* What is remarked: name, level unless a remark says more, GitLab's severity, what it means. */
#define SMP_REMARK_RULES(X)                                                                       \
    X(BANK_CONFLICT, "bank-conflict",                                                             \
      "Lanes of a warp want different words of one bank of shared memory, which come one after "  \
      "the other.",                                                                               \
      "A wavefront serves every bank once. Padding the rows of the array, or an XOR of the row "  \
      "into the column, spreads the words over the banks.")                                       \
    X(EXCESS_SECTORS, "excess-sectors",                                                           \
      "More sectors of global memory are moved than the bytes that are asked for need.",          \
      "Sectors are 32 aligned bytes. Let neighbouring lanes touch neighbouring addresses, or go " \
      "by way of shared memory.")                                                                 \
    X(EXPECTATION, "expectation", "An expectation or a bound of a layout file does not hold.",    \
      "The file says what its accesses may cost; one costs more.")                                \
    X(UNREADABLE, "unreadable", "A layout file cannot be read, or asks for nothing.",             \
      "Without its accesses nothing can be judged.")                                              \
    X(NOT_JUDGED, "not-judged",                                                                   \
      "There is no rule for an access, so that a bound says nothing of it.",                      \
      "What is not modelled is never given a number.")

typedef enum smp_remark_rule {
#define SMP_REMARK_ENUM(id, name, what, help) SMP_REMARK_##id,
    SMP_REMARK_RULES(SMP_REMARK_ENUM)
#undef SMP_REMARK_ENUM
/* The kinds of findings are rules, too. */
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
    const char *file;               /* NULL: no place in a source */
    uint32_t line;                  /* from 1; 0: the whole file */
    uint32_t last_line;             /* 0: the same */
    int column;                     /* from 0; -1: the whole line */
    const char *where;              /* a function, or NULL */
    char key[160];                  /* tells it from others of the rule and line, or "" */
    char message[1200];             /* ends cut, never wrong */
    json_t *figures;                /* an object, given away; NULL: none */
    json_t *fixes;                  /* the same, a list for SARIF */
    const smp_finding_place *other; /* another place that it is about; NULL: none */
} smp_remark;

/* The formats: name of the functions, of the constant; SARIF, GitLab's list, GitHub's workflow
 * commands, and file:line:column: warning: message [rule], as compilers print it. */
#define SMP_REMARK_FORMS(X) X(sarif, SARIF) X(gitlab, GITLAB) X(github, GITHUB) X(gcc, GCC)

/* A document of remarks, from begin to end. */
typedef struct smp_remarks {
    FILE *out;
    smp_format form;
    json_t *items; /* of a form that is JSON */
} smp_remarks;

/* The address of a file in SARIF. */
json_t *smp_remark_uri(const char *file);

smp_remarks smp_remarks_begin(FILE *out, smp_format form);
void smp_remark_add(smp_remarks *to, const smp_remark *remark);
void smp_remarks_end(smp_remarks *to);
