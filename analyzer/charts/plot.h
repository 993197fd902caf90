/* SPDX-License-Identifier: MIT */
/*
 * Charts: a kind is a row here, a function that writes its data, and a gnuplot script of its name
 * in plots/. The data are CSV with a header line; `plot KIND --format csv` prints just what the
 * script reads. What a script needs to know beyond its data are variables, always strings.
 */
#ifndef SMP_PLOT_H
#define SMP_PLOT_H

#include "cli.h"
#include "smp_report.h"

enum { PLOT_VARIABLES_SIZE = 8192 };

#define PLOT_OPTION(option) (UINT64_C(1) << (option))

/* One chart in the making. */
typedef struct plot {
    const arguments *args;               /* options; positionals are what follows the kind */
    FILE *data;                          /* the CSV; owned by the caller */
    char title[200], subtitle[200];      /* what is shown; how to read it */
    char provenance[320];                /* where the numbers come from */
    char variables[PLOT_VARIABLES_SIZE]; /* gnuplot assignments */
    size_t variables_length;
} plot;

typedef struct plot_kind {
    const char *name; /* its script is plots/<name>.gp */
    const char *summary;
    const char *operands; /* what may follow the kind, as in the usage; "" if nothing */
    unsigned operands_max;
    uint64_t options; /* those it looks at: PLOT_OPTION of each */
    /* The operand of chart `index` of the gallery, NULL after the last; no function: one chart
     * without operands. */
    const char *(*operand)(size_t index);
    /* Writes the data and sets the texts; has complained if the exit status is not 0. */
    int (*fill)(plot *out);
} plot_kind;

/* cmd_plot.c: all kinds. */
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

/* Adds the recorded measurements in the files named to those that are built in. */
smp_status plot_read_recorded(const arguments *args, smp_error *error);

/* plot_gnuplot.c: how a chart is to come out. */
typedef struct plot_target {
    const char *ending; /* "png", "svg", "pdf", or "txt" for a terminal */
    const char *theme;  /* "light", "dark", "auto" */
    unsigned columns;   /* of a terminal */
    bool color;
} plot_target;

/* Runs the script `name` over the data and appends what comes out to `out`. */
smp_status plot_draw(const plot *what, const char *name, const plot_target *target, FILE *out,
                     smp_error *error);

/* cmd_plot.c: draws one chart into `path` (NULL: standard output); `what` keeps its texts. The exit
 * status; has complained. */
int plot_one(const plot_kind *kind, const arguments *args, const plot_target *target,
             const char *path, plot *what);

/* cmd_plot.c: a format by its name, with --theme. */
smp_status plot_choose_target(const arguments *args, const char *name, plot_target *out,
                              smp_error *error);

/* plot_gallery.c: every chart, and an index, into the folder that -o names. The exit status. */
int plot_gallery(const arguments *args);

/* "3.0 - 3.7 Kepler (8-byte banks)". */
void plot_archs_label(const smp_arch *first, const smp_arch *last, char *text, size_t size);

#endif
