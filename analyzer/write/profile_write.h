/* SPDX-License-Identifier: MIT */
/*
 * Writers of profiles. What they show was computed before: the ranking, and for the worst lines a
 * repair.
 */
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
    uint32_t worst_lines;         /* shown with source, map and reason */
    const smp_profile_fix *fixes; /* of the first line each, `worst_lines` of them */
    uint32_t lines;               /* shown a kernel */
    bool all_lines;               /* every line */
    bool all_instructions; /* below each line its machine instructions, with inlined frames */
    const smp_profile_gate *gate; /* what lines may cost */
    const smp_spread *spread;     /* of several files; NULL: one */
    /* What was before: another profile, and the difference; pages show it. NULL: nothing. */
    const smp_profile *before;
    const smp_against *against;
} smp_profile_view;

/* Of a list of formats: declares the writer smp_DOCUMENT_FORMAT of each. */
#define SMP_FORM_DECLARE(of, id, name) smp_##of##_writer smp_##of##_##name;

/* The formats of verdicts, of which all but JUnit are remarks (remark.h). */
#define SMP_VERDICT_FORMS(X, of) \
    X(of, GITHUB, github)        \
    X(of, JUNIT, junit) X(of, SARIF, sarif) X(of, GITLAB, gitlab) X(of, GCC, gcc)
#define SMP_PROFILE_FORMS(X, of) \
    X(of, TEXT, text)            \
    X(of, JSON, json) X(of, CSV, csv) X(of, MD, md) X(of, HTML, html) SMP_VERDICT_FORMS(X, of)
/* What is between view->before and view->profile: view->against. */
#define SMP_AGAINST_FORMS(X, of) X(of, TEXT, text) X(of, JSON, json) X(of, MD, md) X(of, HTML, html)

/* What one shows; `style` is for texts. JSON and CSV are the whole profile, whatever the view
 * shows. */
typedef void smp_profile_writer(FILE *out, const smp_profile_view *view, smp_style style);
typedef smp_profile_writer smp_against_writer;
SMP_PROFILE_FORMS(SMP_FORM_DECLARE, profile)
SMP_AGAINST_FORMS(SMP_FORM_DECLARE, against)
/* profile_head.c: what ran, on what, how it ended, and the sums. */
void smp_profile_head(FILE *out, const smp_profile_view *view);
/* run (of the earlier one), before, after, lines of view->against. The caller owns it. */
json_t *smp_against_to_json(const smp_profile_view *view);
/* The JSON on one line. */
void smp_profile_json_compact(FILE *out, const smp_profile *profile);
/* beside_text.c: GPGPU-Sim's rule beside ours; nothing without requests. Sorts the sites. */
void smp_accel_text(FILE *out, smp_accel_sums *sums);
/* beside_text.c: predicted against counted, in `counts` runs. */
void smp_verification_text(FILE *out, const smp_verification *found, unsigned counts);
/* What was found, as a table; nothing where nothing was. */
void smp_md_findings(FILE *out, const smp_profile *profile);
/* Two cells of a table: line (NULL: the whole kernel) and kernel. */
void smp_md_place(FILE *out, const smp_ranking *ranking, const smp_frame *frame,
                  const smp_kernel_profile *kernel);
