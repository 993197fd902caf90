/* SPDX-License-Identifier: MIT */
/* Writers of profiles. The ranking, and repairs for the worst lines, are computed by the caller. */
#pragma once

#include <jansson.h>

#include "profile_accel.h"
#include "profile_against.h"
#include "profile_fix.h"
#include "profile_gate.h"
#include "profile_many.h"
#include "profile_rank.h"
#include "profile_verify.h"
#include "smp_prediction.h"
#include "style.h"

/* How much of a profile a text shows. */
typedef struct smp_profile_view {
    const smp_profile *profile;
    const smp_ranking *ranking;
    uint32_t worst_lines;         /* lines shown with source, map and reason */
    const smp_profile_fix *fixes; /* repairs of the worst lines, `worst_lines` of them */
    uint32_t lines;               /* lines shown per kernel */
    bool all_lines;               /* show every line */
    bool all_instructions;        /* show machine instructions and inlined frames below each line */
    const smp_profile_gate *gate; /* limits of lines */
    const smp_spread *spread;     /* spread over several files; NULL for one */
    /* An earlier profile, and the difference, which pages show; NULL if there is none. */
    const smp_profile *before;
    const smp_against *against;
} smp_profile_view;

/* Declares the writer smp_DOCUMENT_FORMAT for each format of a list. */
#define SMP_FORM_DECLARE(of, id, name) smp_##of##_writer smp_##of##_##name;

/* Formats of verdicts; all but JUnit are remarks (remark.h). */
#define SMP_VERDICT_FORMS(X, of) \
    X(of, GITHUB, github)        \
    X(of, JUNIT, junit) X(of, SARIF, sarif) X(of, GITLAB, gitlab) X(of, GCC, gcc)
#define SMP_PROFILE_FORMS(X, of) \
    X(of, TEXT, text)            \
    X(of, JSON, json) X(of, CSV, csv) X(of, MD, md) X(of, HTML, html) SMP_VERDICT_FORMS(X, of)
/* Formats of the difference view->against between view->before and view->profile. */
#define SMP_AGAINST_FORMS(X, of) X(of, TEXT, text) X(of, JSON, json) X(of, MD, md) X(of, HTML, html)

/* Writes a view; `style` is for text. JSON and CSV always hold the whole profile. */
typedef void smp_profile_writer(FILE *out, const smp_profile_view *view, smp_style style);
typedef smp_profile_writer smp_against_writer;
SMP_PROFILE_FORMS(SMP_FORM_DECLARE, profile)
SMP_AGAINST_FORMS(SMP_FORM_DECLARE, against)
/* profile_head.c: the runs, how they ended, and the sums. */
void smp_profile_head(FILE *out, const smp_profile_view *view);
/* The earlier run, sums before and after, and the lines of view->against. The caller owns it. */
json_t *smp_against_to_json(const smp_profile_view *view);
/* The JSON on one line. */
void smp_profile_json_compact(FILE *out, const smp_profile *profile);
/* beside_text.c: GPGPU-Sim's rule beside ours; nothing without requests. Sorts the sites. */
void smp_accel_text(FILE *out, smp_accel_sums *sums);
/* beside_text.c: predicted against counted figures of the first `launches` launches of each kernel,
 * 0 for all, over one to three `counts`. */
void smp_verification_text(FILE *out, const smp_verification *found, uint64_t launches,
                           unsigned counts);
/* Writes a table of findings; nothing without findings. */
void smp_md_findings(FILE *out, const smp_profile *profile);
/* Writes two cells: the line (NULL: the whole kernel) and the kernel. */
void smp_md_place(FILE *out, const smp_ranking *ranking, const smp_frame *frame,
                  const smp_kernel_profile *kernel);
