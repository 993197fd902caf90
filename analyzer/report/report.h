/* SPDX-License-Identifier: MIT */
/*
 * Writers of reports and what they share. Internal to analyzer/.
 */
#ifndef SMP_REPORT_H
#define SMP_REPORT_H

#include "smp_analyzer.h"

/* How a text writer may write. */
typedef struct smp_style {
    bool color;   /* ANSI colours */
    bool unicode; /* boxes and blocks; else ASCII */
} smp_style;

/* style.c: the escape sequence `color`, or "" where there are no colours. */
const char *smp_paint(smp_style style, const char *color);

/* Prints words in lines of at most 78 columns behind `label`, later lines indented as far. */
void smp_wrapped_print(FILE *out, const char *label, const char *text);

/* bankmap.c: which bank delivers in which wavefront, as a picture of at most `rows` lines. */
void smp_bankmap_print(FILE *out, const smp_report *report, smp_style style, unsigned rows);

/* report_text.c, report_json.c, report_csv.c: one report, or the same access on several
 * architectures. */
void smp_report_text(FILE *out, const smp_report *report, smp_style style);
void smp_report_text_table(FILE *out, const smp_report *reports, size_t count);
void smp_report_json(FILE *out, const smp_report *report);
void smp_report_json_array(FILE *out, const smp_report *reports, size_t count);
void smp_report_csv(FILE *out, const smp_report *reports, size_t count);

enum { SMP_ARCH_MODES_MAX = 64 };

/* arch_modes.c: every architecture, those with several bank modes once in each, by generation; how
 * many. */
size_t smp_arch_modes(smp_arch out[SMP_ARCH_MODES_MAX]);

/* report.c: "32 lanes read 4 bytes each, 33 words apart"; returns its length. */
size_t smp_report_words(const smp_report *report, char *text, size_t size);

/* True if there is both a prediction and a measurement, and the one does not allow the other. */
bool smp_report_differs(const smp_report *report);

/* What was read of `access` on the GPU of `probe`. */
void smp_measured_take(smp_measured *out, smp_probe *probe, const smp_access *access,
                       const smp_reading *reading);
/* "32", "at most 2 by clocks (1.65 cycles)"; returns its length. */
size_t smp_measured_words(const smp_measured *measured, char *text, size_t size);

/* True if the counter of `op` counts wavefronts, false if it counts transactions. */
static inline bool smp_op_counts_wavefronts(smp_op op) {
    smp_space space = smp_ops(NULL)[op].space;
    return space == SMP_SPACE_SHARED || space == SMP_SPACE_COPY;
}

/* The constant distance in bytes between neighbouring lanes of an access of shared memory; -1 if
 * there is none or lanes are missing. */
int64_t smp_access_stride(const smp_access *access);

#endif
