/* SPDX-License-Identifier: MIT */
/*
 * Charts: each kind is a row here, with a function that writes its data, its panels, and a gnuplot
 * script of the same name in plots/. The data are CSV with a header line: `plot KIND --format csv`
 * prints what both gnuplot and the terminal draw. Scripts get everything else in variables, which
 * are always strings.
 */
#pragma once

#include <stdio.h>

#include "compare.h"
#include "format.h"
#include "smp_layout.h"
#include "smp_prediction.h"
#include "style.h"
#include "sweep.h"

enum { PLOT_VARIABLES_SIZE = 8192, PLOT_HEATMAP_STRIDES = 66 };

/* Input of a chart. Each kind documents the fields that it uses. */
typedef struct plot_ask {
    smp_arch arch;
    bool is_every_arch;    /* all architectures, `arch` is ignored */
    smp_prediction access; /* only `access` and, with has_pattern, `pattern` are set */
    smp_axes axes;
    const smp_layout *layout; /* owned by the caller */
    compare_ask compare;
    char again[160]; /* options to measure `axes` again */
} plot_ask;

/* A chart being made. */
typedef struct plot {
    const plot_ask *ask;
    FILE *data;                          /* CSV; owned by the caller */
    char title[200], subtitle[200];      /* what the chart shows; how to read it */
    char provenance[320];                /* origin of the numbers */
    char variables[PLOT_VARIABLES_SIZE]; /* gnuplot assignments */
    size_t variables_length;
    unsigned line; /* line of the layout where `fill` failed; 0 otherwise */
} plot;

/* Sets a title, a subtitle or a provenance by a printf format. */
#define PLOT_TEXT(array, ...) (void)snprintf(array, sizeof(array), __VA_ARGS__)

enum { PLOT_FILES = 1 << 16, PLOT_SERIES_MAX = 4 };

/* Panels over named columns of the data. The terminal draws them from this alone (terminal.h); the
 * gnuplot script of the same name draws the same columns. */
typedef enum plot_form {
    PLOT_END,     /* after the last panel */
    PLOT_BARS,    /* a row per text in column x, a bar per series */
    PLOT_COLUMNS, /* vertical bars and points over column x */
    PLOT_GRID,    /* numbers by x (across) and y (down), a block per text in column `each` */
    PLOT_MAP      /* like a grid for one array, with marks where column `mark` is not 0 */
} plot_form;

/* Selects the rows of a series. */
typedef enum plot_keep {
    PLOT_EVERY,
    PLOT_TEXT, /* rows whose `column` reads `with` */
    PLOT_SAME, /* rows whose `column` equals column `with` */
    PLOT_OTHER /* rows whose `column` is known and differs from column `with` */
} plot_keep;

typedef struct plot_series {
    const char *name;   /* shown in a legend, or above bars */
    const char *value;  /* a column, or a sum of columns: "loads+stores" */
    bool is_point;      /* for PLOT_COLUMNS */
    bool is_exceptions; /* omitted from picture and legend if it has no value */
    plot_keep keep;
    const char *column, *with;
    /* Columns for bars, `mark` also for a map, or NULL. */
    const char *low;                /* the bar is lighter from here to `value` */
    const char *mark, *mark_name;   /* mark_name is NULL if the subtitle explains the mark */
    const char *counted;            /* shown where it differs from `value` */
    const char *busy, *idle, *none; /* if all columns `busy` are 0, the value is marked `idle` and
                                       ignored by the scale; `none` is shown for a missing value */
    bool is_wide;                   /* logarithmic if values vary widely */
} plot_series;

typedef struct plot_panel {
    plot_form form;
    const char *each;    /* one panel per text in this column; NULL: one panel */
    const char *heading; /* a row of smp_say with that text as {n}, or NULL */
    const char *x, *y, *x_name, *y_name;
    const char *note; /* a column, shown after bars if it fits, or below the blocks of a grid */
    bool log_x, log_y;
    plot_series series[PLOT_SERIES_MAX];
} plot_panel;

typedef struct plot_kind {
    const char *name; /* its script is plots/<name>.gp */
    const char *summary;
    const char *operands;  /* operands in the usage line; "" if there are none */
    unsigned operands_max; /* PLOT_FILES: any number of recorded files */
    /* The operand of chart `index` in the gallery, NULL after the last. Without this function the
     * gallery has one chart without operands. */
    const char *(*operand)(size_t index);
    /* Writes the data and sets the texts. */
    smp_status (*fill)(plot *out, smp_error *error);
    const plot_panel *panels; /* ends with PLOT_END */
} plot_kind;

/* All kinds. */
const plot_kind *const *plot_kinds(size_t *count);
extern const plot_kind plot_stride, plot_heatmap, plot_archs, plot_bankmap, plot_agreement,
    plot_cluster, plot_compare;

/* Sets a variable of the script. */
void plot_set(plot *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes a comma and a text, quoted if necessary. */
void plot_put_text(FILE *out, const char *text);
/* Writes the last fields of a line, "measured,[cycles,]gpu,driver,cuda,date". If there is a
 * measurement, sets the provenance from it and returns true. */
bool plot_put_measured(plot *out, const smp_measured *measured, bool has_cycles);
/* Predicts the accesses of ask->axes on ask->arch, and sets variables for the first and the last
 * stride. */
smp_status plot_sweep(plot *out, sweep *all, smp_error *error);

/* Formats of a chart; CSV is its data. */
#define SMP_PICTURE_FORMATS "png svg pdf"
#define SMP_CHART_FORMATS "text csv " SMP_PICTURE_FORMATS

typedef struct plot_target {
    smp_format format;
    const char *ending; /* "png", "svg", "pdf", or "txt" for a terminal */
    const char *theme;  /* for pictures: "light", "dark", "auto" */
    unsigned columns;   /* for terminals */
    smp_style style;    /* for terminals */
} plot_target;

/* Runs the script `name` on the data and appends the picture to `out`. */
smp_status plot_draw(const plot *what, const char *name, const plot_target *target, FILE *out,
                     smp_error *error);
/* Draws the panels, at most target->columns wide. */
smp_status plot_print(const plot *what, const plot_panel *panels, const plot_target *target,
                      FILE *out, smp_error *error);

/* "3.0 - 3.7 Kepler (8-byte banks)". */
void plot_archs_label(const smp_arch *first, const smp_arch *last, char *text, size_t size);
