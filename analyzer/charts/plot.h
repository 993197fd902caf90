/* SPDX-License-Identifier: MIT */
/*
 * Charts: each kind is a row here, with a function that writes its data, its panels, and a gnuplot
 * script of its name in plots/. The data are CSV with a header line: `plot KIND --format csv`
 * prints what the script reads and what is drawn in a terminal. Whatever else a script needs is
 * passed in variables, which are always strings.
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

/* What the user asks for. Each kind says which of these fields it uses. */
typedef struct plot_ask {
    smp_arch arch;
    bool is_every_arch;    /* in place of `arch` */
    smp_prediction access; /* only `access` and, if has_pattern, `pattern` are set */
    smp_axes axes;
    const smp_layout *layout; /* of the caller */
    compare_ask compare;
    char again[160]; /* the options that measure `axes` */
} plot_ask;

/* One chart in the making. */
typedef struct plot {
    const plot_ask *ask;
    FILE *data;                          /* the CSV; owned by the caller */
    char title[200], subtitle[200];      /* what is shown; how to read it */
    char provenance[320];                /* where the numbers come from */
    char variables[PLOT_VARIABLES_SIZE]; /* gnuplot assignments */
    size_t variables_length;
    unsigned line; /* of the layout, where `fill` failed; 0: elsewhere */
} plot;

/* Sets a title, a subtitle or a provenance by a printf format. */
#define PLOT_TEXT(array, ...) (void)snprintf(array, sizeof(array), __VA_ARGS__)

enum { PLOT_FILES = 1 << 16, PLOT_SERIES_MAX = 4 };

/* What a picture is made of: panels over named columns of the data. In a terminal it is drawn from
 * this alone (terminal.h); for a file the script of the same name draws the same columns. */
typedef enum plot_form {
    PLOT_END,     /* behind the last panel */
    PLOT_BARS,    /* a row for each text in column x, with a bar for each series */
    PLOT_COLUMNS, /* over column x: bars upwards, and points */
    PLOT_GRID,    /* numbers by x (across) and y (down), a block for each text in column `each` */
    PLOT_MAP      /* the same for one array, with a mark where column `mark` is not 0 */
} plot_form;

/* Which rows a series takes. */
typedef enum plot_keep {
    PLOT_EVERY,
    PLOT_TEXT, /* whose `column` reads `with` */
    PLOT_SAME, /* whose `column` is column `with` */
    PLOT_OTHER /* whose `column` is known and not column `with` */
} plot_keep;

typedef struct plot_series {
    const char *name;   /* in a legend, or above bars */
    const char *value;  /* a column, or several to add up: "loads+stores" */
    bool is_point;      /* of PLOT_COLUMNS */
    bool is_exceptions; /* left out of picture and legend if it has no value */
    plot_keep keep;
    const char *column, *with;
    /* Columns for bars, `mark` also for a map; NULL: none. */
    const char *low;                /* from here to `value` the bar is lighter */
    const char *mark, *mark_name;   /* the name is NULL if the subtitle says it */
    const char *counted;            /* shown where it differs from `value` */
    const char *busy, *idle, *none; /* if columns `busy` are 0, the value is marked `idle` and
                                     * does not count for the scale; `none` replaces no value */
    bool is_wide;                   /* on a logarithmic scale if values lie far apart */
} plot_series;

typedef struct plot_panel {
    plot_form form;
    const char *each;    /* a panel for each text in this column; NULL: one panel */
    const char *heading; /* a row of smp_say, with that text as its {n}; NULL: none */
    const char *x, *y, *x_name, *y_name;
    const char *note; /* a column: shown behind bars if there is room; below the blocks of a grid */
    bool log_x, log_y;
    plot_series series[PLOT_SERIES_MAX];
} plot_panel;

typedef struct plot_kind {
    const char *name; /* its script is plots/<name>.gp */
    const char *summary;
    const char *operands;  /* what may follow the kind, as the usage shows it; "" if nothing */
    unsigned operands_max; /* PLOT_FILES: recorded files, any number */
    /* The operand of chart `index` in the gallery, NULL after the last. No function: one chart
     * without operands. */
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
/* Writes one field of a line: a comma, then the text, in quotes if it needs them. */
void plot_put_text(FILE *out, const char *text);
/* The last fields of a line, "measured,[cycles,]gpu,driver,cuda,date", and its end; where something
 * was measured, the provenance becomes its own, and the result true. */
bool plot_put_measured(plot *out, const smp_measured *measured, bool has_cycles);
/* The accesses of ask->axes on ask->arch, and variables for the first and the last stride. */
smp_status plot_sweep(plot *out, sweep *all, smp_error *error);

/* The formats of a chart; CSV is the data that it is drawn from. */
#define SMP_PICTURE_FORMATS "png svg pdf"
#define SMP_CHART_FORMATS "text csv " SMP_PICTURE_FORMATS

typedef struct plot_target {
    smp_format format;
    const char *ending; /* "png", "svg", "pdf", or "txt" for a terminal */
    const char *theme;  /* of a picture: "light", "dark", "auto" */
    unsigned columns;   /* of a terminal */
    smp_style style;    /* of a terminal */
} plot_target;

/* Runs the script `name` over the data and appends the picture to `out`. */
smp_status plot_draw(const plot *what, const char *name, const plot_target *target, FILE *out,
                     smp_error *error);
/* Draws the panels in lines of at most target->columns. */
smp_status plot_print(const plot *what, const plot_panel *panels, const plot_target *target,
                      FILE *out, smp_error *error);

/* "3.0 - 3.7 Kepler (8-byte banks)". */
void plot_archs_label(const smp_arch *first, const smp_arch *last, char *text, size_t size);
