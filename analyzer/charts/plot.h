/* SPDX-License-Identifier: MIT */
/*
 * Charts: a kind is a row here, a function that writes its data, and a gnuplot script of its name
 * in plots/. The data are CSV with a header line; `plot KIND --format csv` prints just what the
 * script reads. What a script needs to know beyond its data are variables, always strings.
 */
#ifndef SMP_PLOT_H
#define SMP_PLOT_H

#include <stdio.h>

#include "compare.h"
#include "format.h"
#include "smp_layout.h"
#include "smp_report.h"
#include "sweep.h"

enum { PLOT_VARIABLES_SIZE = 8192, PLOT_HEATMAP_STRIDES = 66 };

/* What is asked. Each kind says which of it it looks at. */
typedef struct plot_ask {
    smp_arch arch;
    bool is_every_arch; /* in place of `arch` */
    smp_report access;  /* of which access and, if has_pattern, pattern are set */
    smp_axes axes;
    const smp_layout *layout; /* of the caller */
    compare_ask compare;
    char again[160]; /* the words that measure `axes` */
} plot_ask;

/* One chart in the making. */
typedef struct plot {
    const plot_ask *ask;
    FILE *data;                          /* the CSV; owned by the caller */
    char title[200], subtitle[200];      /* what is shown; how to read it */
    char provenance[320];                /* where the numbers come from */
    char variables[PLOT_VARIABLES_SIZE]; /* gnuplot assignments */
    size_t variables_length;
    unsigned line; /* of the layout, where `fill` failed; 0: not there */
} plot;

enum { PLOT_FILES = 1 << 16 };

typedef struct plot_kind {
    const char *name; /* its script is plots/<name>.gp */
    const char *summary;
    const char *operands;  /* what may follow the kind, as in the usage; "" if nothing */
    unsigned operands_max; /* PLOT_FILES: recorded files, any number */
    /* The operand of chart `index` of the gallery, NULL after the last; no function: one chart
     * without operands. */
    const char *(*operand)(size_t index);
    /* Writes the data and sets the texts. */
    smp_status (*fill)(plot *out, smp_error *error);
} plot_kind;

/* All kinds. */
const plot_kind *const *plot_kinds(size_t *count);
extern const plot_kind plot_stride, plot_heatmap, plot_archs, plot_bankmap, plot_agreement,
    plot_cluster, plot_compare;

/* Sets a variable of the script. */
void plot_set(plot *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "measured on NVIDIA H200, driver ..., CUDA ..., date". */
void plot_measured_on(plot *out, const smp_measured *measured);
/* One field of a line: a comma, then the text in quotes if it needs them. */
void plot_put_text(FILE *out, const char *text);
/* The last fields of a line, "gpu,driver,cuda,date", and its end. */
void plot_put_origin(FILE *out, const smp_measured *measured);

/* plot_gnuplot.c: how a chart is to come out. CSV are the data that gnuplot gets. */
#define SMP_PICTURE_FORMATS "png svg pdf"
#define SMP_CHART_FORMATS "text csv " SMP_PICTURE_FORMATS

typedef struct plot_target {
    smp_format format;
    const char *ending; /* "png", "svg", "pdf", or "txt" for a terminal */
    const char *theme;  /* "light", "dark", "auto" */
    unsigned columns;   /* of a terminal */
    bool color;
} plot_target;

/* Runs the script `name` over the data and appends what comes out to `out`. */
smp_status plot_draw(const plot *what, const char *name, const plot_target *target, FILE *out,
                     smp_error *error);

/* "3.0 - 3.7 Kepler (8-byte banks)". */
void plot_archs_label(const smp_arch *first, const smp_arch *last, char *text, size_t size);

#endif
